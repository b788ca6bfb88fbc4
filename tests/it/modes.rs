//! Modes of faces through real files: what the command writes and refuses, that nothing of a record gets into a release but through noised
//! values, and synthetic faces made of a release.

use assert_cmd::Command;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use visard::io::{npy, write_npy};
use visard::synth::FaceParameters;

const CURVES: usize = 6;
const SAMPLES: usize = 16;

/// A file of n prepared synthetic people; `change` may make others of some.
fn people(folder: &Path, n: usize, change: &dyn Fn(&mut Vec<f64>)) -> PathBuf {
    let template =
        visard::study::face::load_template(&visard::study::face::TemplateSource::Builtin).unwrap().template;
    let (mut rng, mean) = (ChaCha8Rng::seed_from_u64(3), FaceParameters::elsewhere());
    let mut all = Vec::new();
    for _ in 0..n {
        let vertices = FaceParameters::sample_about(&mean, &mut rng).vertices();
        all.extend_from_slice(template.curves_of(&vertices, CURVES, SAMPLES).unwrap().data());
    }
    change(&mut all);
    let file = folder.join("faces.npy");
    write_npy(&file, &[n, CURVES, SAMPLES, 3], &all).unwrap();
    file
}

fn visard(args: &[&str]) -> (i32, String, String) {
    let out = Command::cargo_bin("visard").unwrap().args(args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (out.status.code().unwrap(), text(&out.stdout), text(&out.stderr))
}

/// Runs `face modes` into `folder`/study; what it said.
fn modes(folder: &Path, file: &Path, more: &[&str]) -> (i32, Value, String) {
    let out = folder.join("study");
    let (file, out) = (file.to_str().unwrap(), out.to_str().unwrap());
    let shape = ["--curves", "6", "--samples", "16"];
    let all = [&["face", "modes", "--prepared", file, "--out", out, "--json"], &shape[..], more].concat();
    let (code, said, errors) = visard(&all);
    (code, serde_json::from_str(&said).unwrap_or_else(|e| panic!("{e}: {said} {errors}")), errors)
}

fn certificate(folder: &Path) -> Value {
    serde_json::from_slice(&fs::read(folder.join("study/release/certificate.json")).unwrap()).unwrap()
}

#[test]
fn a_release_has_mean_modes_and_variances_that_agree() {
    let dir = tempfile::tempdir().unwrap();
    let file = people(dir.path(), 300, &|_| {});
    let (code, said, errors) = modes(dir.path(), &file, &["--mu", "3", "--modes", "3"]);
    assert_eq!(code, 0, "{errors}");
    let release = dir.path().join("study/release");
    let (mean, fields) =
        (npy::read(&release.join("curves.npy")).unwrap(), npy::read(&release.join("modes.npy")).unwrap());
    assert_eq!((mean.shape, fields.shape), (vec![6, 16, 3], vec![3, 6, 16, 3]));
    assert!(said["modes"] == 3 && said["visible"].as_u64().unwrap() >= 3 && said["mu"] == 3.0);
    assert!(said["accuracy"]["rms"].as_f64().unwrap() < said["accuracy"]["template_rms"].as_f64().unwrap());
    let table = fs::read_to_string(release.join("variances.csv")).unwrap();
    let rows: Vec<Vec<f64>> =
        table.lines().skip(1).map(|line| line.split(',').map(|x| x.parse().unwrap()).collect()).collect();
    assert!(table.starts_with("mode,variance,lower,upper,share\n") && rows.len() == 3);
    for (k, (row, field)) in rows.iter().zip(fields.data.chunks_exact(6 * 16 * 3)).enumerate() {
        let [mode, variance, lower, upper, share] = row[..] else { panic!("{row:?}") };
        assert!(
            mode == (k + 1) as f64 && lower <= variance && variance <= upper && (0.0..=1.0).contains(&share)
        );
        // A field of one standard deviation: its mean square is the variance.
        let square = field.iter().map(|x| x * x).sum::<f64>() / 96.0;
        assert!((square / variance - 1.0).abs() < 1e-9, "{square} {variance}");
        assert!(k == 0 || variance <= rows[k - 1][1]);
    }
    let certificate = certificate(dir.path());
    assert!(certificate["private"] == true && certificate["details"]["modes"]["leans_on_prior"] == false);
    let named: Vec<&str> =
        certificate["files"].as_array().unwrap().iter().map(|f| f["name"].as_str().unwrap()).collect();
    for file in ["mean.ply", "curves.npy", "modes.npy", "variances.csv", "report.html"] {
        assert!(named.contains(&file) && release.join(file).exists(), "{file}");
    }
    let report = fs::read_to_string(release.join("report.html")).unwrap();
    assert!(report.matches("type=\"range\"").count() == 3 && report.len() < 5_000_000);
    let (code, _, errors) = visard(&["privacy", "verify", release.to_str().unwrap()]);
    assert_eq!(code, 0, "{errors}");

    // Synthetic faces: free, from the release alone, the same for the same seed.
    let draw = |out: &str, more: &[&str]| {
        let out = dir.path().join(out);
        let mut args =
            vec!["face", "sample", release.to_str().unwrap(), "--n", "40", "--out", out.to_str().unwrap()];
        args.extend(more);
        (visard(&args), out)
    };
    let ledger = fs::read(dir.path().join("study/visard.ledger.jsonl")).unwrap();
    let ((code, said, errors), out) = draw("one", &["--json"]);
    assert!(code == 0 && said.contains("\"synthetic\":true"), "{errors}");
    let faces = npy::read(&out.join("curves.npy")).unwrap();
    assert_eq!(faces.shape, [40, 6, 16, 3]);
    assert!(out.join("sample-0040.ply").exists() && !out.join("sample-0041.ply").exists());
    assert!(fs::read_to_string(out.join("sample.json")).unwrap().contains("none is of a person"));
    let (_, other) = draw("two", &["--seed", "2"]);
    assert_ne!(npy::read(&other.join("curves.npy")).unwrap().data, faces.data);
    assert!(fs::read(out.join("sample-0001.ply")).unwrap().windows(14).any(|part| part == b"synthetic face"));
    assert!(fs::read_to_string(out.join("people.csv")).unwrap().contains("sample-0040.ply,yes\n"));
    let forecast: serde_json::Value =
        serde_json::from_slice(&fs::read(out.join("fidelity.json")).unwrap()).unwrap();
    assert!(forecast["kind"] == "forecast" && forecast["synthetic"] == true, "{forecast}");
    // Their spread is that of people: of the modes, and of what these leave.
    let average = |j: usize| (0..40).map(|i| faces.data[288 * i + j]).sum::<f64>() / 40.0;
    let spread: f64 = (0..288)
        .map(|j| (0..40).map(|i| (faces.data[288 * i + j] - average(j)).powi(2)).sum::<f64>() / 39.0)
        .sum::<f64>()
        / 96.0;
    let total = forecast["variance"]["per_point"].as_f64().unwrap();
    assert!(total > rows.iter().map(|row| row[1]).sum::<f64>());
    assert!((0.6..1.5).contains(&(spread / total)), "{spread} {total}");
    let (code, _, errors) = draw("at", &["--at", "age=8"]).0;
    assert!(code == 1 && errors.contains("no covariates"), "{errors}");
    assert_eq!(fs::read(dir.path().join("study/visard.ledger.jsonl")).unwrap(), ledger);
    let ((code, _, errors), _) = draw("one", &[]);
    assert!(code == 1 && errors.contains("--force"), "{errors}");
}

/// One charge for both, half of the squared budget each: stated beforehand, in the ledger and in the certificate; the mean is that of its own mechanism.
#[test]
fn a_mean_of_its_own_and_modes_are_one_charge() {
    let dir = tempfile::tempdir().unwrap();
    let file = people(dir.path(), 200, &|_| {});
    let (code, said, errors) =
        modes(dir.path(), &file, &["--mu", "2", "--with", "mean,modes", "--seed", "4"]);
    assert!(code == 0 && errors.contains("mu = 1.414"), "{errors}");
    assert!(said["mu"] == 2.0 && said["modes"].as_u64().unwrap() > 0, "{said}");
    let release = dir.path().join("study/release");
    let error = npy::read(&release.join("error.npy")).unwrap();
    assert!(fs::read_to_string(release.join("mean.ply")).map_or(true, |ply| ply.contains("error")));
    assert!(error.data.iter().all(|e| *e > 0.0));
    let certificate = certificate(dir.path());
    let bought = certificate["details"]["bought"].as_array().unwrap();
    let square: f64 = bought.iter().map(|b| b["loss"]["mu"].as_f64().unwrap().powi(2)).sum();
    assert!((square - 4.0).abs() < 1e-9 && square <= 4.0, "{bought:?}");
    let ledger = fs::read_to_string(dir.path().join("study/visard.ledger.jsonl")).unwrap();
    assert_eq!(ledger.matches("\"kind\":\"charge\"").count(), 1, "{ledger}");
    let report = fs::read_to_string(release.join("report.html")).unwrap();
    assert!(report.contains("asked for together"));
    // The same by the other name: the same release to the last bit.
    let other = dir.path().join("other");
    let (code, _, errors) = visard(&[
        "face",
        "mean",
        "--prepared",
        file.to_str().unwrap(),
        "--out",
        other.to_str().unwrap(),
        "--curves",
        "6",
        "--samples",
        "16",
        "--mu",
        "2",
        "--with",
        "mean,modes",
        "--seed",
        "4",
    ]);
    assert_eq!(code, 0, "{errors}");
    for name in ["curves.npy", "modes.npy", "error.npy"] {
        assert_eq!(
            fs::read(other.join("release").join(name)).unwrap(),
            fs::read(release.join(name)).unwrap(),
            "{name}"
        );
    }
    let (code, _, errors) = visard(&["privacy", "verify", release.to_str().unwrap()]);
    assert_eq!(code, 0, "{errors}");
}

#[test]
fn nothing_above_the_noise_is_a_release_without_modes() {
    let dir = tempfile::tempdir().unwrap();
    let file = people(dir.path(), 20, &|_| {});
    let (code, said, errors) = modes(dir.path(), &file, &["--mu", "0.1", "--seed", "1"]);
    assert!(code == 0 && said["modes"] == 0 && errors.contains("below 60"), "{said} {errors}");
    let release = dir.path().join("study/release");
    assert_eq!(npy::read(&release.join("modes.npy")).unwrap().shape, [0, 6, 16, 3]);
    assert_eq!(
        fs::read_to_string(release.join("variances.csv")).unwrap(),
        "mode,variance,lower,upper,share\n"
    );
    let report = fs::read_to_string(release.join("report.html")).unwrap();
    assert!(report.contains("stands out of the noise") && !report.contains("type=\"range\""));
    let out = dir.path().join("synthetic");
    let (code, _, errors) =
        visard(&["face", "sample", release.to_str().unwrap(), "--n", "3", "--out", out.to_str().unwrap()]);
    assert!(
        code == 1 && errors.contains("no modes to draw from") && !out.join("curves.npy").exists(),
        "{errors}"
    );
}

#[test]
fn what_cannot_be_done_is_refused_and_nothing_is_charged() {
    let dir = tempfile::tempdir().unwrap();
    let file = people(dir.path(), 10, &|_| {});
    for (more, code, word) in [
        (&["--mu", "1", "--modes", "0"][..], 2, "modes"),
        (&["--mu", "1", "--modes", "201"], 2, "modes"),
        (&["--mu", "-1"], 2, "mu"),
        (&["--epsilon", "1"], 2, "delta"),
        (&[], 2, "--mu"),
        (&["--mu", "1", "--samples", "17"], 2, "samples"),
    ] {
        let out = dir.path().join("study");
        let mut args =
            vec!["face", "modes", "--prepared", file.to_str().unwrap(), "--out", out.to_str().unwrap()];
        if !more.contains(&"--samples") {
            args.extend(["--samples", "16"]);
        }
        args.extend(["--curves", "6"]);
        args.extend(more);
        let (found, _, errors) = visard(&args);
        assert!(found == code || (word == "samples" && found == 1), "{more:?}: {found} {errors}");
        assert!(errors.contains(word) || word == "samples", "{more:?}: {errors}");
        assert!(!out.join("visard.ledger.jsonl").exists() && !out.join("release").exists(), "{more:?}");
    }
    let nothing = dir.path().join("nothing");
    fs::create_dir(&nothing).unwrap();
    let out = dir.path().join("out");
    let (code, _, errors) =
        visard(&["face", "sample", nothing.to_str().unwrap(), "--n", "3", "--out", out.to_str().unwrap()]);
    assert!(code == 1 && errors.contains("certificate.json"), "{errors}");
}

/// Values no face has are refused before anything is charged, and what is said of them stays outside of the release's folder.
#[test]
fn hostile_values_contribute_nothing_and_are_refused_where_that_is_asked() {
    let hostile = [f64::NAN, f64::INFINITY, 1e300, -1e-300];
    for value in hostile {
        let dir = tempfile::tempdir().unwrap();
        let file = people(dir.path(), 20, &|all| all[288..576].fill(value));
        let (code, said, _) = modes(dir.path(), &file, &["--mu", "2", "--unusable", "refuse"]);
        assert!(code == 1 && said["error"]["message"].as_str().unwrap().contains("record 1"), "{said}");
        assert!(!dir.path().join("study/visard.ledger.jsonl").exists());
        assert!(!dir.path().join("study/release").exists());
        let (code, said, _) = modes(dir.path(), &file, &["--mu", "2"]);
        assert!(code == 0 && said["private"] == true, "{said}");
        assert!(dir.path().join("study/release/modes.npy").exists());
    }
}

#[test]
fn a_plan_says_what_will_be_seen() {
    let (code, said, errors) = visard(&[
        "face",
        "plan",
        "--modes",
        "--n",
        "30",
        "400",
        "--mu",
        "1",
        "--curves",
        "6",
        "--samples",
        "16",
        "--json",
    ]);
    assert_eq!(code, 0, "{errors}");
    let rows: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(rows.as_array().unwrap().len(), 2);
    assert!(rows[0]["worth"] == false && rows[1]["worth"] == true, "{rows}");
    assert!(rows[1]["explained"].as_f64().unwrap() > 0.6 && rows[1]["coefficients"] == 46);
    let (_, text, _) =
        visard(&["face", "plan", "--modes", "--n", "30", "--mu", "1", "--curves", "6", "--samples", "16"]);
    assert!(text.contains("not worth the budget"), "{text}");
}

/// A release, file by file.
fn release(n: usize, mu: &str, more: &[&str], change: &dyn Fn(&mut Vec<f64>)) -> BTreeMap<String, Vec<u8>> {
    let dir = tempfile::tempdir().unwrap();
    let file = people(dir.path(), n, change);
    let all = [&["--mu", mu, "--modes", "2", "--seed", "11"], more].concat();
    let (code, _, errors) = modes(dir.path(), &file, &all);
    assert_eq!(code, 0, "{errors}");
    let files = fs::read_dir(dir.path().join("study/release")).unwrap().map(Result::unwrap);
    files.map(|f| (f.file_name().to_string_lossy().into_owned(), fs::read(f.path()).unwrap())).collect()
}

/// A certificate without what belongs to the run and what is a function of the noised values; those keys must be there.
fn fixed(bytes: &[u8]) -> Value {
    let mut value: Value = serde_json::from_slice(bytes).unwrap();
    value["files"].as_array_mut().unwrap().iter_mut().for_each(|file| file["sha256"] = Value::Null);
    value["ledger"] = Value::Null;
    for key in ["released", "visible", "certain", "variances", "variance_noise", "shares", "total_variance"] {
        value["details"]["modes"].as_object_mut().unwrap().insert(key.into(), Value::Null).unwrap();
    }
    value["details"]["accuracy"] = Value::Null;
    // The private radius, and the noise that goes with it.
    if value["clip_radius"]["source"] == "private" {
        for key in ["clip_radius", "sensitivity", "noise"] {
            value[key] = Value::Null;
        }
        value["details"]["first_passes"] = Value::Null;
    }
    value
}

/// A page without pictures, charts and numbers.
fn words(page: &[u8]) -> String {
    let mut text = String::from_utf8(page.to_vec()).unwrap();
    while let Some(start) = text.find("<svg") {
        let end = start + text[start..].find("</svg>").unwrap() + 6;
        text.replace_range(start..end, "[chart]");
    }
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find("base64,") {
        out.push_str(&rest[..at]);
        let payload = &rest[at + 7..];
        let end = payload.find(|c: char| !c.is_ascii_alphanumeric() && !"+/=".contains(c)).unwrap();
        rest = &payload[end..];
    }
    out.push_str(rest);
    let sums = out.split_inclusive(|c: char| !c.is_ascii_alphanumeric());
    let is_sum = |word: &str| word.len() > 32 && word[..32].bytes().all(|b| b.is_ascii_hexdigit());
    let out: String = sums.filter(|word| !is_sum(word)).collect();
    let mut plain = String::new();
    for c in out.chars() {
        let c = if c.is_ascii_digit() || ".-+e, ML".contains(c) { '#' } else { c };
        if !(c == '#' && plain.ends_with('#')) {
            plain.push(c);
        }
    }
    plain
}

#[test]
fn releases_of_neighbours_differ_in_noised_values_only() {
    // With a public radius, and with a private one; the last record another face, or one that no clip leaves alone.
    for (n, mu, more) in [(14, "0.3", &[][..]), (200, "3", &[]), (200, "3", &["--with", "mean,modes"])] {
        let last = |all: &mut Vec<f64>, stretch: f64| {
            let start = all.len() - 288;
            all[start..].iter_mut().skip(1).step_by(3).for_each(|y| *y *= stretch);
        };
        let one = release(n, mu, more, &|_| {});
        let other = release(n, mu, more, &|all| last(all, 1.02));
        let far = release(n, mu, more, &|all| last(all, 1.25));
        for b in [&other, &far] {
            assert_eq!(one.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
            assert_eq!(fixed(&one["certificate.json"]), fixed(&b["certificate.json"]));
            assert_ne!(one["curves.npy"], b["curves.npy"], "twins, not neighbours: the test tests nothing");
            // Header and length of arrays say how many modes stand out: a noised number, here the same.
            for file in ["curves.npy", "modes.npy"] {
                assert_eq!(
                    one[file].len(),
                    b[file].len(),
                    "choose another seed: {file} has another number of modes"
                );
                assert_eq!(one[file][..128], b[file][..128]);
            }
            assert_eq!(one["mean.ply"].len(), b["mean.ply"].len());
            let (p, q) = (words(&one["report.html"]), words(&b["report.html"]));
            let same = p.chars().zip(q.chars()).take_while(|(x, y)| x == y).count();
            let shown: String = p.chars().skip(same.saturating_sub(60)).take(140).collect();
            assert!(p == q, "the pages differ at: {shown}");
        }
    }
}
