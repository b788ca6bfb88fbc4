//! What a release of modes tells of faces: the mean's curves, the modes as fields, how good they are.

use super::super::accuracy::{Accuracy, usual};
use super::super::error::StudyError;
use crate::estimate::Modes;
use crate::function::FaceCurves;
use crate::mechanism::functional::FunctionalModes;
use crate::mechanism::vector::NoisedModes;

/// What noised moments tell: free.
#[derive(Debug, Clone)]
pub struct FoundModes {
    /// The mean's curves.
    pub curves: FaceCurves,
    /// The modes and their variances.
    pub modes: Modes,
    /// One standard deviation of each, on the curves.
    pub fields: Vec<FaceCurves>,
    /// How good the mean is.
    pub accuracy: Accuracy,
}

impl FoundModes {
    /// At most `most` modes of a release of unit-area faces about the template's `own` curves.
    ///
    /// # Errors
    /// [`StudyError::Shape`] for a release of other coordinates.
    pub fn of(
        mechanism: &FunctionalModes,
        released: &NoisedModes,
        own: &FaceCurves,
        n: u64,
        most: usize,
    ) -> Result<Self, StudyError> {
        let other = StudyError::Shape("what was drawn has other coordinates than this study");
        let (Some(mean), Some(modes)) = (mechanism.mean(released), mechanism.modes(released, most)) else {
            return Err(other);
        };
        let faces = |samples: Vec<f64>| FaceCurves::new(own.curves(), own.samples(), samples);
        let fields =
            modes.modes.iter().map(|mode| faces(mechanism.coordinates().displacement(&mode.coordinates)));
        let fields = fields.collect::<Result<_, _>>()?;
        let error = mean.errors.iter().sum::<f64>() / (own.data().len() as f64 / 3.0);
        let spread =
            Some(mechanism.record_spread(&modes)).filter(|spread| spread.square > 2.0 * spread.noise);
        let accuracy = Accuracy::of_samples(&mean.samples, error, own, None, n, spread.map(usual));
        Ok(Self { curves: faces(mean.samples)?, modes, fields, accuracy })
    }
}
