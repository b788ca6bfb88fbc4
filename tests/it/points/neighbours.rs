//! Neighbouring studies of every kind of point, by every mechanism, about public and private centres, with one noise seed: whatever is
//! published beside the noised values themselves is the same.

use super::support::{certificate, succeeds, unlike, without_accuracy, without_run};
use std::path::Path;
use visard::io::write_npy;

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// `near` and `far` differ in one record, which in `far` lies well outside every ball. FILE stands for either.
fn compare(dir: &Path, study: &str, solution: &str) {
    let [near, far] = ["near", "far"].map(|side| {
        let records = dir.join(format!("{side}.npy")).display().to_string();
        let out = dir.join(side);
        let line = study.replace("FILE", &records);
        let said = succeeds(&format!("{line} --seed 5 --json --out {}", out.display()));
        let said = without_accuracy(&said.replace(&out.display().to_string(), "OUT"));
        let release = out.join("release");
        let certificate = without_run(certificate(&out.display().to_string()));
        let value = std::fs::read(release.join(solution)).unwrap();
        let found = (said, names(&release), certificate, value);
        std::fs::remove_dir_all(&out).unwrap();
        found
    });
    assert!(near.0 == far.0, "{study}: what is printed differs");
    assert_eq!(near.1, far.1, "{study}");
    assert!(near.2 == far.2, "{study}: the certificate differs");
    assert!(near.3 != far.3, "{study}: the records do not enter at all");
}

/// Mechanisms of matrices, directions and hyperbolic points, with a budget each. Pure ones under (ε, δ) too, which mix with the
/// Gaussian noise of a private centre.
const PLAIN: [(&str, &str); 7] = [
    ("tangent-gaussian", "--mu 3"),
    ("riemannian-gaussian", "--mu 3"),
    ("tangent-laplace", "--epsilon 4"),
    ("laplace", "--epsilon 4"),
    ("kng", "--epsilon 4 --delta 1e-6"),
    ("extrinsic", "--mu 3"),
    ("extrinsic", "--epsilon 4"),
];

/// What is done to a record by itself shows nowhere: `far` has one specimen turned over, with a missing landmark and a code for another.
#[test]
fn treated_shapes() {
    let dir = tempfile::tempdir().unwrap();
    let base = |i: usize| [(0.7 * i as f64).cos() * (1.0 + 0.1 * i as f64), (0.7 * i as f64).sin()];
    let record =
        |r: usize| (0..24).map(move |k| base(k / 2)[k % 2] + 0.01 * (2.0 * unlike(24 * r + k) - 1.0));
    let mut data: Vec<f64> = (0..220).flat_map(record).collect();
    write_npy(&dir.path().join("near.npy"), &[220, 12, 2], &data).unwrap();
    data[..24].iter_mut().step_by(2).for_each(|x| *x = -*x);
    data[6] = f64::NAN;
    (data[10], data[11]) = (-999.0, -999.0);
    write_npy(&dir.path().join("far.npy"), &[220, 12, 2], &data).unwrap();
    let centre: Vec<f64> = (0..24).map(|k| base(k / 2)[k % 2]).collect();
    write_npy(&dir.path().join("centre.npy"), &[1, 12, 2], &centre).unwrap();
    let file = |name: &str, text: &str| {
        std::fs::write(dir.path().join(name), text).unwrap();
        dir.path().join(name).display().to_string()
    };
    let (sliders, pairs, links) =
        (file("s.csv", "1,2,3\n2,3,4\n"), file("p.csv", "1,12\n2,11\n"), file("l.csv", "1,2\n"));
    let centre = dir.path().join("centre.npy").display().to_string();
    for (drop, missing) in
        [("", "--missing -999"), ("--drop-missing", "--missing=-999"), ("--drop-unusable", "")]
    {
        let study = format!(
            "shape mean FILE --center {centre} --radius 0.15 --mu 2 --sliders {sliders} --pairs {pairs} --links {links} --unmirror {drop} {missing}"
        );
        compare(dir.path(), &study, "mean.npy");
    }
}

#[test]
fn shapes() {
    let dir = tempfile::tempdir().unwrap();
    let base = |i: usize| {
        let t = std::f64::consts::TAU * i as f64 / 12.0;
        [t.cos(), 0.6 * t.sin()]
    };
    let record =
        |r: usize| (0..24).map(move |k| base(k / 2)[k % 2] + 0.01 * (2.0 * unlike(24 * r + k) - 1.0));
    let mut data: Vec<f64> = (0..220).flat_map(record).collect();
    write_npy(&dir.path().join("near.npy"), &[220, 12, 2], &data).unwrap();
    data[..24].iter_mut().enumerate().for_each(|(k, x)| *x = ((3 * k * k) as f64).cos());
    write_npy(&dir.path().join("far.npy"), &[220, 12, 2], &data).unwrap();
    let centre = dir.path().join("centre.npy");
    write_npy(&centre, &[12, 2], &(0..12).flat_map(base).collect::<Vec<_>>()).unwrap();
    for (mechanism, budget) in [
        ("gaussian", "--mu 4"),
        ("riemannian-gaussian", "--mu 4"),
        ("kng", "--epsilon 6"),
        ("laplace", "--epsilon 6 --delta 1e-6"),
        ("pointwise", "--epsilon 6"),
        ("pointwise-unaligned", "--epsilon 6"),
    ] {
        for place in
            [format!("--center {} --radius 0.2", centre.display()), "--center private --radius 0.2".into()]
        {
            let study = format!("shape mean FILE --mechanism {mechanism} {budget} {place}");
            compare(dir.path(), &study, "mean.tps");
        }
    }
    // A private radius is read off noised counts that differ, so it may differ itself; here it does not, and neither may the rest.
    let private =
        "shape mean FILE --mechanism gaussian --center private --radius private --mu 6 --smooth shrink";
    compare(dir.path(), private, "mean.tps");
}

#[test]
fn matrices() {
    let dir = tempfile::tempdir().unwrap();
    let mut data: Vec<f64> =
        (0..200).flat_map(|i| [1.0 + 0.002 * i as f64, 0.1, 0.1, 1.2 - 0.001 * i as f64]).collect();
    write_npy(&dir.path().join("near.npy"), &[200, 2, 2], &data).unwrap();
    data[..4].copy_from_slice(&[500.0, 0.0, 0.0, 1e-3]);
    write_npy(&dir.path().join("far.npy"), &[200, 2, 2], &data).unwrap();
    for (mechanism, budget) in PLAIN {
        for metric in ["log-euclidean", "affine-invariant"] {
            // Its law is known on two-point homogeneous spaces only: flat ones among them.
            if metric == "affine-invariant" && ["riemannian-gaussian", "laplace", "kng"].contains(&mechanism)
            {
                continue;
            }
            for centre in ["identity", "private --first-radius 2"] {
                // Where it is read off a private centre, the scale of extrinsic noise is a function of what was released before.
                if mechanism == "extrinsic" && centre != "identity" {
                    continue;
                }
                let study = format!(
                    "spd mean FILE --metric {metric} --mechanism {mechanism} --radius 1 {budget} --center {centre}"
                );
                compare(dir.path(), &study, "mean.npy");
            }
        }
    }
    // A private radius is read off noised counts that differ, so it may differ itself; here it does not, and neither may the rest.
    let private = "spd mean FILE --mechanism two-rounds --radius 1 --mu 3";
    compare(dir.path(), private, "mean.npy");
}

#[test]
fn directions() {
    let dir = tempfile::tempdir().unwrap();
    let mut data: Vec<f64> = (0..200)
        .flat_map(|i| {
            let (a, b) = (0.1 * f64::from(i).sin(), 0.1 * f64::from(i * i).cos());
            [a, b, (1.0 - a * a - b * b).sqrt()]
        })
        .collect();
    write_npy(&dir.path().join("near.npy"), &[200, 3], &data).unwrap();
    data[..3].copy_from_slice(&[0.0, 0.0, -1.0]);
    write_npy(&dir.path().join("far.npy"), &[200, 3], &data).unwrap();
    let centre = dir.path().join("centre.npy");
    write_npy(&centre, &[1, 3], &[0.0, 0.0, 1.0]).unwrap();
    for (mechanism, budget) in PLAIN {
        for centre in [centre.display().to_string(), "private".into()] {
            let study =
                format!("sphere mean FILE --mechanism {mechanism} --center {centre} --radius 0.4 {budget}");
            compare(dir.path(), &study, "mean.npy");
        }
    }
}

#[test]
fn hyperbolic_points() {
    let dir = tempfile::tempdir().unwrap();
    for (model, d) in [("poincare", 2), ("lorentz", 3)] {
        let point = |x: f64, y: f64| match model {
            "poincare" => vec![x, y],
            _ => vec![(1.0 + x * x + y * y).sqrt(), x, y],
        };
        let mut data: Vec<f64> =
            (0..200).flat_map(|i| point(0.1 * f64::from(i).sin(), 0.1 * f64::from(i * i).cos())).collect();
        write_npy(&dir.path().join("near.npy"), &[200, d], &data).unwrap();
        data[..d].copy_from_slice(&point(0.9, 0.3));
        write_npy(&dir.path().join("far.npy"), &[200, d], &data).unwrap();
        for (mechanism, budget) in PLAIN.into_iter().filter(|(mechanism, _)| *mechanism != "extrinsic") {
            for place in ["", "--center private --first-radius 1"] {
                let study = format!(
                    "hyperbolic mean FILE --model {model} --mechanism {mechanism} --radius 0.5 {budget} {place}"
                );
                compare(dir.path(), &study, "mean.npy");
            }
        }
    }
}
