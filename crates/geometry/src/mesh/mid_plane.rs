//! The plane about which a shape is nearly its own mirror image.

use super::{Point, Vector};
use nalgebra::Matrix3;

const ROUNDS: usize = 8;
/// Share of pairs kept: the rest of a face may well be lopsided.
const KEPT: f64 = 0.8;
/// Cosine from which two normals face alike.
const ALIKE: f64 = 0.7;

/// {p : n·p = d}.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MidPlane {
    /// n, a unit vector.
    pub normal: Vector,
    /// d.
    pub distance: f64,
}

/// Points with unit normals.
pub(crate) struct Oriented<'a> {
    pub points: &'a [Point],
    pub normals: &'a [Vector],
    /// Whether the sides of the normals are known.
    pub has_sides: bool,
}

/// A point whose mirror image lies `gap` before a plane of the shape with this normal.
struct Pair {
    point: Point,
    normal: Vector,
    gap: f64,
}

impl MidPlane {
    /// How far a point lies from it, on the side of its normal.
    pub fn height(&self, p: &Point) -> f64 {
        self.normal.dot(&p.coords) - self.distance
    }

    /// The mirror image of a point.
    pub fn mirrored(&self, p: &Point) -> Point {
        p - self.normal * (2.0 * self.height(p))
    }

    /// The plane near this one about which a shape is as symmetric as can be: trimmed Gauss–Newton on the point-to-plane distances between the shape and
    /// its mirror image. `nearest`: the number of the nearest of its points.
    pub fn refined(self, shape: &Oriented<'_>, nearest: impl Fn(&Point) -> usize) -> Self {
        let Oriented { points, normals, has_sides } = *shape;
        let mut plane = self;
        for _ in 0..ROUNDS {
            let mut pairs: Vec<Pair> = (0..points.len())
                .filter_map(|i| {
                    let image = plane.mirrored(&points[i]);
                    let turned = normals[i] - plane.normal * (2.0 * plane.normal.dot(&normals[i]));
                    let j = nearest(&image);
                    let gap = normals[j].dot(&(points[j] - image));
                    let cosine = normals[j].dot(&turned);
                    let is_alike = if has_sides { cosine > ALIKE } else { cosine.abs() > ALIKE };
                    is_alike.then(|| Pair { point: points[i], normal: normals[j], gap })
                })
                .collect();
            pairs.sort_by(|a, b| a.gap.abs().total_cmp(&b.gap.abs()));
            pairs.truncate((KEPT * pairs.len() as f64) as usize);
            match plane.improved(&pairs) {
                Some(next) => plane = next,
                None => break,
            }
        }
        plane
    }

    /// One Gauss–Newton step. The image p − 2 (n·p − d) n moves by −2 ((a·p − δ) n + (n·p − d) a) when n turns by a ⟂ n
    /// and d grows by δ.
    fn improved(&self, pairs: &[Pair]) -> Option<Self> {
        let n = self.normal;
        let aside = if n.y.abs() < 0.99 { Vector::y() } else { Vector::x() };
        let first = n.cross(&aside).try_normalize(1e-9)?;
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
