//! Sparse symmetric positive definite systems: assembled with `nalgebra-sparse`, factored by `faer`'s supernodal
//! Cholesky with a fill-reducing order.
//!
//! A block of unknowns can be kept to the end of the elimination; its Schur complement (for a Laplacian and its
//! boundary: the Dirichlet-to-Neumann operator) is then read off the factor.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::amd;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky, supernodal::SupernodalLltRef,
};
use faer::sparse::linalg::{SupernodalThreshold, SymbolicSupernodalParams};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};
use nalgebra::DMatrix;
use nalgebra_sparse::{CooMatrix, CscMatrix};

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

/// A Cholesky factorization.
pub struct SparseCholesky {
    symbolic: SymbolicCholesky<usize>,
    values: Vec<f64>,
    kept_last: usize,
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
        Self::with_order(matrix, SymmetricOrdering::Amd, 0)
    }

    /// Factors with the last `kept` unknowns eliminated last, in their order.
    ///
    /// # Errors
    /// [`NotPositiveDefinite`].
    pub fn keeping_last(matrix: &CscMatrix<f64>, kept: usize) -> Result<Self, NotPositiveDefinite> {
        let n = matrix.nrows();
        let first = n.checked_sub(kept).ok_or(NotPositiveDefinite)?;
        let mut order = fill_reducing_order(matrix, first)?;
        order.extend(first..n);
        let mut inverse = vec![0; n];
        order.iter().enumerate().for_each(|(place, &i)| inverse[i] = place);
        let order = faer::perm::PermRef::new_checked(&order, &inverse, n);
        Self::with_order(matrix, SymmetricOrdering::Custom(order), kept)
    }

    fn with_order(
        matrix: &CscMatrix<f64>,
        order: SymmetricOrdering<'_, usize>,
        kept_last: usize,
    ) -> Result<Self, NotPositiveDefinite> {
        // faer reports success on NaN input.
        if !matrix.values().iter().all(|v| v.is_finite()) {
            return Err(NotPositiveDefinite);
        }
        let params = CholeskySymbolicParams {
            supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
            supernodal_params: SymbolicSupernodalParams::default(),
            ..Default::default()
        };
        let symbolic = factorize_symbolic_cholesky(pattern(matrix), Side::Lower, order, params)
            .map_err(|_| NotPositiveDefinite)?;
        let mut factor = Self { values: vec![0.0; symbolic.len_val()], symbolic, kept_last };
        factor.refactor(matrix)?;
        Ok(factor)
    }

    /// Factors new values on the same pattern, reusing the symbolic analysis.
    ///
    /// # Errors
    /// [`NotPositiveDefinite`].
    pub fn refactor(&mut self, matrix: &CscMatrix<f64>) -> Result<(), NotPositiveDefinite> {
        if !matrix.values().iter().all(|v| v.is_finite()) {
            return Err(NotPositiveDefinite);
        }
        let view = SparseColMatRef::new(pattern(matrix), matrix.values());
        let scratch = self.symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
        let mut memory = MemBuffer::try_new(scratch).map_err(|_| NotPositiveDefinite)?;
        self.symbolic
            .factorize_numeric_llt(
                &mut self.values,
                view,
                Side::Lower,
                Default::default(),
                Par::Seq,
                MemStack::new(&mut memory),
                Default::default(),
            )
            .map_err(|_| NotPositiveDefinite)?;
        Ok(())
    }

    /// Solves for several right-hand sides in place, column by column.
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

    /// The lower-triangular factor of the Schur complement of the unknowns kept last: S = F Fᵀ.
    ///
    /// `None` unless made by [`SparseCholesky::keeping_last`].
    pub fn schur_factor(&self) -> Option<DMatrix<f64>> {
        let kept = self.kept_last;
        let SymbolicCholeskyRaw::Supernodal(symbolic) = self.symbolic.raw() else { return None };
        if kept == 0 {
            return None;
        }
        let first = self.symbolic.nrows() - kept;
        let factor = SupernodalLltRef::<usize, f64>::new(symbolic, &self.values);
        let mut out = DMatrix::zeros(kept, kept);
        for s in 0..symbolic.n_supernodes() {
            let node = factor.supernode(s);
            let (start, block) = (node.start(), node.val());
            for k in 0..block.ncols() {
                let Some(column) = (start + k).checked_sub(first) else { continue };
                for row in k..block.nrows() {
                    let i =
                        if row < block.ncols() { start + row } else { node.pattern()[row - block.ncols()] };
                    out[(i - first, column)] = block[(row, k)];
                }
            }
        }
        Some(out)
    }
}

fn pattern(matrix: &CscMatrix<f64>) -> SymbolicSparseColMatRef<'_, usize> {
    SymbolicSparseColMatRef::new_checked(
        matrix.nrows(),
        matrix.ncols(),
        matrix.col_offsets(),
        None,
        matrix.row_indices(),
    )
}

/// Approximate minimum degree order of the leading `first` unknowns.
fn fill_reducing_order(matrix: &CscMatrix<f64>, first: usize) -> Result<Vec<usize>, NotPositiveDefinite> {
    let mut offsets = Vec::with_capacity(first + 1);
    let mut rows = Vec::with_capacity(matrix.nnz());
    offsets.push(0);
    for column in 0..first {
        let (start, end) = (matrix.col_offsets()[column], matrix.col_offsets()[column + 1]);
        rows.extend(matrix.row_indices()[start..end].iter().filter(|&&r| r < first));
        offsets.push(rows.len());
    }
    let view = SymbolicSparseColMatRef::new_checked(first, first, &offsets, None, &rows);
    let (mut order, mut inverse) = (vec![0; first], vec![0; first]);
    let mut memory = MemBuffer::try_new(amd::order_scratch::<usize>(first, rows.len()))
        .map_err(|_| NotPositiveDefinite)?;
    amd::order(&mut order, &mut inverse, view, Default::default(), MemStack::new(&mut memory))
        .map_err(|_| NotPositiveDefinite)?;
    Ok(order)
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
    fn solves_and_schur_complement_agree_with_dense() {
        let matrix = grid(9);
        let dense = DMatrix::from(&matrix);
        let kept = 17;
        for factor in
            [SparseCholesky::new(&matrix).unwrap(), SparseCholesky::keeping_last(&matrix, kept).unwrap()]
        {
            let rhs = DMatrix::from_fn(81, 2, |i, j| ((7 * i + 3 * j) % 11) as f64);
            let mut x = rhs.clone();
            factor.solve_in_place(&mut x);
            assert!((&dense * x - rhs).norm() < 1e-11);
        }
        let factor = SparseCholesky::keeping_last(&matrix, kept).unwrap().schur_factor().unwrap();
        let (a, b) = (81 - kept, kept);
        let top = dense.view((0, 0), (a, a)).into_owned().cholesky().unwrap();
        let off = dense.view((0, a), (a, b)).into_owned();
        let schur = dense.view((a, a), (b, b)) - off.transpose() * top.solve(&off);
        assert!((&factor * factor.transpose() - schur).norm() < 1e-12);
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
