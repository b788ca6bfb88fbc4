//! `face compare`: planted differences are found and mapped, none are made up, tables that make no groups are refused, and nothing of a
//! record gets into the release but through noise.

use crate::command_line::visard;
use rand::SeedableRng;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use visard::io::{npy, write_npy, write_ply};
use visard::mesh::TriMesh;
use visard::study::face::{TemplateSource, load_template};
use visard::synth::{FaceParameters, ScanConditions, person};

const CURVES: usize = 8;
const SAMPLES: usize = 16;
const SIZE: usize = CURVES * SAMPLES * 3;
const FORM: &str = "--curves 8 --samples 16";

/// Prepared faces in a file; those of every second person pushed outwards below the mouth by `bump`.
fn prepared(folder: &Path, n: usize, bump: f64) {
    let template = load_template(&TemplateSource::Builtin).unwrap().template;
    let (mean, mut rng) = (FaceParameters::elsewhere(), rand_chacha::ChaCha8Rng::seed_from_u64(8));
    let own = template.own_curves(CURVES, SAMPLES).unwrap();
    let mut all = Vec::new();
    for i in 0..n {
        let face = FaceParameters::sample_about(&mean, &mut rng).vertices();
        let curves = template.curves_of(&face, CURVES, SAMPLES).unwrap();
        for (p, q) in curves.data().chunks_exact(3).zip(own.data().chunks_exact(3)) {
            let near = (-((q[0] / 0.2).powi(2) + ((q[1] + 0.35) / 0.15).powi(2))).exp();
            all.extend([p[0], p[1], p[2] + if i % 2 == 1 { bump * near } else { 0.0 }]);
        }
    }
    write_npy(&folder.join("faces.npy"), &[n, CURVES, SAMPLES, 3], &all).unwrap();
}

/// A table that puts record i in the group of this label.
fn table(folder: &Path, n: usize, label: impl Fn(usize) -> &'static str) {
    let lines: String = (0..n).map(|i| format!("{i},{}\n", label(i))).collect();
    fs::write(folder.join("groups.csv"), format!("record,group\n{lines}")).unwrap();
}

fn compare(folder: &Path, words: &str) -> Value {
    let line =
        format!("face compare --prepared faces.npy --groups groups.csv --out study {FORM} --json {words}");
    let (code, stdout, stderr) = visard(folder, &line);
    assert_eq!(code, Some(0), "{stderr}");
    serde_json::from_str(&stdout).unwrap()
}

fn certificate(folder: &Path) -> Value {
    serde_json::from_slice(&fs::read(folder.join("study/release/certificate.json")).unwrap()).unwrap()
}

const TWO: fn(usize) -> &'static str = |i| if i % 2 == 1 { "treated" } else { "control" };

#[test]
fn a_planted_difference_is_found_where_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let n = 240;
    prepared(dir.path(), n, 0.03);
    table(dir.path(), n, TWO);
    let found = compare(dir.path(), "--mu 6");
    assert!(found["test"]["p_value"].as_f64().unwrap() < 0.01, "{found}");
    assert_eq!(
        (&found["map"][0]["first"], &found["map"][0]["second"]),
        (&"control".into(), &"treated".into())
    );
    assert!(found["map"][0]["share_outside"].as_f64().unwrap() > 0.01, "{found}");
    assert_eq!(found["private"], true);
    let release = dir.path().join("study/release");
    let array = |name: &str| npy::read(&release.join(name)).unwrap();
    let (difference, unshrunk, band) =
        (array("difference.npy"), array("difference_unshrunk.npy"), array("band.npy"));
    assert_eq!((difference.shape, band.shape), (vec![CURVES, SAMPLES, 3], vec![2, CURVES, SAMPLES, 3]));
    let (lower, upper) = band.data.split_at(SIZE);
    let own = load_template(&TemplateSource::Builtin).unwrap().template.own_curves(CURVES, SAMPLES).unwrap();
    let mut largest = (0.0, [0.0; 3]);
    for (i, place) in own.data().chunks_exact(3).enumerate() {
        let at = 3 * i + 2;
        assert!((0.5 * (lower[at] + upper[at]) - unshrunk.data[at]).abs() < 1e-9 && upper[at] > lower[at]);
        if difference.data[at] > largest.0 {
            largest = (difference.data[at], [place[0], place[1], place[2]]);
        }
        // Where the band excludes 0, there is a difference.
        let near = (-((place[0] / 0.2).powi(2) + ((place[1] + 0.35) / 0.15).powi(2))).exp();
        assert!(lower[at] <= 0.0 || near > 0.05, "{place:?}");
    }
    assert!(largest.0 > 0.012 && largest.0 < 0.04 && largest.1[1] < -0.15, "{largest:?}");
    let page = fs::read_to_string(release.join("report.html")).unwrap();
    assert!(page.contains("A difference was found") && page.contains("stands out of its band on"));
    let certificate = certificate(dir.path());
    let details = &certificate["details"];
    assert!(details["adjacency_within_groups"].as_str().unwrap().contains("same group"));
    assert_eq!(details["groups"][1], serde_json::json!({"label": "treated", "n": n / 2}));
    assert_eq!(details["partition_sha256"].as_str().unwrap().len(), 64);
    let composed = certificate["composition"][0]["parts"].as_array().map_or(0, Vec::len);
    assert!(composed >= 2, "{}", certificate["composition"]);
    let test: Value = serde_json::from_slice(&fs::read(release.join("test.json")).unwrap()).unwrap();
    assert_eq!(test, found["test"]);
    for file in ["mean_control.ply", "mean_treated.ply"] {
        assert!(certificate["files"].as_array().unwrap().iter().any(|f| f["name"] == file));
    }
}

/// On one ledger: a regression on a label, which is protected, and two comparisons, which publish other labels. There is no number that sums
/// them up for a record whose label changes.
#[test]
fn losses_are_summed_for_each_neighbour_relation_by_itself() {
    let dir = tempfile::tempdir().unwrap();
    let n = 60;
    prepared(dir.path(), n, 0.0);
    let covariates: String =
        (0..n).map(|i| format!("{i},{}\n", if i % 3 == 0 { "hiv" } else { "well" })).collect();
    fs::write(dir.path().join("covariates.csv"), format!("record,hiv\n{covariates}")).unwrap();
    let succeeds = |line: &str| {
        let (code, stdout, stderr) = visard(dir.path(), line);
        assert_eq!(code, Some(0), "{line}: {stderr}");
        stdout
    };
    let (shared, levels) = ("--ledger people.jsonl", "--covariates covariates.csv --levels hiv=hiv|well");
    succeeds(&format!("face regress --prepared faces.npy {levels} --mu 1 --out regression {FORM} {shared}"));
    let sums = || -> Value { serde_json::from_str(&succeeds("privacy ledger people.jsonl --json")).unwrap() };
    let told = sums();
    assert!((told["total"]["mu"].as_f64().unwrap() - 1.0).abs() < 1e-9, "{told}");
    assert_eq!(told["sums"][0]["neighbours"], "replace-one");
    table(dir.path(), n, |i| if i % 3 == 0 { "hiv" } else { "well" });
    compare(dir.path(), &format!("--mu 1 {shared}"));
    let told = sums();
    assert!(told["total"].is_null(), "{told}");
    let rows = told["sums"].as_array().unwrap();
    assert_eq!(rows.len(), 2, "{told}");
    let row = |name: &str| rows.iter().find(|row| row["neighbours"] == name).unwrap();
    assert!(
        row("replace-one")["loss"].is_null() && row("replace-one")["no_bound_by"] == serde_json::json!([2])
    );
    let within = row("replace-one-within-groups");
    assert!((within["loss"]["mu"].as_f64().unwrap() - 2f64.sqrt()).abs() < 1e-9, "{told}");
    assert_eq!(within["releases"], serde_json::json!([1, 2]));
    let stated = certificate(dir.path());
    assert_eq!(stated["adjacency"], "replace-one-within-groups");
    assert_eq!(stated["partitions"][0], stated["details"]["partition_sha256"]);
    let text = succeeds("privacy ledger people.jsonl");
    assert!(
        !text.contains("together") && text.contains("no bound for one record replaced by any other"),
        "{text}"
    );
    assert!(succeeds("privacy explain study").contains("replaced by another of the same group"));
    // With another partition each of the two has none: the sum is for a record that keeps both labels.
    table(dir.path(), n, TWO);
    compare(dir.path(), &format!("--mu 1 --force {shared}"));
    let told = sums();
    let both: Vec<&Value> =
        told["sums"].as_array().unwrap().iter().filter(|row| !row["loss"].is_null()).collect();
    assert!(both.len() == 1 && both[0]["partitions"].as_array().unwrap().len() == 2, "{told}");
    assert!((both[0]["loss"]["mu"].as_f64().unwrap() - 3f64.sqrt()).abs() < 1e-9);
    // A ceiling for a record replaced by any other cannot be kept by what publishes labels, and one for kept labels counts everything.
    let mean = format!("face mean --prepared faces.npy {FORM} --mu 1");
    succeeds(&format!("{mean} --out mean --ledger other.jsonl --ceiling-mu 5"));
    let refused = |line: &str, expected: &str| {
        let (code, _, stderr) = visard(dir.path(), line);
        assert!(code == Some(1) && stderr.contains(expected), "{line}: {stderr}");
    };
    let comparison = format!("face compare --prepared faces.npy --groups groups.csv {FORM} --mu 1");
    refused(&format!("{comparison} --out second --ledger other.jsonl"), "no bound");
    succeeds(&format!("{comparison} --out third --ledger labels.jsonl --ceiling-mu 1.5"));
    succeeds(&format!("{mean} --out fourth --ledger labels.jsonl"));
    refused(&format!("{mean} --out fifth --ledger labels.jsonl"), "above the ceiling mu = 1.5");
}

#[test]
fn no_difference_is_made_up_and_each_want_has_its_files() {
    let dir = tempfile::tempdir().unwrap();
    let n = 240;
    prepared(dir.path(), n, 0.0);
    table(dir.path(), n, TWO);
    // A fixed seed: 5 in 100 would find one.
    let found = compare(dir.path(), "--mu 3 --seed 5");
    assert!(found["test"]["p_value"].as_f64().unwrap() > 0.05, "{found}");
    assert_eq!(found["map"][0]["share_outside"], 0.0);
    let page = fs::read_to_string(dir.path().join("study/release/report.html")).unwrap();
    assert!(page.contains("No difference was found") && page.contains("does not mean that there is none"));
    compare(dir.path(), "--mu 3 --seed 5 --want test --force");
    let release = dir.path().join("study/release");
    assert!(release.join("test.json").exists() && !release.join("difference.npy").exists());
    compare(dir.path(), "--mu 3 --seed 5 --want map --force");
    assert!(!release.join("test.json").exists() && release.join("difference.npy").exists());
    // Three groups are compared with the first, and tested pair by pair.
    table(dir.path(), n, |i| ["a", "b", "c"][i % 3]);
    let found = compare(dir.path(), "--mu 3 --seed 5 --force");
    assert_eq!(found["test"]["per_pair"].as_array().unwrap().len(), 3);
    assert_eq!(found["test"]["adjustment"], "Holm");
    let shape = |name: &str| npy::read(&release.join(name)).unwrap().shape;
    assert_eq!(shape("difference.npy"), [2, CURVES, SAMPLES, 3]);
    assert_eq!(shape("band.npy"), [2, 2, CURVES, SAMPLES, 3]);
}

/// Refused with exit code 1 and a hint; nothing charged, nothing left behind.
#[test]
fn tables_that_make_no_groups_are_refused_before_the_charge() {
    let dir = tempfile::tempdir().unwrap();
    prepared(dir.path(), 6, 0.0);
    let refused = |lines: &str, words: &str, expected: &str| {
        fs::write(dir.path().join("groups.csv"), lines).unwrap();
        let line =
            format!("face compare --prepared faces.npy --groups groups.csv --mu 1 --out study {FORM}{words}");
        let (code, _, stderr) = visard(dir.path(), &line);
        assert_eq!(code, Some(1), "{lines}: {stderr}");
        assert!(stderr.contains(expected), "{expected}: {stderr}");
        assert!(!dir.path().join("study").exists(), "{lines}");
    };
    fs::write(dir.path().join("people.csv"), "record,person\n0,x\n1,x\n2,y\n3,z\n4,u\n5,v\n").unwrap();
    let good = "record,group\n0,a\n1,b\n2,a\n3,b\n4,a\n5,b\n";
    refused("0,a\n1,b\n", "", "has no heading with the columns record and group");
    refused("record,group\n0,a\n1,b\n2,a\n3,b\n4,a\n", "", "\"5\": is in no group");
    refused(&format!("{good}6,b\n"), "", "\"6\": is not a record");
    refused(&format!("{good}5,b\n"), "", "was put in a group in line 7");
    refused("record,group\n0,a\n1,a\n2,a\n3,a\n4,a\n5,a\n", "", "all records are in one group");
    refused("record,group\n0,a\n1,b\n2,b\n3,b\n4,b\n5,b\n", "", "\"a\" has one member only");
    refused(&good.replace(",a", ",a b"), "", "\"a b\" is not a valid group label");
    refused(&good.replace(",a", ",../a"), "", "is not a valid group label");
    refused(good, " --people people.csv", "is in another group than \"0\"");
    refused("record,group\n0,a\n1,b\n2,\n", "", "the group is missing");
    fs::write(dir.path().join("groups.csv"), good).unwrap();
    let line = "face compare --prepared faces.npy --groups groups.csv --out study --curves 8 --samples 16";
    let (code, _, stderr) = visard(dir.path(), line);
    assert!(code == Some(2) && stderr.contains("--mu"), "{stderr}");
}

#[test]
fn a_plan_tells_level_power_and_band_before_anything_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let line = format!("face plan --compare --n 30 300 --mu 1 {FORM} --json");
    let (code, stdout, stderr) = visard(dir.path(), &line);
    assert_eq!(code, Some(0), "{stderr}");
    let rows: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((&rows[0]["small"], &rows[1]["small"]), (&true.into(), &false.into()));
    assert!(rows[1]["level"].as_f64().unwrap() < 0.12);
    assert!(rows[1]["power"][2]["power"].as_f64() > rows[0]["power"][2]["power"].as_f64());
    assert!(rows[0]["band_mm"].as_f64().unwrap() > 2.0 * rows[1]["band_mm"].as_f64().unwrap());
    let (code, _, stderr) = visard(dir.path(), "face plan --compare --n 3 --mu 1");
    assert!(code == Some(2) && stderr.contains("two groups"), "{stderr}");
}

/// A comparison of six scans of which the last is made by `last`, which returns its name; its release, file by file.
fn release(last: &dyn Fn(&Path) -> &'static str, mu: &str) -> BTreeMap<String, Vec<u8>> {
    let dir = tempfile::tempdir().unwrap();
    let scans = dir.path().join("scans");
    fs::create_dir(&scans).unwrap();
    let mut lines = String::from("record,group\n");
    for i in 0..5 {
        write_person(&scans, &format!("scan{i}.ply"), i);
        lines += &format!("scan{i}.ply,{}\n", TWO(i));
    }
    lines += &format!("{},{}\n", last(&scans), TWO(5));
    fs::write(dir.path().join("groups.csv"), lines).unwrap();
    let words = "face compare scans --groups groups.csv --curves 6 --samples 16 --seed 11 --out study";
    let (code, _, stderr) = visard(dir.path(), &format!("{words} --mu {mu}"));
    assert_eq!(code, Some(0), "{stderr}");
    let files = fs::read_dir(dir.path().join("study/release")).unwrap().map(Result::unwrap);
    files.map(|f| (f.file_name().to_string_lossy().into_owned(), fs::read(f.path()).unwrap())).collect()
}

fn write_person(folder: &Path, name: &str, index: usize) {
    let cloud = TriMesh::new(person(7, index, &ScanConditions::demo()).points, Vec::new()).unwrap();
    write_ply(&folder.join(name), &cloud).unwrap();
}

/// A certificate without what belongs to the ledger's line, and without the numbers that are functions of noised values.
fn public(certificate: &[u8]) -> Value {
    fn without_numbers(value: &mut Value) {
        match value {
            Value::Number(_) => *value = "a number".into(),
            Value::Array(all) => all.iter_mut().for_each(without_numbers),
            Value::Object(all) => all.values_mut().for_each(without_numbers),
            _ => {}
        }
    }
    let mut value: Value = serde_json::from_slice(certificate).unwrap();
    value["files"].as_array_mut().unwrap().iter_mut().for_each(|file| file["sha256"] = "".into());
    value["ledger"] = Value::Null;
    for place in ["/details/test/result", "/details/difference/comparisons"] {
        without_numbers(value.pointer_mut(place).unwrap());
    }
    value
}

/// A page without charts, pictures, checksums and digits.
fn words(page: &[u8]) -> String {
    let mut text = String::from_utf8(page.to_vec()).unwrap();
    for (start, end) in [("<svg", "</svg>"), ("base64,", "\""), ("base64,", "<")] {
        while let Some(at) = text.find(start) {
            let Some(length) = text[at..].find(end) else { break };
            text.replace_range(at..at + length, "[data]");
        }
    }
    let is_sum = |word: &str| word.len() > 32 && word[..32].bytes().all(|b| b.is_ascii_hexdigit());
    let text: String =
        text.split_inclusive(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !is_sum(word)).collect();
    text.split(|c: char| c.is_ascii_digit() || ".-+e, −".contains(c)).filter(|w| !w.is_empty()).collect()
}

/// Neighbours: another person under another name in the same group, and a scan that cannot be read.
#[test]
fn releases_of_neighbours_differ_in_noised_values_only() {
    let one = release(
        &|scans| {
            write_person(scans, "scan5.ply", 5);
            "scan5.ply"
        },
        "2",
    );
    let other = release(
        &|scans| {
            write_person(scans, "somebody-else.ply", 9);
            "somebody-else.ply"
        },
        "2",
    );
    let broken = release(
        &|scans| {
            fs::write(scans.join("scan5.xyz"), "1 2 zwölf\n").unwrap();
            "scan5.xyz"
        },
        "2",
    );
    for far in [&other, &broken] {
        assert_eq!(one.keys().collect::<Vec<_>>(), far.keys().collect::<Vec<_>>());
        assert_eq!(public(&one["certificate.json"]), public(&far["certificate.json"]));
        for name in ["difference.npy", "difference_unshrunk.npy", "band.npy"] {
            assert_eq!((one[name].len(), &one[name][..128]), (far[name].len(), &far[name][..128]));
            assert_ne!(one[name], far[name], "{name}: twins, not neighbours");
        }
        for name in ["mean_control.ply", "mean_treated.ply"] {
            assert_eq!(one[name].len(), far[name].len());
        }
        let (a, b) = (words(&one["report.html"]), words(&far["report.html"]));
        let at = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count();
        let around: String = a.chars().skip(at.saturating_sub(60)).take(120).collect();
        assert!(a == b, "the pages differ at: {around}");
        for file in one.values().chain(far.values()) {
            let text = String::from_utf8_lossy(file);
            for trace in ["scan5", "somebody", "zwölf"] {
                assert!(!text.contains(trace), "{trace} in release/");
            }
        }
    }
}

/// Few runs with wide limits on the plan's made-up people (`.ci/full` makes thousands on others): the test is no more often wrong than it
/// says, finds what it is to find, and the band holds the whole of a difference.
#[test]
fn tests_hold_their_level_and_bands_their_difference() {
    use visard::function::Basis;
    use visard::mechanism::functional::{NoisedComparison, Want};
    use visard::mechanism::vector::GroupLabels;
    use visard::privacy::Mu;
    use visard::study::face::compare::{mechanism, plan::Trials};
    let template = load_template(&TemplateSource::Builtin).unwrap().template;
    let own = template.own_curves(CURVES, SAMPLES).unwrap();
    let (mean, mut rng) = (FaceParameters::elsewhere(), rand_chacha::ChaCha8Rng::seed_from_u64(4));
    let people: Vec<Vec<f64>> = (0..400)
        .map(|_| FaceParameters::sample_about(&mean, &mut rng).vertices())
        .map(|face| template.curves_of(&face, CURVES, SAMPLES).unwrap().data().to_vec())
        .collect();
    let basis = Basis::of_faces(CURVES, SAMPLES, true);
    let labels = GroupLabels::new((0..300).map(|i| i % 2).collect()).unwrap();
    let mechanism = mechanism(Want::Both, &own, labels, Mu::new(1.5).unwrap()).unwrap();
    let trials = Trials::new(&mechanism, mechanism.test_parts().unwrap(), &basis, &people);
    // Of 30 at .05, more than 5 once in some 300 seeds.
    assert!(trials.rejected(0.0, 30).unwrap() <= 5.0 / 30.0);
    assert!(trials.rejected(0.008, 30).unwrap() >= 0.8);
    let trials = Trials::new(&mechanism, mechanism.map_parts().unwrap(), &basis, &people);
    let held = (0..30).filter(|run| {
        let (noised, truth) = trials.release(0.005, *run).unwrap();
        let released = NoisedComparison { map: Some(noised), test: None };
        mechanism.difference(&released, 0, 1).unwrap().band.holds(&truth)
    });
    assert!(held.count() >= 25);
}
