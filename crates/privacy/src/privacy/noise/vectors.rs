//! Vector mechanisms on the lattice.

use super::exact_normal::rounded_normal;
use super::isotropic::rounded_isotropic_laplace;
use super::lattice::Lattice;
use super::{GaussianRelease, LaplaceRelease, NoiseDescription, NoiseError, NoisePath, NoiseSource};
use crate::privacy::{Charge, Epsilon, L1Sensitivity, L2Sensitivity, Mu, PrivacyLoss, Rho};
use prio::dp::Rational;
use prio::dp::distributions::{DiscreteGaussian, DiscreteLaplace};
use rand::distr::Distribution;
use rand_chacha::ChaCha20Rng;

/// The samplers of certificates.
pub(super) const NORMAL: &str = "exact normal (Karney 2016), rounded";
pub(super) const ISOTROPIC: &str = "exact normals (Karney 2016) times their norm, digits on demand, rounded";

impl NoiseSource {
    /// The Gaussian mechanism on a lattice: releases `statistic` + N(0, σ²I), rounded to a public lattice, with
    /// σ ≥ Δ/μ by a factor of at most 1 + 2⁻³¹. Exactly μ-GDP (see the [module](super)).
    ///
    /// `sensitivity` bounds ‖h(D) − h(D′)‖₂ over neighbours in these coordinates *as computed*: the rounding errors of
    /// a mean summed in floating point belong into it ([`L2Sensitivity::plus_float_mean`]); those of
    /// [`super::ClippedMean`] are nil. Consumes the proof of payment.
    ///
    /// ```
    /// use visard_privacy::privacy::{L2Sensitivity, Ledger, Mu, PrivacyLoss, noise::NoiseSource};
    /// let (mu, sensitivity) = (Mu::new(1.0)?, L2Sensitivity::new(0.01)?);
    /// let paid = Ledger::in_memory(None).charge("Gaussian mechanism", PrivacyLoss::Gaussian(mu))?;
    /// let release = NoiseSource::from_os()?.gaussian_vector(&[0.5, 0.25], sensitivity, mu, paid)?;
    /// assert!((release.sigma / 0.01 - 1.0).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NoiseError`]; nothing has been drawn then.
    pub fn gaussian_vector(
        &mut self,
        statistic: &[f64],
        sensitivity: L2Sensitivity,
        mu: Mu,
        paid: Charge,
    ) -> Result<GaussianRelease, NoiseError> {
        paid.check(PrivacyLoss::Gaussian(mu))?;
        let lattice = Lattice::gaussian(sensitivity, mu, statistic.len())?;
        let points = nearest(&lattice, statistic)?;
        let rng = &mut self.rng;
        let values =
            points.iter().map(|k| lattice.to_f64(k + rounded_normal(lattice.multiplier(), rng))).collect();
        let noise = describe("gaussian", &lattice, statistic.len(), NORMAL);
        Ok(GaussianRelease { values, sigma: lattice.scale(), noise })
    }

    /// As [`Self::gaussian_vector`] for a statistic already in lattice steps.
    pub(super) fn gaussian_steps(
        &mut self,
        steps: &[i128],
        lattice: &Lattice,
        mu: Mu,
        paid: &Charge,
    ) -> Result<Vec<i128>, NoiseError> {
        paid.check(PrivacyLoss::Gaussian(mu))?;
        let rng = &mut self.rng;
        Ok(steps.iter().map(|k| k + rounded_normal(lattice.multiplier(), rng)).collect())
    }

    /// The discrete Gaussian mechanism (Canonne, Kamath and Steinke 2020, Theorem 14): ρ-zCDP, with the lattice of
    /// [`Self::gaussian_vector`] at μ = √(2ρ). For comparison with other software; it is not μ-GDP.
    ///
    /// # Errors
    /// [`NoiseError`]; nothing has been drawn then.
    pub fn discrete_gaussian_vector(
        &mut self,
        statistic: &[f64],
        sensitivity: L2Sensitivity,
        rho: Rho,
        paid: Charge,
    ) -> Result<GaussianRelease, NoiseError> {
        paid.check(PrivacyLoss::ZeroConcentrated(rho))?;
        // ρ = μ²/2, so μ = √(2ρ): rounded down, for a smaller μ means more noise.
        let mu = Mu::new(libm::sqrt(2.0 * rho.get()).next_down()).map_err(|_| NoiseError::OutOfScale)?;
        let lattice = Lattice::gaussian(sensitivity, mu, statistic.len())?;
        let points = nearest(&lattice, statistic)?;
        let law = DiscreteGaussian::new(rational(&lattice)?).map_err(|_| NoiseError::Sampler("bad scale"))?;
        let values = self.add_integers(&points, &lattice, |rng| i128::try_from(law.sample(rng)).ok())?;
        let noise =
            describe("discrete-gaussian", &lattice, statistic.len(), "Canonne-Kamath-Steinke 2020 (prio)");
        Ok(GaussianRelease { values, sigma: lattice.scale(), noise })
    }

    /// The Laplace mechanism on a lattice: `statistic` + independent discrete Laplace noise of scale b ≥ Δ₁/ε (by a
    /// factor of at most 1 + 2⁻³¹) in each coordinate. Exactly ε-DP: for lattice points k the loss is ‖k‖₁ g/b.
    ///
    /// # Errors
    /// [`NoiseError`]; nothing has been drawn then.
    pub fn laplace_vector(
        &mut self,
        statistic: &[f64],
        sensitivity: L1Sensitivity,
        epsilon: Epsilon,
        paid: Charge,
    ) -> Result<LaplaceRelease, NoiseError> {
        paid.check(PrivacyLoss::Pure(epsilon))?;
        let lattice = Lattice::laplace(sensitivity, epsilon, statistic.len())?;
        let points = nearest(&lattice, statistic)?;
        let law = DiscreteLaplace::new(rational(&lattice)?).map_err(|_| NoiseError::Sampler("bad scale"))?;
        let values = self.add_integers(&points, &lattice, |rng| i128::try_from(law.sample(rng)).ok())?;
        let noise = describe("laplace", &lattice, statistic.len(), "Canonne-Kamath-Steinke 2020 (prio)");
        Ok(LaplaceRelease { values, scale: lattice.scale(), noise })
    }

    /// The isotropic Laplace mechanism on a lattice: releases `statistic` + noise of density ∝ exp(−‖x‖₂/b), rounded to a public
    /// lattice, with b ≥ Δ/ε by a factor of at most 1 + 2⁻³¹. Exactly ε-DP: ‖·‖₂ obeys the triangle inequality, the normalizer is
    /// constant, and rounding commutes with adding lattice points.
    ///
    /// `sensitivity` as for [`Self::gaussian_vector`].
    ///
    /// # Errors
    /// [`NoiseError`]; nothing has been drawn then.
    pub fn isotropic_laplace_vector(
        &mut self,
        statistic: &[f64],
        sensitivity: L2Sensitivity,
        epsilon: Epsilon,
        paid: Charge,
    ) -> Result<LaplaceRelease, NoiseError> {
        paid.check(PrivacyLoss::Pure(epsilon))?;
        let lattice = Lattice::isotropic_laplace(sensitivity, epsilon, statistic.len())?;
        let points = nearest(&lattice, statistic)?;
        let steps = self.isotropic_laplace_steps(&points, &lattice, epsilon, &paid)?;
        let values = steps.into_iter().map(|k| lattice.to_f64(k)).collect();
        let noise = describe("isotropic-laplace", &lattice, statistic.len(), ISOTROPIC);
        Ok(LaplaceRelease { values, scale: lattice.scale(), noise })
    }

    /// As [`Self::isotropic_laplace_vector`] for a statistic already in lattice steps.
    pub(super) fn isotropic_laplace_steps(
        &mut self,
        steps: &[i128],
        lattice: &Lattice,
        epsilon: Epsilon,
        paid: &Charge,
    ) -> Result<Vec<i128>, NoiseError> {
        paid.check(PrivacyLoss::Pure(epsilon))?;
        let noise = rounded_isotropic_laplace(lattice.multiplier(), steps.len(), &mut self.rng);
        Ok(steps.iter().zip(noise).map(|(k, more)| k + more).collect())
    }

    fn add_integers(
        &mut self,
        points: &[i128],
        lattice: &Lattice,
        draw: impl Fn(&mut ChaCha20Rng) -> Option<i128>,
    ) -> Result<Vec<f64>, NoiseError> {
        points
            .iter()
            .map(|k| {
                let noise = draw(&mut self.rng).ok_or(NoiseError::Sampler("a draw of 2^127 steps"))?;
                Ok(lattice.to_f64(k.saturating_add(noise)))
            })
            .collect()
    }
}

fn nearest(lattice: &Lattice, statistic: &[f64]) -> Result<Vec<i128>, NoiseError> {
    statistic.iter().map(|x| lattice.nearest(*x)).collect()
}

fn rational(lattice: &Lattice) -> Result<Rational, NoiseError> {
    Rational::from_unsigned(lattice.multiplier(), 1u64).map_err(|_| NoiseError::Sampler("bad scale"))
}

pub(super) fn describe(distribution: &str, lattice: &Lattice, dim: usize, sampler: &str) -> NoiseDescription {
    NoiseDescription {
        distribution: distribution.into(),
        path: NoisePath::Lattice,
        scale: lattice.scale(),
        dimension: dim,
        step: Some(lattice.step()),
        sampler: sampler.into(),
    }
}
