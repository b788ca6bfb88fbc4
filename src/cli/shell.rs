//! `visard completions` and `visard man`: what a shell and a manual need to know of the commands, made from their definition.

use super::answer::Answers;
use super::output::{Failure, Printer};
use crate::cli::answer::shown;
use clap::{Args, Command};
use clap_complete::Shell;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

/// Arguments of `completions`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  visard completions bash > ~/.local/share/bash-completion/completions/visard\n  visard completions zsh > ~/.zfunc/_visard\n  visard completions fish > ~/.config/fish/completions/visard.fish"
)]
pub struct CompletionsArgs {
    /// Which shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  visard man | man -l -\n  visard man --out ~/.local/share/man/man1")]
pub struct ManArgs {
    /// Write a page for every command into this folder, instead of the main page on standard output
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// A completion script.
#[derive(Serialize, JsonSchema)]
pub struct Script {
    shell: String,
    script: String,
}

/// The manual's main page.
#[derive(Serialize, JsonSchema)]
pub struct ManPage {
    page: String,
}

/// The pages of the manual.
#[derive(Serialize, JsonSchema)]
pub struct ManPages {
    /// Their folder.
    out: String,
}

/// Prints the completion script; with `--json`, as a string.
pub fn completions(args: &CompletionsArgs, mut command: Command, printer: &Printer) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "visard", &mut script);
    let script = String::from_utf8(script).map_err(Failure::failed)?;
    let printed = script.trim_end().to_owned();
    printer.result(Script { shell: args.shell.to_string(), script }, printed);
    Ok(())
}

/// Prints the manual's main page, or writes all pages.
pub fn man(args: &ManArgs, command: Command, printer: &Printer) -> Result<(), Failure> {
    let Some(out) = &args.out else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page).map_err(Failure::failed)?;
        let page = String::from_utf8(page).map_err(Failure::failed)?;
        let printed = page.trim_end().to_owned();
        printer.result(ManPage { page }, printed);
        return Ok(());
    };
    let cannot = |e: std::io::Error| Failure::failed(format!("cannot write to {}: {e}", out.display()));
    std::fs::create_dir_all(out).map_err(cannot)?;
    clap_mangen::generate_to(command, out).map_err(cannot)?;
    printer.result(ManPages { out: shown(out) }, format!("manual pages: {}", out.display()));
    Ok(())
}

/// What these commands answer.
pub fn answers(all: &mut Answers) {
    all.add::<Script>("completions");
    all.add::<ManPage>("man");
    all.add::<ManPages>("man");
}
