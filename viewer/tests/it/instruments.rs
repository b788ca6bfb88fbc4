//! The instruments, modes and damaged releases by the program itself.

use serde_json::json;
use std::path::Path;
use std::process::{Command, Output};
use visard::io::{write_npy, write_ply};
use visard::privacy::{Mu, PrivacyLoss, Statement};
use visard::study::face::regress::RegressionRelease;
use visard::study::face::{TemplateSource, load_template};
use visard::study::layout::{BAND, CERTIFICATE, CURVES, ERROR, FIELDS, MEAN_PLY, MODES_NPY};
use visard::synth::{builtin_landmarks, builtin_template};

fn still(arguments: &[&str], png: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_visard-viewer"));
    command.args(arguments).args(["--software", "--size", "120x100", "--force", "--screenshot"]).arg(png);
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").output().unwrap()
}

/// Its standard output and standard error, and its picture.
fn made(arguments: &[&str]) -> (String, String, Vec<u8>) {
    let dir = tempfile::tempdir().unwrap();
    let png = dir.path().join("out.png");
    let output = still(arguments, &png);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    (text(&output.stdout), text(&output.stderr), std::fs::read(&png).unwrap())
}

fn refused(arguments: &[&str]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let output = still(arguments, &dir.path().join("out.png"));
    assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_ruler_prints_its_distance_and_every_instrument_is_seen() {
    let (v, l) = (builtin_template().vertices(), builtin_landmarks());
    let expected = format!("nose_tip:chin {:.1} mm\n", (v[l.nose_tip] - v[l.chin]).norm());
    let (said, _, ruled) = made(&["builtin", "--ruler", "nose_tip:chin"]);
    assert_eq!(said, expected);
    let (_, _, plain) = made(&["builtin"]);
    let mut pictures = vec![plain, ruled];
    for with in ["scale-bar", "axes", "landmarks"] {
        pictures.push(made(&["builtin", "--with", with]).2);
    }
    let (_, said, cut) = made(&["builtin", "--slice", "-x:0"]);
    assert!(said.contains("cut at -x:0: an outline of"), "{said}");
    pictures.push(cut);
    for (k, picture) in pictures.iter().enumerate() {
        assert!(!pictures[..k].contains(picture), "picture {k} shows nothing new");
    }
    assert!(refused(&["builtin", "--ruler", "ear:chin"]).contains("there is no ear"));
    assert!(refused(&["builtin", "--modes", "1"]).contains("0 modes"));
}

#[test]
fn a_mean_is_bent_by_its_modes_and_damage_is_told_but_no_hindrance() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let folder = dir.path().to_str().unwrap();
    write_ply(&at(MEAN_PLY), builtin_template()).unwrap();
    let wider = |k: usize| if k.is_multiple_of(3) { 0.1 * (k as f64).sin() } else { 0.0 };
    write_npy(&at(MODES_NPY), &[2, 5, 12, 3], &(0..360).map(wider).collect::<Vec<_>>()).unwrap();
    let (_, said, plain) = made(&[folder]);
    assert!(!said.contains("note: "), "{said}");
    let (_, said, bent) = made(&[folder, "--modes", "-2,1"]);
    assert!(said.contains("--modes -2,1: the mean bent") && plain != bent, "{said}");
    assert!(refused(&[folder, "--modes", "1,1,1"]).contains("2 modes"));
    // A field of another length, and curves that are none.
    write_npy(&at(ERROR), &[7], &[0.1; 7]).unwrap();
    std::fs::write(at(CURVES), "none").unwrap();
    let (_, said, again) = made(&[folder]);
    assert!(
        said.contains(ERROR) && said.contains("[7]") && said.contains(CURVES) && again == plain,
        "{said}"
    );
    assert!(refused(&[folder, "--field", "error"]).contains("error"));
    // The surface itself: its curves in its place, then nothing.
    std::fs::write(at(MEAN_PLY), "ply\n").unwrap();
    write_npy(&at(CURVES), &[2, 4, 3], &(0..24).map(f64::from).collect::<Vec<_>>()).unwrap();
    let (_, said, _) = made(&[folder]);
    assert!(said.contains("its curves are shown in its place"), "{said}");
    std::fs::write(at(CURVES), "none").unwrap();
    assert!(refused(&[folder]).contains(MEAN_PLY));
}

#[test]
fn a_band_is_a_shell_and_one_of_no_width_is_none() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().to_str().unwrap();
    write_ply(&dir.path().join(MEAN_PLY), builtin_template()).unwrap();
    let band = |half: f64| {
        let border = |side: f64| (0..180).map(move |k| 0.1 * f64::from(k).sin() + side * half);
        let both: Vec<f64> = border(-1.0).chain(border(1.0)).collect();
        write_npy(&dir.path().join(BAND), &[2, 5, 12, 3], &both).unwrap();
    };
    let (_, said, plain) = made(&[folder, "--with", "band"]);
    assert!(said.contains(BAND) && plain == made(&[folder]).2, "{said}");
    band(0.0);
    assert!(made(&[folder, "--with", "band"]).2 == plain, "a band of no width is not seen");
    band(0.02);
    assert!(made(&[folder]).2 == plain, "nor one that was not asked for");
    let (_, said, seen) = made(&[folder, "--with", "band"]);
    assert!(said.contains("mm to either side") && seen != plain, "{said}");
    let cut = |with: &str| made(&[folder, "--with", with, "--slice", "x:0", "--camera", "right"]).2;
    assert_ne!(cut("band"), cut("axes"), "its borders are seen in a cut");
}

/// A release of a regression on age and sex, without noise or people: age widens the face, sex lengthens it.
fn regression(folder: &Path) {
    let template = load_template(&TemplateSource::Builtin).unwrap();
    let own = template.template.own_curves(5, 12).unwrap();
    let along =
        |k: usize| own.data().iter().enumerate().map(move |(i, x)| if i % 3 == k { 0.1 * x } else { 0.0 });
    let fields: Vec<f64> = own.data().iter().copied().chain(along(0)).chain(along(1)).collect();
    write_npy(&folder.join(FIELDS), &[3, 5, 12, 3], &fields).unwrap();
    let mean = template.template.face_through(&own).unwrap();
    write_ply(&folder.join(MEAN_PLY), &mean).unwrap();
    let mut statement = Statement::new("m", 3, PrivacyLoss::Gaussian(Mu::new(1.0).unwrap()));
    statement.public_inputs = vec![template.input];
    let details = [
        (
            "covariates",
            json!([{"name": "age", "kind": "linear", "lower": 3.0, "upper": 18.0}, {"name": "sex", "kind": "levels", "levels": ["F", "M"]}]),
        ),
        ("accuracy", json!({"rms": 0.01})),
        ("field_accuracy", json!([{"error_rms": 0.02}, {"error_rms": 0.03}])),
    ];
    statement.details.extend(details.map(|(name, value)| (name.to_owned(), value)));
    std::fs::write(folder.join(CERTIFICATE), statement.certify().unwrap().to_json().unwrap()).unwrap();
}

#[test]
fn faces_at_other_ages_are_the_librarys_own_predictions_and_can_be_animated() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().to_str().unwrap();
    regression(dir.path());
    let release = RegressionRelease::open(dir.path(), &TemplateSource::Builtin).unwrap();
    let (values, mean) = ([Some(18.0), Some(-1.0)], release.at(&[]).unwrap().mesh);
    let (predicted, moved) = (release.at(&values).unwrap(), release.displacements().unwrap());
    let face = moved.face(&mean, &values, 1.0).unwrap();
    for (p, q) in face.vertices().iter().zip(predicted.mesh.vertices()) {
        assert!((p - q).norm() < 1e-9, "{p} {q}");
    }
    assert!((moved.rms(&values) - predicted.rms).abs() < 1e-12);
    let (_, _, plain) = made(&[folder]);
    let (_, said, old) = made(&[folder, "--at", "age=18,sex=F"]);
    assert!(said.contains("age 18, sex F, of no person") && old != plain, "{said}");
    assert!(made(&[folder, "--at", "age=3"]).2 != old);
    for (bad, needle) in [("age=2", "outside the bounds"), ("bmi=20", "age"), ("sex=X", "sex")] {
        let told = refused(&[folder, "--at", bad]);
        assert!(told.contains(needle), "{told}");
    }
    assert!(refused(&["builtin", "--at", "age=3"]).contains("no covariates"));
    let gif = dir.path().join("growth.gif");
    let animate = |name: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_visard-viewer"));
        command.args([folder, "--animate", name, "--software", "--size", "64x48", "--force", "--turntable"]);
        command.arg(&gif).output().unwrap()
    };
    assert!(String::from_utf8_lossy(&animate("bmi").stderr).contains("no covariate bmi; there are age, sex"));
    assert!(animate("age").status.success());
    assert_eq!(frames(&gif), 60);
    assert!(animate("sex").status.success());
    assert_eq!(frames(&gif), 2);
}

fn frames(gif: &Path) -> usize {
    let mut decoder = gif::DecodeOptions::new().read_info(std::fs::File::open(gif).unwrap()).unwrap();
    let mut frames = 0;
    while decoder.read_next_frame().unwrap().is_some() {
        frames += 1;
    }
    frames
}

#[test]
fn a_group_is_followed_from_the_other_one() {
    let dir = tempfile::tempdir().unwrap();
    let release = dir.path().join("release");
    std::fs::create_dir_all(&release).unwrap();
    let mean = |label: &str, wide: f64| {
        let mesh = builtin_template();
        let v = mesh.vertices().iter().map(|p| visard::mesh::Point::new(wide * p.x, p.y, p.z)).collect();
        write_ply(&release.join(format!("mean_{label}.ply")), &mesh.with_vertices(v).unwrap()).unwrap();
    };
    mean("A", 1.0);
    mean("B", 1.2);
    let mut statement = Statement::new("m", 3, PrivacyLoss::Gaussian(Mu::new(1.0).unwrap()));
    statement.details.insert("groups".into(), json!([{"label": "A", "n": 2}, {"label": "B", "n": 2}]));
    std::fs::write(release.join(CERTIFICATE), statement.certify().unwrap().to_json().unwrap()).unwrap();
    let folder = dir.path().to_str().unwrap();
    let at = |share: &str| made(&[folder, "--morph", share, "--ruler", "0:1"]);
    let (_, said, half) = at("0.5");
    assert!(said.contains("50 % of the way from the mean of B"), "{said}");
    assert!(half != at("0").2 && half != at("1").2 && at("0").2 != at("1").2);
    assert!(!at("1").1.contains("of the way"));
}
