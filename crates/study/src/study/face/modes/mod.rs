//! Modes of variation of faces: the directions in which people differ most, with their mean.

mod explained;
mod found;
pub mod plan;
mod publication;
mod report;
mod run;
mod with_mean;

pub use explained::{Explained, cosine};
pub use found::FoundModes;
pub(in crate::study::face) use publication::ModesPublication;
pub use run::{FaceModesOutcome, FaceModesSettings, ReleasedModes, run};

use super::error::StudyError;
use super::mean::basis;
use crate::function::FaceCurves;
use crate::mechanism::MechanismError;
use crate::mechanism::functional::FunctionalModes;
use crate::privacy::Mu;

/// How many modes are released at most unless something else is asked for.
pub const MODES: usize = 5;
/// The most that may be asked for: more coefficients are never looked at.
pub const MOST_MODES: usize = 200;
/// Below this nμ the modes of the public spectrum are about as good as private ones.
pub const WORTHWHILE: f64 = 60.0;

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
