//! Studies of landmark shapes, in the plane and in space: a private mean, modes of variation, regressions on covariates, comparisons of groups.
//! All about a centre that is public or found and paid for, in two rounds.

mod accuracy;
mod compare;
mod input;
mod mean;
mod modes;
mod page;
pub mod plan;
mod regress;
mod run;
mod subject;

pub use super::differences::GroupDifference as ShapeDifference;
pub use accuracy::sentence;
pub use compare::{ShapeCompareOutcome, ShapeCompareSettings, groups_mechanism, run_compare};
pub use input::ShapeInputs;
pub use mean::{ShapeMeanOutcome, ShapeMeanSettings, mean_accuracy, mean_mechanism, run_mean};
pub use modes::{MODES_WORTHWHILE, ShapeModesOutcome, ShapeModesSettings, modes_mechanism, run_modes};
pub use regress::{
    LOG_SIZE, ShapeRegressionOutcome, ShapeRegressionSettings, regression_mechanism, run_regression,
};
