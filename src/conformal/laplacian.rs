//! The cotangent Laplacian.

use super::ConformalError;
use super::elimination::Elimination;
use super::intrinsic::Intrinsic;
use crate::mesh::TriMesh;
use nalgebra_sparse::{CooMatrix, CscMatrix};

/// The cotangent Laplacian of a triangle mesh: symmetric, positive semi-definite, rows sum to zero.
///
///     L_ij = −(cot α_ij + cot β_ij)/2,   L_ii = −Σ_j L_ij
///
/// with α_ij, β_ij the angles opposite edge ij (one on the border). ½ uᵀ L u is the Dirichlet energy of the
/// piecewise linear function u; entries have no unit. Lengths of degenerate triangles are mollified.
/// Assembled in coordinate form and compressed, n × n with both triangles stored.
///
/// # Errors
/// [`ConformalError::NoSize`] when the mesh has no size.
///
/// # References
/// Pinkall and Polthier (1993), Computing discrete minimal surfaces and their conjugates, eq. 8.
pub fn cotangent_laplacian(mesh: &TriMesh) -> Result<CscMatrix<f64>, ConformalError> {
    let shape = Intrinsic::new(mesh)?;
    let n = mesh.vertices().len();
    let mut entries = CooMatrix::new(n, n);
    for (t, triangle) in mesh.triangles().iter().enumerate() {
        for (k, cotangent) in shape.cotangents(t).into_iter().enumerate() {
            let (i, j) = (triangle[(k + 1) % 3], triangle[(k + 2) % 3]);
            let half = 0.5 * cotangent;
            entries.push(i, i, half);
            entries.push(j, j, half);
            entries.push(i, j, -half);
            entries.push(j, i, -half);
        }
    }
    Ok(CscMatrix::from(&entries))
}

/// Sum of half cotangents on each side of each triangle: element `t`, side k (corner k to k + 1).
pub(crate) fn half_cotangents(shape: &Intrinsic) -> Vec<[f64; 3]> {
    (0..shape.double_area().len())
        .map(|t| {
            let c = shape.cotangents(t);
            [0.5 * c[2], 0.5 * c[0], 0.5 * c[1]]
        })
        .collect()
}

/// Lower triangle, in elimination order, of the Laplacian with these weights on the sides of the triangles
/// (the weight of an edge is the sum over its sides).
pub(crate) fn ordered_laplacian(elimination: &Elimination, side_weights: &[[f64; 3]]) -> CscMatrix<f64> {
    let mut lower = zero_matrix(elimination, 0.0);
    let values = lower.values_mut();
    for (slots, weights) in elimination.slots().iter().zip(side_weights) {
        for k in 0..3 {
            values[slots.side[k]] -= weights[k];
            values[slots.diagonal[k]] += weights[k];
            values[slots.diagonal[(k + 1) % 3]] += weights[k];
        }
    }
    lower
}

/// A matrix of the elimination's pattern filled with `zero`.
pub(crate) fn zero_matrix<T: Clone>(elimination: &Elimination, zero: T) -> CscMatrix<T> {
    let pattern = elimination.pattern().clone();
    let values = vec![zero; pattern.nnz()];
    match CscMatrix::try_from_pattern_and_values(pattern, values) {
        Ok(matrix) => matrix,
        Err(_) => unreachable!("one value was made for each entry of the pattern"),
    }
}
