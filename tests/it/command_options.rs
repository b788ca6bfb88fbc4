//! What the options of the command take, as far as it is files: public inputs, or not. A new option is put into one of the lists.

use clap::builder::ValueParser;
use clap::{Arg, Command};
use visard::command::interface;

/// Options that take what a study assumes to be public: [`visard::study::public_input`] opens none that visard wrote as secret, their help
/// says that they must be public, and `tests/it/public_inputs.rs` tries each.
const PUBLIC: [&str; 12] = [
    "atlas",
    "neutral",
    "template",
    "prior",
    "center",
    "public_records",
    "sliders",
    "links",
    "pairs",
    "positions",
    "start",
    "stream",
];

/// Arguments that name files or folders that nobody takes to be public inputs of a release.
const OTHERS: [&str; 38] = [
    // Records and what is known of them.
    "scans",
    "folders",
    "file",
    "images",
    "masks",
    "edges",
    "input",
    "manifest",
    "prepared",
    "scan",
    "records",
    "people",
    "groups",
    "covariates",
    "landmarks",
    // What is read to be looked at, compared or measured, and published by nobody: `transfer` has landmarks of a template.
    "mesh",
    "source",
    "field",
    "first",
    "second",
    "path",
    "paths",
    "transfer",
    // Lettering of figures.
    "font",
    // Releases, ledgers, keys, messages between sites.
    "release",
    "norm",
    "certificate",
    "ledger",
    "key",
    "public",
    "inbox",
    "sums",
    "about",
    "sites",
    "aggregators",
    // What is written.
    "out",
    "save",
    "turntable",
];

/// What the help of a public input says.
const WARNING: &str = "Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it";

/// All arguments of all commands, with the command's name.
fn arguments() -> Vec<(String, Arg)> {
    let mut found = Vec::new();
    let mut commands = vec![(String::new(), interface())];
    while let Some((path, command)) = commands.pop() {
        found.extend(command.get_arguments().map(|argument| (path.clone(), argument.clone())));
        let below =
            |command: &Command| (format!("{path} {}", command.get_name()).trim().to_owned(), command.clone());
        commands.extend(command.get_subcommands().map(below));
    }
    found
}

/// Whether an argument takes a path, as its type or the name of its value says.
fn takes_a_path(argument: &Arg) -> bool {
    let is_path = argument.get_value_parser().type_id() == ValueParser::path_buf().type_id();
    let says = |name: &str| ["FILE", "DIR", "MESH", "RELEASE", "PATH"].iter().any(|word| name.contains(word));
    let names = argument.get_value_names().unwrap_or_default();
    argument.get_action().takes_values() && (is_path || names.iter().any(|name| says(name)))
}

#[test]
fn every_path_is_a_public_input_or_is_known_not_to_be() {
    let unknown: Vec<String> = arguments()
        .iter()
        .filter(|(_, argument)| takes_a_path(argument))
        .map(|(command, argument)| (command, argument.get_id().as_str()))
        .filter(|(_, id)| !PUBLIC.contains(id) && !OTHERS.contains(id))
        .map(|(command, id)| format!("{command}: {id}"))
        .collect();
    assert!(unknown.is_empty(), "put them into a list of this file: {unknown:#?}");
    // A help text that calls a file public is one of a public input.
    for (command, argument) in arguments().iter().filter(|(_, argument)| takes_a_path(argument)) {
        let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
        let id = argument.get_id().as_str();
        // The public folder of many sites, and public keys.
        let is_of_sites = ["public", "key", "sites", "aggregators", "file"].contains(&id);
        let calls_it_public = help.to_lowercase().contains("public ");
        assert!(PUBLIC.contains(&id) || is_of_sites || !calls_it_public, "{command} --{id}: {help}");
    }
    let known: Vec<String> = arguments().iter().map(|(_, argument)| argument.get_id().to_string()).collect();
    let gone: Vec<_> =
        PUBLIC.iter().chain(&OTHERS).filter(|id| !known.iter().any(|known| known == *id)).collect();
    assert!(gone.is_empty(), "no such arguments any more: {gone:?}");
}

#[test]
fn every_public_input_warns_and_is_tried_with_secret_files() {
    let tried: String = include_str!("public_inputs/rows.rs").split_whitespace().collect();
    let mut untried = Vec::new();
    for (command, argument) in arguments() {
        let id = argument.get_id().as_str();
        // A check publishes nothing.
        if !PUBLIC.contains(&id) || !takes_a_path(&argument) || command == "check" {
            continue;
        }
        let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
        assert!(
            help.split_whitespace().collect::<Vec<_>>().join(" ").contains(WARNING),
            "{command} --{id}: {help}"
        );
        let row = format!("\"{command}\",\"--{}\",", id.replace('_', "-"));
        let row: String = row.split_whitespace().collect();
        untried.extend((!tried.contains(&row)).then(|| format!("{command} --{id}")));
    }
    assert!(untried.is_empty(), "tests/it/public_inputs/rows.rs has no row for {untried:?}");
}
