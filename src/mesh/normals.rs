//! Directions of the normals of a point cloud, from local planes.

use super::neighbours::Neighbours;
use super::{Point, Vector};
use nalgebra::Matrix3;

/// Neighbours in the plane of a point where the surface bends, and elsewhere.
const FEW: usize = 6;
const MANY: usize = 16;
/// The surface bends where the thickness of the larger neighbourhood is more than this times that of the smaller:
/// noise makes both equally thick, curvature makes thickness grow with the area.
const BEND: f64 = 1.5;

/// Unit normals, of either sign, of the planes of best fit: through many neighbours where only noise keeps them from
/// lying in a plane, through few where the surface bends.
pub(crate) fn normals(points: &[Point], neighbours: &Neighbours) -> Vec<Vector> {
    (0..points.len())
        .map(|i| {
            let (bent, thin) = plane_at(points, neighbours, i, FEW);
            let (flat, thick) = plane_at(points, neighbours, i, MANY);
            if thick > BEND * thin { bent } else { flat }
        })
        .collect()
}

/// The same, always through the `m` nearest neighbours.
pub(crate) fn plane_normals(points: &[Point], neighbours: &Neighbours, m: usize) -> Vec<Vector> {
    (0..points.len()).map(|i| plane_at(points, neighbours, i, m).0).collect()
}

/// The unit normal of the plane of best fit through point `i` and its `m` nearest neighbours (zero where they lie on
/// a line), and the root mean square distance of these from it.
fn plane_at(points: &[Point], neighbours: &Neighbours, i: usize, m: usize) -> (Vector, f64) {
    let near = &neighbours.of(i)[..m.min(neighbours.k())];
    // Offsets from the point itself: no cancellation.
    let (mut sum, mut moments) = (Vector::zeros(), Matrix3::zeros());
    for &j in near {
        let d = points[j as usize] - points[i];
        sum += d;
        moments += d * d.transpose();
    }
    let weight = 1.0 / (near.len() as f64 + 1.0);
    let covariance = moments * weight - sum * sum.transpose() * (weight * weight);
    let normal = smallest_axis(&covariance);
    (normal, (covariance * normal).dot(&normal).max(0.0).sqrt())
}

/// A unit eigenvector for the smallest eigenvalue of a symmetric positive semidefinite matrix; zero when that is not
/// unique (rank one or less).
///
/// The adjugate has the same eigenvectors and the products of the other two eigenvalues, so its largest eigenvalue
/// belongs to the vector sought; six squarings raise the gap to the 64th power.
pub(crate) fn smallest_axis(m: &Matrix3<f64>) -> Vector {
    let (a, b, c) = (m.column(0), m.column(1), m.column(2));
    let mut power = Matrix3::from_columns(&[b.cross(&c), c.cross(&a), a.cross(&b)]);
    for _ in 0..6 {
        let trace = power.trace();
        if trace <= 1e-290 {
            return Vector::zeros();
        }
        power /= trace;
        power *= power;
    }
    let k = power.diagonal().imax();
    power.column(k).into_owned().try_normalize(0.0).unwrap_or_else(Vector::zeros)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::SymmetricEigen;

    proptest::proptest! {
        /// Against an iterative eigensolver, wherever the smallest eigenvalue stands apart.
        #[test]
        fn smallest_axis_is_the_eigenvector(x in proptest::array::uniform9(-1.0f64..1.0)) {
            let root = Matrix3::from_column_slice(&x);
            let m = root * root.transpose();
            let eigen = SymmetricEigen::new(m);
            let mut values: Vec<f64> = eigen.eigenvalues.iter().copied().collect();
            values.sort_by(f64::total_cmp);
            proptest::prop_assume!(values[1] > 1.7 * values[0] && values[1] > 1e-6);
            let expected = eigen.eigenvectors.column(eigen.eigenvalues.imin()).into_owned();
            proptest::prop_assert!(smallest_axis(&m).dot(&expected).abs() > 1.0 - 1e-9);
        }
    }

    #[test]
    fn a_line_has_no_normal() {
        let along = Vector::new(1.0, 2.0, 3.0);
        assert_eq!(smallest_axis(&(along * along.transpose())), Vector::zeros());
    }
}
