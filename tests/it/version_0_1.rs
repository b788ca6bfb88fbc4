//! What version 0.1 left behind still opens: `tests/version-0.1` is a study of two releases that it made.

use crate::command_line::visard;
use serde_json::Value;
use std::fs;
use std::path::Path;
use visard::privacy::{Certificate, Ledger, LedgerHistory, PrivacyLoss};

const KEPT: [&str; 3] = ["visard.ledger.jsonl", "release/certificate.json", "release/mean.npy"];

/// A copy of the old study, with records and a centre for a new one beside it.
fn place() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let study = dir.path().join("study");
    for folder in ["release", "internal/records"] {
        fs::create_dir_all(study.join(folder)).unwrap();
    }
    let old = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/version-0.1");
    for file in KEPT {
        fs::copy(old.join(file), study.join(file)).unwrap();
    }
    let records: String =
        (0..60).map(|i| f64::from(i).sin() * 0.4).map(|t| format!("{},{},0\n", t.cos(), t.sin())).collect();
    fs::write(dir.path().join("records.csv"), format!("x,y,z\n{records}")).unwrap();
    fs::write(dir.path().join("centre.csv"), "x,y,z\n1,0,0\n").unwrap();
    dir
}

const STUDY: &str =
    "sphere mean records.csv --mechanism laplace --center centre.csv --radius 0.5 --epsilon 1 --out study";

fn history(dir: &Path) -> LedgerHistory {
    Ledger::history(&dir.join("study/visard.ledger.jsonl")).unwrap()
}

#[test]
fn certificates_and_ledgers_are_read() {
    let dir = place();
    let text = fs::read_to_string(dir.path().join("study/release/certificate.json")).unwrap();
    let certificate = Certificate::from_json(&text).unwrap();
    assert!(certificate.private && certificate.ledger.is_none());
    assert!(matches!(certificate.loss, PrivacyLoss::Pure(epsilon) if epsilon.get() == 1.0));
    let (code, said, _) = visard(dir.path(), "privacy explain study/release/certificate.json");
    assert!(code == Some(0) && said.contains("60"), "{said}");
    let (code, said, _) = visard(dir.path(), "privacy ledger study --json");
    let shown: Value = serde_json::from_str(&said).unwrap();
    assert!(code == Some(0) && shown["releases"].as_array().unwrap().len() == 2, "{said}");
}

#[test]
fn a_release_is_kept_until_it_is_given_up_and_its_charges_for_ever() {
    let dir = place();
    let before: Vec<Vec<u8>> =
        KEPT.iter().map(|file| fs::read(dir.path().join("study").join(file)).unwrap()).collect();
    for more in ["", " --resume"] {
        let (code, _, said) = visard(dir.path(), &format!("{STUDY}{more}"));
        assert!(code == Some(1) && said.contains("--force"), "{more}: {said}");
        let after: Vec<Vec<u8>> =
            KEPT.iter().map(|file| fs::read(dir.path().join("study").join(file)).unwrap()).collect();
        assert_eq!(before, after, "{more}");
    }
    let (code, _, said) = visard(dir.path(), &format!("{STUDY} --force"));
    assert_eq!(code, Some(0), "{said}");
    let history = history(dir.path());
    assert_eq!(history.charges.len(), 3);
    let text = fs::read_to_string(dir.path().join("study/release/certificate.json")).unwrap();
    history.holds(&Certificate::from_json(&text).unwrap().ledger.unwrap()).unwrap();
}
