//! Studies of landmarks in two rounds, in the plane and in space: what is released, beside whom it is the same, and what is refused.

use super::support::{certificate, succeeds, visard, without_run, write_shapes};
use serde_json::Value;
use std::fs;
use std::path::Path;
use visard::io::{npy, write_npy};

/// k landmarks around a thick curve, record `r` a little off it, larger with r.
fn record(r: usize, k: usize, d: usize) -> Vec<f64> {
    let size = 2.0 + 0.01 * r as f64;
    let point = |i: usize| {
        let t = std::f64::consts::TAU * i as f64 / k as f64;
        [2.0 * t.cos() + 0.3 * (2.0 * t).sin(), 1.2 * t.sin(), 0.8 * (2.0 * t).cos()]
    };
    let wobble = |i: usize, j: usize| 0.1 * ((7 * i + 5 * r + 3 * j * r + j) as f64).sin();
    (0..k).flat_map(|i| (0..d).map(move |j| size * (point(i)[j] + wobble(i, j)))).collect()
}

fn write(dir: &Path, n: usize, d: usize, first: Option<Vec<f64>>) {
    let mut data: Vec<f64> = (0..n).flat_map(|r| record(r, 9, d)).collect();
    if let Some(first) = first {
        data[..9 * d].copy_from_slice(&first);
    }
    write_npy(&dir.join("shapes.npy"), &[n, 9, d], &data).unwrap();
    let rows = |of: &dyn Fn(usize) -> String| (0..n).map(|r| format!("{r},{}\n", of(r))).collect::<String>();
    let ages = rows(&|r| format!("{}", 10 + (7 * r) % 20));
    fs::write(dir.join("ages.csv"), format!("record,age\n{ages}")).unwrap();
    let groups = rows(&|r| ["a", "b"][r % 2].to_owned());
    fs::write(dir.join("groups.csv"), format!("record,group\n{groups}")).unwrap();
}

const STUDIES: [&str; 6] = [
    "mean",
    "mean --band",
    "mean --outline",
    "modes --modes 2",
    "regress --covariates ages.csv --bounds age=10:30 --allometry --size-bounds 8:30",
    "compare --groups groups.csv",
];

fn run(dir: &Path, study: &str, more: &str) -> std::path::PathBuf {
    let (command, options) = study.split_once(' ').unwrap_or((study, ""));
    let options = options.replace("ages.csv", &dir.join("ages.csv").display().to_string());
    let options = options.replace("groups.csv", &dir.join("groups.csv").display().to_string());
    let out = dir.join("study");
    let file = dir.join("shapes.npy");
    succeeds(&format!("shape {command} {} {options} {more} --out {}", file.display(), out.display()));
    out.join("release")
}

/// Numbers that are functions of the noised values, and how many there are of them.
const NOISED: [&str; 10] = [
    "accuracy",
    "modes",
    "field_accuracy",
    "explained_share",
    "test",
    "difference",
    "band",
    "first_passes",
    "unseen_at_least",
    "lengthened",
];

/// Keys only, where numbers are noised.
fn masked(value: &mut Value) {
    match value {
        Value::Object(map) => map.values_mut().for_each(masked),
        Value::Array(items) => {
            items.truncate(1);
            items.iter_mut().for_each(masked);
        }
        Value::Number(_) | Value::Null | Value::Bool(_) => *value = Value::Null,
        Value::String(_) => {}
    }
}

/// A file's name, and the shape of the array in it.
type File = (String, Vec<usize>);
/// What [`seen`] finds.
type Seen = (Vec<File>, Value, String, Vec<u8>);
/// Names of files, and the shapes of the arrays in them.
type Files = &'static [(&'static str, &'static [usize])];

/// Files, their shapes, the certificate without what is noised, the page without numbers.
fn seen(release: &Path) -> Seen {
    let mut files = Vec::new();
    for entry in fs::read_dir(release).unwrap().map(Result::unwrap) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let shape = if name.ends_with(".npy") { npy::read(&entry.path()).unwrap().shape } else { Vec::new() };
        files.push((name, shape));
    }
    files.sort();
    let study = release.parent().unwrap().display().to_string();
    let mut certificate = without_run(certificate(&study));
    for key in NOISED {
        if let Some(value) = certificate["details"].get_mut(key) {
            masked(value);
        }
    }
    // A counted radius is a noised value, and so is all that follows from it.
    if certificate["clip_radius"]["source"] == "private" {
        ["clip_radius", "sensitivity", "noise"].iter().for_each(|key| masked(&mut certificate[*key]));
    }
    let page = fs::read_to_string(release.join("report.html")).unwrap();
    let headings: String =
        page.split("<h2").skip(1).map(|part| &part[..part.find("</h2>").unwrap()]).collect();
    let first = ["mean.npy", "mean_a.npy"].iter().find_map(|name| fs::read(release.join(name)).ok()).unwrap();
    (files, certificate, headings, first)
}

/// Without how many modes stand out of the noise: that is told by noised values.
fn alike(mut files: Vec<File>) -> Vec<File> {
    files.iter_mut().filter(|(name, _)| name == "modes.npy").for_each(|(_, shape)| shape[0] = 0);
    files
}

/// One record another, the same noise: the same files of the same shapes, the same certificate but for noised values.
#[test]
fn neighbours_differ_in_noised_values_only() {
    for d in [2, 3] {
        for (n, more) in
            [(30, "--mu 1 --seed 3"), (30, "--mu 1 --seed 3 --center CENTRE"), (120, "--mu 1 --seed 4")]
        {
            for study in STUDIES {
                // So few records do not bear two covariates.
                if n == 30 && study.starts_with("regress") {
                    continue;
                }
                let [near, far] = [false, true].map(|other| {
                    let dir = tempfile::tempdir().unwrap();
                    let mut other: Option<Vec<f64>> =
                        other.then(|| (0..9 * d).map(|i| ((3 * i * i) as f64).cos() * 40.0).collect());
                    // One that has to be filled from the centre.
                    if let Some(other) = other.as_mut().filter(|_| n == 120) {
                        other[2 * d..3 * d].fill(f64::NAN);
                    }
                    write(dir.path(), n, d, other);
                    let centre = dir.path().join("centre.npy");
                    write_npy(&centre, &[1, 9, d], &record(1000, 9, d)).unwrap();
                    let more = more.replace("CENTRE", &centre.display().to_string());
                    seen(&run(dir.path(), study, &more))
                });
                assert_eq!(alike(near.0), alike(far.0), "{study} {d} {n}");
                assert_eq!(near.1, far.1, "{study} {d} {n}");
                assert_eq!(near.2, far.2, "{study} {d} {n}");
                assert!(near.3 != far.3, "{study} {d} {n}: the records do not enter at all");
            }
        }
    }
}

#[test]
fn releases_hold_what_they_should_and_verify() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), 150, 3, None);
    let expected: [(&str, Files); 4] = [
        ("mean --band", &[("mean.npy", &[9, 3]), ("band.npy", &[2, 9, 3]), ("mean.tps", &[])]),
        ("modes --modes 2", &[("mean.npy", &[9, 3]), ("modes.npy", &[2, 9, 3]), ("variances.csv", &[])]),
        (STUDIES[4], &[("mean.npy", &[9, 3]), ("fields.npy", &[3, 9, 3])]),
        (
            "compare --groups groups.csv",
            &[
                ("mean_a.npy", &[9, 3]),
                ("mean_b.npy", &[9, 3]),
                ("difference.npy", &[9, 3]),
                ("difference_unshrunk.npy", &[9, 3]),
                ("band.npy", &[2, 9, 3]),
                ("test.json", &[]),
            ],
        ),
    ];
    for (study, files) in expected {
        let release = run(dir.path(), study, "--mu 20 --vacuous-budget");
        let found = seen(&release).0;
        for (name, shape) in files {
            assert!(found.contains(&((*name).to_owned(), shape.to_vec())), "{study}: {name} in {found:?}");
        }
        succeeds(&format!("privacy verify {}", release.display()));
        let text = succeeds(&format!("privacy explain {}", release.join("certificate.json").display()));
        assert!(text.contains("shape"), "{text}");
        let internal = release.parent().unwrap().join("internal");
        assert!(internal.join("nonprivate_mean.npy").exists() && internal.join("distances.csv").exists());
        fs::remove_dir_all(release.parent().unwrap()).unwrap();
    }
    // At a budget that hides nothing the mean is the mean.
    let release = run(dir.path(), "mean", "--mu 1000 --vacuous-budget");
    let mean = npy::read(&release.join("mean.npy")).unwrap().data;
    let own = npy::read(&release.parent().unwrap().join("internal/nonprivate_mean.npy")).unwrap().data;
    let apart: f64 = mean.iter().zip(&own).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    assert!(apart.sqrt() < 0.01, "{}", apart.sqrt());
}

/// Half of the specimens lack two of nine landmarks, which are estimated from the centre: every statistic tells so by a noised count.
#[test]
fn landmarks_that_were_estimated_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let n = 60;
    write(dir, n, 2, None);
    let mut shapes = npy::read(&dir.join("shapes.npy")).unwrap().data;
    shapes.chunks_exact_mut(18).step_by(2).for_each(|shape| shape[14..].fill(f64::NAN));
    write_npy(&dir.join("shapes.npy"), &[n, 9, 2], &shapes).unwrap();
    write_npy(&dir.join("centre.npy"), &[1, 9, 2], &record(1000, 9, 2)).unwrap();
    let public = format!("--center {}", dir.join("centre.npy").display());
    for study in STUDIES.iter().filter(|study| !study.contains("allometry")) {
        for centre in [&public[..], ""] {
            let release = run(dir, study, &format!("{centre} --mu 40 --seed 2"));
            let file = fs::read(release.join("certificate.json")).unwrap();
            let told = &serde_json::from_slice::<Value>(&file).unwrap()["details"]["unseen_at_least"];
            let expected = 0.5 * (2.0_f64 / 9.0).sqrt();
            let filled = told["filled"].as_f64().unwrap();
            assert!((expected - 0.02..expected).contains(&filled), "{study} {centre}: {told}");
            assert_eq!(told["unusable"], 0.0, "{study} {centre}");
            fs::remove_dir_all(dir.join("study")).unwrap();
        }
    }
}

#[test]
fn few_records_have_a_release_and_are_told_what_it_is_worth() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), 6, 2, None);
    let (out, file) = (dir.path().join("study"), dir.path().join("shapes.npy"));
    let said = succeeds(&format!("shape mean {} --mu 1 --out {}", file.display(), out.display()));
    assert!(said.contains("is not known") && said.contains("--center"), "{said}");
}

#[test]
fn what_does_not_fit_is_refused_and_charges_nothing() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), 40, 3, None);
    let (shapes, centre) = write_shapes(dir.path(), 40);
    let (out, file) = (dir.path().join("study"), dir.path().join("shapes.npy").display().to_string());
    let other = dir.path().join("other.csv");
    fs::write(&other, "record,age\n99,3\n").unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let missing = path("missing.tps");
    fs::write(&missing, format!("{}LM=3\n0 0\nNA NA\n1 1\nID=x\n", "LM=3\n0 0\n0 2\n1 1\n".repeat(3)))
        .unwrap();
    for (line, code, problem) in [
        (
            format!("mean {file} --mechanism kng --epsilon 1"),
            1,
            "for landmarks in space leave --mechanism out",
        ),
        (format!("mean {file} --mechanism joint --epsilon 1"), 2, "no pure epsilon"),
        (format!("mean {file} --mechanism joint --draws 3 --mu 1"), 2, "--mechanism gaussian"),
        (format!("mean {file} --mechanism gaussian --mu 1 --outline"), 2, "--outline"),
        (format!("mean {file} --mu 1 --center {centre}"), 1, ""),
        (format!("mean {shapes} --mu 1 --radius wide"), 2, "neither a number"),
        (format!("mean {shapes} --landmarks 12 --dimensions 2 --mu 1 --radius private"), 1, "too few"),
        (format!("mean {missing} --unusable refuse --mu 1"), 1, "too few to estimate the others from"),
        (format!("mean {missing} --mu 1 --drop-missing"), 1, ""),
        (format!("regress {file} --allometry --size-bounds 9:3 --mu 1"), 2, "--size-bounds"),
        (format!("regress {file} --allometry --mu 1"), 2, "--size-bounds"),
        (
            format!("regress {file} --covariates {} --bounds age=1:2 --mu 9", other.display()),
            1,
            "not a record",
        ),
        (
            format!("regress {file} --covariates {} --bounds age=1:2 --mu 0.1", path("ages.csv")),
            1,
            "too many",
        ),
        (format!("compare {file} --groups {} --mu 1", other.display()), 1, ""),
        (format!("modes {file} --modes 0 --mu 1"), 2, "--modes"),
    ] {
        let (found, _, stderr) = visard(&format!("shape {line} --out {}", out.display()));
        assert_eq!(found, Some(code), "{line}: {stderr}");
        assert!(stderr.contains(problem), "{line}: {stderr}");
        assert!(!out.join("visard.ledger").exists() && !out.join("release").exists(), "{line}");
    }
}

/// Several shapes of one person count as one, whatever their number.
#[test]
fn people_are_counted_once() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), 40, 3, None);
    let people: String = (0..40).map(|r| format!("{r},p{}\n", r / 2)).collect();
    let table = dir.path().join("people.csv");
    fs::write(&table, format!("record,person\n{people}")).unwrap();
    let release = run(dir.path(), "mean", &format!("--mu 3 --people {}", table.display()));
    let certificate = certificate(&release.parent().unwrap().display().to_string());
    assert_eq!(certificate["n"], 20);
    assert_eq!(certificate["details"]["record_kind"], "person");
}

/// Synthetic shapes come from the release alone: centred, of unit size, spread as the release states, marked as what they are.
#[test]
fn shapes_are_drawn_from_released_modes() {
    for (d, outline) in [(2, " --outline"), (2, " --outline=3"), (3, "")] {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), 300, d, None);
        let release =
            run(dir.path(), &format!("modes --modes 200{outline}"), "--mu 8 --seed 3").display().to_string();
        let out = dir.path().join("drawn");
        succeeds(&format!("shape sample {release} --n 400 --out {}", out.display()));
        let drawn = npy::read(&out.join("shapes.npy")).unwrap();
        assert_eq!(drawn.shape, [400, 9, d]);
        let mean = npy::read(&Path::new(&release).join("mean.npy")).unwrap().data;
        let mut spread = 0.0;
        for shape in drawn.data.chunks_exact(9 * d) {
            let size: f64 = shape.iter().map(|x| x * x).sum();
            assert!((size - 1.0).abs() < 1e-9);
            (0..d).for_each(|c| assert!(shape.iter().skip(c).step_by(d).sum::<f64>().abs() < 1e-9));
            spread += shape.iter().zip(&mean).map(|(x, m)| (x - m).powi(2)).sum::<f64>() / 400.0;
        }
        let forecast: Value = serde_json::from_slice(&fs::read(out.join("fidelity.json")).unwrap()).unwrap();
        let whole = forecast["variance"]["whole"].as_f64().unwrap();
        assert!(
            forecast["kind"] == "forecast" && (0.75..1.25).contains(&(spread / whole)),
            "{spread} {whole}"
        );
        assert!(fs::read_to_string(out.join("people.csv")).unwrap().ends_with("399,yes\n"));
        // Arrays of nothing are none of a release.
        write_npy(&Path::new(&release).join("mean.npy"), &[0, d], &[]).unwrap();
        write_npy(&Path::new(&release).join("modes.npy"), &[2, 0, d], &[]).unwrap();
        let (code, _, stderr) =
            visard(&format!("shape sample {release} --n 2 --out {}", dir.path().join("none").display()));
        assert!(code == Some(1) && stderr.contains("do not fit each other"), "{stderr}");
    }
}
