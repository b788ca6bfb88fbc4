//! Edge weights of the cotangent Laplacian from edge lengths alone, safe on slivers.

use crate::mesh::TriMesh;
use crate::sparse::SymmetricBuilder;
use nalgebra_sparse::CscMatrix;

/// How far every triangle inequality must hold, relative to the mean edge: triangles of no area get a little.
const MOLLIFICATION: f64 = 1e-7;

/// Half-cotangent weights of the three sides of every triangle; side k is opposite corner k.
#[derive(Debug, Clone)]
pub struct SideWeights(pub Vec<[f64; 3]>);

/// ½ cot of the corner opposite each side, from intrinsically mollified lengths (Sharp and Crane 2020, §4.5:
/// one constant is added to all lengths so that every triangle inequality holds with a margin).
pub fn cotangent_weights(mesh: &TriMesh) -> SideWeights {
    let lengths: Vec<[f64; 3]> = (0..mesh.triangles().len())
        .map(|t| {
            let [a, b, c] = mesh.corners(t);
            [(c - b).norm(), (a - c).norm(), (b - a).norm()]
        })
        .collect();
    let mean = lengths.iter().flatten().sum::<f64>() / (3 * lengths.len()).max(1) as f64;
    let margin = MOLLIFICATION * mean;
    let lift = lengths
        .iter()
        .flat_map(|&[a, b, c]| [margin + a - b - c, margin + b - c - a, margin + c - a - b])
        .fold(0.0, f64::max);
    SideWeights(lengths.iter().map(|l| half_cotangents(l.map(|x| x + lift))).collect())
}

/// ½ cot α = (b² + c² − a²) / (8 · area), by Heron's formula in Kahan's stable order.
fn half_cotangents(lengths: [f64; 3]) -> [f64; 3] {
    let mut sorted = lengths;
    sorted.sort_by(|x, y| y.total_cmp(x));
    let [a, b, c] = sorted;
    let product = (a + (b + c)) * (c - (a - b)) * (c + (a - b)) * (a + (b - c));
    let area = 0.25 * product.max(0.0).sqrt();
    let squares = lengths.map(|l| l * l);
    let total: f64 = squares.iter().sum();
    squares.map(|s| if area > 0.0 { (total - 2.0 * s) / (8.0 * area) } else { 0.0 })
}

/// The Laplacian with unknowns renumbered by `place`, plus `shift` on the diagonal.
pub fn laplacian(mesh: &TriMesh, weights: &SideWeights, place: &[usize], shift: f64) -> CscMatrix<f64> {
    let mut builder = SymmetricBuilder::new(place.len());
    for (t, w) in mesh.triangles().iter().zip(&weights.0) {
        for k in 0..3 {
            let (i, j) = (place[t[(k + 1) % 3]], place[t[(k + 2) % 3]]);
            builder.add(i, j, -w[k]);
            builder.add(i, i, w[k]);
            builder.add(j, j, w[k]);
        }
    }
    (0..place.len()).for_each(|i| builder.add(i, i, shift));
    builder.build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Point;

    #[test]
    fn equilateral_and_right_triangles() {
        let w = half_cotangents([1.0; 3]);
        assert!(w.iter().all(|w| (w - 0.5 / 3f64.sqrt()).abs() < 1e-15));
        let w = half_cotangents([2f64.sqrt(), 1.0, 1.0]);
        assert!(w[0].abs() < 1e-15 && (w[1] - 0.5).abs() < 1e-15);
    }

    #[test]
    fn a_triangle_of_no_area_has_finite_weights() {
        let v = [[0., 0.], [1., 0.], [2., 0.], [1., 1.]].map(|[x, y]| Point::new(x, y, 0.0)).to_vec();
        let mesh = TriMesh::new(v, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
        assert!(cotangent_weights(&mesh).0.iter().flatten().all(|w| w.is_finite()));
    }
}
