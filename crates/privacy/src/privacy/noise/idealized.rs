//! Floating-point noise, for which the theorem's real numbers are an idealization.

use super::{GaussianRelease, LaplaceRelease, NoiseDescription, NoiseError, NoisePath, NoiseSource};
use crate::privacy::{
    Charge, Epsilon, L1Sensitivity, L2Sensitivity, Mu, PrivacyLoss, gaussian_sigma, laplace_scale,
};

impl NoiseSource {
    /// The Gaussian mechanism with floating-point noise: μ-GDP if doubles were reals. For speed where that caveat is
    /// acceptable; the lattice path is [`Self::gaussian_vector`].
    ///
    /// # Errors
    /// [`NoiseError`]; nothing has been drawn then.
    pub fn gaussian_vector_idealized(
        &mut self,
        statistic: &[f64],
        sensitivity: L2Sensitivity,
        mu: Mu,
        paid: Charge,
    ) -> Result<GaussianRelease, NoiseError> {
        check(statistic)?;
        let sigma = gaussian_sigma(sensitivity, mu).map_err(|_| NoiseError::OutOfScale)?;
        let mut rng = self.open(paid, PrivacyLoss::Gaussian(mu))?;
        let values = statistic.iter().map(|x| x + sigma * rng.normal()).collect();
        let noise = describe("gaussian", sigma, statistic.len(), "ziggurat");
        Ok(GaussianRelease { values, sigma, noise })
    }

    /// The Laplace mechanism with floating-point noise: ε-DP if doubles were reals.
    ///
    /// # Errors
    /// [`NoiseError`]; nothing has been drawn then.
    pub fn laplace_vector_idealized(
        &mut self,
        statistic: &[f64],
        sensitivity: L1Sensitivity,
        epsilon: Epsilon,
        paid: Charge,
    ) -> Result<LaplaceRelease, NoiseError> {
        check(statistic)?;
        let scale = laplace_scale(sensitivity, epsilon).map_err(|_| NoiseError::OutOfScale)?;
        let mut rng = self.open(paid, PrivacyLoss::Pure(epsilon))?;
        let values = statistic
            .iter()
            .map(|x| {
                // The difference of two exponentials is Laplace.
                x + scale * (rng.exponential() - rng.exponential())
            })
            .collect();
        let noise = describe("laplace", scale, statistic.len(), "difference of exponentials");
        Ok(LaplaceRelease { values, scale, noise })
    }
}

fn check(statistic: &[f64]) -> Result<(), NoiseError> {
    if statistic.is_empty() {
        Err(NoiseError::Empty)
    } else if statistic.iter().any(|x| x.is_nan()) {
        Err(NoiseError::NotANumber)
    } else {
        Ok(())
    }
}

fn describe(distribution: &str, scale: f64, dimension: usize, sampler: &str) -> NoiseDescription {
    NoiseDescription {
        distribution: distribution.into(),
        path: NoisePath::IdealizedReals,
        scale,
        dimension,
        step: None,
        sampler: sampler.into(),
    }
}
