//! How far the released face may lie from the mean without noise, point by point: worked out from the release alone.

use super::error::StudyError;
use crate::function::FaceCurves;
use crate::mesh::{TriMesh, Vector};
use crate::surface::Template;

/// Root-mean-square error of every vertex of a released face, in its units, from the expected squared errors of the samples of its
/// curves: noise, and what shrinkage may have taken away.
///
/// Errors of neighbouring samples are alike, so the surface's are interpolated between the curves, as the surface itself is.
pub(super) fn error_map(
    template: &Template,
    curves: &FaceCurves,
    errors: &[f64],
) -> Result<Vec<f64>, StudyError> {
    let roots = errors.chunks_exact(3).flat_map(|e| [e.iter().sum::<f64>().sqrt(), 0.0, 0.0]).collect();
    let roots = FaceCurves::new(curves.curves(), curves.samples(), roots)?;
    Ok(template.field_through(&roots).iter().map(|v| v.x.max(0.0)).collect())
}

/// The part along `normals` of the displacement from `from` to `to`, vertex by vertex.
pub(super) fn along_normals(to: &TriMesh, from: &TriMesh, normals: &[Vector]) -> Vec<f64> {
    to.vertices().iter().zip(from.vertices()).zip(normals).map(|((a, b), n)| (a - b).dot(n)).collect()
}
