//! The best rotation between two lists of vectors (Kabsch 1976; Umeyama 1991 for the sign).

use crate::mesh::Vector;
use nalgebra::{Matrix3, Rotation3};

/// The rotation O (det +1, never a reflection) that maximizes Σ w⟨a, O b⟩, so minimizes Σ w‖a − O b‖², over the
/// weighted pairs (a, b, w). The identity when the pairs leave it undetermined or are not finite.
pub fn best_rotation(pairs: impl IntoIterator<Item = (Vector, Vector, f64)>) -> Rotation3<f64> {
    let covariance: Matrix3<f64> = pairs.into_iter().map(|(a, b, w)| a * b.transpose() * w).sum();
    let largest = covariance.amax();
    if !(largest.is_finite() && largest > 0.0) {
        return Rotation3::identity();
    }
    let svd = (covariance / largest).svd(true, true);
    let (Some(u), Some(v_t)) = (svd.u, svd.v_t) else {
        return Rotation3::identity();
    };
    // The reflection, if one is needed, goes along the direction that matters least.
    let least = svd.singular_values.imin();
    let mut sign = Matrix3::identity();
    sign[(least, least)] = (u.determinant() * v_t.determinant()).signum();
    Rotation3::from_matrix_unchecked(u * sign * v_t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_known_rotation_is_found(axis in prop::array::uniform3(-3.0..3.0f64), flat in any::<bool>()) {
            let truth = Rotation3::new(Vector::from(axis));
            // Flat data leave the reflection as likely as the rotation: the sign must be put right.
            let b: Vec<Vector> = (0..9).map(|i| {
                let t = i as f64;
                Vector::new(t.sin(), (1.7 * t).cos(), if flat { 0.0 } else { 0.3 * t })
            }).collect();
            let found = best_rotation(b.iter().map(|b| (truth * b, *b, 1.0)));
            prop_assert!((found.matrix() - truth.matrix()).norm() < 1e-9);
            prop_assert!((found.matrix().determinant() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_mirror_image_gets_a_rotation() {
        let b = [Vector::x(), Vector::y() * 2.0, Vector::z() * 3.0];
        let found = best_rotation(b.iter().map(|b| (Vector::new(-b.x, b.y, b.z), *b, 1.0)));
        // Of all rotations the identity loses least: it gives up only the weakest direction.
        assert!((found.matrix() - Matrix3::identity()).norm() < 1e-9);
    }

    #[test]
    fn nothing_to_go_by_is_the_identity() {
        assert_eq!(best_rotation([]), Rotation3::identity());
        let nan = Vector::new(f64::NAN, 0.0, 0.0);
        assert_eq!(best_rotation([(nan, nan, 1.0)]), Rotation3::identity());
    }
}
