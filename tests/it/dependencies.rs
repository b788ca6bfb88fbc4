//! What visard is built from is what was reviewed: every crate of `Cargo.lock` comes from crates.io with a checksum and stands in
//! docs/dependencies.md, and nothing else does.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn read(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// The value of `key = "value"` in a paragraph of a lock file.
fn value<'a>(package: &'a str, key: &str) -> Option<&'a str> {
    package.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \"")?.strip_suffix('"'))
}

#[test]
fn every_crate_was_reviewed() {
    let lock = read("Cargo.lock");
    let mut locked = BTreeSet::new();
    for package in lock.split("[[package]]").skip(1) {
        let (name, version) = (value(package, "name").unwrap(), value(package, "version").unwrap());
        let Some(source) = value(package, "source") else {
            assert!(
                ["visard", "fuzz"].contains(&name) || name.starts_with("visard-"),
                "{name} {version} comes from nowhere"
            );
            continue;
        };
        assert_eq!(source, "registry+https://github.com/rust-lang/crates.io-index", "{name} {version}");
        assert_eq!(value(package, "checksum").map(str::len), Some(64), "{name} {version}");
        locked.insert(format!("{name} {version}"));
    }
    let list = read("docs/dependencies.md");
    let lines = list.lines().filter_map(|line| line.strip_prefix("* "));
    let listed: BTreeSet<String> = lines
        .flat_map(|line| line.split_once("): ").map_or("", |(_, names)| names).split(", "))
        .map(str::to_owned)
        .collect();
    assert!(locked.len() > 100);
    let (new, gone): (Vec<_>, Vec<_>) =
        (locked.difference(&listed).collect(), listed.difference(&locked).collect());
    assert!(
        new.is_empty() && gone.is_empty(),
        "not in docs/dependencies.md: {new:?}; no longer used: {gone:?}; review them, then .ci/dependencies --write"
    );
    assert!(
        read("docs/security.md").contains(&format!("all {}", locked.len())),
        "the review counts the crates"
    );
}

/// What tells others which version this is: for citations, for R.
#[test]
fn there_is_one_version() {
    let version = env!("CARGO_PKG_VERSION");
    for (name, line) in [
        ("CITATION.cff", format!("version: {version}\n")),
        ("codemeta.json", format!("\"version\": \"{version}\"")),
        ("r/DESCRIPTION", format!("Version: {version}\n")),
    ] {
        assert!(read(name).contains(&line), "{name} does not say {line}");
    }
}
