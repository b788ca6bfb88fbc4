//! Covariates that a plan is about: what is known of them beforehand, which is public.

use crate::estimate::Design;
use serde::{Deserialize, Serialize};

/// A regression on covariates of which this is known beforehand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct PlannedRegression {
    /// The covariates, with public bounds and levels.
    pub covariates: Design,
    /// Whether the modes of what they leave are published too: at no further loss.
    #[serde(default)]
    pub residuals: bool,
}
