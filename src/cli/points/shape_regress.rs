//! `visard shape regress`: what covariates, size among them, do to a shape.

use crate::cli::heading;
use crate::cli::output::Failure;
use crate::cli::tangent::{RegressOn, Regressed, ResidualArgs};
use clap::Args;
use std::path::PathBuf;
use visard::estimate::Design;

/// Covariates and what is public of them, size among them
#[derive(Debug, Args)]
pub struct AllometryArgs {
    /// The covariates: a table with the heading record,NAME… (a shape by its ID, a row of an array by its number from 0)
    #[arg(long, help_heading = heading::COVARIATES, value_name = "FILE.csv", required_unless_present = "allometry")]
    covariates: Option<PathBuf>,
    /// Numbers with their public bounds, as in "age=3:40,bmi=15:40"
    #[arg(long, help_heading = heading::COVARIATES, value_name = "NAME=LOWER:UPPER", requires = "covariates", allow_hyphen_values = true)]
    bounds: Vec<String>,
    /// Words with their public levels, two or more, as in "sex=F|M"
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
    #[command(flatten)]
    residuals: ResidualArgs,
}

impl RegressOn for AllometryArgs {
    const WHAT: &'static str = "covariates, and size,";
    const EXAMPLE: Option<&'static str> = Some("--allometry --size-bounds 80:140");

    fn regressed(&self) -> Result<Regressed, Failure> {
        let design = || Design::parse(&self.bounds, &self.levels, &self.spline).map_err(Failure::usage);
        let covariates = match &self.covariates {
            None => None,
            Some(file) => Some((file.clone(), design()?)),
        };
        let size_bounds = self.size_bounds.as_deref().map(size_bounds).transpose()?;
        Ok(Regressed { covariates, size_bounds, residuals: self.residuals.residuals })
    }
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
