//! The mid-plane of the template.

use crate::mesh::{NearestPoint, Point, Similarity, TriMesh, Vector};
use nalgebra::Rotation3;

/// The rigid motion after which the mesh is as symmetric about x = 0 as can be: closest points of the mirror image, trimmed.
pub fn to_mid_plane(mesh: &TriMesh) -> Similarity {
    let x = mesh.vertices();
    let Ok(tree) = NearestPoint::new(x.iter()) else { return Similarity::identity() };
    let normals = mesh.vertex_normals();
    // Plane {p : n·p = d}.
    let (mut n, mut d) = (Vector::x(), 0.0);
    for _ in 0..12 {
        let mut pairs: Vec<(f64, Point, Point)> = x
            .iter()
            .zip(&normals)
            .filter_map(|(p, m)| {
                let mirrored = p - n * (2.0 * (n.dot(&p.coords) - d));
                let turned = m - n * (2.0 * n.dot(m));
                let (j, _) = tree.find(&mirrored);
                let gap = normals[j].dot(&(x[j] - mirrored));
                // The foot on the tangent plane of the nearest vertex.
                (normals[j].dot(&turned) > 0.7).then(|| (gap.abs(), *p, mirrored + normals[j] * gap))
            })
            .collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        pairs.truncate(pairs.len() * 4 / 5);
        if pairs.len() < 10 {
            break;
        }
        let from: Vec<Point> = pairs.iter().map(|q| Point::new(-q.1.x, q.1.y, q.1.z)).collect();
        let to: Vec<Point> = pairs.iter().map(|q| q.2).collect();
        let Some(fit) = Similarity::fit(&from, &to, &vec![1.0; from.len()]) else { break };
        // The improper motion p ↦ R·diag(−1,1,1)·p + t; its mirror normal is the eigenvector of −1.
        let m = fit.rotation.matrix() * nalgebra::Matrix3::from_diagonal(&Vector::new(-1.0, 1.0, 1.0));
        let eigen = ((m + m.transpose()) * 0.5).symmetric_eigen();
        let lowest = eigen.eigenvalues.imin();
        let mut next: Vector = eigen.eigenvectors.column(lowest).into();
        if next.x < 0.0 {
            next = -next;
        }
        n = next.normalize();
        d = pairs.iter().map(|q| n.dot(&((q.1.coords + q.2.coords) * 0.5))).sum::<f64>() / pairs.len() as f64;
    }
    let rotation = Rotation3::rotation_between(&n, &Vector::x()).unwrap_or_else(Rotation3::identity);
    Similarity { scale: 1.0, rotation, translation: Vector::new(-d, 0.0, 0.0) }
}
