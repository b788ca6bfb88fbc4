//! `visard shape assess`: a specimen held against a released norm.

use super::common::failure;
use super::treatment::NegativeName;
use crate::cli::assessed::{kept_apart, said};
use crate::cli::output::{Failure, Printer};
use crate::cli::{Global, heading};
use clap::Args;
use std::path::PathBuf;
use visard::norm::shape_patient::{LANDMARKS, ShapeAssessRequest, assess_shape};
use visard::study::points::TableOptions;

/// Arguments of `shape assess`.
#[derive(Debug, Args)]
#[command(
    after_help = "Costs no privacy: of the norm's specimens, it looks at the release alone. The result is the specimen's: keep it under internal/. Never a diagnosis.\n\nExample:\n  visard shape assess specimen.tps --norm study --out patient"
)]
pub struct ShapeAssessArgs {
    /// A file with one specimen, its landmarks numbered as the norm's: TPS, table, NumPy array, 3D Slicer
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The folder of a release with modes (of `shape modes` or `shape regress --residuals`), or of its study
    #[arg(long, value_name = "RELEASE")]
    norm: PathBuf,
    /// The specimen's values of all covariates of a regression, as in "age=8,sex=F"; its size is read from its landmarks
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    at: Vec<String>,
    /// Folder for the results, in internal/ there; not in a study's folder
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// What a negative coordinate in TPS means (default: the landmark is missing in specimens with IMAGE=, and valid in others)
    #[arg(long, help_heading = heading::RECORDS, value_name = "WHAT", value_enum)]
    negative: Option<NegativeName>,
}

/// Runs `shape assess`.
pub fn shape_assess(args: &ShapeAssessArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let internal = kept_apart(&args.out, &[LANDMARKS], global)?;
    let request = ShapeAssessRequest {
        specimen: args.file.clone(),
        table: TableOptions { negative: args.negative.map(Into::into), ..TableOptions::default() },
        release: args.norm.clone(),
        at: args.at.clone(),
        out: args.out.clone(),
    };
    let (found, verified) = assess_shape(&request).map_err(failure)?;
    said(&found, &found.compared, &found.notes, (verified, &internal), printer);
    Ok(())
}
