//! Elastic registration: the template is moved onto the scan by a similarity and a smooth displacement.
//!
//! The displacement is a Gaussian random field with an analytic kernel ([`prior`]) conditioned on closest points of the scan
//! (Gauss–Newton on point-to-plane distances, stiff to soft); where the scan ends the field goes on by itself.

mod control;
mod finish;
mod fit;
mod prior;
mod scan;
mod settings;
mod symmetry;

pub use settings::ElasticSettings;

use super::srnf::Registered;
use super::template::Template;
use crate::mesh::{DiskMesh, MeshError, Similarity};

pub use prior::Prepared;

/// Registers.
///
/// # Errors
/// [`MeshError`].
pub fn register(
    scan: &DiskMesh,
    template: &Template,
    pose: &Similarity,
    settings: &ElasticSettings,
) -> Result<Registered, MeshError> {
    let prepared = Prepared::new(template, settings)?;
    register_prepared(scan, template, &prepared, pose, settings)
}

/// Registers with a prepared prior.
///
/// # Errors
/// [`MeshError`].
pub fn register_prepared(
    scan: &DiskMesh,
    template: &Template,
    prepared: &Prepared,
    pose: &Similarity,
    settings: &ElasticSettings,
) -> Result<Registered, MeshError> {
    let target = scan::Target::new(scan, &prepared.to_work(pose), settings)?;
    let fitted = fit::fit(prepared, &target, settings)?;
    finish::finish(template, prepared, &target, &fitted, settings)
}
