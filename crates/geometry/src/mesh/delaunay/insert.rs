//! Putting a single point into a triangle list, or onto its border.

use super::super::neighbours::Neighbours;
use super::super::{Point, Vector};

/// The triangles about every vertex, kept as triangles come and change.
pub(crate) struct About {
    /// With triangles among them that have left the vertex.
    of: Vec<Vec<u32>>,
}

impl About {
    /// Of these triangles on `n` vertices.
    pub fn new(triangles: &[[usize; 3]], n: usize) -> Self {
        let mut about = Self { of: vec![Vec::new(); n] };
        (0..triangles.len()).for_each(|t| about.note(triangles, t));
        about
    }

    /// Takes notice of a triangle that is new or has new corners.
    fn note(&mut self, triangles: &[[usize; 3]], t: usize) {
        triangles[t].iter().for_each(|&v| self.of[v].push(t as u32));
    }

    /// The triangles with a corner among these vertices, rising.
    fn around(&self, triangles: &[[usize; 3]], vertices: &[usize]) -> Vec<usize> {
        let all = vertices.iter().flat_map(|&v| self.of[v].iter().map(move |&t| (t as usize, v)));
        let mut out: Vec<usize> = all.filter(|&(t, v)| triangles[t].contains(&v)).map(|(t, _)| t).collect();
        out.sort_unstable();
        out.dedup();
        out
    }
}

/// Splits the triangle under point `v` in three, or, where the point lies beyond the border, joins it to the
/// nearest border side. Returns the numbers of the triangles touched; none when no used vertex is near.
pub(crate) fn insert_point(
    points: &[Point],
    normals: &[Vector],
    neighbours: &Neighbours,
    triangles: &mut Vec<[usize; 3]>,
    about: &mut About,
    used: &[bool],
    v: usize,
) -> Vec<usize> {
    let touched = joined(points, normals, neighbours, triangles, about, used, v);
    touched.iter().for_each(|&t| about.note(triangles, t));
    touched
}

fn joined(
    points: &[Point],
    normals: &[Vector],
    neighbours: &Neighbours,
    triangles: &mut Vec<[usize; 3]>,
    about: &About,
    used: &[bool],
    v: usize,
) -> Vec<usize> {
    let near: Vec<usize> =
        neighbours.of(v).iter().map(|&u| u as usize).filter(|&u| used[u]).take(6).collect();
    let around = about.around(triangles, &near);
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
