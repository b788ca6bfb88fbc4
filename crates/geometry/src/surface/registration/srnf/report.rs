//! What the registration under the SRNF metric tells of a scan.

use super::flatten::Flattened;
use crate::surface::registration::measure::{Measure, MeasureChart, Measures};
use crate::surface::registration::method::RegistrationReport;

/// How the registration of a flattened scan went.
#[derive(Debug, Clone, PartialEq)]
pub struct SrnfReport {
    /// ‖q₁ − R (q₂, γ)‖² before the first and after every accepted step, level by level (each level has its own
    /// discretization).
    pub energy: Vec<Vec<f64>>,
}

pub static MEASURES: Measures = Measures {
    all: &[ANGLE_DISTORTION, FLIPPED_TRIANGLES, ENERGY_START, ENERGY_END],
    left_over: &ENERGY_END,
};

const ANGLE_DISTORTION: Measure = Measure {
    note: "mean absolute difference of the angles between the scan and its disk map",
    chart: Some(MeasureChart {
        title: "Angle distortion of the disk maps",
        axis: "mean, degrees",
        caption: "A discrete conformal map of a smooth scan is within a few degrees.",
    }),
    ..Measure::new("angle_distortion_deg", "angle distortion", "\u{b0}", 3)
};

const FLIPPED_TRIANGLES: Measure = Measure {
    note: "of the scan's disk map, must be 0",
    ..Measure::new("flipped_triangles", "flipped triangles", "", 0)
};

const ENERGY_START: Measure =
    Measure { shown: false, ..Measure::new("energy_start", "energy before the first step", "", 6) };

const ENERGY_END: Measure = Measure {
    note: "squared distance of scan and template under the SRNF metric, on the finest level",
    chart: Some(MeasureChart {
        title: "Energy after registration",
        axis: "SRNF energy",
        caption: "Large values are worth a look.",
    }),
    ..Measure::new("energy_end", "energy", "", 6)
};

impl SrnfReport {
    /// What is told of the scan, its disk map included.
    pub(super) fn with_disk_map(self, flat: &Flattened) -> RegistrationReport {
        let finest = self.energy.last().map_or(&[][..], Vec::as_slice);
        let quality = &flat.quality;
        let measured = [
            (&ANGLE_DISTORTION, Some(quality.angle_distortion_deg.mean)),
            (&FLIPPED_TRIANGLES, Some(quality.flipped_triangles as f64)),
            (&ENERGY_START, finest.first().copied()),
            (&ENERGY_END, finest.last().copied()),
        ];
        RegistrationReport {
            steps: finest.len().saturating_sub(1),
            flatten_seconds: flat.seconds,
            note: None,
            measured: measured.into_iter().filter_map(|(m, value)| Some((m, value?))).collect(),
        }
    }
}
