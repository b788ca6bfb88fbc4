//! Sums over the numbers of rows, eight rows side by side, on the widest vectors there are.

use super::Batch;
use super::elementary::{LANES, Lane};
use crate::manifold::error::ManifoldError;
use crate::manifold::space::MeanLog;
use crate::manifold::weights::total_weight;
use nalgebra::DVector;
use pulp::{Arch, Simd, WithSimd};
use visard_base::parallel;

/// How many numbers a row has; for a few the compiler knows it.
pub(super) trait Width: Copy + Send + Sync {
    /// That.
    fn get(self) -> usize;
    /// Whether the compiler knows it.
    const KNOWN: bool;
}

#[derive(Clone, Copy)]
struct Known<const W: usize>;
#[derive(Clone, Copy)]
struct Any(usize);

impl<const W: usize> Width for Known<W> {
    #[inline(always)]
    fn get(self) -> usize {
        W
    }
    const KNOWN: bool = true;
}

impl Width for Any {
    #[inline(always)]
    fn get(self) -> usize {
        self.0
    }
    const KNOWN: bool = false;
}

/// K sums over the places of two rows, from `from` on.
#[inline(always)]
pub(super) fn sums<W: Width, const K: usize>(
    width: W,
    from: usize,
    x: &[f64],
    y: &[f64],
    term: impl Fn(f64, f64) -> [f64; K],
) -> [f64; K] {
    let (x, y) = (&x[from..width.get()], &y[from..width.get()]);
    let mut total = [0.0; K];
    let mut done = 0;
    if !W::KNOWN {
        // Running sums apart, so that additions do not wait for one another.
        let mut four = [[0.0; 4]; K];
        for (x, y) in x.chunks_exact(4).zip(y.chunks_exact(4)) {
            for place in 0..4 {
                let terms = term(x[place], y[place]);
                for k in 0..K {
                    four[k][place] += terms[k];
                }
            }
        }
        total = four.map(|s| (s[0] + s[1]) + (s[2] + s[3]));
        done = x.len() & !3;
    }
    for (x, y) in x[done..].iter().zip(&y[done..]) {
        let terms = term(*x, *y);
        for k in 0..K {
            total[k] += terms[k];
        }
    }
    total
}

/// For each of eight rows, K numbers: lane by lane.
#[inline(always)]
pub(super) fn gather<const K: usize>(mut row: impl FnMut(usize) -> [f64; K]) -> [Lane; K] {
    let mut out = [[0.0; LANES]; K];
    (0..LANES).for_each(|lane| {
        for (out, number) in out.iter_mut().zip(row(lane)) {
            out[lane] = number;
        }
    });
    out
}

/// Spaces of vectors, eight pairs of rows at a time.
pub(super) trait Eights: Copy + Send + Sync {
    /// Numbers in a row.
    fn width(&self) -> usize;
    /// Whether these are points; for those that are none the caller asks [`Manifold::check`](crate::manifold::Manifold::check).
    fn are_points<S: Simd, W: Width>(&self, simd: S, w: W, p: [&[f64]; LANES]) -> bool;
    /// Distances.
    fn dists<S: Simd, W: Width>(&self, simd: S, w: W, p: [&[f64]; LANES], q: [&[f64]; LANES]) -> Lane;
    /// Coefficients of logarithms, and the squared distances. NaN for pairs without one.
    fn logs<S: Simd, W: Width>(&self, simd: S, w: W, p: [&[f64]; LANES], q: [&[f64]; LANES]) -> Coefficients;
    /// The logarithm from its coefficients.
    fn put_log<W: Width>(&self, w: W, of: [f64; 3], p: &[f64], q: &[f64], out: &mut [f64]);
    /// Exponentials of these rows of `out`; NaN for those that are left to [`Manifold::exp`](crate::manifold::Manifold::exp).
    fn exps<S: Simd, W: Width>(&self, simd: S, w: W, p: [&[f64]; LANES], v: [&[f64]; LANES], out: &mut [f64]);
    /// The mean of logarithms from what was summed: Σ w f (q + s p) and Σ w g.
    fn mean(&self, p: &[f64], sum: &mut [f64], rest: f64);
}

/// log_p(q) = f (q + s p) − g p, but for what its space adds, and its squared length.
pub(super) struct Coefficients {
    pub f: Lane,
    pub s: Lane,
    pub g: Lane,
    pub square: Lane,
}

/// What is done.
pub(super) enum Task<'a> {
    Check,
    Dist(Batch<'a>, &'a mut [f64]),
    Exp(Batch<'a>, &'a mut [f64]),
    Log(Batch<'a>, &'a mut [f64]),
    /// Weights; the sum, the rest and the squares.
    Mean(Option<&'a [f64]>, &'a mut [f64], &'a mut [f64; 2]),
}

struct Part<'a, E, W> {
    space: E,
    width: W,
    /// The first batch; of a mean the point and the points.
    p: Batch<'a>,
    points: Batch<'a>,
    task: Task<'a>,
}

impl<E: Eights, W: Width> WithSimd for Part<'_, E, W> {
    /// The first row that needs another look.
    type Output = Option<usize>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Option<usize> {
        let Self { space, width: w, p, points, task } = self;
        let n = w.get();
        match task {
            Task::Check => {
                let rows = p.rows();
                for start in (0..rows).step_by(LANES) {
                    if !space.are_points(simd, w, p.eight(start, rows)) {
                        return Some(start);
                    }
                }
            }
            Task::Dist(q, out) => {
                let rows = out.len();
                for (start, out) in (0..rows).step_by(LANES).zip(out.chunks_mut(LANES)) {
                    let found = space.dists(simd, w, p.eight(start, rows), q.eight(start, rows));
                    out.copy_from_slice(&found[..out.len()]);
                }
            }
            Task::Exp(v, out) => {
                let rows = out.len() / n;
                for (start, out) in (0..rows).step_by(LANES).zip(out.chunks_mut(LANES * n)) {
                    space.exps(simd, w, p.eight(start, rows), v.eight(start, rows), out);
                }
            }
            Task::Log(q, out) => {
                let rows = out.len() / n;
                for (start, out) in (0..rows).step_by(LANES).zip(out.chunks_mut(LANES * n)) {
                    let (ps, qs) = (p.eight(start, rows), q.eight(start, rows));
                    let found = space.logs(simd, w, ps, qs);
                    for (l, out) in out.chunks_exact_mut(n).enumerate() {
                        if found.f[l].is_nan() {
                            return Some(start + l);
                        }
                        space.put_log(w, [found.f[l], found.s[l], found.g[l]], ps[l], qs[l], out);
                    }
                }
            }
            Task::Mean(weights, sum, rest) => {
                let rows = points.rows();
                for start in (0..rows).step_by(LANES) {
                    let (ps, qs) = ([p.row(0); LANES], points.eight(start, rows));
                    let found = space.logs(simd, w, ps, qs);
                    for (l, q) in qs.iter().enumerate().take(rows - start) {
                        if found.f[l].is_nan() {
                            return Some(start + l);
                        }
                        let weight = weights.map_or(1.0, |w| w[start + l]);
                        let f = weight * found.f[l];
                        for ((sum, q), p) in sum[..n].iter_mut().zip(&q[..n]).zip(&ps[0][..n]) {
                            *sum += f * (q + found.s[l] * p);
                        }
                        rest[0] += weight * found.g[l];
                        rest[1] += weight * found.square[l];
                    }
                }
            }
        }
        None
    }
}

pub(super) fn run<E: Eights>(space: E, p: Batch<'_>, points: Batch<'_>, task: Task<'_>) -> Option<usize> {
    let arch = Arch::new();
    match space.width() {
        2 => arch.dispatch(Part { space, width: Known::<2>, p, points, task }),
        3 => arch.dispatch(Part { space, width: Known::<3>, p, points, task }),
        4 => arch.dispatch(Part { space, width: Known::<4>, p, points, task }),
        width => arch.dispatch(Part { space, width: Any(width), p, points, task }),
    }
}

/// Rows a thread takes at a time where logarithms are averaged: in an order of its own, the same on any number of threads.
const BLOCK: usize = 512;

/// The mean of logarithms.
pub(super) fn mean_log<E: Eights>(
    space: E,
    name: &'static str,
    p: &[f64],
    points: Batch<'_>,
    weights: Option<&[f64]>,
) -> Result<MeanLog<DVector<f64>>, ManifoldError> {
    let total = total_weight(points.rows(), weights)?;
    let n = space.width();
    let blocks: Vec<_> =
        (0..points.rows()).step_by(BLOCK).map(|start| start..(start + BLOCK).min(points.rows())).collect();
    let block = |rows: std::ops::Range<usize>| {
        let (mut sum, mut rest) = (vec![0.0; n], [0.0; 2]);
        let weights = weights.map(|w| &w[rows.clone()]);
        let part = Batch { one: false, ..points.part(rows) };
        match run(space, Batch::new(p, n), part, Task::Mean(weights, &mut sum, &mut rest)) {
            None => Ok((sum, rest)),
            Some(_) => Err(ManifoldError::CutLocus(name)),
        }
    };
    let parts: Vec<_> = if blocks.len() <= 4 {
        blocks.into_iter().map(block).collect()
    } else {
        parallel::map_vec(blocks, block)
    };
    let (mut log, mut rest) = (DVector::zeros(n), [0.0; 2]);
    for part in parts {
        let (sum, more) = part?;
        log.iter_mut().zip(sum).for_each(|(log, x)| *log += x);
        (0..2).for_each(|k| rest[k] += more[k]);
    }
    space.mean(p, log.as_mut_slice(), rest[0]);
    log /= total;
    Ok(MeanLog { log, mean_square: rest[1] / total })
}

/// Σ w x / Σ w of rows.
pub(super) fn ambient_mean(
    points: Batch<'_>,
    weights: Option<&[f64]>,
) -> Result<DVector<f64>, ManifoldError> {
    let total = total_weight(points.rows(), weights)?;
    let mut mean = DVector::zeros(points.width);
    for i in 0..points.rows() {
        let w = weights.map_or(1.0, |w| w[i]) / total;
        mean.iter_mut().zip(points.row(i)).for_each(|(m, x)| *m += w * x);
    }
    Ok(mean)
}

/// [`Rows`] of a space of vectors from its [`Eights`] and its [`Manifold`](crate::manifold::Manifold).
macro_rules! vector_rows {
    ($space:ty, $name:expr, $rough:expr) => {
        impl Rows for $space {
            fn width(&self) -> usize {
                Eights::width(self)
            }
            fn work(&self) -> usize {
                16 * (Eights::width(self) + 8)
            }
            fn check_part(&self, points: Batch<'_>) -> Result<(), RowError> {
                let Some(doubtful) = run(*self, points, points, Task::Check) else { return Ok(()) };
                for row in doubtful..points.rows() {
                    self.check(&self.of_row(points.row(row))).map_err(|error| RowError {
                        batch: 0,
                        row,
                        error,
                    })?;
                }
                Ok(())
            }
            fn dist_part(&self, p: Batch<'_>, q: Batch<'_>, out: &mut [f64]) {
                run(*self, p, q, Task::Dist(q, out));
            }
            fn exp_part(&self, p: Batch<'_>, v: Batch<'_>, out: &mut [f64]) {
                run(*self, p, v, Task::Exp(v, out));
                for (i, out) in out.chunks_exact_mut(Rows::width(self)).enumerate() {
                    if out[0].is_nan() {
                        let (p, v) = (self.of_row(p.row(i)), self.of_row(v.row(i)));
                        self.put_point(&self.exp(&p, &self.project_tangent(&p, &v)), out);
                    }
                }
            }
            fn log_part(&self, p: Batch<'_>, q: Batch<'_>, out: &mut [f64]) -> Result<(), RowError> {
                match run(*self, p, q, Task::Log(q, out)) {
                    None => Ok(()),
                    Some(row) => Err(RowError { batch: 1, row, error: ManifoldError::CutLocus($name) }),
                }
            }
        }

        impl MeanRows for $space {
            fn of_row(&self, row: &[f64]) -> DVector<f64> {
                DVector::from_row_slice(row)
            }
            fn put_point(&self, p: &DVector<f64>, row: &mut [f64]) {
                row.copy_from_slice(p.as_slice());
            }
            fn mean_log_rows(
                &self,
                p: &DVector<f64>,
                points: Batch<'_>,
                weights: Option<&[f64]>,
            ) -> Result<MeanLog<DVector<f64>>, ManifoldError> {
                mean_log(*self, $name, p.as_slice(), points, weights)
            }
            fn rough_mean_rows(
                &self,
                points: Batch<'_>,
                weights: Option<&[f64]>,
            ) -> Result<DVector<f64>, ManifoldError> {
                let mean = ambient_mean(points, weights)?;
                let first = || {
                    let first = weights.and_then(|w| w.iter().position(|w| *w > 0.0)).unwrap_or(0);
                    self.of_row(points.row(first))
                };
                Ok($rough(self, mean).unwrap_or_else(first))
            }
        }
    };
}
pub(super) use vector_rows;
