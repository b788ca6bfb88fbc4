//! `face mean --size`: faces in millimetres.

use crate::command_line::visard;
use serde_json::Value;
use std::fs;
use std::path::Path;
use visard::io::{npy, read_scan, write_ply};
use visard::mesh::TriMesh;
use visard::surface::Template;
use visard::synth::{ScanConditions, person};

/// People 1.1 times as large as the generator makes them, in centimetres.
fn write_scans(folder: &Path, people: usize) {
    fs::create_dir_all(folder).unwrap();
    for i in 0..people {
        let points = person(5, i, &ScanConditions::demo()).points.into_iter().map(|p| p * 0.11).collect();
        write_ply(&folder.join(format!("{i:02}.ply")), &TriMesh::new(points, Vec::new()).unwrap()).unwrap();
    }
}

fn failure(dir: &Path, line: &str) -> String {
    let (code, _, stderr) = visard(dir, line);
    assert_ne!(code, Some(0), "{line}");
    stderr
}

#[test]
fn faces_with_a_size_are_in_millimetres_and_wrong_units_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    write_scans(&dir.path().join("scans"), 30);
    write_scans(&dir.path().join("few"), 5);
    let line = "face mean scans --mu 8 --seed 3 --curves 6 --samples 16 --out study --json";
    let (code, stdout, stderr) = visard(dir.path(), &format!("{line} --size --units cm"));
    assert_eq!(code, Some(0), "{stderr}");
    let said: Value = serde_json::from_str(&stdout).unwrap();
    let builtin = visard::synth::builtin_template().area().sqrt();
    let size = said["size_mm"].as_f64().unwrap();
    // The generator's people are about as large as the template.
    assert!((size / (1.1 * builtin) - 1.0).abs() < 0.05, "{size} {builtin}");
    let release = dir.path().join("study/release");
    let mesh = read_scan(&release.join("mean.ply")).unwrap();
    let mesh = TriMesh::new(mesh.vertices, mesh.triangles.unwrap()).unwrap();
    assert!((mesh.area().sqrt() / size - 1.0).abs() < 0.02, "{}", mesh.area().sqrt());
    let certificate: Value =
        serde_json::from_slice(&fs::read(release.join("certificate.json")).unwrap()).unwrap();
    let details = &certificate["details"];
    assert!(details["units"].as_str().unwrap().contains("millimetres"));
    assert_eq!(details["size"]["scans_in"], "cm");
    let accuracy = &said["accuracy"];
    assert_eq!(*accuracy, details["accuracy"]);
    let (mm, unit) = (accuracy["rms_mm"].as_f64().unwrap(), accuracy["rms"].as_f64().unwrap());
    assert!(mm > size * unit && mm < 20.0, "{mm} {unit}");
    // Curves and errors stay in the records' frame.
    let error = npy::read(&release.join("error.npy")).unwrap().data;
    assert!(error.iter().all(|e| *e < 0.5));
    let curves = npy::read(&release.join("curves.npy")).unwrap().data;
    assert!(curves.iter().all(|x| x.abs() < 2.0));
    assert!(Template::radii(6).len() == 6);
    let page = fs::read_to_string(release.join("report.html")).unwrap();
    assert!(page.contains("the mean face") && page.contains("the error of its size included"));

    // Taken for millimetres they are dolls: nothing is charged.
    let stderr = failure(dir.path(), "face mean few --mu 1 --curves 6 --samples 16 --out dolls --size");
    assert!(stderr.contains("is --units right?") && stderr.contains("5 of 5"), "{stderr}");
    assert!(!dir.path().join("dolls/release").exists());
    let ledger = fs::read_to_string(dir.path().join("dolls/visard.ledger.jsonl")).unwrap_or_default();
    assert!(!ledger.contains("charge"), "{ledger}");
    let stderr = failure(dir.path(), "face mean scans --mu 1 --out other --size --mechanism curves");
    assert!(stderr.contains("--size goes with"), "{stderr}");
    let stderr = failure(dir.path(), "face mean --prepared none.npy --mu 1 --out other --size");
    assert!(stderr.contains("none.npy") || stderr.contains("unit area"), "{stderr}");
}
