//! `visard face assess`, as a user runs it: a patient of the population is usual, a changed chin stands out, the release stays as it was, and what
//! cannot be held against a norm is refused.

use crate::command_line::visard;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use visard::function::FaceCurves;
use visard::io::{read_scan, write_npy, write_ply};
use visard::mesh::{Point, TriMesh};
use visard::norm::assess::{Assessment, Norm};
use visard::norm::face_parts::FacePart;
use visard::study::face::{TemplateSource, load_template};
use visard::synth::{FaceParameters, builtin_landmarks};

const CURVES: usize = 8;
const SAMPLES: usize = 16;
const PEOPLE: usize = 400;
/// Millimetres in a unit of a face of 20 cm.
const MM: f64 = 200.0;
const REGRESS: &str = "face regress --prepared faces.npy --covariates people.csv --bounds age=0:10 --curves 8 --samples 16 --mu 20";

/// A study of people, and a patient who is not in it, as a record and as a scan: as found, and with a chin that is 4 mm further to the front.
fn study(dir: &Path) {
    let template = load_template(&TemplateSource::Builtin).unwrap().template;
    let (mean, mut rng) = (FaceParameters::elsewhere(), ChaCha8Rng::seed_from_u64(3));
    let (mut faces, mut table) = (Vec::new(), String::from("record,age\n"));
    for i in 0..PEOPLE {
        let vertices = FaceParameters::sample_about(&mean, &mut rng).vertices();
        faces.extend_from_slice(template.curves_of(&vertices, CURVES, SAMPLES).unwrap().data());
        table.push_str(&format!("{i},{:.2}\n", rng.random_range(0.0..10.0)));
    }
    write_npy(&dir.join("faces.npy"), &[PEOPLE, CURVES, SAMPLES, 3], &faces).unwrap();
    fs::write(dir.join("people.csv"), table).unwrap();
    let vertices = FaceParameters::sample_about(&mean, &mut rng).vertices();
    let usual = template.curves_of(&vertices, CURVES, SAMPLES).unwrap().into_data();
    let changed = chin_to_the_front(&usual);
    for (name, curves) in [("usual", &usual), ("changed", &changed)] {
        write_npy(&dir.join(format!("{name}.npy")), &[1, CURVES, SAMPLES, 3], curves).unwrap();
    }
    write_ply(&dir.join("scan.ply"), &template.mesh().with_vertices(vertices).unwrap()).unwrap();
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Into::into);
    let solid = TriMesh::new(corners.to_vec(), vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]).unwrap();
    write_ply(&dir.join("solid.ply"), &solid).unwrap();
    for (out, more) in [("plain", ""), ("study", " --residuals")] {
        let (code, stdout, stderr) =
            visard(dir, &format!("{REGRESS} --out {out}{more} --ledger {out}.jsonl"));
        assert_eq!(code, Some(0), "{stderr}{stdout}");
    }
}

/// By 4 mm.
fn chin_to_the_front(face: &[f64]) -> Vec<f64> {
    let points = face.chunks_exact(3).filter(|p| p[0].abs() < 0.05);
    let chin = points.min_by(|a, b| a[1].total_cmp(&b[1])).unwrap().to_vec();
    let mut changed = face.to_vec();
    for p in changed.chunks_exact_mut(3) {
        let apart: f64 = p.iter().zip(&chin).map(|(x, c)| (x - c).powi(2)).sum();
        p[2] += 4.0 / MM * (-apart / (2.0 * 0.1f64.powi(2))).exp();
    }
    changed
}

/// Twelve patients, fixed seeds: percentiles are in the middle on average, with a standard error of 8; z-values are about 1; a changed chin stands out
/// beyond the modes.
fn patients_of_the_population_are_usual(dir: &Path) {
    let norm = Norm::open(&dir.join("study"), &TemplateSource::Builtin).unwrap();
    let (mean, mut rng) = (FaceParameters::elsewhere(), ChaCha8Rng::seed_from_u64(4));
    let count = 12;
    let (mut percentile, mut z_square, mut beyond) = (0.0, 0.0, [0.0; 2]);
    for _ in 0..count {
        let vertices = FaceParameters::sample_about(&mean, &mut rng).vertices();
        let usual = norm.people.template().curves_of(&vertices, CURVES, SAMPLES).unwrap();
        let changed = FaceCurves::new(CURVES, SAMPLES, chin_to_the_front(usual.data())).unwrap();
        let [usual, changed] = [usual, changed].map(|face| norm.assess(&face, &[Some(5.0)]).unwrap());
        percentile += usual.compared.percentile.unwrap() / f64::from(count);
        z_square += usual.z_rms.powi(2) / f64::from(count);
        beyond[0] += usual.compared.beyond.ratio.unwrap() / f64::from(count);
        beyond[1] += changed.compared.beyond.ratio.unwrap() / f64::from(count);
    }
    assert!((30.0..70.0).contains(&percentile), "{percentile}");
    assert!((0.5..2.0).contains(&z_square), "{z_square}");
    assert!(beyond[1] > 1.1 * beyond[0], "{beyond:?}");
}

/// Distances, angles and regions of 12 people of the norm's own law: z-values as they should be, with a standard error of 17 %. A nose is as wide as
/// its wings lie apart on the patient's surface, and a chin that lies further to the front is told at the chin only.
fn distances_and_regions_are_told(dir: &Path) {
    let norm = Norm::open(&dir.join("study"), &TemplateSource::Builtin).unwrap();
    let (mean, mut rng) = (norm.people.mean_at(&[Some(5.0)]).unwrap(), ChaCha8Rng::seed_from_u64(5));
    let part = |found: &Assessment, name: &str| -> FacePart {
        found.measures.iter().find(|part| part.name == name).unwrap().clone()
    };
    let (count, mut squares) = (12, 0.0);
    for k in 0..count {
        let (seen, rest) = norm.people.deviation((&vec![1.0; norm.people.modes.len()], 1.0), &mut rng);
        let data = mean.data().iter().zip(seen.iter().zip(&rest)).map(|(m, (a, b))| m + a + b).collect();
        let face = FaceCurves::new(CURVES, SAMPLES, data).unwrap();
        let found = norm.assess(&face, &[Some(5.0)]).unwrap();
        assert_eq!(found.measures.len(), 22);
        assert!(found.measures.iter().is_sorted_by(|a, b| a.z.abs() >= b.z.abs()));
        squares += found.measures.iter().map(|part| part.z.powi(2)).sum::<f64>() / 22.0 / f64::from(count);
        if k > 0 {
            continue;
        }
        let (surface, marks) = (norm.people.surface(&face).unwrap(), builtin_landmarks());
        let [a, b] = [marks.left_nose_wing, marks.right_nose_wing].map(|v| surface.vertices()[v]);
        let width = part(&found, "nose width");
        assert!((width.patient - MM * (a - b).norm()).abs() < 1e-9, "{width:?}");
        let changed = FaceCurves::new(CURVES, SAMPLES, chin_to_the_front(face.data())).unwrap();
        let changed = norm.assess(&changed, &[Some(5.0)]).unwrap();
        let moved = |name: &str| part(&changed, name).patient - part(&found, name).patient;
        assert!((0.1..4.0).contains(&moved("chin")), "{}", moved("chin"));
        for elsewhere in ["forehead", "right eye", "left eye", "width across both eyes", "nose width"] {
            assert!(moved(elsewhere).abs() < 0.2, "{elsewhere}: {}", moved(elsewhere));
        }
    }
    assert!((0.5..1.7).contains(&squares), "{squares}");
}

/// Clouds on the surfaces that lie beside them, turned and grey; the same each time, others with another seed.
fn synthetic_faces_are_scanned(dir: &Path) {
    let run = |words: &str| {
        let (code, stdout, stderr) = visard(dir, words);
        assert_eq!(code, Some(0), "{words}: {stderr}{stdout}");
    };
    run("face sample study --n 2 --at age=5 --out synthetic");
    run("export synthetic --format scans --scanner careless --out simulated");
    run("export synthetic --format scans --scanner careless --out again");
    run("--seed 9 export synthetic --format scans --scanner careless --out other");
    for file in ["sample-0001.ply", "sample-0002.ply"] {
        let at = |folder: &str| dir.join(folder).join(file);
        let bytes = fs::read(at("simulated/scans")).unwrap();
        let heading = String::from_utf8_lossy(&bytes[..300]).into_owned();
        assert!(heading.contains("not of a person") && heading.contains("property uchar red"), "{heading}");
        assert_eq!(bytes, fs::read(at("again/scans")).unwrap());
        assert_ne!(bytes, fs::read(at("other/scans")).unwrap());
        let [face, scan, truth] = ["synthetic", "simulated/scans", "simulated/truth"].map(|folder| {
            let scan = read_scan(&at(folder)).unwrap();
            TriMesh::new(scan.vertices, scan.triangles.unwrap_or_default()).unwrap()
        });
        let size = (truth.area() / face.area()).sqrt();
        assert!((0.69 * MM..1.41 * MM).contains(&size), "{size}");
        assert!(scan.vertices().len() == 7150 && scan.triangles().is_empty());
        let near = |p: &Point| {
            let nearest = truth.nearest_vertex(p).unwrap();
            (truth.vertices()[nearest] - p).norm()
        };
        let apart = scan.vertices().iter().step_by(50).map(near).fold(0.0, f64::max);
        assert!(apart < 9.0, "{apart}");
    }
    fs::create_dir(dir.join("mixed")).unwrap();
    fs::copy(dir.join("synthetic/sample.json"), dir.join("mixed/sample.json")).unwrap();
    fs::copy(dir.join("usual/internal/map.ply"), dir.join("mixed/sample-0001.ply")).unwrap();
    for (words, what) in [
        ("export synthetic --format scans --out simulated", "is not empty"),
        ("export study/internal/report.html --format scans --out no", "what may be published only"),
        ("export synthetic/curves.npy --format scans --out no", "error"),
        ("export study --scanner clean --out no.ply", "goes with --format scans"),
        ("export study --format scans --no-colours --out no", "are not for scans"),
        // A file for the data holder only that was put among them.
        ("export mixed --format scans --out no", "what may be published only"),
    ] {
        let (code, stdout, stderr) = visard(dir, words);
        assert!(code != Some(0) && stderr.contains(what), "{words}: {stdout}{stderr}");
        assert!(!dir.join("no").exists());
    }
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            found.extend(
                files(&entry.path()).into_iter().map(|(file, bytes)| (format!("{name}/{file}"), bytes)),
            );
        } else {
            found.insert(name, fs::read(entry.path()).unwrap());
        }
    }
    found
}

#[test]
#[ignore = "slow: a quarter of a minute; a_patient_is_held_against_a_norm has one patient"]
fn patients_are_usual_and_synthetic_faces_are_scanned() {
    let folder = tempfile::tempdir().unwrap();
    study(folder.path());
    patients_of_the_population_are_usual(folder.path());
    let words = "face assess --prepared usual.npy --at age=5 --norm study --out usual";
    let (code, stdout, stderr) = visard(folder.path(), words);
    assert_eq!(code, Some(0), "{stderr}{stdout}");
    synthetic_faces_are_scanned(folder.path());
}

#[test]
fn a_patient_is_held_against_a_norm() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    study(dir);
    let (before, ledger) = (files(&dir.join("study")), fs::read(dir.join("study.jsonl")).unwrap());
    let assess = |words: &str| -> Value {
        let (code, stdout, stderr) = visard(dir, &format!("face assess {words} --norm study --json"));
        assert_eq!(code, Some(0), "{stderr}{stdout}");
        serde_json::from_str(&stdout).unwrap()
    };
    let usual = assess("--prepared usual.npy --at age=5 --out usual");
    let changed = assess("--prepared changed.npy --at age=5 --out changed");
    distances_and_regions_are_told(dir);
    let number = |said: &Value, name: &str| said[name].as_f64().unwrap_or_else(|| panic!("{name}: {said}"));
    let percentile = number(&usual, "percentile");
    assert!(percentile > 0.0 && percentile < 100.0, "{usual}");
    let interval = usual["percentile_interval"].as_array().unwrap();
    assert!(
        interval[0].as_f64().unwrap() <= percentile && percentile <= interval[1].as_f64().unwrap(),
        "{usual}"
    );
    assert!(number(&usual, "modes_of_percentile") >= 2.0, "{usual}");
    assert!(number(&changed["beyond"], "ratio") > 0.0);
    assert!(usual["parts"][0]["z"].as_f64().is_some());
    assert!(usual["notes"].to_string().contains("never a diagnosis") && usual["do_not_publish"].is_object());

    let internal = dir.join("usual/internal");
    let page = fs::read_to_string(internal.join("report.html")).unwrap();
    assert!(
        page.contains("INTERNAL: DO NOT PUBLISH")
            && page.contains("never a diagnosis")
            && page.contains("age=5")
            && page.contains("nose width (right_nose_wing:left_nose_wing)")
    );
    let table = fs::read_to_string(internal.join("map.csv")).unwrap();
    assert!(
        table.lines().count() > 1000 && table.lines().next().unwrap().contains("one_sd_mm"),
        "{}",
        &table[..80]
    );
    #[cfg(unix)]
    for file in fs::read_dir(&internal).unwrap().map(Result::unwrap) {
        let mode = std::os::unix::fs::PermissionsExt::mode(&file.metadata().unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600, "{:?}", file.path());
    }
    // The map knows itself for what it is.
    fs::copy(internal.join("map.ply"), dir.join("copy.ply")).unwrap();
    let (code, _, stderr) = visard(
        dir,
        "face mean --prepared faces.npy --curves 8 --samples 16 --template copy.ply --mu 1 --out none",
    );
    assert!(code != Some(0) && stderr.contains("mark"), "{stderr}");

    // A scan is registered first; it is the same person.
    let scanned = assess("scan.ply --at age=5 --out scanned");
    assert!(
        (number(&scanned, "deviation_mm") - number(&usual, "deviation_mm")).abs() < 1.0,
        "{scanned} {usual}"
    );

    for (words, what) in [
        ("--prepared usual.npy --at age=11 --norm study --out no", "outside the bounds 0 to 10"),
        ("--prepared usual.npy --at bmi=3 --norm study --out no", "it has age"),
        ("--prepared usual.npy --norm study --out no", "depends on age"),
        ("--prepared usual.npy --at age=5 --norm plain --out no", "--residuals"),
        ("--prepared usual.npy --at age=5 --norm study --template scan.ply --out no", "another template"),
        ("solid.ply --at age=5 --norm study --out no", "could not be registered"),
        ("scan.ply --at age=5 --norm study --neutral builtin --out no", "give --neutral as for the norm"),
        ("--prepared usual.npy --at age=5 --norm study --out study", "choose another --out"),
        ("--prepared usual.npy --at age=5 --norm study --out study/release/x", "choose another --out"),
        ("--prepared usual.npy --at age=5 --norm study --out no/../study/x", "choose another --out"),
        ("--prepared usual.npy --at age=5 --norm study --out usual", "--force"),
    ] {
        let (code, stdout, stderr) = visard(dir, &format!("face assess {words}"));
        assert!(code == Some(1) && stderr.contains(what), "{words}: {code:?} {stdout}{stderr}");
        assert!(!dir.join("no").exists());
    }
    assert!(files(&dir.join("study")) == before && fs::read(dir.join("study.jsonl")).unwrap() == ledger);

    // A norm that was changed is said to be.
    let certificate = dir.join("study/release/certificate.json");
    let text = fs::read_to_string(&certificate).unwrap().replacen("\"n\": 400", "\"n\": 401", 1);
    fs::write(&certificate, text).unwrap();
    let (code, stdout, stderr) =
        visard(dir, "face assess --prepared usual.npy --at age=5 --norm study --out forged --json");
    assert!(
        code == Some(0) && stdout.contains("DOES NOT VERIFY") && stdout.contains("\"verified\":false"),
        "{stdout}{stderr}"
    );
    assert!(fs::read_to_string(dir.join("forged/internal/report.html")).unwrap().contains("DOES NOT VERIFY"));
}
