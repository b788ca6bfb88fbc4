//! How far registration pulls faces towards the template: the table "Bias towards the template" of docs/measurements.md.
//!
//! `cargo run --release --example measure -- atlas_bias [PEOPLE [FOLDER]]`: made-up people whose true correspondence is known, ordinary ones (all parameters
//! random) and unusual ones (one feature of an ordinary person moved by 3 to 5 standard deviations; where `VISARD_DATA` names the folder of shared data,
//! people of the ICT model with one mode moved by 4 too). Of the way d from the template to the
//! face, position and size taken out, registration goes a part s = ⟨found, d⟩ / ⟨d, d⟩: 1 − s is how far it falls short. For unusual faces d
//! is the feature's own displacement, so what an ordinary person has beside it does not count. Beside the default: every step pulled towards the
//! template. With FOLDER, the same as a chart, `atlas_bias.svg`.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use std::error::Error;
use std::path::{Path, PathBuf};
use visard::io::{npy, read_landmarks};
use visard::mesh::{Point, RepairSettings, Similarity, Vector, make_disk, mesh_from_points};
use visard::report::chart::{Axis, Line, line_chart};
use visard::study::face::{TemplateSource, load_template};
use visard::surface::Template;
use visard::surface::registration::{Elastic, ElasticSettings};
use visard::synth::{
    FaceMarks, FaceParameters, Oddity, ScanConditions, ShapeParameter, Sight, Sitter, odd_scan, simulate_scan,
};

/// A scan of a face and what is known of it.
struct Case {
    /// Where its feature would be if it were not unusual; the template, for an ordinary face.
    from: Vec<Point>,
    /// The true places in the scan, and whether they were seen.
    truth: Vec<Point>,
    seen: Vec<bool>,
    points: Vec<Point>,
}

/// Error and shortfall of one face.
struct Found {
    error: f64,
    /// ⟨found, d⟩ and ⟨d, d⟩, means over the vertices seen, square millimetres.
    products: (f64, f64),
}

/// Of the faces of a kind, by method: how long the way is and how far registration goes, root mean square over the vertices, mm.
type Ways = [(f64, f64); 2];

/// Prints the table; the words are those after its name on the command line.
pub fn run(words: &[String]) -> Result<(), Box<dyn Error>> {
    let mut words = words.iter();
    let people: usize = words.next().map_or(Ok(1), |n| n.parse())?;
    let folder = words.next().map(PathBuf::from);
    println!("{:34} {:>22} {:>22}", "", "pulled to the template", "default");
    println!(
        "{:34} {:>9} {:>12} {:>9} {:>12}",
        "faces", "error, mm", "shortfall, %", "error, mm", "shortfall, %"
    );
    let template = load_template(&TemplateSource::Builtin)?.template;
    let mut ways = table(&template, &made_up(&template, people)?)?;
    if let Some(data) = std::env::var_os("VISARD_DATA") {
        let folder = Path::new(&data).join("correspondence/ict");
        let template = load_template(&TemplateSource::File(folder.join("template.ply")))?.template;
        ways.extend(table(&template, &ict(Path::new(&data), &template, people)?)?);
    }
    if let Some(folder) = folder {
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("atlas_bias.svg"), chart(&mut ways))?;
    }
    Ok(())
}

/// How far registration goes against how far it should, one dot for the faces of a kind.
fn chart(ways: &mut [Ways]) -> String {
    ways.sort_by(|a, b| a[0].0.total_cmp(&b[0].0));
    let line = |name: &str, k: usize| Line::new(name, ways.iter().map(|way| way[k]).collect()).with_dots();
    let most = ways.last().map_or(0.0, |way| way[0].0);
    let lines = [
        line("every step pulled to the template", 0),
        line("default", 1),
        Line::dashed("all the way", vec![(0.0, 0.0), (most, most)]),
    ];
    let (x, y) = (Axis::linear("from the template to the face (mm)"), Axis::linear("gone of that way (mm)"));
    line_chart("Bias towards the template", &x, &y, &lines)
}

fn table(template: &Template, kinds: &[Kind]) -> Result<Vec<Ways>, Box<dyn Error>> {
    let mut ways = Vec::with_capacity(kinds.len());
    let pulled = ElasticSettings { following: None, ..ElasticSettings::default() };
    let methods = [Elastic::new(template, &pulled)?, Elastic::new(template, &ElasticSettings::default())?];
    for (name, cases) in kinds {
        print!("{name:34}");
        let mut way = Ways::default();
        for (way, elastic) in way.iter_mut().zip(&methods) {
            let all: Vec<Found> =
                cases.iter().map(|case| registered(template, elastic, case)).collect::<Result<_, _>>()?;
            let mean = |part: fn(&Found) -> f64| all.iter().map(part).sum::<f64>() / all.len() as f64;
            let (error, gone, whole) = (mean(|f| f.error), mean(|f| f.products.0), mean(|f| f.products.1));
            let shortfall = 100.0 * (1.0 - gone / whole);
            print!(" {error:>9.3} {shortfall:>12.1}");
            *way = (whole.sqrt(), gone / whole.sqrt());
            assert!(shortfall < 60.0 && error < 3.0, "most of an unusual feature is found");
        }
        println!();
        ways.push(way);
    }
    Ok(ways)
}

/// Cases of one kind, and its name.
type Kind = (String, Vec<Case>);

/// Features as they are unusual in patients. A nose base this much higher makes a philtrum this much longer.
const FEATURES: [(&str, ShapeParameter, f64); 10] = [
    ("long philtrum, short nose", ShapeParameter::NoseLength, -4.0),
    ("long nose", ShapeParameter::NoseLength, 4.0),
    ("broad nose", ShapeParameter::NoseWidth, 4.0),
    ("wide-set eyes", ShapeParameter::EyeSpacing, 4.0),
    ("asymmetric jaw", ShapeParameter::ChinAsymmetry, 5.0),
    ("receding chin", ShapeParameter::ChinProjection, -4.0),
    ("narrow jaw", ShapeParameter::JawWidth, -3.0),
    ("wide mouth", ShapeParameter::MouthWidth, 4.0),
    ("full cheeks", ShapeParameter::CheekFullness, 4.0),
    ("sloping forehead", ShapeParameter::ForeheadSlope, 4.0),
];

fn made_up(template: &Template, people: usize) -> Result<Vec<Kind>, Box<dyn Error>> {
    let one = |moved: Option<(ShapeParameter, f64)>, seed: usize| {
        let mut rng = ChaCha8Rng::seed_from_u64(4000 + seed as u64);
        let ordinary = FaceParameters::sample(&mut rng);
        let (from, face) = match moved {
            None => (template.mesh().vertices().to_vec(), ordinary),
            Some((p, sd)) => (ordinary.clone().with(p, 0.0).vertices(), ordinary.with(p, sd)),
        };
        let scan = simulate_scan(&face, &ScanConditions::demo(), &mut rng);
        Case { from, truth: scan.truth, seen: scan.covered, points: scan.points }
    };
    let kind = |name: String, moved| (name, (0..people).map(|i| one(moved, i)).collect());
    let unusual = FEATURES.iter().map(|&(name, p, sd)| kind(format!("{name} ({sd:+} sd)"), Some((p, sd))));
    Ok(std::iter::once(kind("ordinary".to_owned(), None)).chain(unusual).collect())
}

/// Modes of the ICT model that are moved, three a person.
const MODES: usize = 3;

fn ict(data: &Path, template: &Template, people: usize) -> Result<Vec<Kind>, Box<dyn Error>> {
    let read = |name: &str| npy::read(&data.join("faces_ict").join(name)).map(|array| array.data);
    let (neutral, modes) = (read("ict_neutral.npy")?, read("ict_identity_modes.npy")?);
    let triangles: Vec<[usize; 3]> = read("ict_faces.npy")?
        .chunks_exact(3)
        .map(|t| [t[0] as usize, t[1] as usize, t[2] as usize])
        .collect();
    let own: Vec<Point> = template.mesh().vertices()[..neutral.len() / 3].to_vec();
    let marks = read_landmarks(&data.join("correspondence/ict/template_landmarks.csv"))?;
    let nearest = |p: &Point| {
        (0..own.len()).min_by(|&i, &j| (own[i] - p).norm_squared().total_cmp(&(own[j] - p).norm_squared()))
    };
    let at: Vec<usize> = marks.iter().filter_map(|mark| nearest(&mark.position)).collect();
    let [a, b, nose_tip, c, d] = at[..] else { return Err("five landmarks are wanted".into()) };
    let marks = FaceMarks { nose_tip, eyes: [a, b], mouth: [c, d] };
    let scanned = |from: &[Point], face: &[Point], rng: &mut ChaCha8Rng| -> Result<Case, Box<dyn Error>> {
        let scan = odd_scan(&Sitter { vertices: face, triangles: &triangles, marks }, Oddity::Nothing, rng)?;
        let seen = scan.sight.iter().map(|&sight| sight == Sight::Skin).collect();
        Ok(Case { from: from.to_vec(), truth: scan.truth, seen, points: scan.points })
    };
    let mut rng = ChaCha8Rng::seed_from_u64(4000);
    let (mut ordinary, mut unusual) = (Vec::new(), Vec::new());
    let modes: Vec<&[f64]> = modes.chunks_exact(neutral.len()).collect();
    for person in 0..people {
        let mut face = neutral.clone();
        let push = |face: &mut [f64], mode: &[f64], sd: f64| {
            face.iter_mut().zip(mode).for_each(|(v, m)| *v += sd * m);
        };
        modes.iter().for_each(|mode| push(&mut face, mode, rng.sample(StandardNormal)));
        let from = points(&face);
        ordinary.push(scanned(&own, &from, &mut rng)?);
        for k in 0..MODES {
            let mut moved = face.clone();
            let sd = if (person + k) % 2 == 0 { 4.0 } else { -4.0 };
            push(&mut moved, modes[(MODES * person + k) % modes.len()], sd);
            unusual.push(scanned(&from, &points(&moved), &mut rng)?);
        }
    }
    Ok(vec![("ICT, ordinary".to_owned(), ordinary), ("ICT, one mode (4 sd)".to_owned(), unusual)])
}

/// The model's unit is the centimetre.
fn points(flat: &[f64]) -> Vec<Point> {
    flat.chunks_exact(3).map(|p| Point::new(10.0 * p[0], 10.0 * p[1], 10.0 * p[2])).collect()
}

fn registered(template: &Template, elastic: &Elastic<'_>, case: &Case) -> Result<Found, Box<dyn Error>> {
    let pose = template.pose().find(&case.points)?;
    let disk = make_disk(mesh_from_points(&case.points)?, Some(pose.nose_tip), &RepairSettings::default())?;
    let found = elastic.fit(&disk.mesh, &pose.similarity)?;
    let weights: Vec<f64> = case.seen.iter().map(|&seen| if seen { 1.0 } else { 0.0 }).collect();
    // Position, turn and size are the pose's; shapes are compared from there. A scan's own size is a face's.
    let aligned = Similarity::fit(&case.from, &case.truth, &weights).ok_or("no pose")?;
    let (mut error, mut seen, mut products) = (0.0, 0.0, (0.0, 0.0));
    for (i, truth) in case.truth.iter().enumerate().filter(|(i, _)| case.seen[*i]) {
        let (place, start) = (found.positions[i], aligned.apply(&case.from[i]));
        let (way, gone): (Vector, Vector) = (truth - start, place - start);
        error += (place - truth).norm() / aligned.scale;
        seen += 1.0;
        products.0 += gone.dot(&way) / aligned.scale.powi(2);
        products.1 += way.norm_squared() / aligned.scale.powi(2);
    }
    Ok(Found { error: error / seen, products: (products.0 / seen, products.1 / seen) })
}
