//! Numeric Cholesky factor in the elimination order of a disk, its solves, and the Schur complement on the
//! boundary that its end holds.

use super::ConformalError;
use super::elimination::{Elimination, as_faer};
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::sparse::SparseColMatRef;
use faer::sparse::linalg::cholesky::supernodal::{self, SupernodalLltRef};
use faer::traits::ComplexField;
use faer::traits::ext::ComplexFieldExt;
use faer::{Accum, Conj, Mat, MatMut, Par};
use nalgebra::Complex;
use std::ops::{AddAssign, SubAssign};
use std::sync::Arc;

/// A number type matrices are factorized in.
pub(crate) trait Entry: ComplexField + Copy + AddAssign + SubAssign {
    /// Rounds to this type; real types drop the imaginary part.
    fn round(z: Complex<f64>) -> Self;
    /// Back in double precision.
    fn widen(self) -> Complex<f64>;
}

impl Entry for f64 {
    fn round(z: Complex<f64>) -> Self {
        z.re
    }
    fn widen(self) -> Complex<f64> {
        Complex::from(self)
    }
}

impl Entry for Complex<f64> {
    fn round(z: Complex<f64>) -> Self {
        z
    }
    fn widen(self) -> Complex<f64> {
        self
    }
}

impl Entry for Complex<f32> {
    fn round(z: Complex<f64>) -> Self {
        Complex::new(z.re as f32, z.im as f32)
    }
    fn widen(self) -> Complex<f64> {
        Complex::new(f64::from(self.re), f64::from(self.im))
    }
}

/// Supernodal L with L Lᴴ = A + (identity on the boundary), A Hermitian on the edges of the mesh.
///
/// The identity makes a matrix with a null space (constants, similarities) definite. It changes neither the
/// interior rows nor, once subtracted, the Schur complement; A should have entries of the order of one.
pub(crate) struct Factor<T> {
    elimination: Arc<Elimination>,
    values: Vec<T>,
}

impl<T: Entry> Factor<T> {
    /// Factorizes the Hermitian matrix with these entries in its lower triangle (pattern and order of the
    /// elimination); they are used up. `storage` may be the memory of an earlier factor.
    ///
    /// # Errors
    /// [`ConformalError::Factorization`] when the interior block is not positive definite to rounding.
    pub(crate) fn new(
        elimination: &Arc<Elimination>,
        mut lower: Vec<T>,
        storage: Vec<T>,
    ) -> Result<Self, ConformalError> {
        let pattern = elimination.pattern();
        for j in elimination.n_interior()..elimination.n() {
            lower[pattern.major_offsets()[j]] += T::round(Complex::ONE);
        }
        let symbolic = elimination.symbolic();
        let mut values = storage;
        values.resize(symbolic.len_val(), T::round(Complex::ZERO));
        let scratch = supernodal::factorize_supernodal_numeric_llt_scratch::<usize, T>(
            symbolic,
            Par::Seq,
            Default::default(),
        );
        let failed = |e: String| ConformalError::Factorization(e);
        let mut memory = MemBuffer::try_new(scratch).map_err(|e| failed(format!("{e:?}")))?;
        supernodal::factorize_supernodal_numeric_llt(
            &mut values,
            SparseColMatRef::new(as_faer(pattern), &lower),
            Default::default(),
            symbolic,
            Par::Seq,
            MemStack::new(&mut memory),
            Default::default(),
        )
        .map_err(|e| failed(format!("{e:?}")))?;
        Ok(Self { elimination: Arc::clone(elimination), values })
    }

    /// The memory, for another factor.
    pub(crate) fn into_storage(self) -> Vec<T> {
        self.values
    }

    fn llt(&self) -> SupernodalLltRef<'_, usize, T> {
        SupernodalLltRef::new(self.elimination.symbolic(), &self.values)
    }

    fn with_scratch(&self, columns: usize, job: impl FnOnce(&mut MemStack)) -> Result<(), ConformalError> {
        let scratch: StackReq = self.elimination.symbolic().solve_in_place_scratch::<T>(columns, Par::Seq);
        let mut memory =
            MemBuffer::try_new(scratch).map_err(|e| ConformalError::Factorization(format!("{e:?}")))?;
        job(MemStack::new(&mut memory));
        Ok(())
    }

    /// x ← L⁻¹ x (elimination order).
    pub(crate) fn forward(&self, x: MatMut<'_, T>) -> Result<(), ConformalError> {
        self.with_scratch(x.ncols(), |stack| self.llt().l_solve_with_conj(Conj::No, x, Par::Seq, stack))
    }

    /// x ← L⁻ᴴ x (elimination order).
    pub(crate) fn backward(&self, x: MatMut<'_, T>) -> Result<(), ConformalError> {
        self.with_scratch(x.ncols(), |stack| {
            self.llt().l_transpose_solve_with_conj(Conj::Yes, x, Par::Seq, stack);
        })
    }

    /// The last block of L: lower triangular, L_S L_Sᴴ = Schur complement of the interior + 1.
    pub(crate) fn boundary_factor(&self) -> Mat<T> {
        let first = self.elimination.n_interior();
        let k = self.elimination.n() - first;
        let mut out = Mat::from_fn(k, k, |_, _| T::round(Complex::ZERO));
        let symbolic = self.elimination.symbolic();
        let ends = symbolic.supernode_end();
        for s in (0..symbolic.n_supernodes()).rev() {
            if ends[s] <= first {
                break;
            }
            let node = self.llt().supernode(s);
            let (start, width) = (node.start(), node.val().ncols());
            for column in first.max(start)..start + width {
                let local = column - start;
                for row in column..start + width {
                    out[(row - first, column - first)] = node.val()[(row - start, local)];
                }
                for (i, &row) in node.pattern().iter().enumerate() {
                    out[(row - first, column - first)] = node.val()[(width + i, local)];
                }
            }
        }
        out
    }

    /// The Schur complement L_S L_Sᴴ − 1 of the interior, both triangles filled.
    pub(crate) fn schur_complement(boundary_factor: &Mat<T>) -> Mat<T> {
        let k = boundary_factor.nrows();
        let mut out = Mat::from_fn(k, k, |_, _| T::round(Complex::ZERO));
        triangular::matmul(
            out.as_mut(),
            BlockStructure::TriangularLower,
            Accum::Replace,
            boundary_factor.as_ref(),
            BlockStructure::TriangularLower,
            boundary_factor.adjoint(),
            BlockStructure::TriangularUpper,
            T::round(Complex::ONE),
            Par::Seq,
        );
        for j in 0..k {
            out[(j, j)] -= T::round(Complex::ONE);
            for i in j + 1..k {
                out[(j, i)] = out[(i, j)].conj();
            }
        }
        out
    }
}
