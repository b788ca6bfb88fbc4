//! What a release of sums has drawn.

use crate::study::face::FaceOutcome;
use crate::study::tangent::{FoundFields, FoundGroups, FoundModes, TangentOutcome};
use std::path::PathBuf;

/// What a release of sums has drawn.
#[derive(Debug)]
pub enum Drawn {
    /// A pass that is not the last: the next sums are made about this file.
    Round {
        /// The file.
        file: PathBuf,
        /// Which pass, of how many.
        pass: (usize, usize),
        /// n.
        people: usize,
    },
    /// The mean.
    Mean(Box<FaceOutcome>),
    /// Modes, with their mean.
    Modes(Box<TangentOutcome<FoundModes>>),
    /// A regression on covariates.
    Fields(Box<TangentOutcome<FoundFields>>),
    /// A comparison of groups.
    Groups(Box<TangentOutcome<FoundGroups>>),
}
