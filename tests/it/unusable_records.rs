//! One rule for records that cannot be used, in every kind of study: they contribute zero and nothing published tells of them, or the
//! study stops at them before its charge where its holder asked for that.
//!
//! With one noise seed each study runs on good records, with one of them unusable, and with seventeen: what is published is the same but for
//! noised numbers, and holds no count of them.

use crate::command_line::visard;
use rand::SeedableRng;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use visard::io::write_npy;
use visard::study::face::{TemplateSource, load_template};
use visard::synth::FaceParameters;

/// Records of a study, and how many of them cannot be used in the worst of three tables. Both numbers, and their difference, are told apart
/// from all that a release says of itself.
const N: usize = 97;
const BAD: usize = 17;

/// What a run left for everybody to see.
#[derive(Debug, PartialEq)]
struct Published {
    said: Value,
    certificate: Value,
    /// Names, and sizes of those with a form.
    files: BTreeMap<String, Option<usize>>,
}

/// How many modes stand out of the noise, and what is null where the noise hides it: functions of noised values.
const OF_NOISE: [&str; 3] = ["visible", "certain", "explained_share"];

/// Numbers with a point are functions of noised values; whole ones are counts, and stay.
fn without_noised(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => "noised".into(),
        Value::Array(items) => items.iter().map(without_noised).collect(),
        Value::Object(map) => {
            let one = |(key, value): (&String, &Value)| match OF_NOISE.contains(&key.as_str()) {
                true => (key.clone(), "noised".into()),
                false => (key.clone(), without_noised(value)),
            };
            map.iter().map(one).collect()
        }
        other => other.clone(),
    }
}

/// The whole numbers of text, as words.
fn whole_numbers(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '.' || c == '-' || c == '+'));
    words.filter(|word| word.parse::<u32>().is_ok()).map(str::to_owned).collect()
}

/// Runs it; what it published, what was told to the data holder, and the whole numbers in all that is text in the release.
fn run(dir: &Path, line: &str) -> (Published, String, BTreeSet<String>) {
    let (code, stdout, stderr) = visard(dir, &format!("{line} --seed 3 --json --out study"));
    assert_eq!(code, Some(0), "{line}: {stderr}");
    let release = dir.join("study/release");
    let (mut files, mut numbers) = (BTreeMap::new(), whole_numbers(&stdout));
    for entry in fs::read_dir(&release).unwrap() {
        let entry = entry.unwrap();
        let (name, bytes) = (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap());
        let formed = name.ends_with(".npy") || name.ends_with(".ply");
        if !formed {
            // Pictures are drawn of released values.
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let text =
                text.split("<svg").map(|part| part.split_once("</svg>").map_or(part, |(_, rest)| rest));
            let text: String = text.collect::<Vec<_>>().join(" ");
            numbers.extend(text.split("base64,").flat_map(|part| {
                whole_numbers(
                    part.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "+/=".contains(c)),
                )
            }));
        }
        files.insert(name, formed.then_some(bytes.len()));
    }
    let mut certificate: Value =
        serde_json::from_slice(&fs::read(release.join("certificate.json")).unwrap()).unwrap();
    certificate["ledger"] = Value::Null;
    certificate["files"].as_array_mut().unwrap().iter_mut().for_each(|file| file["sha256"] = Value::Null);
    let published = Published {
        said: without_noised(&serde_json::from_str(&stdout).unwrap()),
        certificate: without_noised(&certificate),
        files,
    };
    (published, stderr, numbers)
}

/// `write` writes the records of which so many cannot be used.
fn audit(line: &str, write: &dyn Fn(&Path, usize)) {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let clean = || fs::remove_dir_all(dir.join("study")).unwrap_or_default();
    let mut runs = Vec::new();
    for bad in [0, 1, BAD] {
        write(dir, bad);
        runs.push(run(dir, line));
        let internal = dir.join("study/internal");
        let table = ["unusable.csv", "scans.csv"].map(|name| fs::read_to_string(internal.join(name)));
        let listed = table.into_iter().flatten().next().unwrap().lines().count() - 1;
        assert_eq!(listed, bad, "{line}: internal/ lists what cannot be used");
        let told = &runs.last().unwrap().1;
        assert_eq!(told.contains(&format!("note (do not publish): {bad} ")), bad > 0, "{line}: {told}");
        clean();
    }
    for (published, _, numbers) in &runs[1..] {
        assert_eq!(published, &runs[0].0, "{line}");
        for count in [BAD, N - BAD, N - 1].map(|count| count.to_string()) {
            assert!(!numbers.contains(&count) || runs[0].2.contains(&count), "{line}: {count} is published");
        }
    }
    let rule = runs[2].0.certificate["details"]["unusable_records"].as_str().unwrap();
    assert!(
        rule.starts_with("contribute zero: ")
            && rule.ends_with("their number is published with noise at most"),
        "{rule}"
    );
    // Refused, nothing is charged; where there is nothing to refuse, the certificate says what held.
    let refusing = format!("{line} --unusable refuse --out study");
    let (code, stdout, stderr) = visard(dir, &refusing);
    assert!(code == Some(1) && stdout.is_empty(), "{line}: {stderr}");
    assert!(!dir.join("study/release").exists(), "{line}");
    let ledger = fs::read_to_string(dir.join("study/visard.ledger.jsonl")).unwrap_or_default();
    assert!(!ledger.contains("\"charge\""), "{line}: {ledger}");
    clean();
    write(dir, 0);
    let (code, _, stderr) = visard(dir, &refusing);
    assert_eq!(code, Some(0), "{line}: {stderr}");
    let text = fs::read_to_string(dir.join("study/release/certificate.json")).unwrap();
    let certificate: Value = serde_json::from_str(&text).unwrap();
    assert!(
        certificate["details"]["unusable_records"].as_str().unwrap().starts_with("stop a study"),
        "{line}"
    );
}

/// The places of those that cannot be used.
fn is_bad(i: usize, bad: usize) -> bool {
    i % 5 == 2 && i / 5 < bad
}

const FORM: (usize, usize) = (6, 16);

/// Faces of made-up people.
static FACES: LazyLock<Vec<Vec<f64>>> = LazyLock::new(|| {
    let template = load_template(&TemplateSource::Builtin).unwrap().template;
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(5);
    let mut one = || FaceParameters::sample(&mut rng).vertices();
    let people: Vec<_> = (0..N).map(|_| one()).collect();
    people.iter().map(|v| template.curves_of(v, FORM.0, FORM.1).unwrap().data().to_vec()).collect()
});

/// Prepared faces: not numbers, too large, mirrored, off the centre.
fn faces(dir: &Path, bad: usize) {
    let mut all = FACES.clone();
    for (i, face) in all.iter_mut().enumerate().filter(|(i, _)| is_bad(*i, bad)) {
        match i % 4 {
            0 => face[7] = f64::NAN,
            1 => face.iter_mut().for_each(|x| *x *= 1.3),
            2 => face.iter_mut().step_by(3).for_each(|x| *x = -*x),
            _ => face.iter_mut().skip(1).step_by(3).for_each(|x| *x += 0.3),
        }
    }
    write_npy(&dir.join("f.npy"), &[N, FORM.0, FORM.1, 3], &all.concat()).unwrap();
    tables(dir);
}

fn tables(dir: &Path) {
    let group = |i: usize| if i.is_multiple_of(2) { "a" } else { "b" };
    let lines = |of: &dyn Fn(usize) -> String| (0..N).map(|i| format!("{i},{}\n", of(i))).collect::<String>();
    fs::write(dir.join("groups.csv"), format!("record,group\n{}", lines(&|i| group(i).into()))).unwrap();
    let age = lines(&|i| (20 + 3 * i % 50).to_string());
    fs::write(dir.join("ages.csv"), format!("record,age\n{age}")).unwrap();
}

#[test]
fn prepared_faces() {
    for study in ["mean --mu 2 --band", "modes --modes 2 --mu 8"] {
        audit(&format!("face {study} --prepared f.npy --curves 6 --samples 16"), &faces);
    }
}

#[test]
#[ignore = "slow: a minute; prepared_faces has the mean with its band, and modes"]
fn prepared_faces_by_other_means() {
    for study in [
        "mean --mu 2",
        "mean --mu 2 --mechanism curves",
        "regress --covariates ages.csv --bounds age=20:70 --mu 4",
        "compare --groups groups.csv --mu 2",
    ] {
        audit(&format!("face {study} --prepared f.npy --curves 6 --samples 16"), &faces);
    }
}

/// Shapes of landmarks: too many missing, all in one place, not in the plane's finite part.
fn shapes(dir: &Path, bad: usize) {
    let landmark = |i: usize, j: usize| {
        let t = std::f64::consts::TAU * j as f64 / 8.0;
        let r = 1.0 + 0.05 * ((7 * i * i + 5 * j + 3 * i * j) as f64).sin();
        [r * t.cos(), 0.6 * r * t.sin()]
    };
    let mut all: Vec<[f64; 2]> = (0..N).flat_map(|i| (0..8).map(move |j| landmark(i, j))).collect();
    for i in (0..N).filter(|i| is_bad(*i, bad)) {
        let own = &mut all[8 * i..8 * i + 8];
        match i % 3 {
            0 => own[1..].fill([f64::NAN; 2]),
            1 => own.fill([2.0, 2.0]),
            _ => own[3..].fill([f64::INFINITY, 0.0]),
        }
    }
    write_npy(&dir.join("s.npy"), &[N, 8, 2], all.as_flattened()).unwrap();
    let centre: Vec<f64> = (0..8).flat_map(|j| landmark(0, j)).collect();
    write_npy(&dir.join("c.npy"), &[1, 8, 2], &centre).unwrap();
    tables(dir);
}

#[test]
fn shapes_of_landmarks() {
    for study in [
        "mean s.npy --mu 3",
        "mean s.npy --center c.npy --radius 0.2 --mu 2 --band",
        "mean s.npy --mechanism gaussian --center c.npy --radius 0.2 --mu 2",
        "mean s.npy --mechanism gaussian --center private --radius 0.2 --mu 4",
        "mean s.npy --mechanism kng --center c.npy --radius 0.2 --epsilon 4",
        "modes s.npy --center c.npy --mu 8",
        "regress s.npy --covariates ages.csv --bounds age=20:70 --mu 4",
        "compare s.npy --groups groups.csv --mu 3",
    ] {
        audit(&format!("shape {study}"), &shapes);
    }
}

#[test]
fn points_and_functions() {
    let plane = |i: usize| [0.3 * (i as f64).sin(), 0.3 * (1.7 * i as f64).cos()];
    // Rows of another width, and words, among those that are numbers.
    let rows = |dir: &Path, bad: usize| {
        let row = |i: usize| match (is_bad(i, bad), i % 3) {
            (false, _) => format!("{},{}\n", plane(i)[0], plane(i)[1]),
            (true, 0) => "0.1\n".into(),
            (true, 1) => "7,7\n".into(),
            (true, _) => "0.1,0.1,0.1\n".into(),
        };
        fs::write(dir.join("r.csv"), format!("x,y\n{}", (0..N).map(row).collect::<String>())).unwrap();
    };
    audit("hyperbolic mean r.csv --radius 1 --mu 2", &rows);
    audit("hyperbolic mean r.csv --center private --first-radius 1.5 --radius 1 --mu 3", &rows);
    let sphere = |dir: &Path, bad: usize| {
        let row = |i: usize| match (is_bad(i, bad), plane(i)) {
            (false, [x, y]) => [x, y, (1.0 - x * x - y * y).sqrt()],
            (true, [x, y]) => [x, y, if i.is_multiple_of(2) { f64::NAN } else { 3.0 }],
        };
        let all: Vec<[f64; 3]> = (0..N).map(row).collect();
        write_npy(&dir.join("d.npy"), &[N, 3], all.as_flattened()).unwrap();
    };
    audit("sphere mean d.npy --center private --radius 0.5 --mu 4", &sphere);
    audit("optimize frechet-mean d.npy --space sphere --method rgd --clip-radius 1 --mu 2", &sphere);
    let matrices = |dir: &Path, bad: usize| {
        let matrix = |i: usize| match (is_bad(i, bad), plane(i)) {
            (false, [x, y]) => [1.0 + x, 0.1, 0.1, 1.0 + y],
            (true, [x, y]) => [1.0 + x, 0.1, if i.is_multiple_of(2) { 0.1 } else { 0.2 }, -1.0 - y.abs()],
        };
        let all: Vec<[f64; 4]> = (0..N).map(matrix).collect();
        write_npy(&dir.join("m.npy"), &[N, 2, 2], all.as_flattened()).unwrap();
    };
    for metric in ["log-euclidean", "affine-invariant"] {
        audit(&format!("spd mean m.npy --metric {metric} --radius 1 --mu 2"), &matrices);
    }
    let vectors = |dir: &Path, bad: usize| {
        let number = |i: usize, l: usize| match is_bad(i, bad) && l == i % 16 {
            true => f64::NAN,
            false => (0.4 * l as f64).sin() + 0.2 * ((7 * i * i + 3 * l) as f64).sin(),
        };
        let all: Vec<f64> = (0..N).flat_map(|i| (0..16).map(move |l| number(i, l))).collect();
        write_npy(&dir.join("v.npy"), &[N, 16], &all).unwrap();
    };
    audit("function mean v.npy --domain interval --bound 2 --mu 2", &vectors);
    audit("function mean v.npy --domain circle --bound 2 --mu 2 --band", &vectors);
    audit("optimize eigenvector v.npy --method moment --clip-radius 4 --mu 8", &vectors);
}

/// Prepared surfaces: not numbers, too large, off the centre.
fn surfaces(dir: &Path, bad: usize) {
    crate::surfaces::records(dir, N, &|i, record| match (is_bad(i, bad), i % 3) {
        (false, _) => {}
        (true, 0) => record[7] = f64::INFINITY,
        (true, 1) => record.iter_mut().for_each(|x| *x *= 2.0),
        (true, _) => record.iter_mut().skip(1).step_by(3).for_each(|y| *y += 90.0),
    });
    tables(dir);
}

#[test]
fn prepared_surfaces() {
    audit("surface mean --mu 2 --prepared u.npy --template t.ply", &surfaces);
}

#[test]
#[ignore = "slow: half a minute; prepared_surfaces has the mean"]
fn prepared_surfaces_by_other_statistics() {
    for study in ["modes --modes 2 --mu 8", "compare --groups groups.csv --mu 2"] {
        audit(&format!("surface {study} --prepared u.npy --template t.ply"), &surfaces);
    }
}

/// Without noise they are left out, and that is said.
#[test]
fn means_without_noise_leave_them_out_and_say_so() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    faces(dir, BAD);
    shapes(dir, BAD);
    for line in [
        "face mean --prepared f.npy --curves 6 --samples 16 --mechanism none",
        "shape mean s.npy --mechanism none",
        "shape mean s.npy --mechanism none --center c.npy --radius 0.2",
    ] {
        let (code, _, stderr) = visard(dir, &format!("{line} --out study"));
        assert_eq!(code, Some(0), "{line}: {stderr}");
        assert!(
            stderr.contains(&format!("{BAD} ")) && stderr.contains("left out of the mean"),
            "{line}: {stderr}"
        );
        fs::remove_dir_all(dir.join("study")).unwrap();
    }
}

/// The names of earlier versions do what is done now.
#[test]
fn the_former_option_is_taken() {
    let dir = tempfile::tempdir().unwrap();
    shapes(dir.path(), 3);
    let line = "shape mean s.npy --center c.npy --radius 0.2 --mu 2 --drop-unusable --out study";
    let (code, _, stderr) = visard(dir.path(), line);
    assert_eq!(code, Some(0), "{stderr}");
    let (code, _, stderr) = visard(dir.path(), &format!("{line} --force --unusable refuse"));
    assert!(code == Some(2) && stderr.contains("--unusable"), "{stderr}");
}
