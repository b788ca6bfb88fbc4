//! Poses of parts of faces.

use super::populations::Population;
use nalgebra::{Rotation3, Unit};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use std::error::Error;
use visard::mesh::{Point, PoseFinder, Vector};
use visard::study::face::{TemplateSource, load_template};

/// Turned by more than this (degrees) a pose is wrong; and with its nose so far from where it is (mm).
const MOST_TURN: f64 = 30.0;
const MOST_OFF: f64 = 30.0;

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

/// Prints how many poses are right, wrong and refused.
pub fn table(populations: &[Population], people: usize, seed: u64) -> Result<(), Box<dyn Error>> {
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
