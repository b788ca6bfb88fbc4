//! `visard face prepare`: stage one of a study of many scans.

use super::records::{MakingArgs, NeutralArgs, run_with_progress};
use crate::cli::answer::shown;
use crate::cli::output::{Failure, Printer};
use crate::cli::{Global, heading};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use visard::study::Place;
use visard::study::face::FaceInputs;
use visard::study::face::prepare::{PrepareSettings, PreparedShard, prepare};
use visard::study::records::Shard;

/// Arguments of `face prepare`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  visard face prepare --manifest all.csv --out records\n  visard face prepare scans/ --manifest all.csv --shard 3/8 --out records --threads 4\n  visard face mean --records records --manifest all.csv --mu 1 --out study\n\nShards may run at once, on many machines with one folder, be killed and begun again; what is finished is kept. No ledger is touched.\nA scan that cannot be processed is a record too: it contributes zero. Exit code 0 says that the shard's index is written."
)]
pub struct PrepareArgs {
    /// Folders to search for files of the manifest that are not beside it
    #[arg(value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// The table of the study's scans: a heading with the column file (relative to the table), and optional columns person, group and covariates
    #[arg(long, help_heading = heading::RECORDS, value_name = "FILE.csv")]
    manifest: PathBuf,
    /// Shard to prepare: k of N, counted from 1
    #[arg(long, help_heading = heading::RECORDS, value_name = "k/N", default_value_t = Shard::WHOLE)]
    shard: Shard,
    /// Folder for the records, the same for all shards
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    making: MakingArgs,
    #[command(flatten)]
    neutral: NeutralArgs,
}

/// A shard of prepared records.
#[derive(Serialize, JsonSchema)]
pub struct Prepared {
    /// The folder of the records.
    out: String,
    /// The list of this shard's records.
    index: String,
    /// Which shard, as k/N.
    shard: String,
    /// Scans of all shards.
    n: usize,
    /// Scans of this one.
    rows: usize,
    /// Records that it has.
    made: usize,
    /// Scans that could not be processed.
    failed: usize,
    /// Records that were made before.
    reused: usize,
    /// Seconds that it took.
    seconds: f64,
}

/// Runs `face prepare`.
pub fn run(args: &PrepareArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let place = Place { seed: global.seed, stop: global.stop.clone(), ..Place::new(&args.out) };
    let made = args.making.inputs(&args.folders, place)?;
    let settings = PrepareSettings {
        records: FaceInputs {
            template: args.neutral.of(made.template, made.registration)?,
            manifest: Some(args.manifest.clone()),
            ..made
        },
        shard: args.shard,
        out: args.out.clone(),
    };
    let PreparedShard { index, n, rows, made, failed, reused, seconds } =
        run_with_progress(printer, |show| prepare(&settings, show))?;
    printer.result(
        Prepared {
            out: shown(&args.out),
            index: shown(&index),
            shard: args.shard.to_string(),
            n,
            rows,
            made,
            failed,
            reused,
            seconds,
        },
        format!(
            "shard {} of {n} scans: {made} records of {rows}, {reused} of them made before; {failed} could not be processed and count as the \
             template (do not publish)\n  index: {}",
            args.shard,
            index.display()
        ),
    );
    Ok(())
}
