//! `visard reproduce` as a user runs it, without shared data.

use assert_cmd::Command;
use std::fs;

fn visard() -> Command {
    let mut command = Command::cargo_bin("visard").unwrap();
    command.env_remove("VISARD_DATA");
    command
}

#[test]
fn items_are_written_kept_and_indexed() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("gallery");
    let run = || {
        let args =
            ["reproduce", "errata", "spd-utility", "kng-shapes", "gdp-faces-table1", "--quick", "--out"];
        visard().args(args).arg(&out).output().unwrap()
    };
    let first = run();
    let stderr = String::from_utf8_lossy(&first.stderr).into_owned();
    assert!(first.status.success() && stderr.contains("synthetic"), "{stderr}");
    let index = fs::read_to_string(out.join("index.html")).unwrap();
    for expected in ["2.9661", "no shared data", "Errata of the five papers", "<svg"] {
        assert!(index.contains(expected), "{expected}");
    }
    assert!(fs::read_to_string(out.join("spd-utility/utility.csv")).unwrap().lines().count() > 10);
    // A second run keeps what is there.
    let again = run();
    assert!(String::from_utf8_lossy(&again.stderr).contains("kept from before"));
    assert_eq!(fs::read_to_string(out.join("index.html")).unwrap(), index);
}

#[test]
fn lists_and_refuses() {
    let list = visard().args(["reproduce", "list"]).output().unwrap();
    assert!(String::from_utf8_lossy(&list.stdout).contains("kng-sphere"));
    let dir = tempfile::tempdir().unwrap();
    let unknown = visard().args(["reproduce", "nothing", "--out"]).arg(dir.path()).output().unwrap();
    assert_eq!(unknown.status.code(), Some(2));
}
