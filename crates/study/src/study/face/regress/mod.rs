//! Faces by covariates: from scans and a table to fields of age, sex and whatever else, and back to a face at given values.

mod plan;
mod predict;

pub use plan::{RegressionForecast, plan_regression};
pub use predict::{Displacements, Prediction, RegressionRelease};

use super::error::StudyError;
use super::gather::{FaceProgress, FaceStudy};
use super::mean::basis;
use super::settings::FaceInputs;
use crate::estimate::Design;
use crate::function::FaceCurves;
use crate::mechanism::MechanismError;
use crate::mechanism::functional::FunctionRegression;
use crate::privacy::Mu;
use crate::study::tangent::{FoundFields, RegressionStatistic, TangentOutcome};
use std::path::PathBuf;

/// The mechanism for n faces about this template; with variances that change with the covariates, where modes of what these leave are wanted.
///
/// # Errors
/// [`MechanismError`], about public numbers.
pub fn mechanism(
    template: &FaceCurves,
    (design, residuals): (&Design, bool),
    n: u64,
    mu: Mu,
) -> Result<FunctionRegression, MechanismError> {
    let make = if residuals { FunctionRegression::with_variances } else { FunctionRegression::new };
    make(basis(template), template.data().to_vec(), 1.0, design.clone(), n, mu)
}

/// Everything a regression of faces on covariates needs to know.
#[derive(Debug, Clone)]
pub struct FaceRegressionSettings {
    /// Who is in it, where it works, and how records are made of their scans.
    pub records: FaceInputs,
    /// The table of the records' covariates: secret.
    pub covariates: PathBuf,
    /// What is known of the covariates beforehand: public.
    pub design: Design,
    /// The budget.
    pub budget: Mu,
    /// Whether the modes of what the covariates leave are released too: at no further loss.
    pub residuals: bool,
}

/// Runs a regression of faces.
///
/// # Errors
/// [`StudyError`]. What is wrong with the table is told before anything is charged; errors after the charge leave it standing, and the study
/// to be resumed.
pub fn run_regression(
    settings: &FaceRegressionSettings,
    progress: &(dyn Fn(FaceProgress) + Sync),
) -> Result<TangentOutcome<FoundFields>, StudyError> {
    let study = FaceStudy::open(&settings.records)?;
    let covariates = Some(settings.covariates.clone());
    let statistic =
        RegressionStatistic::on(covariates, settings.design.clone(), settings.budget, settings.residuals);
    study.run(statistic, progress)
}
