//! Conformal automorphisms of the unit disk.

use super::{Complex, DiskMap};

/// z ↦ e^{iφ}(z − a)/(1 − āz), |a| < 1: every conformal map of the disk onto itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mobius {
    turn: Complex,
    centre: Complex,
}

impl Mobius {
    /// The map that does nothing.
    pub const IDENTITY: Mobius =
        Mobius { turn: Complex { re: 1.0, im: 0.0 }, centre: Complex { re: 0.0, im: 0.0 } };

    /// Takes `centre` (inside the disk; points outside are pulled just inside) to 0 without turning its surroundings.
    pub fn to_centre(centre: Complex) -> Self {
        let r = centre.norm();
        let centre = if r < 0.999_999 { centre } else { centre * (0.999_999 / r) };
        Self { turn: Complex::new(1.0, 0.0), centre }
    }

    /// Rotation by `angle` radians, counter-clockwise.
    pub fn rotation(angle: f64) -> Self {
        Self { turn: Complex::from_polar(1.0, angle), centre: Complex::new(0.0, 0.0) }
    }

    /// Takes `centre` to 0 and then turns so that `upward` lies on the positive imaginary axis.
    pub fn recentring(centre: Complex, upward: Complex) -> Self {
        let to_centre = Self::to_centre(centre);
        let up = to_centre.apply(upward);
        to_centre.then(Self::rotation(std::f64::consts::FRAC_PI_2 - up.arg()))
    }

    /// The image of a point of the closed disk.
    pub fn apply(&self, z: Complex) -> Complex {
        self.turn * (z - self.centre) / (Complex::new(1.0, 0.0) - self.centre.conj() * z)
    }

    /// The image of a whole map; what is on the circle stays exactly on it.
    pub fn apply_to(&self, map: &DiskMap) -> DiskMap {
        let z = map.z.iter().map(|&z| {
            let image = self.apply(z);
            if (z.norm() - 1.0).abs() < 1e-12 { image / image.norm() } else { image }
        });
        DiskMap { z: z.collect() }
    }

    /// This map, then `next`.
    pub fn then(self, next: Mobius) -> Mobius {
        // The composition's zero is this map's preimage of next's zero; its turn is read off at one boundary point.
        let centre = self.inverse().apply(next.centre);
        let plain = Mobius::to_centre(centre);
        let one = Complex::new(1.0, 0.0);
        let turn = next.apply(self.apply(one)) / plain.apply(one);
        Mobius { turn: turn / turn.norm(), centre }
    }

    /// The inverse map.
    pub fn inverse(&self) -> Mobius {
        Mobius { turn: self.turn.conj(), centre: -self.turn * self.centre }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn inside() -> impl Strategy<Value = Complex> {
        (0.0..0.95f64, 0.0..std::f64::consts::TAU).prop_map(|(r, a)| Complex::from_polar(r, a))
    }

    proptest! {
        #[test]
        fn group_laws(a in inside(), b in inside(), z in inside(), s in 0.0..6.0f64, t in 0.0..6.0f64) {
            let f = Mobius::to_centre(a).then(Mobius::rotation(s));
            let g = Mobius::to_centre(b).then(Mobius::rotation(t));
            prop_assert!((f.then(g).apply(z) - g.apply(f.apply(z))).norm() < 1e-10);
            prop_assert!((f.inverse().apply(f.apply(z)) - z).norm() < 1e-10);
            prop_assert!((f.apply(z / z.norm().max(1e-9)).norm() - 1.0).abs() < 1e-10 || z.norm() < 1e-9);
        }

        #[test]
        fn recentring_puts_centre_at_zero_and_up_on_the_axis(c in inside(), u in inside()) {
            prop_assume!((c - u).norm() > 1e-3);
            let f = Mobius::recentring(c, u);
            prop_assert!(f.apply(c).norm() < 1e-12);
            let up = f.apply(u);
            prop_assert!(up.re.abs() < 1e-10 && up.im > 0.0);
        }
    }
}
