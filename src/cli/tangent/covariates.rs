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
