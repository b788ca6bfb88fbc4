//! `visard reproduce`: the papers' figures and tables, ours beside them.

use super::Global;
use super::output::{Failure, Printer};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use visard::reproduce::{Context, ITEMS, ReproduceError, reproduce};

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

/// Runs the items; finished ones are kept unless `--force` is given.
pub fn run(args: &ReproduceArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    if args.names.iter().any(|n| n == "list") {
        let lines: Vec<String> = ITEMS.iter().map(|i| format!("{:20} {}", i.name, i.about)).collect();
        let names: Vec<_> = ITEMS.iter().map(|i| json!({"name": i.name, "about": i.about})).collect();
        printer.result(json!({"items": names}), lines.join("\n"));
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
    printer.result(
        json!({"index": index, "items": findings.iter().map(|(n, f)| json!({"name": n, "verdict": f.verdict, "seconds": f.seconds})).collect::<Vec<_>>()}),
        format!("{} items: {}", findings.len(), index.display()),
    );
    Ok(())
}
