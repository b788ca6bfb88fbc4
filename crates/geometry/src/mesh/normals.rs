//! Directions of the normals of a point cloud, from local planes.

use super::neighbours::Neighbours;
use super::{Point, Vector};

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
            let [(bent, thin), (flat, thick)] = planes_at(points, neighbours, i, [FEW, MANY]);
            if thick > BEND * thin { bent } else { flat }
        })
        .collect()
}

/// The same, always through the `m` nearest neighbours.
pub(crate) fn plane_normals(points: &[Point], neighbours: &Neighbours, m: usize) -> Vec<Vector> {
    (0..points.len()).map(|i| planes_at(points, neighbours, i, [m])[0].0).collect()
}

/// The unit normals of the planes of best fit through point `i` and its so many nearest neighbours, rising numbers (zero where they lie on
/// a line), and the root mean square distances of these from them.
fn planes_at<const N: usize>(
    points: &[Point],
    neighbours: &Neighbours,
    i: usize,
    many: [usize; N],
) -> [(Vector, f64); N] {
    let near = neighbours.of(i);
    // Offsets from the point itself: no cancellation.
    let (mut sum, mut moments, mut taken) = (Vector::zeros(), Symmetric::default(), 0);
    many.map(|m| {
        let m = m.min(near.len());
        for &j in &near[taken..m] {
            let d = points[j as usize] - points[i];
            sum += d;
            moments = moments.plus(1.0, &d);
        }
        taken = m;
        let weight = 1.0 / (m as f64 + 1.0);
        let covariance = moments.times(weight).plus(-(weight * weight), &sum);
        let normal = smallest_axis(&covariance);
        (normal, covariance.along(&normal).max(0.0).sqrt())
    })
}

/// A symmetric matrix: xx, xy, xz, yy, yz, zz.
#[derive(Debug, Clone, Copy, Default)]
struct Symmetric([f64; 6]);

impl Symmetric {
    /// With w v vᵀ added.
    fn plus(self, w: f64, v: &Vector) -> Self {
        let Self([xx, xy, xz, yy, yz, zz]) = self;
        let u = v * w;
        Self([xx + u.x * v.x, xy + u.x * v.y, xz + u.x * v.z, yy + u.y * v.y, yz + u.y * v.z, zz + u.z * v.z])
    }

    fn times(self, factor: f64) -> Self {
        Self(self.0.map(|entry| entry * factor))
    }

    fn trace(&self) -> f64 {
        self.0[0] + self.0[3] + self.0[5]
    }

    /// vᵀ M v.
    fn along(&self, v: &Vector) -> f64 {
        (0..3).map(|k| self.column(k).dot(v) * v[k]).sum()
    }

    fn column(&self, k: usize) -> Vector {
        let [xx, xy, xz, yy, yz, zz] = self.0;
        match k {
            0 => Vector::new(xx, xy, xz),
            1 => Vector::new(xy, yy, yz),
            _ => Vector::new(xz, yz, zz),
        }
    }

    fn adjugate(&self) -> Self {
        let [xx, xy, xz, yy, yz, zz] = self.0;
        Self([
            yy * zz - yz * yz,
            xz * yz - xy * zz,
            xy * yz - xz * yy,
            xx * zz - xz * xz,
            xy * xz - xx * yz,
            xx * yy - xy * xy,
        ])
    }

    fn squared(&self) -> Self {
        let [xx, xy, xz, yy, yz, zz] = self.0;
        Self([
            xx * xx + xy * xy + xz * xz,
            xx * xy + xy * yy + xz * yz,
            xx * xz + xy * yz + xz * zz,
            xy * xy + yy * yy + yz * yz,
            xy * xz + yy * yz + yz * zz,
            xz * xz + yz * yz + zz * zz,
        ])
    }
}

/// A unit eigenvector for the smallest eigenvalue of a symmetric positive semidefinite matrix; zero when that is not
/// unique (rank one or less).
///
/// The adjugate has the same eigenvectors and the products of the other two eigenvalues, so its largest eigenvalue
/// belongs to the vector sought; six squarings raise the gap to the 64th power.
fn smallest_axis(m: &Symmetric) -> Vector {
    let mut power = m.adjugate();
    for _ in 0..6 {
        let trace = power.trace();
        if trace <= 1e-290 {
            return Vector::zeros();
        }
        power = power.times(1.0 / trace).squared();
    }
    let Symmetric([xx, _, _, yy, _, zz]) = power;
    let largest = if xx >= yy && xx >= zz { 0 } else { 1 + usize::from(zz > yy) };
    power.column(largest).try_normalize(0.0).unwrap_or_else(Vector::zeros)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Matrix3, SymmetricEigen};

    fn symmetric(m: &Matrix3<f64>) -> Symmetric {
        Symmetric([m[(0, 0)], m[(1, 0)], m[(2, 0)], m[(1, 1)], m[(2, 1)], m[(2, 2)]])
    }

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
            proptest::prop_assert!(smallest_axis(&symmetric(&m)).dot(&expected).abs() > 1.0 - 1e-9);
        }
    }

    #[test]
    fn a_line_has_no_normal() {
        let along = Vector::new(1.0, 2.0, 3.0);
        assert_eq!(smallest_axis(&Symmetric::default().plus(1.0, &along)), Vector::zeros());
    }
}
