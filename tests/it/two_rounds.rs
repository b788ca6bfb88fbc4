//! The default private mean face: its error, what it says of it, and records prepared elsewhere.

use crate::command_line::visard;
use rand::SeedableRng;
use std::path::Path;
use visard::function::FaceCurves;
use visard::io::write_npy;
use visard::privacy::noise::NoiseSource;
use visard::privacy::{Ledger, Mu, release};
use visard::study::face::mean::{FaceMechanism, mechanism, nonprivate_mean};
use visard::study::face::{ClipChoice, TemplateSource, load_template};
use visard::synth::FaceParameters;

const CURVES: usize = 8;
const SAMPLES: usize = 16;

/// The template's own curves, and people whose mean lies as far from it as real ones do.
fn population(n: usize) -> (FaceCurves, Vec<FaceCurves>) {
    let template = load_template(&TemplateSource::Builtin).unwrap().template;
    let (mean, mut rng) = (FaceParameters::elsewhere(), rand_chacha::ChaCha8Rng::seed_from_u64(3));
    let person = |_| FaceParameters::sample_about(&mean, &mut rng).vertices();
    let people = (0..n).map(person).map(|v| template.curves_of(&v, CURVES, SAMPLES).unwrap()).collect();
    (template.own_curves(CURVES, SAMPLES).unwrap(), people)
}

/// Over runs with other people and other noise: mean squared error, the template's, and what was stated.
fn errors(own: &FaceCurves, people: &[FaceCurves], n: usize, mu: f64, runs: usize) -> [f64; 3] {
    let mut sums = [0.0; 3];
    for run in 0..runs {
        let records: Vec<_> = (0..n).map(|i| Some(people[(run * n + i) % people.len()].clone())).collect();
        let truth = nonprivate_mean(own, &records).unwrap();
        let mean = mechanism(FaceMechanism::Joint, own, n as u64, ClipChoice::Default, Mu::new(mu).unwrap())
            .unwrap();
        let mut noise = NoiseSource::seeded(run as u64);
        let released = release(&mean.unwrap(), &records, &mut Ledger::in_memory(None), &mut noise).unwrap();
        let stated = released.value.mean_square_error(CURVES * SAMPLES);
        let face = FaceCurves::new(CURVES, SAMPLES, released.value.samples).unwrap();
        let found = [face.mean_square_distance(&truth), own.mean_square_distance(&truth), stated];
        sums.iter_mut().zip(found).for_each(|(s, x)| *s += x / runs as f64);
    }
    sums
}

/// Where the data can speak the error is a small part of the template's, where they cannot it is the template's, and the statement is true.
/// Fixed seeds; the bounds are a quarter wider than what was seen.
#[test]
fn the_error_is_small_stated_and_never_much_worse_than_the_templates() {
    let (own, people) = population(600);
    for (n, mu, runs, share) in
        [(300, 1.0, 6, 0.15), (100, 1.0, 8, 0.5), (30, 0.3, 24, 1.1), (30, 0.1, 24, 1.1)]
    {
        let [error, template, stated] = errors(&own, &people, n, mu, runs);
        assert!(error < share * template, "n {n}, mu {mu}: {error:.2e}, template {template:.2e}");
        let ratio = (stated / error).sqrt();
        assert!((0.75..1.3).contains(&ratio), "n {n}, mu {mu}: stated {ratio:.2} of the true error");
    }
}

/// A file of faces in the folder.
fn prepared(folder: &Path, faces: &[FaceCurves], change: impl Fn(usize, f64) -> f64) {
    let data: Vec<f64> =
        faces.iter().flat_map(|f| f.data().iter().enumerate().map(|(i, x)| change(i % 3, *x))).collect();
    write_npy(&folder.join("faces.npy"), &[faces.len(), CURVES, SAMPLES, 3], &data).unwrap();
}

const MEAN: &str = "face mean --prepared faces.npy --mu 1 --out study --json";

#[test]
fn prepared_records_give_a_release_with_its_error() {
    let folder = tempfile::tempdir().unwrap();
    let (_, people) = population(150);
    prepared(folder.path(), &people, |_, x| x);
    let (code, stdout, stderr) = visard(folder.path(), &format!("{MEAN} --curves 8 --samples 16"));
    assert_eq!(code, Some(0), "{stderr}");
    let result: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    let accuracy = &result["accuracy"];
    let number = |key: &str| accuracy[key].as_f64().unwrap();
    assert_eq!(result["n"], 150);
    assert!(number("rms") < number("template_rms") && number("data_share") > 0.5, "{accuracy}");
    assert!((0.006..0.02).contains(&number("template_rms")), "{accuracy}");
    assert!(accuracy.get("rms_mm").is_some_and(serde_json::Value::is_null), "{accuracy}");
    let release = folder.path().join("study/release");
    let errors = visard::io::npy::read(&release.join("error.npy")).unwrap();
    assert!(errors.data.iter().all(|e| *e > 0.0 && *e < 0.05));
    let mesh = std::fs::read(release.join("mean.ply")).unwrap();
    assert!(String::from_utf8_lossy(&mesh[..400]).contains("property float error"));
    let page = std::fs::read_to_string(release.join("report.html")).unwrap();
    assert!(page.contains("published unread"));
    let certificate: serde_json::Value =
        serde_json::from_slice(&std::fs::read(release.join("certificate.json")).unwrap()).unwrap();
    assert_eq!(
        certificate["composition"].as_array().map_or(0, Vec::len),
        4,
        "{}",
        certificate["composition"]
    );
    assert_eq!(certificate["details"]["accuracy"], *accuracy);
}

/// Refused before anything is charged, naming what is wrong.
#[test]
fn prepared_records_in_another_frame_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (_, people) = population(3);
    let refused = |words: &str, what: &str| {
        let (code, stdout, _) = visard(folder.path(), words);
        assert!(code == Some(1) && stdout.contains(what), "{what}: {stdout}");
        assert!(!folder.path().join("study/release").exists());
        let ledger = std::fs::read_to_string(folder.path().join("study/visard.ledger.jsonl"));
        assert!(!ledger.unwrap_or_default().contains("\"charge\""));
    };
    let small = format!("{MEAN} --curves 8 --samples 16");
    prepared(folder.path(), &people, |_, x| x);
    refused(MEAN, "(n, 23, 80, 3)");
    refused(&small.replace("faces.npy", "nothing.npy"), "nothing.npy");
    prepared(folder.path(), &people, |_, x| 1.3 * x);
    refused(&small, "times as large as the template");
    prepared(folder.path(), &people, |k, x| if k == 1 { x + 0.3 } else { x });
    refused(&small, "centroid");
    prepared(folder.path(), &people, |k, x| if k == 0 { -x } else { x });
    refused(&small, "mirrored");
}
