//! What is said before anything is read or charged: dry runs, and budgets that protect nobody.

use crate::command_line::visard;
use serde_json::Value;
use std::fs;

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
        (
            "spd mean m.npy --radius 1 --mechanism tangent-gaussian --mu 1 --out study".into(),
            "Gaussian in the tangent space",
            50,
        ),
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
        // The parts of a budget compose to it, but for the last places.
        let of = |key: &str| {
            said[key].as_object().unwrap().iter().next().map(|(k, v)| (k.clone(), v.as_f64().unwrap()))
        };
        let ((unit, loss), (same, total)) = (of("loss").unwrap(), of("ledger_total_after").unwrap());
        assert!(unit == same && total <= loss && total > loss * (1.0 - 1e-14), "{said}");
        let (code, text, _) = visard(dir.path(), &format!("{line} --dry-run"));
        assert!(code == Some(0) && text.contains("nothing was charged"), "{text}");
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

#[test]
fn a_dry_run_sets_no_ceiling_begins_no_ledger_and_does_no_work() {
    let dir = place();
    let line = format!("{SPHERE} --mu 1 --ledger people.jsonl --ceiling-mu 0.5 --dry-run");
    let (code, _, stderr) = visard(dir.path(), &line);
    assert!(code == Some(1) && stderr.contains("ceiling"), "{stderr}");
    assert!(!dir.path().join("people.jsonl").exists() && !dir.path().join("study").exists());
    // A ledger that is there is read, counted with, and left as it is.
    fs::write(dir.path().join("good.csv"), format!("x,y,z\n{}", "1,0,0\n".repeat(60))).unwrap();
    let paid =
        SPHERE.replace("records.csv", "good.csv").replace("--out study", "--out other --allow-identical");
    assert_eq!(visard(dir.path(), &format!("{paid} --mu 3 --ledger people.jsonl")).0, Some(0));
    let before = fs::read(dir.path().join("people.jsonl")).unwrap();
    let line = format!("{SPHERE} --mu 4 --ledger people.jsonl --ceiling-mu 6 --dry-run --json");
    let (code, stdout, stderr) = visard(dir.path(), &line);
    assert_eq!(code, Some(0), "{stderr}");
    let said: Value = serde_json::from_str(&stdout).unwrap();
    assert!((said["ledger_total_after"]["mu"].as_f64().unwrap() - 5.0).abs() < 1e-9, "{said}");
    assert_eq!(fs::read(dir.path().join("people.jsonl")).unwrap(), before);
    // What releases nothing has no price, and is not done in its place.
    for line in [format!("{SPHERE} --mechanism none"), "face mean scans --mechanism none --out study".into()]
    {
        let (code, _, stderr) = visard(dir.path(), &format!("{line} --dry-run"));
        assert!(code == Some(1) && stderr.contains("no price"), "{line}: {stderr}");
        assert!(!dir.path().join("study").exists(), "{line}");
    }
}

/// First passes that cannot work with so few records are refused before one is read, with what would do; with that, they work.
#[test]
fn a_private_ball_needs_records_and_says_how_many() {
    let dir = place();
    let shape = |i: usize, bad: bool| {
        let at = |j: usize| (0.01 * ((3 * i + 7 * j) as f64).sin(), 0.01 * ((5 * i + j) as f64).cos());
        let corner = |(j, (x, y)): (usize, &(f64, f64))| format!("{} {}\n", x + at(j).0, y + at(j).1);
        let corners: String =
            [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (0.0, 1.0)].iter().enumerate().map(corner).collect();
        format!("LM=4\n{}ID=s{i}\n", if bad { "nobody looks\n".repeat(4) } else { corners })
    };
    let write = |n: usize, bad: bool| {
        fs::write(dir.path().join("t.tps"), (0..n).map(|i| shape(i, bad)).collect::<String>()).unwrap();
    };
    let line = |budget: &str| {
        format!("shape mean t.tps --center private --landmarks 4 --smooth local-linear --out study {budget}")
    };
    write(76, true);
    for budget in ["--mu 1", "--epsilon 6 --delta 1e-6"] {
        let (code, _, stderr) = visard(dir.path(), &line(&format!("--radius private {budget}")));
        assert!(code == Some(1) && !dir.path().join("study").exists(), "{stderr}");
        let word = |before: &str, after: &str| -> String {
            let from = stderr.find(before).unwrap_or_else(|| panic!("{before}: {stderr}")) + before.len();
            stderr[from..].split(after).next().unwrap().to_owned()
        };
        let needed: usize = word("private radius: ", " would do").parse().unwrap();
        // No ε at this δ is large enough that still protects anybody.
        let larger = stderr.contains("would do, or ").then(|| word("would do, or ", " for 76"));
        assert_eq!(larger.is_some(), budget == "--mu 1", "{stderr}");
        // One fewer is refused; so many are not, and neither is the larger budget.
        for (n, budget, good) in [(needed - 1, budget, false), (needed, budget, true)] {
            write(n, false);
            let (code, _, stderr) =
                visard(dir.path(), &line(&format!("--radius private --dry-run {budget}")));
            assert_eq!(code, Some(if good { 0 } else { 1 }), "{n}: {stderr}");
        }
        if let Some(mu) = larger.as_deref().and_then(|larger| larger.strip_prefix("mu = ")) {
            write(76, false);
            let (code, _, stderr) =
                visard(dir.path(), &line(&format!("--radius private --dry-run --mu {mu}")));
            assert_eq!(code, Some(0), "{stderr}");
        }
        write(76, true);
    }
    // A default falls back to a public radius, for a pure budget too.
    write(76, false);
    for (n, budget, source, radius) in [
        (76, "--mu 2", "public", Some(0.235)),
        (1500, "--mu 2", "private", None),
        (1500, "--epsilon 3", "public", Some(0.235)),
    ] {
        write(n, false);
        let (code, _, stderr) = visard(dir.path(), &line(budget));
        assert_eq!(code, Some(0), "{n} {budget}: {stderr}");
        let text = fs::read_to_string(dir.path().join("study/release/certificate.json")).unwrap();
        let certificate: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(certificate["clip_radius"]["source"], source, "{certificate}");
        if let Some(radius) = radius {
            assert!((certificate["clip_radius"]["value"].as_f64().unwrap() - radius).abs() < 1e-3);
        }
        assert!(certificate["details"]["missing_landmarks"].as_str().unwrap().contains("contribute zero"));
        fs::remove_dir_all(dir.path().join("study")).unwrap();
    }
    // The same for faces, before a scan is opened.
    let (code, _, stderr) = visard(dir.path(), "face mean scans --clip-radius private --mu 1 --out study");
    assert!(
        code == Some(1) && stderr.contains(" records would do, or ") && stderr.contains("times this mu"),
        "{stderr}"
    );
    assert!(!dir.path().join("study").exists());
}
