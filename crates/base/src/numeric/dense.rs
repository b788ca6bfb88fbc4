//! Dense systems.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par, Side};

/// Whether the lower triangle is that of a positive definite matrix; replaces it by its Cholesky factor.
#[doc(hidden)]
pub fn cholesky_in_place(matrix: MatMut<'_, f64>) -> bool {
    let scratch = llt::factor::cholesky_in_place_scratch::<f64>(matrix.nrows(), Par::Seq, Default::default());
    let Ok(mut memory) = MemBuffer::try_new(scratch) else { return false };
    let memory = MemStack::new(&mut memory);
    llt::factor::cholesky_in_place(matrix, Default::default(), Par::Seq, memory, Default::default()).is_ok()
}

/// The product of two matrices.
#[doc(hidden)]
pub fn product(left: MatRef<'_, f64>, right: MatRef<'_, f64>) -> Mat<f64> {
    let mut out = Mat::zeros(left.nrows(), right.ncols());
    matmul(out.as_mut(), Accum::Replace, left, right, 1.0, Par::Seq);
    out
}

/// An orthonormal basis of what the columns span.
#[doc(hidden)]
pub fn orthonormal_columns(matrix: &Mat<f64>) -> Mat<f64> {
    matrix.qr().compute_thin_Q()
}

/// Eigenvalues, rising, and eigenvectors as columns, of the symmetric matrix with this lower triangle; `None` where they were not found.
#[doc(hidden)]
pub fn symmetric_eigen(matrix: MatRef<'_, f64>) -> Option<(Vec<f64>, Mat<f64>)> {
    let eigen = matrix.self_adjoint_eigen(Side::Lower).ok()?;
    Some((eigen.S().column_vector().iter().copied().collect(), eigen.U().to_owned()))
}
