//! The command as a user runs it: the whole face job, what it writes, what it refuses and how it says so.

use assert_cmd::Command;
use std::fs;
use std::path::Path;

fn visard() -> Command {
    Command::cargo_bin("visard").expect("the command is built with the tests")
}

fn stderr_of(args: &[&str]) -> (Option<i32>, String) {
    let out = visard().args(args).output().unwrap();
    (out.status.code(), String::from_utf8_lossy(&out.stderr).into_owned())
}

#[test]
fn demo_from_start_to_finish() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("demo");
    let out = out.to_str().unwrap();
    let run = visard().args(["demo", "--out", out, "--scans", "4", "--json"]).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let said: serde_json::Value =
        serde_json::from_slice(&run.stdout).expect("one JSON object on standard output");
    assert_eq!(said["n"], 4);
    let release = Path::new(out).join("release");
    let certificate: serde_json::Value =
        serde_json::from_slice(&fs::read(release.join("certificate.json")).unwrap()).unwrap();
    assert_eq!((&certificate["private"], &certificate["seeded"]), (&true.into(), &false.into()));
    assert_eq!(certificate["clip_radius"]["source"], "public");
    let curves = visard::io::npy::read(&release.join("curves.npy")).unwrap();
    assert_eq!(curves.shape, [23, 80, 3]);
    let mean = visard::io::read_scan(&release.join("mean.ply")).unwrap();
    assert_eq!(mean.vertices.len(), visard::synth::builtin_template().vertices().len());
    let report = fs::read_to_string(release.join("report.html")).unwrap();
    assert!(report.contains("data:image/png") && !report.contains("person-0001"));
    assert!(
        fs::read_to_string(Path::new(out).join("internal/scans.csv")).unwrap().contains("person-0001.ply")
    );

    // A finished release is not overwritten unasked, and stays whole.
    let (code, message) = stderr_of(&["demo", "--out", out, "--scans", "4"]);
    assert_eq!(code, Some(1));
    assert!(message.contains("already holds") && message.contains("--force"), "{message}");

    // Resumed with force: records are reused, the second release composes with the first in the ledger.
    let scans = format!("{out}/scans");
    fs::write(format!("{scans}/broken.xyz"), "1 2 3\n4 five 6\n").unwrap();
    let again = visard()
        .args(["face", "mean", &scans, "--mu", "4", "--out", out, "--resume", "--force"])
        .output()
        .unwrap();
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    let table = fs::read_to_string(Path::new(out).join("internal/scans.csv")).unwrap();
    assert!(table.contains("\"broken.xyz\",failed") && !table.contains("five"), "{table}");
    let certificate: serde_json::Value =
        serde_json::from_slice(&fs::read(release.join("certificate.json")).unwrap()).unwrap();
    assert_eq!(certificate["n"], 5);
    assert_eq!(
        certificate["details"]["study_total"]["mu"].as_f64().map(|m| (m * 1e6).round()),
        Some(4_123_106.0)
    );
}

#[test]
fn nonsense_budgets_are_usage_errors_and_charge_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let scans = dir.path().to_str().unwrap();
    let out = dir.path().join("study");
    for budget in [
        vec!["--mu", "-1"],
        vec!["--mu", "0"],
        vec!["--mu", "nan"],
        vec!["--epsilon", "1", "--delta", "1"],
        vec!["--epsilon", "1", "--mu", "1"],
        vec!["--delta", "1e-6"],
        vec![],
        vec!["--mu", "1", "--clip-radius", "0"],
    ] {
        let mut args = vec!["face", "mean", scans, "--out", out.to_str().unwrap()];
        args.extend(&budget);
        let (code, message) = stderr_of(&args);
        assert_eq!(code, Some(2), "{budget:?}: {message}");
        assert!(message.starts_with("error: "), "{message}");
        assert!(!out.exists());
    }
}

#[test]
fn bad_scans_get_one_clear_line() {
    let dir = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| {
        let path = dir.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let line: String = (0..50).map(|i| format!("{i} {i} {i}\n")).collect();
    let cases = [
        put("two.xyz", "0 0 0\n1 1 1\n"),
        put("line.xyz", &line),
        put("nan.xyz", "0 0 0\n1 nan 1\n0 1 0\n1 1 0\n"),
        put("empty.ply", ""),
        put(
            "huge.ply",
            "ply\nformat binary_little_endian 1.0\nelement vertex 2000000000\nproperty float x\nproperty float y\nproperty float z\nend_header\nabc",
        ),
    ];
    for scan in &cases {
        let out = dir.path().join("out");
        let (code, message) = stderr_of(&["face", "register", scan, "--out", out.to_str().unwrap()]);
        assert_eq!(code, Some(1), "{scan}: {message}");
        assert!(!message.contains("panicked"), "{message}");
        assert!(
            message.lines().next().is_some_and(|l| l.starts_with("error: ") && l.len() < 400),
            "{message}"
        );
        fs::remove_dir_all(&out).ok();
    }
    fs::create_dir(dir.path().join("folder.ply")).unwrap();
    let empty = dir.path().join("folder.ply");
    let out = dir.path().join("o");
    let (code, message) =
        stderr_of(&["face", "mean", empty.to_str().unwrap(), "--mu", "1", "--out", out.to_str().unwrap()]);
    assert_eq!(code, Some(1), "{message}");
    assert!(message.contains("folder.ply"), "{message}");
}

#[test]
fn flatten_writes_a_disk_map() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("flat");
    let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/template_face.ply");
    visard().arg("face").arg("flatten").arg(&template).arg("--out").arg(&out).assert().success();
    let map = visard::io::npy::read(&out.join("disk_map.npy")).unwrap();
    assert_eq!(map.shape, [visard::synth::builtin_template().vertices().len(), 2]);
    assert!(map.data.chunks(2).all(|z| z[0] * z[0] + z[1] * z[1] < 1.0 + 1e-12));
    let quality: serde_json::Value =
        serde_json::from_slice(&fs::read(out.join("quality.json")).unwrap()).unwrap();
    assert_eq!(quality["flipped_triangles"], 0);
    assert!(quality["angle_distortion_deg"]["mean"].as_f64().unwrap() < 1.5);
}

/// A 6 × 6 grid with the middle square taken out.
#[test]
fn flatten_names_what_is_no_disk_and_repairs_when_told() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("holed.obj");
    let mut text = String::new();
    (0..36).for_each(|i| text.push_str(&format!("v {} {} {}\n", i % 6, i / 6, 0.1 * f64::from(i % 5))));
    for (x, y) in (0..25).map(|c| (c % 5, c / 5)).filter(|&c| c != (2, 2)) {
        let v = 6 * y + x + 1;
        text.push_str(&format!("f {} {} {} {}\n", v, v + 1, v + 7, v + 6));
    }
    fs::write(&file, text).unwrap();
    let out = dir.path().join("flat");
    let args = ["face", "flatten", file.to_str().unwrap(), "--out", out.to_str().unwrap()];
    let (code, message) = stderr_of(&args);
    assert_eq!(code, Some(1));
    assert!(message.contains("2 boundary loops (expected 1)") && message.contains("--repair"), "{message}");
    assert!(!out.exists());
    visard().args(args).arg("--repair").assert().success();
    let map = visard::io::npy::read(&out.join("disk_map.npy")).unwrap();
    assert_eq!(map.shape, [36, 2]);
    // The first vertex is a corner of the border.
    assert_eq!(map.data[..2], [1.0, 0.0]);
    assert!(map.data.chunks(2).all(|z| z[0] * z[0] + z[1] * z[1] < 1.0 + 1e-12));
}

#[test]
fn privacy_arithmetic_from_the_command_line() {
    let out = visard().args(["privacy", "compose", "--mu", "3", "--mu", "4", "--json"]).output().unwrap();
    let said: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert!((said["mu"].as_f64().unwrap() - 5.0).abs() < 1e-9);
    // Mixed kinds and counts: twenty-five of 0.2 are one of 1, and three pure ones add up; both together have no unit of their own.
    let compose = |words: &str| -> serde_json::Value {
        let out = visard().args(["privacy", "compose", "--json"]).args(words.split(' ')).output().unwrap();
        assert!(out.status.success(), "{words}: {}", String::from_utf8_lossy(&out.stderr));
        serde_json::from_slice(&out.stdout).unwrap()
    };
    assert!((compose("--mu 0.2x25")["mu"].as_f64().unwrap() - 1.0).abs() < 1e-9);
    assert!((compose("--epsilon 0.5x3")["epsilon"].as_f64().unwrap() - 1.5).abs() < 1e-9);
    let mixed = compose("--mu 1 --epsilon 0.5 --epsilon-delta 0.5,1e-7 --delta 1e-6");
    let epsilon = mixed["epsilon_at_delta"][0]["epsilon"].as_f64().unwrap();
    // Above what μ = 1 alone costs at this δ (4.886), below the sum of the three.
    assert!(epsilon > 4.886 && epsilon < 4.886 + 1.0 + 0.1, "{mixed}");
    for bad in ["--mu 1x0", "--mu x", "--epsilon-delta 1", "--delta 1e-6"] {
        let words: Vec<&str> = ["privacy", "compose"].into_iter().chain(bad.split(' ')).collect();
        assert_eq!(stderr_of(&words).0, Some(2), "{bad}");
    }
    let (code, _) = stderr_of(&["privacy", "convert", "--mu", "1"]);
    assert_eq!(code, Some(2));
}
