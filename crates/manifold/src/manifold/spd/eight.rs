//! Sums over many matrices, eight at a time on vector instructions, in blocks of fixed size: the same on any number of threads.

use super::lockstep::{LANES, Lane};
use crate::manifold::weights::blocks;
use nalgebra::DMatrix;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

/// A sum of something of each matrix.
pub(super) trait Eight: Sized {
    /// Adds eight, with their weights, but for those that are not fit for it; says which were. Those that were not, and lanes of weight 0,
    /// must leave no trace.
    fn add_eight<S: Simd>(
        &mut self,
        simd: S,
        matrices: &[&DMatrix<f64>; LANES],
        weights: &Lane,
    ) -> [bool; LANES];

    /// Adds one, with care.
    fn add_alone(&mut self, matrix: &DMatrix<f64>, weight: f64);
}

/// The sums of blocks of matrices, in their order.
pub(super) fn sums<E: Eight, R: Send>(
    points: &[DMatrix<f64>],
    weights: Option<&[f64]>,
    empty: impl Fn() -> E + Sync,
    finish: impl Fn(E) -> R + Sync,
) -> Vec<R> {
    let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
    let block = |range: std::ops::Range<usize>| {
        let mut sums = empty();
        for start in range.clone().step_by(LANES) {
            let end = (start + LANES).min(range.end);
            let eight: [usize; LANES] = std::array::from_fn(|k| (start + k).min(end - 1));
            let w: Lane = std::array::from_fn(|k| if start + k < end { weight(start + k) } else { 0.0 });
            let matrices = eight.map(|i| &points[i]);
            let done = Arch::new().dispatch(Dispatched { sums: &mut sums, matrices, weights: w });
            for k in (0..end - start).filter(|k| !done[*k]) {
                sums.add_alone(matrices[k], w[k]);
            }
        }
        finish(sums)
    };
    blocks(points.len()).into_par_iter().map(block).collect()
}

/// Eight matrices to add, on the widest vectors there are.
struct Dispatched<'a, E> {
    sums: &'a mut E,
    matrices: [&'a DMatrix<f64>; LANES],
    weights: Lane,
}

impl<E: Eight> WithSimd for Dispatched<'_, E> {
    type Output = [bool; LANES];

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> [bool; LANES] {
        self.sums.add_eight(simd, &self.matrices, &self.weights)
    }
}
