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
        let items = ["errata", "spd-utility", "kng-shapes", "gdp-faces-table1", "gdp-faces-pipeline"];
        visard().arg("reproduce").args(items).args(["--quick", "--out"]).arg(&out).output().unwrap()
    };
    let first = run();
    let stderr = String::from_utf8_lossy(&first.stderr).into_owned();
    assert!(first.status.success() && stderr.contains("synthetic"), "{stderr}");
    let index = fs::read_to_string(out.join("index.html")).unwrap();
    let expected = [
        "2.9661",
        "no shared data",
        "Errata of the five papers",
        "The most telling numbers",
        "<svg",
        "data:image/png;base64,",
    ];
    for text in expected {
        assert!(index.contains(text), "{text}");
    }
    assert!(!index.contains(">NaN<"), "a number is missing");
    assert!(fs::read_to_string(out.join("spd-utility/utility.csv")).unwrap().lines().count() > 10);
    let picture = fs::read(out.join("gdp-faces-pipeline/figure7_disk_maps.png")).unwrap();
    assert!(picture.starts_with(b"\x89PNG") && picture.len() > 50_000);
    // A second run keeps what is there.
    let again = run();
    assert!(String::from_utf8_lossy(&again.stderr).contains("kept from before"));
    assert_eq!(fs::read_to_string(out.join("index.html")).unwrap(), index);
    // A picture that has gone is made again.
    fs::remove_file(out.join("gdp-faces-pipeline/figure7_disk_maps.png")).unwrap();
    run();
    assert_eq!(fs::read(out.join("gdp-faces-pipeline/figure7_disk_maps.png")).unwrap(), picture);
}

#[test]
fn lists_and_refuses() {
    let list = visard().args(["reproduce", "list"]).output().unwrap();
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    for name in ["kng-sphere", "kng-spd", "gdp-faces-means", "spd-descriptors", "optimization-risk", "chains"]
    {
        assert!(list.contains(name), "{name}");
    }
    let dir = tempfile::tempdir().unwrap();
    let unknown = visard().args(["reproduce", "nothing", "--out"]).arg(dir.path()).output().unwrap();
    assert_eq!(unknown.status.code(), Some(2));
}
