//! Help, tips and refusals of the command.

use crate::command_line::visard;
use clap::Command;
use visard::command::{Answer, Refusal, answer, interface};
use visard::study::Stop;

/// Names of commands whose help shows no example, theirs and all below.
fn without_example(command: &Command, path: &str, found: &mut Vec<String>) {
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    if !help.contains("Example") {
        found.push(path.to_owned());
    }
    for below in command.get_subcommands() {
        without_example(below, &format!("{path} {}", below.get_name()), found);
    }
}

#[test]
fn every_help_page_has_an_example() {
    let mut found = Vec::new();
    without_example(&interface(), "visard", &mut found);
    assert!(found.is_empty(), "no example: {found:?}");
}

#[test]
fn tips_say_what_was_meant() {
    let dir = tempfile::tempdir().unwrap();
    let tip = |words: &str| {
        let (code, _, said) = visard(dir.path(), words);
        assert_eq!(code, Some(2), "{said}");
        said
    };
    let recursive = tip("face mean scans --recursive --mu 1 --out o");
    assert!(recursive.contains("check FOLDER --recursive --save") && !recursive.contains("--records"));
    let mean = tip("mean scans");
    assert!(mean.contains("visard face mean") && !mean.contains("'man'"), "{mean}");
    assert!(!tip("face mean scans --oot x").contains("hint:"));
}

/// A long list is read by its headings: options without a group are few.
#[test]
fn options_stand_in_groups() {
    let mut commands = vec![interface()];
    while let Some(command) = commands.pop() {
        commands.extend(command.get_subcommands().cloned());
        let is_loose =
            |argument: &&clap::Arg| !argument.is_positional() && argument.get_help_heading().is_none();
        let loose: Vec<_> =
            command.get_arguments().filter(is_loose).map(|argument| argument.get_id().as_str()).collect();
        assert!(loose.len() <= 9, "{}: {loose:?}", command.get_name());
    }
}

fn asked(words: &[&str]) -> Result<Answer, Refusal> {
    answer(words, &|_, _, _| {}, &Stop::default())
}

#[test]
fn a_caller_learns_why_in_one_word() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).display().to_string();
    let table = (0..40).fold("x,y\n".to_owned(), |text, i| format!("{text}0.{i:02},0.1\n"));
    std::fs::write(at("points.csv"), table + "nan,0.1\n").unwrap();
    let (points, out) = (at("points.csv"), at("study"));
    let study = |more: &[&str]| asked(&[&["hyperbolic", "mean", &points, "--out", &out], more].concat());
    let kind = |more: &[&str]| study(more).unwrap_err().kind;
    assert_eq!(kind(&["--oot", "x"]), "unknown-option");
    assert_eq!(kind(&["--mu", "x", "--radius", "1"]), "usage");
    assert_eq!(kind(&["--mu", "1"]), "usage");
    assert_eq!(kind(&["--mu", "1", "--radius", "1", "--unusable", "refuse"]), "input");
    assert_eq!(kind(&["--mu", "30", "--radius", "1"]), "vacuous-budget");
    let priced = study(&["--mu", "1", "--radius", "1", "--dry-run"]).unwrap();
    assert_eq!(priced.value["dry_run"], true);
    assert!(!dir.path().join("study").exists());
    let stop = Stop::default();
    assert!(stop.ask());
    let line = ["hyperbolic", "mean", &points, "--out", &out, "--mu", "1", "--radius", "1"];
    assert!(answer(line, &|_, _, _| {}, &stop).is_err());
    let done = study(&["--mu", "1", "--radius", "1", "--threads", "1"]).unwrap();
    assert_eq!(done.value["n"], 41);
    // What only the data holder may know is told apart.
    assert_eq!(done.secret["unusable"], 1);
    assert!(!done.value.to_string().contains("unusable"));
    assert_eq!(kind(&["--mu", "1", "--radius", "1"]), "exists");
}

#[test]
fn every_example_parses() {
    let mut commands = vec![interface()];
    while let Some(command) = commands.pop() {
        commands.extend(command.get_subcommands().cloned());
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        for line in help.lines().filter_map(|line| line.strip_prefix("  visard ")) {
            let end = [" > ", " | ", " #"].iter().filter_map(|mark| line.find(mark)).min();
            let line = &line[..end.unwrap_or(line.len())];
            let words = line.split_whitespace().map(|word| word.trim_matches('"'));
            let parsed = interface().try_get_matches_from(std::iter::once("visard").chain(words));
            assert!(parsed.is_ok(), "{line}: {}", parsed.map(|_| ()).unwrap_err());
        }
    }
}
