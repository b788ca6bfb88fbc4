//! What the registration is told.

use serde::{Deserialize, Serialize};

/// Settings of the elastic registration. Lengths in nominal millimetres: the template's √area is 180 of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct ElasticSettings {
    pub nodes: usize,
    pub symmetric: usize,
    pub asymmetric: usize,
    pub coarse_symmetric: usize,
    pub coarse_asymmetric: usize,
    pub shortest: f64,
    pub longest: f64,
    pub amplitude: f64,
    pub growth: f64,
    pub bend: f64,
    pub symmetry: f64,
    pub steps: usize,
    pub fine_steps: usize,
    pub sigma_first: f64,
    pub sigma_last: f64,
    pub reach_first: f64,
    pub reach_last: f64,
    pub normal_weight: f64,
    pub normal_least: f64,
    pub huber: f64,
    pub normal_mix: f64,
    pub exact: f64,
    pub mirror_fit: f64,
    pub backward: f64,
    pub curvature: f64,
    pub curvature_scale: f64,
    pub curvature_sd: f64,
    pub smooth: f64,
    pub finish_smooth: f64,
    pub area_weight: f64,
}

impl Default for ElasticSettings {
    fn default() -> Self {
        Self {
            nodes: 1800,
            symmetric: 150,
            asymmetric: 40,
            coarse_symmetric: 50,
            coarse_asymmetric: 12,
            shortest: 8.0,
            longest: 140.0,
            amplitude: 1.5,
            growth: 0.66,
            bend: 0.0,
            symmetry: 0.95,
            steps: 12,
            fine_steps: 4,
            sigma_first: 9.0,
            sigma_last: 2.0,
            reach_first: 25.0,
            reach_last: 6.0,
            normal_weight: 15.0,
            normal_least: 0.5,
            huber: 1.5,
            normal_mix: 0.0,
            exact: 0.0,
            mirror_fit: 1.0,
            backward: 0.0,
            curvature: 0.0,
            curvature_scale: 4.0,
            curvature_sd: 0.01,
            smooth: 0.0,
            finish_smooth: 0.05,
            area_weight: 0.0,
        }
    }
}
