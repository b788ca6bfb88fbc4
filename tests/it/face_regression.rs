//! `visard face regress` and `face predict`, as a user runs them: a planted effect comes back, refusals charge nothing, neighbours differ in
//! noised values only.

use crate::command_line::visard;
use rand::{RngExt, SeedableRng};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use visard::function::FaceCurves;
use visard::io::{read_scan, write_npy};
use visard::study::face::{TemplateSource, load_template};
use visard::surface::Template;
use visard::synth::FaceParameters;

const CURVES: usize = 8;
const SAMPLES: usize = 16;
/// Root-mean-square displacement of the planted effect, from the middle of the bounds to the end.
const EFFECT: f64 = 0.012;

fn template() -> Arc<Template> {
    load_template(&TemplateSource::Builtin).unwrap().template
}

/// People, and a smooth field.
fn population(n: usize) -> (Vec<FaceCurves>, FaceCurves) {
    let template = template();
    let (mean, mut rng) = (FaceParameters::elsewhere(), rand_chacha::ChaCha8Rng::seed_from_u64(3));
    let mut person = || {
        let vertices = FaceParameters::sample_about(&mean, &mut rng).vertices();
        template.curves_of(&vertices, CURVES, SAMPLES).unwrap()
    };
    let (one, other) = (person(), person());
    let scale = EFFECT / one.mean_square_distance(&other).sqrt();
    let field = one.data().iter().zip(other.data()).map(|(a, b)| scale * (a - b)).collect();
    let people = (0..n).map(|_| person()).collect();
    (people, FaceCurves::new(CURVES, SAMPLES, field).unwrap())
}

/// Writes people whose faces change with age, and the table. `last` replaces the last one's line.
fn study(folder: &Path, n: usize, last: Option<(&str, usize)>) {
    let (people, field) = population(n + 3);
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(9);
    let (mut data, mut table) = (Vec::new(), String::from("record,age,sex\n"));
    for i in 0..n {
        let (age, sex): (f64, &str) = (rng.random_range(0.0..10.0), ["F", "M"][i % 2]);
        let (line, face) = match last {
            Some((line, person)) if i + 1 == n => (line.to_owned(), &people[person]),
            _ => (format!("{i},{age:.2},{sex}\n"), &people[i]),
        };
        table.push_str(&line);
        let moved = face.data().iter().zip(field.data());
        data.extend(moved.map(|(x, f)| x + f * (age - 5.0) / 5.0));
    }
    write_npy(&folder.join("faces.npy"), &[n, CURVES, SAMPLES, 3], &data).unwrap();
    fs::write(folder.join("people.csv"), table).unwrap();
}

const REGRESS: &str = "face regress --prepared faces.npy --covariates people.csv --bounds age=0:10 --levels sex=F|M --curves 8 --samples 16 \
                       --seed 1 --json";

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

#[test]
fn a_planted_effect_of_age_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    study(dir, 400, None);
    let (code, stdout, stderr) = visard(dir, &format!("{REGRESS} --mu 20 --out study"));
    assert_eq!(code, Some(0), "{stderr}{stdout}");
    let said = json(&stdout);
    assert_eq!((&said["n"], &said["fields"][0]["column"]), (&400.into(), &"age".into()));
    let (age, sex) = (said["fields"][0]["rms"].as_f64().unwrap(), said["fields"][1]["rms"].as_f64().unwrap());
    assert!((age / EFFECT - 1.0).abs() < 0.3 && sex < 0.5 * EFFECT, "{age} {sex}");
    assert!(said["explained_share"].as_f64().is_some_and(|share| (0.02..0.9).contains(&share)), "{said}");
    let release = dir.join("study/release");
    let fields = visard::io::npy::read(&release.join("fields.npy")).unwrap();
    assert_eq!(fields.shape, [3, CURVES, SAMPLES, 3]);
    let curves = visard::io::npy::read(&release.join("curves.npy")).unwrap();
    assert_eq!(curves.data, fields.data[..curves.data.len()]);
    let certificate = json(&fs::read_to_string(release.join("certificate.json")).unwrap());
    assert_eq!(certificate["details"]["columns"], serde_json::json!(["age", "sex"]));
    assert_eq!(certificate["composition"].as_array().map_or(0, Vec::len), 3);
    let page = fs::read_to_string(release.join("report.html")).unwrap();
    assert!(page.contains("data-slider=\"1\"") && page.contains("Faces by age, sex"));

    // What the release predicts moves as the planted field does.
    for (at, file) in [("age=10,sex=F", "old.ply"), ("age=0,sex=F", "young.ply")] {
        let (code, stdout, stderr) =
            visard(dir, &format!("face predict study --at {at} --out {file} --json"));
        assert_eq!(code, Some(0), "{stderr}{stdout}");
        assert!(json(&stdout)["error_rms"].as_f64().is_some_and(|e| e > 0.0 && e < EFFECT));
    }
    let [old, young] = ["old.ply", "young.ply"].map(|file| read_scan(&dir.join(file)).unwrap().vertices);
    let planted = template().field_through(&population(0).1);
    let (mut off, mut all) = (0.0, 0.0);
    for ((a, b), field) in old.iter().zip(&young).zip(&planted) {
        off += (0.5 * (a - b) - field).norm_squared();
        all += field.norm_squared();
    }
    assert!(off < 0.16 * all, "relative error {}", (off / all).sqrt());

    // A growing face, and what cannot be predicted.
    let (code, _, stderr) = visard(dir, "face predict study --along age --turntable growth.gif --size 64");
    assert_eq!(code, Some(0), "{stderr}");
    assert!(fs::read(dir.join("growth.gif")).unwrap().starts_with(b"GIF89a"));
    for (words, exit, what) in [
        ("--at age=11 --out x.ply", 2, "outside the bounds 0 to 10"),
        ("--at bmi=3 --out x.ply", 2, "it has age, sex"),
        ("--at sex=X --out x.ply", 2, "F and M"),
        ("--at age=4 --out old.ply", 1, "exists"),
        ("--along size --turntable x.gif", 2, "has age, sex"),
        ("--at age=4", 2, "--out"),
    ] {
        let (code, stdout, stderr) = visard(dir, &format!("face predict study {words}"));
        assert!(code == Some(exit) && stderr.contains(what), "{words}: {code:?} {stdout}{stderr}");
    }
    assert!(!dir.join("x.ply").exists());
}

/// What the covariates leave is made of the same noised moments, and a part of the same budget tells how variances change: fields are much the same; and
/// people are drawn from it at given covariates.
#[test]
fn what_the_covariates_leave_comes_with_the_fit() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    study(dir, 400, None);
    for (out, more) in [("plain", ""), ("study", " --residuals")] {
        let (code, stdout, stderr) = visard(dir, &format!("{REGRESS} --mu 20 --out {out}{more}"));
        assert_eq!(code, Some(0), "{stderr}{stdout}");
    }
    let [plain, study] = ["plain", "study"]
        .map(|s| visard::io::npy::read(&dir.join(s).join("release/fields.npy")).unwrap().data);
    let width = CURVES * SAMPLES * 3;
    let apart = |k: usize| -> f64 {
        let range = k * width..(k + 1) * width;
        let off: f64 =
            plain[range.clone()].iter().zip(&study[range.clone()]).map(|(a, b)| (a - b).powi(2)).sum();
        (off / plain[range].iter().map(|x| x * x).sum::<f64>()).sqrt()
    };
    assert!(apart(1) < 0.1, "{}", apart(1));
    let [plain, study] = ["plain", "study"]
        .map(|s| json(&fs::read_to_string(dir.join(s).join("release/certificate.json")).unwrap()));
    assert_eq!(plain["loss"], study["loss"]);
    let asked = |said: &Value| said["composition"].to_string().contains("squared scores by covariates");
    assert_eq!((asked(&plain), asked(&study)), (false, true));
    // The variance is the same at all ages.
    let told = &study["details"]["modes"]["by_covariates"];
    let slopes = told["changes"][1].as_array().unwrap();
    let slope = slopes.iter().map(|x| x.as_f64().unwrap()).sum::<f64>() / slopes.len() as f64;
    assert!(slope.abs() < 3.0 * told["errors"][1][0].as_f64().unwrap(), "{told}");
    let modes = visard::io::npy::read(&dir.join("study/release/modes.npy")).unwrap();
    assert!(modes.shape[0] >= 3 && modes.shape[1..] == [CURVES, SAMPLES, 3], "{:?}", modes.shape);

    // The variance about the fit is that of the people, to whom the effect of age was added.
    let (people, _) = population(400);
    let points = (CURVES * SAMPLES) as f64;
    let mean = |j: usize| people.iter().map(|p| p.data()[j]).sum::<f64>() / 400.0;
    let mean: Vec<f64> = (0..people[0].data().len()).map(mean).collect();
    let square =
        |p: &FaceCurves| p.data().iter().zip(&mean).map(|(x, m)| (x - m).powi(2)).sum::<f64>() / points;
    let truth = people.iter().map(square).sum::<f64>() / 400.0;
    let details = &study["details"]["modes"];
    let stated = details["total_variance"].as_f64().unwrap() / details["expected_share"].as_f64().unwrap();
    assert!((stated / truth - 1.0).abs() < 0.15, "{stated} {truth}");

    let sampled = |at: &str, out: &str| {
        let (code, stdout, stderr) =
            visard(dir, &format!("face sample study --n 20{at} --out {out} --json --seed 2"));
        assert_eq!(code, Some(0), "{stderr}{stdout}");
        (json(&stdout), visard::io::npy::read(&dir.join(out).join("curves.npy")).unwrap().data)
    };
    let (said, _) = sampled("", "any");
    assert_eq!(said["drawn_covariates"], serde_json::json!(["age", "sex"]));
    let table = fs::read_to_string(dir.join("any/people.csv")).unwrap();
    assert!(table.starts_with("file,synthetic,age,sex\n") && table.contains(",F\n"), "{table}");
    // The same people, young and old: they differ by the field.
    let (said, young) = sampled(" --at age=0,sex=F", "young");
    assert_eq!(said["drawn_covariates"], serde_json::json!([]));
    let (_, old) = sampled(" --at age=10,sex=F", "old");
    let fields = visard::io::npy::read(&dir.join("study/release/fields.npy")).unwrap().data;
    let field = &fields[mean.len()..2 * mean.len()];
    for (at, planted) in field.iter().enumerate() {
        let moved =
            (0..20).map(|i| old[i * mean.len() + at] - young[i * mean.len() + at]).sum::<f64>() / 20.0;
        assert!((moved - 2.0 * planted).abs() < 1e-3, "{moved} {planted}");
    }
    let (code, _, stderr) = visard(dir, "face sample plain --n 1 --out none");
    assert!(code == Some(1) && stderr.contains("--residuals"), "{stderr}");
}

/// Nothing is charged, nothing released, and the message says what to do.
#[test]
fn what_cannot_be_regressed_is_refused_before_the_charge() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    study(dir, 60, None);
    let table = fs::read_to_string(dir.join("people.csv")).unwrap();
    let refused = |words: &str, exit: i32, what: &str| {
        let (code, stdout, stderr) = visard(dir, &format!("{words} --mu 3 --out study"));
        let said = format!("{stdout}{stderr}");
        assert!(code == Some(exit) && said.contains(what), "{what}: {code:?} {said}");
        assert!(!dir.join("study/release").exists());
        let ledger = fs::read_to_string(dir.join("study/visard.ledger.jsonl")).unwrap_or_default();
        assert!(!ledger.contains("\"charge\""), "{what}");
    };
    let with = |change: &dyn Fn(String) -> String| {
        fs::write(dir.join("people.csv"), change(table.clone())).unwrap();
    };
    refused(&REGRESS.replace("age=0:10", "age=10:0"), 2, "below the upper one");
    refused(&REGRESS.replace("age=0:10", "age"), 2, "NAME=LOWER:UPPER");
    refused(&REGRESS.replace(" --bounds age=0:10 --levels sex=F|M", ""), 2, "--bounds");
    refused(&REGRESS.replace("sex=F|M", "sex=F|F"), 2, "2 to 12 different levels");
    refused(&REGRESS.replace("age=0:10", "age=0:10,bmi=15:40"), 1, "there is no column bmi");
    refused(&REGRESS.replace("--seed 1", "--spline bmi=4 --seed 1"), 2, "no bounds are given");
    refused(&REGRESS.replace("people.csv", "nothing.csv"), 1, "no such file");
    // More columns than 60 records at mu 3 can tell anything of.
    let many: String = (0..30).map(|i| format!("x{i}=0:1,")).collect();
    refused(&REGRESS.replace("age=0:10", &many), 1, "are too many for 60 records");
    with(&|t| t.replace("\n7,", "\n700,"));
    refused(REGRESS, 1, "is not a record of this study");
    with(&|t| format!("{t}7,3,F\n"));
    refused(REGRESS, 1, "already; give every record once");
    with(&|t| t.replacen(",F", ",other", 1));
    refused(REGRESS, 1, "not one of the levels F and M");
    with(&|t| t.replacen("0,", "0,old", 1));
    refused(REGRESS, 1, "is not a number");
    with(&|t| t.replace(",M", ",F"));
    refused(REGRESS, 1, "sex is the same for all records");
    with(&|t| t.replace("record,", "name,"));
    refused(REGRESS, 1, "the column record");
    // And then it runs, with values that are missing and some that are clipped: counted where only the data holder looks.
    with(&|t| t.replacen(",F", ",", 1).replace("\n8,", "\n8,1e6,M\n#"));
    let (code, stdout, stderr) = visard(dir, &format!("{REGRESS} --mu 3 --out study"));
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert!(stderr.contains("do not publish") && stderr.contains("1 value outside"), "{stderr}");
    let counted = json(&fs::read_to_string(dir.join("study/internal/covariates.json")).unwrap());
    assert_eq!((&counted[0]["outside_bounds"], &counted[1]["missing"]), (&1.into(), &1.into()));
    for file in fs::read_dir(dir.join("study/release")).unwrap() {
        let text = String::from_utf8_lossy(&fs::read(file.unwrap().path()).unwrap()).into_owned();
        assert!(!text.contains("people.csv") && !text.contains("\"missing\""));
    }
}

fn release(last: Option<(&str, usize)>) -> BTreeMap<String, Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    study(folder.path(), 80, last);
    let (code, stdout, stderr) = visard(folder.path(), &format!("{REGRESS} --residuals --mu 4 --out study"));
    assert_eq!(code, Some(0), "{stderr}{stdout}");
    let files = fs::read_dir(folder.path().join("study/release")).unwrap().map(Result::unwrap);
    files.map(|f| (f.file_name().to_string_lossy().into_owned(), fs::read(f.path()).unwrap())).collect()
}

/// What is a function of noised values, or of the run alone.
const NOISED: [&str; 17] = [
    "by_covariates",
    "accuracy",
    "field_accuracy",
    "explained_share",
    "ledger",
    "clip_radius",
    "clip",
    "sha256",
    "released",
    "visible",
    "certain",
    "variances",
    "variance_noise",
    "shares",
    "total_variance",
    "total_noise",
    "leans_on_prior",
];

/// Everything but that: keys stay, values go.
fn plain(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for (key, value) in map.iter_mut() {
                if NOISED.contains(&key.as_str()) { *value = Value::Null } else { plain(value) }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(plain),
        _ => {}
    }
}

/// A page without what is drawn or said of released numbers.
fn without_numbers(page: &[u8]) -> String {
    let mut text = String::from_utf8(page.to_vec()).unwrap();
    for (from, to) in [
        ("<svg", "</svg>"),
        ("<pre>", "</pre>"),
        ("Together the covariates", "</p>"),
        ("How much of the", "</p>"),
        // How many modes stand out of the noise, and their variances.
        ("How people vary beyond", "<h2"),
    ] {
        while let Some(start) = text.find(from) {
            let end = start + text[start..].find(to).unwrap() + to.len();
            text.replace_range(start..end, "[noised]");
        }
    }
    let parts = text.split("base64,").enumerate().map(|(i, part)| match i {
        0 => part,
        _ => part.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "+/=".contains(c)),
    });
    let text: String = parts.collect();
    let mut out = String::new();
    for c in text.replace("cannot be told", "0").chars() {
        let c = if c.is_ascii_digit() || ".-+e".contains(c) { '#' } else { c };
        if !(c == '#' && out.ends_with('#')) {
            out.push(c);
        }
    }
    out
}

/// A neighbour with another face and other covariates, one without covariates, one outside the bounds.
#[test]
fn releases_of_neighbours_differ_in_noised_values_only() {
    let one = release(None);
    for other in [Some(("79,9.9,F\n", 81)), Some(("79,,\n", 82)), Some(("79,-400,M\n", 79)), Some(("", 79))] {
        let other = release(other);
        assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
        for (name, a) in &one {
            let b = &other[name];
            if name == "certificate.json" {
                let [a, b] = [a, b].map(|bytes| {
                    let mut value: Value = serde_json::from_slice(bytes).unwrap();
                    plain(&mut value);
                    value
                });
                assert_eq!(a, b);
            } else if name == "report.html" {
                let [a, b] = [a, b].map(|page| without_numbers(page));
                let at = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count();
                let shown =
                    |page: &str| page.chars().skip(at.saturating_sub(60)).take(140).collect::<String>();
                assert!(a == b, "{}\n{}", shown(&a), shown(&b));
            } else if name == "variances.csv" {
                assert_eq!(a.split(|c| *c == b'\n').next(), b.split(|c| *c == b'\n').next());
            } else if name == "modes.npy" {
                assert_eq!(a[..8], b[..8]);
            } else {
                assert_eq!((a.len(), &a[..64]), (b.len(), &b[..64]), "{name}");
                assert_ne!(a, b, "{name}: not neighbours but twins");
            }
        }
    }
    let certificate: Value = serde_json::from_slice(&one["certificate.json"]).unwrap();
    assert_eq!(certificate["clip_radius"]["source"], "private");
}
