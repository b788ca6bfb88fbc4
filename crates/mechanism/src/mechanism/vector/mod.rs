//! Statistics of short vectors in two rounds: what modes of variation, regressions and comparisons of groups are made of, whatever the
//! vectors are coordinates of (curves, outlines, landmarks).
//!
//! Records are vectors u ∈ ℝ^k about a public origin, of public expected variances (up to scale); a failed record contributes zero in every
//! round: about the origin first, then about the private centre. [`Recentring`] finds a private centre c and a radius τ about it; every statistic then looks at u − c clipped to τ.

mod about_centre;
pub mod groups;
pub mod modes;
mod recentring;
pub mod regression;
pub mod scores;
mod second_round;
mod vectors;

pub(in crate::mechanism) use about_centre::{AboutCentre, Given};
pub use about_centre::{AboutPass, PreparedVectors};
pub use groups::{GroupAim, GroupLabels, NoisedGroups, VectorGroups};
pub use modes::{NoisedModes, VectorModes};
pub(super) use recentring::shrunk_in_two;
pub use recentring::{Recentred, Recentring, Rest, RoughCentre};
pub use regression::{NoisedRegression, RegressionRecord, VectorRegression};
pub use scores::{NoisedScores, ScoreMoments, ScoreRecord};
pub use vectors::Vectors;

/// Vectors of records, `None` for failed ones: secret.
pub type VectorRecords = [Option<Vec<f64>>];
