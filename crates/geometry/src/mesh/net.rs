//! Surface nets (Gibson 1998): one vertex for every cell of a grid that a surface passes, one quad for every side of the grid that it crosses.

use super::{EdgeTable, Point, TriMesh, component_labels};
use std::collections::HashMap;

/// The surface where a field on the corners of a grid changes its sign, as vertices and triangles; it is negative inside, and triangles run
/// counter-clockwise as seen from outside where `at`, the place of a point of the grid, keeps the hand.
///
/// The surface is closed where the field is not negative on the outermost two layers of the grid. Where it is as narrow as a cell, edges with
/// more than two triangles are possible: look at the [`topology`](super::topology()).
#[doc(hidden)]
pub fn surface_net(
    [a, b, c]: [usize; 3],
    value: impl Fn([usize; 3]) -> f64,
    at: impl Fn([f64; 3]) -> Point,
) -> (Vec<Point>, Vec<[usize; 3]>) {
    let span = |n: usize| 0..n.saturating_sub(1);
    let cells = || span(a).flat_map(move |i| span(b).flat_map(move |j| span(c).map(move |k| [i, j, k])));
    let (mut number, mut vertices) = (HashMap::new(), Vec::new());
    for cell in cells() {
        if let Some(place) = middle(cell, &value) {
            number.insert(cell, vertices.len());
            vertices.push(at(place));
        }
    }
    let mut triangles = Vec::new();
    for at in cells() {
        for axis in 0..3 {
            let mut end = at;
            end[axis] += 1;
            let (from, to) = (value(at), value(end));
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            if (from < 0.0) == (to < 0.0) || at[u] == 0 || at[v] == 0 {
                continue;
            }
            let beside = |du: usize, dv: usize| {
                let mut cell = at;
                cell[u] -= du;
                cell[v] -= dv;
                number.get(&cell).copied()
            };
            let (Some(p), Some(q), Some(r), Some(s)) =
                (beside(1, 1), beside(0, 1), beside(0, 0), beside(1, 0))
            else {
                continue;
            };
            let quad = if from < 0.0 { [p, q, r, s] } else { [p, s, r, q] };
            triangles.extend(halves(quad, &vertices));
        }
    }
    (vertices, triangles)
}

/// The mean of where the surface meets the sides of a cell, in cells; `None` where it does not.
fn middle(cell: [usize; 3], value: impl Fn([usize; 3]) -> f64) -> Option<[f64; 3]> {
    // Most cells lie on one side.
    let inside = value(cell) < 0.0;
    let corner = |k: usize| [cell[0] + (k & 1), cell[1] + (k >> 1 & 1), cell[2] + (k >> 2)];
    if (1..8).all(|k| (value(corner(k)) < 0.0) == inside) {
        return None;
    }
    let (mut sum, mut count) = ([0.0; 3], 0.0);
    for axis in 0..3 {
        for corner in 0..4usize {
            let mut from = cell;
            from[(axis + 1) % 3] += corner & 1;
            from[(axis + 2) % 3] += corner >> 1;
            let mut to = from;
            to[axis] += 1;
            let (a, b) = (value(from), value(to));
            if (a < 0.0) != (b < 0.0) {
                let mut place = from.map(|x| x as f64);
                place[axis] += a / (a - b);
                (0..3).for_each(|k| sum[k] += place[k]);
                count += 1.0;
            }
        }
    }
    (count > 0.0).then(|| sum.map(|s| s / count))
}

/// A quad cut along its shorter diagonal.
fn halves([p, q, r, s]: [usize; 4], v: &[Point]) -> [[usize; 3]; 2] {
    if (v[p] - v[r]).norm_squared() <= (v[q] - v[s]).norm_squared() {
        [[p, q, r], [p, r, s]]
    } else {
        [[p, q, s], [q, r, s]]
    }
}

/// The piece with the most triangles, its vertices only.
#[doc(hidden)]
pub fn largest_piece(vertices: Vec<Point>, triangles: Vec<[usize; 3]>) -> TriMesh {
    let labels = component_labels(&triangles, &EdgeTable::new(&triangles, vertices.len()));
    let mut counts = vec![0usize; triangles.len()];
    labels.iter().for_each(|&l| counts[l] += 1);
    let most = (0..counts.len()).max_by_key(|&l| (counts[l], usize::MAX - l));
    let kept = triangles.iter().zip(&labels).filter(|(_, l)| Some(**l) == most).map(|(t, _)| *t);
    let mut number = vec![usize::MAX; vertices.len()];
    let mut places = Vec::new();
    let mut out = Vec::new();
    for t in kept {
        out.push(t.map(|i| {
            if number[i] == usize::MAX {
                number[i] = places.len();
                places.push(vertices[i]);
            }
            number[i]
        }));
    }
    TriMesh::from_checked(places, out)
}
