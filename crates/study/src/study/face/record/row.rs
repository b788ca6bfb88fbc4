//! What is known of one scan, for the data holder only.

use super::measured::Measured;
use crate::surface::registration::{Bijectivity, Measure};
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::time::Instant;

/// The stages a scan goes through, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScanStage {
    /// Reading the file.
    Read,
    /// Finding pose and nose tip.
    Pose,
    /// Meshing a bare point cloud.
    Mesh,
    /// Repairing the topology to a disk.
    Repair,
    /// A disk-conformal map, where the registration needs one.
    Flatten,
    /// Registration to the template.
    Register,
    /// Curves, centring, unit area.
    Curves,
}

impl ScanStage {
    /// How many there are.
    pub const COUNT: usize = Self::NAMES.len();
    /// The stages' names in tables, in order.
    pub const NAMES: [&'static str; 7] = ["read", "pose", "mesh", "repair", "flatten", "register", "curves"];

    /// The stage's name in tables.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

/// Why a scan gave no curves: at which stage, and what to do.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{}: {reason}", stage.name())]
pub struct RecordError {
    /// Where it stopped.
    pub stage: ScanStage,
    /// One line: what was wrong and what to do.
    pub reason: String,
}

impl RecordError {
    /// Of an error at a stage, on one line.
    pub(super) fn new(stage: ScanStage, error: impl Display) -> Self {
        Self { stage, reason: error.to_string().split_whitespace().collect::<Vec<_>>().join(" ") }
    }
}

/// What is known of one scan.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ScanRow {
    /// The scan's file name.
    pub scan: String,
    /// Empty when the scan was processed; otherwise why not.
    pub problem: String,
    /// Number of points in the file.
    pub points: usize,
    /// Whether the file had triangles of its own.
    pub was_mesh: bool,
    /// The repairs the topology needed, and what was left out, in words.
    pub repairs: String,
    /// Where the nose tip is from: "found", "landmark" for one of a landmark file, "landmark in RAS" for one that was turned.
    #[serde(default)]
    pub nose: String,
    /// Misfit of the pose (see [`Pose`](crate::mesh::Pose)).
    pub pose_misfit: Option<f64>,
    /// Steps the registration took on its finest level.
    pub steps: usize,
    /// What the method of registration tells, by the [column](Measure::column) of the measure.
    pub measured: Measured,
    /// Share of the registered vertices that lie where there is scan; elsewhere the surface was continued.
    pub on_scan: f64,
    /// Root-mean-square distance of those to the scan, in units of the template.
    pub distance_to_scan: f64,
    /// Smallest Jacobian determinant of the registration (must be positive).
    pub min_jacobian: f64,
    /// Whether the registration is one to one, triangle by triangle; `None` where the scan could not be flattened.
    #[serde(default)]
    pub one_to_one: Option<OneToOne>,
    /// Root-mean-square deviation of the curves from the template's, in units of √area.
    pub deviation: Option<f64>,
    /// Square root of the registered surface's area, in the scan's units.
    #[serde(default)]
    pub size: Option<f64>,
    /// Seconds by [`ScanStage`].
    pub seconds: [f64; ScanStage::COUNT],
}

/// What became of the template's triangles that lie on a scan (see [`Bijectivity`]).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct OneToOne {
    /// Triangles with all three corners on the scan, not in holes that were filled.
    pub covered: usize,
    /// Of these, turned over on the scan or in its disk chart: 0 for a registration that is one to one.
    pub turned: usize,
    /// Smallest Jacobian determinant on the surface, relative to the mean.
    pub least_on_surface: f64,
    /// And from the template's disk to the scan's.
    pub least_in_disk: f64,
}

impl From<&Bijectivity> for OneToOne {
    fn from(found: &Bijectivity) -> Self {
        Self {
            covered: found.covered,
            turned: found.turned.len(),
            least_on_surface: found.min_surface,
            least_in_disk: found.min_chart,
        }
    }
}

/// Below this share on the scan it is said how much was filled in.
const NOTED_ON_SCAN: f64 = 0.75;

impl ScanRow {
    /// Which share of a face that can be used was filled in, where that is more than rims and small holes.
    pub(in crate::study::face) fn filled(&self) -> Option<f64> {
        self.is_ok().then_some(if self.on_scan < NOTED_ON_SCAN { 1.0 - self.on_scan } else { 0.0 })
    }

    /// Of a scan nothing is known of yet.
    pub fn named(scan: String) -> Self {
        Self { scan, ..Self::default() }
    }

    /// Whether the scan gave curves.
    pub fn is_ok(&self) -> bool {
        self.problem.is_empty()
    }

    /// The value of a measure; `None` where the method that registered this scan has no such.
    pub fn measure(&self, measure: &Measure) -> Option<f64> {
        self.measured.get(measure.column)
    }

    /// Does the work of a stage, adds its seconds to the row, and names the stage an error came from.
    pub(super) fn timed<T, E: Display>(
        &mut self,
        stage: ScanStage,
        work: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, RecordError> {
        let start = Instant::now();
        let result = work();
        self.seconds[stage as usize] += start.elapsed().as_secs_f64();
        result.map_err(|e| RecordError::new(stage, e))
    }
}
