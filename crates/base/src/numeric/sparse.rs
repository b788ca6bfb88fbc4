//! Sparse symmetric positive definite systems: assembled with `nalgebra-sparse`, factored by `faer`'s supernodal
//! Cholesky with a fill-reducing order.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::linalg::{SupernodalThreshold, SymbolicSupernodalParams};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};
use nalgebra::DMatrix;
use nalgebra_sparse::{CooMatrix, CscMatrix};
use std::sync::Arc;

/// The matrix is not positive definite (or holds a NaN), or memory ran out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the linear system is not positive definite")]
pub struct NotPositiveDefinite;

/// Collects the entries of a symmetric matrix; repeated entries add up.
#[derive(Debug, Clone)]
pub struct SymmetricBuilder {
    coo: CooMatrix<f64>,
}

impl SymmetricBuilder {
    /// An n × n matrix of zeros.
    pub fn new(n: usize) -> Self {
        Self { coo: CooMatrix::new(n, n) }
    }

    /// Adds `value` at (i, j) and, off the diagonal, at (j, i).
    pub fn add(&mut self, i: usize, j: usize, value: f64) {
        self.coo.push(i, j, value);
        if i != j {
            self.coo.push(j, i, value);
        }
    }

    /// The matrix, compressed by columns.
    pub fn build(&self) -> CscMatrix<f64> {
        CscMatrix::from(&self.coo)
    }
}

/// What of a factorization depends on where a matrix has entries alone: for matrices that have them in the same places.
#[derive(Clone)]
#[doc(hidden)]
pub struct SparsePattern {
    symbolic: Arc<SymbolicCholesky<usize>>,
}

impl SparsePattern {
    /// Of a symmetric matrix (both triangles stored).
    ///
    /// # Errors
    /// [`NotPositiveDefinite`] when memory ran out.
    pub fn of(matrix: &CscMatrix<f64>) -> Result<Self, NotPositiveDefinite> {
        let params = CholeskySymbolicParams {
            supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
            supernodal_params: SymbolicSupernodalParams::default(),
            ..Default::default()
        };
        factorize_symbolic_cholesky(places(matrix), Side::Lower, SymmetricOrdering::Amd, params)
            .map(|symbolic| Self { symbolic: Arc::new(symbolic) })
            .map_err(|_| NotPositiveDefinite)
    }
}

/// Where a matrix has entries.
fn places(matrix: &CscMatrix<f64>) -> SymbolicSparseColMatRef<'_, usize> {
    let (rows, columns) = (matrix.nrows(), matrix.ncols());
    SymbolicSparseColMatRef::new_checked(rows, columns, matrix.col_offsets(), None, matrix.row_indices())
}

/// A Cholesky factorization.
pub struct SparseCholesky {
    symbolic: Arc<SymbolicCholesky<usize>>,
    values: Vec<f64>,
}

impl std::fmt::Debug for SparseCholesky {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SparseCholesky({} unknowns)", self.symbolic.nrows())
    }
}

impl SparseCholesky {
    /// Factors a symmetric matrix (both triangles stored).
    ///
    /// # Errors
    /// [`NotPositiveDefinite`].
    pub fn new(matrix: &CscMatrix<f64>) -> Result<Self, NotPositiveDefinite> {
        Self::with(&SparsePattern::of(matrix)?, matrix)
    }

    /// The same, for a matrix with entries where the pattern's has them.
    ///
    /// # Errors
    /// [`NotPositiveDefinite`].
    #[doc(hidden)]
    pub fn with(pattern: &SparsePattern, matrix: &CscMatrix<f64>) -> Result<Self, NotPositiveDefinite> {
        // faer reports success on NaN input.
        if !matrix.values().iter().all(|v| v.is_finite()) {
            return Err(NotPositiveDefinite);
        }
        let symbolic = Arc::clone(&pattern.symbolic);
        let mut values = vec![0.0; symbolic.len_val()];
        let scratch = symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
        let mut memory = MemBuffer::try_new(scratch).map_err(|_| NotPositiveDefinite)?;
        symbolic
            .factorize_numeric_llt(
                &mut values,
                SparseColMatRef::new(places(matrix), matrix.values()),
                Side::Lower,
                Default::default(),
                Par::Seq,
                MemStack::new(&mut memory),
                Default::default(),
            )
            .map_err(|_| NotPositiveDefinite)?;
        Ok(Self { symbolic, values })
    }

    /// Solves for several right-hand sides in place, column by column; as many rows as the matrix has.
    pub fn solve_in_place(&self, columns: &mut DMatrix<f64>) {
        let (rows, count) = columns.shape();
        let mut memory = MemBuffer::new(self.symbolic.solve_in_place_scratch::<f64>(count, Par::Seq));
        LltRef::<usize, f64>::new(&self.symbolic, &self.values).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(columns.as_mut_slice(), rows, count),
            Par::Seq,
            MemStack::new(&mut memory),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Grid Laplacian plus a small multiple of the identity.
    fn grid(side: usize) -> CscMatrix<f64> {
        let mut b = SymmetricBuilder::new(side * side);
        let mut edge = |i: usize, j: usize| {
            b.add(i, j, -1.0);
            b.add(i, i, 1.0);
            b.add(j, j, 1.0);
        };
        for y in 0..side {
            for x in 0..side {
                if x + 1 < side {
                    edge(y * side + x, y * side + x + 1);
                }
                if y + 1 < side {
                    edge(y * side + x, (y + 1) * side + x);
                }
            }
        }
        (0..side * side).for_each(|i| b.add(i, i, 0.01 * (1.0 + i as f64)));
        b.build()
    }

    #[test]
    fn solves_agree_with_dense() {
        let matrix = grid(9);
        let dense = DMatrix::from(&matrix);
        let rhs = DMatrix::from_fn(81, 2, |i, j| ((7 * i + 3 * j) % 11) as f64);
        let mut x = rhs.clone();
        SparseCholesky::new(&matrix).unwrap().solve_in_place(&mut x);
        assert!((&dense * x - rhs).norm() < 1e-11);
    }

    #[test]
    fn indefinite_and_nan_are_refused() {
        let mut b = SymmetricBuilder::new(2);
        b.add(0, 0, 1.0);
        b.add(1, 1, -1.0);
        assert!(SparseCholesky::new(&b.build()).is_err());
        b.add(1, 1, f64::NAN);
        assert!(SparseCholesky::new(&b.build()).is_err());
    }
}
