//! The optimization job: a table of records → a private Fréchet mean, eigenvector or subspace.
//!
//! A run is charged once; its state is kept at the end of every stage, and an interrupted run continues from there under the same
//! charge.

mod checkpoint;
mod data;
mod error;
mod moment;
mod publication;
mod records;
mod run;
mod settings;
#[cfg(test)]
mod tests;

pub use data::DataError;
pub use error::OptimizeStudyError;
pub use moment::{MomentOutcome, MomentStudy, run_moment};
pub use run::{OptimizeStudyOutcome, OptimizeStudyProgress, run};
pub use settings::{Frames, MeanSpace, OptimizeStudySettings, Task};
