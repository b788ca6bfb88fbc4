//! The command, and small populations.

use assert_cmd::Command;
use std::fs;
use std::path::Path;

/// Exit code, standard output, standard error of `visard` with these words as arguments.
pub fn visard(line: &str) -> (Option<i32>, String, String) {
    let out = Command::cargo_bin("visard").unwrap().args(line.split_whitespace()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (out.status.code(), text(&out.stdout), text(&out.stderr))
}

/// As [`visard`], for what must succeed; standard output.
pub fn succeeds(line: &str) -> String {
    let (code, stdout, stderr) = visard(line);
    assert_eq!(code, Some(0), "{line}: {stderr}");
    stdout
}

/// The certificate of a study.
pub fn certificate(study: &str) -> serde_json::Value {
    let file = Path::new(study).join("release/certificate.json");
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

/// What a command said, but for the error statement's numbers: functions of the noised values.
pub fn without_accuracy(said: &str) -> serde_json::Value {
    let mut said: serde_json::Value = serde_json::from_str(said).unwrap();
    mask(&mut said["accuracy"]);
    said
}

fn mask(accuracy: &mut serde_json::Value) {
    for number in accuracy.as_object_mut().into_iter().flat_map(|accuracy| accuracy.values_mut()) {
        *number = number.is_number().into();
    }
}

/// The certificate without what belongs to the run, the line of the ledger and the sums of the released files, and without the numbers of
/// its error statement.
pub fn without_run(mut certificate: serde_json::Value) -> serde_json::Value {
    certificate["ledger"] = serde_json::Value::Null;
    mask(&mut certificate["details"]["accuracy"]);
    for file in certificate["files"].as_array_mut().unwrap() {
        file["sha256"] = serde_json::Value::Null;
    }
    certificate
}

/// A number between 0 and 1 that looks like no other: no two people are copies.
pub fn unlike(i: usize) -> f64 {
    ((i as f64 * 12.9898).sin() * 43_758.545_3).fract().abs()
}

/// `n` wobbling ellipses of 12 landmarks, rotated and scaled, and one without wobble as `centre.tps`.
pub fn write_shapes(folder: &Path, n: usize) -> (String, String) {
    let shape = |i: usize, wobble: f64| {
        let (turn, size) = (0.3 * i as f64, 1.0 + 0.1 * (i % 5) as f64);
        (0..12)
            .map(|j| {
                let t = std::f64::consts::TAU * j as f64 / 12.0;
                let r = 1.0 + wobble * unlike(12 * i + j);
                let (x, y) = (2.0 * r * t.cos(), r * t.sin());
                format!(
                    "{} {}\n",
                    size * (x * turn.cos() - y * turn.sin()),
                    size * (x * turn.sin() + y * turn.cos())
                )
            })
            .collect::<String>()
    };
    let table: String = (0..n).map(|i| format!("LM=12\n{}ID=s{i}\n", shape(i, 0.1))).collect();
    let (file, centre) = (folder.join("shapes.tps"), folder.join("centre.tps"));
    fs::write(&file, table).unwrap();
    fs::write(&centre, format!("LM=12\n{}ID=centre\n", shape(0, 0.0))).unwrap();
    (file.display().to_string(), centre.display().to_string())
}
