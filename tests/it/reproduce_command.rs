//! `visard reproduce` as a user runs it, without shared data.

use assert_cmd::Command;
use std::fs;

fn visard() -> Command {
    let mut command = Command::cargo_bin("visard").unwrap();
    command.env_remove("VISARD_DATA");
    command
}

/// Makes these items, twice: a second run keeps what is there, and makes again the `picture` that has gone. Returns the index and what the first run
/// said.
fn made_and_kept(items: &[&str], picture: &str) -> (String, String) {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("gallery");
    let run = || visard().arg("reproduce").args(items).args(["--quick", "--out"]).arg(&out).output().unwrap();
    let first = run();
    let stderr = String::from_utf8_lossy(&first.stderr).into_owned();
    assert!(first.status.success() && stderr.contains("synthetic"), "{stderr}");
    let index = fs::read_to_string(out.join("index.html")).unwrap();
    for text in ["no shared data", "The most telling numbers", "<svg"] {
        assert!(index.contains(text), "{text}");
    }
    assert!(!index.contains(">NaN<"), "a number is missing");
    let drawn = fs::read(out.join(picture)).unwrap();
    assert!(
        drawn.len() > 2_000 && (drawn.starts_with(b"\x89PNG") || drawn.starts_with(b"<svg")),
        "{picture}"
    );
    let again = run();
    assert!(String::from_utf8_lossy(&again.stderr).contains("kept from before"));
    assert_eq!(fs::read_to_string(out.join("index.html")).unwrap(), index);
    fs::remove_file(out.join(picture)).unwrap();
    run();
    assert_eq!(fs::read(out.join(picture)).unwrap(), drawn);
    (index, stderr)
}

#[test]
fn items_are_written_kept_and_indexed() {
    let items = ["errata", "spd-utility", "kng-shapes"];
    let (index, _) = made_and_kept(&items, "spd-utility/row1_utility.svg");
    assert!(index.contains("2.9661") && index.contains("Errata of the five papers"));
}

#[test]
#[ignore = "slow: a quarter of a minute; items_are_written_kept_and_indexed has other items"]
fn the_pipeline_of_faces_is_drawn_and_kept() {
    let (index, said) = made_and_kept(&["gdp-faces-pipeline"], "gdp-faces-pipeline/figure7_disk_maps.png");
    assert!(index.contains("data:image/png;base64,"));
    assert!(said.contains("one thousand faces are made"), "long items say what they do: {said}");
}

#[test]
#[ignore = "slow: half a minute; items_are_written_kept_and_indexed has other items"]
fn the_table_of_a_thousand_faces_is_made() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("gallery");
    let run =
        visard().args(["reproduce", "gdp-faces-table1", "--quick", "--out"]).arg(&out).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let index = fs::read_to_string(out.join("index.html")).unwrap();
    assert!(index.contains("id=\"gdp-faces-table1\"") && !index.contains(">NaN<"));
}

/// Interrupted in the middle of an item, a run goes on with that item: finished ones are kept, nothing half-written is taken.
#[test]
#[ignore = "slow: half a minute; items_are_written_kept_and_indexed is short"]
fn an_interrupted_run_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("gallery");
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("visard"))
        .env_remove("VISARD_DATA")
        .args(["reproduce", "errata", "chains", "--out"])
        .arg(&out)
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // The full chains take tens of seconds; the run is stopped as soon as it says that it is at them.
    let lines = std::io::BufRead::lines(std::io::BufReader::new(child.stderr.take().unwrap()));
    assert!(lines.map_while(Result::ok).any(|line| line.contains("chains of KNG")));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(out.join("errata/item.json").is_file() && !out.join("chains/item.json").exists());
    let again = visard().args(["reproduce", "errata", "spd-utility", "--out"]).arg(&out).output().unwrap();
    let stderr = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(again.status.success(), "{stderr}");
    let kept: Vec<&str> = stderr.lines().filter(|line| line.contains("kept from before")).collect();
    assert!(kept.len() == 1 && kept[0].contains("errata"), "{stderr}");
    let index = fs::read_to_string(out.join("index.html")).unwrap();
    assert!(index.contains("id=\"errata\"") && index.contains("href=\"#spd-utility\""));
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
