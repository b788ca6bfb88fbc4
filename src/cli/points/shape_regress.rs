//! `visard shape regress`: what covariates, size among them, do to a shape.

use super::common::{failure, note_failed};
use super::specimens::{SpecimenArgs, answer, places};
use crate::cli::output::{Failure, Printer, counted};
use crate::cli::tangent::{field_text, fields_answer};
use crate::cli::{Global, heading};
use clap::Args;
use std::path::PathBuf;
use visard::estimate::Design;
use visard::study::shape::{ShapeRegressionOutcome, ShapeRegressionSettings, run_regression};

/// Arguments of `shape regress`.
#[derive(Debug, Args)]
#[command(
    after_help = "Bounds, levels and splines are public: choose them without looking at the data. Bounds near two standard deviations from the middle are best; values beyond count as the bound. A record without a value counts as in the middle.\n\nExamples:\n  visard shape regress skulls.tps --landmarks 21 --dimensions 3 --covariates people.csv --bounds age=3:40 --levels \"sex=F|M\" --mu 1 --out study\n  visard shape regress skulls.tps --landmarks 21 --dimensions 3 --allometry --size-bounds 80:140 --mu 1 --out study"
)]
pub struct ShapeRegressArgs {
    #[command(flatten)]
    specimens: SpecimenArgs,
    /// The covariates: a table with the heading record,NAME… (a shape by its ID, a row of an array by its number from 0)
    #[arg(long, help_heading = heading::COVARIATES, value_name = "FILE.csv", required_unless_present = "allometry")]
    covariates: Option<PathBuf>,
    /// Numbers with their public bounds, as in "age=3:40,bmi=15:40"
    #[arg(long, help_heading = heading::COVARIATES, value_name = "NAME=LOWER:UPPER", requires = "covariates", allow_hyphen_values = true)]
    bounds: Vec<String>,
    /// Words with their two public levels, as in "sex=F|M"
    #[arg(long, help_heading = heading::COVARIATES, value_name = "NAME=A|B", requires = "covariates")]
    levels: Vec<String>,
    /// Fit a natural spline with this many columns instead of a straight line, as in "age=4"; the bounds alone determine its knots
    #[arg(long, help_heading = heading::COVARIATES, value_name = "NAME=COLUMNS", requires = "bounds")]
    spline: Vec<String>,
    /// The logarithm of the centroid size as a covariate (log_size), within --size-bounds
    #[arg(long, help_heading = heading::COVARIATES, requires = "size_bounds")]
    allometry: bool,
    /// Public bounds of the centroid size, in the landmarks' unit; sizes beyond count as the bound
    #[arg(long, help_heading = heading::COVARIATES, value_name = "LO:HI", requires = "allometry")]
    size_bounds: Option<String>,
}

/// Runs `shape regress`.
pub fn run(args: &ShapeRegressArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let covariates = match &args.covariates {
        None => None,
        Some(file) => {
            let design = Design::parse(&args.bounds, &args.levels, &args.spline).map_err(Failure::usage)?;
            Some((file.clone(), design))
        }
    };
    let settings = ShapeRegressionSettings {
        size_bounds: args.size_bounds.as_deref().map(size_bounds).transpose()?,
        covariates,
        budget: args.specimens.mu()?,
        inputs: args.specimens.inputs(global)?,
    };
    report(&run_regression(&settings).map_err(failure)?, printer);
    Ok(())
}

/// Two numbers in rising order.
fn size_bounds(text: &str) -> Result<(f64, f64), Failure> {
    let parsed = text.split_once(':').and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
    parsed.filter(|(low, high): &(f64, f64)| *low > 0.0 && low < high && high.is_finite()).ok_or_else(|| {
        Failure::usage(format!(
            "--size-bounds {text:?} are not two positive numbers in rising order, as in 80:140"
        ))
    })
}

fn report(outcome: &ShapeRegressionOutcome, printer: &Printer) {
    let ShapeRegressionOutcome {
        folder, people, columns, explained, accuracy, sentence, certificate, ..
    } = outcome;
    note_failed(printer, outcome.failed, true, &outcome.folder.internal());
    printer.remarks(&outcome.remarks);
    let outside = format!("{} outside the bounds and set to the bound", counted(outcome.outside, "value"));
    printer.secret("outside", outcome.outside, (outcome.outside > 0).then_some(outside));
    let more = fields_answer(columns, *explained, accuracy);
    let lines: String = columns.iter().map(field_text).collect();
    let explained = match explained {
        Some(share) => format!("{:.0} % of the variance (R²)", 100.0 * share),
        None => "unknown, the noise hides it".into(),
    };
    let text = format!(
        "{} of {people} shapes, {}\n  {sentence}\n  fields, Riemannian distance:{lines}\n  explained: {explained}\n{}",
        if certificate.private { "private regression" } else { "regression (NOT PRIVATE)" },
        certificate.loss,
        places(folder, certificate)
    );
    printer.result(answer(folder, *people, certificate, more), text);
}
