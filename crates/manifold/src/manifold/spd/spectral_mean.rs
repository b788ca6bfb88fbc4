//! Means of functions of symmetric matrices, f(BᵀQB) − S, eight at a time.

use super::eight::{Eight, Matrices, sums};
use super::lockstep::{LANES, Lane, Lockstep, columns};
use crate::manifold::error::ManifoldError;
use crate::manifold::weights::total_weight;
use nalgebra::DMatrix;
use pulp::Simd;

/// What is averaged of one matrix, and its squared distance.
pub(super) type Alone<'a> = &'a (dyn Fn(&DMatrix<f64>) -> (DMatrix<f64>, f64) + Sync);

/// What is averaged over matrices Q, and what is done with those that are not fit for the quick way.
pub(super) struct SpectralMean<'a> {
    /// B; the identity if `None`.
    pub congruence: Option<&'a DMatrix<f64>>,
    /// f, of the eigenvalues.
    pub function: fn(f64) -> f64,
    /// S.
    pub shift: &'a DMatrix<f64>,
    /// Weights of the squares of the entries of D = f(BᵀQB) − S in the squared distance.
    pub metric: &'a DMatrix<f64>,
    /// A matrix whose smallest eigenvalue is not larger than this share of the largest is done alone.
    pub spread: f64,
    /// The careful way: what is averaged, and the squared distance.
    pub alone: Alone<'a>,
}

/// Weighted means, each over all matrices: of D, of what was found alone, and of the squared distance.
pub(super) struct Means {
    pub quick: DMatrix<f64>,
    pub alone: DMatrix<f64>,
    pub square: f64,
}

impl SpectralMean<'_> {
    /// Over these matrices.
    ///
    /// # Errors
    /// No matrices, weights that do not fit, a matrix without such a function.
    pub(super) fn of(&self, points: Matrices<'_>, weights: Option<&[f64]>) -> Result<Means, ManifoldError> {
        let total = total_weight(points.len(), weights)?;
        let n = self.shift.nrows();
        let zero = || DMatrix::zeros(n, n);
        let mut means = Means { quick: zero(), alone: zero(), square: 0.0 };
        for part in sums(points, weights, || Sums::new(self), Sums::finish) {
            means.quick += part.quick;
            means.alone += part.alone;
            means.square += part.square;
        }
        if !means.square.is_finite() {
            return Err(ManifoldError::NotFinite(super::matrix::NAME));
        }
        means.quick /= total;
        means.alone /= total;
        means.square /= total;
        Ok(means)
    }
}

/// Running sums.
struct Sums<'a> {
    of: &'a SpectralMean<'a>,
    n: usize,
    /// −B by columns.
    negative: Option<Vec<f64>>,
    solver: Lockstep,
    /// The matrices by columns, Q B, and D.
    loaded: Vec<Lane>,
    half: Vec<Lane>,
    difference: Vec<Lane>,
    /// Lower triangle of the sum of D by columns, and the squared distances.
    sum: Vec<Lane>,
    square: Lane,
    alone: DMatrix<f64>,
    alone_square: f64,
}

impl<'a> Sums<'a> {
    fn new(of: &'a SpectralMean<'a>) -> Self {
        let n = of.shift.nrows();
        let zeros = || vec![[0.0; LANES]; n * n];
        Self {
            of,
            n,
            negative: of.congruence.map(|b| b.iter().map(|x| -x).collect()),
            solver: Lockstep::new(n),
            loaded: zeros(),
            half: zeros(),
            difference: zeros(),
            sum: zeros(),
            square: [0.0; LANES],
            alone: DMatrix::zeros(n, n),
            alone_square: 0.0,
        }
    }

    fn finish(self) -> Means {
        let n = self.n;
        let total = |lane: &Lane| lane.iter().sum::<f64>();
        Means {
            quick: DMatrix::from_fn(n, n, |i, j| total(&self.sum[i.min(j) * n + i.max(j)])),
            alone: self.alone,
            square: total(&self.square) + self.alone_square,
        }
    }

    /// The lower triangles of BᵀQB into the solver.
    #[inline(always)]
    fn load<S: Simd>(&mut self, simd: S, columns: &[&[f64]; LANES]) {
        let n = self.n;
        let into = if self.negative.is_some() { &mut self.loaded } else { &mut self.solver.a };
        for (k, x) in into.iter_mut().enumerate() {
            for l in 0..LANES {
                x[l] = columns[l][k];
            }
        }
        let Some(negative) = &self.negative else { return };
        for j in 0..n {
            let b = &negative[j * n..(j + 1) * n];
            for i in 0..n {
                let mut x = [0.0; LANES];
                columns::subtract_combination(simd, b, &self.loaded[i..], n, &mut x);
                self.half[j * n + i] = x;
            }
        }
        for j in 0..n {
            for i in j..n {
                let mut x = [0.0; LANES];
                let b = &negative[i * n..(i + 1) * n];
                columns::subtract_combination(simd, b, &self.half[j * n..(j + 1) * n], 1, &mut x);
                self.solver.a[j * n + i] = x;
            }
        }
    }

    /// D of the lanes that are fit, from the solver.
    #[inline(always)]
    fn differences<S: Simd>(&mut self, simd: S, fit: &[bool; LANES]) {
        let n = self.n;
        for (x, s) in self.difference.iter_mut().zip(self.of.shift.as_slice()) {
            *x = [-s; LANES];
        }
        for k in 0..n {
            let mut value = [0.0; LANES];
            for l in 0..LANES {
                value[l] = if fit[l] { (self.of.function)(self.solver.d[k][l]) } else { 0.0 };
            }
            let column = &self.solver.z[k * n..(k + 1) * n];
            for j in 0..n {
                let mut scaled = [0.0; LANES];
                for l in 0..LANES {
                    scaled[l] = if fit[l] { value[l] * column[j][l] } else { 0.0 };
                }
                columns::axpy(simd, &scaled, &column[j..], &mut self.difference[j * n + j..(j + 1) * n]);
            }
        }
    }
}

impl Eight for Sums<'_> {
    #[inline(always)]
    fn add_eight<S: Simd>(&mut self, simd: S, matrices: &[&[f64]; LANES], weights: &Lane) -> [bool; LANES] {
        let n = self.n;
        self.load(simd, matrices);
        let mut fit = self.solver.solve(simd);
        let (mut smallest, mut largest) = ([f64::INFINITY; LANES], [0.0_f64; LANES]);
        for d in &self.solver.d {
            for l in 0..LANES {
                smallest[l] = smallest[l].min(d[l]);
                largest[l] = largest[l].max(d[l]);
            }
        }
        for l in 0..LANES {
            fit[l] &= smallest[l] > self.of.spread * largest[l];
        }
        self.differences(simd, &fit);
        let metric = self.of.metric.as_slice();
        for j in 0..n {
            for i in j..n {
                let (x, place) = (&self.difference[j * n + i], j * n + i);
                let double = if i == j { metric[place] } else { metric[place] + metric[i * n + j] };
                for l in 0..LANES {
                    // What is not fit may be no number.
                    let w = if fit[l] { weights[l] * x[l] } else { 0.0 };
                    self.sum[place][l] += w;
                    self.square[l] += if fit[l] { double * w * x[l] } else { 0.0 };
                }
            }
        }
        fit
    }

    fn add_alone(&mut self, matrix: &DMatrix<f64>, weight: f64) {
        let (found, square) = (self.of.alone)(matrix);
        self.alone_square += weight * square;
        self.alone += found * weight;
    }
}
