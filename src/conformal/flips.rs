//! Flipped triangles: found exactly, and undone by positive weights where they arise.

use super::disk_map::{Complex, ConformalError, DiskMap, Layout, spread};
use super::intrinsic::SideWeights;
use crate::mesh::TriMesh;
use crate::sparse::{SparseCholesky, SymmetricBuilder};
use nalgebra::DMatrix;
use robust::{Coord, orient2d};
use std::collections::HashMap;

/// The triangles whose image is not counter-clockwise (decided exactly).
pub fn flipped_triangles(mesh: &TriMesh, z: &[Complex]) -> Vec<usize> {
    let at = |i: usize| Coord { x: z[i].re, y: z[i].im };
    let counter_clockwise = |t: &[usize; 3]| orient2d(at(t[0]), at(t[1]), at(t[2])) > 0.0;
    mesh.triangles().iter().enumerate().filter(|(_, t)| !counter_clockwise(t)).map(|(k, _)| k).collect()
}

const ROUNDS: usize = 12;

/// Solves again with positive edge weights in a growing neighbourhood of the flipped triangles; with all weights
/// positive the map is one to one (Tutte 1963; Floater 1997).
pub(super) fn unflip(
    mesh: &TriMesh,
    layout: &Layout,
    weights: SideWeights,
    circle: &[Complex],
    mut flipped: Vec<usize>,
) -> Result<DiskMap, ConformalError> {
    let mut edges = edge_weights(mesh, &weights);
    let mut positive = vec![false; mesh.vertices().len()];
    for round in 0..ROUNDS {
        if round + 2 < ROUNDS {
            flipped.iter().for_each(|&t| mesh.triangles()[t].iter().for_each(|&i| positive[i] = true));
            (0..=round / 2).for_each(|_| grow(mesh, &mut positive));
        } else {
            positive.fill(true);
        }
        let uniform = round + 1 == ROUNDS;
        make_positive(mesh, &weights, &mut edges, &positive, uniform);
        let z = solve(layout, &edges, circle)?;
        flipped = flipped_triangles(mesh, &z);
        if flipped.is_empty() {
            return Ok(DiskMap { z });
        }
    }
    Err(ConformalError::Folded { count: flipped.len() })
}

type Edges = HashMap<(usize, usize), f64>;

fn key(i: usize, j: usize) -> (usize, usize) {
    (i.min(j), i.max(j))
}

fn edge_weights(mesh: &TriMesh, weights: &SideWeights) -> Edges {
    let mut edges = Edges::with_capacity(2 * mesh.triangles().len());
    for (t, w) in mesh.triangles().iter().zip(&weights.0) {
        for k in 0..3 {
            *edges.entry(key(t[(k + 1) % 3], t[(k + 2) % 3])).or_insert(0.0) += w[k];
        }
    }
    edges
}

fn grow(mesh: &TriMesh, marked: &mut [bool]) {
    let touched: Vec<usize> =
        mesh.triangles().iter().filter(|t| t.iter().any(|&i| marked[i])).flatten().copied().collect();
    touched.into_iter().for_each(|i| marked[i] = true);
}

/// Negative or tiny weights at marked vertices become a fraction of a typical one; all become one where `uniform`.
fn make_positive(mesh: &TriMesh, weights: &SideWeights, edges: &mut Edges, marked: &[bool], uniform: bool) {
    let mut sizes: Vec<f64> = weights.0.iter().flatten().map(|w| w.abs()).collect();
    let middle = sizes.len() / 2;
    let typical = *sizes.select_nth_unstable_by(middle, f64::total_cmp).1;
    let (low, high) = (0.05 * typical, 20.0 * typical);
    for t in mesh.triangles() {
        for k in 0..3 {
            let (i, j) = key(t[k], t[(k + 1) % 3]);
            if marked[i] || marked[j] {
                edges.entry((i, j)).and_modify(|w| *w = if uniform { 1.0 } else { w.clamp(low, high) });
            }
        }
    }
}

/// The harmonic map for the given edge weights and boundary.
fn solve(layout: &Layout, edges: &Edges, circle: &[Complex]) -> Result<Vec<Complex>, ConformalError> {
    let interior = layout.interior();
    let mut builder = SymmetricBuilder::new(interior);
    let mut columns = DMatrix::zeros(interior, 2);
    let mut list: Vec<_> = edges.iter().map(|(&(i, j), &w)| (layout.place[i], layout.place[j], w)).collect();
    list.sort_by_key(|&(i, j, _)| (i, j));
    for (i, j, w) in list {
        for (a, b) in [(i, j), (j, i)] {
            if a < interior {
                builder.add(a, a, w);
                if b >= interior {
                    columns[(a, 0)] += w * circle[b - interior].re;
                    columns[(a, 1)] += w * circle[b - interior].im;
                }
            }
        }
        if i < interior && j < interior {
            builder.add(i, j, -w);
        }
    }
    if interior > 0 {
        SparseCholesky::new(&builder.build())?.solve_in_place(&mut columns);
    }
    Ok(spread(layout, circle, |p| Complex::new(columns[(p, 0)], columns[(p, 1)])))
}
