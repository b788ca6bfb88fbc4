//! Filling a region with triangles on its rim and on loose points inside it.

use super::super::edges::{EdgeTable, side_ends};
use super::super::neighbours::Neighbours;
use super::super::{Point, Vector};
use crate::numeric::{SparseCholesky, SymmetricBuilder};
use nalgebra::DMatrix;
use spade::{DelaunayTriangulation, HasPosition, Point2, Triangulation};
use std::collections::HashMap;
use std::f64::consts::TAU;

/// How many neighbours of each point join the graph.
const GRAPH: usize = 8;

struct Placed {
    at: Point2<f64>,
    index: usize,
}

impl HasPosition for Placed {
    type Scalar = f64;
    fn position(&self) -> Point2<f64> {
        self.at
    }
}

/// Triangles of a disk whose border is `rim` (the region on its left) and whose inner vertices are `loose`:
/// meshless parameterization (Floater and Reimers 2001) with the rim on the unit circle by arc length, each
/// loose point at a convex combination of its neighbours, then Delaunay in that plane.
///
/// Points that fall on the same place of the plane are left out of the triangles. A chord between rim vertices
/// for which `is_edge` holds is flipped away where the plane allows. `None` when the loose points are not all
/// linked to the rim, or nothing can be made of them.
pub(crate) fn fill_region(
    points: &[Point],
    normals: &[Vector],
    neighbours: &Neighbours,
    rim: &[usize],
    loose: &[usize],
    is_edge: &dyn Fn(usize, usize) -> bool,
) -> Option<Vec<[usize; 3]>> {
    let mut placed = on_circle(points, rim);
    placed.extend(convex_combinations(points, normals, neighbours, rim, loose, &placed)?);
    let elements = placed.iter().enumerate().map(|(index, &at)| Placed { at, index });
    let plane = DelaunayTriangulation::<Placed>::bulk_load(elements.collect()).ok()?;
    let mut triangles: Vec<[usize; 3]> =
        plane.inner_faces().map(|f| f.vertices().map(|v| v.data().index)).collect();
    let region: Vec<usize> = rim.iter().chain(loose).copied().collect();
    let n_rim = rim.len();
    let is_taken = |[a, b]: [usize; 2]| {
        b < n_rim && b - a != 1 && !(a == 0 && b == n_rim - 1) && is_edge(region[a], region[b])
    };
    flip_away(&placed, &mut triangles, &is_taken);
    Some(triangles.into_iter().map(|t| t.map(|v| region[v])).collect())
}

/// Flips edges (ends in rising order) for which `is_taken` holds, where the two triangles make a convex
/// quadrilateral and the other diagonal is free.
fn flip_away(placed: &[Point2<f64>], triangles: &mut [[usize; 3]], is_taken: &dyn Fn([usize; 2]) -> bool) {
    let turn = |a: usize, b: usize, c: usize| {
        let (p, q, r) = (placed[a], placed[b], placed[c]);
        (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x)
    };
    for _ in 0..4 {
        let table = EdgeTable::new(triangles, placed.len());
        let mut touched = vec![false; triangles.len()];
        for edge in table.edges().iter().filter(|e| is_taken(e.ends)) {
            let &[s, o] = table.sides(edge) else { continue };
            let (t, u) = (s / 3, o / 3);
            let ([a, b], c, d) =
                (side_ends(triangles, s), triangles[t][(s + 2) % 3], triangles[u][(o + 2) % 3]);
            let is_convex = turn(c, d, b) > 0.0 && turn(d, c, a) > 0.0;
            if !touched[t] && !touched[u] && is_convex && !is_taken([c.min(d), c.max(d)]) {
                (triangles[t], triangles[u]) = ([c, d, b], [d, c, a]);
                (touched[t], touched[u]) = (true, true);
            }
        }
        if !touched.contains(&true) {
            return;
        }
    }
}

fn on_circle(points: &[Point], rim: &[usize]) -> Vec<Point2<f64>> {
    let step = |i: usize| (points[rim[(i + 1) % rim.len()]] - points[rim[i]]).norm();
    let total: f64 = (0..rim.len()).map(step).sum();
    let mut walked = 0.0;
    (0..rim.len())
        .map(|i| {
            // Half of each step by count keeps rim vertices apart where points nearly coincide.
            let share = 0.5 * walked / total + 0.5 * i as f64 / rim.len() as f64;
            walked += step(i);
            Point2::new((TAU * share).cos(), (TAU * share).sin())
        })
        .collect()
}

fn convex_combinations(
    points: &[Point],
    normals: &[Vector],
    neighbours: &Neighbours,
    rim: &[usize],
    loose: &[usize],
    circle: &[Point2<f64>],
) -> Option<Vec<Point2<f64>>> {
    if loose.is_empty() {
        return Some(Vec::new());
    }
    let m = rim.len();
    let region: Vec<usize> = rim.iter().chain(loose).copied().collect();
    let place_of: HashMap<usize, usize> = region.iter().enumerate().map(|(k, &v)| (v, k)).collect();
    let mut matrix = SymmetricBuilder::new(loose.len());
    let mut solution = DMatrix::zeros(loose.len(), 2);
    let mut halve = |k: usize, other: usize, weight: f64| {
        let Some(row) = k.checked_sub(m) else { return };
        matrix.add(row, row, weight);
        match other.checked_sub(m) {
            Some(column) if row > column => matrix.add(row, column, -weight),
            Some(_) => {}
            None => {
                solution[(row, 0)] += weight * circle[other].x;
                solution[(row, 1)] += weight * circle[other].y;
            }
        }
    };
    for (k, &v) in region.iter().enumerate() {
        for &u in neighbours.of(v).iter().take(GRAPH) {
            let u = u as usize;
            let Some(&other) = place_of.get(&u) else { continue };
            // Neighbours across a gap (opposite normals) pull little.
            let alike = normals[v].dot(&normals[u]).max(0.05);
            let weight = alike * alike / (points[u] - points[v]).norm_squared();
            halve(k, other, weight);
            halve(other, k, weight);
        }
    }
    SparseCholesky::new(&matrix.build()).ok()?.solve_in_place(&mut solution);
    // Points linked to two others only lie on the line between them, and points with the same links coincide:
    // a small step along a spiral keeps all apart, a smaller scale keeps them off the rim.
    let placed: Vec<Point2<f64>> = (0..loose.len())
        .map(|i| {
            let (sine, cosine) = (2.4 * i as f64).sin_cos();
            let off = |x: f64, step: f64| x * (1.0 - 1e-5) + 1e-7 * step;
            Point2::new(off(solution[(i, 0)], cosine), off(solution[(i, 1)], sine))
        })
        .collect();
    placed.iter().all(|p| p.x.is_finite() && p.y.is_finite()).then_some(placed)
}
