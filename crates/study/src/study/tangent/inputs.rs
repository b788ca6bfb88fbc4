//! The studies: a kind of record and a statistic.

use super::comparison::{ComparisonStatistic, FoundGroups};
use super::functions::TangentFunctions;
use super::mean::{FoundMean, MeanStatistic};
use super::modes::{FoundModes, ModesStatistic};
use super::opened::Then;
use super::points::{TangentMatrices, TangentVectors};
use super::records::{Centred, Opened, TangentRecords};
use super::regression::{FoundFields, RegressionStatistic};
use super::run::{TangentOutcome, run};
use super::statistic::Statistic;
use crate::estimate::Design;
use crate::mechanism::functional::Want;
use crate::privacy::Mu;
use crate::study::points::PointStudyError;
use crate::study::shape::{ShapeInputs, Specimens};
use crate::study::{Groups, Place};
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A kind of record that a crate above this one brings.
#[doc(hidden)]
pub trait OtherRecords: Debug + Send + Sync {
    /// Opens the files: what is public, and how many records there are.
    ///
    /// # Errors
    /// [`PointStudyError`]; nothing is charged.
    fn open(&self) -> Result<Box<dyn TangentRecords + '_>, PointStudyError>;

    /// Folder, ledger, seed.
    fn place(&self) -> &Place;
}

/// Records of one of the kinds, and what is known of them in advance.
#[derive(Debug, Clone)]
pub enum TangentInputs {
    /// Functions on a circle, an interval or a disk.
    Functions(TangentFunctions),
    /// Symmetric positive definite matrices.
    Matrices(TangentMatrices),
    /// Directions or hyperbolic points.
    Vectors(TangentVectors),
    /// Shapes by their landmarks, about a public or a private centre.
    Landmarks(Box<ShapeInputs>),
    /// Records of another crate.
    #[doc(hidden)]
    Other(Arc<dyn OtherRecords>),
}

impl TangentInputs {
    /// Opens the files, and runs the statistic that is wanted of what they hold.
    fn run<S: Statistic>(
        &self,
        wanted: impl FnOnce(&dyn Opened) -> Result<S, PointStudyError>,
    ) -> Result<TangentOutcome<S::Found>, PointStudyError> {
        let then = Wanted { wanted, place: self.place() };
        match self {
            Self::Functions(functions) => then.about(&*functions.open()?),
            Self::Matrices(matrices) => matrices.open(then),
            Self::Vectors(vectors) => vectors.open(then),
            Self::Other(other) => then.about(&*other.open()?),
            Self::Landmarks(shapes) => then.seeking(&Specimens::open(shapes, &shapes.request())?),
        }
    }

    fn place(&self) -> &Place {
        match self {
            Self::Functions(functions) => &functions.inputs.place,
            Self::Matrices(matrices) => &matrices.place,
            Self::Vectors(vectors) => &vectors.place,
            Self::Landmarks(shapes) => &shapes.place,
            Self::Other(other) => other.place(),
        }
    }
}

/// The statistic that is wanted of opened records, and where its study is.
struct Wanted<'a, F> {
    wanted: F,
    place: &'a Place,
}

impl<S: Statistic, F: FnOnce(&dyn Opened) -> Result<S, PointStudyError>> Then for Wanted<'_, F> {
    type Done = TangentOutcome<S::Found>;

    fn about(self, records: &dyn TangentRecords) -> Result<Self::Done, PointStudyError> {
        let statistic = (self.wanted)(records)?;
        Ok(run(records, statistic, self.place)?.0)
    }

    fn seeking<K: Centred>(self, records: &K) -> Result<Self::Done, PointStudyError> {
        let statistic = (self.wanted)(records)?;
        Ok(run(records, statistic, self.place)?.0)
    }
}

/// Releases the mean alone, in two rounds: `mean.npy`, and `band.npy` (2, …) where a band is asked for.
///
/// # Errors
/// [`PointStudyError`]; nothing is charged for input that cannot be used.
pub fn run_mean(
    inputs: &TangentInputs,
    statistic: MeanStatistic,
) -> Result<TangentOutcome<FoundMean>, PointStudyError> {
    inputs.run(|_| Ok(statistic))
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
    inputs.run(|_| Ok(ModesStatistic { budget, most }))
}

/// Releases a regression on the covariates of a secret table with public bounds, and on the logarithm of the size of landmarks, where its public
/// bounds are given, in their unit: `mean.npy`, `fields.npy` (1 + columns, …): the mean at the reference values, then every column's
/// displacement. With `residuals` also the modes of what the covariates leave: `modes.npy` (K, …), `variances.csv`.
///
/// # Errors
/// [`PointStudyError`]; what is wrong with the table is told before anything is charged.
pub fn run_regression(
    inputs: &TangentInputs,
    budget: Mu,
    covariates: Option<(PathBuf, Design)>,
    size_bounds: Option<(f64, f64)>,
    residuals: bool,
) -> Result<TangentOutcome<FoundFields>, PointStudyError> {
    let statistic = RegressionStatistic::new(budget, covariates, size_bounds, residuals)?;
    inputs.run(|_| Ok(statistic))
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
    inputs.run(|records| {
        let groups = Groups::read(groups, records.people(), records.count(), &|i| records.names(i))?;
        Ok(ComparisonStatistic { budget, groups, want })
    })
}
