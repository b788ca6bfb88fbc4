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
    /// The identity.
    pub fn identity() -> Self {
        Self { a: Complex::ZERO, turn: Complex::ONE }
    }

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

    /// The point taken to 0.
    pub fn a(&self) -> Complex<f64> {
        self.a
    }

    /// The turn φ in (−π, π].
    pub fn angle(&self) -> f64 {
        self.turn.arg()
    }

    /// The image of a point of the closed disk.
    pub fn apply(&self, z: Complex<f64>) -> Complex<f64> {
        self.turn * (z - self.a) / (1.0 - self.a.conj() * z)
    }

    /// `self` after `first`.
    pub fn compose(&self, first: &Self) -> Self {
        // The point that goes to 0 is first⁻¹(a).
        let a = first.inverse().apply(self.a);
        // Derivatives at that point multiply; each is a turn times a positive number.
        let turn = self.turn * first.turn * (1.0 + first.turn.conj() * self.a * first.a.conj()).powi(2);
        let turn = match turn.norm() {
            r if r > 0.0 => turn / r,
            _ => Complex::ONE,
        };
        Self { a, turn }
    }

    /// The inverse automorphism.
    pub fn inverse(&self) -> Self {
        Self { a: -self.turn * self.a, turn: self.turn.conj() }
    }
}
