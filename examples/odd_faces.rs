//! Scans that show only a part of a face, or show it badly: whether the pose is right, wrong or refused. The table "Odd scans: pose" of
//! docs/measurements.md.
//!
//! `cargo run --release --example odd_faces [PEOPLE] [SEED]`: people of the built-in generator and, where `VISARD_DATA` names the folder of
//! shared data, of the ICT model and of SIMPOP; each scanned under every condition, in any orientation. A pose is wrong where it is turned by
//! more than 30 degrees from the true one, or where its nose lies 30 mm from the true one.

use nalgebra::{Rotation3, Unit};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use std::error::Error;
use std::path::Path;
use visard::io::npy;
use visard::mesh::{Point, PoseFinder, Vector};
use visard::study::face::{TemplateSource, load_template};
use visard::synth::FaceParameters;

/// Turned by more than this (degrees) a pose is wrong; and with its nose so far from where it is (mm).
const MOST_TURN: f64 = 30.0;
const MOST_OFF: f64 = 30.0;

/// A population: its name, its people in a frame of its own, in millimetres.
struct Population {
    name: &'static str,
    people: Vec<Vec<Point>>,
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
    let template = load_template(&TemplateSource::Builtin)?.template;
    let finder = template.pose();
    println!("{:12} {:30} {:>6} {:>6} {:>8}  why", "people", "scan", "right", "wrong", "refused");
    let mut worst = 0;
    for population in populations(people, seed)? {
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

/// The rotation from the template to a whole face as it stands, and the vertex at its nose tip.
fn truth(finder: &PoseFinder, face: &[Point]) -> Result<(Rotation3<f64>, usize), Box<dyn Error>> {
    let pose = finder.find(face)?;
    Ok((pose.similarity.rotation, pose.nose))
}

struct Scan {
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
) -> Scan {
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
    Scan { points: points.collect(), turn, nose: turn * nose }
}

fn populations(people: usize, seed: u64) -> Result<Vec<Population>, Box<dyn Error>> {
    let mut rng = ChaCha8Rng::seed_from_u64(900 + seed);
    let own = (0..people).map(|_| FaceParameters::sample(&mut rng).vertices()).collect();
    let mut all = vec![Population { name: "synthetic", people: own }];
    let Some(data) = std::env::var_os("VISARD_DATA") else { return Ok(all) };
    let data = Path::new(&data);
    all.push(Population { name: "ICT", people: ict(data, people, &mut rng)? });
    let faces = npy::read(&data.join("faces_simpop/simpop_vertices.npy"))?;
    let each = faces.data.len() / faces.shape[0];
    let chosen = faces.data.chunks_exact(each).cycle().skip(seed as usize * 7).take(people);
    all.push(Population { name: "SIMPOP", people: chosen.map(|face| points(face, 1.0)).collect() });
    Ok(all)
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
