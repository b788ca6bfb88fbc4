//! Studies of every kind on neighbours: another record, a broken one, other names, another number of scans of one person.

use super::folders::{Rules, Run, leaks};
use crate::command_line::visard;
use nalgebra::DVector;
use std::fs;
use std::path::Path;
use visard::io::{write_npy, write_ply};
use visard::manifold::{Manifold, PoincareBall, SpdLogEuclidean, Sphere};
use visard::mesh::TriMesh;
use visard::synth::{ScanConditions, person};

/// Runs a study in `side`, where its records are.
pub fn run(dir: &Path, side: &str, line: &str) -> Run {
    let place = dir.join(side);
    let (code, stdout, stderr) = visard(&place, &format!("{line} --json --out study"));
    assert_eq!(code, Some(0), "{side}: {line}: {stderr}");
    Run { folder: place.join("study"), stdout }
}

/// Runs a study on records as they are and on each neighbour, and expects nothing to be told.
fn audit(line: &str, rules: &Rules<'_>, sides: &[&dyn Fn(&Path)]) {
    let dir = tempfile::tempdir().unwrap();
    let mut runs = Vec::new();
    for (i, write) in sides.iter().enumerate() {
        let side = format!("side{i}");
        fs::create_dir(dir.path().join(&side)).unwrap();
        write(&dir.path().join(&side));
        runs.push(run(dir.path(), &side, line));
    }
    for far in &runs[1..] {
        assert_eq!(leaks(&runs[0], far, rules), Vec::<String>::new(), "{line}");
    }
}

/// Points of the plane near the origin.
pub fn plane(n: usize) -> Vec<[f64; 2]> {
    (0..n).map(|i| [0.2 * (i as f64).sin(), 0.2 * (1.7 * i as f64).cos()]).collect()
}

/// A table with names, its last row as given.
pub fn write_table(dir: &Path, n: usize, last: &str) {
    let row = |(i, p): (usize, &[f64; 2])| format!("somebody{i},{},{}\n", p[0], p[1]);
    let rows: String = plane(n - 1).iter().enumerate().map(row).collect();
    fs::write(dir.join("r.csv"), format!("name,x,y\n{rows}{last}\n")).unwrap();
}

/// What `hyperbolic mean` publishes about the origin for noised coordinates.
pub fn poincare(noised: &[f64]) -> Vec<f64> {
    let (space, origin) = (PoincareBall::new(2).unwrap(), DVector::zeros(2));
    space.exp(&origin, &space.from_coordinates(&origin, noised)).as_slice().to_vec()
}

#[test]
fn tables_of_points() {
    let sides: [&dyn Fn(&Path); 4] = [
        &|dir| write_table(dir, 80, "somebody79,0.1,0.1"),
        &|dir| write_table(dir, 80, "zacharias,0.9,-0.3"),
        &|dir| write_table(dir, 80, "somebody79,NA,0.1"),
        &|dir| write_table(dir, 80, "5"),
    ];
    let rules = Rules {
        secrets: &["somebody", "zacharias"],
        pictures: true,
        point: Some(&poincare),
        ..Rules::default()
    };
    for mechanism in
        ["tangent-gaussian --mu 2", "tangent-laplace --epsilon 2", "tangent-gaussian --mu 2 --draws 3"]
    {
        audit(&format!("hyperbolic mean r.csv --radius 1 --mechanism {mechanism}"), &rules, &sides);
    }
    // These draw about a private point, and on a grid of other coordinates.
    let rules = Rules { secrets: &["somebody", "zacharias"], pictures: true, ..Rules::default() };
    for mechanism in ["laplace --epsilon 2", "kng --epsilon 2", "riemannian-gaussian --mu 2"] {
        audit(&format!("hyperbolic mean r.csv --radius 1 --mechanism {mechanism}"), &rules, &sides);
    }
    let private = "hyperbolic mean r.csv --center private --first-radius 1.5 --radius 1 --mu 2";
    audit(private, &rules, &sides);
}

/// One person with one record, with three, and with none that can be used.
#[test]
fn people_with_any_number_of_records() {
    let people = |dir: &Path, of: usize, bad: bool| {
        let mut rows = plane(79 + of);
        (79..79 + of).filter(|_| bad).for_each(|i| rows[i] = [7.0, 7.0]);
        write_npy(&dir.join("r.npy"), &[rows.len(), 2], rows.as_flattened()).unwrap();
        let line = |i: usize| format!("{i},person{}\n", i.min(79));
        fs::write(
            dir.join("people.csv"),
            format!("record,person\n{}", (0..79 + of).map(line).collect::<String>()),
        )
        .unwrap();
    };
    let sides: [&dyn Fn(&Path); 3] =
        [&|dir| people(dir, 1, false), &|dir| people(dir, 3, false), &|dir| people(dir, 2, true)];
    let rules = Rules { secrets: &["person79", "people.csv"], pictures: true, ..Rules::default() };
    let line = "hyperbolic mean r.npy --radius 1 --mu 2 --people people.csv";
    audit(line, &Rules { point: Some(&poincare), ..rules }, &sides);
    let line = "optimize frechet-mean r.npy --space poincare --method rgd --clip-radius 1 --mu 2 --people people.csv";
    let rules = Rules { secrets: &["person79", "people.csv"], pictures: true, ..Rules::default() };
    audit(line, &rules, &sides);
}

#[test]
fn arrays_of_directions() {
    let write = |dir: &Path, last: [f64; 3]| {
        let up = |p: &[f64; 2]| [p[0], p[1], (1.0 - p[0] * p[0] - p[1] * p[1]).sqrt()];
        let mut rows: Vec<[f64; 3]> = plane(80).iter().map(up).collect();
        rows[79] = last;
        write_npy(&dir.join("r.npy"), &[80, 3], rows.as_flattened()).unwrap();
        fs::write(dir.join("c.csv"), "x,y,z\n0,0,1\n").unwrap();
    };
    let sphere = |noised: &[f64]| {
        let (space, pole) = (Sphere::unit(2).unwrap(), DVector::from_vec(vec![0.0, 0.0, 1.0]));
        space.exp(&pole, &space.from_coordinates(&pole, noised)).as_slice().to_vec()
    };
    let sides: [&dyn Fn(&Path); 3] =
        [&|dir| write(dir, [0.0, 0.6, 0.8]), &|dir| write(dir, [0.0, 0.0, -1.0]), &|dir| {
            write(dir, [f64::NAN; 3])
        }];
    let rules = Rules { point: Some(&sphere), pictures: true, ..Rules::default() };
    audit("sphere mean r.npy --center c.csv --radius 0.5 --mu 2", &rules, &sides);
    let rules = Rules { pictures: true, ..Rules::default() };
    for method in ["rgd", "rsgd --steps 30", "rsvrg --batch 20"] {
        let line =
            format!("optimize eigenvector r.npy --method {method} --clip-radius 1 --epsilon 1 --delta 1e-5");
        audit(&line, &rules, &sides);
    }
}

#[test]
fn matrices() {
    let write = |dir: &Path, last: [f64; 4]| {
        let mut all: Vec<[f64; 4]> = plane(80).iter().map(|p| [1.0 + p[0], 0.1, 0.1, 1.0 + p[1]]).collect();
        all[79] = last;
        write_npy(&dir.join("m.npy"), &[80, 2, 2], all.as_flattened()).unwrap();
    };
    let log = SpdLogEuclidean::new(2).unwrap();
    let mean = move |noised: &[f64]| {
        let m = log.from_chart(&DVector::from_row_slice(noised));
        let middle = 0.5 * (m[(0, 1)] + m[(1, 0)]);
        vec![m[(0, 0)], middle, middle, m[(1, 1)]]
    };
    let sides: [&dyn Fn(&Path); 3] =
        [&|dir| write(dir, [1.0, 0.0, 0.0, 1.0]), &|dir| write(dir, [900.0, 0.0, 0.0, 1e-3]), &|dir| {
            write(dir, [1.0, 2.0, 2.0, 1.0])
        }];
    let line = "spd mean m.npy --radius 1 --mu 2";
    let rules = Rules { point: Some(&mean), pictures: true, ..Rules::default() };
    audit(&format!("{line} --mechanism tangent-gaussian"), &rules, &sides);
    let rules = Rules { pictures: true, ..Rules::default() };
    // Few records at this budget: the radius of two rounds is public.
    audit("spd mean m.npy --radius 1 --mu 0.6", &rules, &sides);
    audit(&format!("{line} --metric affine-invariant"), &rules, &sides);
    audit(&format!("{line} --mechanism extrinsic"), &rules, &sides);
}

#[test]
fn functions() {
    let write = |dir: &Path, last: f64| {
        let wave = |i: usize, l: usize| (0.5 * l as f64).sin() + 0.1 * ((7 * i * i + 3) as f64).sin();
        let mut all: Vec<f64> = (0..80).flat_map(|i| (0..16).map(move |l| wave(i, l))).collect();
        all[79 * 16..].iter_mut().for_each(|x| *x *= last);
        write_npy(&dir.join("f.npy"), &[80, 16], &all).unwrap();
    };
    let sides: [&dyn Fn(&Path); 3] =
        [&|dir| write(dir, 1.0), &|dir| write(dir, -1e9), &|dir| write(dir, f64::NAN)];
    let sentences = &[("How exact it is", "What this guarantees")];
    let outcomes = &[("The mean function lies", "What this guarantees")];
    let rules = Rules { pictures: true, sentences, outcomes, ..Rules::default() };
    audit("function mean f.npy --domain interval --bound 2 --mu 1", &rules, &sides);
}

#[test]
fn shapes() {
    let corner = |i: usize, j: usize| {
        let (x, y) = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (0.0, 1.0), (1.0, 1.5)][j];
        format!("{} {}\n", x + 0.02 * ((3 * i + 7 * j) as f64).sin(), y + 0.02 * ((5 * i + j) as f64).cos())
    };
    let shape = |i: usize, name: &str| {
        format!("LM=5\n{}ID={name}\n", (0..5).map(|j| corner(i, j)).collect::<String>())
    };
    let write = |dir: &Path, first: &str| {
        let others: String = (1..80).map(|i| shape(i, &format!("somebody{i}"))).collect();
        fs::write(dir.join("t.tps"), format!("{first}{others}")).unwrap();
        fs::write(dir.join("c.tps"), shape(0, "atlas")).unwrap();
    };
    let sides: [&dyn Fn(&Path); 4] = [
        &|dir| write(dir, &shape(900, "somebody0")),
        &|dir| write(dir, "LM=5\n0 0\n9 0\n0 9\n3 3\n4 1\nID=zacharias\n"),
        &|dir| write(dir, "LM=5\n0 0\nNA NA\n0 9\n3 3\n4 1\nID=somebody0\n"),
        &|dir| write(dir, "LM=3\n0 0\n1 0\n0 9\nID=somebody0\n"),
    ];
    // How much a deformation is enlarged.
    let outcomes = &[("thin-plate spline", "Noise is part of what is seen.")];
    let rules = Rules { outcomes, secrets: &["somebody", "zacharias"], pictures: true, ..Rules::default() };
    for centre in ["--center c.tps", "--center private --landmarks 5"] {
        for more in ["--smooth local-linear", "--draws 2"] {
            let line = format!("shape mean t.tps --radius 0.2 --mu 3 --drop-missing {centre} {more}");
            audit(&line, &rules, &sides);
        }
    }
}

#[test]
fn faces() {
    let cloud = |dir: &Path, name: &str, index: usize| {
        fs::create_dir_all(dir.join("scans")).unwrap();
        let cloud = TriMesh::new(person(7, index, &ScanConditions::demo()).points, Vec::new()).unwrap();
        write_ply(&dir.join("scans").join(name), &cloud).unwrap();
    };
    let others = |dir: &Path| (0..2).for_each(|i| cloud(dir, &format!("somebody{i}.ply"), i));
    let sides: [&dyn Fn(&Path); 3] = [
        &|dir| {
            others(dir);
            cloud(dir, "somebody2.ply", 2);
        },
        &|dir| {
            others(dir);
            cloud(dir, "zacharias.ply", 9);
        },
        &|dir| {
            others(dir);
            fs::write(dir.join("scans/somebody2.xyz"), "1 2 none\n").unwrap();
        },
    ];
    let sentences = &[("How exact it is", "A face is represented by closed curves")];
    let rules = Rules { secrets: &["somebody", "zacharias"], pictures: true, sentences, ..Rules::default() };
    audit("face mean scans --mu 2 --curves 6 --samples 16", &rules, &sides);
    audit("face mean scans --mu 2 --size --curves 6 --samples 16", &rules, &sides);
}

/// Two groups of two scans; neighbours replace a scan of the second.
#[test]
fn groups_of_faces() {
    let cloud = |dir: &Path, name: &str, index: usize| {
        fs::create_dir_all(dir.join("scans")).unwrap();
        let cloud = TriMesh::new(person(7, index, &ScanConditions::demo()).points, Vec::new()).unwrap();
        write_ply(&dir.join("scans").join(name), &cloud).unwrap();
    };
    let others = |dir: &Path, last: &str| {
        (0..3).for_each(|i| cloud(dir, &format!("somebody{i}.ply"), i));
        let lines = format!("somebody0.ply,a\nsomebody1.ply,a\nsomebody2.ply,b\n{last},b\n");
        fs::write(dir.join("groups.csv"), format!("record,group\n{lines}")).unwrap();
    };
    let sides: [&dyn Fn(&Path); 3] = [
        &|dir| {
            others(dir, "somebody3.ply");
            cloud(dir, "somebody3.ply", 3);
        },
        &|dir| {
            others(dir, "zacharias.ply");
            cloud(dir, "zacharias.ply", 9);
        },
        &|dir| {
            others(dir, "somebody3.xyz");
            fs::write(dir.join("scans/somebody3.xyz"), "1 2 none\n").unwrap();
        },
    ];
    let outcomes = &[
        ("Do the groups differ?", "The full result is in test.json"),
        ("The difference of ", "where it is widest."),
    ];
    let rules = Rules { secrets: &["somebody", "zacharias"], pictures: true, outcomes, ..Rules::default() };
    audit("face compare scans --groups groups.csv --mu 1 --curves 6 --samples 16", &rules, &sides);
}
