//! The mean of affine-invariant logarithms of many matrices, eight at a time.

use super::eight::{Eight, Matrices, sums};
use super::lockstep::{LANES, Lane, Lockstep, columns};
use super::matrix::NAME;
use super::product::{scaled_congruence, triangular_congruence};
use super::whiten::{factor, log_spectrum};
use crate::manifold::error::ManifoldError;
use crate::manifold::space::MeanLog;
use crate::manifold::weights::total_weight;
use nalgebra::DMatrix;
use pulp::Simd;

/// Matrices whose whitened eigenvalues spread more go through the slow, more accurate path.
const SPREAD: f64 = 1e-6;

/// Σ w_i log_P(Q_i) / Σ w_i and the mean of the squared distances.
pub(super) fn mean_log(
    p: &DMatrix<f64>,
    points: Matrices<'_>,
    weights: Option<&[f64]>,
) -> Result<MeanLog<DMatrix<f64>>, ManifoldError> {
    let total = total_weight(points.len(), weights)?;
    let n = p.nrows();
    let l = factor(p);
    let parts = sums(points, weights, || Sums::new(&l, p), Sums::finish);
    let (mut sum, mut square) = (DMatrix::zeros(n, n), 0.0);
    for (part, part_square) in parts {
        sum += part;
        square += part_square;
    }
    // The spectra of unusable matrices are NaN.
    if !f64::is_finite(square) {
        return Err(ManifoldError::NotFinite(NAME));
    }
    sum /= total;
    Ok(MeanLog { log: triangular_congruence(&l, &sum), mean_square: square / total })
}

/// Running sums of whitened logarithms.
struct Sums<'a> {
    l: &'a DMatrix<f64>,
    p: &'a DMatrix<f64>,
    n: usize,
    /// L by rows, and the inverses of its diagonal.
    rows: Vec<f64>,
    inverse_diagonal: Vec<f64>,
    solver: Lockstep,
    /// L⁻¹Q by columns.
    half: Vec<Lane>,
    /// Lower triangle by columns, and the squared distances.
    sum: Vec<Lane>,
    square: Lane,
    alone: DMatrix<f64>,
    alone_square: f64,
}

impl<'a> Sums<'a> {
    fn new(l: &'a DMatrix<f64>, p: &'a DMatrix<f64>) -> Self {
        let n = l.nrows();
        Self {
            l,
            p,
            n,
            rows: l.transpose().as_slice().to_vec(),
            inverse_diagonal: (0..n).map(|i| 1.0 / l[(i, i)]).collect(),
            solver: Lockstep::new(n),
            half: vec![[0.0; LANES]; n * n],
            sum: vec![[0.0; LANES]; n * n],
            square: [0.0; LANES],
            alone: DMatrix::zeros(n, n),
            alone_square: 0.0,
        }
    }

    fn finish(self) -> (DMatrix<f64>, f64) {
        let n = self.n;
        let total = |lane: &Lane| lane.iter().sum::<f64>();
        let sum = DMatrix::from_fn(n, n, |i, j| total(&self.sum[i.min(j) * n + i.max(j)]));
        (sum + self.alone, total(&self.square) + self.alone_square)
    }

    /// S = L⁻¹QL⁻ᵀ of eight matrices into the solver.
    #[inline(always)]
    fn whiten<S: Simd>(&mut self, simd: S, columns: &[&[f64]; LANES]) {
        let n = self.n;
        for (k, x) in self.half.iter_mut().enumerate() {
            for l in 0..LANES {
                x[l] = columns[l][k];
            }
        }
        for column in self.half.chunks_exact_mut(n) {
            for i in 0..n {
                let row = &self.rows[i * n..i * n + i];
                let (solved, rest) = column.split_at_mut(i);
                let mut x = rest[0];
                columns::subtract_combination(simd, row, solved, 1, &mut x);
                for l in 0..LANES {
                    rest[0][l] = x[l] * self.inverse_diagonal[i];
                }
            }
        }
        // Rows of the lower triangle: S_ij = (X_ij − Σ_{k<j} S_ik L_jk)/L_jj.
        let a = &mut self.solver.a;
        for j in 0..n {
            let (done, rest) = a.split_at_mut(j * n);
            for (i, out) in rest[..n].iter_mut().enumerate().skip(j) {
                let mut x = self.half[j * n + i];
                columns::subtract_combination(
                    simd,
                    &self.rows[j * n..j * n + j],
                    done.get(i..).unwrap_or(&[]),
                    n,
                    &mut x,
                );
                for l in 0..LANES {
                    out[l] = x[l] * self.inverse_diagonal[j];
                }
            }
        }
    }
}

impl Eight for Sums<'_> {
    /// Adds Σ_lanes w V diag(ln d) Vᵀ for the lanes that are fit; says which were.
    #[inline(always)]
    fn add_eight<S: Simd>(&mut self, simd: S, matrices: &[&[f64]; LANES], weights: &Lane) -> [bool; LANES] {
        let n = self.n;
        self.whiten(simd, matrices);
        let mut fit = self.solver.solve(simd);
        let (mut smallest, mut largest) = ([f64::INFINITY; LANES], [0.0_f64; LANES]);
        for d in &self.solver.d {
            for l in 0..LANES {
                smallest[l] = smallest[l].min(d[l]);
                largest[l] = largest[l].max(d[l]);
            }
        }
        for l in 0..LANES {
            fit[l] &= smallest[l] > SPREAD * largest[l];
        }
        let z = &self.solver.z;
        for k in 0..n {
            let mut log = [0.0; LANES];
            for l in 0..LANES {
                log[l] = if fit[l] { self.solver.d[k][l].ln() } else { 0.0 };
                self.square[l] += weights[l] * log[l] * log[l];
                log[l] *= weights[l];
            }
            let column = &z[k * n..(k + 1) * n];
            for j in 0..n {
                let mut scaled = [0.0; LANES];
                for l in 0..LANES {
                    scaled[l] = if fit[l] { log[l] * column[j][l] } else { 0.0 };
                }
                let sums = &mut self.sum[j * n..(j + 1) * n];
                columns::axpy(simd, &scaled, &column[j..], &mut sums[j..]);
            }
        }
        fit
    }

    fn add_alone(&mut self, q: &DMatrix<f64>, weight: f64) {
        let (vectors, logs) = log_spectrum(self.l, self.p, q);
        self.alone_square += weight * logs.norm_squared();
        self.alone += scaled_congruence(&vectors, logs.as_slice()) * weight;
    }
}
