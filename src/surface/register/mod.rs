//! Elastic registration: the template is moved onto a scan by a similarity and a smooth displacement.
//!
//! The displacement is a Gaussian random field with an analytic covariance ([`DisplacementKernel`]), conditioned on where
//! the scan is: Gauss–Newton on robust point-to-plane distances, from stiff to soft. Where the scan ends the field goes on
//! by itself, so a border may lie anywhere; that it lies a smooth depth inside the template's ([`BorderModel`]) is what is
//! known of the outskirts. Nothing is learned from scans, and one scan is registered without another.
//!
//! Sources: Lüthi et al. 2018 (Gaussian process morphable models, low-rank approximation); Chen and Medioni 1992
//! (point-to-plane distance); the estimates are those of ridge regression in a reproducing kernel Hilbert space.

mod basis;
mod border;
mod certificate;
mod control;
mod fit;
mod folds;
mod landing;
mod prepared;
mod settings;
mod symmetry;
mod target;
#[cfg(test)]
mod tests;

pub use certificate::{Bijectivity, certify, make_bijective};
pub use prepared::PreparedTemplate;
pub use settings::{BorderModel, DisplacementKernel, ElasticSettings};
pub(crate) use target::Finder;

use super::srnf::Registered;
use super::template::Template;
use crate::mesh::{DiskMesh, MeshError, Similarity};

/// Registers a scan to the template, starting from a pose (template to scan).
///
/// The positions lie on the scan where it covers the template, up to its noise; elsewhere they continue smoothly.
/// `energy` holds one trace: the root-mean-square distance to the matched planes before every step, in nominal
/// millimetres. `min_jacobian` is the smallest Jacobian determinant over the template's triangles, relative to the mean.
///
/// # Errors
/// [`MeshError::Degenerate`] when too little of the scan lies near the posed template, or either mesh has no extent.
pub fn register(
    scan: &DiskMesh,
    template: &Template,
    pose: &Similarity,
    settings: &ElasticSettings,
) -> Result<Registered, MeshError> {
    PreparedTemplate::new(template, settings)?.register(scan, pose)
}

impl PreparedTemplate {
    /// [`register`], without preparing the template again.
    ///
    /// # Errors
    /// As [`register`].
    pub fn register(&self, scan: &DiskMesh, pose: &Similarity) -> Result<Registered, MeshError> {
        let target = target::Target::new(scan, &self.frames(pose), self.settings())?;
        let fitted = fit::fit(self, &target)?;
        landing::land(self, &target, fitted)
    }
}
