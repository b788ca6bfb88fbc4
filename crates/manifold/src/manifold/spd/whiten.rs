//! One matrix seen from another: L⁻¹QL⁻ᵀ with P = LLᵀ, and the logarithms of its eigenvalues.

use super::cholesky::cholesky;
use super::matrix::symmetrize;
use crate::manifold::svd::{Svd, svd};
use nalgebra::{DMatrix, DVector};

/// The lower Cholesky factor; NaN if p is not positive definite (callers checked it).
pub(super) fn factor(p: &DMatrix<f64>) -> DMatrix<f64> {
    cholesky(p).unwrap_or_else(|| DMatrix::from_element(p.nrows(), p.ncols(), f64::NAN))
}

/// L⁻¹ A L⁻ᵀ, exactly symmetric.
pub(super) fn whiten(l: &DMatrix<f64>, a: &DMatrix<f64>) -> DMatrix<f64> {
    let mut w = a.clone();
    l.solve_lower_triangular_unchecked_mut(&mut w);
    w.transpose_mut();
    l.solve_lower_triangular_unchecked_mut(&mut w);
    symmetrize(&mut w);
    w
}

/// The eigenvectors of L⁻¹QL⁻ᵀ and the logarithms of its eigenvalues.
pub(super) fn log_spectrum(
    l: &DMatrix<f64>,
    p: &DMatrix<f64>,
    q: &DMatrix<f64>,
) -> (DMatrix<f64>, DVector<f64>) {
    // Near points: the difference Q − P is exact, and log1p of the small eigenvalues loses nothing.
    let difference = whiten(l, &(q - p));
    if difference.norm() < 0.5 {
        let eigen = difference.symmetric_eigen();
        return (eigen.eigenvectors, eigen.eigenvalues.map(f64::ln_1p));
    }
    let eigen = whiten(l, q).symmetric_eigen();
    let (smallest, largest) = (eigen.eigenvalues.min(), eigen.eigenvalues.max());
    if smallest > 1e-6 * largest {
        return (eigen.eigenvectors, eigen.eigenvalues.map(f64::ln));
    }
    // Far apart: squared singular values of L⁻¹L_Q keep twice as many digits of the small eigenvalues.
    let mut root = factor(q);
    l.solve_lower_triangular_unchecked_mut(&mut root);
    match svd(&root) {
        Some(Svd { u, s, .. }) => (u, s.map(|s| 2.0 * s.ln())),
        None => (root, DVector::from_element(p.nrows(), f64::NAN)),
    }
}
