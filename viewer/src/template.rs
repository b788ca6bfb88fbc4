//! The built-in template, and which meshes have its triangles.

use crate::error::ViewerError;
use std::sync::Arc;
use visard::mesh::{Point, TriMesh, Vector, pose::nearest_rotation};
use visard::study::face::{TemplateSource, load_template};
use visard::surface::Template;
use visard::synth::builtin_template;

/// The built-in template, prepared once.
///
/// # Errors
/// [`ViewerError::NoTemplate`]; not met in practice.
pub fn template() -> Result<Arc<Template>, ViewerError> {
    Ok(load_template(&TemplateSource::Builtin).map_err(ViewerError::NoTemplate)?.template)
}

/// Whether a mesh has the built-in template's triangles, and so its vertices in its order.
pub fn is_templates(mesh: &TriMesh) -> bool {
    builtin_template().triangles() == mesh.triangles()
}

/// The built-in template's vertices moved by the similarity that brings them nearest to the mesh's; `None` for meshes of
/// other triangles.
pub fn fitted_template(mesh: &TriMesh) -> Option<Vec<Point>> {
    let builtin = builtin_template();
    if !is_templates(mesh) {
        return None;
    }
    let mean = |v: &[Point]| v.iter().map(|p| p.coords).sum::<Vector>() / v.len() as f64;
    let (from, to) = (mean(builtin.vertices()), mean(mesh.vertices()));
    let pairs =
        || builtin.vertices().iter().zip(mesh.vertices()).map(|(p, q)| (p.coords - from, q.coords - to));
    let cross = pairs().map(|(p, q)| q * p.transpose()).sum();
    let (rotation, _) = nearest_rotation(&cross)?;
    let (inner, square) =
        pairs().fold((0.0, 0.0), |(a, b), (p, q)| (a + q.dot(&(rotation * p)), b + p.norm_squared()));
    let scale = inner / square;
    Some(builtin.vertices().iter().map(|p| Point::from(to + rotation * (p.coords - from) * scale)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moved_and_scaled_template_is_at_no_distance_from_itself() {
        let builtin = builtin_template();
        let turn = nalgebra::Rotation3::from_euler_angles(0.3, -0.8, 0.2);
        let moved =
            builtin.vertices().iter().map(|p| turn * (p * 0.01) + Vector::new(3.0, -2.0, 1.0)).collect();
        let mesh = builtin.with_vertices(moved).unwrap();
        let fitted = fitted_template(&mesh).unwrap();
        let worst = fitted.iter().zip(mesh.vertices()).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        assert!(worst < 1e-9, "{worst}");
    }
}
