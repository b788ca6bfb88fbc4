//! The side towards which an open surface bulges.

use super::{Point, Vector};

/// Six times the volume between the surface and the cone over its border from the border's middle; positive when the
/// surface bulges towards the side from which its triangles are counter-clockwise.
pub(crate) fn bulge(points: &[Point], triangles: &[[usize; 3]], border: &[usize]) -> f64 {
    let sum: Vector = border.iter().map(|&v| points[v].coords).sum();
    let middle = Point::from(sum / f64::max(border.len() as f64, 1.0));
    triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|v| points[v] - middle);
            a.dot(&b.cross(&c))
        })
        .sum()
}
