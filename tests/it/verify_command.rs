//! `visard privacy verify`, `key`, `sign`: releases that were changed, moved, invented or signed by somebody else.

use crate::command_line::visard;
use serde_json::Value;
use std::fs;
use std::path::Path;

fn succeeds(dir: &Path, words: &str) -> String {
    let (code, stdout, stderr) = visard(dir, words);
    assert_eq!(code, Some(0), "{words}: {stderr}");
    stdout
}

fn refused(dir: &Path, words: &str, expected: &str) {
    let (code, _, stderr) = visard(dir, words);
    assert!(code == Some(1) && stderr.contains(expected), "{words}: expected {expected}: {stderr}");
}

/// A folder with a released study in it.
fn place() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let records: String =
        (0..60).map(|i| f64::from(i).sin() * 0.4).map(|t| format!("{},{},0\n", t.cos(), t.sin())).collect();
    fs::write(dir.path().join("records.csv"), format!("x,y,z\n{records}")).unwrap();
    fs::write(dir.path().join("centre.csv"), "x,y,z\n1,0,0\n").unwrap();
    release(dir.path(), "study", "1");
    dir
}

fn release(dir: &Path, out: &str, mu: &str) {
    succeeds(dir, &format!("sphere mean records.csv --center centre.csv --radius 0.5 --mu {mu} --out {out}"));
}

fn edit(dir: &Path, change: impl FnOnce(&mut Value)) {
    let path = dir.join("study/release/certificate.json");
    let mut certificate: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut certificate);
    fs::write(path, serde_json::to_string_pretty(&certificate).unwrap()).unwrap();
}

#[test]
fn what_was_released_is_verified_here_and_elsewhere() {
    let dir = place();
    for folder in ["study", "study/release"] {
        let said: Value =
            serde_json::from_str(&succeeds(dir.path(), &format!("privacy verify {folder} --json"))).unwrap();
        assert_eq!((&said["verified"], &said["private"]), (&true.into(), &true.into()));
        assert!(
            said["ledger"].as_str().unwrap().ends_with("visard.ledger.jsonl") && said["signed_by"].is_null()
        );
    }
    // Sent to somebody else: the files and the signature are all there is.
    fs::rename(dir.path().join("study/release"), dir.path().join("sent")).unwrap();
    let said = succeeds(dir.path(), "privacy verify sent");
    assert!(said.contains("not checked: anybody could have written this"), "{said}");
    assert!(!said.lines().any(|line| line.starts_with("private")), "{said}");
    let told: Value = serde_json::from_str(&succeeds(dir.path(), "privacy verify sent --json")).unwrap();
    assert!(told["private"].is_null() && told["verified"] == false, "{told}");
    let said = succeeds(dir.path(), "privacy verify sent --ledger study/visard.ledger.jsonl");
    assert!(said.starts_with("private: "), "{said}");
}

/// Every field, one by one: whatever of the certificate is edited, the ledger tells.
#[test]
fn a_certificate_is_bound_to_its_last_byte() {
    let dir = place();
    let whole = fs::read(dir.path().join("study/release/certificate.json")).unwrap();
    type Edit = (&'static str, fn(&mut Value));
    let edits: [Edit; 6] = [
        ("n", |c| c["n"] = 2000.into()),
        ("public inputs", |c| c["public_inputs"] = Value::Array(Vec::new())),
        ("details", |c| c["details"]["in_words"] = "exact".into()),
        ("caveats", |c| c["caveats"] = Value::Array(vec!["none".into()])),
        ("program", |c| c["visard"] = "9.9.9".into()),
        ("sensitivity", |c| c["sensitivity"] = 1e-9.into()),
    ];
    for (what, change) in edits {
        edit(dir.path(), change);
        let (code, _, stderr) = visard(dir.path(), "privacy verify study");
        assert!(
            code == Some(1) && stderr.contains("is not one that the ledger recorded"),
            "{what}: {stderr}"
        );
        fs::write(dir.path().join("study/release/certificate.json"), &whole).unwrap();
    }
    // White space is a byte like any other.
    let mut longer = whole.clone();
    longer.push(b'\n');
    fs::write(dir.path().join("study/release/certificate.json"), &longer).unwrap();
    refused(dir.path(), "privacy verify study", "is not one that the ledger recorded");
    fs::write(dir.path().join("study/release/certificate.json"), &whole).unwrap();
    assert!(succeeds(dir.path(), "privacy verify study").starts_with("private: "));
    // A file exchanged together with its entry in the certificate.
    let mean = dir.path().join("study/release/mean.npy");
    fs::write(&mean, "forged").unwrap();
    let sum = visard::privacy::FileSum::of_bytes("mean.npy", b"forged").sha256;
    edit(dir.path(), |certificate| {
        let files = certificate["files"].as_array_mut().unwrap();
        files.iter_mut().find(|file| file["name"] == "mean.npy").unwrap()["sha256"] = sum.into();
    });
    refused(dir.path(), "privacy verify study", "is not one that the ledger recorded");
}

#[test]
fn a_seeded_release_stays_one_whatever_its_certificate_says() {
    let dir = place();
    let study =
        "sphere mean records.csv --center centre.csv --radius 0.5 --mu 1 --seed 5 --out study --force";
    succeeds(dir.path(), study);
    assert!(succeeds(dir.path(), "privacy verify study").starts_with("NOT PRIVATE"));
    succeeds(dir.path(), "privacy key lab.key");
    refused(dir.path(), "privacy sign study --key lab.key", "not private");
    edit(dir.path(), |certificate| {
        certificate["private"] = true.into();
        certificate["seeded"] = false.into();
        certificate["caveats"] = Value::Array(Vec::new());
    });
    refused(dir.path(), "privacy verify study", "noise was seeded");
    refused(dir.path(), "privacy sign study --key lab.key", "noise was seeded");
    // Away from its ledger nobody can tell, and nobody signs it or calls it private.
    fs::rename(dir.path().join("study/release"), dir.path().join("sent")).unwrap();
    refused(dir.path(), "privacy sign sent --key lab.key", "no ledger here");
    assert!(!succeeds(dir.path(), "privacy verify sent").lines().any(|line| line.starts_with("private")));
    // Its line holds no digest, which would confirm guesses of the records, and it has no bound, alone or twice.
    let ledger = fs::read_to_string(dir.path().join("study/visard.ledger.jsonl")).unwrap();
    let lines: Vec<&str> = ledger.lines().skip_while(|line| !line.contains("\"seeded\":true")).collect();
    assert!(
        !lines.is_empty() && lines.iter().all(|line| !line.contains("redeem") && !line.contains("publish"))
    );
    let told: Value = serde_json::from_str(&succeeds(dir.path(), "privacy ledger study --json")).unwrap();
    assert!(told["total"].is_null() && told["sums"][0]["loss"].is_null(), "{told}");
    assert_eq!(told["sums"][0]["no_bound_by"], serde_json::json!([2]));
    let (code, _, stderr) = visard(dir.path(), &format!("{study} --ceiling-mu 100"));
    assert!(code == Some(1) && stderr.contains("no bound"), "{stderr}");
}

/// Two copies of a study that was killed after its charge, both resumed, each with its copy of the ledger.
#[test]
fn a_second_draw_from_a_copied_folder_is_not_the_one_that_the_ledger_recorded() {
    let dir = place();
    // What a run leaves that was killed between its charge and its draw.
    let study = dir.path().join("study");
    let ledger = fs::read_to_string(study.join("visard.ledger.jsonl")).unwrap();
    let until_redeemed: String =
        ledger.split_inclusive('\n').take_while(|line| !line.contains("\"kind\":\"redeem\"")).collect();
    fs::write(study.join("visard.ledger.jsonl"), until_redeemed).unwrap();
    fs::remove_dir_all(study.join("release")).unwrap();
    fs::remove_file(study.join("internal/drawn.json")).unwrap();
    let job = study.join("internal/job.json");
    let begun = fs::read_to_string(&job).unwrap().replace("\"finished\": true", "\"finished\": false");
    fs::write(&job, begun).unwrap();
    let copy = dir.path().join("copy");
    copy_folder(&study, &copy);
    for out in ["study", "copy"] {
        let words = "sphere mean records.csv --center centre.csv --radius 0.5 --mu 1 --resume --out";
        succeeds(dir.path(), &format!("{words} {out}"));
        assert!(succeeds(dir.path(), &format!("privacy verify {out}")).starts_with("private: "));
    }
    assert_ne!(
        fs::read(study.join("release/mean.npy")).unwrap(),
        fs::read(copy.join("release/mean.npy")).unwrap()
    );
    let expected = "is not one that the ledger recorded";
    refused(dir.path(), "privacy verify copy --ledger study/visard.ledger.jsonl", expected);
    refused(dir.path(), "privacy verify study --ledger copy/visard.ledger.jsonl", expected);
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn changed_added_and_missing_files_are_named() {
    let dir = place();
    let file = |name: &str| dir.path().join("study/release").join(name);
    let mean = fs::read(file("mean.npy")).unwrap();
    let mut low_bit = mean.clone();
    *low_bit.last_mut().unwrap() ^= 1;
    fs::write(file("mean.npy"), &low_bit).unwrap();
    refused(dir.path(), "privacy verify study", "mean.npy is not the file that was released");
    fs::remove_file(file("mean.npy")).unwrap();
    refused(dir.path(), "privacy verify study", "mean.npy is missing");
    fs::write(file("mean.npy"), &mean).unwrap();
    fs::write(file("names.txt"), "Ann").unwrap();
    refused(dir.path(), "privacy verify study", "names.txt lies in the release");
    fs::remove_file(file("names.txt")).unwrap();
    succeeds(dir.path(), "privacy verify study");
    edit(dir.path(), |certificate| certificate["files"][0]["name"] = "../internal/records.csv".into());
    refused(dir.path(), "privacy verify study", "is missing");
}

#[test]
fn a_certificate_that_claims_more_than_was_paid_for_is_caught() {
    let dir = place();
    let whole = fs::read(dir.path().join("study/release/certificate.json")).unwrap();
    // A smaller loss, made consistent with itself.
    edit(dir.path(), |certificate| {
        certificate["loss"]["mu"] = 0.1.into();
        certificate["composition"][0]["loss"]["mu"] = 0.1.into();
        certificate["epsilon_at_delta"] = Value::Array(Vec::new());
    });
    refused(dir.path(), "privacy verify study", "the ledger charged");
    fs::write(dir.path().join("study/release/certificate.json"), &whole).unwrap();
    succeeds(dir.path(), "privacy verify study");
    // Another study's ledger; one that was cut; one that is not there is not looked at unless it is asked for.
    release(dir.path(), "other", "1");
    refused(
        dir.path(),
        "privacy verify study --ledger other/visard.ledger.jsonl",
        "does not hold this release",
    );
    let ledger = dir.path().join("study/visard.ledger.jsonl");
    let text = fs::read_to_string(&ledger).unwrap();
    fs::write(&ledger, format!("{}\n", text.lines().next().unwrap())).unwrap();
    refused(dir.path(), "privacy verify study", "does not hold this release");
    refused(dir.path(), "privacy verify study --ledger none.jsonl", "none.jsonl");
    edit(dir.path(), |certificate| certificate["ledger"] = Value::Null);
    refused(dir.path(), "privacy verify study", "never charged");
}

#[test]
fn signatures_are_made_once_and_checked() {
    let dir = place();
    assert!(succeeds(dir.path(), "privacy key lab.key").contains("lab.key.pub"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(dir.path().join("lab.key")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    refused(dir.path(), "privacy key lab.key", "is there already");
    refused(dir.path(), "privacy verify study --key lab.key.pub", "there is no certificate.sig");
    succeeds(dir.path(), "privacy sign study --key lab.key");
    assert!(succeeds(dir.path(), "privacy verify study --key lab.key.pub").contains("by the key given"));
    succeeds(dir.path(), "privacy key forger.key");
    refused(dir.path(), "privacy verify study --key forger.key.pub", "signed with another key");
    refused(dir.path(), "privacy verify study --key records.csv", "does not hold a public key");
    // A changed certificate, a changed signature.
    let path = dir.path().join("study/release/certificate.json");
    let whole = fs::read_to_string(&path).unwrap();
    fs::write(&path, whole.replace("\"n\": 60", "\"n\": 6000")).unwrap();
    refused(dir.path(), "privacy verify study", "is not one that the ledger recorded");
    refused(dir.path(), "privacy sign study --key lab.key", "is not one that the ledger recorded");
    fs::write(&path, &whole).unwrap();
    fs::write(path.with_file_name("certificate.sig"), "{}").unwrap();
    refused(dir.path(), "privacy verify study", "not a signature");
}

#[test]
fn releases_of_version_0_1_are_told_apart() {
    let old = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/version-0.1");
    refused(Path::new(old), "privacy verify release", "version 0.1");
}
