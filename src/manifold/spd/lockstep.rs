//! Symmetric eigenproblems in lockstep: eight matrices of one order side by side, so that every operation is one vector
//! instruction on whatever the processor has.
//!
//! Householder tridiagonalization and the implicit QL iteration (Golub and Van Loan, §8.3), without the branches that
//! would part the lanes. Multiplications and additions are not fused: the results are the same on every processor.

/// Matrices side by side.
pub(super) const LANES: usize = 8;
/// One number of each.
pub(super) type Lane = [f64; LANES];
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

macro_rules! lanes {
    ($l:ident => $body:expr) => {{
        let mut out = ZERO;
        for $l in 0..LANES {
            out[$l] = $body;
        }
        out
    }};
}

impl Lockstep {
    pub(super) fn new(n: usize) -> Self {
        let zeros = |k: usize| vec![ZERO; k];
        Self { n, a: zeros(n * n), z: zeros(n * n), d: zeros(n), e: zeros(n), beta: zeros(n), work: zeros(n) }
    }

    /// Replaces `a` by its eigenvectors in `z` and eigenvalues in `d`. Lanes that did not converge are `false`.
    #[inline(always)]
    pub(super) fn solve(&mut self) -> [bool; LANES] {
        self.tridiagonalize();
        self.accumulate();
        self.implicit_ql()
    }

    /// A = Q T Qᵀ: the Householder vectors stay below the diagonal of `a`, their factors in `beta`.
    #[inline(always)]
    fn tridiagonalize(&mut self) {
        let n = self.n;
        for k in 0..n.saturating_sub(2) {
            let mut square = ZERO;
            for i in k + 2..n {
                let x = &self.a[k * n + i];
                for l in 0..LANES {
                    square[l] += x[l] * x[l];
                }
            }
            let first = self.a[k * n + k + 1];
            let length = lanes!(l => (square[l] + first[l] * first[l]).sqrt());
            let alpha = lanes!(l => if first[l] > 0.0 { -length[l] } else { length[l] });
            let head = lanes!(l => first[l] - alpha[l]);
            // Nothing to annihilate: no reflection.
            let beta = lanes!(l => if square[l] > 0.0 { 2.0 / (square[l] + head[l] * head[l]) } else { 0.0 });
            self.e[k] = lanes!(l => if square[l] > 0.0 { alpha[l] } else { first[l] });
            self.a[k * n + k + 1] = head;
            self.beta[k] = beta;
            self.reflect(k);
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
    fn reflect(&mut self, k: usize) {
        let n = self.n;
        let (left, right) = self.a.split_at_mut((k + 1) * n);
        let v = &left[k * n..];
        let p = &mut self.work;
        p[k + 1..].fill(ZERO);
        // p = A v from the lower triangle.
        for j in k + 1..n {
            let column = &right[(j - k - 1) * n..(j - k) * n];
            let vj = v[j];
            let mut sum = lanes!(l => column[j][l] * vj[l]);
            for i in j + 1..n {
                let (a, vi) = (&column[i], &v[i]);
                for l in 0..LANES {
                    p[i][l] += a[l] * vj[l];
                    sum[l] += a[l] * vi[l];
                }
            }
            for l in 0..LANES {
                p[j][l] += sum[l];
            }
        }
        let beta = self.beta[k];
        let mut vp = ZERO;
        for i in k + 1..n {
            for l in 0..LANES {
                p[i][l] *= beta[l];
                vp[l] += v[i][l] * p[i][l];
            }
        }
        let half = lanes!(l => 0.5 * beta[l] * vp[l]);
        for i in k + 1..n {
            for l in 0..LANES {
                p[i][l] -= half[l] * v[i][l];
            }
        }
        for j in k + 1..n {
            let column = &mut right[(j - k - 1) * n..(j - k) * n];
            let (vj, pj) = (v[j], p[j]);
            for i in j..n {
                let (a, vi, pi) = (&mut column[i], &v[i], &p[i]);
                for l in 0..LANES {
                    a[l] -= vi[l] * pj[l] + pi[l] * vj[l];
                }
            }
        }
    }

    /// Q, the product of the reflections, into `z`.
    #[inline(always)]
    fn accumulate(&mut self) {
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
                let mut sum = ZERO;
                for i in k + 1..n {
                    for l in 0..LANES {
                        sum[l] += v[i][l] * column[i][l];
                    }
                }
                let c = lanes!(l => beta[l] * sum[l]);
                for i in k + 1..n {
                    for l in 0..LANES {
                        column[i][l] -= c[l] * v[i][l];
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn implicit_ql(&mut self) -> [bool; LANES] {
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
                self.ql_sweep(first, &open);
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
    fn ql_sweep(&mut self, first: usize, open: &Lane) {
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
            let (low, high) = self.z.split_at_mut((i + 1) * n);
            for (x, y) in low[i * n..].iter_mut().zip(&mut high[..n]) {
                for l in 0..LANES {
                    let (a, b) = (x[l], y[l]);
                    y[l] = s[l] * a + c[l] * b;
                    x[l] = c[l] * a - s[l] * b;
                }
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
                let converged = lockstep.solve();
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
        assert_eq!(lockstep.solve(), [false; LANES]);
    }
}
