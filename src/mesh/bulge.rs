//! The side towards which an open surface bulges.

use super::edges::EdgeTable;
use super::{Point, Vector};

/// Six times the volume between the surface and the cone over its border from the border's middle; positive
/// when the surface bulges towards the side from which its triangles are counter-clockwise.
pub(crate) fn bulge(points: &[Point], triangles: &[[usize; 3]]) -> f64 {
    let table = EdgeTable::new(triangles, points.len());
    let (mut sum, mut count) = (Vector::zeros(), 0.0);
    for edge in table.edges().iter().filter(|e| table.sides(e).len() == 1) {
        sum += points[edge.ends[0]].coords + points[edge.ends[1]].coords;
        count += 2.0;
    }
    let middle = Point::from(sum / f64::max(count, 1.0));
    triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|v| points[v] - middle);
            a.dot(&b.cross(&c))
        })
        .sum()
}
