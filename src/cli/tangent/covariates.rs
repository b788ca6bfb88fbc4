//! What a regression may be on.

use crate::cli::output::Failure;
use clap::Args;
use std::fmt::Debug;
use std::path::PathBuf;
use visard::estimate::Design;

/// A table of covariates with what is known of them, and public bounds of sizes.
pub type Regressed = (Option<(PathBuf, Design)>, Option<(f64, f64)>);

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
