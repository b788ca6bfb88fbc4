//! The mid-plane of the template.

use crate::mesh::{MidPlane, NearestPoint, Oriented, Similarity, TriMesh, Vector};
use nalgebra::Rotation3;

/// The rigid motion after which a nearly upright face is as symmetric about x = 0 as can be.
pub fn to_mid_plane(mesh: &TriMesh) -> Similarity {
    let points = mesh.vertices();
    let Ok(tree) = NearestPoint::new(points.iter()) else { return Similarity::identity() };
    let shape = Oriented { points, normals: &mesh.vertex_normals(), has_sides: true };
    let upright = MidPlane { normal: Vector::x(), distance: 0.0 };
    let plane = upright.refined(&shape, |p| tree.find(p).0);
    let rotation =
        Rotation3::rotation_between(&plane.normal, &Vector::x()).unwrap_or_else(Rotation3::identity);
    Similarity { scale: 1.0, rotation, translation: Vector::new(-plane.distance, 0.0, 0.0) }
}
