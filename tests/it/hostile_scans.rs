//! Scans that are none, files that come twice, ledgers in use: what the command says, and that it goes on.

use crate::command_line::visard;
use std::path::Path;
use std::time::Duration;
use visard::privacy::Ledger;
use visard::synth::{FaceParameters, ShapeParameter, template_to_ply};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn face(size: f64) -> Vec<u8> {
    template_to_ply(&FaceParameters::mean().with(ShapeParameter::ALL[0], size).mesh())
}

/// Points of a sphere.
fn sphere() -> String {
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let line = |i: usize| {
        let z = 1.0 - (i as f64 + 0.5) / 2500.0;
        let (r, a) = ((1.0 - z * z).sqrt(), golden * i as f64);
        format!("{} {} {}\n", 100.0 * r * a.cos(), 100.0 * r * a.sin(), 100.0 * z)
    };
    (0..5000).map(line).collect()
}

/// The row of a scan in `internal/scans.csv`.
fn row(study: &Path, scan: &str) -> String {
    let table = std::fs::read_to_string(study.join("internal/scans.csv")).unwrap();
    let found: Vec<&str> = table.lines().filter(|line| line.starts_with(&format!("\"{scan}\""))).collect();
    assert_eq!(found.len(), 1, "{scan} in\n{table}");
    found[0].to_owned()
}

/// A sphere, a stray vertex and broken files fail as themselves, and so they do when the run is resumed, where records are found by
/// what is in the files.
#[test]
fn scans_that_are_none_fail_by_their_own_names() {
    let dir = folder();
    let scans = dir.path().join("scans");
    std::fs::create_dir(&scans).unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(scans.join(name), bytes).unwrap();
    for (i, size) in [0.0, 0.5, 1.0, -0.5].into_iter().enumerate() {
        write(&format!("face{i}.ply"), &face(size));
    }
    write("ball.xyz", sphere().as_bytes());
    let stray = sphere().replacen("\n", "\n1e9 0 0\n", 1);
    write("stray.xyz", stray.as_bytes());
    for name in ["broken1.ply", "broken2.ply", "broken3.ply"] {
        write(name, b"ply\nformat ascii 1.0\n");
    }
    let words =
        "face mean scans --mu 1 --out study --curves 8 --samples 16 --seed 1 --threads 2 --allow-identical";
    let (code, _, errors) = visard(dir.path(), words);
    assert_eq!(code, Some(0), "{errors}");
    let study = dir.path().join("study");
    let check = || {
        assert!(row(&study, "ball.xyz").contains("no face could be located for certain"));
        assert!(row(&study, "stray.xyz").contains("point 1 (counting from 0) lies"));
        (1..=3).for_each(|i| assert!(row(&study, &format!("broken{i}.ply")).contains("failed,\"read: ")));
        (0..4).for_each(|i| assert!(row(&study, &format!("face{i}.ply")).contains(",ok,")));
    };
    check();
    let (code, _, errors) = visard(dir.path(), &format!("{words} --resume"));
    assert_eq!(code, Some(0), "{errors}");
    check();
}

/// What a landmark file beside a scan is used for is in the table; one on the forehead is refused.
#[test]
fn landmark_files_are_told_of_and_checked() {
    let dir = folder();
    let scans = dir.path().join("scans");
    std::fs::create_dir(&scans).unwrap();
    let mesh = FaceParameters::mean().mesh();
    let tip = mesh.vertices()[visard::synth::builtin_landmarks().nose_tip];
    let markups = |x: f64, y: f64, z: f64, system: &str| {
        format!(
            r#"{{"markups": [{{"coordinateSystem": "{system}", "controlPoints": [{{"label": "prn", "position": [{x}, {y}, {z}]}}]}}]}}"#
        )
    };
    let write = |name: &str, text: &str| std::fs::write(scans.join(name), text).unwrap();
    for name in ["lps.ply", "ras.ply", "forehead.ply", "none.ply"] {
        std::fs::write(scans.join(name), template_to_ply(&mesh)).unwrap();
    }
    write("lps.mrk.json", &markups(tip.x, tip.y, tip.z, "LPS"));
    write("ras.mrk.json", &markups(-tip.x, -tip.y, tip.z, "RAS"));
    write("forehead.mrk.json", &markups(tip.x, tip.y + 80.0, tip.z, "LPS"));
    let words =
        "face mean scans --mu 1 --out study --curves 8 --samples 16 --seed 1 --threads 2 --allow-identical";
    let (code, _, errors) = visard(dir.path(), words);
    assert_eq!(code, Some(0), "{errors}");
    let study = dir.path().join("study");
    assert!(row(&study, "lps.ply").contains(",\"landmark\","));
    assert!(row(&study, "ras.ply").contains(",\"landmark\","));
    assert!(row(&study, "none.ply").contains(",\"found\","));
    let forehead = row(&study, "forehead.ply");
    assert!(
        forehead.contains("the nose tip of its landmark file lies") && forehead.contains("failed"),
        "{forehead}"
    );
}

fn directions() -> String {
    let line = |i: usize| {
        let a = 0.1 * i as f64;
        format!("{},{},{}\n", 0.3 * a.cos(), 0.3 * a.sin(), 0.91f64.sqrt())
    };
    "x,y,z\n".to_owned() + &(0..60).map(line).collect::<String>()
}

/// A ledger that another process has open is waited for, if that is asked for.
#[test]
fn a_ledger_in_use_is_waited_for() {
    let dir = folder();
    std::fs::write(dir.path().join("a.csv"), directions()).unwrap();
    let path = dir.path().join("people.jsonl");
    let words = "sphere mean a.csv --radius 0.7 --center private --mu 1 --out study --ledger people.jsonl";
    let held = Ledger::open(&path, None).unwrap();
    let (code, _, errors) = visard(dir.path(), words);
    assert!(code == Some(1) && errors.contains("--wait 60"), "{errors}");
    let release = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(1500));
        drop(held);
    });
    let (code, _, errors) = visard(dir.path(), &format!("{words} --wait 60"));
    assert_eq!(code, Some(0), "{errors}");
    release.join().unwrap();
    // Of a folder, the certificate in it is explained.
    for path in ["study", "study/release", "study/release/certificate.json"] {
        let (code, text, errors) = visard(dir.path(), &format!("privacy explain {path}"));
        assert!(code == Some(0) && text.contains("60"), "{path}: {text}{errors}");
    }
    let (code, _, errors) = visard(dir.path(), "privacy explain .");
    assert!(code == Some(1) && errors.contains("certificate.json"), "{errors}");
}
