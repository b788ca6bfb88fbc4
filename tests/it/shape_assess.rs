//! `visard shape assess`, as a user runs it: specimens of the population are usual, a moved landmark stands out where it is, the release stays as it
//! was, and what cannot be held against a norm is refused.

use crate::command_line::visard;
use nalgebra::DMatrix;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use serde_json::Value;
use std::fs;
use std::path::Path;
use visard::io::write_npy;
use visard::norm::shape_assess::ShapeNorm;

const LANDMARKS: usize = 6;
const PEOPLE: usize = 500;
/// Landmarks of no symmetry.
const MEAN: [[f64; 2]; LANDMARKS] = [[0.0, 0.0], [4.0, 0.3], [5.2, 2.0], [3.0, 3.5], [1.0, 2.8], [-0.6, 1.1]];

/// A specimen: two ways of varying, and some noise, anywhere in any pose.
fn specimen(rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut normal = || -> f64 { StandardNormal.sample(rng) };
    let (a, b, turn) = (0.25 * normal(), 0.2 * normal(), normal());
    let (sin, cos) = turn.sin_cos();
    let at = |(i, [x, y]): (usize, &[f64; 2])| {
        let (i, sign) = (i as f64, if i.is_multiple_of(2) { 1.0 } else { -1.0 });
        let (x, y) = (x + a * (0.4 * i - 1.0) + 0.03 * normal(), y + b * sign + 0.03 * normal());
        [cos * x - sin * y + 7.0, sin * x + cos * y - 3.0]
    };
    MEAN.iter().enumerate().flat_map(at).collect()
}

/// A norm of 500, and files of two patients: one of the population, and the same with its third landmark moved.
fn study(dir: &Path) {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let all: Vec<f64> = (0..PEOPLE).flat_map(|_| specimen(&mut rng)).collect();
    write_npy(&dir.join("people.npy"), &[PEOPLE, LANDMARKS, 2], &all).unwrap();
    let usual = specimen(&mut rng);
    let mut moved = usual.clone();
    moved[4] += 0.5;
    let mut mirrored = usual.clone();
    mirrored.iter_mut().step_by(2).for_each(|x| *x = -*x);
    let mut gap = usual.clone();
    gap[10..].fill(f64::NAN);
    for (name, one) in [("usual", &usual), ("moved", &moved), ("mirrored", &mirrored), ("gap", &gap)] {
        write_npy(&dir.join(format!("{name}.npy")), &[LANDMARKS, 2], one).unwrap();
    }
    write_npy(&dir.join("two.npy"), &[2, LANDMARKS, 2], &[usual.clone(), usual].concat()).unwrap();
    let modes = "shape modes people.npy --radius 0.3 --mu 10 --seed 3 --out study";
    let (code, stdout, stderr) = visard(dir, modes);
    assert_eq!(code, Some(0), "{stderr}{stdout}");
    let mean = "shape mean people.npy --radius 0.3 --mu 10 --seed 3 --out mean";
    assert_eq!(visard(dir, mean).0, Some(0));
}

fn assess(dir: &Path, words: &str) -> Value {
    let (code, stdout, stderr) = visard(dir, &format!("shape assess {words} --norm study --json"));
    assert_eq!(code, Some(0), "{stderr}{stdout}");
    serde_json::from_str(&stdout).unwrap()
}

/// 200 specimens, fixed seed: the mean percentile has a standard error of 2, that at single landmarks less than 2.
fn specimens_of_the_population_are_usual(dir: &Path) {
    let norm = ShapeNorm::open(&dir.join("study")).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let (mut percentile, mut place) = (0.0, 0.0);
    for _ in 0..200 {
        let one = DMatrix::from_row_slice(LANDMARKS, 2, &specimen(&mut rng));
        let found = norm.assess(&one, &[]).unwrap();
        percentile += found.compared.percentile.unwrap() / 200.0;
        place += found.places.iter().map(|place| place.percentile).sum::<f64>() / (200 * LANDMARKS) as f64;
    }
    assert!((40.0..60.0).contains(&percentile), "{percentile}");
    assert!((40.0..60.0).contains(&place), "{place}");
}

#[test]
fn a_specimen_is_held_against_a_norm() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    study(dir);
    let before = fs::read(dir.join("study/release/certificate.json")).unwrap();
    specimens_of_the_population_are_usual(dir);
    let usual = assess(dir, "usual.npy --out usual");
    let moved = assess(dir, "moved.npy --out moved");
    let at = |said: &Value, i: usize| said["places"][i]["percentile"].as_f64().unwrap();
    assert!(at(&moved, 2) > 99.0 && at(&usual, 2) < 99.0, "{moved}");
    let distance = |said: &Value| said["riemannian_distance"].as_f64().unwrap();
    assert!(distance(&moved) > distance(&usual));
    assert!(moved["beyond"]["ratio"].as_f64() > usual["beyond"]["ratio"].as_f64());
    assert_eq!(usual["verified"], true);
    assert!(usual["notes"][0].as_str().unwrap().contains("never a diagnosis"));
    for file in ["report.html", "landmarks.csv", "assessment.json"] {
        let text = fs::read_to_string(dir.join("usual/internal").join(file)).unwrap();
        assert!(text.len() > 100, "{file}");
    }
    let table = fs::read_to_string(dir.join("usual/internal/landmarks.csv")).unwrap();
    assert!(table.starts_with("# visard internal") && table.lines().count() == 2 + LANDMARKS, "{table}");
    let gap = assess(dir, "gap.npy --out gap");
    assert_eq!(gap["places"][5]["filled"], true);
    assert!(gap["notes"].to_string().contains("1 landmarks are missing"), "{gap}");
    assert_eq!(before, fs::read(dir.join("study/release/certificate.json")).unwrap());
}

#[test]
fn what_cannot_be_held_against_a_norm_of_shapes_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    study(dir);
    write_npy(&dir.join("fewer.npy"), &[5, 2], &[0.5; 10]).unwrap();
    for (words, said) in [
        ("mirrored.npy --norm study --out a", "mirror image"),
        ("two.npy --norm study --out a", "holds 2 specimens"),
        ("fewer.npy --norm study --out a", "fewer.npy"),
        ("usual.npy --norm mean --out a", "no modes"),
        ("usual.npy --norm people.npy --out a", "people.npy"),
        ("usual.npy --norm study --out study/patients", "another --out"),
        ("usual.npy --norm study --out study", "another --out"),
    ] {
        let (code, stdout, stderr) = visard(dir, &format!("shape assess {words}"));
        assert_eq!(code, Some(1), "{words}: {stderr}{stdout}");
        assert!(stderr.contains(said), "{words}: {stderr}");
        assert!(!dir.join("a").exists(), "{words}");
    }
}
