//! Congruences of small matrices: products of which half is known to be zero, or half need not be computed.

use nalgebra::DMatrix;
use pulp::{Arch, Simd, WithSimd};

/// V A Vᵀ for symmetric A, exactly symmetric.
pub(super) fn congruence(v: &DMatrix<f64>, a: &DMatrix<f64>) -> DMatrix<f64> {
    half_congruence(v, a, false)
}

/// L A Lᵀ for symmetric A and L with zeros above the diagonal, exactly symmetric: half the work.
pub(super) fn triangular_congruence(l: &DMatrix<f64>, a: &DMatrix<f64>) -> DMatrix<f64> {
    half_congruence(l, a, true)
}

/// V diag(d) Vᵀ, exactly symmetric.
pub(super) fn scaled_congruence(v: &DMatrix<f64>, d: &[f64]) -> DMatrix<f64> {
    let mut scaled = v.clone();
    for (mut column, d) in scaled.column_iter_mut().zip(d) {
        column *= *d;
    }
    lower_product(&scaled, v, false)
}

/// X Y for symmetric X and Y that commute, exactly symmetric.
pub(super) fn symmetric_product(x: &DMatrix<f64>, y: &DMatrix<f64>) -> DMatrix<f64> {
    lower_product(x, y, false)
}

fn half_congruence(v: &DMatrix<f64>, a: &DMatrix<f64>, triangular: bool) -> DMatrix<f64> {
    let n = v.nrows();
    let mut left = DMatrix::zeros(n, n);
    let (x, y) = (v.as_slice(), a.as_slice());
    let product = Product { n, x, y, out: left.as_mut_slice(), shape: Shape::Full { triangular } };
    Arch::new().dispatch(product);
    lower_product(&left, v, triangular)
}

/// X Vᵀ where that is symmetric: the lower half, mirrored.
fn lower_product(x: &DMatrix<f64>, v: &DMatrix<f64>, triangular: bool) -> DMatrix<f64> {
    let n = v.nrows();
    let mut out = DMatrix::zeros(n, n);
    let shape = Shape::Lower { triangular };
    Arch::new().dispatch(Product { n, x: x.as_slice(), y: v.as_slice(), out: out.as_mut_slice(), shape });
    for j in 1..n {
        for i in 0..j {
            out[(i, j)] = out[(j, i)];
        }
    }
    out
}

/// What is multiplied, all n × n by columns.
#[derive(Clone, Copy)]
enum Shape {
    /// X Y; `triangular`: X has zeros above the diagonal.
    Full { triangular: bool },
    /// X Yᵀ on and below the diagonal; `triangular`: Y has zeros above the diagonal.
    Lower { triangular: bool },
}

struct Product<'a> {
    n: usize,
    x: &'a [f64],
    y: &'a [f64],
    out: &'a mut [f64],
    shape: Shape,
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // Blocks of columns by rows that fit the registers; the last block of rows overlaps the one before.
        match self.n / S::F64_LANES {
            0 => self.one_by_one(),
            1 => self.in_blocks::<S, 1>(simd),
            2 | 3 => self.in_blocks::<S, 2>(simd),
            _ => self.in_blocks::<S, 4>(simd),
        }
    }
}

impl Product<'_> {
    /// Terms of the sums for rows before `row` and columns before `column`.
    #[inline(always)]
    fn terms(&self, row: usize, column: usize) -> usize {
        match self.shape {
            Shape::Full { triangular: true } => row,
            Shape::Lower { triangular: true } => column,
            _ => self.n,
        }
    }

    /// Y_kj, or Y_jk where the transpose is meant.
    #[inline(always)]
    fn factor(&self, k: usize, j: usize) -> f64 {
        match self.shape {
            Shape::Full { .. } => self.y[j * self.n + k],
            Shape::Lower { .. } => self.y[k * self.n + j],
        }
    }

    #[inline(always)]
    fn first_row(&self, column: usize) -> usize {
        if matches!(self.shape, Shape::Lower { .. }) { column } else { 0 }
    }

    #[inline(always)]
    fn one_by_one(self) {
        for j in 0..self.n {
            for i in self.first_row(j)..self.n {
                let terms = self.terms(i + 1, j + 1);
                self.out[j * self.n + i] =
                    (0..terms).map(|k| self.x[k * self.n + i] * self.factor(k, j)).sum();
            }
        }
    }

    #[inline(always)]
    fn in_blocks<S: Simd, const B: usize>(mut self, simd: S) {
        let mut j = 0;
        while j + 2 <= self.n {
            self.columns::<S, B, 2>(simd, j);
            j += 2;
        }
        if j < self.n {
            self.columns::<S, B, 1>(simd, j);
        }
    }

    /// W columns from j on.
    #[inline(always)]
    fn columns<S: Simd, const B: usize, const W: usize>(&mut self, simd: S, j: usize) {
        let (n, height) = (self.n, B * S::F64_LANES);
        let mut row = self.first_row(j).min(n - height);
        loop {
            let mut sums = [[simd.splat_f64s(0.0); B]; W];
            for k in 0..self.terms(row + height, j + W) {
                let x = S::as_simd_f64s(&self.x[k * n + row..k * n + row + height]).0;
                for (w, sums) in sums.iter_mut().enumerate() {
                    let y = simd.splat_f64s(self.factor(k, j + w));
                    for b in 0..B {
                        sums[b] = simd.mul_add_f64s(x[b], y, sums[b]);
                    }
                }
            }
            for (w, sums) in sums.iter().enumerate() {
                let at = (j + w) * n + row;
                S::as_mut_simd_f64s(&mut self.out[at..at + height]).0.copy_from_slice(sums);
            }
            if row + height >= n {
                return;
            }
            row = (row + height).min(n - height);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn products_of_every_size_agree_with_the_plain_ones() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(12);
        for n in 1..=40 {
            let v = DMatrix::from_fn(n, n, |_, _| rng.random::<f64>() - 0.5);
            let l = v.lower_triangle();
            let a = &v + v.transpose();
            let d: Vec<f64> = (0..n).map(|_| rng.random::<f64>()).collect();
            let diagonal = DMatrix::from_fn(n, n, |i, j| if i == j { d[i] } else { 0.0 });
            for (found, expected) in [
                (congruence(&v, &a), &v * &a * v.transpose()),
                (triangular_congruence(&l, &a), &l * &a * l.transpose()),
                (scaled_congruence(&v, &d), &v * diagonal * v.transpose()),
            ] {
                assert!((&found - &expected).amax() < 1e-14 * n as f64, "{n}");
                assert_eq!(found, found.transpose());
            }
        }
    }
}
