//! The studies: a kind of record and a statistic.

use super::comparison::{ComparisonStatistic, FoundGroups};
use super::functions::TangentFunctions;
use super::modes::{FoundModes, ModesStatistic};
use super::points::{TangentMatrices, TangentVectors};
use super::records::TangentRecords;
use super::regression::{FoundFields, RegressionStatistic};
use super::run::{TangentOutcome, run};
use crate::estimate::Design;
use crate::mechanism::functional::Want;
use crate::privacy::Mu;
use crate::study::points::PointStudyError;
use crate::study::{Groups, Place};
use std::path::Path;

/// Records of one of the kinds, and what is known of them in advance.
#[derive(Debug, Clone)]
pub enum TangentInputs {
    /// Functions on a circle, an interval or a disk.
    Functions(TangentFunctions),
    /// Symmetric positive definite matrices.
    Matrices(TangentMatrices),
    /// Directions or hyperbolic points.
    Vectors(TangentVectors),
}

impl TangentInputs {
    pub(super) fn open(&self) -> Result<Box<dyn TangentRecords + '_>, PointStudyError> {
        match self {
            Self::Functions(functions) => functions.open(),
            Self::Matrices(matrices) => Ok(matrices.open()?),
            Self::Vectors(vectors) => Ok(vectors.open()?),
        }
    }

    fn place(&self) -> &Place {
        match self {
            Self::Functions(functions) => &functions.inputs.place,
            Self::Matrices(matrices) => &matrices.place,
            Self::Vectors(vectors) => &vectors.place,
        }
    }
}

/// Releases the mean and at most `most` modes of variation: `mean.npy`, `modes.npy` (K, …; one standard deviation each), `variances.csv`.
///
/// # Errors
/// [`PointStudyError`]; nothing is charged for input that cannot be used.
pub fn run_modes(
    inputs: &TangentInputs,
    budget: Mu,
    most: usize,
) -> Result<TangentOutcome<FoundModes>, PointStudyError> {
    run(&*inputs.open()?, ModesStatistic { budget, most }, inputs.place())
}

/// Releases a regression on the covariates of a secret table with public bounds: `mean.npy`, `fields.npy` (1 + columns, …): the mean at the
/// reference values, then every column's displacement.
///
/// # Errors
/// [`PointStudyError`]; what is wrong with the table is told before anything is charged.
pub fn run_regression(
    inputs: &TangentInputs,
    budget: Mu,
    covariates: &Path,
    design: Design,
) -> Result<TangentOutcome<FoundFields>, PointStudyError> {
    let statistic = RegressionStatistic { budget, covariates: covariates.to_owned(), design };
    run(&*inputs.open()?, statistic, inputs.place())
}

/// Compares the groups of a public table `record,group`: `mean_NAME.npy`, `difference.npy` ((…) for two groups: second minus first label in
/// sorted order; (G − 1, …) for more), `band.npy` (2, …), `test.json`.
///
/// # Errors
/// [`PointStudyError`]; what is wrong with the table is told before anything is charged.
pub fn run_compare(
    inputs: &TangentInputs,
    budget: Mu,
    groups: &Path,
    want: Want,
) -> Result<TangentOutcome<FoundGroups>, PointStudyError> {
    let records = inputs.open()?;
    let groups = Groups::read(groups, records.people(), records.count(), |i| vec![i.to_string()])?;
    run(&*records, ComparisonStatistic { budget, groups, want }, inputs.place())
}
