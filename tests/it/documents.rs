//! The documents are short and their commands work. Every block marked `sh` in the readme and the guide is run by a shell, block after block, in
//! one empty folder per document. A block marked `sh no-run` needs something that a test lacks (a network, a viewer, real scans); the commands
//! and options of its lines that begin with `visard` must exist.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const VISARD: &str = env!("CARGO_BIN_EXE_visard");
const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A block of commands, and whether it is run.
struct Block {
    text: String,
    is_run: bool,
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The Markdown files of a folder and of the folders in it, in the order of their names.
fn markdown(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(markdown(&path));
        } else if path.extension().is_some_and(|ending| ending == "md") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The readme and the chapters of the guide.
fn documents() -> Vec<PathBuf> {
    let mut files = markdown(&Path::new(ROOT).join("docs/guide"));
    files.push(Path::new(ROOT).join("README.md"));
    files
}

fn blocks(path: &Path) -> Vec<Block> {
    let mut blocks = Vec::new();
    // The mark of the fence that is open, and the lines since.
    let mut open: Option<(String, String)> = None;
    for line in read(path).lines() {
        let Some(mark) = line.strip_prefix("```") else {
            if let Some((_, text)) = &mut open {
                text.push_str(line);
                text.push('\n');
            }
            continue;
        };
        match open.take() {
            None => open = Some((mark.trim().to_owned(), String::new())),
            Some((mark, text)) if mark == "sh" || mark == "sh no-run" => {
                blocks.push(Block { is_run: mark == "sh", text });
            }
            Some(_) => {}
        }
    }
    assert!(open.is_none(), "{}: a block is not closed", path.display());
    blocks
}

/// Runs a block in a folder, with the program of these tests as `visard`.
#[cfg(unix)]
fn run(block: &str, folder: &Path) -> std::process::Output {
    let mut path = Path::new(VISARD).parent().unwrap().as_os_str().to_owned();
    if let Some(others) = std::env::var_os("PATH") {
        path.push(":");
        path.push(others);
    }
    Command::new("sh")
        .args(["-eu", "-c", block])
        .current_dir(folder)
        .env("PATH", path)
        // Only made-up people.
        .env_remove("VISARD_DATA")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Chapters whose commands take long; each has tests of its own beside.
#[cfg(unix)]
const LONG: [&str; 3] = ["hospitals.md", "studies.md", "surfaces.md"];

/// Runs the blocks of some documents, and returns how many these are.
#[cfg(unix)]
fn run_blocks(documents: impl Iterator<Item = PathBuf>) -> usize {
    let mut ran = 0;
    for document in documents {
        let folder = tempfile::tempdir().unwrap();
        for block in blocks(&document).iter().filter(|block| block.is_run) {
            let out = run(&block.text, folder.path());
            let (name, said) = (document.display(), String::from_utf8_lossy(&out.stderr));
            assert!(out.status.success(), "{name}:\n{}\n{said}", block.text);
            ran += 1;
        }
    }
    ran
}

#[cfg(unix)]
#[test]
fn every_block_of_the_readme_and_the_short_chapters_runs() {
    let ran = run_blocks(
        documents().into_iter().filter(|document| !LONG.iter().any(|long| document.ends_with(long))),
    );
    assert!(ran >= 8, "{ran}");
}

#[cfg(unix)]
#[test]
#[ignore = "slow: half a minute; every_block_of_the_readme_and_the_short_chapters_runs has the others"]
fn every_block_of_the_long_chapters_runs() {
    let ran = run_blocks(
        documents().into_iter().filter(|document| LONG.iter().any(|long| document.ends_with(long))),
    );
    assert!(ran >= 8, "{ran}");
}

/// What `visard help WORDS…` prints, where there is such a command.
fn help(words: &[&str]) -> Option<String> {
    let out = Command::new(VISARD).arg("help").args(words).stdin(Stdio::null()).output().unwrap();
    out.status.success().then(|| String::from_utf8(out.stdout).unwrap())
}

/// The help of the command that a line calls: `visard COMMAND` or `visard COMMAND SUBCOMMAND`.
fn help_of(words: &[&str]) -> Option<String> {
    let command = help(words.get(..1)?)?;
    if command.contains("<COMMAND>") { help(words.get(..2)?) } else { Some(command) }
}

/// Whether a help text lists an option, and not only a longer one.
fn lists(help: &str, option: &str) -> bool {
    help.match_indices(option).any(|(at, _)| {
        !help[at + option.len()..].starts_with(|next: char| next.is_ascii_alphanumeric() || next == '-')
    })
}

#[test]
fn commands_that_are_not_run_exist() {
    let (mut wrong, mut not_run) = (Vec::new(), 0);
    let mut known: HashMap<String, Option<String>> = HashMap::new();
    for document in documents() {
        for block in blocks(&document).iter().filter(|block| !block.is_run) {
            not_run += 1;
            let text = block.text.replace("\\\n", " ");
            for line in text.lines().filter_map(|line| line.strip_prefix("visard ")) {
                let words: Vec<&str> =
                    line.split_whitespace().take_while(|word| !word.starts_with('#')).collect();
                let key = words.iter().take(2).copied().collect::<Vec<_>>().join(" ");
                let Some(help) = known.entry(key).or_insert_with(|| help_of(&words)) else {
                    wrong.push(format!("{}: no command: {line}", document.display()));
                    continue;
                };
                let options = words.iter().filter(|word| word.starts_with("--"));
                let unknown = options.filter(|option| !lists(help, option.split('=').next().unwrap()));
                wrong.extend(unknown.map(|option| format!("{}: no {option}: {line}", document.display())));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(not_run <= 12, "{not_run} blocks are not run: make made-up records for some of them");
}

fn words(files: &[PathBuf]) -> usize {
    files.iter().map(|file| read(file).split_whitespace().count()).sum()
}

/// A reader has an hour, not a day.
#[test]
fn documents_are_short() {
    let at = |name: &str| Path::new(ROOT).join(name);
    let mut guide = markdown(&at("docs/guide"));
    guide.push(at("docs/guide.md"));
    let mut all = markdown(&at("docs"));
    all.extend([at("README.md"), at("CHANGELOG.md")]);
    let limits = [
        ("README.md", vec![at("README.md")], 900),
        ("the guide", guide, 6_500),
        ("docs/measurements.md", vec![at("docs/measurements.md")], 5_000),
        ("all documents", all, 31_000),
    ];
    for (name, files, most) in limits {
        let found = words(&files);
        assert!(found <= most, "{name}: {found} words, at most {most} are wanted");
    }
    let lines = read(&at("README.md")).lines().count();
    assert!(lines <= 120, "README.md has {lines} lines");
}

/// Every link within the repository leads to a file.
#[test]
fn links_lead_somewhere() {
    let mut files = markdown(&Path::new(ROOT).join("docs"));
    files.extend(["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| Path::new(ROOT).join(name)));
    let mut broken = Vec::new();
    for file in files {
        let text = read(&file);
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let path = target.split('#').next().unwrap_or_default();
            let is_elsewhere = path.is_empty() || path.contains("://") || path.contains(char::is_whitespace);
            if !is_elsewhere && !file.with_file_name(path).exists() {
                broken.push(format!("{}: {target}", file.display()));
            }
        }
    }
    broken.retain(|link| !link.contains("SUMMARY.md"));
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
