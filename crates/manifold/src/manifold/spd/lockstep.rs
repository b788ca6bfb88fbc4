//! Symmetric eigenproblems in lockstep: eight matrices of one order side by side, so that every operation is one vector
//! instruction on whatever the processor has.
//!
//! Householder tridiagonalization and the implicit QL iteration (Golub and Van Loan, §8.3), without the branches that
//! would part the lanes. Multiplications and additions are not fused: the results are the same on every processor.

use crate::manifold::rows::elementary::lanes;
pub(super) use crate::manifold::rows::elementary::{LANES, Lane};
use pulp::Simd;

const ZERO: Lane = [0.0; LANES];
/// QL sweeps for one eigenvalue before a lane is given up; two is the rule.
const SWEEPS: usize = 40;

/// The eigendecompositions of eight symmetric n × n matrices, and the room to compute them.
pub(super) struct Lockstep {
    n: usize,
    /// In: the lower triangles, by columns. Destroyed.
    pub(super) a: Vec<Lane>,
    /// Out: eigenvectors, by columns.
    pub(super) z: Vec<Lane>,
    /// Out: eigenvalues, unsorted.
    pub(super) d: Vec<Lane>,
    e: Vec<Lane>,
    beta: Vec<Lane>,
    work: Vec<Lane>,
}

/// Vector arithmetic on columns of lanes. Spelled out in the processor's vectors: left to itself the compiler vectorizes
/// these loops across rows, with shuffles that cost more than the arithmetic.
pub(super) mod columns {
    use super::{LANES, Lane, ZERO};
    use pulp::Simd;

    #[inline(always)]
    fn vectors<S: Simd>(x: &[Lane]) -> &[S::f64s] {
        S::as_simd_f64s(x.as_flattened()).0
    }

    #[inline(always)]
    fn vectors_mut<S: Simd>(x: &mut [Lane]) -> &mut [S::f64s] {
        S::as_mut_simd_f64s(x.as_flattened_mut()).0
    }

    /// (x, y) ← (c x − s y, s x + c y).
    #[inline(always)]
    pub(crate) fn rotate<S: Simd>(simd: S, x: &mut [Lane], y: &mut [Lane], c: &Lane, s: &Lane) {
        let width = LANES / S::F64_LANES;
        let (c, s) = (vectors::<S>(std::slice::from_ref(c)), vectors::<S>(std::slice::from_ref(s)));
        let (x, y) = (vectors_mut::<S>(x), vectors_mut::<S>(y));
        for (x, y) in x.chunks_exact_mut(width).zip(y.chunks_exact_mut(width)) {
            for k in 0..width {
                let (a, b) = (x[k], y[k]);
                y[k] = simd.add_f64s(simd.mul_f64s(s[k], a), simd.mul_f64s(c[k], b));
                x[k] = simd.sub_f64s(simd.mul_f64s(c[k], a), simd.mul_f64s(s[k], b));
            }
        }
    }

    /// y ← y + a x.
    #[inline(always)]
    pub(crate) fn axpy<S: Simd>(simd: S, a: &Lane, x: &[Lane], y: &mut [Lane]) {
        let width = LANES / S::F64_LANES;
        let a = vectors::<S>(std::slice::from_ref(a));
        let (x, y) = (vectors::<S>(x), vectors_mut::<S>(y));
        for (x, y) in x.chunks_exact(width).zip(y.chunks_exact_mut(width)) {
            for k in 0..width {
                y[k] = simd.add_f64s(y[k], simd.mul_f64s(a[k], x[k]));
            }
        }
    }

    /// Σ x_i y_i.
    #[inline(always)]
    pub(crate) fn dot<S: Simd>(simd: S, x: &[Lane], y: &[Lane]) -> Lane {
        let width = LANES / S::F64_LANES;
        let mut out = [ZERO];
        let sum = vectors_mut::<S>(&mut out);
        for (x, y) in vectors::<S>(x).chunks_exact(width).zip(vectors::<S>(y).chunks_exact(width)) {
            for k in 0..width {
                sum[k] = simd.add_f64s(sum[k], simd.mul_f64s(x[k], y[k]));
            }
        }
        out[0]
    }

    /// y ← y − Σ_k c_k x_{k·stride}.
    #[inline(always)]
    pub(crate) fn subtract_combination<S: Simd>(simd: S, c: &[f64], x: &[Lane], stride: usize, y: &mut Lane) {
        let width = LANES / S::F64_LANES;
        let y = vectors_mut::<S>(std::slice::from_mut(y));
        for (c, x) in c.iter().zip(x.iter().step_by(stride)) {
            let (c, x) = (simd.splat_f64s(*c), vectors::<S>(std::slice::from_ref(x)));
            for k in 0..width {
                y[k] = simd.sub_f64s(y[k], simd.mul_f64s(c, x[k]));
            }
        }
    }

    /// y ← y − a x − b z.
    #[inline(always)]
    pub(crate) fn subtract_two<S: Simd>(simd: S, a: &Lane, x: &[Lane], b: &Lane, z: &[Lane], y: &mut [Lane]) {
        let width = LANES / S::F64_LANES;
        let (a, b) = (vectors::<S>(std::slice::from_ref(a)), vectors::<S>(std::slice::from_ref(b)));
        let terms = vectors::<S>(x).chunks_exact(width).zip(vectors::<S>(z).chunks_exact(width));
        for ((x, z), y) in terms.zip(vectors_mut::<S>(y).chunks_exact_mut(width)) {
            for k in 0..width {
                let both = simd.add_f64s(simd.mul_f64s(a[k], x[k]), simd.mul_f64s(b[k], z[k]));
                y[k] = simd.sub_f64s(y[k], both);
            }
        }
    }
}

impl Lockstep {
    pub(super) fn new(n: usize) -> Self {
        let zeros = |k: usize| vec![ZERO; k];
        Self { n, a: zeros(n * n), z: zeros(n * n), d: zeros(n), e: zeros(n), beta: zeros(n), work: zeros(n) }
    }

    /// Replaces `a` by its eigenvectors in `z` and eigenvalues in `d`. Lanes that did not converge are `false`.
    #[inline(always)]
    pub(super) fn solve<S: Simd>(&mut self, simd: S) -> [bool; LANES] {
        self.tridiagonalize(simd);
        self.accumulate(simd);
        self.implicit_ql::<S, true>(simd)
    }

    /// Replaces `a` by its eigenvalues in `d`, to the last bit those of [`solve`](Self::solve), and leaves `z` alone.
    #[inline(always)]
    pub(super) fn solve_values<S: Simd>(&mut self, simd: S) -> [bool; LANES] {
        self.tridiagonalize(simd);
        self.implicit_ql::<S, false>(simd)
    }

    /// A = Q T Qᵀ: the Householder vectors stay below the diagonal of `a`, their factors in `beta`.
    #[inline(always)]
    fn tridiagonalize<S: Simd>(&mut self, simd: S) {
        let n = self.n;
        for k in 0..n.saturating_sub(2) {
            let tail = &self.a[k * n + k + 2..(k + 1) * n];
            let square = columns::dot(simd, tail, tail);
            let first = self.a[k * n + k + 1];
            let length = lanes!(l => (square[l] + first[l] * first[l]).sqrt());
            let alpha = lanes!(l => if first[l] > 0.0 { -length[l] } else { length[l] });
            let head = lanes!(l => first[l] - alpha[l]);
            // Nothing to annihilate: no reflection.
            let beta = lanes!(l => if square[l] > 0.0 { 2.0 / (square[l] + head[l] * head[l]) } else { 0.0 });
            self.e[k] = lanes!(l => if square[l] > 0.0 { alpha[l] } else { first[l] });
            self.a[k * n + k + 1] = head;
            self.beta[k] = beta;
            self.reflect(simd, k);
        }
        if n >= 2 {
            self.e[n - 2] = self.a[(n - 2) * n + n - 1];
        }
        for k in 0..n {
            self.d[k] = self.a[k * n + k];
        }
    }

    /// Applies reflection k from both sides to what is right of and below it.
    #[inline(always)]
    fn reflect<S: Simd>(&mut self, simd: S, k: usize) {
        let n = self.n;
        let (left, right) = self.a.split_at_mut((k + 1) * n);
        let v = &left[k * n..];
        let p = &mut self.work;
        p[k + 1..].fill(ZERO);
        // p = A v from the lower triangle.
        for j in k + 1..n {
            let column = &right[(j - k - 1) * n..(j - k) * n];
            let sum = columns::dot(simd, &column[j..], &v[j..n]);
            columns::axpy(simd, &v[j], &column[j + 1..], &mut p[j + 1..]);
            for l in 0..LANES {
                p[j][l] += sum[l];
            }
        }
        let beta = self.beta[k];
        let vp = columns::dot(simd, &v[k + 1..n], &p[k + 1..]);
        // With p = βAv, the rank-two update subtracts v wᵀ + w vᵀ, w = p − ½β(vᵀp) v.
        let half = lanes!(l => -0.5 * beta[l] * beta[l] * vp[l]);
        for p in &mut p[k + 1..] {
            for l in 0..LANES {
                p[l] *= beta[l];
            }
        }
        columns::axpy(simd, &half, &v[k + 1..n], &mut p[k + 1..]);
        for j in k + 1..n {
            let column = &mut right[(j - k - 1) * n..(j - k) * n];
            columns::subtract_two(simd, &p[j], &v[j..n], &v[j], &p[j..], &mut column[j..]);
        }
    }

    /// Q, the product of the reflections, into `z`.
    #[inline(always)]
    fn accumulate<S: Simd>(&mut self, simd: S) {
        let n = self.n;
        self.z.fill(ZERO);
        for k in 0..n {
            self.z[k * n + k] = [1.0; LANES];
        }
        for k in (0..n.saturating_sub(2)).rev() {
            let v = &self.a[k * n..(k + 1) * n];
            let beta = self.beta[k];
            for j in k + 1..n {
                let column = &mut self.z[j * n..(j + 1) * n];
                let sum = columns::dot(simd, &v[k + 1..], &column[k + 1..]);
                let c = lanes!(l => -beta[l] * sum[l]);
                columns::axpy(simd, &c, &v[k + 1..], &mut column[k + 1..]);
            }
        }
    }

    #[inline(always)]
    fn implicit_ql<S: Simd, const VECTORS: bool>(&mut self, simd: S) -> [bool; LANES] {
        let n = self.n;
        self.e[n - 1] = ZERO;
        let mut converged = [true; LANES];
        for first in 0..n.saturating_sub(1) {
            for sweep in 0..=SWEEPS {
                let (d0, d1, e0) = (self.d[first], self.d[first + 1], self.e[first]);
                // 1 where the eigenvalue is still open, a number so that selection is a vector instruction.
                let open = lanes!(l => if e0[l].abs() > f64::EPSILON * (d0[l].abs() + d1[l].abs()) { 1.0 } else { 0.0 });
                if open.iter().all(|o| *o == 0.0) {
                    break;
                }
                if sweep == SWEEPS {
                    for l in 0..LANES {
                        converged[l] &= open[l] == 0.0;
                    }
                    break;
                }
                self.ql_sweep::<S, VECTORS>(simd, first, &open);
            }
        }
        // NaN is never open and never right.
        for l in 0..LANES {
            converged[l] &= self.d.iter().all(|d| d[l].is_finite());
        }
        converged
    }

    /// One sweep with Wilkinson's shift on rows `first`.. of the open lanes.
    #[inline(always)]
    fn ql_sweep<S: Simd, const VECTORS: bool>(&mut self, simd: S, first: usize, open: &Lane) {
        let n = self.n;
        let (d0, d1, e0) = (self.d[first], self.d[first + 1], self.e[first]);
        let dm = self.d[n - 1];
        let mut g = lanes!(l => {
            let g = (d1[l] - d0[l]) / (2.0 * e0[l]);
            let r = (g * g + 1.0).sqrt();
            dm[l] - d0[l] + e0[l] / (g + if g < 0.0 { -r } else { r })
        });
        let (mut s, mut c, mut p) = ([1.0; LANES], [1.0; LANES], ZERO);
        for i in (first..n - 1).rev() {
            let (ei, di, dj) = (self.e[i], self.d[i], self.d[i + 1]);
            let f = lanes!(l => s[l] * ei[l]);
            let b = lanes!(l => c[l] * ei[l]);
            let r = lanes!(l => (f[l] * f[l] + g[l] * g[l]).sqrt());
            // Closed lanes turn by the identity; so does one whose rotation is undefined.
            let turn = lanes!(l => if r[l] > 0.0 { open[l] } else { 0.0 });
            let inverse = lanes!(l => 1.0 / r[l]);
            s = lanes!(l => if turn[l] > 0.0 { f[l] * inverse[l] } else { 0.0 });
            c = lanes!(l => if turn[l] > 0.0 { g[l] * inverse[l] } else { 1.0 });
            let h = lanes!(l => dj[l] - p[l]);
            let q = lanes!(l => (di[l] - h[l]) * s[l] + 2.0 * c[l] * b[l]);
            p = lanes!(l => s[l] * q[l]);
            g = lanes!(l => c[l] * q[l] - b[l]);
            let ej = self.e[i + 1];
            self.e[i + 1] = lanes!(l => if open[l] > 0.0 { r[l] } else { ej[l] });
            self.d[i + 1] = lanes!(l => if open[l] > 0.0 { h[l] + p[l] } else { dj[l] });
            if VECTORS {
                let (low, high) = self.z.split_at_mut((i + 1) * n);
                columns::rotate(simd, &mut low[i * n..], &mut high[..n], &c, &s);
            }
        }
        self.d[first] = lanes!(l => if open[l] > 0.0 { d0[l] - p[l] } else { d0[l] });
        self.e[first] = lanes!(l => if open[l] > 0.0 { g[l] } else { e0[l] });
        let last = self.e[n - 1];
        self.e[n - 1] = lanes!(l => if open[l] > 0.0 { 0.0 } else { last[l] });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::DMatrix;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn eight_at_once_are_diagonalized() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(4);
        for n in [1, 2, 3, 5, 11, 24] {
            for trial in 0..40 {
                let small = if trial % 2 == 0 { 1.0 } else { 10f64.powf(-14.0 * rng.random::<f64>()) };
                let matrices: Vec<DMatrix<f64>> = (0..LANES)
                    .map(|lane| {
                        let mut a = DMatrix::from_fn(n, n, |i, j| {
                            (rng.random::<f64>() - 0.5) * if i == j { 1.0 } else { small }
                        });
                        a = &a + a.transpose();
                        // One diagonal, one in two blocks, one a multiple of the identity.
                        for i in 0..n {
                            for j in 0..n {
                                let blocks = (i < n / 2) != (j < n / 2);
                                if (lane == 1 && i != j) || (lane == 2 && blocks) || (lane == 3 && i != j) {
                                    a[(i, j)] = 0.0;
                                }
                            }
                            if lane == 3 {
                                a[(i, i)] = 0.75;
                            }
                        }
                        a
                    })
                    .collect();
                let mut lockstep = Lockstep::new(n);
                for k in 0..n * n {
                    lockstep.a[k] = std::array::from_fn(|l| matrices[l].as_slice()[k]);
                }
                let converged = lockstep.solve(pulp::Scalar);
                for (l, a) in matrices.iter().enumerate() {
                    // Blocks may stall a lane: it must say so.
                    assert!(converged[l] || l == 2, "order {n}, lane {l}");
                    if converged[l] {
                        let z = DMatrix::from_fn(n, n, |i, j| lockstep.z[j * n + i][l]);
                        let d = DMatrix::from_fn(n, n, |i, j| if i == j { lockstep.d[i][l] } else { 0.0 });
                        assert!((&z * d * z.transpose() - a).amax() < 1e-14 * (n as f64 + 4.0), "{n} {l}");
                        assert!((z.tr_mul(&z) - DMatrix::identity(n, n)).amax() < 1e-14 * (n as f64 + 4.0));
                    }
                }
            }
        }
        let mut lockstep = Lockstep::new(2);
        lockstep.a.fill([f64::NAN; LANES]);
        assert_eq!(lockstep.solve(pulp::Scalar), [false; LANES]);
    }
}
