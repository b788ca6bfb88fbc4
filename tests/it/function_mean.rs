//! Private means of functions that users bring, through the command: what is released, what neighbours show, what is refused.

use crate::command_line::visard;
use serde_json::Value;
use std::path::Path;
use visard::io::{npy, write_npy};

fn succeeds(dir: &Path, line: &str) -> String {
    let (code, stdout, stderr) = visard(dir, line);
    assert_eq!(code, Some(0), "{line}: {stderr}");
    stdout
}

/// Smooth functions about sin: record r at sample l of m, channel c.
fn value(r: usize, l: usize, m: usize, c: usize) -> f64 {
    let t = std::f64::consts::TAU * l as f64 / m as f64;
    let wave = |k: usize| (((7 * r + 3 * k) * (r + 11)) as f64).sin();
    (t + c as f64).sin() + 0.2 * wave(1) + 0.1 * wave(2) * t.cos() + 0.05 * wave(3) * (2.0 * t).sin()
}

fn write_functions(file: &Path, shape: &[usize], change: impl Fn(&mut [f64])) {
    let (m, channels) = match *shape {
        [_, m] => (m, 1),
        [_, m, c] => (m, c),
        [_, j, m, c] => (j * m, c),
        _ => unreachable!(),
    };
    let n = shape[0];
    let mut data: Vec<f64> = (0..n)
        .flat_map(|r| (0..m).flat_map(move |l| (0..channels).map(move |c| value(r, l, m, c))))
        .collect();
    change(&mut data[..m * channels]);
    write_npy(file, shape, &data).unwrap();
}

/// What a study publishes, but for noised values: file names, the certificate without the run's own entries and the numbers of its error
/// statement, the page without numbers, what it said.
fn published(dir: &Path, study: &str) -> (Vec<String>, Value, Value) {
    let out = dir.join("study");
    let said = succeeds(dir, &format!("{study} --seed 5 --json --out study"));
    let release = out.join("release");
    let mut names: Vec<String> = std::fs::read_dir(&release)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let read =
        |name: &str| serde_json::from_slice::<Value>(&std::fs::read(release.join(name)).unwrap()).unwrap();
    let mut certificate = read("certificate.json");
    certificate["ledger"] = Value::Null;
    for file in certificate["files"].as_array_mut().unwrap() {
        file["sha256"] = Value::Null;
    }
    let mut said: Value = serde_json::from_str(&said).unwrap();
    for accuracy in [&mut said["accuracy"], &mut certificate["details"]["accuracy"]] {
        accuracy.as_object_mut().unwrap().values_mut().for_each(|x| *x = x.is_number().into());
    }
    if !certificate["details"]["band"].is_null() {
        certificate["details"]["band"]["reach_in_standard_errors"] = Value::Null;
    }
    // Counted, so a noised value.
    certificate["clip_radius"]["value"] = Value::Null;
    certificate["noise"]["scale"] = Value::Null;
    certificate["noise"]["step"] = Value::Null;
    certificate["sensitivity"] = Value::Null;
    std::fs::remove_dir_all(&out).unwrap();
    (names, said, certificate)
}

#[test]
fn neighbours_publish_the_same_beside_noised_values() {
    let dir = tempfile::tempdir().unwrap();
    let [near, far] = ["near", "far"].map(|side| dir.path().join(side));
    for (shape, options) in [
        (&[150, 24][..], "--domain circle --bound 2 --mu 1"),
        (&[150, 24], "--domain interval --bound 2 --mu 1 --band"),
        (&[60, 20, 2], "--domain circle --bound 2 --mu 1 --length 0.3 --smoothness 3"),
        (&[150, 4, 12, 2], "--domain disk --bound 2 --mu 2"),
    ] {
        for folder in [&near, &far] {
            std::fs::create_dir_all(folder).unwrap();
        }
        write_functions(&near.join("f.npy"), shape, |_| {});
        write_functions(&far.join("f.npy"), shape, |record| {
            record.iter_mut().enumerate().for_each(|(k, x)| *x = 1e6 * (k as f64).cos());
            if shape.len() == 3 {
                record[3] = f64::NAN;
            }
        });
        let study = format!("function mean f.npy {options}");
        let (a, b) = (published(&near, &study), published(&far, &study));
        assert_eq!(a.0, b.0, "{study}: files");
        assert!(a.1 == b.1, "{study}: what is printed differs: {} {}", a.1, b.1);
        assert!(a.2 == b.2, "{study}: the certificate differs: {:#} {:#}", a.2, b.2);
    }
}

#[test]
fn the_mean_is_found_on_every_domain_and_says_how_far_off_it_is() {
    let dir = tempfile::tempdir().unwrap();
    for (shape, domain) in [
        (&[500, 30][..], "circle"),
        (&[500, 30, 2], "circle"),
        (&[500, 30], "interval"),
        (&[500, 4, 12, 1], "disk"),
    ] {
        write_functions(&dir.path().join("f.npy"), shape, |_| {});
        let line =
            format!("function mean f.npy --domain {domain} --bound 2 --mu 2 --seed 3 --out s --force --json");
        let said: Value = serde_json::from_str(&succeeds(dir.path(), &line)).unwrap();
        let read = |name: &str| npy::read(&dir.path().join("s").join(name)).unwrap();
        let (mean, own) = (read("release/mean.npy"), read("internal/nonprivate_mean.npy"));
        let error = read("release/error.npy");
        assert_eq!((&mean.shape[..], &error.shape), (&shape[1..], &mean.shape));
        let points =
            (mean.data.len() / if domain == "circle" { *shape.get(2).unwrap_or(&1) } else { 1 }) as f64;
        let square: f64 = mean.data.iter().zip(&own.data).map(|(a, b)| (a - b).powi(2)).sum();
        let (apart, rms) = ((square / points).sqrt(), said["accuracy"]["rms"].as_f64().unwrap());
        let clip = said["accuracy"]["clip_rms"].as_f64().unwrap();
        // A single draw: within a factor of its error statement, of which the clip has a part only where records lie to one side, and far below
        // the centre's distance.
        let noise = (rms * rms - clip * clip).sqrt();
        assert!(apart < 3.0 * rms && apart > noise / 6.0, "{domain}: {apart} where {rms} is stated");
        assert!(rms < 0.05, "{domain}: {rms}");
        let stated: f64 = error.data.iter().map(|e| e * e).sum();
        approx::assert_relative_eq!((stated / points).sqrt().hypot(clip), rms, max_relative = 1e-6);
    }
}

/// Centre, positions, people, tables, several releases from one ledger, and a dry run.
#[test]
fn everything_that_can_be_declared_is_in_the_certificate() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: String| std::fs::write(dir.path().join(name), text).unwrap();
    let at = [2.0, 3.0, 5.0, 9.0, 12.0, 18.0];
    let row = |r: usize| at.map(|x: f64| format!("{}", 80.0 + 5.0 * x + (r as f64).sin())).join(",");
    let rows: String = (0..90).map(|r| format!("{}\n", row(r))).collect();
    file("f.csv", format!("a,b,c,d,e,f\n{rows}"));
    file("at.csv", format!("x\n{}\n", at.map(|x| x.to_string()).join("\n")));
    file("c.csv", format!("a,b,c,d,e,f\n{}\n", at.map(|x| format!("{}", 80.0 + 5.0 * x)).join(",")));
    file(
        "p.csv",
        format!("record,person\n{}", (0..90).map(|i| format!("{i},q{}\n", i / 2)).collect::<String>()),
    );
    let line = "function mean f.csv --domain interval --bound 5 --center c.csv --positions at.csv --people p.csv --mu 2";
    succeeds(dir.path(), &format!("{line} --out s --dry-run"));
    assert!(!dir.path().join("s").exists());
    succeeds(dir.path(), &format!("{line} --out s"));
    let certificate: Value =
        serde_json::from_slice(&std::fs::read(dir.path().join("s/release/certificate.json")).unwrap())
            .unwrap();
    assert_eq!((&certificate["n"], &certificate["private"]), (&45.into(), &true.into()));
    let names: Vec<&str> = certificate["public_inputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| i["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["at.csv", "c.csv"]);
    let read = |name: &str| npy::read(&dir.path().join("s/release").join(name)).unwrap().data;
    let grid = read("positions.npy");
    assert_eq!((grid[0], grid[5]), (2.0, 18.0));
    // Linear functions on another grid are what they were; the mean of sin r is nearly 0.
    for (x, y) in grid.iter().zip(read("mean.npy")) {
        assert!((y - 80.0 - 5.0 * x).abs() < 1.0, "{x}: {y}");
    }
    let (code, _, stderr) = visard(dir.path(), &format!("{line} --out s"));
    assert!(code == Some(1) && stderr.contains("--force"), "{stderr}");
    succeeds(dir.path(), &format!("{line} --out s --force --ceiling-mu 9"));
    let ledger = std::fs::read_to_string(dir.path().join("s/visard.ledger.jsonl")).unwrap();
    assert_eq!(ledger.matches("\"kind\":\"charge\"").count(), 2);
    succeeds(dir.path(), "function mean f.csv --domain interval --mechanism none --out plain");
    assert!(!dir.path().join("plain/release").exists());
    assert!(dir.path().join("plain/internal/nonprivate_mean.npy").exists());
}

#[test]
fn bad_input_is_refused_by_name_and_charges_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, shape: &[usize], change: &dyn Fn(&mut [f64])| {
        write_functions(&dir.path().join(name), shape, change);
    };
    write("f.npy", &[30, 12], &|_| {});
    write("nan.npy", &[30, 12], &|record| record[4] = f64::NAN);
    write("same.npy", &[30, 12], &|record| {
        (0..12).for_each(|l| record[l] = value(1, l, 12, 0));
    });
    write("one.npy", &[1, 12], &|_| {});
    write_npy(&dir.path().join("flat.npy"), &[30], &[0.0; 30]).unwrap();
    write_npy(&dir.path().join("none.npy"), &[0, 12], &[]).unwrap();
    write_npy(&dir.path().join("deep.npy"), &[2, 2, 2, 2, 2], &[0.5; 32]).unwrap();
    let table = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    table("short.csv", "a,b\n1,2\n");
    table("falling.csv", "x\n1\n0\n2\n");
    let budget = "--bound 2 --mu 1 --out s";
    for (line, code, words) in [
        (
            "nan.npy --domain circle --unusable refuse",
            1,
            "record 1 (counting from 1): number 5 is not finite",
        ),
        ("same.npy --domain circle", 1, "identical to the last bit"),
        ("flat.npy --domain circle", 1, "functions on this domain are (n, m) or"),
        ("f.npy --domain disk", 1, "J circles"),
        ("none.npy --domain circle", 1, "nothing"),
        ("deep.npy --domain disk", 1, "this array is (2, 2, 2, 2, 2)"),
        ("f.npy --domain circle --center short.csv", 1, "of shape (12,), this one is (1, 2)"),
        ("f.npy --domain circle --positions falling.csv", 1, "position 2 (counting from 1) is not"),
        ("f.npy --domain interval --positions short.csv", 1, "2 positions for 12 samples"),
        ("f.npy --domain circle --length 0", 1, "from 1e-4 to 1e4"),
        ("f.npy --domain circle --smoothness NaN", 1, "from 1e-4 to 1e4"),
        ("f.npy --domain torus", 2, "torus"),
        ("gone.npy --domain circle", 1, "gone.npy"),
    ] {
        let (found, _, stderr) = visard(dir.path(), &format!("function mean {line} {budget}"));
        assert!(found == Some(code) && stderr.contains(words), "{line}: {found:?} {stderr}");
        assert!(!dir.path().join("s").exists(), "{line}: left a folder behind");
    }
    for (line, code, words) in [
        ("--bound 0 --mu 1", 1, "positive number"),
        ("--bound -1 --mu 1", 1, "positive number"),
        ("--mu 1", 2, "--bound F"),
        ("--bound 1", 2, "--mu"),
        ("--bound 1e-310 --mu 1", 1, ""),
    ] {
        let (found, _, stderr) =
            visard(dir.path(), &format!("function mean f.npy --domain circle {line} --out s"));
        assert!(found == Some(code) && stderr.contains(words), "{line}: {found:?} {stderr}");
        assert!(!dir.path().join("s").exists(), "{line}: left a folder behind");
    }
    // One record, and one that cannot be used: they count, and nothing tells.
    succeeds(dir.path(), &format!("function mean one.npy --domain circle {budget}"));
    std::fs::remove_dir_all(dir.path().join("s")).unwrap();
    succeeds(dir.path(), &format!("function mean nan.npy --domain circle {budget}"));
}

/// Of few people a bound is stated, and no expected errors are drawn; of more an expectation.
#[test]
fn where_too_little_was_seen_a_bound_is_stated() {
    let dir = tempfile::tempdir().unwrap();
    write_functions(&dir.path().join("f.npy"), &[25, 24], |_| ());
    for (domain, mu, is_bound) in [("circle", 1.0, true), ("interval", 1.0, true), ("circle", 2.0, false)] {
        let line = format!(
            "function mean f.npy --domain {domain} --bound 2 --mu {mu} --seed 1 --out s --force --json"
        );
        let said: Value = serde_json::from_str(&succeeds(dir.path(), &line)).unwrap();
        let accuracy = &said["accuracy"];
        assert_eq!(accuracy["upper_bound"] == true, is_bound, "{said}");
        assert_eq!(accuracy["rms"].as_f64().unwrap() >= 2.0, is_bound, "{said}");
        let page = std::fs::read_to_string(dir.path().join("s/release/report.html")).unwrap();
        assert_eq!(page.contains("too little was seen"), is_bound);
        assert_eq!(page.contains("twice its expected error"), !is_bound);
    }
}

/// Stopped after its charge: the same run goes on with what was drawn, other records are refused.
#[test]
fn a_run_resumes_with_its_own_records_only() {
    let dir = tempfile::tempdir().unwrap();
    write_functions(&dir.path().join("f.npy"), &[40, 12], |_| {});
    let line = "function mean f.npy --domain circle --bound 2 --mu 1 --out s";
    succeeds(dir.path(), line);
    let mean = std::fs::read(dir.path().join("s/release/mean.npy")).unwrap();
    // As if it had stopped before it published.
    let job = dir.path().join("s/internal/job.json");
    let text = std::fs::read_to_string(&job).unwrap();
    std::fs::write(
        &job,
        text.replace("\"finished\": true", "\"finished\": false")
            .replace("\"finished\":true", "\"finished\":false"),
    )
    .unwrap();
    std::fs::remove_dir_all(dir.path().join("s/release")).unwrap();
    let (code, _, stderr) = visard(dir.path(), &format!("{line} --resume --smoothness 4"));
    assert!(code == Some(1), "{stderr}");
    succeeds(dir.path(), &format!("{line} --resume"));
    assert_eq!(std::fs::read(dir.path().join("s/release/mean.npy")).unwrap(), mean);
    let ledger = std::fs::read_to_string(dir.path().join("s/visard.ledger.jsonl")).unwrap();
    assert_eq!(ledger.matches("\"kind\":\"charge\"").count(), 1);
}
