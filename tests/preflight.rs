//! What is said before anything is read or charged: dry runs, and budgets that protect nobody.

use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::path::Path;

fn visard(dir: &Path, words: &str) -> (Option<i32>, String, String) {
    let out = Command::cargo_bin("visard").unwrap().current_dir(dir).args(words.split(' ')).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (out.status.code(), text(&out.stdout), text(&out.stderr))
}

/// Records that are no directions: whoever looks at one stops.
fn place() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("records.csv"), format!("x,y,z\n{}", "7,nobody,looks\n".repeat(60))).unwrap();
    fs::write(dir.path().join("centre.csv"), "x,y,z\n1,0,0\n").unwrap();
    fs::create_dir(dir.path().join("scans")).unwrap();
    for i in 0..5 {
        fs::write(dir.path().join(format!("scans/{i}.ply")), "not a scan").unwrap();
    }
    let matrices: Vec<f64> = (0..50).flat_map(|_| [f64::NAN; 4]).collect();
    visard::io::write_npy(&dir.path().join("m.npy"), &[50, 2, 2], &matrices).unwrap();
    dir
}

const SPHERE: &str = "sphere mean records.csv --center centre.csv --radius 0.5 --out study";

#[test]
fn a_dry_run_tells_the_price_and_reads_nobody() {
    let dir = place();
    for (line, mechanism, n) in [
        (format!("{SPHERE} --mu 1"), "Gaussian in the tangent space at the ball's centre", 60),
        (format!("{SPHERE} --epsilon 1"), "Laplace in the tangent space at the ball's centre", 60),
        ("spd mean m.npy --radius 1 --mu 1 --out study".into(), "Gaussian in the tangent space", 50),
        ("face mean scans --mu 1 --out study".into(), "", 5),
    ] {
        let (code, stdout, stderr) = visard(dir.path(), &format!("{line} --dry-run --json"));
        assert_eq!(code, Some(0), "{line}: {stderr}");
        let said: Value = serde_json::from_str(&stdout).unwrap();
        assert_eq!((&said["dry_run"], &said["n"]), (&true.into(), &n.into()), "{said}");
        assert!(said["mechanism"].as_str().unwrap().starts_with(mechanism), "{said}");
        assert!(
            said["noise_scale"].as_f64().unwrap() > 0.0 && said["sensitivity"]["bound"].is_f64(),
            "{said}"
        );
        assert_eq!(said["loss"], said["ledger_total_after"]);
        let (code, text, _) = visard(dir.path(), &format!("{line} --dry-run"));
        assert!(code == Some(0) && text.contains("no record was read"), "{text}");
        assert!(!dir.path().join("study").exists(), "{line}");
        // Without it the same study stops at the first record.
        assert_eq!(visard(dir.path(), &line).0, Some(1), "{line}");
    }
}

#[test]
fn budgets_that_protect_nobody_have_to_be_asked_for_by_name() {
    let dir = place();
    let records: String =
        (0..60).map(|i| f64::from(i).sin() * 0.4).map(|t| format!("{},{},0\n", t.cos(), t.sin())).collect();
    fs::write(dir.path().join("records.csv"), format!("x,y,z\n{records}")).unwrap();
    for budget in ["--mu 21", "--epsilon 54", "--epsilon 1 --delta 0.02"] {
        let (code, _, stderr) = visard(dir.path(), &format!("{SPHERE} {budget}"));
        assert!(code == Some(1) && stderr.contains("--vacuous-budget"), "{budget}: {stderr}");
        assert!(!dir.path().join("study").exists());
        let (code, _, stderr) = visard(dir.path(), &format!("{SPHERE} {budget} --vacuous-budget"));
        assert_eq!(code, Some(0), "{budget}: {stderr}");
        let text = fs::read_to_string(dir.path().join("study/release/certificate.json")).unwrap();
        assert!(text.contains("vacuous: "), "{budget}: {text}");
        let page = fs::read_to_string(dir.path().join("study/release/report.html")).unwrap();
        assert!(page.contains("vacuous: "), "{budget}");
        fs::remove_dir_all(dir.path().join("study")).unwrap();
    }
    // Out of all scale: refused by the arithmetic, before anything is charged.
    for budget in ["--mu 1e308", "--mu 1e-300", "--epsilon 1e308"] {
        let (code, _, stderr) = visard(dir.path(), &format!("{SPHERE} {budget} --vacuous-budget"));
        assert!(matches!(code, Some(1 | 2)), "{budget}: {stderr}");
        assert!(!dir.path().join("study").exists(), "{budget}");
    }
}
