//! Offsets of a template's vertices, where some are known, smoothed and continued.

use crate::mesh::{MeshError, TriMesh, Vector};
use crate::numeric::{SparseCholesky, SparsePattern, SymmetricBuilder};
use nalgebra::DMatrix;
use nalgebra_sparse::CscMatrix;

/// Pull of offsets towards zero, relative to that of one neighbour: beyond the scan they fade over some ten edges.
const FADING: f64 = 0.01;

/// Minimizes Σ |v − offset|² over the vertices with a known one + `stiffness` Σ |vᵢ − vⱼ|² over edges. What the triangles alone decide is
/// found once.
pub(super) struct Smoother {
    /// The vertices that share an edge with each.
    pub neighbours: Vec<Vec<u32>>,
    /// The equations of vertices none of which has a known offset.
    matrix: CscMatrix<f64>,
    /// Where the diagonal stands among the matrix's values.
    diagonal: Vec<usize>,
    pattern: SparsePattern,
}

impl Smoother {
    /// For the triangles of a mesh.
    pub fn new(mesh: &TriMesh, stiffness: f64) -> Result<Self, MeshError> {
        let neighbours = neighbours(mesh);
        let n = neighbours.len();
        let mut builder = SymmetricBuilder::new(n);
        for (i, around) in neighbours.iter().enumerate() {
            builder.add(i, i, stiffness * (around.len() as f64 + FADING));
            let before = around.iter().map(|&j| j as usize).filter(|&j| j < i);
            before.for_each(|j| builder.add(i, j, -stiffness));
        }
        let matrix = builder.build();
        let (starts, rows) = (matrix.col_offsets(), matrix.row_indices());
        let diagonal = (0..n).filter_map(|i| (starts[i]..starts[i + 1]).find(|&k| rows[k] == i)).collect();
        let pattern = SparsePattern::of(&matrix).map_err(|_| unsolvable())?;
        Ok(Self { neighbours, matrix, diagonal, pattern })
    }

    /// Smooth offsets of all vertices.
    pub fn smoothed(&self, known: &[Option<Vector>]) -> Result<Vec<Vector>, MeshError> {
        let n = known.len();
        let mut matrix = self.matrix.clone();
        let mut right = DMatrix::zeros(n, 3);
        for (i, v) in known.iter().enumerate() {
            let Some(v) = v else { continue };
            matrix.values_mut()[self.diagonal[i]] += 1.0;
            (0..3).for_each(|d| right[(i, d)] = v[d]);
        }
        let factor = SparseCholesky::with(&self.pattern, &matrix).map_err(|_| unsolvable())?;
        factor.solve_in_place(&mut right);
        Ok((0..n).map(|i| Vector::new(right[(i, 0)], right[(i, 1)], right[(i, 2)])).collect())
    }
}

fn unsolvable() -> MeshError {
    MeshError::Degenerate("the registered positions cannot be smoothed".to_owned())
}

/// The vertices that share an edge with each.
fn neighbours(mesh: &TriMesh) -> Vec<Vec<u32>> {
    let mut out = vec![Vec::with_capacity(8); mesh.vertices().len()];
    for t in mesh.triangles() {
        for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
            for (a, b) in [(a, b), (b, a)] {
                if !out[a].contains(&(b as u32)) {
                    out[a].push(b as u32);
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Point;

    /// A strip of triangles, all vertices of which but the last have the same offset: it is kept, shrunk by little, and carried on.
    #[test]
    fn a_common_offset_is_kept_and_carried_on() {
        let vertices = (0..8).map(|k| Point::new((k / 2) as f64, (k % 2) as f64, 0.0)).collect();
        let triangles =
            (0..6).map(|k| if k % 2 == 0 { [k, k + 1, k + 2] } else { [k + 1, k, k + 2] }).collect();
        let smoother = Smoother::new(&TriMesh::new(vertices, triangles).unwrap(), 0.5).unwrap();
        let offset = Vector::new(1.0, -2.0, 3.0);
        let known: Vec<Option<Vector>> = (0..8).map(|i| (i < 7).then_some(offset)).collect();
        for v in smoother.smoothed(&known).unwrap() {
            assert!((v - offset).norm() < 0.03 * offset.norm(), "{v}");
        }
    }
}
