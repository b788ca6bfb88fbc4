//! What a regression may be on.

use crate::cli::heading;
use crate::cli::output::Failure;
use clap::Args;
use std::fmt::Debug;
use std::path::PathBuf;
use visard::estimate::Design;

/// What is wanted of a regression.
#[derive(Debug)]
pub struct Regressed {
    /// A table of covariates with what is known of them.
    pub covariates: Option<(PathBuf, Design)>,
    /// Public bounds of sizes.
    pub size_bounds: Option<(f64, f64)>,
    /// Whether the modes of what the covariates leave are wanted too.
    pub residuals: bool,
}

/// What is known of covariates beforehand
#[derive(Debug, Args)]
pub struct DesignArgs {
    /// Numbers with their public bounds, as in "age=3:40,bmi=15:40"
    #[arg(long, help_heading = heading::COVARIATES, value_name = "NAME=LOWER:UPPER", allow_hyphen_values = true)]
    bounds: Vec<String>,
    /// Words with their public levels, two or more, as in "sex=F|M"
    #[arg(long, help_heading = heading::COVARIATES, value_name = "NAME=A|B")]
    levels: Vec<String>,
    /// Fit a natural spline with this many columns instead of a straight line, as in "age=4"; its knots come from the bounds alone
    #[arg(long, help_heading = heading::COVARIATES, value_name = "NAME=COLUMNS", requires = "bounds")]
    spline: Vec<String>,
}

impl DesignArgs {
    /// Whether nothing was given.
    pub fn is_empty(&self) -> bool {
        [&self.bounds, &self.levels, &self.spline].iter().all(|list| list.is_empty())
    }

    /// The design.
    ///
    /// # Errors
    /// Bounds, levels or splines that are none.
    pub fn design(&self) -> Result<Design, Failure> {
        Design::parse(&self.bounds, &self.levels, &self.spline).map_err(Failure::usage)
    }
}

/// What is released beside the fields
#[derive(Debug, Args)]
pub struct ResidualArgs {
    /// Release the modes of what the covariates leave too, their variances, and how these change with the covariates; within the same budget, fields have 5 % more noise. `sample` and `assess` need them
    #[arg(long, help_heading = heading::RELEASE)]
    pub residuals: bool,
}

/// Options of a regression.
pub trait RegressOn: Args + Debug {
    /// What there may be, in words.
    const WHAT: &'static str;
    /// Options for a second example.
    const EXAMPLE: Option<&'static str> = None;

    /// What it is on.
    ///
    /// # Errors
    /// Bounds, levels or splines that are none.
    fn regressed(&self) -> Result<Regressed, Failure>;
}
