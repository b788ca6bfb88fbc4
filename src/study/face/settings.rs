//! What a face study is told before it reads a scan: all of it public.

use super::mean::{ClipChoice, FaceMechanism};
use crate::privacy::Mu;
use crate::study::LedgerChoice;
use std::path::PathBuf;

/// Where the public template comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplateSource {
    /// The built-in synthetic face.
    Builtin,
    /// A mesh file; its nose tip is found automatically.
    File(PathBuf),
}

/// How a scan is registered to the template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Registration {
    /// A similarity and a smooth displacement of the template; the scan may end anywhere.
    #[default]
    Elastic,
    /// Rotation and reparameterization of the disk under the SRNF metric, border to border.
    Srnf,
}

/// Everything a face study needs to know.
#[derive(Debug, Clone)]
pub struct FaceStudySettings {
    /// Scan files and folders of scans.
    pub inputs: Vec<PathBuf>,
    /// The study's folder.
    pub out: PathBuf,
    /// The public template.
    pub template: TemplateSource,
    /// Number of face radial curves J.
    pub curves: usize,
    /// Distinct samples on each curve, m.
    pub samples: usize,
    /// How scans are registered.
    pub registration: Registration,
    /// Busts are cropped to this distance from the nose tip, in units of the template (millimetres for the
    /// built-in one) after the template has been fitted to the scan; by default a little beyond the template's own
    /// farthest point.
    pub crop_radius: Option<f64>,
    /// Which mean is released.
    pub mechanism: FaceMechanism,
    /// Its budget; `None` only for [`FaceMechanism::None`].
    pub budget: Option<Mu>,
    /// Where the clip radius comes from.
    pub clip_radius: ClipChoice,
    /// Fixed noise seed: an experiment, not private.
    pub seed: Option<u64>,
    /// Which ledger is charged.
    pub ledger: LedgerChoice,
    /// Reuse finished records of an interrupted run.
    pub resume: bool,
    /// Replace a finished release.
    pub replace: bool,
}
