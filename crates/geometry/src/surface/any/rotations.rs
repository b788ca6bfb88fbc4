//! Rotations spread evenly over all of them.

use nalgebra::{Quaternion, Rotation3, UnitQuaternion};
use std::f64::consts::{SQRT_2, TAU};

/// The root of ψ⁴ = ψ + 4.
const PSI: f64 = 1.533_751_168_755_204_3;

/// So many rotations, spread as super-Fibonacci spirals (Alexa 2022).
pub(super) fn spread(count: usize) -> Vec<Rotation3<f64>> {
    let n = count as f64;
    let one = |i: usize| {
        let s = i as f64 + 0.5;
        let (r, big) = ((s / n).sqrt(), (1.0 - s / n).sqrt());
        let ((a, b), (c, d)) = ((TAU * s / SQRT_2).sin_cos(), (TAU * s / PSI).sin_cos());
        UnitQuaternion::from_quaternion(Quaternion::new(r * a, r * b, big * c, big * d)).to_rotation_matrix()
    };
    (0..count).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::pose::angle_between;

    #[test]
    fn every_rotation_has_one_nearby() {
        let all = spread(1500);
        for other in spread(97) {
            let nearest = all.iter().map(|r| angle_between(r, &other)).fold(f64::INFINITY, f64::min);
            assert!(nearest.to_degrees() < 20.0, "{nearest}");
        }
    }
}
