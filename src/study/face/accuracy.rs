//! How far a released mean face lies from the mean without noise, as far as the release itself tells.

use crate::function::FaceCurves;
use crate::mechanism::functional::NoisedFunction;
use serde::{Deserialize, Serialize};

/// Root-mean-square distance of a face from the mean of its population, in units of √area: between the three public populations that the
/// public radii were chosen on (.0179, .0190 and .0315).
const RECORD_SPREAD: f64 = 0.022;

/// An error statement: root-mean-square distances over the points of the curves (three coordinates summed) on faces of unit area, from
/// noised values and public numbers only.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Accuracy {
    /// Of the release from the mean without noise, bias included.
    pub rms: f64,
    /// Of the public template from the mean without noise: what publishing it unread would give.
    pub template_rms: f64,
    /// Of the mean without noise from its population's, for records as different as faces of public populations are.
    pub sampling_rms: f64,
    /// Share of the squared distance between template and mean that the data decided: 0 where the release is the template.
    pub data_share: f64,
}

impl Accuracy {
    /// Of a release about the template's own curves.
    pub(super) fn of(released: &NoisedFunction, own: &FaceCurves, n: u64) -> Self {
        let points = own.data().len() as f64 / 3.0;
        let error = released.mean_square_error(own.data().len() / 3);
        let moved: f64 = released.samples.iter().zip(own.data()).map(|(a, b)| (a - b).powi(2)).sum();
        // The mean is the release and its error; so far it lies from the template.
        let template = moved / points + error;
        Self {
            rms: error.sqrt(),
            template_rms: template.sqrt(),
            sampling_rms: RECORD_SPREAD / (n as f64).sqrt(),
            data_share: if template > 0.0 { (1.0 - error / template).clamp(0.0, 1.0) } else { 0.0 },
        }
    }

    /// Whether the release says hardly more than the template does.
    pub fn is_mostly_template(&self) -> bool {
        self.data_share < 0.5
    }
}
