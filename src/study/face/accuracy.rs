//! How far a released mean face lies from the mean without noise, as far as the release itself tells.

use crate::estimate::Spread;
use crate::function::FaceCurves;
use crate::mechanism::functional::NoisedFunction;
use serde::{Deserialize, Serialize};

/// Root-mean-square distance of a face from the mean of its population, in units of √area: between the three public populations that the
/// public radii were chosen on (.0179, .0190 and .0315). Said where the release does not tell.
const RECORD_SPREAD: f64 = 0.022;

/// How far the mean square of a population may be from that of [`RECORD_SPREAD`]: the most of those three is twice it.
const SPREAD_DOUBT: f64 = RECORD_SPREAD * RECORD_SPREAD;

/// An error statement: root-mean-square distances over the points of the curves (three coordinates summed) on faces of unit area, from
/// noised values and public numbers only.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Accuracy {
    /// Of the release from the mean without noise, bias included.
    pub rms: f64,
    /// Of the public template from the mean without noise: what publishing it unread would give.
    pub template_rms: f64,
    /// Of the mean without noise from its population's: by the records' spread as the noised second moment has it, or, where none was
    /// released or the noise hides it, for records as different as faces of public populations are.
    pub sampling_rms: f64,
    /// Share of the squared distance between template and mean that the data decided: 0 where the release is the template.
    pub data_share: f64,
    /// `rms` in millimetres: `None` without a released size.
    pub rms_mm: Option<f64>,
}

impl Accuracy {
    /// Of a release about the template's own curves; `spread`: of the records about their mean, where the release tells.
    pub(super) fn of(released: &NoisedFunction, own: &FaceCurves, n: u64, spread: Option<Spread>) -> Self {
        let points = own.data().len() as f64 / 3.0;
        let expected = RECORD_SPREAD * RECORD_SPREAD;
        let square = spread.map(|spread| spread.towards(expected, SPREAD_DOUBT));
        let error = released.mean_square_error(own.data().len() / 3);
        let moved: f64 = released.samples.iter().zip(own.data()).map(|(a, b)| (a - b).powi(2)).sum();
        Self::from_squares(error, moved / points, square, n)
    }

    /// From mean squares: the release's expected error, its distance from the template, and the records' spread about their mean where it
    /// is told.
    pub(super) fn from_squares(error: f64, moved: f64, spread: Option<f64>, n: u64) -> Self {
        // The mean is the release and its error; so far it lies from the template.
        let template = moved + error;
        Self {
            rms: error.sqrt(),
            template_rms: template.sqrt(),
            sampling_rms: (spread.unwrap_or(RECORD_SPREAD * RECORD_SPREAD) / n as f64).sqrt(),
            data_share: if template > 0.0 { (1.0 - error / template).clamp(0.0, 1.0) } else { 0.0 },
            rms_mm: None,
        }
    }

    /// Whether the release says hardly more than the template does.
    pub fn is_mostly_template(&self) -> bool {
        self.data_share < 0.5
    }
}
