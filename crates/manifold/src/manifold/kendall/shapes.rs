//! Shapes of landmarks in the plane or in space, about one of them.

use crate::manifold::error::ManifoldError;
use crate::numeric::nearest_rotation;
use nalgebra::{DMatrix, Matrix3};

const NAME: &str = "landmark shape space";

/// Steps towards a mean, each of which leaves a share of the way that is of the order of the squared spread.
const MOST_STEPS: usize = 100;
/// A step this short is rounding error.
const STILL: f64 = 1e-13;

/// Kendall's shapes of k landmarks in ℝᵈ, d = 2 or 3, seen from one of them: configurations modulo translation, scale and rotation (no
/// reflection). A shape is a (k, d) matrix, one landmark a row, centred and of unit norm; rotations act on the right.
///
/// About a shape p, every other z has the vector log_p(z) = (θ/sin θ)(zR − cos θ p), R the rotation that maximizes cos θ = ⟨p, zR⟩ (Kabsch
/// 1976; Kendall, Barden, Carne, Le 1999, ch. 6): the initial velocity of a shortest geodesic, ‖log_p(z)‖ = θ ≤ π/2 the Riemannian distance. It
/// is horizontal: centred, orthogonal to p and to everything that turns p. Where several rotations are best, one of them is taken, so that
/// log_p is a function of p and z everywhere; continuous it need not be. In the plane this is [`super::Kendall`] in real coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LandmarkShapes {
    landmarks: usize,
    dimensions: usize,
}

impl LandmarkShapes {
    /// Shapes of so many landmarks in so many dimensions.
    ///
    /// # Errors
    /// Dimensions other than 2 and 3; fewer landmarks than d + 1, which have no shape of their own.
    pub fn new(landmarks: usize, dimensions: usize) -> Result<Self, ManifoldError> {
        let refused = |parameter, remedy| ManifoldError::Parameter { manifold: NAME, parameter, remedy };
        match dimensions {
            2 | 3 if landmarks > dimensions => Ok(Self { landmarks, dimensions }),
            2 => Err(refused("fewer than three landmarks in the plane", "mark at least three")),
            3 => Err(refused("fewer than four landmarks in space", "mark at least four")),
            _ => Err(refused("other than two or three coordinates", "give planar or spatial landmarks")),
        }
    }

    /// k.
    pub fn landmarks(&self) -> usize {
        self.landmarks
    }

    /// d.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The shape of a configuration and its centroid size (the root of the summed squared distances of the landmarks from their mean, in the
    /// configuration's own unit).
    ///
    /// # Errors
    /// The wrong number of rows or columns, a coordinate that is not finite, landmarks that all coincide.
    pub fn preshape(&self, configuration: &DMatrix<f64>) -> Result<(DMatrix<f64>, f64), ManifoldError> {
        let (k, d) = (self.landmarks, self.dimensions);
        if configuration.shape() != (k, d) {
            let found = configuration.len();
            return Err(ManifoldError::WrongSize { manifold: NAME, expected: k * d, found });
        }
        if configuration.iter().any(|x| !x.is_finite()) {
            return Err(ManifoldError::NotFinite(NAME));
        }
        // Dividing by the largest coordinate first keeps squares from overflowing or vanishing.
        let unit = configuration.amax();
        let mut z = if unit > 0.0 { configuration / unit } else { configuration.clone() };
        centre(&mut z);
        let size = z.norm();
        // Below this the differences between landmarks are rounding error.
        if size <= 1e-13 {
            return Err(ManifoldError::OffManifold {
                manifold: NAME,
                constraint: "has all its landmarks at one place",
                remedy: "mark it again",
            });
        }
        z /= size;
        centre(&mut z);
        z /= z.norm();
        Ok((z, size * unit))
    }

    /// z turned to match p best.
    pub fn rotated(&self, p: &DMatrix<f64>, z: &DMatrix<f64>) -> DMatrix<f64> {
        z * rotation(&z.tr_mul(p))
    }

    /// The Riemannian distance θ ∈ [0, π/2].
    pub fn dist(&self, p: &DMatrix<f64>, z: &DMatrix<f64>) -> f64 {
        self.log(p, z).norm()
    }

    /// log_p(z).
    pub fn log(&self, p: &DMatrix<f64>, z: &DMatrix<f64>) -> DMatrix<f64> {
        let turned = self.rotated(p, z);
        let cos = p.dot(&turned).clamp(-1.0, 1.0);
        let residual = turned - p * cos;
        let sin = residual.norm();
        if sin <= 1e-15 { residual } else { residual * (sin.atan2(cos) / sin) }
    }

    /// The shape at the end of the geodesic from p with this velocity.
    pub fn exp(&self, p: &DMatrix<f64>, v: &DMatrix<f64>) -> DMatrix<f64> {
        let length = v.norm();
        let sinc = if length > 1e-8 { length.sin() / length } else { 1.0 - length * length / 6.0 };
        let mut z = p * length.cos() + v * sinc;
        centre(&mut z);
        let norm = z.norm();
        z / norm
    }

    /// The Fréchet mean, sought from the first shape by steps along mean logarithms; `None` without shapes.
    pub fn mean(&self, shapes: &[DMatrix<f64>]) -> Option<DMatrix<f64>> {
        let mut p = shapes.first()?.clone();
        for _ in 0..MOST_STEPS {
            let mut step = DMatrix::zeros(self.landmarks, self.dimensions);
            shapes.iter().for_each(|z| step += self.log(&p, z) / shapes.len() as f64);
            if step.norm() < STILL {
                break;
            }
            p = self.exp(&p, &step);
        }
        Some(p)
    }

    /// The tangent part at p of any (k, d) matrix: without what moves, scales or turns p.
    pub fn project(&self, p: &DMatrix<f64>, v: &DMatrix<f64>) -> DMatrix<f64> {
        let mut v = v.clone();
        centre(&mut v);
        let mut rigid = vec![p.clone()];
        for a in 0..self.dimensions {
            for b in 0..a {
                let mut turn = DMatrix::zeros(self.landmarks, self.dimensions);
                turn.set_column(a, &p.column(b));
                turn.set_column(b, &-p.column(a));
                // Gram–Schmidt: turns of a shape are no multiples of one another, but need not be orthogonal.
                for other in &rigid {
                    turn -= other * other.dot(&turn);
                }
                let size = turn.norm();
                if size > 1e-12 {
                    rigid.push(turn / size);
                }
            }
        }
        for direction in &rigid {
            v -= direction * direction.dot(&v);
        }
        v
    }
}

fn centre(z: &mut DMatrix<f64>) {
    let mean = z.row_mean();
    z.row_iter_mut().for_each(|mut row| row -= &mean);
}

/// The rotation R that maximizes tr(Rᵀ M), M = zᵀp.
fn rotation(m: &DMatrix<f64>) -> DMatrix<f64> {
    if m.nrows() == 2 {
        let (c, s) = (m[(0, 0)] + m[(1, 1)], m[(0, 1)] - m[(1, 0)]);
        let size = c.hypot(s);
        // Any rotation does where all are as good.
        let (c, s) = if size > 0.0 { (c / size, s / size) } else { (1.0, 0.0) };
        return DMatrix::from_row_slice(2, 2, &[c, s, -s, c]);
    }
    let turn = Matrix3::from_fn(|i, j| m[(i, j)]);
    let turn = nearest_rotation(&turn).map(|(turn, _)| turn).unwrap_or_default();
    DMatrix::from_column_slice(3, 3, turn.matrix().as_slice())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::{Kendall, Manifold};
    use nalgebra::Rotation3;

    fn some(k: usize, d: usize, seed: usize) -> DMatrix<f64> {
        DMatrix::from_fn(k, d, |i, j| (((i + 1) * (j + 3) * (seed + 5) * 37 + 11 * j + i * i) % 101) as f64)
    }

    #[test]
    fn the_plane_is_kendalls() {
        let (space, plane) = (LandmarkShapes::new(7, 2).unwrap(), Kendall::new(7).unwrap());
        for seed in 0..20 {
            let [a, b] = [some(7, 2, seed), some(7, 2, 3 * seed + 1)];
            let rows = |m: &DMatrix<f64>| m.row_iter().map(|r| [r[0], r[1]]).collect::<Vec<_>>();
            let (p, z) = (plane.preshape(&rows(&a)).unwrap(), plane.preshape(&rows(&b)).unwrap());
            let ((q, _), (w, size)) = (space.preshape(&a).unwrap(), space.preshape(&b).unwrap());
            approx::assert_relative_eq!(plane.dist(&p, &z), space.dist(&q, &w), max_relative = 1e-12);
            let (v, u) = (plane.log(&p, &z).unwrap(), space.log(&q, &w));
            for (x, row) in v.iter().zip(u.row_iter()) {
                approx::assert_abs_diff_eq!(x.re, row[0], epsilon = 1e-12);
                approx::assert_abs_diff_eq!(x.im, row[1], epsilon = 1e-12);
            }
            let mean = b.row_mean();
            let expected: f64 = b.row_iter().map(|r| (r - &mean).norm_squared()).sum::<f64>().sqrt();
            approx::assert_relative_eq!(size, expected, max_relative = 1e-12);
        }
    }

    #[test]
    fn in_space_logarithms_are_horizontal_undone_by_exp_and_blind_to_similarities() {
        let space = LandmarkShapes::new(8, 3).unwrap();
        for seed in 0..20 {
            let (p, _) = space.preshape(&some(8, 3, seed)).unwrap();
            let other = some(8, 3, 3 * seed + 1);
            let (z, _) = space.preshape(&other).unwrap();
            let v = space.log(&p, &z);
            approx::assert_abs_diff_eq!((space.project(&p, &v) - &v).norm(), 0.0, epsilon = 1e-11);
            let back = space.rotated(&z, &space.exp(&p, &v));
            approx::assert_abs_diff_eq!((back - &z).norm(), 0.0, epsilon = 1e-10);
            let turn = Rotation3::from_euler_angles(0.3 * seed as f64, 1.0, -0.7);
            let turn = DMatrix::from_column_slice(3, 3, turn.matrix().as_slice());
            let (moved, _) = space.preshape(&((other * 4.2 * turn).add_scalar(7.0))).unwrap();
            approx::assert_abs_diff_eq!((space.log(&p, &moved) - &v).norm(), 0.0, epsilon = 1e-9);
        }
    }

    /// No rotation near the one that was found is better, and mirror images are other shapes.
    #[test]
    fn rotations_are_the_best_ones_and_never_reflections() {
        let space = LandmarkShapes::new(6, 3).unwrap();
        let (p, _) = space.preshape(&some(6, 3, 2)).unwrap();
        let mut mirrored = p.clone();
        mirrored.column_mut(0).neg_mut();
        for z in [mirrored.clone(), space.preshape(&some(6, 3, 9)).unwrap().0] {
            let best = p.dot(&space.rotated(&p, &z));
            for step in 0..60 {
                let angle = |j: usize| 0.2 * ((step * (j + 2) * 7 % 13) as f64 - 6.0);
                let turn = Rotation3::from_euler_angles(angle(0), angle(1), angle(2));
                let turn = DMatrix::from_column_slice(3, 3, turn.matrix().as_slice());
                assert!(p.dot(&(&z * turn)) <= best + 1e-12);
            }
        }
        assert!(space.dist(&p, &mirrored) > 0.1);
    }

    #[test]
    fn what_is_no_shape_is_refused() {
        let space = LandmarkShapes::new(4, 3).unwrap();
        assert!(space.preshape(&DMatrix::from_element(4, 3, 2.0)).is_err());
        assert!(space.preshape(&DMatrix::from_element(4, 2, 2.0)).is_err());
        assert!(space.preshape(&DMatrix::from_element(4, 3, f64::NAN)).is_err());
        assert!(space.preshape(&(some(4, 3, 1) * 1e300)).is_ok());
        for (k, d) in [(2, 2), (3, 3), (5, 1), (9, 4)] {
            assert!(LandmarkShapes::new(k, d).is_err());
        }
    }
}
