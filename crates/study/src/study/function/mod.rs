//! Studies of functions that users bring: samples on a circle, an interval or a disk → a private mean.

mod input;
mod mean;
mod page;

pub use input::{DomainKind, FunctionInputs};
pub use mean::{FunctionMeanOutcome, FunctionMeanSettings, ReleasedMeanFunction, run_mean};
