//! Private principal components: the leading eigenvector on the sphere, leading subspaces on Stiefel and Grassmann.

use crate::manifold::{Manifold, Sphere};
use crate::optimize::problem::{OracleError, Problem};
use nalgebra::{DMatrix, DVector};

/// The records, one a column.
fn checked(columns: &DMatrix<f64>) -> Result<(), OracleError> {
    if columns.ncols() == 0 || columns.nrows() == 0 {
        return Err(OracleError::NoRecords);
    }
    match columns.column_iter().position(|z| z.iter().any(|x| !x.is_finite())) {
        Some(record) => Err(OracleError::NotFinite { record, count: 1 }),
        None => Ok(()),
    }
}

/// min F(w) = −(1/n) Σ (wᵀzᵢ)² over the unit sphere: the leading eigenvector of (1/n) Σ zᵢzᵢᵀ (not centred).
/// ∇f(w; z) = −2 (wᵀz)(z − (wᵀz) w), of length at most ‖z‖².
#[derive(Debug, Clone)]
pub struct LeadingEigenvector {
    space: Sphere,
    records: DMatrix<f64>,
}

impl LeadingEigenvector {
    /// `records`: one a column, of dimension 2 or more.
    ///
    /// # Errors
    /// [`OracleError`] for no records, or numbers that are not finite.
    pub fn new(records: DMatrix<f64>) -> Result<Self, OracleError> {
        checked(&records)?;
        let space =
            Sphere::unit(records.nrows() - 1).map_err(|source| OracleError::Record { record: 0, source })?;
        Ok(Self { space, records })
    }
}

impl Problem for LeadingEigenvector {
    type Space = Sphere;

    fn space(&self) -> &Sphere {
        &self.space
    }

    fn records(&self) -> usize {
        self.records.ncols()
    }

    fn loss(&self, w: &DVector<f64>, i: usize) -> f64 {
        -self.records.column(i).dot(w).powi(2)
    }

    fn gradient(&self, w: &DVector<f64>, i: usize) -> Option<DVector<f64>> {
        let z = self.records.column(i);
        let along = z.dot(w);
        let mut v = w * (2.0 * along * along);
        v.axpy(-2.0 * along, &z, 1.0);
        Some(v)
    }
}

/// min F(W) = −(1/n) Σ ‖Wᵀzᵢ‖² over orthonormal m × r frames: the leading r-dimensional subspace of (1/n) Σ zᵢzᵢᵀ.
/// The loss depends on the span of W only, so it lives on [`Grassmann`](crate::manifold::Grassmann) as on
/// [`Stiefel`](crate::manifold::Stiefel).
#[derive(Debug, Clone)]
pub struct PrincipalSubspace<M> {
    space: M,
    records: DMatrix<f64>,
}

impl<M: Manifold<Point = DMatrix<f64>, Tangent = DMatrix<f64>>> PrincipalSubspace<M> {
    /// `space`: frames of as many rows as `records` has; `records`: one a column.
    ///
    /// # Errors
    /// [`OracleError`] for no records, or numbers that are not finite.
    pub fn new(space: M, records: DMatrix<f64>) -> Result<Self, OracleError> {
        checked(&records)?;
        Ok(Self { space, records })
    }
}

impl<M: Manifold<Point = DMatrix<f64>, Tangent = DMatrix<f64>>> Problem for PrincipalSubspace<M> {
    type Space = M;

    fn space(&self) -> &M {
        &self.space
    }

    fn records(&self) -> usize {
        self.records.ncols()
    }

    fn loss(&self, w: &DMatrix<f64>, i: usize) -> f64 {
        -w.tr_mul(&self.records.column(i)).norm_squared()
    }

    fn gradient(&self, w: &DMatrix<f64>, i: usize) -> Option<DMatrix<f64>> {
        let z = self.records.column(i);
        let along = w.tr_mul(&z);
        Some(self.space.project_tangent(w, &(z * along.transpose() * -2.0)))
    }
}
