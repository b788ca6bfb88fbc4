//! Why no noise was drawn.

use crate::privacy::charge::ChargeError;

/// Why no noise was drawn. No message depends on a record.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoiseError {
    /// The operating system gives no randomness.
    #[error("the operating system gives no randomness: {0}")]
    Entropy(#[from] rand::rngs::SysError),
    /// The charge does not cover the release.
    #[error(transparent)]
    Charge(#[from] ChargeError),
    /// A coordinate of the statistic is not a number: the mechanism's own fault, for records are clipped before.
    #[error("the statistic is not a number; clip and check the records before the mean is taken")]
    NotANumber,
    /// Nothing to noise.
    #[error("nothing to release: the statistic has no coordinates or the loss is zero")]
    Empty,
    /// The noise scale cannot be put on a lattice in double precision.
    #[error(
        "the noise scale is outside 1e-280 to 1e280: the budget is far too small or far too large (mu from 0.1 to 20 is usual), or the statistic is in \
         extreme units"
    )]
    OutOfScale,
    /// The exact sampler of the discrete laws failed.
    #[error("the sampler of the discrete law failed: {0}")]
    Sampler(&'static str),
    /// A clipped mean is not ready.
    #[error(transparent)]
    Incomplete(#[from] IncompleteMean),
}

/// A clipped mean that cannot be released. (n and the number of records given are the data holder's own counts; a
/// failed scan is given as `None` and counts.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IncompleteMean {
    /// No records declared, or no coordinates.
    #[error("a mean needs at least one record and one coordinate")]
    Empty,
    /// Fewer or more records than declared.
    #[error(
        "n = {declared} records were declared, {given} given; failed scans must be given too (as failures)"
    )]
    Count {
        /// n.
        declared: u64,
        /// How many came.
        given: u64,
    },
    /// A record of another length.
    #[error("a record has {found} coordinates, expected {expected}")]
    Length {
        /// The mean's dimension.
        expected: usize,
        /// The record's.
        found: usize,
    },
    /// Sums of different settings cannot be merged.
    #[error("two partial sums differ in their settings and cannot be merged")]
    Mismatch,
    /// More records than exact sums have room for.
    #[error("more than 2^40 records")]
    TooMany,
}
