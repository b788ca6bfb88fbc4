//! A study in two stages: shards that make records, in any number of processes, killed and begun again; and a second stage that reads them
//! and nothing else. Its release is that of one process.

use crate::command_line::visard;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use visard::io::{Manifest, write_ply};
use visard::mesh::TriMesh;
use visard::privacy::Mu;
use visard::study::Place;
use visard::study::face::prepare::{PrepareSettings, PreparedShard, prepare};
use visard::study::face::{FaceInputs, FaceStudySettings, StudyError, run};
use visard::study::records::{RecordFolder, RecordsError, Shard, Status};
use visard::synth::{ScanConditions, person};

const FORM: &str = "--curves 6 --samples 16";

/// A scan of a person, who is told by the number.
fn write_person(file: &Path, index: usize) {
    let cloud = TriMesh::new(person(7, index, &ScanConditions::demo()).points, Vec::new()).unwrap();
    write_ply(file, &cloud).unwrap();
}

/// A folder with scans of n people and a manifest in an order that is not that of the names.
fn scans(n: usize) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("scans")).unwrap();
    let mut manifest = String::from("file,age,group\n");
    for i in (0..n).rev() {
        write_person(&dir.path().join(format!("scans/p{i}.ply")), i);
        manifest += &format!("scans/p{i}.ply,{},{}\n", 20 + i, ["a", "b"][i % 2]);
    }
    fs::write(dir.path().join("all.csv"), manifest).unwrap();
    dir
}

/// A release without what is its ledger's own: file by file.
pub fn release(study: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(study.join("release")).unwrap() {
        let entry = entry.unwrap();
        let (name, mut bytes) =
            (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).unwrap());
        if name == "certificate.json" {
            let mut value: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
            value["ledger"] = serde_json::Value::Null;
            value["files"] = serde_json::Value::Null;
            bytes = value.to_string().into_bytes();
        } else if name.ends_with(".html") {
            let mut page = String::from_utf8(bytes).unwrap();
            // The certificate to be downloaded.
            let mark = "application/json;base64,";
            while let Some(at) = page.find(mark) {
                let rest = &page[at + mark.len()..];
                let end = rest
                    .find(|c: char| !c.is_ascii_alphanumeric() && !"+/=".contains(c))
                    .unwrap_or(rest.len());
                page.replace_range(at..at + mark.len() + end, "");
            }
            let is_sum = |word: &str| word.len() > 32 && word[..32].bytes().all(|b| b.is_ascii_hexdigit());
            let words = page.split_inclusive(|c: char| !c.is_ascii_alphanumeric());
            bytes = words.filter(|word| !is_sum(word)).collect::<String>().into_bytes();
        }
        files.insert(name, bytes);
    }
    files
}

pub fn assert_same(a: &Path, b: &Path) {
    let (one, other) = (release(a), release(b));
    assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
    for (name, bytes) in &one {
        assert!(*bytes == other[name], "{name} of {} and {}", a.display(), b.display());
    }
}

fn inputs(dir: &Path, out: &str) -> FaceInputs {
    let place = Place { seed: Some(11), ..Place::new(dir.join(out)) };
    FaceInputs { curves: 6, samples: 16, manifest: Some(dir.join("all.csv")), ..FaceInputs::new([], place) }
}

fn prepared(dir: &Path, shard: &str) -> Result<PreparedShard, StudyError> {
    let shard: Shard = shard.parse().unwrap();
    prepare(&PrepareSettings { records: inputs(dir, ""), shard, out: dir.join("records") }, &|_| {})
}

fn second(dir: &Path, out: &str, change: impl Fn(&mut FaceInputs)) -> Result<usize, StudyError> {
    let mut records = FaceInputs { records: Some(dir.join("records")), ..inputs(dir, out) };
    change(&mut records);
    let place = records.place.clone();
    let settings = FaceStudySettings { records, ..FaceStudySettings::new([], place, Mu::new(2.0).unwrap()) };
    run(&settings, &|_| {}).map(|outcome| outcome.failed)
}

/// Eight shards in one folder at once, each killed at some moment and begun again; then the statistics, each as one process has them.
#[test]
#[ignore = "slow: half a minute; what_is_lost_counts_as_the_template_and_n_stays is short"]
fn shards_killed_and_begun_again_release_what_one_process_does() {
    let dir = scans(9);
    let path = dir.path();
    fs::write(path.join("scans/p4.ply"), "ply\nno scan").unwrap();
    let shard = |k: usize| {
        let line = format!("face prepare --manifest all.csv --shard {k}/8 --out records {FORM} --threads 1");
        let mut command = Command::new(env!("CARGO_BIN_EXE_visard"));
        command.current_dir(path).args(line.split(' ')).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().unwrap()
    };
    for wait in [40, 700] {
        let mut children: Vec<_> = (1..=8).map(shard).collect();
        std::thread::sleep(Duration::from_millis(wait));
        children.iter_mut().for_each(|child| child.kill().unwrap());
        for child in &mut children {
            child.wait().unwrap();
        }
    }
    for mut child in (1..=8).map(shard).collect::<Vec<_>>() {
        assert!(child.wait().unwrap().success());
    }
    // Twice over: nothing is made again, and the indexes stay.
    let (code, out, err) =
        visard(path, &format!("--json face prepare --manifest all.csv --shard 1/8 --out records {FORM}"));
    let said: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &said["rows"], &said["reused"]), (Some(0), &2.into(), &2.into()), "{err}");
    // Stage two opens no scan: there are none.
    for (statistic, options) in [
        ("mean", "--mu 1 --size"),
        ("modes", "--mu 3"),
        ("compare", "--mu 2 --want map"),
        ("regress", "--bounds age=10:40 --mu 30 --vacuous-budget"),
    ] {
        let line = |from: &str, out: &str| {
            format!("face {statistic} {from} --manifest all.csv --out {out} --seed 5 {FORM} {options}")
        };
        let (one, two) = (format!("one-{statistic}"), format!("two-{statistic}"));
        let (code, _, err) = visard(path, &line("--threads 2", &one));
        assert_eq!(code, Some(0), "{err}");
        fs::rename(path.join("scans"), path.join("away")).unwrap();
        let (code, _, err) = visard(path, &line("--records records --threads 1", &two));
        fs::rename(path.join("away"), path.join("scans")).unwrap();
        assert_eq!(code, Some(0), "{err}");
        assert!(err.contains("1 of 9 records could not be used"), "{err}");
        assert_same(&path.join(&one), &path.join(&two));
    }
}

#[test]
fn what_is_lost_counts_as_the_template_and_n_stays() {
    let dir = scans(5);
    let path = dir.path();
    for k in 1..=2 {
        let shard = prepared(path, &format!("{k}/2")).unwrap();
        assert_eq!((shard.n, shard.rows, shard.failed), (5, 4 - k, 0));
    }
    let manifest = Manifest::read(&path.join("all.csv")).unwrap();
    let folder = RecordFolder::open(&path.join("records"), &manifest).unwrap();
    assert!(folder.faces().all(|record| record.status == Status::Made && record.curves.is_some()));
    assert_eq!(second(path, "whole", |records| records.complete = true).unwrap(), 0);
    // A damaged record, and one that is gone.
    let file = |row: usize| path.join(format!("records/{}.curves.npy", folder.name(row)));
    let mut bytes = fs::read(file(1)).unwrap();
    let last = bytes.len() - 3;
    bytes[last] ^= 1;
    fs::write(file(1), bytes).unwrap();
    fs::remove_file(file(2)).unwrap();
    let found: Vec<Status> = folder.faces().map(|record| record.status).collect();
    assert_eq!(found, [Status::Made, Status::Lost, Status::Lost, Status::Made, Status::Made]);
    let refused = second(path, "study", |records| records.complete = true).unwrap_err();
    assert!(
        matches!(&refused, StudyError::Records(RecordsError::Incomplete { lost: 2, n: 5, .. })),
        "{refused}"
    );
    assert!(!path.join("study").exists());
    assert_eq!(second(path, "study", |_| {}).unwrap(), 2);
    let certificate = fs::read_to_string(path.join("study/release/certificate.json")).unwrap();
    assert!(certificate.contains("\"n\": 5") || certificate.contains("\"n\":5"));
    // The same as of people whose scans cannot be read: nothing of the folder is in the release.
    for i in [2, 3] {
        fs::write(path.join(format!("scans/p{i}.ply")), format!("nothing {i}")).unwrap();
    }
    let place = inputs(path, "direct").place;
    let settings = FaceStudySettings {
        records: inputs(path, "direct"),
        ..FaceStudySettings::new([], place, Mu::new(2.0).unwrap())
    };
    run(&settings, &|_| {}).unwrap();
    assert_same(&path.join("study"), &path.join("direct"));
    // A whole shard that never ran.
    fs::remove_file(path.join("records/index-2-of-2.jsonl")).unwrap();
    assert_eq!(second(path, "half", |_| {}).unwrap(), 3);
    // Prepared again, what was damaged is made anew, and the index with it.
    for i in [2, 3] {
        write_person(&path.join(format!("scans/p{i}.ply")), i);
    }
    for k in 1..=2 {
        prepared(path, &format!("{k}/2")).unwrap();
    }
    assert_eq!(second(path, "again", |records| records.complete = true).unwrap(), 0);
    assert_same(&path.join("whole"), &path.join("again"));
}

#[test]
fn folders_that_are_not_of_this_study_are_refused_and_nothing_is_charged() {
    let dir = scans(4);
    let path = dir.path();
    prepared(path, "1/1").unwrap();
    let refused = |what: &str, result: Result<usize, StudyError>| {
        let error = result.unwrap_err().to_string();
        assert!(error.contains(what), "{what}: {error}");
        assert!(!path.join("study").exists(), "{what}");
    };
    refused("another form (--curves 6", second(path, "study", |records| records.curves = 7));
    refused("another crop radius", second(path, "study", |records| records.crop_radius = Some(90.0)));
    refused(
        "holds no prepared records",
        second(path, "study", |records| records.records = Some(path.join("scans"))),
    );
    let all = fs::read_to_string(path.join("all.csv")).unwrap();
    let manifest = |text: &str| fs::write(path.join("all.csv"), text).unwrap();
    manifest("file\nscans/p0.ply\nscans/p1.ply\n");
    refused("which the manifest does not list", second(path, "study", |_| {}));
    let error = prepared(path, "1/1").unwrap_err().to_string();
    assert!(error.contains("which the manifest does not list"), "two studies in one folder: {error}");
    manifest(&all.replace("scans/p2.ply", "scans/p3.ply"));
    refused("in line 2 already", second(path, "study", |_| {}));
    manifest(&all.replace("scans/p2.ply", "scans/gone.ply"));
    // A shard looks for its own files only.
    prepared(path, "1/2").unwrap();
    fs::remove_file(path.join("records/index-1-of-2.jsonl")).unwrap();
    assert!(prepared(path, "2/2").unwrap_err().to_string().contains("\"scans/gone.ply\" is not there"));
    manifest(&all);
    // A manifest that has grown is the same study: what is new is lost until it is prepared.
    write_person(&path.join("scans/p9.ply"), 9);
    manifest(&format!("{all}scans/p9.ply,50,a\n"));
    assert_eq!(second(path, "grown", |_| {}).unwrap(), 1);
    manifest(&all);
    // Another version, another making in one index, an index that ends early, two records of one scan.
    let change = |file: &str, from: &str, to: &str| {
        let file = path.join("records").join(file);
        let before = fs::read_to_string(&file).unwrap();
        assert!(before.contains(from));
        fs::write(&file, before.replacen(from, to, 1)).unwrap();
        (file, before)
    };
    let back = |(file, before): (std::path::PathBuf, String)| fs::write(file, before).unwrap();
    let version = format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    let changed = change("records.json", &version, "\"version\": \"0.0.9\"");
    refused("another version (0.0.9", second(path, "study", |_| {}));
    assert!(prepared(path, "1/1").unwrap_err().to_string().contains("another version"));
    back(changed);
    let changed = change("index-1-of-1.jsonl", "\"making\":\"", "\"making\":\"0");
    refused("another making", second(path, "study", |_| {}));
    back(changed);
    let changed = change("index-1-of-1.jsonl", "\"status\"", "\"stat");
    refused("index-1-of-1.jsonl, line 1: is not a line", second(path, "study", |_| {}));
    back(changed);
    let index = fs::read_to_string(path.join("records/index-1-of-1.jsonl")).unwrap();
    fs::write(path.join("records/index-1-of-9.jsonl"), index.replacen("\"record\":\"", "\"record\":\"0", 1))
        .unwrap();
    refused("have different records of", second(path, "study", |_| {}));
    fs::write(path.join("records/index-1-of-9.jsonl"), index).unwrap();
    assert_eq!(second(path, "fine", |_| {}).unwrap(), 0);
    // One scan, copied: in shards of their own.
    fs::copy(path.join("scans/p0.ply"), path.join("scans/p9.ply")).unwrap();
    manifest(&format!("{all}scans/p9.ply,50,a\n"));
    fs::remove_file(path.join("records/index-1-of-9.jsonl")).unwrap();
    prepared(path, "1/1").unwrap();
    refused("identical to the last bit", second(path, "study", |_| {}));
    // As one person's they are fine, and n is 4.
    let people: String = all.lines().skip(1).enumerate().map(|(i, line)| format!("{line},{i}\n")).collect();
    manifest(&format!("file,age,group,person\n{people}scans/p9.ply,50,a,3\n"));
    assert_eq!(second(path, "persons", |_| {}).unwrap(), 0);
    let certificate = fs::read_to_string(path.join("persons/release/certificate.json")).unwrap();
    assert!(certificate.replace(' ', "").contains("\"n\":4,"), "{certificate}");
    // A file where the folder should be; a folder that cannot be written into is refused before any work.
    fs::write(path.join("file"), "").unwrap();
    let settings =
        PrepareSettings { records: inputs(path, ""), shard: Shard::WHOLE, out: path.join("file/records") };
    assert!(prepare(&settings, &|_| {}).unwrap_err().to_string().contains("cannot be made"));
}

#[test]
fn the_ledger_is_asked_before_stage_one() {
    let dir = scans(3);
    let path = dir.path();
    let line =
        format!("--json face mean --manifest all.csv --records records --out study {FORM} --mu 1 --dry-run");
    let (code, out, err) = visard(path, &line);
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&out).unwrap()["n"], 3);
    let (code, out, _) = visard(path, &format!("{line} --ceiling-mu 0.5"));
    assert!(code == Some(1) && out.contains("above-ceiling"), "{out}");
    assert!(!path.join("study").exists() && !path.join("records").exists());
    for wrong in ["9/8", "0/8", "x", "1/0"] {
        let (code, _, err) =
            visard(path, &format!("face prepare --manifest all.csv --out records --shard {wrong}"));
        assert!(code == Some(2) && err.contains("k from 1 to N"), "{wrong}: {err}");
    }
    let (code, _, err) = visard(path, "face mean --records records --mu 1 --out study");
    assert!(code == Some(2) && err.contains("--manifest"), "{err}");
}
