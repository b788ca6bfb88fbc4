//! The examples do what they say: every one is run, and each ends with an assertion of its own or has its output looked at here.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The names of all examples: the files of their folder, and the folders with a main file.
fn names() -> Vec<String> {
    let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/examples")).unwrap();
    let mut names: Vec<String> = folder
        .map(|entry| {
            let path = entry.unwrap().path();
            assert!(
                path.extension().is_some_and(|e| e == "rs") || path.join("main.rs").is_file(),
                "{}: no example",
                path.display()
            );
            path.file_stem().unwrap().to_str().unwrap().to_owned()
        })
        .collect();
    names.sort();
    names
}

/// The examples are built beside the tests by `cargo test`.
fn program(name: &str) -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let profile = tests.parent().and_then(|deps| deps.parent()).unwrap();
    profile.join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// A word for every measurement, with arguments for which it takes seconds, and writes nowhere but to this folder.
fn measurements(folder: &Path) -> Vec<Vec<String>> {
    let folder = folder.to_str().unwrap().to_owned();
    let listed = run("measure", &[], Path::new(&folder));
    let names = listed.lines().map(str::to_owned);
    let with = |name: &str| match name {
        "make_template" | "registration_gallery" => vec![folder.clone()],
        "mse_table" => vec!["ict".into()],
        "organ_table" | "registered_organs" => vec!["2".into(), "ear".into()],
        // A kind takes minutes.
        "surface_plan_table" => vec!["1".into(), "none".into()],
        "odd_faces" => vec!["1".into(), "1".into(), "classes".into(), folder.clone()],
        _ => Vec::new(),
    };
    names.map(|name| [vec![name.clone()], with(&name)].concat()).collect()
}

/// What an example prints; it must succeed.
fn run(name: &str, arguments: &[String], folder: &Path) -> String {
    let program = program(name);
    let out = Command::new(&program)
        .args(arguments)
        .current_dir(folder)
        // Synthetic people, whatever else is there.
        .env_remove("VISARD_DATA")
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|e| {
            panic!("{}: {e}; `cargo build --release --examples` makes it", program.display())
        });
    assert!(out.status.success(), "{name} {arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
    assert!(!out.stdout.is_empty(), "{name} {arguments:?} says nothing");
    String::from_utf8(out.stdout).unwrap()
}

#[test]
fn every_example_runs() {
    let names = names();
    assert!(names.len() >= 10, "{names:?}");
    for name in names {
        let folder = tempfile::tempdir().unwrap();
        run(&name, &[], folder.path());
    }
}

#[test]
#[ignore = "slow: two minutes; clippy compiles them each time"]
fn every_measurement_runs() {
    let folder = tempfile::tempdir().unwrap();
    let all = measurements(folder.path());
    assert!(all.len() >= 13, "{all:?}");
    for words in all {
        run("measure", &words, folder.path());
    }
    let made = std::fs::read(folder.path().join("template_face.ply")).unwrap();
    assert!(made == include_bytes!("../../assets/template_face.ply"), "not the template that ships");
}
