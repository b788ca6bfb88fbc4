//! Modes of variation, regressions on covariates and comparisons of groups, written once for every kind of record that has a tangent space
//! at a centre: functions, positive definite matrices, directions, hyperbolic points, landmarks, faces.
//!
//! * A kind of record (`Opened`) opens its files without reading a value. `Centring` tells the space its records are seen in
//!   (`TangentSpace`): the centre, a basis whose spectrum is known in advance, a public radius, and what released samples are as
//!   arrays and pictures. A public centre is a space (`TangentRecords`); one that is found and paid for is known from a release only. Faces
//!   are records of their own (`Centred`): scans take hours, and are kept.
//! * A statistic (`Statistic`) makes the mechanism of these and says what its releases tell, which is free.
//! * `run` is the one lifecycle of both.
//!
//! A record becomes samples by itself, by a public map; the mechanism clips them to the public radius, so the sensitivity is that of vectors
//! in a ball whatever the space and its curvature.

mod accuracy;
mod centring;
mod chart;
mod comparison;
mod functions;
mod inputs;
mod internal;
mod mean;
mod modes;
mod numbers;
mod opened;
mod plan;
mod points;
mod records;
mod regression;
mod released;
mod run;
mod search;
mod space;
mod statistic;
mod terms;
#[cfg(test)]
mod tests;
mod with_mean;

pub use super::differences::{GroupDifference, LEAST, LEVEL, PairTest, TestStatement};
#[doc(hidden)]
pub use centring::{Centring, Expected, Inner, Make, PublicCentre, Told};
#[doc(hidden)]
pub use comparison::ComparisonStatistic;
pub use comparison::FoundGroups;
pub use functions::TangentFunctions;
#[doc(hidden)]
pub use inputs::OtherRecords;
pub use inputs::{TangentInputs, run_compare, run_mean, run_modes, run_regression};
pub use mean::{FoundMean, MeanStatistic};
#[doc(hidden)]
pub use modes::ModesStatistic;
pub use modes::{FoundModes, MODES_WORTHWHILE, MOST_MODES, SampledModes};
#[doc(hidden)]
pub use plan::plan_means;
pub use points::{TangentMatrices, TangentVectors};
#[doc(hidden)]
pub use records::{Centred, Gathered, Opened, Shown, TangentRecords};
pub use regression::FoundFields;
#[doc(hidden)]
pub use regression::RegressionStatistic;
pub use released::{FieldsRelease, added};
pub use run::TangentOutcome;
#[doc(hidden)]
pub use run::TangentPublication;
pub(in crate::study) use run::run;
#[doc(hidden)]
pub use space::{Circumstances, Dial, Differing, Displaced, Known, Looked, TangentSpace};
#[doc(hidden)]
pub use statistic::Statistic;
#[doc(hidden)]
pub use terms::{FieldTerms, REACH, Terms};
pub(in crate::study) use with_mean::MeanAndModes;
