//! `visard face assess`: a patient held against a released norm.

use super::files::template_source;
use super::records::NeutralArgs;
use crate::cli::assessed::{kept_apart, said};
use crate::cli::output::{Failure, Printer};
use crate::cli::{Global, heading};
use clap::Args;
use std::path::PathBuf;
use visard::norm::map::{MAP, MAP_TABLE};
use visard::norm::patient::{AssessRequest, assess};
use visard::study::face::Registration;

/// Arguments of `face assess`.
#[derive(Debug, Args)]
#[command(
    after_help = "Costs no privacy: of the norm's people, it looks at the release alone. The result is the patient's: keep it under internal/. Never a diagnosis.\n\nExample:\n  visard face assess patient.ply --norm growth --at age=8,sex=F --out patient"
)]
pub struct AssessArgs {
    /// The patient's scan
    #[arg(value_name = "SCAN", required_unless_present = "prepared", conflicts_with = "prepared")]
    scan: Option<PathBuf>,
    /// A registered patient instead: the first record of an array (n, curves, samples, 3)
    #[arg(long, value_name = "FILE.npy", conflicts_with = "neutral")]
    prepared: Option<PathBuf>,
    /// The folder of a release with modes (of `face modes` or `face regress --residuals`), or of its study
    #[arg(long, value_name = "RELEASE")]
    norm: PathBuf,
    /// The patient's values of all covariates of a regression, as in "age=8,sex=F"
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    at: Vec<String>,
    /// Folder for the results, in internal/ there; not in a study's folder
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The public template of the release: a mesh file, or "builtin".
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, value_name = "FILE|builtin", default_value = "builtin")]
    template: String,
    /// How the scan is registered: as the release's were
    #[arg(long, help_heading = heading::REGISTRATION, value_enum, default_value_t = Registration::Elastic)]
    registration: Registration,
    #[command(flatten)]
    neutral: NeutralArgs,
}

/// Runs `face assess`.
pub fn run(args: &AssessArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let internal = kept_apart(&args.out, &[MAP, MAP_TABLE], global)?;
    // One of both is given.
    let patient = args.prepared.as_ref().or(args.scan.as_ref()).cloned().unwrap_or_default();
    let request = AssessRequest {
        patient,
        prepared: args.prepared.is_some(),
        release: args.norm.clone(),
        at: args.at.clone(),
        out: args.out.clone(),
        template: args.neutral.of(template_source(&args.template), args.registration)?,
        registration: args.registration,
    };
    let (found, verified) = assess(&request).map_err(Failure::failed)?;
    said(&found, &found.compared, &found.notes, (verified, &internal), printer);
    Ok(())
}
