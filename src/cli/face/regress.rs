//! `visard face regress`: from scans and a table to what covariates do to a face.

use super::records::{RecordArgs, note_failures, run_with_progress};
use crate::cli::answer::{Release, places};
use crate::cli::budget::BudgetArgs;
use crate::cli::output::{Failure, Printer, counted};
use crate::cli::tangent::{FieldFindings, ResidualArgs, explained_text, field_text, residual_text};
use crate::cli::{Global, heading};
use clap::Args;
use std::path::PathBuf;
use visard::estimate::Design;
use visard::study::face::FACE_MM;
use visard::study::face::regress::{FaceRegressionSettings, run_regression};
use visard::study::layout::COVARIATES;
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
    /// Words with their public levels, two or more, as in "sex=F|M"
    #[arg(long, help_heading = heading::COVARIATES, value_name = "NAME=A|B")]
    levels: Vec<String>,
    /// Fit a natural spline with this many columns instead of a straight line, as in "age=4"; the bounds alone determine its knots
    #[arg(long, help_heading = heading::COVARIATES, value_name = "NAME=COLUMNS")]
    spline: Vec<String>,
    #[command(flatten)]
    residuals: ResidualArgs,
    #[command(flatten)]
    records: RecordArgs,
}

/// Runs `face regress`.
pub fn run(args: &RegressArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let settings = FaceRegressionSettings {
        design: Design::parse(&args.bounds, &args.levels, &args.spline).map_err(Failure::usage)?,
        covariates: args.records.table(args.covariates.as_ref(), "covariates")?,
        budget: args.budget.mu()?,
        residuals: args.residuals.residuals,
        records: args.records.inputs(&args.budget, global)?,
    };
    let outcome = run_with_progress(printer, |show| run_regression(&settings, show))?;
    report(&outcome, printer);
    Ok(())
}

/// What the data holder is told.
pub fn report(outcome: &TangentOutcome<FoundFields>, printer: &Printer) {
    let internal = outcome.folder.internal();
    note_failures(printer, outcome.failed, outcome.records_read, &internal);
    let outside = format!(
        "{} outside the bounds and set to the bound ({})",
        counted(outcome.outside, "value"),
        internal.join(COVARIATES).display()
    );
    printer.secret("outside", outcome.outside, (outcome.outside > 0).then_some(outside));
    printer.remarks(&outcome.remarks);
    let TangentOutcome { folder, people, certificate, found, .. } = outcome;
    let lines = found.fields.columns.iter();
    let lines = lines.map(|field| field_text(field, |size| format!("{:.2} mm", FACE_MM * size)));
    let text = format!(
        "{} of {people} {}, {}\n  fields, root mean square on a face of 20 cm:{}\n  explained: {}{}\n{}",
        if certificate.private { "private regression" } else { "regression (NOT PRIVATE)" },
        if *people < outcome.records_read { "people's faces" } else { "faces" },
        certificate.loss,
        lines.collect::<String>(),
        explained_text(found),
        residual_text(found),
        places(folder, certificate)
    );
    let findings = FieldFindings::of(found);
    printer.result(Release::of(folder, certificate, findings), text);
}
