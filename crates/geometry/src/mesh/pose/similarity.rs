//! Similarities of space, and the best one for pairs of points.

use super::super::{Point, Vector};
use crate::numeric::nearest_rotation;
use nalgebra::{Matrix3, Rotation3};

/// x ↦ s R x + t, from template to scan coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Similarity {
    /// s > 0: scan units per template unit.
    pub scale: f64,
    /// R, a proper rotation.
    pub rotation: Rotation3<f64>,
    /// t.
    pub translation: Vector,
}

/// The angle between two rotations, from the length of their difference: unlike the arc cosine of the trace exact for small ones, and
/// never undefined.
pub(crate) fn angle_between(a: &Rotation3<f64>, b: &Rotation3<f64>) -> f64 {
    let half = (a.matrix() - b.matrix()).norm() / 8f64.sqrt();
    2.0 * libm::asin(half.min(1.0))
}

impl Similarity {
    /// x ↦ x.
    pub fn identity() -> Self {
        Self { scale: 1.0, rotation: Rotation3::identity(), translation: Vector::zeros() }
    }

    /// This map after another.
    pub fn after(&self, first: &Self) -> Self {
        Self {
            scale: self.scale * first.scale,
            rotation: self.rotation * first.rotation,
            translation: self.scale * (self.rotation * first.translation) + self.translation,
        }
    }

    /// From the image back to the point.
    pub fn inverse(&self) -> Self {
        let (scale, rotation) = (1.0 / self.scale, self.rotation.inverse());
        Self { scale, rotation, translation: rotation * self.translation * -scale }
    }

    /// The image of a point.
    pub fn apply(&self, p: &Point) -> Point {
        Point::from(self.scale * (self.rotation * p.coords) + self.translation)
    }

    /// The image of a displacement.
    pub fn turn(&self, displacement: &Vector) -> Vector {
        self.rotation * displacement * self.scale
    }

    /// The point whose image is `p`.
    pub fn invert(&self, p: &Point) -> Point {
        Point::from(self.rotation.inverse() * (p.coords - self.translation) / self.scale)
    }

    /// The best in the least-squares sense for weighted pairs (Umeyama 1991), never a reflection.
    pub fn fit(from: &[Point], to: &[Point], weights: &[f64]) -> Option<Self> {
        let total: f64 = weights.iter().sum();
        if total <= 0.0 {
            return None;
        }
        let mean = |points: &[Point]| -> Vector {
            points.iter().zip(weights).map(|(p, w)| p.coords * *w).sum::<Vector>() / total
        };
        let (a, b) = (mean(from), mean(to));
        let (mut cross, mut spread) = (Matrix3::zeros(), 0.0);
        for ((p, q), w) in from.iter().zip(to).zip(weights) {
            let (u, v) = (p.coords - a, q.coords - b);
            cross += *w * v * u.transpose();
            spread += w * u.norm_squared();
        }
        let (rotation, stretch) = nearest_rotation(&cross)?;
        let scale = stretch / spread;
        (scale.is_finite() && scale > 0.0).then(|| Self {
            scale,
            rotation,
            translation: b - scale * (rotation * a),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn fit_recovers_a_similarity_exactly() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(2);
        let from: Vec<Point> =
            (0..20).map(|_| Point::new(rng.random(), rng.random(), rng.random())).collect();
        let truth = Similarity {
            scale: 3.7,
            rotation: Rotation3::from_euler_angles(0.4, -1.1, 2.9),
            translation: Vector::new(5.0, -2.0, 9.0),
        };
        let to: Vec<Point> = from.iter().map(|p| truth.apply(p)).collect();
        let found = Similarity::fit(&from, &to, &[1.0; 20]).unwrap();
        approx::assert_relative_eq!(found.scale, truth.scale, max_relative = 1e-12);
        assert!((found.rotation.matrix() - truth.rotation.matrix()).norm() < 1e-12);
        assert!((truth.invert(&to[3]) - from[3]).norm() < 1e-12);
        assert!((truth.inverse().apply(&to[3]) - from[3]).norm() < 1e-12);
        let twice = truth.after(&found).apply(&from[5]);
        assert!((twice - truth.apply(&to[5])).norm() < 1e-11);
        assert_eq!(Similarity::identity().apply(&from[2]), from[2]);
    }

    #[test]
    fn a_mirror_image_is_met_by_a_rotation_not_a_reflection() {
        let from: Vec<Point> =
            [[0., 0., 0.], [1., 0., 0.], [0., 2., 0.], [0., 0., 3.]].map(Point::from).to_vec();
        let to: Vec<Point> = from.iter().map(|p| Point::new(-p.x, p.y, p.z)).collect();
        let found = Similarity::fit(&from, &to, &[1.0; 4]).unwrap();
        assert!(found.rotation.matrix().determinant() > 0.999);
    }
}
