//! Faces by covariates: from scans and a table to fields of age, sex and whatever else, and back to a face at given values.

mod plan;
mod predict;
mod publication;
mod report;
mod run;

pub use plan::{RegressionForecast, plan_regression};
pub use predict::{Displacements, Prediction, RegressionRelease};
pub use run::{FaceRegressionOutcome, FaceRegressionSettings, ReleasedFields, run_regression};
