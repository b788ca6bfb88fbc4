//! Baselines: noise in a surrounding vector space, brought back where there is a way back.

mod matrix;
mod sphere;
#[cfg(test)]
mod tests;
mod worst_case;

pub use matrix::{ExtrinsicSpd, ToMatrix};
pub use sphere::ExtrinsicSphere;
pub use worst_case::{MATRIX_ENTRY, SPHERE_ENTRY};

use crate::mechanism::MechanismError;
use crate::privacy::noise::{NoiseSource, VectorNoise};
use crate::privacy::{BudgetError, Charge, ClipRadius, L2Sensitivity, NoisedPart, Price, Sensitivity, Title};

/// The Laplace or Gaussian mechanism on a vector statistic.
#[derive(Debug, Clone)]
struct AmbientMechanism {
    price: Price,
    sensitivity: L2Sensitivity,
    noise: VectorNoise,
    radius: ClipRadius,
}

impl AmbientMechanism {
    fn new(
        title: Title,
        noise: VectorNoise,
        sensitivity: L2Sensitivity,
        n: u64,
        radius: ClipRadius,
        statistic: &'static str,
    ) -> Result<Self, BudgetError> {
        let price = Price::new(title, n, noise.loss(), statistic)?
            .with_noise(Sensitivity::L2(sensitivity), noise.scale(sensitivity))
            .with_clip(radius);
        Ok(Self { price, sensitivity, noise, radius })
    }

    fn draw(
        &self,
        statistic: &[f64],
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<(Vec<f64>, NoisedPart), MechanismError> {
        let (values, noise) = self.noise.draw(statistic, self.sensitivity, noise, paid)?;
        let part = NoisedPart {
            what: self.price.mechanism.clone(),
            loss: self.price.loss,
            sensitivity: Sensitivity::L2(self.sensitivity),
            clip: Some(self.radius),
            noise,
            expected_error: None,
        };
        Ok((values, part))
    }

    /// The standard deviation of the noise in each of so many coordinates of the surrounding space.
    fn deviation(&self, coordinates: usize) -> f64 {
        let scale = self.noise.scale(self.sensitivity);
        match self.noise {
            VectorNoise::Gaussian(_) => scale,
            // E‖x‖² = d(d + 1)b² for the density ∝ exp(−‖x‖/b) on ℝᵈ.
            VectorNoise::Laplace(_) => scale * (coordinates as f64 + 1.0).sqrt(),
        }
    }
}
