//! `visard shape sample`: synthetic shapes from released modes.

use super::common::failure;
use crate::cli::Global;
use crate::cli::answer::{Sample, shown};
use crate::cli::files::{make_folder, refuse_existing};
use crate::cli::output::{Failure, Printer};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use visard::norm::shapes::{MOST_SHAPES, SHAPES, ShapeSampleRequest, sample_shapes};

/// Arguments of `shape sample`.
#[derive(Debug, Args)]
#[command(
    after_help = "Costs no privacy: reads the release alone. fidelity.json says what the shapes are good for.\n\nExample:\n  visard shape sample study/release --n 100 --out synthetic"
)]
pub struct ShapeSampleArgs {
    /// The folder of a release with modes (of `shape modes` or `shape regress --residuals`), or of its study
    release: PathBuf,
    /// Number of synthetic shapes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST_SHAPES as i64))]
    n: u32,
    /// Values of covariates of a regression, as in "age=8"; others are drawn evenly between their bounds, or among their levels
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    at: Vec<String>,
    /// Folder for the shapes
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Synthetic shapes.
#[derive(Serialize, JsonSchema)]
pub struct SampledShapes {
    #[serde(flatten)]
    sample: Sample,
    /// All of them, as one file.
    shapes: String,
}

/// Runs `shape sample`.
pub fn shape_sample(args: &ShapeSampleArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let shapes = args.out.join(SHAPES);
    refuse_existing(&shapes, global)?;
    let is_new = !args.out.exists();
    make_folder(&args.out)?;
    let request = ShapeSampleRequest {
        release: args.release.clone(),
        count: args.n as usize,
        at: args.at.clone(),
        out: args.out.clone(),
        // Which sample it is tells nothing: all of it is made of the release.
        seed: global.seed.unwrap_or(1),
    };
    sample_shapes(&request).map_err(|error| {
        // An empty folder is not left behind.
        if is_new {
            let _ = std::fs::remove_dir(&args.out);
        }
        failure(error)
    })?;
    printer.result(
        SampledShapes { sample: Sample::of(&args.out, args.n.into(), request.seed), shapes: shown(&shapes) },
        format!(
            "{} synthetic shapes, none of a specimen, drawn from the release: free, nothing was charged\n  {}",
            args.n,
            args.out.display()
        ),
    );
    Ok(())
}
