//! `visard face regress`: from scans and a table to what covariates do to a face.

use super::records::{RecordArgs, note_failures, run_with_progress};
use crate::cli::budget::BudgetArgs;
use crate::cli::output::{Failure, Printer, counted, where_to};
use crate::cli::{Global, heading};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use visard::estimate::Design;
use visard::mechanism::functional::Field;
use visard::privacy::{Certificate, PrivacyLoss};
use visard::study::face::FACE_MM;
use visard::study::face::regress::{FaceRegressionSettings, run_regression};
use visard::study::layout::{COVARIATES, REPORT};
use visard::study::tangent::{FoundFields, TangentOutcome};

/// Arguments of `face regress`.
#[derive(Debug, Args)]
#[command(
    after_help = "Bounds, levels and splines are public: choose them without looking at the data. Bounds near two standard deviations from the middle are best; values beyond count as the bound. A record without a value counts as in the middle.\n\nExample:\n  visard face regress scans/ --covariates people.csv --bounds \"age=3:40,bmi=15:40\" --levels \"sex=F|M\" --mu 1 --out study\n  visard face regress scans/ --covariates people.csv --bounds age=3:40 --spline age=4 --mu 1 --out study\n  visard face predict study --at age=8 --out face.ply"
)]
pub struct RegressArgs {
    #[command(flatten)]
    budget: BudgetArgs,
    /// The covariates: a table with the heading record,NAME… (a scan by its file name or path, a row by its number from 0). By
    /// default the manifest's columns
    #[arg(long, help_heading = heading::COVARIATES, value_name = "FILE.csv", required_unless_present = "manifest")]
    covariates: Option<PathBuf>,
    /// Numbers with their public bounds, as in "age=3:40,bmi=15:40"
    #[arg(
        long, help_heading = heading::COVARIATES,
        value_name = "NAME=LOWER:UPPER",
        required_unless_present = "levels",
        allow_hyphen_values = true
    )]
    bounds: Vec<String>,
    /// Words with their two public levels, as in "sex=F|M"
    #[arg(long, help_heading = heading::COVARIATES, value_name = "NAME=A|B")]
    levels: Vec<String>,
    /// Fit a natural spline with this many columns instead of a straight line, as in "age=4"; the bounds alone determine its knots
    #[arg(long, help_heading = heading::COVARIATES, value_name = "NAME=COLUMNS")]
    spline: Vec<String>,
    #[command(flatten)]
    records: RecordArgs,
}

/// Runs `face regress`.
pub fn run(args: &RegressArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let settings = FaceRegressionSettings {
        design: Design::parse(&args.bounds, &args.levels, &args.spline).map_err(Failure::usage)?,
        covariates: args.records.table(args.covariates.as_ref(), "covariates")?,
        budget: args.budget.mu()?,
        records: args.records.inputs(&args.budget, global)?,
    };
    let outcome = run_with_progress(printer, |show| run_regression(&settings, show))?;
    report(&outcome, printer);
    Ok(())
}

/// What the data holder is told.
fn report(outcome: &TangentOutcome<FoundFields>, printer: &Printer) {
    let (root, release, internal) =
        (outcome.folder.root(), outcome.folder.release(), outcome.folder.internal());
    note_failures(printer, outcome.failed, outcome.records_read, &internal);
    let outside = format!(
        "{} outside the bounds and set to the bound ({})",
        counted(outcome.outside, "value"),
        internal.join(COVARIATES).display()
    );
    printer.secret("outside", outcome.outside, (outcome.outside > 0).then_some(outside));
    printer.remarks(&outcome.remarks);
    let Certificate { private, mechanism, loss, .. } = &outcome.certificate;
    let FoundFields { fields: found, accuracy, .. } = &outcome.found;
    let fields: Vec<_> = found.columns.iter().map(field_json).collect();
    let lines: String = found.columns.iter().map(field_text).collect();
    let explained = match found.explained.share() {
        Some(share) => format!("{:.0} % of the variance (R²)", 100.0 * share),
        None => "unknown, the noise hides it".into(),
    };
    printer.result(
        json!({
            "out": root,
            "release": release,
            "report": release.join(REPORT),
            "n": outcome.people,
            "mechanism": mechanism,
            "mu": if let PrivacyLoss::Gaussian(mu) = loss { Some(mu) } else { None },
            "loss": loss,
            "private": private,
            "accuracy": accuracy,
            "fields": fields,
            "explained_share": found.explained.share(),
        }),
        format!(
            "{} of {} {}, {loss}\n  fields, root mean square on a face of 20 cm:{lines}\n  explained: {explained}\n  {} {}\n  open first:   {}\n  do \
             not share: {}",
            if *private { "private regression" } else { "regression (NOT PRIVATE)" },
            outcome.people,
            if outcome.people < outcome.records_read { "people's faces" } else { "faces" },
            where_to(*private),
            release.display(),
            release.join(REPORT).display(),
            internal.display()
        ),
    );
}

fn field_json(field: &Field) -> serde_json::Value {
    json!({
        "column": field.name,
        "rms": field.rms,
        "error_rms": field.error,
        "relative_error": field.relative_error(),
        "sampling_rms": field.sampling,
    })
}

fn field_text(field: &Field) -> String {
    let faint = if field.relative_error() > 0.8 { "  (mostly hidden by the noise)" } else { "" };
    format!(
        "\n    {:<16} {:.2} mm, error {:.2} mm, {:.2} of the error of a zero field{faint}",
        field.name,
        FACE_MM * field.rms,
        FACE_MM * field.error,
        field.relative_error()
    )
}
