//! The cotangent Laplacian of a triangle mesh: symmetric, positive semi-definite, rows sum to zero.
//!
//! L_ij = −(cot α_ij + cot β_ij)/2, L_ii = −Σ_j L_ij,
//!
//! with α_ij, β_ij the angles opposite edge ij (one on the border). ½ uᵀ L u is the Dirichlet energy of the piecewise linear
//! function u; entries have no unit. Lengths of degenerate triangles are mollified.
//!
//! Pinkall and Polthier (1993), Computing discrete minimal surfaces and their conjugates, eq. 8.

use super::elimination::Elimination;
use super::intrinsic::Intrinsic;

/// Sum of half cotangents on each side of each triangle: element `t`, side k (corner k to k + 1).
pub(crate) fn half_cotangents(shape: &Intrinsic) -> Vec<[f64; 3]> {
    (0..shape.double_area().len())
        .map(|t| {
            let c = shape.cotangents(t);
            [0.5 * c[2], 0.5 * c[0], 0.5 * c[1]]
        })
        .collect()
}

/// Lower triangle, on the pattern of the elimination, of the Laplacian with these weights on the sides of the triangles
/// (the weight of an edge is the sum over its sides).
pub(crate) fn ordered_laplacian(elimination: &Elimination, side_weights: &[[f64; 3]]) -> Vec<f64> {
    let mut values = vec![0.0; elimination.pattern().nnz()];
    for (slots, weights) in elimination.slots().iter().zip(side_weights) {
        for k in 0..3 {
            values[slots.side[k]] -= weights[k];
            values[slots.diagonal[k]] += weights[k];
            values[slots.diagonal[(k + 1) % 3]] += weights[k];
        }
    }
    values
}

/// The whole matrix, entry by entry: what the ordered one is checked against.
#[cfg(test)]
pub(super) fn cotangent_laplacian(mesh: &crate::mesh::TriMesh) -> nalgebra::DMatrix<f64> {
    let shape = Intrinsic::new(mesh).unwrap();
    let mut laplacian = nalgebra::DMatrix::zeros(mesh.vertices().len(), mesh.vertices().len());
    for (t, triangle) in mesh.triangles().iter().enumerate() {
        for (k, cotangent) in shape.cotangents(t).into_iter().enumerate() {
            let (i, j) = (triangle[(k + 1) % 3], triangle[(k + 2) % 3]);
            for (row, column, sign) in [(i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)] {
                laplacian[(row, column)] += sign * 0.5 * cotangent;
            }
        }
    }
    laplacian
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Point, TriMesh};

    /// A tilted planar patch: 3 × 3 vertices of uneven spacing.
    fn patch() -> TriMesh {
        let at = |i: usize| [0.0, 0.7, 2.0][i];
        let vertices: Vec<Point> = (0..9)
            .map(|v| {
                let (x, y) = (at(v % 3), at(v / 3) + 0.1 * at(v % 3));
                Point::new(x, 0.8 * y, 0.6 * y)
            })
            .collect();
        let triangles = [0, 1, 3, 4].iter().flat_map(|&c| [[c, c + 1, c + 4], [c, c + 4, c + 3]]).collect();
        TriMesh::new(vertices, triangles).unwrap()
    }

    #[test]
    fn is_symmetric_with_zero_rows_and_the_energy_of_linear_functions() {
        let mesh = patch();
        let dense = cotangent_laplacian(&mesh);
        assert!((&dense - dense.transpose()).amax() < 1e-15);
        assert!(dense.column_sum().amax() < 1e-14);
        // The first coordinate has a gradient of length one on the patch: energy = area / 2.
        let x = nalgebra::DVector::from_iterator(9, mesh.vertices().iter().map(|p| p.x));
        let energy = 0.5 * x.dot(&(&dense * &x));
        approx::assert_relative_eq!(energy, 0.5 * mesh.area(), epsilon = 1e-13);
        // Linear functions are harmonic at the one interior vertex.
        assert!((&dense * &x)[4].abs() < 1e-14);
    }

    #[test]
    fn equilateral_weights() {
        let h = 3f64.sqrt() / 2.0;
        let vertices = vec![Point::origin(), Point::new(1., 0., 0.), Point::new(0.5, h, 0.)];
        let mesh = TriMesh::new(vertices, vec![[0, 1, 2]]).unwrap();
        let laplacian = cotangent_laplacian(&mesh);
        let weight = 0.5 / 3f64.sqrt();
        let expected = nalgebra::DMatrix::from_fn(3, 3, |i, j| if i == j { 2.0 * weight } else { -weight });
        approx::assert_relative_eq!(laplacian, expected, epsilon = 1e-15);
    }
}
