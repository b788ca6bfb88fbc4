//! Private means of functions.
//!
//! Each is a Gaussian mechanism in coordinates chosen so that its noise is isotropic: every record becomes a vector of bounded
//! norm, the vectors are clipped and added up in integers ([`ClippedMean`]), and post-processing looks at the noised
//! coordinates and public numbers only.
//!
//! * [`TwoRoundMean`] (`joint`): a rough private centre, a private radius about it, and a tight second round.
//! * [`FunctionalMean`] (`joint-1`): deviations from a public centre, one clip, white noise, free shrinkage.
//! * [`PerCurveMean`] (`curves` and `paper`): block by block, with the noise of the paper or matched to the smoother.
//! * [`PointwiseMean`] (`pointwise`): every coordinate on its own.
//! * [`PrivateRadiusMean`]: the second, with a clip radius estimated privately before.
//! * [`SitesMean`], [`SitesModes`] and [`SitesGroups`]: the two rounds over several sites, none of which hands on a record.
//! * [`FunctionalModes`]: not the mean alone but the second moment too, of the leading coordinates ([`LeadingCoordinates`]).
//!
//! [`CurveMean`] is any of them.

pub mod groups;
pub mod joint;
mod leading;
mod mean;
mod modes;
mod norm;
pub mod per_curve;
pub mod pointwise;
mod private_radius;
mod public_prior;
mod reach;
mod records;
pub mod regression;
mod samples;
pub mod sites;
mod size;
#[cfg(test)]
mod tests;
pub mod two_rounds;

pub use groups::{DifferenceMap, FunctionGroups, NoisedComparison, Tests, Want};
pub use joint::{FunctionalMean, Smoothing};
pub use leading::LeadingCoordinates;
pub use mean::{CurveMean, PreparedMean};
pub use modes::FunctionalModes;
pub use norm::Norm;
pub use per_curve::{BlockBudget, BlockNoise, BlockRadii, PerCurveMean, PerCurveSettings};
pub use pointwise::{PointwiseMean, PointwiseRanges, RangeScale};
pub use private_radius::PrivateRadiusMean;
pub use public_prior::PublicPrior;
pub use reach::Reach;
pub use records::{Estimate, FunctionRecords, NoisedFunction, NoisedSize};
pub use regression::{Field, Fields, FunctionRegression};
pub use samples::{AboutPublic, OfSamples, SampledRecords, Samples};
pub use sites::{
    Answer, RoundKind, RoundResult, Sharing, SiteGroups, SiteRound, Sites, SitesGroups, SitesMean,
    SitesModes, SitesRounds,
};
pub use size::SizeCoordinate;
pub use two_rounds::{Aim, TwoRoundMean};

use super::MechanismError;
use crate::privacy::{ClipRadius, ClipSource, ClippedMean, Entry, Mu, NoisedPart, Price};

/// The mechanisms here, for [`super::registry`].
pub(super) const ENTRIES: &[&Entry] = &[
    &joint::ENTRY,
    &two_rounds::ENTRY,
    &per_curve::CURVES_ENTRY,
    &per_curve::PAPER_ENTRY,
    &pointwise::ENTRY,
    &sites::ENTRY,
    &sites::MODES_ENTRY,
    &sites::GROUPS_ENTRY,
];

/// Clipping and changes of coordinates are rounded too: bounds are raised by this factor, far above what rounding in
/// a few thousand operations can do and far below anything visible.
const CLIPPED_RECORDS: f64 = 1.0 + 1e-11;

/// The factor that brings a vector of this norm into the ball of radius τ.
fn clip_factor(norm: f64, radius: f64) -> f64 {
    if norm > radius { radius / norm } else { 1.0 }
}

/// The mean of vectors whose noise is to have variance one: a record's vector has norm at most nμ/2, so that one replaced record
/// moves the mean by at most μ.
fn isotropic_mean(
    dimension: usize,
    n: u64,
    mu: Mu,
    source: ClipSource,
) -> Result<ClippedMean, MechanismError> {
    // Room for the rounding of the changes of coordinates, so that the integer clip shortens nothing that was clipped before.
    let radius = 0.5 * n as f64 * mu.get() * CLIPPED_RECORDS;
    Ok(ClippedMean::new(dimension, n, ClipRadius::new(radius, source)?, mu)?)
}

/// How the noise of a mean of functions was drawn.
fn noised_part(
    price: &Price,
    mean: &ClippedMean,
    clip: ClipRadius,
    noise: crate::privacy::noise::NoiseDescription,
) -> Result<NoisedPart, MechanismError> {
    use crate::privacy::Mechanism;
    let sensitivity = mean.price().sensitivity.ok_or(MechanismError::Shape("the mean has no sensitivity"))?;
    Ok(NoisedPart {
        what: price.mechanism.clone(),
        loss: price.loss,
        sensitivity,
        clip: Some(clip),
        noise,
        expected_error: None,
    })
}
