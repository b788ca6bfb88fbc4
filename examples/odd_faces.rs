//! Scans that show only a part of a face, or show it badly: whether the pose is right, wrong or refused, and how far registered places are
//! from the true ones. The tables "Odd scans" of docs/measurements.md.
//!
//! `cargo run --release --example odd_faces [PEOPLE] [SEED] [poses|classes [FOLDER]]`: people of the built-in generator and, where `VISARD_DATA`
//! names the folder of shared data, of the ICT model and of SIMPOP. `poses`: vertices of parts of faces in any orientation, for the built-in
//! template; a pose is wrong where it is turned by more than 30 degrees from the true one, or where its nose lies 30 mm from the true one.
//! `classes`: children, beards, glasses and the like ([`Oddity`]), from scan to registration with the population's own template;
//! with FOLDER, the registered faces as PLY, to be looked at.

use nalgebra::{Rotation3, Unit};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use std::error::Error;
use std::path::Path;
use visard::io::{Scan, npy, read_landmarks, write_ply, write_ply_with_scalar};
use visard::mesh::{Point, PoseFinder, Similarity, TriMesh, Vector};
use visard::study::face::record::{ScanRegistrar, ScanRow, default_crop_radius};
use visard::study::face::{Registration, TemplateSource, load_template};
use visard::surface::Template;
use visard::synth::{FaceMarks, FaceParameters, OddScan, Oddity, Sight, Sitter, builtin_landmarks, odd_scan};

/// Turned by more than this (degrees) a pose is wrong; and with its nose so far from where it is (mm).
const MOST_TURN: f64 = 30.0;
const MOST_OFF: f64 = 30.0;

/// A population: its name, its people in a frame of its own, in millimetres.
struct Population {
    name: &'static str,
    people: Vec<Vec<Point>>,
    /// Its own template, whose first vertices correspond to a person's.
    template: Template,
    triangles: Vec<[usize; 3]>,
    marks: FaceMarks,
}

/// What of a face is seen: points in a frame whose origin is the nose tip, x to the left, y up, z out, in millimetres.
struct Condition {
    name: &'static str,
    noise_mm: f64,
    keeps: fn(&Vector, f64) -> bool,
}

/// `tilt` is uniform in ±1: no two people are cut alike.
const CONDITIONS: [Condition; 9] = [
    Condition { name: "whole", noise_mm: 0.1, keeps: |_, _| true },
    Condition { name: "whole, 2 mm noise", noise_mm: 2.0, keeps: |_, _| true },
    Condition {
        name: "left of the nose's far wing",
        noise_mm: 0.2,
        keeps: |p, t| p.x + 0.3 * t * p.y > -15.0,
    },
    Condition {
        name: "right of the nose's far wing",
        noise_mm: 0.2,
        keeps: |p, t| p.x + 0.3 * t * p.y < 15.0,
    },
    Condition {
        name: "three quarters, 1 mm noise",
        noise_mm: 1.0,
        keeps: |p, t| p.x + 0.3 * t * p.y > -35.0,
    },
    Condition { name: "no chin", noise_mm: 0.2, keeps: |p, t| p.y + 0.2 * t * p.x > -30.0 },
    Condition { name: "no forehead", noise_mm: 0.2, keeps: |p, t| p.y + 0.2 * t * p.x < 45.0 },
    Condition { name: "within 60 mm of the nose", noise_mm: 0.2, keeps: |p, t| p.norm() < 60.0 + 8.0 * t },
    Condition { name: "tilted cut", noise_mm: 0.5, keeps: |p, t| p.x + p.y * (1.0 + t) > -25.0 },
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let people: usize = words.next().map_or(Ok(2), |n| n.parse())?;
    let seed: u64 = words.next().map_or(Ok(1), |n| n.parse())?;
    let only = words.next();
    let wanted = |table: &str| only.as_deref().is_none_or(|only| only == table);
    let populations = populations(people, seed)?;
    if wanted("poses") {
        poses(&populations, people, seed)?;
    }
    if wanted("classes") {
        classes(&populations, seed, words.next().as_deref().map(Path::new))?;
    }
    Ok(())
}

fn poses(populations: &[Population], people: usize, seed: u64) -> Result<(), Box<dyn Error>> {
    let template = load_template(&TemplateSource::Builtin)?.template;
    let finder = template.pose();
    println!("{:12} {:30} {:>6} {:>6} {:>8}  why", "people", "scan", "right", "wrong", "refused");
    let mut worst = 0;
    for population in populations {
        let truth: Vec<(Rotation3<f64>, usize)> =
            population.people.iter().map(|face| truth(finder, face)).collect::<Result<_, _>>()?;
        // To x to the left, y up, z out.
        let frame = template.upright().inverse();
        for condition in &CONDITIONS {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let (mut right, mut wrong, mut refused) = (0, 0, Vec::new());
            for (face, (upright, nose)) in population.people.iter().zip(&truth) {
                let scan = scanned(face, face[*nose], &(frame * upright.inverse()), condition, &mut rng);
                match finder.find(&scan.points) {
                    Ok(pose) => {
                        let turn = (pose.similarity.rotation * (scan.turn * upright).inverse()).angle();
                        let off = (pose.nose_tip - scan.nose).norm();
                        if turn.to_degrees() > MOST_TURN || off > MOST_OFF { wrong += 1 } else { right += 1 }
                    }
                    Err(e) => refused.push(e.to_string()),
                }
            }
            worst = worst.max(wrong);
            let why = refused.first().map_or("", |why| why.as_str());
            let why: String = why.chars().skip(50).take(60).collect();
            println!(
                "{:12} {:30} {right:>6} {wrong:>6} {:>8}  {why}",
                population.name,
                condition.name,
                refused.len()
            );
        }
    }
    assert!(worst * 5 <= people, "a fifth of the scans of one kind have a wrong pose");
    Ok(())
}

/// What registration made of the scans of a class.
#[derive(Default)]
struct Tally {
    /// Distances from the true places, in millimetres: of skin that was seen, of skin beneath something.
    skin: Vec<f64>,
    covered: Vec<f64>,
    registered: usize,
    refused: Vec<String>,
}

/// Vertices nearer than this (mm) to what is not seen, or to the template's border, are not counted.
const MARGIN_MM: f64 = 10.0;

fn classes(populations: &[Population], seed: u64, folder: Option<&Path>) -> Result<(), Box<dyn Error>> {
    println!(
        "{:12} {:22} {:>10} {:>8} {:>9} {:>9} {:>9}  why",
        "people", "scan", "registered", "refused", "mean, mm", "95 %, mm", "beneath"
    );
    for population in populations {
        let template = &population.template;
        let registrar = ScanRegistrar::new(template, Registration::Elastic, default_crop_radius(template))?;
        for oddity in Oddity::ALL {
            let mut rng = ChaCha8Rng::seed_from_u64(700 + seed);
            let mut tally = Tally::default();
            for (i, person) in population.people.iter().enumerate() {
                let face = level(template, person).ok_or("a face that cannot be laid on its template")?;
                let sitter =
                    Sitter { vertices: &face, triangles: &population.triangles, marks: population.marks };
                let scan = odd_scan(&sitter, oddity, &mut rng)?;
                let stem = format!("{}-{}-{i}", population.name, oddity.name().replace(' ', "-"));
                let file = folder.map(|folder| folder.join(stem));
                tally.add(&registrar, population, scan, &mut rng, file.as_deref())?;
            }
            assert!(tally.skin.is_empty() || mean(&tally.skin) < 5.0, "a face registered to something else");
            tally.print(population.name, oddity.name());
        }
    }
    Ok(())
}

impl Tally {
    /// Turns a scan as scanners do, up to 40 degrees, registers it and compares.
    fn add(
        &mut self,
        registrar: &ScanRegistrar<'_>,
        population: &Population,
        scan: OddScan,
        rng: &mut ChaCha8Rng,
        file: Option<&Path>,
    ) -> Result<(), Box<dyn Error>> {
        let axis = Unit::new_normalize(Vector::from_fn(|_, _| rng.sample::<f64, _>(StandardNormal)));
        let turn = Rotation3::from_axis_angle(&axis, 40f64.to_radians() * rng.random::<f64>());
        let turned = scan.points.iter().map(|p| turn * p).collect();
        let mut row = ScanRow::default();
        let scanned = Scan { vertices: turned, triangles: scan.triangles };
        let posed = registrar.pose_of(scanned, None, &mut row);
        let found =
            posed.and_then(|posed| registrar.register(&posed, &mut row).map(|places| (places, posed)));
        let (places, posed) = match found {
            Ok(found) => found,
            Err(e) => {
                self.refused.push(e.to_string());
                return Ok(());
            }
        };
        self.registered += 1;
        let back = |points: &[Point]| points.iter().map(|p| turn.inverse() * p).collect::<Vec<_>>();
        if let Some(file) = file {
            let triangles = population.template.mesh().triangles();
            let off = places.iter().enumerate().map(|(i, p)| match scan.truth.get(i) {
                Some(truth) => (turn.inverse() * p - truth).norm(),
                None => 0.0,
            });
            let found = TriMesh::new(back(&places), triangles.to_vec())?;
            let (name, off) = ("error", off.collect::<Vec<_>>());
            write_ply_with_scalar(&file.with_extension("registered.ply"), &found, name, &off)?;
            let mesh = posed.disk.mesh();
            write_ply(&file.with_extension("scan.ply"), &mesh.with_vertices(back(mesh.vertices()))?)?;
        }
        let edge: Vec<Point> =
            population.border().chain(unseen(&scan.sight)).map(|i| scan.truth[i]).collect();
        let inside = |p: &Point| edge.iter().all(|e| (p - e).norm_squared() > MARGIN_MM * MARGIN_MM);
        for (i, truth) in scan.truth.iter().enumerate().filter(|(_, p)| inside(p)) {
            let off = (turn.inverse() * places[i] - truth).norm();
            match scan.sight[i] {
                Sight::Skin => self.skin.push(off),
                Sight::Covered => self.covered.push(off),
                Sight::Unseen => {}
            }
        }
        Ok(())
    }

    fn print(mut self, people: &str, scan: &str) {
        self.skin.sort_by(f64::total_cmp);
        let high = self.skin.get(self.skin.len() * 95 / 100).copied().unwrap_or(f64::NAN);
        let beneath =
            if self.covered.is_empty() { "-".to_owned() } else { format!("{:.2}", mean(&self.covered)) };
        let why = self.refused.first().map_or("", |why| why.as_str());
        println!(
            "{people:12} {scan:22} {:>10} {:>8} {:>9.2} {high:>9.2} {beneath:>9}  {}",
            self.registered,
            self.refused.len(),
            mean(&self.skin),
            why.chars().take(120).collect::<String>()
        );
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn unseen(sight: &[Sight]) -> impl Iterator<Item = usize> + '_ {
    (0..sight.len()).filter(|&i| sight[i] == Sight::Unseen)
}

impl Population {
    /// Vertices of the template's border that a person has too.
    fn border(&self) -> impl Iterator<Item = usize> + '_ {
        let n = self.people.first().map_or(0, Vec::len);
        self.template.disk().boundary().iter().copied().filter(move |&i| i < n)
    }
}

/// A person with x to the left, y up, z forward, in millimetres.
fn level(template: &Template, person: &[Point]) -> Option<Vec<Point>> {
    let own = Similarity::fit(&template.mesh().vertices()[..person.len()], person, &vec![1.0; person.len()])?;
    let turn = template.upright().inverse() * own.rotation.inverse();
    Some(person.iter().map(|p| turn * p).collect())
}

/// The rotation from the template to a whole face as it stands, and the vertex at its nose tip.
fn truth(finder: &PoseFinder, face: &[Point]) -> Result<(Rotation3<f64>, usize), Box<dyn Error>> {
    let pose = finder.find(face)?;
    Ok((pose.similarity.rotation, pose.nose))
}

struct Part {
    points: Vec<Point>,
    turn: Rotation3<f64>,
    nose: Point,
}

fn scanned(
    face: &[Point],
    nose: Point,
    level: &Rotation3<f64>,
    condition: &Condition,
    rng: &mut ChaCha8Rng,
) -> Part {
    let normal = |rng: &mut ChaCha8Rng| -> f64 { rng.sample(StandardNormal) };
    let axis = Unit::new_normalize(Vector::new(normal(rng), normal(rng), normal(rng)));
    let turn = Rotation3::from_axis_angle(&axis, rng.random::<f64>() * std::f64::consts::TAU);
    let tilt = 2.0 * rng.random::<f64>() - 1.0;
    let seen = |p: &&Point| (condition.keeps)(&(level * (*p - nose)), tilt);
    let points = face.iter().filter(seen);
    let points = points.map(|p| {
        let noise = Vector::new(normal(rng), normal(rng), normal(rng)) * condition.noise_mm;
        turn * (p + noise)
    });
    Part { points: points.collect(), turn, nose: turn * nose }
}

fn populations(people: usize, seed: u64) -> Result<Vec<Population>, Box<dyn Error>> {
    let mut rng = ChaCha8Rng::seed_from_u64(900 + seed);
    let own: Vec<_> = (0..people).map(|_| FaceParameters::sample(&mut rng).vertices()).collect();
    let template = load_template(&TemplateSource::Builtin)?.template;
    let triangles = template.mesh().triangles().to_vec();
    let l = builtin_landmarks();
    let eye = |inner: usize, outer: usize| {
        let v = template.mesh().vertices();
        template.mesh().nearest_vertex(&nalgebra::center(&v[inner], &v[outer])).unwrap_or(inner)
    };
    let eyes = [eye(l.right_eye_inner, l.right_eye_outer), eye(l.left_eye_inner, l.left_eye_outer)];
    let marks = FaceMarks { nose_tip: l.nose_tip, eyes, mouth: [l.right_mouth_corner, l.left_mouth_corner] };
    let mut all = vec![Population { name: "synthetic", people: own, template, triangles, marks }];
    let Some(data) = std::env::var_os("VISARD_DATA") else { return Ok(all) };
    let data = Path::new(&data);
    let triangles = npy::read(&data.join("faces_ict/ict_faces.npy"))?.data;
    let triangles = triangles.chunks_exact(3).map(|t| [t[0] as usize, t[1] as usize, t[2] as usize]);
    all.push(foreign(
        "ICT",
        &data.join("correspondence/ict"),
        ict(data, people, &mut rng)?,
        Some(triangles.collect()),
    )?);
    let faces = npy::read(&data.join("faces_simpop/simpop_vertices.npy"))?;
    let each = faces.data.len() / faces.shape[0];
    let chosen = faces.data.chunks_exact(each).cycle().skip(seed as usize * 7).take(people);
    let faces = chosen.map(|face| points(face, 1.0)).collect();
    all.push(foreign("SIMPOP", &data.join("correspondence/simpop"), faces, None)?);
    Ok(all)
}

/// A population whose folder holds its template and five landmarks of it: eyes, nose tip, corners of the mouth.
fn foreign(
    name: &'static str,
    folder: &Path,
    people: Vec<Vec<Point>>,
    triangles: Option<Vec<[usize; 3]>>,
) -> Result<Population, Box<dyn Error>> {
    let template = load_template(&TemplateSource::File(folder.join("template.ply")))?.template;
    let marks = read_landmarks(&folder.join("template_landmarks.csv"))?;
    let n = people.first().map_or(0, Vec::len);
    let vertices = &template.mesh().vertices()[..n];
    let nearest = |p: &Point| {
        let off = |i: &usize| (vertices[*i] - p).norm_squared();
        (0..n).min_by(|i, j| off(i).total_cmp(&off(j))).ok_or("no vertices")
    };
    let at: Vec<usize> = marks.iter().map(|mark| nearest(&mark.position)).collect::<Result<_, _>>()?;
    let to_the_left = |i: usize| (template.upright().inverse() * vertices[i]).x;
    let right_first = |a: usize, b: usize| if to_the_left(a) < to_the_left(b) { [a, b] } else { [b, a] };
    let [a, b, nose_tip, c, d] = at[..] else { return Err("five landmarks are wanted".into()) };
    let marks = FaceMarks { nose_tip, eyes: right_first(a, b), mouth: right_first(c, d) };
    let triangles = triangles.unwrap_or_else(|| template.mesh().triangles().to_vec());
    Ok(Population { name, people, template, triangles, marks })
}

fn ict(data: &Path, people: usize, rng: &mut impl Rng) -> Result<Vec<Vec<Point>>, Box<dyn Error>> {
    let neutral = npy::read(&data.join("faces_ict/ict_neutral.npy"))?.data;
    let modes = npy::read(&data.join("faces_ict/ict_identity_modes.npy"))?.data;
    let mut one = || {
        let mut v = neutral.clone();
        for mode in modes.chunks_exact(neutral.len()) {
            let w: f64 = rng.sample(StandardNormal);
            v.iter_mut().zip(mode).for_each(|(v, m)| *v += w * m);
        }
        // Centimetres.
        points(&v, 10.0)
    };
    Ok((0..people).map(|_| one()).collect())
}

fn points(flat: &[f64], unit: f64) -> Vec<Point> {
    flat.chunks_exact(3).map(|p| Point::new(unit * p[0], unit * p[1], unit * p[2])).collect()
}
