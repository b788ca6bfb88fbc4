//! Studies of functions that users bring: samples on a circle, an interval or a disk → a private mean.

mod input;
mod mean;
mod page;

pub(in crate::study) use input::Functions;
pub use input::{DomainKind, FunctionInputs};
pub(in crate::study) use mean::check_expectations;
pub use mean::{FunctionMeanOutcome, FunctionMeanSettings, ReleasedMeanFunction, run_mean};
pub(in crate::study) use page::Shown;
