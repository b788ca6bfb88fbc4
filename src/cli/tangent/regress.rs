//! Regression on covariates, of whatever has a tangent space.

use super::{DesignArgs, KindArgs, Of, RegressOn, Regressed, ResidualArgs, counted, note};
use crate::cli::answer::{Release, places};
use crate::cli::output::{self, Failure, Printer};
use crate::cli::points::failure;
use crate::cli::{Global, heading};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use visard::mechanism::functional::Field;
use visard::study::points::PointAccuracy;
use visard::study::tangent::{FoundFields, TangentOutcome, run_regression};

/// Covariates and what is public of them
#[derive(Debug, Args)]
pub struct RegressArgs {
    /// The covariates: a table with the heading record,NAME… (a row by its number from 0)
    #[arg(long, help_heading = heading::COVARIATES, value_name = "FILE.csv")]
    covariates: PathBuf,
    #[command(flatten)]
    design: DesignArgs,
    #[command(flatten)]
    residuals: ResidualArgs,
}

impl RegressOn for RegressArgs {
    const WHAT: &'static str = "covariates";

    fn regressed(&self) -> Result<Regressed, Failure> {
        Ok(Regressed {
            covariates: Some((self.covariates.clone(), self.design.design()?)),
            size_bounds: None,
            residuals: self.residuals.residuals,
        })
    }
}

pub(super) fn about<K: KindArgs>() -> String {
    format!("What {} do to {}, privately", K::Covariates::WHAT, K::RECORDS)
}

pub(super) fn example<K: KindArgs>() -> String {
    let line = |options: &str| {
        format!("\n  visard {} regress {} {options} --mu 1 --out study", K::COMMAND, K::EXAMPLE)
    };
    let first = line("--covariates people.csv --bounds age=3:40 --levels \"sex=F|M\"");
    let second = K::Covariates::EXAMPLE.map(line).unwrap_or_default();
    format!(
        "Bounds, levels and splines are public: choose them without looking at the data. Bounds near two standard deviations from the middle are \
         best; values beyond count as the bound. A record without a value counts as in the middle.\n\nExamples:{first}{second}"
    )
}

/// Runs `regress` of a kind of record.
pub fn regress<K: KindArgs>(
    args: &Of<K, K::Covariates>,
    global: &Global,
    printer: &Printer,
) -> Result<(), Failure> {
    let Regressed { covariates, size_bounds, residuals } = args.statistic.regressed()?;
    let budget = args.records.budget().mu()?;
    let outcome = run_regression(&args.records.inputs(global)?, budget, covariates, size_bounds, residuals)
        .map_err(failure)?;
    note(&outcome, printer);
    let TangentOutcome { folder, certificate, found, .. } = &outcome;
    let lines = found.fields.columns.iter().map(|field| field_text(field, |size| format!("{size:.4}")));
    let text = format!(
        "{} of {}, {}\n  {}\n  fields, {}:{}\n  explained: {}{}\n{}",
        if certificate.private { "private regression" } else { "regression (NOT PRIVATE)" },
        counted(&outcome),
        certificate.loss,
        found.sentence,
        outcome.distance,
        lines.collect::<String>(),
        explained_text(found),
        residual_text(found),
        places(folder, certificate)
    );
    let findings = FieldFindings::of(found);
    printer.result(Release::of(folder, certificate, findings), text);
    Ok(())
}

/// What the covariates explain, in words.
pub(in crate::cli) fn explained_text(found: &FoundFields) -> String {
    match found.fields.explained.share() {
        Some(share) => format!("{:.0} % of the variance (R²)", 100.0 * share),
        None => "unknown, the noise hides it".into(),
    }
}

/// How many modes of what the covariates leave were released.
pub(in crate::cli) fn residual_text(found: &FoundFields) -> String {
    found.residual.as_ref().map_or_else(String::new, |residual| {
        let count = residual.found.modes.modes.len();
        format!("\n  beyond the covariates: {} stand out of the noise", output::counted(count, "mode"))
    })
}

/// A regression.
#[derive(Serialize, JsonSchema)]
pub struct FieldFindings {
    /// How exact the mean at the reference values is.
    accuracy: PointAccuracy,
    /// The field of each column of the design.
    fields: Vec<FieldAnswer>,
    /// The share of the variance that the covariates explain; null where the noise hides it.
    explained_share: Option<f64>,
}

/// A field: how the mean moves with a column of the design. Root mean squares.
#[derive(Serialize, JsonSchema)]
pub struct FieldAnswer {
    /// The column.
    column: String,
    /// The size of the field.
    rms: f64,
    /// Its error.
    error_rms: f64,
    /// The error over that of a zero field.
    relative_error: f64,
    /// The part of the error that is of sampling, where it is known.
    sampling_rms: Option<f64>,
}

impl FieldFindings {
    /// Of what was found.
    pub(in crate::cli) fn of(found: &FoundFields) -> Self {
        let field = |field: &Field| FieldAnswer {
            column: field.name.clone(),
            rms: field.rms,
            error_rms: field.error,
            relative_error: field.relative_error(),
            sampling_rms: field.sampling,
        };
        Self {
            accuracy: found.accuracy,
            fields: found.fields.columns.iter().map(field).collect(),
            explained_share: found.fields.explained.share(),
        }
    }
}

/// A field in words, on a line of its own; `length` says a size.
pub(in crate::cli) fn field_text(field: &Field, length: impl Fn(f64) -> String) -> String {
    let faint = if field.relative_error() > 0.8 { "  (mostly hidden by the noise)" } else { "" };
    format!(
        "\n    {:<16} {}, error {}, {:.2} of the error of a zero field{faint}",
        field.name,
        length(field.rms),
        length(field.error),
        field.relative_error()
    )
}
