//! One ledger for several studies of the same people, from the command line.

use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::path::Path;
use visard::privacy::{Cost, GroupedPart, Ledger, Mu, Partition, PrivacyLoss};

fn visard(folder: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let out = Command::cargo_bin("visard").unwrap().current_dir(folder).args(args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (out.status.code(), text(&out.stdout), text(&out.stderr))
}

/// Directions about the pole, and the pole.
fn write_directions(folder: &Path) {
    let rows: String = (0..40)
        .map(|i| {
            let (t, r) = (0.7 * i as f64, 0.2 * ((i * 13) % 40) as f64 / 40.0);
            format!("{},{},{}\n", r.sin() * t.cos(), r.sin() * t.sin(), r.cos())
        })
        .collect();
    fs::write(folder.join("points.csv"), format!("x,y,z\n{rows}")).unwrap();
    fs::write(folder.join("pole.csv"), "x,y,z\n0,0,1\n").unwrap();
}

/// A private mean with μ into `out`, charged to `ledger`.
fn release(folder: &Path, out: &str, mu: &str, more: &[&str]) -> (Option<i32>, String, String) {
    let mut args = vec!["sphere", "mean", "points.csv", "--center", "pole.csv", "--radius", "0.3"];
    args.extend(["--mechanism", "tangent-gaussian", "--mu", mu, "--out", out]);
    args.extend(more);
    visard(folder, &args)
}

#[test]
fn losses_of_several_studies_add_up_to_the_ceiling() {
    let dir = tempfile::tempdir().unwrap();
    write_directions(dir.path());
    let shared = ["--ledger", "people.jsonl", "--ceiling-mu", "5"];
    for (out, mu) in [("first", "3"), ("second", "4")] {
        let (code, _, stderr) = release(dir.path(), out, mu, &shared);
        assert_eq!(code, Some(0), "{stderr}");
    }
    let certificate = fs::read(dir.path().join("second/release/certificate.json")).unwrap();
    let certificate: Value = serde_json::from_slice(&certificate).unwrap();
    assert_eq!(certificate["loss"]["mu"], 4.0);
    assert_eq!(certificate["details"]["study_total"]["mu"], 5.0);
    // Draws are all affordable or none is charged.
    let (code, _, stderr) = release(dir.path(), "draws", "3", &["--draws", "3", "--ceiling-mu", "5"]);
    assert_eq!(code, Some(1), "{stderr}");
    assert!(stderr.contains("5.19"), "{stderr}");
    let (code, _, stderr) = release(dir.path(), "draws", "3", &["--draws", "2", "--ceiling-mu", "5"]);
    assert_eq!(code, Some(0), "{stderr}");
    // The ceiling was set by an earlier run and holds for a third folder.
    let (code, _, stderr) = release(dir.path(), "third", "0.1", &shared[..2]);
    assert_eq!(code, Some(1));
    assert!(stderr.contains("nothing was charged"), "{stderr}");
    assert!(!dir.path().join("third/release").exists());
}

#[test]
fn the_ledger_is_shown_by_its_name_and_by_a_study_that_charges_it() {
    let dir = tempfile::tempdir().unwrap();
    write_directions(dir.path());
    assert_eq!(release(dir.path(), "first", "3", &["--ledger", "people.jsonl"]).0, Some(0));
    // The folder remembers.
    assert_eq!(release(dir.path(), "first", "4", &["--force"]).0, Some(0));
    for place in ["people.jsonl", "first"] {
        let (code, stdout, stderr) = visard(dir.path(), &["privacy", "ledger", place, "--json"]);
        assert_eq!(code, Some(0), "{stderr}");
        let shown: Value = serde_json::from_str(&stdout).unwrap();
        assert_eq!(shown["releases"].as_array().unwrap().len(), 2);
        assert_eq!(shown["total"]["mu"], 5.0);
    }
    let (_, text, _) = visard(dir.path(), &["privacy", "ledger", "people.jsonl"]);
    assert!(text.contains("together mu = 5") && text.lines().count() == 6, "{text}");
    let (code, _, stderr) = release(dir.path(), "first", "1", &["--force", "--ledger", "other.jsonl"]);
    assert_eq!(code, Some(1));
    assert!(stderr.contains("people.jsonl"), "{stderr}");
    // Refused, however often, while the shared ledger is missing.
    fs::remove_file(dir.path().join("people.jsonl")).unwrap();
    for _ in 0..2 {
        let (code, _, stderr) = release(dir.path(), "first", "1", &["--force"]);
        assert_eq!(code, Some(1));
        assert!(stderr.contains("put it back"), "{stderr}");
    }
    let (code, _, stderr) = visard(dir.path(), &["privacy", "ledger", "points.csv"]);
    assert_eq!(code, Some(1));
    assert!(stderr.contains("is not a visard ledger"), "{stderr}");
}

/// Eight processes at once charge one ledger until its ceiling stops them: what was released is what is on record, and no more than the
/// ceiling allows.
#[test]
fn eight_processes_at_once_keep_to_the_ceiling() {
    let dir = tempfile::tempdir().unwrap();
    write_directions(dir.path());
    let shared = ["--ledger", "people.jsonl", "--ceiling-mu", "2"];
    let until_refused = |process: u32| {
        let mut released = 0;
        loop {
            let (code, _, stderr) =
                release(dir.path(), &format!("study-{process}-{released}"), "0.5", &shared);
            match code {
                Some(0) => released += 1,
                _ if stderr.contains("in use by another process") => {}
                _ if stderr.contains("above the ceiling") => return released,
                _ => panic!("{stderr}"),
            }
        }
    };
    let released: u32 = std::thread::scope(|scope| {
        let client = |process| scope.spawn(move || until_refused(process));
        let all: Vec<_> = (0..8).map(client).collect();
        all.into_iter().map(|process| process.join().unwrap()).sum()
    });
    // (2 / 0.5)².
    assert_eq!(released, 16);
    let history = Ledger::history(&dir.path().join("people.jsonl")).unwrap();
    assert_eq!(history.charges.len(), 16);
    assert!(history.charges.iter().all(|charge| charge.redeemed.is_some()));
}

#[test]
fn groups_ceilings_and_results_are_shown() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("people.jsonl");
    let loss = |mu| PrivacyLoss::Gaussian(Mu::new(mu).unwrap());
    let mut ledger = Ledger::open(&path, None).unwrap();
    let people = Partition::of([("a", "F"), ("b", "M"), ("c", "M")]).unwrap();
    ledger.add_ceiling_for(loss(4.0), people.neighbours()).unwrap();
    let mut means = GroupedPart::new("group means", people);
    means.group("F", "mean", 1, Cost::Loss(loss(1.0))).unwrap();
    means.group("M", "mean", 1, Cost::Loss(loss(2.0))).unwrap();
    let paid = ledger.charge_groups(&means).unwrap();
    ledger.redeem(paid.receipt().unwrap(), &"5e".repeat(32)).unwrap();
    drop(ledger);
    let (code, text, stderr) = visard(dir.path(), &["privacy", "ledger", "people.jsonl"]);
    assert_eq!(code, Some(0), "{stderr}");
    for shown in [
        "spent so far: mu = 2 for one record replaced by another of the same group",
        "no bound for one record replaced by any other",
        "group F: mean: mu = 1",
        "groups: F (1), M (2)",
        "group F bears mu = 1 in all",
        "ceiling: mu = 4",
        "5e5e5e",
    ] {
        assert!(text.contains(shown), "{shown} not in:\n{text}");
    }
    let (_, stdout, _) = visard(dir.path(), &["privacy", "ledger", "people.jsonl", "--json"]);
    let shown: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(shown["partition"]["groups"][1]["size"], 2);
    assert_eq!(shown["groups"][1]["label"], "M");
    assert_eq!(shown["groups"][1]["total"], shown["sums"][1]["loss"], "the worst group counts");
    assert_eq!(shown["releases"][0]["redeemed"], "5e".repeat(32));
    assert_eq!(shown["releases"][0]["part"]["parts"][0]["group"]["label"], "F");
}

/// `tr -d '\n'`, a conversion of line ends, a pipe: refused with what is wrong, and left as they are.
#[test]
fn what_cannot_be_read_whole_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    write_directions(dir.path());
    let path = dir.path().join("people.jsonl");
    let shared = ["--ledger", "people.jsonl", "--ceiling-mu", "5"];
    assert_eq!(release(dir.path(), "first", "3", &shared).0, Some(0));
    let whole = fs::read_to_string(&path).unwrap();
    for (damaged, says) in
        [(whole.replace('\n', ""), "line ends"), (whole.replace('\n', "\r\n"), "conversion")]
    {
        fs::write(&path, &damaged).unwrap();
        for (out, mu) in [("first", "0.1"), ("second", "4.9")] {
            let (code, _, stderr) = release(dir.path(), out, mu, &["--force", "--ledger", "people.jsonl"]);
            assert!(code == Some(1) && stderr.contains(says), "{stderr}");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), damaged);
    }
    #[cfg(unix)]
    {
        fs::remove_file(&path).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let (code, _, stderr) = release(dir.path(), "third", "1", &["--ledger", "people.jsonl"]);
        assert!(code == Some(1) && stderr.contains("is a pipe, not an ordinary file"), "{stderr}");
    }
}

#[test]
fn a_ledger_that_is_not_there_is_said_to_be_missing() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("empty")).unwrap();
    for (path, what) in
        [("nosuch", "no such file"), ("nosuch.jsonl", "no such file"), ("empty", "holds no ledger")]
    {
        let (code, _, stderr) = visard(dir.path(), &["privacy", "ledger", path]);
        assert!(code == Some(1) && stderr.contains(what) && stderr.contains("hint: "), "{stderr}");
        assert!(stderr.starts_with(&format!("error: {path}: ")), "{stderr}");
    }
}
