//! `export`: how a release changes goes along, in the unit and the sign of its mean.

use crate::command_line::visard;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use visard::io::{npy, read_landmarks, write_npy};
use visard::mesh::Vector;
use visard::study::face::TemplateSource;
use visard::study::face::regress::RegressionRelease;
use visard::study::subject::{LengthUnit, Subject};
use visard::study::variation::Variation;
use visard::synth::FaceParameters;

fn run(folder: &Path, words: &str) -> (Value, String) {
    let (code, stdout, stderr) = visard(folder, &format!("{words} --json"));
    assert_eq!(code, Some(0), "{words}: {stderr}");
    (serde_json::from_str(&stdout).unwrap(), stderr)
}

/// Triangles in the plane whose third corner moves up and down.
fn shapes(folder: &Path) {
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(3);
    let shape = |_| {
        let mut noise = || rng.random_range(-0.01..0.01);
        [[0.0, 0.0], [1.0, 0.1], [0.4, 1.0 + 30.0 * noise()], [0.1, 0.5]].map(|p| p.map(|x| x + noise()))
    };
    let all: Vec<f64> = (0..400).map(shape).flat_map(|s| s.into_iter().flatten()).collect();
    write_npy(&folder.join("shapes.npy"), &[400, 4, 2], &all).unwrap();
}

#[test]
fn landmarks_and_their_modes_go_to_other_programs() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    shapes(dir.path());
    run(dir.path(), "shape modes shapes.npy --mu 5 --modes 2 --seed 1 --out study");
    let (subject, d) = Subject::landmarks(&at("study")).unwrap().unwrap();
    assert_eq!((subject.mesh.vertices().len(), d, subject.unit), (4, 2, LengthUnit::CentroidSize));
    let found = Variation::of(&at("study"), &subject, &TemplateSource::Builtin);
    let modes = npy::read(&at("study/release/modes.npy")).unwrap();
    assert!(!found.modes.is_empty() && found.modes.len() == modes.shape[0] && found.ends.is_empty());
    let moved: Vec<f64> = found.modes.iter().flat_map(|m| m.moves.iter().flat_map(|v| [v.x, v.y])).collect();
    assert_eq!(moved, modes.data);

    let (told, notes) = run(dir.path(), "export study --out model.h5");
    assert_eq!(told["ways"][0], "mode 1");
    assert!(notes.contains("NOT PRIVATE"), "{notes}");
    let model = fs::read(at("model.h5")).unwrap();
    assert!(model.windows(9).any(|part| part == b"POINT_SET"));
    let (told, _) = run(dir.path(), "export study/release --out model.bin --format statismo");
    assert_eq!(told["unit"], "shape of centroid size 1");
    assert_eq!(model, fs::read(at("model.bin")).unwrap());
    let (told, _) = run(dir.path(), "export study --out keys.glb");
    assert_eq!(told["ways"].as_array().unwrap()[..2], [json!("mode 1 -2 sd"), json!("mode 1 +2 sd")]);
    let (_, notes) = run(dir.path(), "export study --out mean.mrk.json");
    assert!(notes.contains("no modes"), "{notes}");
    let landmarks = read_landmarks(&at("mean.mrk.json")).unwrap();
    assert!(landmarks.iter().zip(subject.mesh.vertices()).all(|(l, p)| l.position == *p));

    // What was changed is left out, and said to be.
    let mut bytes = fs::read(at("study/release/modes.npy")).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(at("study/release/modes.npy"), bytes).unwrap();
    let (told, notes) = run(dir.path(), "export study --out changed.glb");
    assert_eq!(
        (told["ways"].as_array().unwrap().len(), &told["standing"]),
        (0, &json!("NOT PRIVATE - DO NOT PUBLISH"))
    );
    assert!(notes.contains("left out"), "{notes}");
    let (code, _, error) = visard(dir.path(), "export study --out changed.h5");
    assert!(code == Some(1) && error.contains("modes of variation"), "{error}");
    assert!(!at("changed.h5").exists());
    assert_eq!(visard(dir.path(), "export study --out mean.json").0, Some(2));

    // A private release that was changed is internal; the note names the file.
    run(dir.path(), "shape modes shapes.npy --mu 5 --modes 2 --out private");
    let (told, _) = run(dir.path(), "export private --out kept.h5");
    assert_eq!(told["standing"], json!("may be published"));
    fs::remove_file(at("private/release/modes.npy")).unwrap();
    let (told, notes) = run(dir.path(), "export private --out changed.vtp");
    assert_eq!(
        (told["ways"].as_array().unwrap().len(), &told["standing"]),
        (0, &json!("INTERNAL - DO NOT PUBLISH"))
    );
    assert!(notes.contains("modes.npy"), "{notes}");
}

#[test]
fn covariates_of_faces_lead_to_their_bounds() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let template = visard::study::face::load_template(&TemplateSource::Builtin).unwrap().template;
    let (mean, mut rng) = (FaceParameters::elsewhere(), rand_chacha::ChaCha8Rng::seed_from_u64(8));
    let (n, mut all, mut table) = (200, Vec::new(), "record,age,sex\n".to_owned());
    for i in 0..n {
        let face = FaceParameters::sample_about(&mean, &mut rng).vertices();
        let age = 20 + i * 7 % 41;
        let curves = template.curves_of(&face, 8, 16).unwrap();
        let grown = 0.02 * (age as f64 - 40.0) / 20.0;
        all.extend(curves.data().chunks_exact(3).flat_map(|p| [p[0], p[1] * (1.0 + grown), p[2]]));
        table.push_str(&format!("{i},{age},{}\n", if i % 2 == 0 { "F" } else { "M" }));
    }
    write_npy(&at("faces.npy"), &[n, 8, 16, 3], &all).unwrap();
    fs::write(at("ages.csv"), table).unwrap();
    run(
        dir.path(),
        "face regress --prepared faces.npy --covariates ages.csv --bounds age=20:60 --levels sex=F|M --curves 8 --samples 16 --mu 5 \
         --seed 1 --out study",
    );
    let subject = Subject::load(&at("study")).unwrap();
    let found = Variation::of(&at("study"), &subject, &TemplateSource::Builtin);
    let names: Vec<&str> = found.ends.iter().map(|end| end.name.as_str()).collect();
    assert_eq!(names, ["age=20", "age=60", "sex=F", "sex=M"], "{:?}", found.passed_over);
    let release = RegressionRelease::open(&at("study"), &TemplateSource::Builtin).unwrap();
    let reference = release.at(&[None, None]).unwrap().mesh;
    let old = release.at(&[Some(60.0), None]).unwrap().mesh;
    let unit = subject.length_of_one();
    for ((moved, p), q) in found.ends[1].moves.iter().zip(reference.vertices()).zip(old.vertices()) {
        let expected: Vector = unit * (q - p);
        assert!((moved - expected).norm() < 1e-9 * unit, "{moved} {expected}");
    }
    let (told, _) = run(dir.path(), "export study --out face.glb");
    assert_eq!(told["ways"], json!(names));
}
