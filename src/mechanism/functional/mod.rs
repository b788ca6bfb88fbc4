//! Private means of functions: four mechanisms of one form.
//!
//! Each is a Gaussian vector mechanism in coordinates chosen so that its noise is isotropic: a *statistic* in ℝᵈ with a
//! bounded L² sensitivity, noise N(0, σ²I), and post-processing that looks at the noised coordinates and public
//! numbers only. What a mechanism costs is known ([`MeanMechanism::price`]) before a record is read.
//!
//! * [`FunctionalMean`] (`joint`): deviations from a public centre, one clip, white noise, free shrinkage.
//! * [`PerCurveMean`] (`curves` and `paper`): block by block, with the noise of the paper or matched to the smoother.
//! * [`PointwiseMean`] (`pointwise`): every coordinate on its own.

mod joint;
mod per_curve;
mod pointwise;
#[cfg(test)]
mod tests;

pub use joint::{FunctionalMean, Smoothing};
pub use per_curve::{BlockBudget, BlockNoise, PerCurveMean, PerCurveSettings};
pub use pointwise::{PointwiseMean, RangeScale};

use crate::privacy::{BudgetError, ClipRadius, ClipSource, L2Sensitivity, Mu, PrivacyLoss};
use serde::Serialize;

/// A mechanism could not be set up. Nothing here depends on a record.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MechanismError {
    /// A budget, radius or n out of range.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// Shapes that do not fit together.
    #[error("{0}")]
    Shape(&'static str),
}

/// What a release will cost and with which noise: known before any record is read.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Price {
    /// The mechanism's name.
    pub mechanism: &'static str,
    /// The privacy loss; [`PrivacyLoss::NonPrivate`] where a bound was measured on the data.
    pub loss: PrivacyLoss,
    /// μ the noise is made for.
    pub mu: Mu,
    /// Number of records n, public.
    pub n: u64,
    /// Bound on the L² distance between the statistics of neighbours, in the isotropic coordinates.
    pub sensitivity: L2Sensitivity,
    /// The clip radius (the largest, where there are several) and its source.
    pub clip: ClipRadius,
    /// What the coordinates, norms and radii are, in words.
    pub description: String,
    /// The parts of the budget, where there are several mechanisms in one.
    pub parts: Vec<(String, f64)>,
}

/// A private mean of vectors of samples.
pub trait MeanMechanism: Sync {
    /// The cost, known beforehand.
    fn price(&self) -> &Price;

    /// The statistic in the isotropic coordinates. `None` stands for a record that could not be made: it counts as the
    /// public centre, so that failures change neither n nor the sensitivity.
    ///
    /// The caller must not show it to anyone: only its noised version may leave.
    fn statistic(&self, records: &mut dyn Iterator<Item = Option<&[f64]>>) -> Vec<f64>;

    /// Post-processing: the mean's samples from the noised coordinates, whose noise had standard deviation `sigma`.
    fn finish(&self, noised: &[f64], sigma: f64) -> Vec<f64>;
}

/// μ-GDP, or nothing where a bound came from the data.
fn loss(mu: Mu, source: ClipSource) -> PrivacyLoss {
    if source == ClipSource::Data { PrivacyLoss::NonPrivate } else { PrivacyLoss::Gaussian(mu) }
}

/// Clipping and changes of coordinates are rounded too: bounds are raised by this factor, far above what rounding in
/// a few thousand operations can do and far below anything visible.
const ROUNDING: f64 = 1.0 + 1e-11;

/// 2τ/n with room for the rounding of the mean.
fn mean_sensitivity(clip: ClipRadius, n: u64) -> Result<L2Sensitivity, BudgetError> {
    let exact = L2Sensitivity::of_clipped_mean(clip, n)?.plus_float_mean(clip, n)?;
    L2Sensitivity::new(exact.get() * ROUNDING)
}

/// The factor that brings a vector of this norm into the ball of radius τ.
fn clip_factor(norm: f64, radius: f64) -> f64 {
    if norm > radius { radius / norm } else { 1.0 }
}
