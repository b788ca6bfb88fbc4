//! `visard spd assess`: a matrix held against a released norm.

use super::common::failure;
use crate::cli::assessed::{kept_apart, said};
use crate::cli::output::{Failure, Printer};
use crate::cli::{Global, heading};
use clap::Args;
use std::path::PathBuf;
use visard::norm::matrix_assess::{ENTRIES, MatrixAssessRequest, assess_matrix};

/// Arguments of `spd assess`.
#[derive(Debug, Args)]
#[command(
    after_help = "Costs no privacy: of the norm's matrices, it looks at the release alone. The result is the patient's: keep it under internal/. Never a diagnosis.\n\nExample:\n  visard spd assess tensor.npy --norm study --out patient"
)]
pub struct SpdAssessArgs {
    /// An array (k, k) with one matrix
    #[arg(value_name = "FILE.npy")]
    file: PathBuf,
    /// The folder of a release with modes (of `spd modes` or `spd regress --residuals`), or of its study
    #[arg(long, value_name = "RELEASE")]
    norm: PathBuf,
    /// The public centre of the norm, where that was given as a file.
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, help_heading = heading::RELEASE, value_name = "FILE")]
    center: Option<PathBuf>,
    /// The values of all covariates of a regression, as in "age=8,sex=F"
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    at: Vec<String>,
    /// Folder for the results, in internal/ there; not in a study's folder
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Runs `spd assess`.
pub fn spd_assess(args: &SpdAssessArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let internal = kept_apart(&args.out, &[ENTRIES], global)?;
    let request = MatrixAssessRequest {
        matrix: args.file.clone(),
        release: args.norm.clone(),
        centre: args.center.clone(),
        at: args.at.clone(),
        out: args.out.clone(),
    };
    let (found, verified) = assess_matrix(&request).map_err(failure)?;
    said(&found, &found.compared, &found.notes, (verified, &internal), printer);
    Ok(())
}
