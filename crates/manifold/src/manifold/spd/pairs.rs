//! Distances, logarithms and exponentials of many pairs of matrices, eight pairs side by side.

use super::lanes;
use super::lockstep::{LANES, Lane, Lockstep};
use crate::manifold::rows::Batch;
use pulp::{Arch, Simd, WithSimd};

/// What is asked of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ask {
    Dist,
    Exp,
    Log,
}

/// Which lanes are right; the others are done alone, with more care.
pub(super) type Fit = [bool; LANES];

/// Room for eight pairs of matrices of order n.
pub(super) struct Room {
    pub n: usize,
    /// Of the base point: itself, a factor or eigenvectors, the eigenvalues' logarithms or themselves, a function of it.
    pub p: Vec<Lane>,
    pub factor: Vec<Lane>,
    pub values: Vec<Lane>,
    pub own: Vec<Lane>,
    pub function: Vec<Lane>,
    /// The other matrix, whole, and room beside it.
    pub q: Vec<Lane>,
    pub half: Vec<Lane>,
    pub weights: Vec<Lane>,
    pub solver: Lockstep,
    /// What was found: the lower triangle of a matrix, or a distance.
    pub out: Vec<Lane>,
    pub dist: Lane,
}

impl Room {
    pub(super) fn new(n: usize) -> Self {
        let square = || vec![[0.0; LANES]; n * n];
        let line = || vec![[0.0; LANES]; n];
        Self {
            n,
            p: square(),
            factor: square(),
            values: line(),
            own: line(),
            function: square(),
            q: square(),
            half: square(),
            weights: line(),
            solver: Lockstep::new(n),
            out: square(),
            dist: [0.0; LANES],
        }
    }

    /// The smallest and the largest eigenvalue the solver found.
    #[inline(always)]
    pub(super) fn extremes(&self) -> (Lane, Lane) {
        let (mut smallest, mut largest) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
        for d in &self.solver.d {
            for l in 0..LANES {
                smallest[l] = smallest[l].min(d[l]);
                largest[l] = largest[l].max(d[l]);
            }
        }
        (smallest, largest)
    }
}

/// A metric's way with eight pairs.
pub(super) trait Metric: Copy + Send + Sync {
    /// What does not depend on the second matrix, from `room.p`.
    fn base<S: Simd>(self, simd: S, room: &mut Room, ask: Ask) -> Fit;
    /// What is asked, from `room.q`; `fit` are the lanes whose base is right.
    fn apply<S: Simd>(self, simd: S, room: &mut Room, ask: Ask, fit: Fit) -> Fit;
    /// One pair, with care: rows in, numbers out. Whether there was a result.
    fn alone(self, ask: Ask, p: &[f64], q: &[f64], out: &mut [f64]) -> bool;
}

struct Eight<'a, M> {
    metric: M,
    room: &'a mut Room,
    ask: Ask,
    p: Option<[&'a [f64]; LANES]>,
    q: [&'a [f64]; LANES],
    base: &'a mut Fit,
}

impl<M: Metric> WithSimd for Eight<'_, M> {
    type Output = Fit;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Fit {
        let n = self.room.n;
        if let Some(p) = self.p {
            lanes::load(n, &p, &mut self.room.p);
            *self.base = self.metric.base(simd, self.room, self.ask);
        }
        if self.ask == Ask::Exp {
            lanes::load_symmetric(n, &self.q, &mut self.room.q);
        } else {
            lanes::load(n, &self.q, &mut self.room.q);
        }
        self.metric.apply(simd, self.room, self.ask, *self.base)
    }
}

/// All pairs; the first row without a result, if there is one.
pub(super) fn pairs<M: Metric>(
    metric: M,
    n: usize,
    ask: Ask,
    p: Batch<'_>,
    q: Batch<'_>,
    out: &mut [f64],
) -> Option<usize> {
    let width = if ask == Ask::Dist { 1 } else { n * n };
    let rows = out.len() / width;
    let mut room = Room::new(n);
    let mut base = [false; LANES];
    for (start, out) in (0..rows).step_by(LANES).zip(out.chunks_mut(LANES * width)) {
        let (ps, qs) = (p.eight(start, rows), q.eight(start, rows));
        // A base point for all is looked at once.
        let new = start == 0 || !p.is_one();
        let task = Eight { metric, room: &mut room, ask, p: new.then_some(ps), q: qs, base: &mut base };
        let fit = Arch::new().dispatch(task);
        for (l, out) in out.chunks_exact_mut(width).enumerate() {
            if !fit[l] {
                if !metric.alone(ask, ps[l], qs[l], out) {
                    return Some(start + l);
                }
            } else if ask == Ask::Dist {
                out[0] = room.dist[l];
            } else {
                for j in 0..n {
                    for i in j..n {
                        let x = room.out[j * n + i][l];
                        out[i * n + j] = x;
                        out[j * n + i] = x;
                    }
                }
            }
        }
    }
    None
}

/// Which rows are positive definite beyond any doubt of rounding: finite, symmetric to the last bit or within 1e-8, of a condition so far
/// below 1/(kε) that [`is_positive_definite`](super::is_positive_definite) would say so too.
pub(super) fn plainly_positive_definite(n: usize, points: Batch<'_>, mut each: impl FnMut(usize, bool)) {
    let rows = points.rows();
    let mut room = Room::new(n);
    for start in (0..rows).step_by(LANES) {
        let matrices = points.eight(start, rows);
        let fit = Arch::new().dispatch(Plainly { room: &mut room, matrices });
        (0..LANES.min(rows - start)).for_each(|l| each(start + l, fit[l]));
    }
}

struct Plainly<'a> {
    room: &'a mut Room,
    matrices: [&'a [f64]; LANES],
}

/// The share of the condition's limit 1/(kε) that is left to rounding.
const MARGIN: f64 = 1e-3;

impl WithSimd for Plainly<'_> {
    type Output = Fit;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Fit {
        let Room { n, q, half, .. } = self.room;
        let n = *n;
        let (mut largest, mut unlike) = ([0.0_f64; LANES], [0.0_f64; LANES]);
        let mut trace = [0.0; LANES];
        for j in 0..n {
            for i in j..n {
                for l in 0..LANES {
                    let (x, y) = (self.matrices[l][i * n + j], self.matrices[l][j * n + i]);
                    largest[l] = largest[l].max(x.abs());
                    unlike[l] = unlike[l].max((x - y).abs());
                    q[j * n + i][l] = 0.5 * (x + y);
                    trace[l] += if i == j { x } else { 0.0 };
                }
            }
        }
        let mut fit = lanes::cholesky(simd, n, q);
        let inverse = lanes::inverse_square(simd, n, q, &mut half[..n]);
        for l in 0..LANES {
            // The trace and the inverse's bound the largest eigenvalue and the smallest. Not `>`: NaN does not fit.
            fit[l] &= unlike[l] <= 0.5e-8 * largest[l]
                && trace[l] * inverse[l] <= MARGIN / (n as f64 * f64::EPSILON)
                && trace[l].is_finite();
        }
        fit
    }
}
