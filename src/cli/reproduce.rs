//! `visard reproduce`: the papers' figures and tables, ours beside them.

use super::Global;
use super::answer::Answers;
use super::output::{Failure, Printer};
use crate::cli::answer::shown;
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use visard::reproduce::{Context, Finding, ITEMS, ReproduceError, Verdict, reproduce};

/// Regenerate the papers' tables and figures, with our better way beside each
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  visard reproduce list\n  visard reproduce all --quick --out gallery\n\nPublic data sets are looked for in the folder VISARD_DATA; without them synthetic populations are used.\nAn interrupted run goes on where it was: finished items are kept, unless --force is given."
)]
pub struct ReproduceArgs {
    /// Items, "all", or "list" to show them
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,
    /// Folder for the results and index.html
    #[arg(long, value_name = "DIR", default_value = "visard-reproduction")]
    out: PathBuf,
    /// Smaller sizes, within two minutes
    #[arg(long)]
    quick: bool,
}

/// What can be reproduced.
#[derive(Serialize, JsonSchema)]
pub struct ItemList {
    items: Vec<ItemListed>,
}

/// A table or figure of a paper.
#[derive(Serialize, JsonSchema)]
pub struct ItemListed {
    name: String,
    about: String,
}

/// What was reproduced.
#[derive(Serialize, JsonSchema)]
pub struct Reproduced {
    /// The page of all results.
    index: String,
    items: Vec<ItemFound>,
}

/// A result.
#[derive(Serialize, JsonSchema)]
pub struct ItemFound {
    name: String,
    /// Whether it agrees with the paper.
    #[schemars(with = "String")]
    verdict: Verdict,
    seconds: f64,
}

/// Runs the items; finished ones are kept unless `--force` is given.
pub fn run(args: &ReproduceArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    if args.names.iter().any(|n| n == "list") {
        let lines: Vec<String> = ITEMS.iter().map(|i| format!("{:20} {}", i.name, i.about)).collect();
        let items = ITEMS.iter().map(|i| ItemListed { name: i.name.to_owned(), about: i.about.to_owned() });
        printer.result(ItemList { items: items.collect() }, lines.join("\n"));
        return Ok(());
    }
    let data = std::env::var_os("VISARD_DATA").map(PathBuf::from).filter(|p| p.is_dir());
    if data.is_none() {
        printer.note("note: VISARD_DATA is not a folder: synthetic populations are used instead of data");
    }
    std::fs::create_dir_all(&args.out)
        .map_err(|e| Failure::failed(format!("cannot prepare {}: {e}", args.out.display())))?;
    let start = std::time::Instant::now();
    let mut context = Context::new(data, args.quick);
    if printer.progress().is_none() {
        context = context.with_steps(move |what| {
            eprintln!("       {what} (after {:.0} s)", start.elapsed().as_secs_f64());
        });
    }
    let progress = |name: &str, done: usize, of: usize, reused: bool| {
        let state = if reused { ", kept from before" } else { "" };
        printer.note(format!(
            "[{}/{of}] {name} (after {:.0} s{state})",
            done + 1,
            start.elapsed().as_secs_f64()
        ));
    };
    let findings =
        reproduce(&args.names, &args.out, &context, global.force, &progress).map_err(|e| match e {
            ReproduceError::Unknown(_) => Failure::usage(e),
            _ => Failure::failed(e),
        })?;
    let index = args.out.join("index.html");
    let item = |(name, found): &(_, Finding)| ItemFound {
        name: ToString::to_string(name),
        verdict: found.verdict,
        seconds: found.seconds,
    };
    printer.result(
        Reproduced { index: shown(&index), items: findings.iter().map(item).collect() },
        format!("{} items: {}", findings.len(), index.display()),
    );
    Ok(())
}

/// What these commands answer.
pub fn answers(all: &mut Answers) {
    all.add::<ItemList>("reproduce");
    all.add::<Reproduced>("reproduce");
}
