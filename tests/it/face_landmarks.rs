//! Landmarks carried from the template to scans, the error to expect of them, and what is measured between them.

use assert_cmd::Command;
use std::fs;
use std::path::Path;
use visard::io::{read_landmarks, write_ply};
use visard::mesh::{Point, TriMesh};
use visard::synth::{ScanConditions, builtin_landmarks, builtin_template, person};

fn visard() -> Command {
    Command::cargo_bin("visard").unwrap()
}

/// Three landmarks of the built-in template, one with a name that needs quotes.
fn template_landmarks(file: &Path) -> [usize; 3] {
    let places = builtin_landmarks();
    let chosen = [places.nose_tip, places.left_eye_outer, places.right_eye_outer];
    let rows = ["nose_tip", "\"eye, left\"", "eye_right"].iter().zip(chosen).map(|(name, i)| {
        let p = builtin_template().vertices()[i];
        format!("{name},{},{},{}\n", p.x, p.y, p.z)
    });
    fs::write(file, std::iter::once("name,x,y,z\n".to_owned()).chain(rows).collect::<String>()).unwrap();
    chosen
}

#[test]
fn landmarks_are_carried_with_their_errors_and_measured() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let scan = person(5, 1, &ScanConditions::demo());
    write_ply(&at("p1.ply"), &TriMesh::new(scan.points, Vec::new()).unwrap()).unwrap();
    let chosen = template_landmarks(&at("landmarks.csv"));
    let register = || {
        let mut command = visard();
        command.args(["face", "register"]).arg(at("p1.ply")).arg("--out").arg(at("out"));
        command.arg("--transfer").arg(at("landmarks.csv")).arg("--expected-error");
        command
    };
    let output = register().arg("--json").assert().success();
    let answer: serde_json::Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    let seconds = answer["seconds"].as_object().unwrap();
    assert!(seconds.len() == 7 && seconds["register"].as_f64().unwrap() > 0.0, "{answer}");
    let carried = read_landmarks(&at("out/p1.landmarks.csv")).unwrap();
    for (landmark, i) in carried.iter().zip(chosen) {
        let off = (landmark.position - scan.truth[i]).norm();
        assert!(off < 5.0, "{:?}: {off} mm", landmark.name);
    }
    // The text has an error above 0 for each, and so has every vertex.
    let text = fs::read_to_string(at("out/p1.landmarks.csv")).unwrap();
    let errors = text.lines().skip(1).map(|l| l.rsplit(',').next().unwrap().parse::<f64>().unwrap());
    assert!(errors.clone().count() == 3 && errors.clone().all(|e| e > 0.05 && e < 10.0), "{text}");
    let mesh = fs::read(at("out/p1.registered.ply")).unwrap();
    assert!(mesh.windows(29).any(|w| w == b"property float expected_error"));
    assert!(fs::read_to_string(at("out/expected_error.csv")).unwrap().lines().count() == 2);
    // Nothing is written over.
    register().assert().failure();
    let measure = |what: &str| {
        let mut command = visard();
        command.args(["face", "measure"]).arg(at("out")).args(["--measure", what, "--out"]);
        command.arg(at("measures.csv")).arg("--force");
        command
    };
    measure("eye, left:eye_right").assert().success();
    let table = fs::read_to_string(at("measures.csv")).unwrap();
    let value: f64 = table.lines().nth(1).unwrap().rsplit(',').next().unwrap().parse().unwrap();
    let truth = (scan.truth[chosen[1]] - scan.truth[chosen[2]]).norm();
    assert!((value - truth).abs() < 6.0, "{value} for {truth}");
    // What is not there is named; the face keeps an empty line, and the command fails.
    let output = measure("eye_right:tragus").assert().code(1);
    let message = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    assert!(message.contains("tragus") && message.contains("nose_tip"), "{message}");
    assert!(fs::read_to_string(at("measures.csv")).unwrap().contains("p1.landmarks.csv,\n"));
    measure("eye_right").assert().code(2);
}

#[test]
fn landmarks_in_other_coordinates_are_refused_before_anything_is_registered() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let scan = vec![Point::new(0.0, 0.0, 0.0), Point::new(1.0, 0.0, 0.0), Point::new(0.0, 1.0, 0.0)];
    write_ply(&at("p1.ply"), &TriMesh::new(scan, Vec::new()).unwrap()).unwrap();
    fs::write(at("landmarks.csv"), "name,x,y,z\nnose_tip,900,900,900\n").unwrap();
    let mut command = visard();
    command.args(["face", "register"]).arg(at("p1.ply")).arg("--out").arg(at("out"));
    let output = command.arg("--transfer").arg(at("landmarks.csv")).assert().code(1);
    let message = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    assert!(message.contains("nose_tip") && message.contains("landmarks.csv"), "{message}");
    assert!(!at("out").exists());
}
