//! `visard spd assess`, as a user runs it: matrices of the population are usual, a changed entry stands out where it is, in both metrics, and what
//! cannot be held against a norm is refused.

use crate::command_line::visard;
use nalgebra::DMatrix;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use serde_json::Value;
use std::fs;
use std::path::Path;
use visard::io::{npy, write_npy};
use visard::norm::matrix_assess::MatrixNorm;

const PEOPLE: usize = 500;

/// The exponential of a symmetric matrix.
fn exp(log: &DMatrix<f64>) -> DMatrix<f64> {
    let eigen = log.clone().symmetric_eigen();
    &eigen.eigenvectors
        * DMatrix::from_diagonal(&eigen.eigenvalues.map(f64::exp))
        * eigen.eigenvectors.transpose()
}

/// Somebody's logarithm about that of the mean: every entry varies, some more.
fn logarithm(rng: &mut ChaCha8Rng) -> DMatrix<f64> {
    let mut normal = |sd: f64| -> f64 {
        let z: f64 = StandardNormal.sample(rng);
        sd * z
    };
    let (a, b) = (normal(0.3), normal(0.2));
    DMatrix::from_row_slice(3, 3, &[0.4 + a, b, 0.0, b, normal(0.1), 0.0, 0.0, 0.0, normal(0.1) - 0.2])
}

fn write(dir: &Path, name: &str, matrix: &DMatrix<f64>) {
    write_npy(&dir.join(name), &[3, 3], matrix.as_slice()).unwrap();
}

/// Norms in both metrics, one about a public centre, one of a regression, one about a private centre.
fn study(dir: &Path) {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let all: Vec<f64> = (0..PEOPLE).flat_map(|_| exp(&logarithm(&mut rng)).as_slice().to_vec()).collect();
    write_npy(&dir.join("people.npy"), &[PEOPLE, 3, 3], &all).unwrap();
    let ages: String = (0..PEOPLE).map(|i| format!("{i},{}\n", 20 + 3 * i % 50)).collect();
    fs::write(dir.join("ages.csv"), format!("record,age\n{ages}")).unwrap();
    let usual = logarithm(&mut rng);
    let mut odd = usual.clone();
    odd[(1, 2)] += 0.6;
    odd[(2, 1)] += 0.6;
    write(dir, "usual.npy", &exp(&usual));
    write(dir, "odd.npy", &exp(&odd));
    let centre = exp(&DMatrix::from_diagonal(&nalgebra::DVector::from_vec(vec![0.4, 0.0, -0.2])));
    write_npy(&dir.join("centre.npy"), &[1, 3, 3], centre.as_slice()).unwrap();
    write_npy(&dir.join("other.npy"), &[1, 3, 3], (centre * 1.1).as_slice()).unwrap();
    for line in [
        "modes people.npy --mu 10 --out flat",
        "modes people.npy --mu 10 --metric affine-invariant --out curved",
        "modes people.npy --mu 10 --metric affine-invariant --center centre.npy --out about",
        "modes people.npy --mu 10 --center private --first-radius 2 --out private",
        "regress people.npy --covariates ages.csv --bounds age=20:70 --residuals --mu 10 --out growth",
        "mean people.npy --mu 10 --out mean",
    ] {
        let (code, _, stderr) = visard(dir, &format!("spd {line} --radius 1.5 --seed 3"));
        assert_eq!(code, Some(0), "{line}: {stderr}");
    }
}

fn assess(dir: &Path, words: &str) -> Value {
    let (code, stdout, stderr) = visard(dir, &format!("spd assess {words} --json"));
    assert_eq!(code, Some(0), "{words}: {stderr}{stdout}");
    serde_json::from_str(&stdout).unwrap()
}

/// 200 people, fixed seed: the mean percentile has a standard error of 2, the mean square of a z-value one of .1.
fn people_are_usual(dir: &Path, norm: &str, centre: Option<&str>) {
    let centre = centre.map(|name| dir.join(name));
    let norm = MatrixNorm::open(&dir.join(norm), centre.as_deref()).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let (mut percentile, mut square) = (0.0, 0.0);
    for _ in 0..200 {
        let found = norm.assess(&exp(&logarithm(&mut rng)), &[]).unwrap();
        percentile += found.compared.percentile.unwrap() / 200.0;
        square += found.entries[0].z.powi(2) / 200.0;
    }
    assert!((40.0..60.0).contains(&percentile), "{percentile}");
    assert!((0.6..1.5).contains(&square), "{square}");
}

#[test]
fn a_matrix_is_held_against_a_norm_and_what_is_none_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    study(dir);
    for (norm, centre) in [("flat", None), ("curved", None), ("about", Some("centre.npy"))] {
        people_are_usual(dir, norm, centre);
        let option = centre.map_or_else(String::new, |file| format!(" --center {file}"));
        let [usual, odd] = ["usual", "odd"]
            .map(|who| assess(dir, &format!("{who}.npy --norm {norm}{option} --out {who}-{norm}")));
        let z = |said: &Value| said["entries"][4]["z"].as_f64().unwrap();
        assert_eq!((&odd["entries"][4]["row"], &odd["entries"][4]["column"]), (&2.into(), &3.into()));
        assert!(z(&odd) > 4.0 && z(&usual).abs() < 4.0, "{norm}: {odd}");
        assert!(odd["tangent_distance"].as_f64() > usual["tangent_distance"].as_f64());
        assert_eq!(odd["verified"], true);
    }
    let table = fs::read_to_string(dir.join("odd-flat/internal/entries.csv")).unwrap();
    assert_eq!(table.lines().filter(|line| !line.starts_with('#')).count(), 7, "{table}");
    assert!(dir.join("odd-flat/internal/report.html").is_file());
    assess(dir, "usual.npy --norm growth --at age=40 --out at");
    // The mean of the norm, in its own release, is not unusual at all.
    let mean = npy::read(&dir.join("growth/release/mean.npy")).unwrap();
    let fields = npy::read(&dir.join("growth/release/fields.npy")).unwrap();
    assert_eq!(mean.data, fields.data[..9]);
    write_npy(&dir.join("wide.npy"), &[2, 2], &[1.0, 0.0, 0.0, 1.0]).unwrap();
    write_npy(&dir.join("flatter.npy"), &[3, 3], &[0.0; 9]).unwrap();
    for (line, word) in [
        ("usual.npy --norm mean --out p", "has no modes"),
        ("usual.npy --norm private --out p", "not in the release"),
        ("usual.npy --norm about --out p", "give its file with --center"),
        ("usual.npy --norm about --center other.npy --out p", "another centre"),
        ("usual.npy --norm flat --center centre.npy --out p", "leave out --center"),
        ("wide.npy --norm flat --out p", "order 3"),
        ("people.npy --norm flat --out p", "order 3"),
        ("flatter.npy --norm flat --out p", "the matrix"),
        ("usual.npy --norm growth --out p", "depends on age"),
        ("usual.npy --norm flat --out flat", "choose another --out"),
    ] {
        let (code, stdout, stderr) = visard(dir, &format!("spd assess {line}"));
        assert!(code == Some(1) && stdout.is_empty() && stderr.contains(word), "{line}: {stderr}");
        assert!(!dir.join("p").exists(), "{line}");
    }
}

/// People whose variance goes from .42 to 1.82 over the ages: the release tells, and the young are as usual as the old by it, and would not be without.
#[test]
fn variances_that_change_with_age_are_told_and_used() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let mean = DMatrix::from_diagonal(&nalgebra::DVector::from_vec(vec![0.4, 0.0, -0.2]));
    // Age 45 is in the middle of the bounds, 70 at their end.
    let mut person = |age: f64| {
        let wider = 1.0 + 0.35 * (age - 45.0) / 25.0;
        exp(&(&mean + (logarithm(&mut rng) - &mean) * wider))
    };
    let n = 1500;
    let age = |i: usize| 20.0 + (7 * i % 501) as f64 / 10.0;
    let all: Vec<f64> = (0..n).flat_map(|i| person(age(i)).as_slice().to_vec()).collect();
    write_npy(&dir.join("people.npy"), &[n, 3, 3], &all).unwrap();
    let ages: String = (0..n).map(|i| format!("{i},{}\n", age(i))).collect();
    fs::write(dir.join("ages.csv"), format!("record,age\n{ages}")).unwrap();
    let regress = |out: &str, mu: &str| {
        let (code, _, stderr) = visard(
            dir,
            &format!(
                "spd regress people.npy --covariates ages.csv --bounds age=20:70 --residuals --mu {mu} --out {out} --radius 1.5 --seed 3"
            ),
        );
        assert_eq!(code, Some(0), "{stderr}");
        let certificate = dir.join(out).join("release/certificate.json");
        let said: Value = serde_json::from_str(&fs::read_to_string(&certificate).unwrap()).unwrap();
        (certificate, said)
    };
    let (certificate, mut said) = regress("growth", "3");
    let told = &said["details"]["modes"]["by_covariates"];
    assert_eq!(told["columns"], serde_json::json!(["level", "age"]));
    let slopes: Vec<f64> =
        told["changes"][1].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    let slope = slopes.iter().sum::<f64>() / slopes.len() as f64;
    let error = told["errors"][1][0].as_f64().unwrap();
    assert!(error < 0.12 && (slope - 0.7).abs() < 0.15, "{slope} ± {error}");
    let parts = said["composition"].to_string();
    assert!(parts.contains("squared scores by covariates"), "{parts}");
    let page = fs::read_to_string(dir.join("growth/release/report.html")).unwrap();
    assert!(page.contains("change of all variances"));

    // 300 of each age, fixed seeds: a mean percentile has a standard error of 2.
    let others: Vec<(f64, DMatrix<f64>)> = [25.0, 65.0]
        .into_iter()
        .flat_map(|age| (0..300).map(move |_| age))
        .map(|age| (age, person(age)))
        .collect();
    let percentiles = |word: &str| {
        let norm = MatrixNorm::open(&dir.join("growth"), None).unwrap();
        let mut means = [0.0; 2];
        for (age, matrix) in &others {
            let found = norm.assess(matrix, &[format!("age={age}")]).unwrap();
            means[usize::from(*age > 45.0)] += found.compared.percentile.unwrap() / 300.0;
            assert!(
                found
                    .notes
                    .iter()
                    .any(|note| note.starts_with("How much people vary") && note.contains(word))
            );
        }
        means
    };
    let [young, old] = percentiles("told at these");
    assert!((42.0..58.0).contains(&young) && (42.0..58.0).contains(&old), "{young} {old}");
    said["details"]["modes"].as_object_mut().unwrap().remove("by_covariates");
    fs::write(&certificate, said.to_string()).unwrap();
    let [young, old] = percentiles("taken to be the same");
    assert!(young < 40.0 && old > 56.0, "{young} {old}");
    // Too few to tell: the release says that variances are taken to be the same.
    let (_, said) = regress("few", "0.15");
    assert!(said["details"]["modes"].get("by_covariates").is_none());
    let page = fs::read_to_string(dir.join("few/release/report.html")).unwrap();
    assert!(page.contains("taken to be the same everywhere"));
}
