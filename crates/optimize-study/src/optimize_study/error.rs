//! Why an optimization study stopped.

use super::data::DataError;
use crate::io::{ReadError, WriteError};
use crate::job::{JobError, PeopleError};
use crate::manifold::ManifoldError;
use crate::optimize::{OptimizeError, OracleError, PlanError};
use crate::privacy::noise::NoiseError;

/// Why a study stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OptimizeStudyError {
    /// The study's folder, its ledger, its state.
    #[error(transparent)]
    Job(#[from] JobError),
    /// A file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Who gave which records.
    #[error(transparent)]
    People(#[from] PeopleError),
    /// The records or the start point do not fit the task.
    #[error(transparent)]
    Data(#[from] DataError),
    /// No record can be used: a release would be noise.
    #[error(
        "none of the {0} records can be used: they are off the manifold, not numbers, or without a direction"
    )]
    NoneUsable(usize),
    /// A parameter no such manifold has.
    #[error(transparent)]
    Manifold(#[from] ManifoldError),
    /// The plan.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The run.
    #[error(transparent)]
    Optimize(#[from] OptimizeError),
    /// The noised second moment.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// The records of a task.
    #[error(transparent)]
    Oracle(#[from] OracleError),
    /// The caller asked to stop. The state is kept.
    #[error("stopped; the run goes on where it was when it is resumed, under the charge that was made")]
    Stopped,
}
