//! Private means of functions.
//!
//! Each is a Gaussian mechanism in coordinates chosen so that its noise is isotropic: every record becomes a vector of bounded
//! norm, the vectors are clipped and added up in integers ([`ClippedMean`](crate::privacy::ClippedMean)), and post-processing looks at the noised
//! coordinates and public numbers only.
//!
//! * [`TwoRoundMean`] (`joint`): a rough private centre, a private radius about it, and a tight second round.
//! * [`FunctionalMean`] (`joint-1`): deviations from a public centre, one clip, white noise, free shrinkage.
//! * [`PerCurveMean`] (`curves` and `paper`): block by block, with the noise of the paper or matched to the smoother.
//! * [`PointwiseMean`] (`pointwise`): every coordinate on its own.
//! * [`PrivateRadiusMean`]: the second, with a clip radius estimated privately before.
//! * [`SitesMean`], [`SitesModes`], [`SitesGroups`] and [`SitesRegression`]: the two rounds over several sites, none of which hands on a record.
//! * [`StreamMean`]: a step of a mean that is released again and again while people come.
//! * [`FunctionalModes`]: not the mean alone but the second moment too, of the leading coordinates ([`LeadingCoordinates`]).
//!
//! [`CurveMean`] is any of them.

pub mod groups;
pub mod joint;
mod leading;
mod mean;
mod modes;
mod norm;
mod parts;
pub mod passes;
pub mod per_curve;
pub mod pointwise;
mod private_radius;
mod public_prior;
mod reach;
mod records;
pub mod regression;
mod regression_passes;
mod samples;
pub mod sites;
mod size;
mod stream;
#[cfg(test)]
mod tests;
pub mod two_rounds;
#[cfg(test)]
mod unseen_tests;
mod variances;

pub use groups::{DifferenceMap, FunctionGroups, NoisedComparison, Tests, Want};
pub use joint::{FunctionalMean, Smoothing};
pub use leading::LeadingCoordinates;
pub use mean::{CurveMean, PreparedMean};
pub use modes::FunctionalModes;
pub use norm::Norm;
pub use per_curve::{BlockBudget, BlockNoise, BlockRadii, PerCurveMean, PerCurveSettings};
pub use pointwise::{PointwiseMean, PointwiseRanges, RangeScale};
pub use private_radius::PrivateRadiusMean;
pub use public_prior::{PublicPrior, TELLING};
pub use reach::Reach;
#[doc(hidden)]
pub use records::ChosenRecords;
pub use records::{Estimate, FilledIn, FunctionRecords, NoisedFunction, NoisedSize};
pub use regression::{Field, Fields, FunctionRegression, ResidualModes};
pub(in crate::mechanism) use samples::priced_after;
pub use samples::{AboutPublic, OfSamples, SampledRecords, Samples};
pub use sites::{
    Answer, RegressedPeople, RoundKind, RoundResult, Sharing, SiteGroups, SitePeople, SiteRound, Sites,
    SitesGroups, SitesMean, SitesModes, SitesRegression, SitesRounds,
};
pub use size::SizeCoordinate;
pub use stream::{StreamMean, StreamPast, StreamShape, StreamSums};
pub use two_rounds::{Aim, TwoRoundMean};

use crate::privacy::Entry;
use parts::{CLIPPED_RECORDS, clip_factor, isotropic_mean, noised_part};

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
    &sites::REGRESSION_ENTRY,
];
