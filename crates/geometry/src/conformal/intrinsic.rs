//! The intrinsic shape of every triangle: edge lengths, flat frames, areas and cotangents.

use super::ConformalError;
use crate::mesh::TriMesh;
use nalgebra::Complex;

/// Smallest slack left in a triangle inequality, relative to the mean edge length.
///
/// Far below what a scan resolves, and far above rounding: a triangle with this slack still has an area that
/// is exact to some six digits.
const SLACK: f64 = 1e-7;

/// Triangles laid out flat one by one, in units of the mean edge length.
///
/// Lengths are mollified where needed (Sharp and Crane 2020, *A Laplacian for nonmanifold triangle meshes*,
/// § 4.5): one small length is added to every edge so that every triangle is strictly non-degenerate; the
/// angles of sound triangles keep their values to about seven digits, and nothing is added to a sound mesh.
#[derive(Debug, Clone)]
pub(crate) struct Intrinsic {
    /// Edge opposite corner k, from corner k + 1 to corner k + 2, as a vector in the triangle's own frame.
    opposite: Vec<[Complex<f64>; 3]>,
    double_area: Vec<f64>,
}

impl Intrinsic {
    /// Lays out every triangle.
    ///
    /// # Errors
    /// [`ConformalError::NoSize`] when the mean edge length is zero or not finite.
    pub(crate) fn new(mesh: &TriMesh) -> Result<Self, ConformalError> {
        let mut lengths: Vec<[f64; 3]> = (0..mesh.triangles().len())
            .map(|t| {
                let [a, b, c] = mesh.corners(t);
                [(c - b).norm(), (a - c).norm(), (b - a).norm()]
            })
            .collect();
        normalize(&mut lengths)?;
        let (opposite, double_area) = lengths.iter().map(lay_out).unzip();
        Ok(Self { opposite, double_area })
    }

    /// For each triangle, the edges opposite its corners as complex numbers; they sum to zero.
    pub(crate) fn opposite(&self) -> &[[Complex<f64>; 3]] {
        &self.opposite
    }

    /// Twice the area of each triangle.
    pub(crate) fn double_area(&self) -> &[f64] {
        &self.double_area
    }

    /// Cotangents of the three corner angles of triangle `t`.
    pub(crate) fn cotangents(&self, t: usize) -> [f64; 3] {
        let w = &self.opposite[t];
        // The angle at corner k lies between the edges towards k + 2 (= w[k+1] reversed) and k + 1 (= w[k+2]).
        [0, 1, 2].map(|k| {
            let (a, b) = (w[(k + 1) % 3], w[(k + 2) % 3]);
            -(a.re * b.re + a.im * b.im) / self.double_area[t]
        })
    }
}

/// Divides by the mean length, and mollifies.
fn normalize(lengths: &mut [[f64; 3]]) -> Result<(), ConformalError> {
    let mean_length = lengths.iter().flatten().sum::<f64>() / (3 * lengths.len()).max(1) as f64;
    if !(mean_length.is_normal() && (mean_length * mean_length).is_normal()) {
        return Err(ConformalError::NoSize { mean_length });
    }
    lengths.iter_mut().flatten().for_each(|l| *l /= mean_length);
    let missing = lengths
        .iter()
        .map(|&[a, b, c]| {
            let longest = a.max(b).max(c);
            SLACK - (a + b + c - 2.0 * longest)
        })
        .fold(0.0, f64::max);
    lengths.iter_mut().flatten().for_each(|l| *l += missing);
    Ok(())
}

/// Opposite edge vectors and twice the area of a triangle with these opposite lengths.
fn lay_out(&[a, b, c]: &[f64; 3]) -> ([Complex<f64>; 3], f64) {
    // Corner 0 at the origin, corner 1 on the positive real axis. Kahan's stable Heron formula.
    let mut sorted = [a, b, c];
    sorted.sort_by(|x, y| y.total_cmp(x));
    let [x, y, z] = sorted;
    let product = (x + (y + z)) * (z - (x - y)) * (z + (x - y)) * (x + (y - z));
    let double_area = 0.5 * product.max(0.0).sqrt();
    let foot = ((b - a) * (b + a) / c + c) / 2.0;
    let p1 = Complex::new(c, 0.0);
    let p2 = Complex::new(foot, double_area / c);
    ([p2 - p1, -p2, p1], double_area)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Point;

    fn one(points: [[f64; 3]; 3]) -> Intrinsic {
        let vertices = points.map(|[x, y, z]| Point::new(x, y, z)).to_vec();
        Intrinsic::new(&TriMesh::new(vertices, vec![[0, 1, 2]]).unwrap()).unwrap()
    }

    #[test]
    fn right_triangle_in_space() {
        // Legs 3 and 4, tilted out of the plane: angle at corner 0 is right.
        let shape = one([[1.0, 1.0, 1.0], [1.0, 4.0, 1.0], [1.0, 1.0, 5.0]]);
        // Mean edge length 4.
        approx::assert_relative_eq!(shape.double_area()[0], 12.0 / 16.0, epsilon = 1e-14);
        let [right, at_leg3, at_leg4] = shape.cotangents(0);
        approx::assert_relative_eq!(right, 0.0, epsilon = 1e-13);
        approx::assert_relative_eq!(at_leg3, 0.75, epsilon = 1e-13);
        approx::assert_relative_eq!(at_leg4, 4.0 / 3.0, epsilon = 1e-13);
        let sum: Complex<f64> = shape.opposite()[0].iter().sum();
        assert!(sum.norm() < 1e-15);
    }

    #[test]
    fn flat_triangles_get_area_and_points_do_not() {
        let shape = one([[0.0; 3], [1.0, 0.0, 0.0], [0.25, 0.0, 0.0]]);
        assert!(shape.double_area()[0] > 1e-5 && shape.double_area()[0] < 1e-2);
        let vertices = vec![Point::new(1.0, 2.0, 3.0); 3];
        let mesh = TriMesh::new(vertices, vec![[0, 1, 2]]).unwrap();
        assert!(
            matches!(Intrinsic::new(&mesh), Err(ConformalError::NoSize { mean_length }) if mean_length == 0.0)
        );
    }
}
