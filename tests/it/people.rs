//! Who counts as a person: identical records are refused, and the average of one person's records is one record.

use crate::command_line::visard;
use serde_json::Value;
use std::fs;
use std::path::Path;
use visard::io::{npy, write_npy, write_ply};
use visard::mesh::TriMesh;
use visard::synth::{ScanConditions, person};

/// Rows of the plane near the origin, all different.
fn rows(n: usize) -> Vec<f64> {
    (0..n).flat_map(|i| [0.2 * (i as f64).sin(), 0.2 * (1.7 * i as f64).cos()]).collect()
}

fn write_rows(dir: &Path, name: &str, rows: &[f64]) {
    write_npy(&dir.join(name), &[rows.len() / 2, 2], rows).unwrap();
}

fn write_people(dir: &Path, lines: &[(String, String)]) {
    let lines: String = lines.iter().map(|(record, person)| format!("{record},{person}\n")).collect();
    fs::write(dir.join("people.csv"), format!("record,person\n{lines}")).unwrap();
}

fn succeeds(dir: &Path, line: &str) -> Value {
    let (code, stdout, stderr) = visard(dir, &format!("{line} --json"));
    assert_eq!(code, Some(0), "{line}: {stderr}");
    serde_json::from_str(&stdout).unwrap()
}

/// Refused with exit code 1, nothing charged and nothing left behind.
fn refused(dir: &Path, line: &str, expected: &[&str]) {
    let (code, _, stderr) = visard(dir, line);
    assert_eq!(code, Some(1), "{line}: {stderr}");
    for words in expected {
        assert!(stderr.contains(words), "{line}: expected {words}: {stderr}");
    }
    assert!(!dir.join("study").exists(), "{line}");
}

fn certificate(dir: &Path) -> Value {
    serde_json::from_slice(&fs::read(dir.join("study/release/certificate.json")).unwrap()).unwrap()
}

fn clean(dir: &Path) {
    fs::remove_dir_all(dir.join("study")).unwrap();
}

const PLANE: &str =
    "hyperbolic mean r.npy --mechanism tangent-gaussian --radius 1 --mu 2 --seed 4 --out study";

#[test]
fn identical_records_are_refused_by_every_study() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let mut twice = rows(60);
    twice.copy_within(6..8, 90);
    write_rows(dir, "r.npy", &twice);
    let lifted: Vec<f64> =
        twice.chunks(2).flat_map(|p| [p[0], p[1], (1.0 - p[0] * p[0] - p[1] * p[1]).sqrt()]).collect();
    write_npy(&dir.join("s.npy"), &[60, 3], &lifted).unwrap();
    fs::write(dir.join("c.csv"), "x,y,z\n0,0,1\n").unwrap();
    let matrices: Vec<f64> = twice.chunks(2).flat_map(|p| [1.0 + p[0], 0.1, 0.1, 1.0 + p[1]]).collect();
    write_npy(&dir.join("m.npy"), &[60, 2, 2], &matrices).unwrap();
    let shape = |id: &str, p: &[f64]| format!("LM=4\n0 0\n1 0\n{} 1\n{} 1\nID={id}\n", 1.0 + p[0], p[1]);
    let shapes: String = twice.chunks(2).enumerate().map(|(i, p)| shape(&format!("s{i}"), p)).collect();
    fs::write(dir.join("t.tps"), shapes).unwrap();
    fs::write(dir.join("c.tps"), shape("c", &[0.0, 0.0])).unwrap();
    let both = ["record 4 (counting from 1)", "record 46 (counting from 1)", "--allow-identical"];
    for (line, names) in [
        (PLANE.to_owned(), both),
        ("sphere mean s.npy --center c.csv --radius 0.5 --mu 2 --out study".into(), both),
        ("spd mean m.npy --radius 1 --mu 2 --out study".into(), both),
        (
            "shape mean t.tps --center c.tps --radius 0.3 --mu 2 --out study".into(),
            ["\"s3\"", "\"s45\"", "line 19"],
        ),
        (
            "optimize frechet-mean r.npy --space poincare --method rgd --clip-radius 1 --mu 2 --out study"
                .into(),
            both,
        ),
        ("optimize eigenvector m.npy --method rgd --clip-radius 1 --mu 2 --out study".into(), both),
    ] {
        refused(dir, &line, &names);
        succeeds(dir, &format!("{line} --allow-identical"));
        assert!(certificate(dir)["details"]["identical_records"].as_str().unwrap().starts_with("count as"));
        clean(dir);
        // A table that says that both are one person's is as good.
        let person = |i: usize| if i == 45 { "p3".to_owned() } else { format!("p{i}") };
        let record = |i: usize| if line.contains("t.tps") { format!("s{i}") } else { i.to_string() };
        write_people(dir, &(0..60).map(|i| (record(i), person(i))).collect::<Vec<_>>());
        assert_eq!(succeeds(dir, &format!("{line} --people people.csv"))["n"], 59);
        let found = certificate(dir);
        assert_eq!((&found["n"], &found["details"]["record_kind"]), (&59.into(), &"person".into()));
        assert!(found["details"]["identical_records"].as_str().unwrap().starts_with("stop"));
        assert!(found["details"]["people"].as_str().unwrap().contains("one person"));
        let (_, explained, _) = visard(dir, "privacy explain study/release/certificate.json");
        assert!(
            explained.contains("59 persons") && explained.contains("with all their records"),
            "{explained}"
        );
        clean(dir);
    }
}

/// A person is the average of their records in the ball: the release is that of the averages, for one noise seed.
#[test]
fn the_average_of_a_persons_records_is_one_record() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    // In the log-Euclidean metric averages are those of the logarithms: diagonal matrices exp(x), exp(y).
    let matrices = |rows: &[f64]| -> Vec<f64> {
        rows.chunks(2).flat_map(|p| [p[0].exp(), 0.0, 0.0, p[1].exp()]).collect()
    };
    let mut records = rows(90);
    // One record far outside is brought into the ball of radius 1 before it is averaged.
    records[60..62].copy_from_slice(&[30.0, 40.0]);
    let person = |i: usize| i % 45;
    let mut averages = vec![0.0; 90];
    for (i, p) in records.chunks(2).enumerate() {
        let shorten = 1.0 / p[0].hypot(p[1]).max(1.0);
        (0..2).for_each(|k| averages[2 * person(i) + k] += 0.5 * shorten * p[k]);
    }
    write_npy(&dir.join("records.npy"), &[90, 2, 2], &matrices(&records)).unwrap();
    write_npy(&dir.join("averages.npy"), &[45, 2, 2], &matrices(&averages)).unwrap();
    write_people(dir, &(0..90).map(|i| (i.to_string(), format!("p{}", person(i)))).collect::<Vec<_>>());
    for mechanism in ["tangent-gaussian --mu 3", "tangent-laplace --epsilon 3", "kng --epsilon 3"] {
        let line = format!("spd mean FILE --mechanism {mechanism} --radius 1 --seed 3 --out study");
        let mut found = Vec::new();
        for words in ["records.npy --people people.csv", "averages.npy"] {
            assert_eq!(succeeds(dir, &line.replace("FILE", words))["n"], 45);
            found.push(npy::read(&dir.join("study/release/mean.npy")).unwrap().data);
            clean(dir);
        }
        let most = found[0].iter().zip(&found[1]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(most < 1e-6, "{mechanism}: {most}");
    }
    // About a private centre, on a space where averages are Fréchet means, and in an optimization.
    write_rows(dir, "r.npy", &rows(90));
    for line in [
        "hyperbolic mean r.npy --center private --first-radius 2 --radius 1 --mu 3 --out study",
        "optimize frechet-mean r.npy --space poincare --method rgd --clip-radius 1 --mu 2 --out study",
    ] {
        let line = format!("{line} --people people.csv");
        assert_eq!(succeeds(dir, &format!("{line} --dry-run"))["n"], 45);
        assert_eq!(succeeds(dir, &line)["n"], 45);
        clean(dir);
    }
}

#[test]
fn a_person_keeps_the_price_whatever_their_records_are() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write_people(dir, &(0..60).map(|i| (i.to_string(), format!("p{}", i / 2))).collect::<Vec<_>>());
    let mut found = Vec::new();
    for bad in [&[][..], &[0], &[0, 1]] {
        let mut records = rows(60);
        bad.iter().for_each(|&i: &usize| records[2 * i] = f64::NAN);
        write_rows(dir, "r.npy", &records);
        let line = format!("{PLANE} --people people.csv");
        let (mut said, mut certificate) = (succeeds(dir, &line), certificate(dir));
        // Functions of the noised values.
        (said["accuracy"], certificate["details"]["accuracy"]) = (Value::Null, Value::Null);
        (certificate["ledger"], certificate["files"]) = (Value::Null, Value::Null);
        found.push((said, certificate));
        clean(dir);
    }
    assert!(found.windows(2).all(|pair| pair[0] == pair[1]));
}

/// Opposite directions have no average: about a private centre, where no ball is known yet, such a person contributes zero, or is named.
#[test]
fn people_without_an_average_contribute_zero_or_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let direction = |p: &[f64]| [p[0], p[1], (1.0 - p[0] * p[0] - p[1] * p[1]).sqrt()];
    let mut directions: Vec<[f64; 3]> = rows(200).chunks(2).map(direction).collect();
    directions[7] = [1.0, 0.0, 0.0];
    directions.push([-1.0, 0.0, 0.0]);
    write_npy(&dir.join("s.npy"), &[201, 3], directions.as_flattened()).unwrap();
    write_people(
        dir,
        &(0..201).map(|i| (i.to_string(), format!("p{}", if i == 200 { 7 } else { i }))).collect::<Vec<_>>(),
    );
    let line = "sphere mean s.npy --center private --radius 0.5 --mu 3 --people people.csv --out study";
    let refuse = format!("{line} --unusable refuse");
    refused(dir, &refuse, &["record 8 (counting from 1): the records of this person have no average"]);
    assert_eq!(succeeds(dir, line)["n"], 200);
    clean(dir);
    fs::write(dir.join("c.csv"), "x,y,z\n0,0,1\n").unwrap();
    assert_eq!(succeeds(dir, &line.replace("private", "c.csv"))["n"], 200);
}

#[test]
fn tables_of_people_that_do_not_fit_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write_rows(dir, "r.npy", &rows(3));
    let optimize =
        "optimize frechet-mean r.npy --space poincare --method rgd --clip-radius 1 --mu 2 --out study";
    for (text, expected) in [
        ("record,person\n0,a\n1,b\n3,b\n", &["people.csv: line 4, \"3\"", "not a record of this study"][..]),
        ("record,person\n0,a\n1,b\n1,b\n", &["line 4, \"1\"", "in line 3 already"]),
        ("record,person\n0,a\n1,b\n", &["\"2\"", "has no person"]),
        ("record,person\n0,a\n1,b\n2,\n", &["line 4", "the person is missing"]),
        ("0,a\n1,b\n2,c\n", &["no heading with the columns record and person"]),
    ] {
        fs::write(dir.join("people.csv"), text).unwrap();
        for line in [PLANE, optimize] {
            refused(dir, &format!("{line} --people people.csv"), expected);
            refused(dir, &format!("{line} --people people.csv --dry-run"), expected);
        }
    }
    refused(dir, &format!("{PLANE} --people nowhere.csv"), &["nowhere.csv"]);
}

/// Copies of a scan are refused; the faces of one person's scans are averaged, and a person whose scans all fail stays.
#[test]
fn scans_of_one_person_are_one_face() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let scans = dir.join("scans");
    fs::create_dir(&scans).unwrap();
    for i in 0..3 {
        let cloud = TriMesh::new(person(7, i, &ScanConditions::demo()).points, Vec::new()).unwrap();
        write_ply(&scans.join(format!("s{i}.ply")), &cloud).unwrap();
    }
    let curves = |line: &str| -> Vec<f64> {
        succeeds(dir, &format!("face mean {line} --mechanism none --curves 6 --samples 16 --out study"));
        let found = npy::read(&dir.join("study/internal/nonprivate_curves.npy")).unwrap().data;
        clean(dir);
        found
    };
    let faces: Vec<Vec<f64>> = (0..3).map(|i| curves(&format!("scans/s{i}.ply"))).collect();
    fs::write(scans.join("bad.xyz"), "1 2 none\n").unwrap();
    fs::write(scans.join("worse.xyz"), "none\n").unwrap();
    // Ann has two scans and one that fails, Bob one; Cid's only one fails: he counts, and is left out here.
    let people = ["s0.ply,ann", "scans/s1.ply,ann", "./scans/bad.xyz,ann", "s2.ply,bob", "worse.xyz,cid"];
    write_people(dir, &people.map(|line| line.split_once(',').map(|(a, b)| (a.into(), b.into())).unwrap()));
    let together = curves("scans --people people.csv");
    let of_two: Vec<f64> =
        (0..faces[0].len()).map(|k| 0.5 * (faces[0][k] + faces[1][k]) + faces[2][k]).collect();
    for k in 0..of_two.len() {
        assert!((2.0 * together[k] - of_two[k]).abs() < 1e-9, "{k}");
    }
    fs::write(scans.join("bad.xyz"), "none\n").unwrap();
    assert_eq!(curves("scans/s0.ply scans/bad.xyz"), faces[0]);
    // The two that fail are the same file now.
    let line = "face mean scans --mu 2 --curves 6 --samples 16 --out study";
    refused(dir, line, &["scans/bad.xyz and scans/worse.xyz are identical", "nothing was charged"]);
    assert_eq!(succeeds(dir, &format!("{line} --dry-run --people people.csv"))["n"], 3);
    refused(dir, &format!("{line} --people people.csv"), &["identical"]);
    let said = succeeds(dir, &format!("{line} --people people.csv --allow-identical"));
    assert_eq!((&said["n"], &certificate(dir)["n"]), (&3.into(), &3.into()));
    assert_eq!(certificate(dir)["details"]["record_kind"], "person");
    let page = fs::read_to_string(dir.join("study/release/report.html")).unwrap();
    assert!(page.contains("average face of records of 3 persons"));
    clean(dir);
    fs::write(dir.join("people.csv"), "record,person\ns0.ply,ann\ns9.ply,ann\n").unwrap();
    refused(dir, &format!("{line} --people people.csv"), &["has no person"]);
}

/// Records of an optimization that have no gradient stop it, or count as zero where that was asked for, and the certificate says which.
#[test]
fn optimizations_treat_unusable_records_as_other_studies_do() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let sphere = |bad: &[(usize, [f64; 3])]| {
        let rows = rows(200);
        let mut lifted: Vec<f64> =
            rows.chunks(2).flat_map(|p| [p[0], p[1], (1.0 - p[0] * p[0] - p[1] * p[1]).sqrt()]).collect();
        bad.iter().for_each(|(i, p)| lifted[3 * i..3 * i + 3].copy_from_slice(p));
        write_npy(&dir.join("r.npy"), &[200, 3], &lifted).unwrap();
    };
    let budget = "--clip-radius 1 --epsilon 1 --delta 1e-6 --seed 2 --out study";
    for (task, bad) in [
        // Off the sphere, and opposite to the start, where no gradient leads anywhere.
        ("frechet-mean r.npy --space sphere --method rgd", [1.0, 1.0, 1.0]),
        ("frechet-mean r.npy --space sphere --method rsgd --steps 20", [0.0, 0.0, -1.0]),
        ("eigenvector r.npy --unit-records --method rgd", [0.0, 0.0, 0.0]),
        ("eigenvector r.npy --method rsvrg", [0.0, f64::NAN, 0.0]),
        ("subspace r.npy --rank 2 --unit-records --method rgd", [f64::INFINITY, 0.0, 0.0]),
    ] {
        let line = format!("optimize {task} {budget}");
        sphere(&[(7, bad)]);
        refused(dir, &format!("{line} --unusable refuse"), &["record 8", "nothing was charged"]);
        let mut found = Vec::new();
        for bad in [&[][..], &[(7, bad)], &[(7, bad), (150, bad)]] {
            sphere(bad);
            let said = succeeds(dir, &format!("{line} --allow-identical"));
            let mut certificate = certificate(dir);
            let rule = certificate["details"]["unusable_records"].as_str().unwrap();
            assert!(rule.starts_with("contribute zero"), "{rule}");
            (certificate["ledger"], certificate["files"]) = (Value::Null, Value::Null);
            let names: Vec<_> =
                fs::read_dir(dir.join("study/release")).unwrap().map(|f| f.unwrap().file_name()).collect();
            found.push((said, certificate, names.len()));
            clean(dir);
        }
        assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{task}");
        sphere(&[]);
        succeeds(dir, &format!("{line} --unusable refuse"));
        assert!(
            certificate(dir)["details"]["unusable_records"].as_str().unwrap().starts_with("stop a study")
        );
        clean(dir);
    }
}
