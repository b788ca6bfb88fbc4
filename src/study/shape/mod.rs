//! Studies of landmark shapes, in the plane and in space: a private mean, modes of variation, regressions on covariates, comparisons of groups.
//! All about a centre that is public or found and paid for, in two rounds.

mod accuracy;
mod input;
mod mean;
mod page;
mod picture;
mod run;
mod subject;

pub use accuracy::sentence;
pub use input::ShapeInputs;
pub use mean::{ShapeMeanOutcome, ShapeMeanSettings, run_mean};
