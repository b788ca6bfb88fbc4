//! Ctrl-C: what it leaves, and how to go on.

use clap::{ArgMatches, CommandFactory, FromArgMatches};
use std::ffi::OsString;

/// Says how to go on where the command that was given is one that can be.
pub fn explain(arguments: &ArgMatches) {
    let mut command = arguments;
    while let Some((_, inner)) = command.subcommand() {
        command = inner;
    }
    if command.try_contains_id("resume").is_ok() {
        watch();
    }
}

/// The arguments in the form that they are explained from, and as they are used.
pub fn parse<P: CommandFactory + FromArgMatches>(words: &[OsString]) -> Result<(ArgMatches, P), clap::Error> {
    let matches = P::command().try_get_matches_from(words)?;
    let parsed = P::from_arg_matches(&matches).map_err(|error| error.format(&mut P::command()))?;
    Ok((matches, parsed))
}

/// What is said.
#[cfg(not(target_os = "wasi"))]
const HINT: &str =
    "interrupted; nothing is lost: the same command with --resume continues, and nothing is paid twice";

/// The process ends as it would have: a study can be stopped anywhere, so there is nothing to put in order.
#[cfg(unix)]
fn watch() {
    use signal_hook::consts::SIGINT;
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT]) else { return };
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            eprintln!("\n{HINT}");
            let _ = signal_hook::low_level::emulate_default_handler(SIGINT);
        }
    });
}

/// The same; Windows has no signals, and no ending by one: the exit code is that of a process which Ctrl-C ended (`STATUS_CONTROL_C_EXIT`).
#[cfg(windows)]
fn watch() {
    let _ = ctrlc::set_handler(|| {
        eprintln!("\n{HINT}");
        std::process::exit(0xc000_013a_u32.cast_signed());
    });
}

/// WASI knows no interruption: a page ends its worker.
#[cfg(target_os = "wasi")]
fn watch() {}
