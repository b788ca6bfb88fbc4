//! What the release of a mean face tells.

use super::accuracy::Accuracy;
use super::yardstick::Yardstick;
use crate::estimate::Band;
use crate::function::FaceCurves;
use crate::mechanism::functional::NoisedSize;
use crate::mesh::TriMesh;
use serde_json::Value;

/// A mean face.
#[derive(Debug, Clone)]
pub struct FoundFace {
    /// The private mean curves.
    pub curves: FaceCurves,
    /// How exact it is, from the release alone.
    pub accuracy: Accuracy,
    /// What one unit of the curves is in millimetres.
    pub yardstick: Yardstick,
    /// The surface through the curves.
    pub(super) mesh: TriMesh,
    /// The root-mean-square error at each vertex.
    pub(super) errors: Vec<f64>,
    /// The band for the population's mean, where the release was set for one.
    pub(super) band: Option<Band>,
    /// What the parts of a budget get, where a mechanism shares it out by itself.
    pub(super) budget_parts: Vec<(String, f64)>,
    /// The mean size, where it was asked for.
    pub(super) size: Option<NoisedSize>,
    /// What its certificate says beside it.
    pub(super) details: Vec<(String, Value)>,
}

impl FoundFace {
    /// Half the band's width, averaged over points and coordinates, where there is one.
    pub fn band_half_width(&self) -> Option<f64> {
        self.band.as_ref().map(Band::mean_half_width)
    }
}
