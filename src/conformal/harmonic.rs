//! Harmonic functions on a disk with given boundary values.

use super::ConformalError;
use super::elimination::Elimination;
use super::factor::Factor;
use super::intrinsic::Intrinsic;
use super::laplacian::{half_cotangents, ordered_laplacian};
use crate::mesh::DiskMesh;
use faer::Mat;
use nalgebra::Complex;
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

    /// Factorizes a Laplacian given by its lower triangle on the pattern of the elimination.
    pub(crate) fn from_laplacian(
        elimination: &Arc<Elimination>,
        lower: Vec<f64>,
    ) -> Result<Self, ConformalError> {
        let factor = Factor::new(elimination, lower, Vec::new())?;
        let boundary_factor = factor.boundary_factor();
        Ok(Self { elimination: Arc::clone(elimination), factor, boundary_factor })
    }

    /// The Dirichlet-to-Neumann matrix S (Schur complement of the interior), k × k for k boundary vertices in
    /// loop order: ½ bᵀ S b is the Dirichlet energy of the harmonic function with boundary values b.
    pub(crate) fn dirichlet_to_neumann(&self) -> Mat<f64> {
        Factor::schur_complement(&self.boundary_factor)
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

#[cfg(test)]
mod tests {
    use super::super::cotangent_laplacian;
    use super::*;
    use crate::mesh::{Point, TriMesh};
    use nalgebra::{DMatrix, DVector};

    /// A bumpy grid of n × n vertices.
    fn bumpy(n: usize) -> DiskMesh {
        let vertices = (0..n * n)
            .map(|v| {
                let (x, y) = ((v % n) as f64, (v / n) as f64);
                Point::new(x + 0.2 * (3.0 * y).sin(), y, (1.3 * x).sin() * (0.9 * y).cos())
            })
            .collect();
        let triangles = (0..(n - 1) * (n - 1))
            .flat_map(|c| {
                let v = c / (n - 1) * n + c % (n - 1);
                [[v, v + 1, v + n + 1], [v, v + n + 1, v + n]]
            })
            .collect();
        DiskMesh::try_new(TriMesh::new(vertices, triangles).unwrap()).unwrap()
    }

    /// The same problem by dense elimination of the public Laplacian.
    fn dense(disk: &DiskMesh) -> (DMatrix<f64>, DMatrix<f64>, Vec<usize>) {
        let laplacian = DMatrix::from(&cotangent_laplacian(disk.mesh()).unwrap());
        let n = laplacian.nrows();
        let interior: Vec<usize> = (0..n).filter(|v| !disk.boundary().contains(v)).collect();
        let pick = |rows: &[usize], columns: &[usize]| laplacian.select_rows(rows).select_columns(columns);
        let inverse = pick(&interior, &interior).try_inverse().unwrap();
        let extension = -inverse * pick(&interior, disk.boundary());
        let schur = pick(disk.boundary(), disk.boundary()) + pick(disk.boundary(), &interior) * &extension;
        (extension, schur, interior)
    }

    #[test]
    fn agrees_with_dense_elimination() {
        for n in [2, 3, 7, 12] {
            let disk = bumpy(n);
            let solver = HarmonicSolver::new(&disk).unwrap();
            let (extension, schur, interior) = dense(&disk);
            let k = disk.boundary().len();
            let values: Vec<f64> = (0..k).map(|j| (1.7 * j as f64).sin()).collect();
            let found = solver.extend(&values).unwrap();
            let expected = extension * DVector::from_column_slice(&values);
            interior.iter().zip(expected.iter()).for_each(|(&v, e)| assert!((found[v] - e).abs() < 1e-12));
            disk.boundary().iter().zip(&values).for_each(|(&v, e)| assert_eq!(found[v], *e));
            let operator = solver.dirichlet_to_neumann();
            for i in 0..k {
                for j in 0..k {
                    assert!((operator[(i, j)] - schur[(i, j)]).abs() < 1e-11, "{n}: {i} {j}");
                }
            }
        }
    }

    #[test]
    fn both_coordinates_at_once_are_the_two_alone() {
        let disk = bumpy(6);
        let solver = HarmonicSolver::new(&disk).unwrap();
        let z: Vec<Complex<f64>> =
            (0..disk.boundary().len()).map(|j| Complex::from_polar(1.0 + j as f64, j as f64)).collect();
        let both = solver.extend_map(&z).unwrap();
        let re = solver.extend(&z.iter().map(|z| z.re).collect::<Vec<_>>()).unwrap();
        both.iter().zip(&re).for_each(|(z, x)| assert!((z.re - x).abs() < 1e-13));
        assert_eq!(
            solver.extend(&[1.0]).unwrap_err().to_string(),
            "1 values given where the mesh has 20 boundary vertices"
        );
    }
}
