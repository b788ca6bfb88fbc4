//! `face mean --prior`: public faces, or an earlier release, in place of the template as centre and expectation.

use crate::command_line::visard;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use std::fs;
use std::path::Path;
use visard::io::{npy, write_npy};
use visard::study::face::{TemplateSource, load_template};
use visard::synth::FaceParameters;

const CURVES: usize = 6;
const SAMPLES: usize = 16;

/// Faces of one population, `moved` from it in x; all of them drawn with this seed.
fn write_faces(file: &Path, n: usize, seed: u64, moved: f64) -> Vec<f64> {
    let template = load_template(&TemplateSource::Builtin).unwrap().template;
    let (mean, mut rng) = (FaceParameters::elsewhere(), ChaCha8Rng::seed_from_u64(seed));
    let face = |_| FaceParameters::sample_about(&mean, &mut rng).vertices();
    let data: Vec<f64> = (0..n)
        .map(face)
        .flat_map(|v| template.curves_of(&v, CURVES, SAMPLES).unwrap().data().to_vec())
        .enumerate()
        .map(|(i, x)| if i % 3 == 1 { (1.0 + moved) * x } else { x })
        .collect();
    write_npy(file, &[n, CURVES, SAMPLES, 3], &data).unwrap();
    let size = CURVES * SAMPLES * 3;
    (0..size).map(|i| data.iter().skip(i).step_by(size).sum::<f64>() / n as f64).collect()
}

const STUDY: &str = "face mean --prepared people.npy --curves 6 --samples 16 --seed 5 --json";

/// The error of a study, and what it said.
fn study(dir: &Path, truth: &[f64], more: &str, out: &str) -> (f64, Value) {
    let (code, stdout, stderr) = visard(dir, &format!("{STUDY} {more} --out {out}"));
    assert_eq!(code, Some(0), "{more}: {stderr}");
    let curves = npy::read(&dir.join(out).join("release/curves.npy")).unwrap().data;
    let square = curves.iter().zip(truth).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    (square / (truth.len() / 3) as f64, serde_json::from_str(&stdout).unwrap())
}

/// Whichever mechanism draws means towards the template: of few people it states a bound, which holds, beside what is expected of usual people.
#[test]
fn of_few_people_a_bound_is_stated_by_every_mechanism_that_shrinks() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let truth = write_faces(&dir.join("people.npy"), 25, 4, 0.08);
    for (mechanism, mu, is_bound) in
        [("joint", 1.0, true), ("joint-1", 1.0, true), ("joint-1", 3.0, false), ("pointwise", 1.0, false)]
    {
        let more = format!("--mechanism {mechanism} --mu {mu} --force");
        let (square, said) = study(dir, &truth, &more, "few");
        let accuracy = &said["accuracy"];
        assert_eq!(accuracy["expected_rms"].is_number(), is_bound, "{mechanism} {mu}: {said}");
        let stated = accuracy["rms"].as_f64().unwrap();
        assert!(!is_bound || square.sqrt() < stated, "{mechanism}: {} {stated}", square.sqrt());
    }
}

#[test]
fn the_right_prior_helps_much_and_a_wrong_one_costs_little() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let truth = write_faces(&dir.join("people.npy"), 100, 1, 0.0);
    write_faces(&dir.join("like.npy"), 100, 2, 0.0);
    write_faces(&dir.join("unlike.npy"), 100, 3, 0.15);
    let (plain, _) = study(dir, &truth, "--mu 1", "plain");
    let (like, said) = study(dir, &truth, "--mu 1 --prior like.npy", "like");
    let (unlike, _) = study(dir, &truth, "--mu 1 --prior unlike.npy", "unlike");
    assert!(like < 0.6 * plain, "{like:.2e} {plain:.2e}");
    assert!(unlike < 1.5 * plain, "{unlike:.2e} {plain:.2e}");
    // What was drawn about one centre is not published about another.
    let again = |prior: &str| visard(dir, &format!("{STUDY} --mu 1 --prior {prior} --out like --resume")).0;
    assert_eq!((again("like.npy"), again("unlike.npy")), (Some(0), Some(1)));
    let accuracy = &said["accuracy"];
    assert!(accuracy["prior_rms"].as_f64().unwrap() < accuracy["template_rms"].as_f64().unwrap());
    let certificate: Value =
        serde_json::from_slice(&fs::read(dir.join("like/release/certificate.json")).unwrap()).unwrap();
    assert!(certificate["public_inputs"].as_array().unwrap().iter().any(|input| input["name"] == "like.npy"));
    assert_eq!(certificate["details"]["prior"]["differences"], 100);

    // A seeded release is not private, so it is no prior; a real one is.
    let refused = |more: &str, out: &str| {
        let (code, stdout, stderr) = visard(dir, &format!("{STUDY} {more} --out {out}"));
        assert_eq!(code, Some(1), "{more}");
        assert!(!dir.join(out).join("release").exists());
        stdout + &stderr
    };
    let stderr = refused("--mu 1 --prior plain", "a");
    assert!(stderr.contains("does not say that it is private"), "{stderr}");
    let (code, _, stderr) =
        visard(dir, "face mean --prepared like.npy --curves 6 --samples 16 --mu 4 --out earlier");
    assert_eq!(code, Some(0), "{stderr}");
    let (earlier, _) = study(dir, &truth, "--mu 1 --prior earlier", "after");
    assert!(earlier < 0.7 * plain, "{earlier:.2e} {plain:.2e}");
    let stderr = refused("--mu 1 --prior people.npy", "b");
    assert!(stderr.contains("is one of the prior's"), "{stderr}");
    let stderr = refused("--mu 1 --prior nowhere.npy", "c");
    assert!(stderr.contains("nowhere.npy"), "{stderr}");
    fs::create_dir(dir.join("empty")).unwrap();
    let stderr = refused("--mu 1 --prior empty", "d");
    assert!(stderr.contains("not a valid prior") || stderr.contains("certificate"), "{stderr}");
}
