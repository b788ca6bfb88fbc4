//! Modes of variation of faces: the directions in which people differ most, with their mean.

mod explained;
pub mod plan;

pub use crate::study::tangent::MODES_WORTHWHILE as WORTHWHILE;
pub use explained::{Explained, cosine};

use super::error::StudyError;
use super::gather::{FaceProgress, FaceStudy};
use super::mean::basis;
use super::settings::FaceInputs;
use crate::function::FaceCurves;
use crate::mechanism::MechanismError;
use crate::mechanism::functional::FunctionalModes;
use crate::privacy::Mu;
use crate::study::Place;
use crate::study::tangent::{FoundModes, MeanAndModes, ModesStatistic, TangentOutcome};
use std::path::PathBuf;

/// How many modes are released at most unless something else is asked for.
pub const MODES: usize = 5;
pub use crate::study::tangent::MOST_MODES;

/// The mechanism for n faces about this template.
///
/// # Errors
/// [`MechanismError`], about public numbers.
pub fn mechanism(template: &FaceCurves, n: u64, mu: Mu) -> Result<FunctionalModes, MechanismError> {
    FunctionalModes::new(basis(template), template.data().to_vec(), 1.0, mu, n)
}

/// Whether so many modes may be asked for.
pub(super) fn check_asked(asked: usize) -> Result<(), StudyError> {
    if (1..=MOST_MODES).contains(&asked) {
        Ok(())
    } else {
        Err(StudyError::Shape("at least one mode and at most 200 may be asked for"))
    }
}

/// Everything a study of modes needs to know: all of it public.
#[derive(Debug, Clone)]
pub struct FaceModesSettings {
    /// The people and their scans.
    pub records: FaceInputs,
    /// The budget of mean and second moment together.
    pub budget: Mu,
    /// At most so many modes are released.
    pub most: usize,
    /// Whether the mean has a mechanism, and half of the squared budget, of its own: less error than the mean that comes with the modes, which
    /// then have half the squared budget too.
    pub with_mean: bool,
}

impl FaceModesSettings {
    /// The default study of these scans in this place.
    pub fn new(inputs: impl Into<Vec<PathBuf>>, place: Place, budget: Mu) -> Self {
        Self { records: FaceInputs::new(inputs, place), budget, most: MODES, with_mean: false }
    }
}

/// Runs a study of modes.
///
/// # Errors
/// [`StudyError`], as for the mean ([`super::run`]).
pub fn run(
    settings: &FaceModesSettings,
    progress: &(dyn Fn(FaceProgress) + Sync),
) -> Result<TangentOutcome<FoundModes>, StudyError> {
    let FaceModesSettings { budget, most, with_mean, .. } = *settings;
    check_asked(most)?;
    let study = FaceStudy::open(&settings.records)?;
    if (study.n() as f64) * budget.get() < WORTHWHILE {
        progress(FaceProgress::HardlyWorth { from: WORTHWHILE });
    }
    let modes = ModesStatistic { budget, most };
    if with_mean { study.run(MeanAndModes(modes), progress) } else { study.run(modes, progress) }
}
