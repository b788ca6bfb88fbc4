//! `visard surface assess`, as a user runs it: surfaces of the population are usual, a bump stands out where it is, and what cannot be held against a
//! norm is refused.

use crate::command_line::visard;
use crate::surfaces::bean;
use nalgebra::{Rotation3, Vector3};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use serde_json::Value;
use std::fs;
use std::path::Path;
use visard::io::{npy, write_npy, write_ply};
use visard::mesh::{Point, TriMesh};
use visard::norm::surface_assess::SurfaceNorm;

const PEOPLE: usize = 400;

/// Somebody: two ways of varying.
fn somebody(mesh: &TriMesh, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut normal = || -> f64 { StandardNormal.sample(rng) };
    let (a, b) = (1.5 * normal(), normal());
    let moved = |p: &Point| {
        let (u, v) = ((0.03 * p.y).sin(), (0.03 * p.x).cos());
        [p.x + a * u, p.y + b * v, p.z + 0.5 * a * v]
    };
    mesh.vertices().iter().flat_map(moved).collect()
}

fn mesh_of(vertices: &[f64]) -> TriMesh {
    let places = vertices.chunks_exact(3).map(|p| Point::new(p[0], p[1], p[2])).collect();
    bean().with_vertices(places).unwrap()
}

/// The vertex that is highest, and those about it.
fn bump(vertices: &mut [f64]) -> Vec<usize> {
    let all: Vec<Point> = bean().vertices().to_vec();
    let top = all.iter().max_by(|a, b| a.z.total_cmp(&b.z)).unwrap();
    let near: Vec<usize> = (0..all.len()).filter(|i| (all[*i] - top).norm() < 16.0).collect();
    near.iter().for_each(|i| vertices[3 * i + 2] += 6.0);
    near
}

/// A norm of 400, one of a regression, and patients.
fn study(dir: &Path) -> Vec<usize> {
    let mesh = bean();
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    write_ply(&dir.join("t.ply"), &mesh).unwrap();
    let all: Vec<f64> = (0..PEOPLE).flat_map(|_| somebody(&mesh, &mut rng)).collect();
    let vertices = mesh.vertices().len();
    write_npy(&dir.join("people.npy"), &[PEOPLE, vertices, 3], &all).unwrap();
    let ages: String = (0..PEOPLE).map(|i| format!("{i},{}\n", 20 + 3 * i % 50)).collect();
    fs::write(dir.join("ages.csv"), format!("record,age\n{ages}")).unwrap();
    let usual = somebody(&mesh, &mut rng);
    let mut bumped = usual.clone();
    let near = bump(&mut bumped);
    for (name, one) in [("usual", &usual), ("bumped", &bumped)] {
        write_npy(&dir.join(format!("{name}.npy")), &[1, vertices, 3], one).unwrap();
    }
    // A scan somewhere else, turned.
    let turn = Rotation3::from_axis_angle(&Vector3::y_axis(), 0.6);
    let turned: Vec<Point> =
        mesh_of(&usual).vertices().iter().map(|p| turn * p + Vector3::new(80.0, -9.0, 4.0)).collect();
    write_ply(&dir.join("scan.ply"), &mesh.with_vertices(turned).unwrap()).unwrap();
    let mut other = mesh.vertices().to_vec();
    other[0].x += 1.0;
    write_ply(&dir.join("other.ply"), &mesh.with_vertices(other).unwrap()).unwrap();
    for line in [
        "modes --modes 2 --mu 10 --out study",
        "regress --covariates ages.csv --bounds age=20:70 --residuals --mu 10 --out growth",
        "mean --mu 10 --out mean",
    ] {
        let line = format!(
            "surface {line} --prepared people.npy --template t.ply --harmonics 60 --radius 4 --seed 3"
        );
        let (code, _, stderr) = visard(dir, &line);
        assert_eq!(code, Some(0), "{line}: {stderr}");
    }
    near
}

fn assess(dir: &Path, words: &str) -> Value {
    let line = format!("surface assess {words} --template t.ply --json");
    let (code, stdout, stderr) = visard(dir, &line);
    assert_eq!(code, Some(0), "{line}: {stderr}{stdout}");
    serde_json::from_str(&stdout).unwrap()
}

/// 200 people, fixed seed: the mean percentile has a standard error of 2.
fn people_are_usual(dir: &Path) {
    let norm = SurfaceNorm::open(&dir.join("study"), &dir.join("t.ply")).unwrap();
    let mesh = bean();
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let percentile = |_| {
        let found = norm.assess(&somebody(&mesh, &mut rng), &[]).unwrap();
        found.compared.percentile.unwrap()
    };
    let mean = (0..200).map(percentile).sum::<f64>() / 200.0;
    assert!((40.0..60.0).contains(&mean), "{mean}");
}

#[test]
fn a_surface_is_held_against_a_norm() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let near = study(dir);
    people_are_usual(dir);
    let usual = assess(dir, "--prepared usual.npy --norm study --out usual");
    let bumped = assess(dir, "--prepared bumped.npy --norm study --out bumped");
    assert!(bumped["beyond"]["ratio"].as_f64() > usual["beyond"]["ratio"].as_f64(), "{bumped}");
    // The bump is where z-values are largest.
    let map = fs::read_to_string(dir.join("bumped/internal/map.csv")).unwrap();
    let mut lines = map.lines().filter(|line| !line.starts_with('#'));
    let column = lines.next().unwrap().split(',').position(|name| name == "z_value").unwrap();
    let z: Vec<f64> = lines.map(|line| line.split(',').nth(column).unwrap().parse().unwrap()).collect();
    let largest = (0..z.len()).max_by(|a, b| z[*a].total_cmp(&z[*b])).unwrap();
    assert!(z.len() == 258 && near.contains(&largest) && z[largest] > 3.0, "{largest}: {}", z[largest]);
    // The same surface as a scan: its size and pose are taken out, which those of the norm's records were not.
    let scan = assess(dir, "scan.ply --norm study --out scan");
    let [a, b] = [&usual, &scan].map(|said| said["deviation_rms"].as_f64().unwrap());
    assert!(b < 3.0 * a, "{a} {b}");
    for file in ["report.html", "map.ply", "map.csv", "assessment.json"] {
        assert!(dir.join("scan/internal").join(file).is_file(), "{file}");
    }
    let at = assess(dir, "--prepared usual.npy --norm growth --at age=40 --out at");
    assert_eq!(at["verified"], true);
    assert!(npy::read(&dir.join("growth/release/modes.npy")).unwrap().shape[1..] == [258, 3]);
}

#[test]
fn what_is_no_patient_of_a_norm_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    study(dir);
    for (line, word) in [
        ("--prepared usual.npy --norm mean --template t.ply --out p", "has no modes"),
        ("--prepared usual.npy --norm study --template other.ply --out p", "another template"),
        ("--prepared people.npy --norm study --template t.ply --out p", "an array (1, 258, 3)"),
        ("--prepared usual.npy --norm study --template t.ply --out study", "choose another --out"),
        ("--prepared usual.npy --norm study --template t.ply --at age=3 --out p", "no covariates"),
        ("--prepared usual.npy --norm growth --template t.ply --out p", "depends on age"),
        ("--prepared usual.npy --norm growth --template t.ply --at age=90 --out p", "age"),
        ("ages.csv --norm study --template t.ply --out p", "ages.csv"),
    ] {
        let (code, stdout, stderr) = visard(dir, &format!("surface assess {line}"));
        assert!(code == Some(1) && stdout.is_empty() && stderr.contains(word), "{line}: {stderr}");
        assert!(!dir.join("p").exists(), "{line}");
    }
}
