//! What Stiefel and Grassmann manifolds share: m × r matrices with orthonormal columns.

use super::normal::fill_standard_normal;
use super::numeric::all_finite;
use super::space::ManifoldError;
use super::svd::polar;
use nalgebra::DMatrix;
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
