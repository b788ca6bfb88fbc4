//! What Stiefel and Grassmann manifolds share: m × r matrices with orthonormal columns.

use super::normal::fill_standard_normal;
use super::numeric::all_finite;
use super::space::ManifoldError;
use super::svd::polar;
use nalgebra::DMatrix;
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

/// XᵀG by inner products on wide vectors, four at a time: several times faster than nalgebra's `tr_mul`.
pub(super) fn inner_products(x: &DMatrix<f64>, g: &DMatrix<f64>) -> DMatrix<f64> {
    let mut c = DMatrix::zeros(x.ncols(), g.ncols());
    Arch::new().dispatch(InnerProducts { x, g, c: &mut c });
    c
}

/// G ← a G + X C.
pub(super) fn add_product(g: &mut DMatrix<f64>, a: f64, x: &DMatrix<f64>, c: &DMatrix<f64>) {
    if x.ncols() > FEW {
        g.gemm(1.0, x, c, a);
    } else {
        Arch::new().dispatch(AddProduct { g, a, x, c });
    }
}

/// Columns up to which nalgebra's product has nothing to block.
const FEW: usize = 8;

struct InnerProducts<'a> {
    x: &'a DMatrix<f64>,
    g: &'a DMatrix<f64>,
    c: &'a mut DMatrix<f64>,
}

impl WithSimd for InnerProducts<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let rows = self.x.nrows();
        for (c, g) in
            self.c.as_mut_slice().chunks_exact_mut(self.x.ncols()).zip(self.g.as_slice().chunks_exact(rows))
        {
            let mut columns = self.x.as_slice().chunks_exact(rows);
            let mut entries = c.chunks_exact_mut(4);
            for four in &mut entries {
                let x: [&[f64]; 4] = std::array::from_fn(|_| columns.next().unwrap_or(g));
                four.copy_from_slice(&wide_dots(x, g));
            }
            for (c, x) in entries.into_remainder().iter_mut().zip(columns) {
                [*c] = wide_dots([x], g);
            }
        }
    }
}

/// Inner products of several vectors with y, eight running sums each.
#[inline(always)]
fn wide_dots<const N: usize>(x: [&[f64]; N], y: &[f64]) -> [f64; N] {
    let xs = x.map(|x| x.as_chunks::<8>());
    let (ys, rest) = y.as_chunks::<8>();
    let mut sums = [[0.0; 8]; N];
    for (i, b) in ys.iter().enumerate() {
        for (sum, (a, _)) in sums.iter_mut().zip(&xs) {
            for k in 0..8 {
                sum[k] += a[i][k] * b[k];
            }
        }
    }
    std::array::from_fn(|j| {
        let tail: f64 = xs[j].1.iter().zip(rest).map(|(a, b)| a * b).sum();
        sums[j].iter().sum::<f64>() + tail
    })
}

struct AddProduct<'a> {
    g: &'a mut DMatrix<f64>,
    a: f64,
    x: &'a DMatrix<f64>,
    c: &'a DMatrix<f64>,
}

impl WithSimd for AddProduct<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let rows = self.x.nrows();
        let columns = self.g.as_mut_slice().chunks_exact_mut(rows);
        for (g, c) in columns.zip(self.c.as_slice().chunks_exact(self.x.ncols())) {
            g.iter_mut().for_each(|g| *g *= self.a);
            for (c, x) in c.iter().zip(self.x.as_slice().chunks_exact(rows)) {
                for (g, x) in g.iter_mut().zip(x) {
                    *g += c * x;
                }
            }
        }
    }
}
