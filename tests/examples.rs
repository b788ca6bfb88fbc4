//! The short examples do what they say: each ends with an assertion of its own, and is run here.

use std::path::PathBuf;
use std::process::Command;

/// The examples are built beside the tests by `cargo test`.
fn example(name: &str) -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let profile = tests.parent().and_then(|deps| deps.parent()).unwrap();
    profile.join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

#[test]
fn every_short_example_runs() {
    for name in [
        "first_private_face",
        "own_mechanism",
        "outline_study",
        "private_pca",
        "budget_planning",
        "terrain_tile",
        "registration_gallery",
    ] {
        let out = Command::new(example(name)).output().unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(out.status.success(), "{name}: {}", String::from_utf8_lossy(&out.stderr));
        assert!(!out.stdout.is_empty(), "{name} says nothing");
    }
}
