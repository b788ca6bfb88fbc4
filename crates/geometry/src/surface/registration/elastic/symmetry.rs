//! The mid-plane of the template.

use crate::mesh::{NearestPoint, Point, Similarity, TriMesh, Vector};
use nalgebra::{Matrix3, Rotation3};

const ROUNDS: usize = 8;
/// Share of pairs kept: the rest of a face may well be lopsided.
const KEPT: f64 = 0.8;

/// The rigid motion after which a nearly upright face is as symmetric about x = 0 as can be: trimmed Gauss–Newton on the
/// point-to-plane distances between the face and its mirror image.
pub fn to_mid_plane(mesh: &TriMesh) -> Similarity {
    let (x, normals) = (mesh.vertices(), mesh.vertex_normals());
    let Ok(tree) = NearestPoint::new(x.iter()) else { return Similarity::identity() };
    let mut plane = Plane { normal: Vector::x(), distance: 0.0 };
    for _ in 0..ROUNDS {
        let mut pairs: Vec<Pair> = (0..x.len())
            .filter_map(|i| {
                let image = x[i] - plane.normal * (2.0 * plane.height(&x[i]));
                let turned = normals[i] - plane.normal * (2.0 * plane.normal.dot(&normals[i]));
                let j = tree.find(&image).0;
                let gap = normals[j].dot(&(x[j] - image));
                (normals[j].dot(&turned) > 0.7).then(|| Pair { point: x[i], normal: normals[j], gap })
            })
            .collect();
        pairs.sort_by(|a, b| a.gap.abs().total_cmp(&b.gap.abs()));
        pairs.truncate((KEPT * pairs.len() as f64) as usize);
        match plane.improved(&pairs) {
            Some(next) => plane = next,
            None => break,
        }
    }
    let rotation =
        Rotation3::rotation_between(&plane.normal, &Vector::x()).unwrap_or_else(Rotation3::identity);
    Similarity { scale: 1.0, rotation, translation: Vector::new(-plane.distance, 0.0, 0.0) }
}

/// A point whose mirror image lies `gap` before a plane of the face with this normal.
struct Pair {
    point: Point,
    normal: Vector,
    gap: f64,
}

/// {p : n·p = d}.
struct Plane {
    normal: Vector,
    distance: f64,
}

impl Plane {
    fn height(&self, p: &Point) -> f64 {
        self.normal.dot(&p.coords) - self.distance
    }

    /// One Gauss–Newton step. The image p − 2 (n·p − d) n moves by −2 ((a·p − δ) n + (n·p − d) a) when n turns by a ⟂ n
    /// and d grows by δ.
    fn improved(&self, pairs: &[Pair]) -> Option<Self> {
        let n = self.normal;
        let first = n.cross(&Vector::y()).try_normalize(1e-9)?;
        let second = n.cross(&first);
        let (mut matrix, mut right) = (Matrix3::zeros(), Vector::zeros());
        for Pair { point, normal, gap } in pairs {
            let (across, height) = (normal.dot(&n), self.height(point));
            let turn = |a: &Vector| -2.0 * (a.dot(&point.coords) * across + height * normal.dot(a));
            let row = Vector::new(turn(&first), turn(&second), 2.0 * across);
            matrix += row * row.transpose();
            right += row * *gap;
        }
        let step = matrix.cholesky()?.solve(&right);
        let normal = (n + first * step[0] + second * step[1]).try_normalize(1e-9)?;
        Some(Self { normal, distance: self.distance + step[2] })
    }
}
