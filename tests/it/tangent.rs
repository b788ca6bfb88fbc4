//! Modes, regressions and comparisons of functions, matrices, directions and hyperbolic points, through the command: what is released, what
//! is charged, what neighbours show, what is refused.

use crate::command_line::visard;
use serde_json::Value;
use std::fs;
use std::path::Path;
use visard::io::{npy, write_npy};

const N: usize = 80;

/// Every kind: its command, its file and place, and the axes of a record.
const KINDS: [(&str, &str, &[usize]); 12] = [
    ("function", "functions.npy --domain interval --bound 2", &[12]),
    ("function", "closed.npy --domain circle --bound 2 --center centre.npy --length 0.3", &[10, 2]),
    ("function", "disk.npy --domain disk --bound 2", &[3, 8]),
    ("spd", "matrices.npy --radius 2", &[2, 2]),
    ("spd", "matrices.npy --radius 2 --metric affine-invariant --center matrix.npy", &[2, 2]),
    ("sphere", "directions.npy --radius 0.6 --center north.npy", &[3]),
    ("hyperbolic", "poincare.npy --radius 1", &[2]),
    ("hyperbolic", "lorentz.npy --model lorentz --radius 1", &[3]),
    ("spd", "matrices.npy --radius 1 --center private --first-radius 3", &[2, 2]),
    ("spd", "matrices.npy --radius 1 --metric affine-invariant --center private --first-radius 3", &[2, 2]),
    ("sphere", "directions.npy --radius 0.6 --center private", &[3]),
    ("hyperbolic", "poincare.npy --radius 1 --center private --first-radius 3", &[2]),
];

const STATISTICS: [(&str, &str); 3] = [
    ("modes", "--modes 3"),
    ("regress", "--covariates ages.csv --bounds age=0:10"),
    ("compare", "--groups groups.csv"),
];

/// A number between -1 and 1, another one for every record and place.
fn wave(record: usize, place: usize) -> f64 {
    (((7 * record + 3 * place + 1) * (record + 11)) as f64).sin()
}

fn write(dir: &Path, name: &str, axes: &[usize], mut record: impl FnMut(usize) -> Vec<f64>) {
    let shape: Vec<usize> = std::iter::once(N).chain(axes.iter().copied()).collect();
    write_npy(&dir.join(name), &shape, &(0..N).flat_map(&mut record).collect::<Vec<_>>()).unwrap();
}

fn function(record: usize, samples: usize) -> Vec<f64> {
    let at = |l: usize| {
        let t = 6.3 * l as f64 / samples as f64;
        0.4 * wave(record, 1) + 0.3 * wave(record, 2) * t.cos() + 0.02 * wave(record, l + 3)
    };
    (0..samples).map(at).collect()
}

/// Records of all kinds, their public centres and tables.
fn write_records(dir: &Path) {
    write(dir, "functions.npy", &[12], |i| function(i, 12));
    write(dir, "closed.npy", &[10, 2], |i| function(i, 20));
    write(dir, "disk.npy", &[3, 8], |i| function(i, 24));
    write(dir, "matrices.npy", &[2, 2], |i| {
        let across = 0.2 * wave(i, 3);
        vec![1.2 + 0.4 * wave(i, 1), across, across, 1.3 + 0.3 * wave(i, 2)]
    });
    let plane = |i: usize| [0.3 * wave(i, 1), 0.2 * wave(i, 2)];
    write(dir, "directions.npy", &[3], |i| {
        let [x, y] = plane(i);
        vec![x, y, (1.0 - x * x - y * y).sqrt()]
    });
    write(dir, "poincare.npy", &[2], |i| plane(i).to_vec());
    write(dir, "lorentz.npy", &[3], |i| {
        let [x, y] = plane(i);
        vec![(1.0 + x * x + y * y).sqrt(), x, y]
    });
    write_npy(&dir.join("centre.npy"), &[10, 2], &[0.1; 20]).unwrap();
    write_npy(&dir.join("matrix.npy"), &[1, 2, 2], &[1.5, 0.2, 0.2, 1.0]).unwrap();
    write_npy(&dir.join("north.npy"), &[1, 3], &[0.0, 0.0, 1.0]).unwrap();
    let table = |heading: &str, value: &dyn Fn(usize) -> String| {
        (0..N).fold(format!("{heading}\n"), |text, i| format!("{text}{i},{}\n", value(i)))
    };
    fs::write(dir.join("ages.csv"), table("record,age", &|i| (i % 11).to_string())).unwrap();
    let group = |i: usize| if i.is_multiple_of(2) { "a".into() } else { "b".into() };
    fs::write(dir.join("groups.csv"), table("record,group", &group)).unwrap();
    let three = |i: usize| ["a", "b", "c"][i % 3].to_owned();
    fs::write(dir.join("three.csv"), table("record,group", &three)).unwrap();
}

fn json(file: &Path) -> Value {
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

fn axes(file: &Path) -> Vec<usize> {
    let array = npy::read(file).unwrap();
    assert!(array.data.iter().all(|x| x.is_finite()), "{}", file.display());
    array.shape
}

/// How often a ledger was charged.
fn charges(study: &Path) -> usize {
    let Ok(text) = fs::read_to_string(study.join("visard.ledger.jsonl")) else { return 0 };
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["entry"]["kind"] == "charge").count()
}

#[test]
fn every_statistic_of_every_kind_is_released_and_charged_once() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write_records(dir);
    for (place, (kind, records, one)) in KINDS.into_iter().enumerate() {
        for (statistic, options) in STATISTICS {
            let out = format!("{kind}-{place}-{statistic}");
            let line = format!("{kind} {statistic} {records} {options} --mu 3 --seed 1 --json --out {out}");
            let (code, stdout, stderr) = visard(dir, &line);
            assert_eq!(code, Some(0), "{line}: {stderr}");
            let said: Value = serde_json::from_str(&stdout).unwrap();
            let release = dir.join(&out).join("release");
            let counted = |many: &[usize]| [many, one].concat();
            let expected: Vec<(&str, Vec<usize>)> = match statistic {
                "modes" => {
                    let many = said["modes"].as_u64().unwrap() as usize;
                    assert!(many <= 3 && said["variances"].as_array().unwrap().len() == many, "{said}");
                    vec![("mean.npy", one.to_vec()), ("modes.npy", counted(&[many]))]
                }
                "regress" => {
                    assert_eq!(said["fields"][0]["column"], "age");
                    vec![
                        ("mean.npy", one.to_vec()),
                        ("fields.npy", counted(&[2])),
                        ("band.npy", counted(&[2, 1])),
                    ]
                }
                _ => {
                    assert!(said["test"]["p_value"].is_number() && said["map"][0]["size"].is_number());
                    assert_eq!(said["groups"][0]["n"], 40);
                    vec![
                        ("mean_a.npy", one.to_vec()),
                        ("mean_b.npy", one.to_vec()),
                        ("difference.npy", one.to_vec()),
                        ("difference_unshrunk.npy", one.to_vec()),
                        ("band.npy", counted(&[2])),
                    ]
                }
            };
            for (name, shape) in expected {
                assert_eq!(axes(&release.join(name)), shape, "{line}: {name}");
            }
            assert!(said["accuracy"]["rms"].as_f64().unwrap() > 0.0, "{line}: {said}");
            let certificate = json(&release.join("certificate.json"));
            assert_eq!(certificate["loss"], said["loss"], "{line}");
            assert_eq!(said["mu"], 3.0, "{line}: {said}");
            assert_eq!(certificate["n"], N, "{line}");
            let radius = certificate["details"]["public_radius"].as_f64().unwrap();
            // A private centre's own error comes on top of what was declared.
            let declared: f64 = ["--radius ", "--bound "]
                .into_iter()
                .find_map(|option| records.split(option).nth(1)?.split(' ').next()?.parse().ok())
                .unwrap();
            let is_private = records.contains("private");
            assert!(if is_private { radius > declared } else { radius == declared }, "{line}: {radius}");
            assert_eq!(charges(&dir.join(&out)), 1, "{line}");
            let internal = dir.join(&out).join("internal");
            assert_eq!(axes(&internal.join("nonprivate_mean.npy")), one, "{line}");
        }
    }
}

#[test]
fn several_groups_are_compared_with_the_first() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write_records(dir);
    let line = "sphere compare directions.npy --radius 0.6 --center north.npy --groups three.csv --mu 3 --seed 1 --out study";
    assert_eq!(visard(dir, line).0, Some(0));
    let release = dir.join("study/release");
    assert_eq!(axes(&release.join("difference.npy")), [2, 3]);
    assert_eq!(axes(&release.join("band.npy")), [2, 2, 3]);
    assert!(release.join("mean_c.npy").is_file());
}

/// A charged study is gone on with, at no second charge, and not by other records.
#[test]
fn a_finished_study_is_not_charged_again() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write_records(dir);
    let line = "hyperbolic modes poincare.npy --radius 1 --mu 3 --out study";
    assert_eq!(visard(dir, line).0, Some(0));
    assert_eq!(visard(dir, line).0, Some(1));
    assert_eq!(visard(dir, &format!("{line} --resume")).0, Some(0));
    assert_eq!(charges(&dir.join("study")), 1);
}

/// Replaces what is made of noised values: every number below these keys, and lists of them by one.
fn mask(value: &mut Value) {
    match value {
        Value::Number(_) => *value = "noised".into(),
        Value::Array(items) => {
            items.iter_mut().for_each(mask);
            items.dedup();
        }
        Value::Object(entries) => entries.values_mut().for_each(mask),
        _ => {}
    }
}

/// What a study publishes but for noised values: file names, what it printed, its certificate, its page without numbers.
fn published(dir: &Path, study: &str) -> (Vec<String>, Value, Value, Vec<u8>) {
    let (code, stdout, stderr) = visard(dir, &format!("{study} --seed 5 --json --out study"));
    assert_eq!(code, Some(0), "{study}: {stderr}");
    let release = dir.join("study/release");
    let entries = fs::read_dir(&release).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    let mut said: Value = serde_json::from_str(&stdout).unwrap();
    for key in
        ["accuracy", "modes", "visible", "certain", "shares", "variances", "fields", "test", "map", "band"]
    {
        mask(&mut said[key]);
    }
    mask(&mut said["explained_share"]);
    let mut certificate = json(&release.join("certificate.json"));
    certificate["ledger"] = Value::Null;
    for file in certificate["files"].as_array_mut().unwrap() {
        file["sha256"] = Value::Null;
    }
    for key in ["accuracy", "field_accuracy", "explained_share", "difference", "first_passes"] {
        mask(&mut certificate["details"][key]);
    }
    for key in ["modes", "test"] {
        let asked = certificate["details"][key]["asked"].clone();
        mask(&mut certificate["details"][key]);
        if asked.is_number() {
            certificate["details"][key]["asked"] = asked;
        }
    }
    // Where the radius of the second round is counted it is a noised value, and so is what follows from it.
    for key in ["clip_radius", "noise", "sensitivity"] {
        mask(&mut certificate[key]);
    }
    let value = names.iter().find(|name| name.starts_with("mean")).unwrap();
    let value = fs::read(release.join(value)).unwrap();
    fs::remove_dir_all(dir.join("study")).unwrap();
    (names, said, certificate, value)
}

/// The first record of an array replaced.
fn replace_first(file: &Path, by: &[f64]) {
    let mut array = npy::read(file).unwrap();
    array.data[..by.len()].copy_from_slice(by);
    write_npy(file, &array.shape, &array.data).unwrap();
}

#[test]
fn neighbours_publish_the_same_beside_noised_values() {
    let nan = f64::NAN;
    for (study, file, others) in [
        (
            "spd modes matrices.npy --radius 2 --mu 1",
            "matrices.npy",
            // Far away; not positive definite; no number.
            vec![vec![1e9, 0.0, 0.0, 1e-9], vec![1.0, 2.0, 2.0, 1.0], vec![nan, 0.0, 0.0, 1.0]],
        ),
        (
            "spd modes matrices.npy --radius 2 --metric affine-invariant --mu 0.5",
            "matrices.npy",
            vec![vec![1e9, 0.0, 0.0, 1e-9], vec![0.0; 4]],
        ),
        (
            "function regress functions.npy --domain interval --bound 2 --covariates ages.csv --bounds age=0:10 --mu 1",
            "functions.npy",
            vec![vec![1e200; 12], vec![f64::INFINITY; 12]],
        ),
        (
            "function modes disk.npy --domain disk --bound 2 --mu 2",
            "disk.npy",
            vec![vec![-1e9; 24], vec![nan; 24]],
        ),
        (
            "sphere compare directions.npy --radius 0.6 --center north.npy --groups groups.csv --mu 2",
            "directions.npy",
            // The antipode, its neighbour, off the sphere.
            vec![vec![0.0, 0.0, -1.0], vec![1e-7, 0.0, -1.0], vec![3.0, 0.0, 0.0]],
        ),
        (
            "hyperbolic regress poincare.npy --radius 1 --covariates ages.csv --bounds age=0:10 --mu 1",
            "poincare.npy",
            vec![vec![1.0 - 1e-12, 0.0], vec![2.0, 0.0]],
        ),
        (
            "spd regress matrices.npy --radius 1 --metric affine-invariant --center private --first-radius 3 --covariates ages.csv --bounds \
             age=0:10 --mu 1",
            "matrices.npy",
            vec![vec![1e9, 0.0, 0.0, 1e-9], vec![1.0, 2.0, 2.0, 1.0]],
        ),
        (
            "sphere modes directions.npy --radius 0.6 --center private --mu 2",
            "directions.npy",
            vec![vec![0.0, 0.0, -1.0], vec![3.0, 0.0, 0.0]],
        ),
    ] {
        let dir = tempfile::tempdir().unwrap();
        write_records(dir.path());
        let one = published(dir.path(), study);
        for record in others {
            replace_first(&dir.path().join(file), &record);
            let other = published(dir.path(), study);
            assert_eq!(one.0, other.0, "{study}, {record:?}: files");
            assert!(one.1 == other.1, "{study}, {record:?}: printed {:#} {:#}", one.1, other.1);
            assert!(one.2 == other.2, "{study}, {record:?}: certificate {:#} {:#}", one.2, other.2);
            assert!(one.3 != other.3, "{study}, {record:?}: the record does not enter at all");
        }
    }
}

/// Covariates are secret: a neighbour may have another one, or none.
#[test]
fn covariates_show_nowhere() {
    let dir = tempfile::tempdir().unwrap();
    write_records(dir.path());
    let study = "spd regress matrices.npy --radius 2 --covariates ages.csv --bounds age=0:10 --mu 1";
    let one = published(dir.path(), study);
    let ages = fs::read_to_string(dir.path().join("ages.csv")).unwrap();
    for line in ["0,1e9", "0,", "0,7"] {
        fs::write(dir.path().join("ages.csv"), ages.replacen("0,0", line, 1)).unwrap();
        let other = published(dir.path(), study);
        assert!(one.0 == other.0 && one.1 == other.1 && one.2 == other.2, "{line}");
        assert!(one.3 != other.3, "{line}: the covariate does not enter at all");
    }
}

#[test]
fn what_cannot_be_used_is_refused_before_any_charge() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write_records(dir);
    let groups = fs::read_to_string(dir.join("groups.csv")).unwrap();
    fs::write(dir.join("bad.csv"), groups.replace("\n7,b", "\n7,no label")).unwrap();
    fs::write(dir.join("short.csv"), "record,group\n0,a\n1,b\n").unwrap();
    fs::write(dir.join("strange.csv"), "record,age\n900,3\n").unwrap();
    let big: Vec<f64> = (0..2)
        .flat_map(|i| (0..900).map(move |k| f64::from(u8::from(k % 31 == 0)) * (1.0 + f64::from(i))))
        .collect();
    write_npy(&dir.join("big.npy"), &[2, 30, 30], &big).unwrap();
    for (line, code, words) in [
        ("spd modes matrices.npy --mu 1", 2, "--radius F"),
        ("sphere modes directions.npy --center north.npy --mu 1", 2, "--radius F"),
        ("hyperbolic compare poincare.npy --groups groups.csv --mu 1", 2, "--radius F"),
        ("function modes functions.npy --domain interval --mu 1", 2, "--bound F"),
        ("sphere modes directions.npy --radius 0.6 --mu 1", 1, "--center FILE"),
        (
            "sphere modes directions.npy --radius 0.6 --center private --mu 0.01",
            1,
            "too few for a private centre",
        ),
        ("hyperbolic modes poincare.npy --radius 1 --center private --mu 1", 1, "--first-radius F"),
        ("spd modes matrices.npy --radius 2 --center private --mu 1", 1, "--first-radius F"),
        (
            "spd modes matrices.npy --radius 2 --center private --first-radius 2 --mu 1",
            1,
            "must exceed --radius",
        ),
        ("spd modes matrices.npy --radius 2 --center north.npy --mu 1", 1, "north.npy"),
        ("spd modes matrices.npy --radius -1 --mu 1", 2, "radius"),
        ("spd modes matrices.npy --radius 1000 --mu 1", 1, "smaller --radius"),
        ("spd modes big.npy --radius 2 --mu 1", 1, "465 coordinates"),
        ("spd modes matrices.npy --radius 2 --mu 1 --metric bures-wasserstein", 2, "invalid value"),
        ("spd modes matrices.npy --radius 2 --epsilon 1", 2, "--delta"),
        ("spd modes matrices.npy --radius 2", 2, "--mu"),
        (
            "sphere compare directions.npy --radius 0.6 --center north.npy --groups bad.csv --mu 1",
            1,
            "no label",
        ),
        (
            "sphere compare directions.npy --radius 0.6 --center north.npy --groups short.csv --mu 1",
            1,
            "is in no group",
        ),
        (
            "spd regress matrices.npy --radius 2 --covariates strange.csv --bounds age=0:10 --mu 1",
            1,
            "is not a record",
        ),
        (
            "spd regress matrices.npy --radius 2 --covariates ages.csv --bounds size=0:10 --mu 1",
            1,
            "no column size",
        ),
        (
            "spd regress matrices.npy --radius 2 --covariates ages.csv --bounds age=0:10 --mu 0.01",
            1,
            "too many for 80 records",
        ),
        (
            "function compare functions.npy --domain circle --bound 0 --groups groups.csv --mu 1",
            1,
            "positive",
        ),
    ] {
        let (found, _, stderr) = visard(dir, &format!("{line} --out study"));
        assert_eq!(found, Some(code), "{line}: {stderr}");
        assert!(stderr.contains(words), "{line}: {stderr}");
        assert_eq!(charges(&dir.join("study")), 0, "{line}");
        assert!(!dir.join("study/release").exists(), "{line}");
        let _ = fs::remove_dir_all(dir.join("study"));
    }
    // The antipode stops a study that is told to stop.
    replace_first(&dir.join("directions.npy"), &[0.0, 0.0, -1.0]);
    let line =
        "sphere modes directions.npy --radius 0.6 --center north.npy --unusable refuse --mu 1 --out study";
    let (code, _, stderr) = visard(dir, line);
    assert!(code == Some(1) && stderr.contains("record 1") && charges(&dir.join("study")) == 0, "{stderr}");
}

/// n counts persons where a table says who gave which records.
#[test]
fn persons_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write_records(dir);
    let people = (0..N).fold(String::from("record,person\n"), |text, i| format!("{text}{i},p{}\n", i / 2));
    fs::write(dir.join("people.csv"), people).unwrap();
    for (kind, records, _) in KINDS {
        for (statistic, options) in [STATISTICS[0], STATISTICS[1]] {
            let line = format!(
                "{kind} {statistic} {records} {options} --people people.csv --mu 3 --json --out study"
            );
            let (code, stdout, stderr) = visard(dir, &line);
            assert_eq!(code, Some(0), "{line}: {stderr}");
            let said: Value = serde_json::from_str(&stdout).unwrap();
            assert_eq!(said["n"], N / 2, "{line}");
            let certificate = json(&dir.join("study/release/certificate.json"));
            assert_eq!(certificate["details"]["record_kind"], "person", "{line}");
            fs::remove_dir_all(dir.join("study")).unwrap();
        }
    }
}
