//! Sums over many matrices, eight at a time on vector instructions, in blocks of fixed size: the same on any number of threads.

use super::lockstep::{LANES, Lane};
use crate::manifold::rows::Batch;
use crate::manifold::weights::blocks;
use nalgebra::DMatrix;
use pulp::{Arch, Simd, WithSimd};
use visard_base::parallel;

/// A sum of something of each matrix.
pub(super) trait Eight: Sized {
    /// Adds eight (their numbers by columns), with their weights, but for those that are not fit for it; says which were. Those that were not, and lanes of weight 0,
    /// must leave no trace.
    fn add_eight<S: Simd>(&mut self, simd: S, matrices: &[&[f64]; LANES], weights: &Lane) -> [bool; LANES];

    /// Adds one, with care.
    fn add_alone(&mut self, matrix: &DMatrix<f64>, weight: f64);
}

/// Matrices of one order.
#[derive(Clone, Copy)]
pub(super) enum Matrices<'a> {
    Each(&'a [DMatrix<f64>]),
    /// Row by row, one matrix in each row of the batch.
    Rows(Batch<'a>),
}

impl Matrices<'_> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Each(points) => points.len(),
            Self::Rows(rows) => rows.rows(),
        }
    }

    /// The i-th by columns: where it is, or in `room`.
    fn columns<'a>(&'a self, i: usize, room: &'a mut Vec<f64>) -> &'a [f64] {
        match self {
            Self::Each(points) => points[i].as_slice(),
            Self::Rows(rows) => {
                let row = rows.get(i);
                let n = row.len().isqrt();
                room.clear();
                room.extend((0..n * n).map(|k| row[k % n * n + k / n]));
                room
            }
        }
    }
}

/// The sums of blocks of matrices, in their order.
pub(super) fn sums<E: Eight, R: Send>(
    points: Matrices<'_>,
    weights: Option<&[f64]>,
    empty: impl Fn() -> E + Sync,
    finish: impl Fn(E) -> R + Sync,
) -> Vec<R> {
    let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
    let block = |range: std::ops::Range<usize>| {
        let mut sums = empty();
        let mut rooms: [Vec<f64>; LANES] = Default::default();
        for start in range.clone().step_by(LANES) {
            let end = (start + LANES).min(range.end);
            let w: Lane = std::array::from_fn(|k| if start + k < end { weight(start + k) } else { 0.0 });
            let mut places = rooms.iter_mut().enumerate();
            let matrices = std::array::from_fn(|_| match places.next() {
                Some((k, room)) => points.columns((start + k).min(end - 1), room),
                None => &[],
            });
            let done = Arch::new().dispatch(Dispatched { sums: &mut sums, matrices, weights: w });
            for k in (0..end - start).filter(|k| !done[*k]) {
                let order = matrices[k].len().isqrt();
                sums.add_alone(&DMatrix::from_column_slice(order, order, matrices[k]), w[k]);
            }
        }
        finish(sums)
    };
    parallel::map_vec(blocks(points.len()), block)
}

/// Eight matrices to add, on the widest vectors there are.
struct Dispatched<'a, E> {
    sums: &'a mut E,
    matrices: [&'a [f64]; LANES],
    weights: Lane,
}

impl<E: Eight> WithSimd for Dispatched<'_, E> {
    type Output = [bool; LANES];

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> [bool; LANES] {
        self.sums.add_eight(simd, &self.matrices, &self.weights)
    }
}
