//! Harmonic functions on a disk with given boundary values.

use super::ConformalError;
use super::elimination::Elimination;
use super::factor::Factor;
use faer::Mat;
use nalgebra::Complex;
use std::sync::Arc;

/// Solves the Dirichlet problem L u = 0 inside, u given on the boundary, as often as wanted: one factorization
/// when made, one pair of triangular solves each time.
pub struct HarmonicSolver {
    elimination: Arc<Elimination>,
    factor: Factor<f64>,
    boundary_factor: Mat<f64>,
}

impl HarmonicSolver {
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

    /// The harmonic map to the plane with these values on the boundary, given in the order of [`DiskMesh::boundary`]; returns
    /// one value per vertex, in vertex order.
    ///
    /// # Errors
    /// [`ConformalError::WrongLength`] unless there is one value per boundary vertex.
    ///
    /// [`DiskMesh::boundary`]: crate::mesh::DiskMesh::boundary
    pub fn extend_map(&self, boundary: &[Complex<f64>]) -> Result<Vec<Complex<f64>>, ConformalError> {
        let k = self.boundary_factor.nrows();
        if boundary.len() != k {
            let what = "boundary vertices";
            return Err(ConformalError::WrongLength { what, given: boundary.len(), expected: k });
        }
        // With y = (0, L_Sᵀ b), Lᵀ x = y gives x = b on the boundary and harmonic values inside.
        let first = self.elimination.n_interior();
        let right = Mat::from_fn(k, 2, |k, j| if j == 0 { boundary[k].re } else { boundary[k].im });
        let product = self.boundary_factor.transpose() * &right;
        let mut x = Mat::zeros(self.elimination.n(), 2);
        x.subrows_mut(first, k).copy_from(&product);
        self.factor.backward(x.as_mut())?;
        x.subrows_mut(first, k).copy_from(&right);
        Ok(self.elimination.position().iter().map(|&p| Complex::new(x[(p, 0)], x[(p, 1)])).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformal::intrinsic::Intrinsic;
    use crate::conformal::laplacian::{cotangent_laplacian, half_cotangents, ordered_laplacian};
    use crate::mesh::{DiskMesh, Point, TriMesh};
    use nalgebra::DMatrix;

    fn solver(disk: &DiskMesh) -> HarmonicSolver {
        let elimination = Arc::new(Elimination::new(disk).unwrap());
        let weights = half_cotangents(&Intrinsic::new(disk.mesh()).unwrap());
        let laplacian = ordered_laplacian(&elimination, &weights);
        HarmonicSolver::from_laplacian(&elimination, laplacian).unwrap()
    }

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

    /// The same problem by dense elimination of the Laplacian assembled entry by entry.
    fn dense(disk: &DiskMesh) -> (DMatrix<f64>, DMatrix<f64>, Vec<usize>) {
        let laplacian = cotangent_laplacian(disk.mesh());
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
            let solver = solver(&disk);
            let (extension, schur, interior) = dense(&disk);
            let k = disk.boundary().len();
            let values: Vec<Complex<f64>> =
                (0..k).map(|j| Complex::new((1.7 * j as f64).sin(), (0.6 * j as f64).cos())).collect();
            let found = solver.extend_map(&values).unwrap();
            for (row, &v) in interior.iter().enumerate() {
                let expected: Complex<f64> = (0..k).map(|j| values[j] * extension[(row, j)]).sum();
                assert!((found[v] - expected).norm() < 1e-12);
            }
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
    fn a_square_has_its_centre_in_the_middle_and_wants_all_its_corners() {
        let vertices =
            [[0., 0.], [1., 0.], [1., 1.], [0., 1.], [0.5, 0.5]].map(|[x, y]| Point::new(x, y, 0.0)).to_vec();
        let triangles = (0..4).map(|i| [i, (i + 1) % 4, 4]).collect();
        let disk = DiskMesh::try_new(TriMesh::new(vertices, triangles).unwrap()).unwrap();
        let solver = solver(&disk);
        let corners: Vec<_> = disk.boundary().iter().map(|&v| Complex::new(v as f64, 1.0)).collect();
        assert!((solver.extend_map(&corners).unwrap()[4] - Complex::new(1.5, 1.0)).norm() < 1e-14);
        assert_eq!(
            solver.extend_map(&corners[1..]).unwrap_err().to_string(),
            "3 values given where the mesh has 4 boundary vertices"
        );
    }
}
