//! Groups of faces compared: a private mean of each, where they differ, and whether they do.

pub mod plan;

pub use crate::mechanism::functional::Want;

use super::error::StudyError;
use super::gather::{FaceProgress, FaceStudy};
use super::mean::basis;
use super::settings::FaceInputs;
use crate::function::FaceCurves;
use crate::mechanism::MechanismError;
use crate::mechanism::functional::FunctionGroups;
use crate::mechanism::vector::GroupLabels;
use crate::privacy::Mu;
use crate::study::Place;
use crate::study::tangent::{ComparisonStatistic, FoundGroups, TangentOutcome};
use std::path::PathBuf;

/// Everything a comparison of groups needs to know; all of it public.
#[derive(Debug, Clone)]
pub struct CompareSettings {
    /// The people and their scans.
    pub records: FaceInputs,
    /// The table `record,group`.
    pub groups: PathBuf,
    /// A map of differences, a test of any, or both.
    pub want: Want,
    /// The budget of all of it.
    pub budget: Mu,
}

impl CompareSettings {
    /// The default comparison of these scans in this place, by this table: map and test.
    pub fn new(
        inputs: impl Into<Vec<PathBuf>>,
        groups: impl Into<PathBuf>,
        place: Place,
        budget: Mu,
    ) -> Self {
        Self { records: FaceInputs::new(inputs, place), groups: groups.into(), want: Want::default(), budget }
    }
}

/// The mechanism for groups of faces about the template's own curves.
///
/// # Errors
/// [`MechanismError`], about public numbers.
pub fn mechanism(
    want: Want,
    template: &FaceCurves,
    labels: GroupLabels,
    mu: Mu,
) -> Result<FunctionGroups, MechanismError> {
    FunctionGroups::new(want, &basis(template), template.data(), labels, 1.0, mu)
}

/// Compares groups of faces.
///
/// # Errors
/// [`StudyError`]. One bad scan never stops it; what is wrong with the table of groups is found out before anything is charged; errors
/// after the ledger was charged leave the charge standing, and the study to be resumed.
pub fn run(
    settings: &CompareSettings,
    progress: &(dyn Fn(FaceProgress) + Sync),
) -> Result<TangentOutcome<FoundGroups>, StudyError> {
    let study = FaceStudy::open(&settings.records)?;
    let groups = study.groups(&settings.groups)?;
    study.run(ComparisonStatistic { budget: settings.budget, groups, want: settings.want }, progress)
}
