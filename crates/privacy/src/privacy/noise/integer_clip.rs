//! Clipping last, in integers: vectors of bounded norm whatever was computed before.

use super::NoiseError;
use super::lattice::{Lattice, step_for};
use crate::privacy::calibrate::SCALES;
use crate::privacy::rounding::{add_up, div_up, mul_up, sqrt_up};

/// Vectors rounded to a public lattice and shortened until their norm, *in integers*, is at most B = ⌈τ/g + √d/2⌉; and noise for sums
/// of them. No error of whatever made the vectors enters: it costs accuracy, never privacy.
#[derive(Debug, Clone, PartialEq)]
pub struct IntegerClip {
    lattice: Lattice,
    bound: u64,
    radius: f64,
    dimension: usize,
}

impl IntegerClip {
    /// For vectors of `dim` coordinates clipped to `radius`, and a loss of μ or ε when one of them is replaced: noise of
    /// M = ⌈2B/loss⌉ steps.
    pub(super) fn for_loss(dim: usize, radius: f64, loss: f64) -> Result<Self, NoiseError> {
        Self::with(dim, radius, loss, |bound| {
            let bound = 2 * bound;
            let steps = if bound > 1 << 53 { (bound as f64).next_up() } else { bound as f64 };
            div_up(steps, loss)
        })
    }

    /// The same for noise of `multiplier` times the bound, M ≥ zB: subsampled mechanisms are accounted for by z.
    ///
    /// # Errors
    /// [`NoiseError::OutOfScale`] for extreme radii and multipliers, [`NoiseError::Empty`] for no coordinates.
    pub fn with_multiplier(dim: usize, radius: f64, multiplier: f64) -> Result<Self, NoiseError> {
        Self::with(dim, radius, 2.0 / multiplier, |bound| {
            let bound = if bound > 1 << 53 { (bound as f64).next_up() } else { bound as f64 };
            // A little more than z, for 2/z is rounded where it is accounted for as μ.
            mul_up(mul_up(multiplier, bound), 1.0 + 1e-15)
        })
    }

    /// The same on a coarse lattice of 2^`digits` to 2^(`digits` + 1) steps to the radius, and noise of `noise`(B) steps: for sums that have to
    /// fit into few bits. Coarseness costs √d/2 steps of sensitivity.
    pub(super) fn coarse(
        dim: usize,
        radius: f64,
        digits: i32,
        noise: impl Fn(u64) -> f64,
    ) -> Result<Self, NoiseError> {
        if !SCALES.contains(&radius) {
            return Err(NoiseError::OutOfScale);
        }
        Self::on(dim, radius, libm::ldexp(1.0, libm::ilogb(radius) - digits), noise)
    }

    fn with(dim: usize, radius: f64, loss: f64, multiplier: impl Fn(u64) -> f64) -> Result<Self, NoiseError> {
        if dim == 0 {
            return Err(NoiseError::Empty);
        }
        Self::on(dim, radius, step_for(2.0 * radius, loss, sqrt_up(dim as f64))?, multiplier)
    }

    /// With this step, a power of two.
    fn on(dim: usize, radius: f64, step: f64, multiplier: impl Fn(u64) -> f64) -> Result<Self, NoiseError> {
        if dim == 0 {
            return Err(NoiseError::Empty);
        }
        let bound = add_up(div_up(radius, step), 0.5 * sqrt_up(dim as f64)).ceil();
        if bound >= (1u64 << 59) as f64 {
            return Err(NoiseError::OutOfScale);
        }
        let lattice = Lattice::with_multiplier(step, multiplier(bound as u64))?;
        Ok(Self { lattice, bound: bound as u64, radius, dimension: dim })
    }

    pub(super) fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    /// How many coordinates vectors have.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// τ.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// How far replacing one vector moves a sum, 2Bg.
    pub fn sensitivity(&self) -> f64 {
        mul_up(2.0 * self.bound as f64, self.lattice.step()).next_up()
    }

    /// The scale of the noise on a sum, Mg.
    pub fn scale(&self) -> f64 {
        self.lattice.scale()
    }

    /// The step g.
    pub fn step(&self) -> f64 {
        self.lattice.step()
    }

    /// A number of steps, as a number.
    pub fn to_f64(&self, steps: i128) -> f64 {
        self.lattice.to_f64(steps)
    }

    /// The vector clipped to τ and rounded, its norm at most B in exact integer arithmetic; `None` for one that is not finite or has
    /// another length: it counts as zero.
    pub fn clip(&self, vector: &[f64]) -> Option<Vec<i64>> {
        if vector.len() != self.dimension || !vector.iter().all(|x| x.is_finite()) {
            return None;
        }
        let largest = vector.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        if largest == 0.0 {
            return Some(vec![0; vector.len()]);
        }
        // In units of the largest coordinate no square overflows or underflows.
        let ratio = vector.iter().map(|x| (x / largest).powi(2)).sum::<f64>().sqrt();
        let (unit, mut scale) =
            if largest * ratio > self.radius { (largest, self.radius / ratio) } else { (1.0, 1.0) };
        let mut shrink = 1e-13;
        let limit = u128::from(self.bound).pow(2);
        // The step is a power of two: multiplying by its inverse is dividing by it.
        let inverse = 1.0 / self.lattice.step();
        loop {
            let steps: Vec<i64> = if unit == 1.0 && scale == 1.0 {
                vector.iter().map(|x| rounded(x * inverse) as i64).collect()
            } else {
                vector.iter().map(|x| rounded(x / unit * scale * inverse) as i64).collect()
            };
            // |k| ≤ 2⁶³ and casts saturate, so each square fits; a sum that does not is certainly too large.
            let square = steps
                .iter()
                .try_fold(0u128, |sum, k| sum.checked_add(u128::from(k.unsigned_abs()).pow(2)))
                .unwrap_or(u128::MAX);
            if square <= limit {
                return Some(steps);
            }
            // Only float error in the norm leads here, and one or two rounds mend it.
            scale *= 1.0 - shrink;
            shrink = (2.0 * shrink).min(0.5);
        }
    }

    /// B.
    pub(super) fn bound(&self) -> u64 {
        self.bound
    }
}

/// To the nearest whole number, ties to even: as [`f64::round_ties_even`], which is a call on machines whose instructions are not known.
fn rounded(x: f64) -> f64 {
    /// Nothing is left of a fraction beside 1.5 · 2⁵².
    const SHIFT: f64 = 1.5 * (1u64 << 52) as f64;
    if x.abs() < (1u64 << 51) as f64 { (x + SHIFT) - SHIFT } else { x.round_ties_even() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rounding_is_that_of_the_standard_library() {
        let mut x = 1e-20f64;
        while x < 1e20 {
            for y in [x, -x, x.floor() + 0.5, -x.floor() - 0.5, x.floor(), x.floor() + 0.5f64.next_up()] {
                assert_eq!(rounded(y), y.round_ties_even(), "{y}");
            }
            x *= 1.000_7;
        }
        for power in 50..55 {
            let large = (1u64 << power) as f64;
            for y in [large, large.next_up(), large.next_down(), large - 0.5, large + 0.5, -large + 0.5] {
                assert_eq!(rounded(y), y.round_ties_even(), "{y}");
            }
        }
    }

    proptest! {
        /// Whatever comes, of whatever size: the norm is within the bound in integers, and what was short enough has only been rounded.
        #[test]
        fn norms_are_bounded_in_integers(
            vector in prop::collection::vec((-1.0f64..1.0, -300i32..300).prop_map(|(x, e)| x * 10f64.powi(e)), 1..9),
            lg in -8.0f64..8.0, z in 0.01f64..100.0,
        ) {
            let radius = 10f64.powf(lg);
            let clip = IntegerClip::with_multiplier(vector.len(), radius, z).unwrap();
            let steps = clip.clip(&vector).unwrap();
            let square: u128 = steps.iter().map(|k| u128::from(k.unsigned_abs()).pow(2)).sum();
            prop_assert!(square <= u128::from(clip.bound()).pow(2));
            if vector.iter().map(|x| x.abs()).sum::<f64>() < radius {
                for (k, x) in steps.iter().zip(&vector) {
                    prop_assert!((clip.to_f64(i128::from(*k)) - x).abs() <= 0.5 * clip.step());
                }
            }
            // The noise is at least z times the bound, and hardly more.
            let (noise, needed) = (clip.lattice().multiplier() as f64, z * clip.bound() as f64);
            prop_assert!(noise >= needed && noise <= needed * (1.0 + 1e-9) + 1.0);
            prop_assert!(clip.sensitivity() < 2.0 * radius * (1.0 + 1e-8));
        }
    }

    #[test]
    fn hostile_vectors_are_bounded_or_nothing() {
        let clip = IntegerClip::with_multiplier(2, 1.0, 1.0).unwrap();
        for bad in [&[f64::NAN, 0.0][..], &[f64::INFINITY, 0.0], &[1.0], &[1.0, 0.0, 0.0]] {
            assert_eq!(clip.clip(bad), None);
        }
        let far = clip.clip(&[f64::MAX, -f64::MAX]).unwrap();
        assert_eq!(far[0], -far[1]);
        assert!(IntegerClip::with_multiplier(2, 0.0, 1.0).is_err());
        assert!(IntegerClip::with_multiplier(0, 1.0, 1.0).is_err());
        assert!(IntegerClip::with_multiplier(2, 1.0, f64::NAN).is_err());
    }
}
