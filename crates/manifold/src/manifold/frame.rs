//! What Stiefel and Grassmann manifolds share: m × r matrices with orthonormal columns.

use super::complement::Complement;
use super::error::ManifoldError;
use super::normal::fill_standard_normal;
use super::svd::polar;
use crate::numeric::elementary::all_finite;
use nalgebra::{DMatrix, DMatrixView};
use pulp::{Arch, Simd, WithSimd};
use rand::Rng;

/// 1 ≤ r < m, or an error.
pub(super) fn check_shape(manifold: &'static str, rows: usize, columns: usize) -> Result<(), ManifoldError> {
    if columns == 0 || columns >= rows {
        return Err(ManifoldError::Parameter {
            manifold,
            parameter: "this shape",
            remedy: "take at least one column and fewer columns than rows",
        });
    }
    Ok(())
}

/// Shape, finiteness, orthonormal columns.
pub(super) fn check_frame(
    manifold: &'static str,
    x: &DMatrix<f64>,
    rows: usize,
    columns: usize,
) -> Result<(), ManifoldError> {
    if x.nrows() != rows || x.ncols() != columns {
        return Err(ManifoldError::WrongSize { manifold, expected: rows * columns, found: x.len() });
    }
    if !all_finite(x.as_slice()) {
        return Err(ManifoldError::NotFinite(manifold));
    }
    if (x.tr_mul(x) - DMatrix::identity(columns, columns)).amax() <= 1e-8 {
        return Ok(());
    }
    Err(ManifoldError::OffManifold {
        manifold,
        constraint: "does not have orthonormal columns",
        remedy: "orthonormalize them",
    })
}

/// The orthonormal factor of X = QR with positive diagonal of R: for a Gaussian X, uniform on the Stiefel manifold.
pub(super) fn orthonormalize(x: &DMatrix<f64>) -> DMatrix<f64> {
    let qr = x.clone().qr();
    let (mut q, r) = (qr.q(), qr.r());
    for j in 0..q.ncols() {
        if r[(j, j)] < 0.0 {
            q.column_mut(j).neg_mut();
        }
    }
    q
}

/// The nearest orthonormal matrix to one that is orthonormal to about the root of rounding: one Newton–Schulz step.
pub(super) fn polish(x: &DMatrix<f64>) -> DMatrix<f64> {
    let mut correction = x.tr_mul(x) * -0.5;
    for j in 0..correction.ncols() {
        correction[(j, j)] += 1.5;
    }
    x * correction
}

/// A uniform random frame.
pub(super) fn random_frame<R: Rng + ?Sized>(rows: usize, columns: usize, rng: &mut R) -> DMatrix<f64> {
    orthonormalize(&gaussian(rows, columns, rng))
}

/// Independent standard normal entries.
pub(super) fn gaussian<R: Rng + ?Sized>(rows: usize, columns: usize, rng: &mut R) -> DMatrix<f64> {
    let mut g = DMatrix::zeros(rows, columns);
    fill_standard_normal(rng, g.as_mut_slice());
    g
}

/// The orthogonal R with XᵀQR symmetric and positive; `None` where it is not unique.
pub(super) fn aligning_rotation(x: &DMatrix<f64>, q: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    polar(&q.tr_mul(x))
}

/// The ambient rotation in the plane of the two spaces that carries X to Q′ = QR (R from [`aligning_rotation`]), applied
/// to V, then the columns turned back: an isometry from the tangent space at X to that at Q. It is the transvection
/// (I − 2SS⁺)(I − 2XXᵀ), S = X + Q′: the product of the reflections about the midpoint's space and about X's.
pub(super) fn transvect(x: &DMatrix<f64>, q: &DMatrix<f64>, v: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let r = aligning_rotation(x, q)?;
    let s = x + q * &r;
    let reflected = v - x * (x.tr_mul(v) * 2.0);
    let gram = s.tr_mul(&s).cholesky()?;
    let coefficients = gram.solve(&s.tr_mul(&reflected));
    Some((reflected - s * (coefficients * 2.0)) * r.transpose())
}

/// The columns of V in the complement of the columns of X, one after another.
pub(super) fn normal_coordinates(x: &DMatrix<f64>, v: &DMatrix<f64>) -> Vec<f64> {
    let complement = Complement::new(x);
    v.as_slice().chunks_exact(x.nrows()).flat_map(|column| complement.coordinates(column)).collect()
}

/// The matrix orthogonal to X whose columns have these coordinates; missing ones are 0.
pub(super) fn normal_vector(x: &DMatrix<f64>, coordinates: &[f64]) -> DMatrix<f64> {
    let complement = Complement::new(x);
    let (rows, columns) = x.shape();
    let mut v = DMatrix::zeros(rows, columns);
    for (mut column, c) in v.column_iter_mut().zip(coordinates.chunks(rows - columns)) {
        column.copy_from_slice(&complement.vector(c));
    }
    v
}

/// XᵀG, several times faster than nalgebra's `tr_mul`.
pub(super) fn inner_products(x: &DMatrix<f64>, g: &DMatrix<f64>) -> DMatrix<f64> {
    let (rows, columns) = x.shape();
    let mut c = DMatrix::zeros(columns, g.ncols());
    if columns > FEW {
        // Xᵀ as the product wants to read it, without a copy.
        c.gemm(1.0, &DMatrixView::from_slice_with_strides(x.as_slice(), columns, rows, rows, 1), g, 0.0);
    } else {
        Arch::new().dispatch(InnerProducts { rows, x: x.as_slice(), g: g.as_slice(), c: c.as_mut_slice() });
    }
    c
}

/// G ← a G + X C.
pub(super) fn add_product(g: &mut DMatrix<f64>, a: f64, x: &DMatrix<f64>, c: &DMatrix<f64>) {
    if x.ncols() > FEW {
        g.gemm(1.0, x, c, a);
    } else {
        let (rows, x, c) = (x.nrows(), x.as_slice(), c.as_slice());
        Arch::new().dispatch(AddProduct { rows, g: g.as_mut_slice(), a, x, c });
    }
}

/// Columns up to which nalgebra's product has nothing to block.
const FEW: usize = 8;

struct InnerProducts<'a> {
    rows: usize,
    x: &'a [f64],
    g: &'a [f64],
    c: &'a mut [f64],
}

impl WithSimd for InnerProducts<'_> {
    type Output = ();

    /// Four columns of X by three of G at a time.
    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let (p, q) = (self.x.len() / self.rows, self.g.len() / self.rows);
        let mut j = 0;
        while j < q {
            let width = if q - j >= 3 { 3 } else { 1 };
            let mut i = 0;
            while i < p {
                let height = if p - i >= 4 { 4 } else { 1 };
                match (height, width) {
                    (4, 3) => self.block::<S, 4, 3>(simd, i, j),
                    (4, _) => self.block::<S, 4, 1>(simd, i, j),
                    (_, 3) => self.block::<S, 1, 3>(simd, i, j),
                    _ => self.block::<S, 1, 1>(simd, i, j),
                }
                i += height;
            }
            j += width;
        }
    }
}

impl InnerProducts<'_> {
    #[inline(always)]
    fn block<S: Simd, const H: usize, const W: usize>(&mut self, simd: S, i: usize, j: usize) {
        let (rows, p) = (self.rows, self.x.len() / self.rows);
        let x: [_; H] = std::array::from_fn(|h| S::as_simd_f64s(&self.x[(i + h) * rows..(i + h + 1) * rows]));
        let g: [_; W] = std::array::from_fn(|w| S::as_simd_f64s(&self.g[(j + w) * rows..(j + w + 1) * rows]));
        let length = x[0].0.len();
        let (xs, gs) = (x.map(|x| &x.0[..length]), g.map(|g| &g.0[..length]));
        let mut sums = [[simd.splat_f64s(0.0); W]; H];
        for k in 0..length {
            for w in 0..W {
                for h in 0..H {
                    sums[h][w] = simd.mul_add_f64s(xs[h][k], gs[w][k], sums[h][w]);
                }
            }
        }
        for h in 0..H {
            for w in 0..W {
                let tail: f64 = x[h].1.iter().zip(g[w].1).map(|(a, b)| a * b).sum();
                self.c[(j + w) * p + i + h] = simd.reduce_sum_f64s(sums[h][w]) + tail;
            }
        }
    }
}

struct AddProduct<'a> {
    rows: usize,
    g: &'a mut [f64],
    a: f64,
    x: &'a [f64],
    c: &'a [f64],
}

impl WithSimd for AddProduct<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        for j in 0..self.g.len() / self.rows {
            let row = self.blocks::<S, 4>(simd, j, 0);
            let row = self.blocks::<S, 1>(simd, j, row);
            self.rest(j, row);
        }
    }
}

impl AddProduct<'_> {
    /// Blocks of B vectors in column j from this row on, as many as there are; the row after them.
    #[inline(always)]
    fn blocks<S: Simd, const B: usize>(&mut self, simd: S, j: usize, mut row: usize) -> usize {
        let (rows, p, height) = (self.rows, self.x.len() / self.rows, B * S::F64_LANES);
        let a = simd.splat_f64s(self.a);
        while row + height <= rows {
            let at = j * rows + row;
            let g = S::as_mut_simd_f64s(&mut self.g[at..at + height]).0;
            let mut sums: [S::f64s; B] = std::array::from_fn(|b| simd.mul_f64s(a, g[b]));
            for (i, c) in self.c[j * p..(j + 1) * p].iter().enumerate() {
                let x = S::as_simd_f64s(&self.x[i * rows + row..i * rows + row + height]).0;
                let c = simd.splat_f64s(*c);
                for b in 0..B {
                    sums[b] = simd.mul_add_f64s(c, x[b], sums[b]);
                }
            }
            g.copy_from_slice(&sums);
            row += height;
        }
        row
    }

    #[inline(always)]
    fn rest(&mut self, j: usize, row: usize) {
        let (rows, p) = (self.rows, self.x.len() / self.rows);
        for row in row..rows {
            let terms = self.c[j * p..(j + 1) * p].iter().enumerate();
            let sum: f64 = terms.map(|(i, c)| c * self.x[i * rows + row]).sum();
            let g = &mut self.g[j * rows + row];
            *g = self.a * *g + sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn products_of_every_shape_agree_with_the_plain_ones() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(13);
        for columns in 1..=12 {
            for rows in [columns + 1, 15, 16, 37, 64] {
                let mut random = |n| DMatrix::from_fn(rows, n, |_, _| rng.random::<f64>() - 0.5);
                let (x, g) = (random(columns), random(columns));
                let c = inner_products(&x, &g);
                assert!((&c - x.tr_mul(&g)).amax() < 1e-14 * rows as f64, "{rows} × {columns}");
                let expected = &g * -0.7 + &x * &c;
                let mut found = g;
                add_product(&mut found, -0.7, &x, &c);
                assert!((found - expected).amax() < 1e-14 * rows as f64, "{rows} × {columns}");
            }
        }
    }
}
