//! The lattice noise is drawn on, chosen from public numbers only.

use super::NoiseError;
use crate::privacy::calibrate::SCALES;
use crate::privacy::rounding::{add_up, div_up, mul_up, sqrt_up};
use crate::privacy::{Epsilon, L1Sensitivity, L2Sensitivity, Mu};

/// How many binary digits of the noise scale (and of the sensitivity's share per coordinate) the step resolves: the
/// sensitivity grows by at most 2⁻³² of itself where √d/μ ≤ 2²⁵, and by 2⁻⁵⁷√d/μ beyond, where the multiplier's size
/// is what limits the step.
const RESOLUTION: i32 = 32;

/// The largest multiplier the exact sampler takes.
const MAX_MULTIPLIER: f64 = (1u64 << 59) as f64;

/// The lattice g·ℤ^d with g a power of two, and noise of scale M·g with M an integer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Lattice {
    step: f64,
    multiplier: u64,
}

impl Lattice {
    /// For Gaussian noise. Rounding to the nearest point of g·ℤ^d moves a vector by at most g√d/2, so the rounded
    /// statistic has sensitivity at most Δ + g√d, and M = ⌈(Δ/g + √d)/μ⌉.
    pub(crate) fn gaussian(sensitivity: L2Sensitivity, mu: Mu, dim: usize) -> Result<Self, NoiseError> {
        let root = sqrt_up(dim as f64);
        let (delta, mu) = (sensitivity.get(), mu.get());
        Self::choose(delta, mu, root)
    }

    /// For Laplace noise: as for the Gaussian with √d replaced by d, M = ⌈(Δ₁/g + d)/ε⌉.
    pub(crate) fn laplace(
        sensitivity: L1Sensitivity,
        epsilon: Epsilon,
        dim: usize,
    ) -> Result<Self, NoiseError> {
        Self::choose(sensitivity.get(), epsilon.get(), dim as f64)
    }

    /// For noise of density ∝ exp(−‖x‖₂/b): as for the Gaussian, M = ⌈(Δ/g + √d)/ε⌉.
    pub(crate) fn isotropic_laplace(
        sensitivity: L2Sensitivity,
        epsilon: Epsilon,
        dim: usize,
    ) -> Result<Self, NoiseError> {
        Self::choose(sensitivity.get(), epsilon.get(), sqrt_up(dim as f64))
    }

    /// A lattice for integer statistics, and noise of at least so many steps.
    pub(crate) fn with_multiplier(step: f64, steps: f64) -> Result<Self, NoiseError> {
        Ok(Self { step, multiplier: multiplier(steps)? })
    }

    fn choose(sensitivity: f64, loss: f64, growth: f64) -> Result<Self, NoiseError> {
        let step = step_for(sensitivity, loss, growth)?;
        // Dividing by a power of two is exact.
        let steps = add_up(sensitivity / step, growth);
        Ok(Self { step, multiplier: multiplier(div_up(steps, loss))? })
    }

    /// g, a power of two.
    pub(crate) fn step(&self) -> f64 {
        self.step
    }

    /// M.
    pub(crate) fn multiplier(&self) -> u64 {
        self.multiplier
    }

    /// The noise scale M·g, exactly or rounded up.
    pub(crate) fn scale(&self) -> f64 {
        let m = self.multiplier as f64;
        let m = if self.multiplier > 1 << 53 { m.next_up() } else { m };
        mul_up(m, self.step)
    }

    /// The nearest point, in steps. Coordinates beyond 2¹⁰⁰ steps are projected onto that bound, which moves no two
    /// vectors apart; NaN is refused.
    pub(crate) fn nearest(&self, x: f64) -> Result<i128, NoiseError> {
        if x.is_nan() {
            return Err(NoiseError::NotANumber);
        }
        let steps = (x / self.step).round_ties_even().clamp(-(2f64.powi(100)), 2f64.powi(100));
        Ok(steps as i128)
    }

    /// The double nearest to a lattice point (post-processing).
    pub(crate) fn to_f64(self, steps: i128) -> f64 {
        steps as f64 * self.step
    }
}

/// The power of two 2⁻³² below the smaller of the noise scale and the sensitivity per unit of growth, coarser only if
/// the multiplier would not fit.
pub(crate) fn step_for(sensitivity: f64, loss: f64, growth: f64) -> Result<f64, NoiseError> {
    if !(loss > 0.0 && growth >= 1.0) {
        return Err(NoiseError::Empty);
    }
    let scale = sensitivity / loss;
    let target = scale.min(sensitivity / growth);
    if !(target > SCALES.start && scale < SCALES.end) {
        return Err(NoiseError::OutOfScale);
    }
    let exponent = libm::ilogb(target) - RESOLUTION;
    let coarsest = libm::ilogb(scale) - 57;
    Ok(libm::ldexp(1.0, exponent.max(coarsest)))
}

fn multiplier(x: f64) -> Result<u64, NoiseError> {
    let ceiling = x.ceil();
    if (1.0..MAX_MULTIPLIER).contains(&ceiling) { Ok(ceiling as u64) } else { Err(NoiseError::OutOfScale) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;
    use num_rational::Ratio;
    use proptest::prelude::*;

    fn exact(x: f64) -> Ratio<BigInt> {
        Ratio::from_float(x).unwrap()
    }

    proptest! {
        /// (Δ + g√d)/(M g) ≤ μ in exact arithmetic, the price of rounding is small, and the step is a power of two.
        #[test]
        fn the_certified_mu_holds_exactly(lg_s in -30.0f64..30.0, lg_mu in -6.0f64..3.0, dim in 1usize..100_000) {
            let (s, mu) = (10f64.powf(lg_s), 10f64.powf(lg_mu));
            let lattice = Lattice::gaussian(L2Sensitivity::new(s).unwrap(), Mu::new(mu).unwrap(), dim).unwrap();
            let step = lattice.step();
            prop_assert_eq!(step.to_bits() & ((1 << 52) - 1), 0);
            // Square to avoid the root: (M g μ − Δ)² ≥ g² d with M g μ ≥ Δ.
            let noise = exact(step) * Ratio::from_integer(BigInt::from(lattice.multiplier())) * exact(mu);
            let left = noise - exact(s);
            prop_assert!(left > Ratio::from_integer(0.into()));
            let needed = exact(step) * exact(step) * Ratio::from_integer(BigInt::from(dim));
            prop_assert!(&left * &left >= needed);
            // The price as stated at RESOLUTION, and what M's ceiling adds.
            let growth = lattice.scale() * mu / s - 1.0;
            let rounding = 2f64.powi(-32).max(2f64.powi(-56) * (dim as f64).sqrt() / mu);
            prop_assert!(growth < rounding + 2.0 / lattice.multiplier() as f64, "{}", growth);
            prop_assert!(lattice.multiplier() >= 1 << 31);
        }

        #[test]
        fn nearest_points_are_within_half_a_step(x in -1e6f64..1e6) {
            let lattice = Lattice::gaussian(L2Sensitivity::new(1.0).unwrap(), Mu::new(1.0).unwrap(), 3).unwrap();
            let k = lattice.nearest(x).unwrap();
            let gap = (exact(x) - exact(lattice.step()) * Ratio::from_integer(BigInt::from(k))) / exact(lattice.step());
            let half = Ratio::new(1.into(), 2.into());
            prop_assert!(gap <= half && gap >= -half);
        }
    }

    #[test]
    fn far_coordinates_are_projected_and_nan_is_refused() {
        let lattice = Lattice::gaussian(L2Sensitivity::new(1.0).unwrap(), Mu::new(1.0).unwrap(), 1).unwrap();
        assert_eq!(lattice.nearest(f64::INFINITY).unwrap(), 1 << 100);
        assert_eq!(lattice.nearest(-1e300).unwrap(), -(1 << 100));
        assert!(matches!(lattice.nearest(f64::NAN), Err(NoiseError::NotANumber)));
    }

    #[test]
    fn extreme_scales_are_refused_not_mangled() {
        let one = Mu::new(1.0).unwrap();
        for s in [1e-300, 1e300] {
            assert!(matches!(
                Lattice::gaussian(L2Sensitivity::new(s).unwrap(), one, 4),
                Err(NoiseError::OutOfScale)
            ));
        }
        assert!(Lattice::gaussian(L2Sensitivity::new(1.0).unwrap(), one, 0).is_err());
    }
}
