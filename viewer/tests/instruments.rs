//! The instruments, modes and damaged releases by the program itself.

use std::path::Path;
use std::process::{Command, Output};
use visard::io::{write_npy, write_ply};
use visard::study::layout::{BAND, CURVES, ERROR, MEAN_PLY, MODES_NPY};
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
