//! Putting a single point into a triangle list, or onto its border.

use super::super::neighbours::Neighbours;
use super::super::{Point, Vector};

/// Splits the triangle under point `v` in three, or, where the point lies beyond the border, joins it to the
/// nearest border side. Returns the numbers of the triangles touched; none when no used vertex is near.
pub(crate) fn insert_point(
    points: &[Point],
    normals: &[Vector],
    neighbours: &Neighbours,
    triangles: &mut Vec<[usize; 3]>,
    used: &[bool],
    v: usize,
) -> Vec<usize> {
    let near: Vec<usize> =
        neighbours.of(v).iter().map(|&u| u as usize).filter(|&u| used[u]).take(6).collect();
    let around: Vec<usize> =
        (0..triangles.len()).filter(|&t| triangles[t].iter().any(|u| near.contains(u))).collect();
    let under = triangle_under(points, normals, triangles, &around, v);
    if let Some((t, true)) = under {
        return split(triangles, t, v);
    }
    if let Some([a, b]) = nearest_border_side(points, triangles, &around, &near, v) {
        triangles.push([b, a, v]);
        return vec![triangles.len() - 1];
    }
    // Inside the surface, but between the prisms over the triangles of a ridge.
    under.map_or_else(Vec::new, |(t, _)| split(triangles, t, v))
}

fn split(triangles: &mut Vec<[usize; 3]>, t: usize, v: usize) -> Vec<usize> {
    let [a, b, c] = triangles[t];
    triangles[t] = [a, b, v];
    triangles.extend([[b, c, v], [c, a, v]]);
    vec![t, triangles.len() - 2, triangles.len() - 1]
}

/// The triangle over which the point lies, nearest in height and direction, and true; where it lies over none,
/// the one it misses by least, and false.
fn triangle_under(
    points: &[Point],
    normals: &[Vector],
    triangles: &[[usize; 3]],
    around: &[usize],
    v: usize,
) -> Option<(usize, bool)> {
    let p = points[v];
    let mut best: Option<(bool, f64, usize)> = None;
    for &t in around {
        let [a, b, c] = triangles[t].map(|u| points[u]);
        let area_vector = (b - a).cross(&(c - a));
        let Some(unit) = area_vector.try_normalize(0.0) else { continue };
        let outside = [(a, b), (b, c), (c, a)]
            .iter()
            .map(|(from, to)| -(to - from).normalize().cross(&(p - from)).dot(&unit))
            .fold(0.0, f64::max);
        let height = (p - a).dot(&unit).abs() * (2.0 - unit.dot(&normals[v]));
        let rank = (outside > 0.0, outside + height);
        if best.is_none_or(|(out, far, _)| (rank.0, rank.1) < (out, far)) {
            best = Some((rank.0, rank.1, t));
        }
    }
    best.map(|(out, _, t)| (t, !out))
}

/// The border side (a, b) of a near triangle whose middle is nearest to the point. When there is none the
/// point is inside the surface but over no triangle; then nothing is done.
fn nearest_border_side(
    points: &[Point],
    triangles: &[[usize; 3]],
    around: &[usize],
    near: &[usize],
    v: usize,
) -> Option<[usize; 2]> {
    let sides = || around.iter().flat_map(|&t| (0..3).map(move |k| (t, k)));
    let ends = |(t, k): (usize, usize)| [triangles[t][k], triangles[t][(k + 1) % 3]];
    let mut best: Option<(f64, [usize; 2])> = None;
    for side in sides() {
        let [a, b] = ends(side);
        // All triangles at a near vertex are in `around`, so a missing opposite side means a border.
        if !(near.contains(&a) || near.contains(&b)) || sides().any(|other| ends(other) == [b, a]) {
            continue;
        }
        let distance = (points[v] - nalgebra::center(&points[a], &points[b])).norm();
        if best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, [a, b]));
        }
    }
    best.map(|(_, side)| side)
}
