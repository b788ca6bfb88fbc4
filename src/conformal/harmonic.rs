//! Harmonic functions on a disk with given boundary values.

use super::ConformalError;
use super::elimination::Elimination;
use super::factor::Factor;
use super::intrinsic::Intrinsic;
use super::laplacian::{half_cotangents, ordered_laplacian};
use crate::mesh::DiskMesh;
use faer::Mat;
use nalgebra::Complex;
use nalgebra_sparse::CscMatrix;
use std::sync::Arc;

/// Solves the Dirichlet problem L u = 0 inside, u given on the boundary, as often as wanted: one factorization
/// when made, one pair of triangular solves each time.
///
/// # Example
/// ```
/// use visard::conformal::HarmonicSolver;
/// use visard::mesh::{DiskMesh, Point, TriMesh};
/// // A square with its centre: by symmetry the centre takes the mean of the corners.
/// let vertices = [[0., 0.], [1., 0.], [1., 1.], [0., 1.], [0.5, 0.5]].map(|[x, y]| Point::new(x, y, 0.0)).to_vec();
/// let triangles = (0..4).map(|i| [i, (i + 1) % 4, 4]).collect();
/// let disk = DiskMesh::try_new(TriMesh::new(vertices, triangles).unwrap()).unwrap();
/// let solver = HarmonicSolver::new(&disk).unwrap();
/// let corners: Vec<f64> = disk.boundary().iter().map(|&v| v as f64).collect();
/// assert!((solver.extend(&corners).unwrap()[4] - 1.5).abs() < 1e-14);
/// ```
pub struct HarmonicSolver {
    elimination: Arc<Elimination>,
    factor: Factor<f64>,
    boundary_factor: Mat<f64>,
}

impl HarmonicSolver {
    /// Factorizes the cotangent Laplacian of the disk.
    ///
    /// # Errors
    /// [`ConformalError::NoSize`] or [`ConformalError::Factorization`] on meshes with no usable geometry.
    pub fn new(disk: &DiskMesh) -> Result<Self, ConformalError> {
        let shape = Intrinsic::new(disk.mesh())?;
        let elimination = Arc::new(Elimination::new(disk)?);
        let laplacian = ordered_laplacian(&elimination, &half_cotangents(&shape));
        Self::from_laplacian(&elimination, laplacian)
    }

    /// Factorizes a Laplacian given by its ordered lower triangle.
    pub(crate) fn from_laplacian(
        elimination: &Arc<Elimination>,
        lower: CscMatrix<f64>,
    ) -> Result<Self, ConformalError> {
        let factor = Factor::new(elimination, lower, 1.0)?;
        let boundary_factor = factor.boundary_factor();
        Ok(Self { elimination: Arc::clone(elimination), factor, boundary_factor })
    }

    /// The Dirichlet-to-Neumann matrix S (Schur complement of the interior), k × k for k boundary vertices in
    /// loop order: ½ bᵀ S b is the Dirichlet energy of the harmonic function with boundary values b.
    pub(crate) fn dirichlet_to_neumann(&self) -> Mat<f64> {
        self.factor.schur_complement(&self.boundary_factor)
    }

    /// The harmonic function with these values on the boundary, given in the order of
    /// [`DiskMesh::boundary`]; returns one value per vertex, in vertex order.
    ///
    /// # Errors
    /// [`ConformalError::WrongLength`] unless there is one value per boundary vertex.
    pub fn extend(&self, boundary: &[f64]) -> Result<Vec<f64>, ConformalError> {
        let solved = self.solve(boundary.len(), 1, |k, _| boundary[k])?;
        Ok(self.elimination.position().iter().map(|&p| solved[(p, 0)]).collect())
    }

    /// As [`HarmonicSolver::extend`] for both coordinates of a map to the plane at once.
    ///
    /// # Errors
    /// [`ConformalError::WrongLength`] unless there is one value per boundary vertex.
    pub fn extend_map(&self, boundary: &[Complex<f64>]) -> Result<Vec<Complex<f64>>, ConformalError> {
        let solved =
            self.solve(boundary.len(), 2, |k, j| if j == 0 { boundary[k].re } else { boundary[k].im })?;
        Ok(self
            .elimination
            .position()
            .iter()
            .map(|&p| Complex::new(solved[(p, 0)], solved[(p, 1)]))
            .collect())
    }

    fn solve(
        &self,
        given: usize,
        columns: usize,
        boundary: impl Fn(usize, usize) -> f64,
    ) -> Result<Mat<f64>, ConformalError> {
        let k = self.boundary_factor.nrows();
        if given != k {
            return Err(ConformalError::WrongLength { what: "boundary vertices", given, expected: k });
        }
        // With y = (0, L_Sᵀ b), Lᵀ x = y gives x = b on the boundary and harmonic values inside.
        let first = self.elimination.n_interior();
        let right = Mat::from_fn(k, columns, &boundary);
        let product = self.boundary_factor.transpose() * &right;
        let mut x = Mat::zeros(self.elimination.n(), columns);
        x.subrows_mut(first, k).copy_from(&product);
        self.factor.backward(x.as_mut())?;
        x.subrows_mut(first, k).copy_from(&right);
        Ok(x)
    }
}
