//! What a study refuses because of its records, before its charge: for the data holder only, nothing left behind, and listed in the threat
//! model.

use super::studies::plane;
use crate::command_line::visard;
use std::fs;
use std::path::Path;
use visard::io::write_npy;

const THREAT_MODEL: &str = include_str!("../../../docs/threat-model.md");

/// Points in the plane of which the last is as given.
fn points(dir: &Path, last: [f64; 2]) {
    let mut rows = plane(80);
    rows[79] = last;
    write_npy(&dir.join("r.npy"), &[80, 2], rows.as_flattened()).unwrap();
}

fn shapes(dir: &Path, last: &str) {
    let shape = |i: usize| format!("LM=3\n0 {}\n1 0\n0 1\nID=s{i}\n", 0.001 * i as f64);
    fs::write(dir.join("t.tps"), (0..79).map(shape).collect::<String>() + last).unwrap();
    fs::write(dir.join("c.tps"), "LM=3\n0 0\n1 0\n0 1\nID=c\n").unwrap();
}

fn people(dir: &Path, last: &str) {
    points(dir, [0.1, 0.1]);
    let lines: String = (0..79).map(|i| format!("{i},p{i}\n")).collect();
    fs::write(dir.join("p.csv"), format!("record,person\n{lines}{last}")).unwrap();
}

fn scans(dir: &Path, files: [(&str, &str); 2]) {
    fs::create_dir(dir.join("scans")).unwrap();
    files.iter().for_each(|(name, text)| fs::write(dir.join("scans").join(name), text).unwrap());
}

const PLANE: &str = "hyperbolic mean r.npy --radius 1 --mu 2";
const PLANE_REFUSING: &str = "hyperbolic mean r.npy --radius 1 --mu 2 --unusable refuse";
const SHAPE: &str = "shape mean t.tps --center c.tps --radius 0.3 --mu 2";
const POINTS: &str =
    "optimize frechet-mean r.npy --space poincare --method rgd --clip-radius 1 --mu 2 --unusable refuse";
const VECTOR: &str =
    "optimize eigenvector r.npy --unit-records --method rgd --clip-radius 1 --mu 2 --unusable refuse";

type Case = (&'static str, &'static dyn Fn(&Path), &'static str, &'static str);

/// The study, its records, what the data holder is told, the row of the threat model.
const CASES: [Case; 16] = [
    (
        PLANE_REFUSING,
        &|dir| points(dir, [7.0, 0.0]),
        "record 80",
        "with `--unusable refuse`: a record that cannot be used",
    ),
    (
        PLANE_REFUSING,
        &|dir| points(dir, [f64::NAN, 0.0]),
        "record 80",
        "with `--unusable refuse`: a record that cannot be used",
    ),
    (
        "shape mean t.tps --center c.tps --radius 0.3 --mu 2 --unusable refuse",
        &|dir| shapes(dir, "LM=3\n0 0\nNA NA\n0 1\nID=s79\n"),
        "too few landmarks",
        "with `--unusable refuse`: a record that cannot be used",
    ),
    (
        "shape mean t.tps --mu 2 --unusable refuse",
        &|dir| shapes(dir, "LM=3\n0 0\nNA NA\n0 1\nID=s79\n"),
        "too few to estimate",
        "with `--unusable refuse`: a record that cannot be used",
    ),
    (
        POINTS,
        &|dir| points(dir, [7.0, 0.0]),
        "record 80",
        "with `--unusable refuse`: a record that cannot be used",
    ),
    (
        VECTOR,
        &|dir| points(dir, [0.0, 0.0]),
        "record 80",
        "with `--unusable refuse`: a record that cannot be used",
    ),
    (
        PLANE,
        &|dir| write_npy(&dir.join("r.npy"), &[3, 2], &[7.0; 6]).unwrap(),
        "none of the 3 records can be used",
        "no record of a study can be used",
    ),
    (
        "face mean scans --mu 2 --unusable refuse",
        &|dir| scans(dir, [("a.xyz", "1 2 3\n"), ("b.xyz", "1 2 4\n")]),
        "a.xyz cannot be used",
        "with `--unusable refuse`: a record that cannot be used",
    ),
    (PLANE, &|dir| points(dir, plane(1)[0]), "identical", "records of two persons that are identical"),
    (
        SHAPE,
        &|dir| shapes(dir, "LM=3\n0 0\n1 0\n0 1\nID=s79\n"),
        "identical",
        "records of two persons that are identical",
    ),
    (
        "face mean scans --mu 2",
        &|dir| scans(dir, [("a.xyz", "1 2 3\n"), ("b.xyz", "1 2 3\n")]),
        "identical",
        "records of two persons that are identical",
    ),
    (
        "hyperbolic mean r.npy --radius 1 --mu 2 --people p.csv",
        &|dir| people(dir, "80,p\n"),
        "not a record of this study",
        "a table of people that does not fit",
    ),
    (
        "hyperbolic mean r.npy --radius 1 --mu 2 --people p.csv",
        &|dir| people(dir, ""),
        "has no person",
        "a table of people that does not fit",
    ),
    (
        "face mean scans --mu 2",
        &|dir| scans(dir, [("a.xyz", "1 2 3\n"), ("b.xyz", "1 2 4\n")]),
        "none of the 2 records",
        "no record of a study can be used",
    ),
    (
        "face mean scans --mu 2",
        &|dir| scans(dir, [("a.xyz", "1 2 3\n"), ("a.ply", "x\n")]),
        "but for the ending",
        "a scan that is given twice",
    ),
    (PLANE, &|dir| fs::write(dir.join("r.npy"), "junk").unwrap(), "r.npy", "a file that cannot be read"),
];

#[test]
fn refusals_are_for_the_data_holder_and_listed() {
    let listed = THREAT_MODEL.split("## What a study refuses before its charge").nth(1).unwrap();
    let listed = listed.split("\n## ").next().unwrap();
    for (line, write, told, row) in CASES {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path());
        let (code, stdout, stderr) = visard(dir.path(), &format!("{line} --out study"));
        assert!(code == Some(1) && stdout.is_empty() && stderr.contains(told), "{line}: {told}: {stderr}");
        // Of scans there is a table that says what was wrong with each, for the data holder.
        let (study, of_scans) =
            (dir.path().join("study"), told.starts_with("none of the") || told.contains(".xyz cannot"));
        assert!(if of_scans { !study.join("release").exists() } else { !study.exists() }, "{line}: {told}");
        let ledger = fs::read_to_string(study.join("visard.ledger.jsonl")).unwrap_or_default();
        assert!(!ledger.contains("\"charge\""), "{line}: {ledger}");
        assert!(listed.contains(&format!("| {row}")), "{row} is not in the threat model");
    }
}
