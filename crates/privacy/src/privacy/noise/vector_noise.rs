//! Isotropic noise of either kind.

use super::{NoiseDescription, NoiseError, NoiseSource};
use crate::privacy::{Charge, Epsilon, L2Sensitivity, Mu, PrivacyLoss};

/// Isotropic noise on a vector, with its budget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum VectorNoise {
    /// Density ∝ exp(−‖x‖/σ), σ = Δ/ε: ε-DP.
    Laplace(Epsilon),
    /// N(0, σ²I), σ = Δ/μ: μ-GDP.
    Gaussian(Mu),
}

impl VectorNoise {
    /// What it costs.
    pub fn loss(self) -> PrivacyLoss {
        match self {
            Self::Laplace(epsilon) => PrivacyLoss::Pure(epsilon),
            Self::Gaussian(mu) => PrivacyLoss::Gaussian(mu),
        }
    }

    /// σ.
    pub fn scale(self, sensitivity: L2Sensitivity) -> f64 {
        match self {
            Self::Laplace(epsilon) => sensitivity.get() / epsilon.get(),
            Self::Gaussian(mu) => sensitivity.get() / mu.get(),
        }
    }

    /// The noised vector, and how it was noised.
    ///
    /// # Errors
    /// [`NoiseError`]; nothing has been drawn then.
    pub fn draw(
        self,
        statistic: &[f64],
        sensitivity: L2Sensitivity,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<(Vec<f64>, NoiseDescription), NoiseError> {
        Ok(match self {
            Self::Laplace(epsilon) => {
                let drawn = noise.isotropic_laplace_vector(statistic, sensitivity, epsilon, paid)?;
                (drawn.values, drawn.noise)
            }
            Self::Gaussian(mu) => {
                let drawn = noise.gaussian_vector(statistic, sensitivity, mu, paid)?;
                (drawn.values, drawn.noise)
            }
        })
    }
}
