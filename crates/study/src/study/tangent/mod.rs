//! Modes of variation, regressions on covariates and comparisons of groups, written once for every kind of record that has a tangent space
//! at a public centre: functions, positive definite matrices, directions, hyperbolic points.
//!
//! * A kind of record (`TangentRecords`) opens its files without reading a value, and tells the space its records are seen in
//!   (`TangentSpace`): the centre, a basis whose spectrum is known in advance, a public radius, and what released samples are as
//!   arrays and pictures.
//! * A statistic (`Statistic`) makes the mechanism of these and says what its releases tell, which is free.
//! * `run` is the one lifecycle of both.
//!
//! A record becomes samples by itself, by a public map; the mechanism clips them to the public radius, so the sensitivity is that of vectors
//! in a ball whatever the space and its curvature.

mod accuracy;
mod chart;
mod comparison;
mod functions;
mod inputs;
mod modes;
mod numbers;
mod points;
mod records;
mod regression;
mod run;
mod statistic;
#[cfg(test)]
mod tests;

pub use super::differences::GroupDifference;
pub use comparison::FoundGroups;
pub use functions::TangentFunctions;
pub use inputs::{TangentInputs, run_compare, run_modes, run_regression};
pub use modes::FoundModes;
pub use points::{TangentMatrices, TangentVectors};
pub use regression::FoundFields;
pub use run::TangentOutcome;
