//! `visard face assess`: a patient held against a released norm.

use super::files::{refuse_existing, template_source};
use crate::cli::output::{Failure, Printer};
use crate::cli::{Global, heading};
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};
use visard::norm::assess::{MAP, MAP_TABLE, NO_DIAGNOSIS};
use visard::norm::patient::{ASSESSMENT, AssessRequest, assess};
use visard::study::StudyFolder;
use visard::study::face::Registration;
use visard::study::layout::REPORT;

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
    #[arg(long, value_name = "FILE.npy")]
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
}

/// Runs `face assess`.
pub fn run(args: &AssessArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let internal = StudyFolder::at(&args.out).internal();
    for file in [REPORT, MAP, MAP_TABLE, ASSESSMENT] {
        refuse_existing(&internal.join(file), global)?;
    }
    // One of both is given.
    let patient = args.prepared.as_ref().or(args.scan.as_ref()).cloned().unwrap_or_default();
    let request = AssessRequest {
        patient,
        prepared: args.prepared.is_some(),
        release: args.norm.clone(),
        at: args.at.clone(),
        out: args.out.clone(),
        template: template_source(&args.template),
        registration: args.registration,
    };
    let (found, verified) = assess(&request).map_err(Failure::failed)?;
    let mut said = json!(found);
    said["verified"] = verified.into();
    said["out"] = json!(internal);
    let percentile =
        found.compared.percentile.map_or_else(|| "cannot be told".to_owned(), |p| format!("{p:.1}"));
    let notes: String = found.notes.iter().skip(1).map(|note| format!("\n  {note}")).collect();
    printer.own_result(
        said,
        format!(
            "percentile along the released modes: {percentile} of 100. {NO_DIAGNOSIS}{notes}\n  {}",
            shown(&internal)
        ),
    );
    Ok(())
}

fn shown(internal: &Path) -> String {
    format!("for you alone: {}", internal.join(REPORT).display())
}
