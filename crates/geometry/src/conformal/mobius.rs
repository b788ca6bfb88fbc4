//! Automorphisms of the unit disk.

use super::ConformalError;
use nalgebra::Complex;

/// The disk automorphism z ↦ e^{iφ} (z − a)/(1 − ā z), |a| < 1: it takes a to 0 and the circle to itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mobius {
    a: Complex<f64>,
    turn: Complex<f64>,
}

impl Mobius {
    /// Takes `a` to 0, then turns by `angle` radians counter-clockwise.
    ///
    /// # Errors
    /// [`ConformalError::BadPoint`] unless |a| < 1.
    pub fn new(a: Complex<f64>, angle: f64) -> Result<Self, ConformalError> {
        if a.norm() < 1.0 && angle.is_finite() {
            Ok(Self { a, turn: Complex::from_polar(1.0, angle) })
        } else {
            Err(ConformalError::BadPoint(format!("{a} is not inside the unit disk: it cannot go to 0")))
        }
    }

    /// Takes `centre` to 0 and `up` to the positive imaginary axis.
    ///
    /// # Errors
    /// [`ConformalError::BadPoint`] unless |centre| < 1, |up| ≤ 1 and the two differ.
    pub fn centring(centre: Complex<f64>, up: Complex<f64>) -> Result<Self, ConformalError> {
        let to_zero = Self::new(centre, 0.0)?;
        let direction = to_zero.apply(up);
        if !(direction.norm() > 0.0 && direction.norm() < 1.0 + 1e-9) {
            return Err(ConformalError::BadPoint(format!(
                "{up} gives no direction from {centre}: it must be another point of the disk"
            )));
        }
        let turn = Complex::<f64>::I * direction.conj() / direction.norm();
        Ok(Self { a: centre, turn: turn / turn.norm() })
    }

    /// The image of a point of the closed disk.
    pub fn apply(&self, z: Complex<f64>) -> Complex<f64> {
        self.turn * (z - self.a) / (1.0 - self.a.conj() * z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point(limit: f64) -> impl Strategy<Value = Complex<f64>> {
        (0.0..limit, 0.0..std::f64::consts::TAU).prop_map(|(r, t)| Complex::from_polar(r, t))
    }

    fn mobius() -> impl Strategy<Value = Mobius> {
        (point(0.95), -3.0..3.0f64).prop_map(|(a, t)| Mobius::new(a, t).unwrap())
    }

    proptest! {
        /// The pseudo-hyperbolic distance |z − w|/|1 − w̄ z| is what all automorphisms keep (Schwarz–Pick).
        #[test]
        fn keeps_the_pseudo_hyperbolic_distance(f in mobius(), z in point(0.99), w in point(0.99)) {
            let distance = |z: Complex<f64>, w: Complex<f64>| ((z - w) / (1.0 - w.conj() * z)).norm();
            prop_assert!((distance(f.apply(z), f.apply(w)) - distance(z, w)).abs() < 1e-9);
        }

        #[test]
        fn keeps_the_circle(f in mobius(), t in -3.0..3.0f64) {
            prop_assert!((f.apply(Complex::from_polar(1.0, t)).norm() - 1.0).abs() < 1e-12);
            prop_assert!(f.apply(Complex::from_polar(0.999, t)).norm() < 1.0);
        }

        #[test]
        fn centring_puts_the_two_points_in_place(c in point(0.99), up in point(1.0)) {
            prop_assume!((c - up).norm() > 1e-6);
            let f = Mobius::centring(c, up).unwrap();
            prop_assert_eq!(f.apply(c), Complex::ZERO);
            prop_assert!(f.apply(up).re.abs() < 1e-12 && f.apply(up).im > 0.0);
        }
    }

    #[test]
    fn known_values() {
        // a = 1/2: 0 ↦ −1/2, 1 ↦ 1, 1/2 ↦ 0, then a quarter turn.
        let f = Mobius::new(Complex::new(0.5, 0.0), std::f64::consts::FRAC_PI_2).unwrap();
        assert!((f.apply(Complex::ZERO) - Complex::new(0.0, -0.5)).norm() < 1e-15);
        assert!((f.apply(Complex::ONE) - Complex::<f64>::I).norm() < 1e-15);
        assert_eq!(f.apply(Complex::new(0.5, 0.0)), Complex::ZERO);
    }

    #[test]
    fn points_outside_are_refused() {
        for a in [Complex::new(1.0, 0.0), Complex::new(0.8, 0.8), Complex::new(f64::NAN, 0.0)] {
            assert!(matches!(Mobius::new(a, 0.0), Err(ConformalError::BadPoint(_))));
        }
        assert!(Mobius::centring(Complex::ZERO, Complex::ZERO).is_err());
        assert!(Mobius::centring(Complex::ZERO, Complex::new(1.5, 0.0)).is_err());
    }
}
