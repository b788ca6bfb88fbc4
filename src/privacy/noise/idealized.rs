//! Floating-point noise, for which the theorem's real numbers are an idealization, and the paid generator.

use super::digits::below;
use super::exact_normal::rounded_normal;
use super::{
    GaussianRelease, IntegerClip, LaplaceRelease, NoiseDescription, NoiseError, NoisePath, NoiseSource,
    gaussian_loss,
};
use crate::privacy::{
    Charge, Epsilon, L1Sensitivity, L2Sensitivity, Mu, PrivacyLoss, gaussian_sigma, laplace_scale,
};
use rand::{Rng, TryRng};
use rand_chacha::ChaCha20Rng;
use rand_distr::{Distribution, Exp1, Gamma, StandardNormal};
use std::convert::Infallible;

/// A cryptographic generator whose draws have been paid for. It is an [`Rng`]; the methods are the laws that mechanisms
/// on manifolds are made of.
#[derive(Debug)]
pub struct PaidGenerator<'a> {
    rng: &'a mut ChaCha20Rng,
}

impl<'a> PaidGenerator<'a> {
    pub(super) fn new(rng: &'a mut ChaCha20Rng) -> Self {
        Self { rng }
    }

    /// A sum of clipped vectors, noised on its lattice: exactly distributed.
    pub fn noised(&mut self, sum: &[i128], clip: &IntegerClip) -> Vec<f64> {
        let steps = clip.lattice().multiplier();
        sum.iter().map(|k| clip.to_f64(k + rounded_normal(steps, self.rng))).collect()
    }

    /// A uniform integer below `bound`, without bias; 0 for 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 { 0 } else { below(bound, self.rng) }
    }

    /// A standard normal variable.
    pub fn normal(&mut self) -> f64 {
        StandardNormal.sample(self.rng)
    }

    /// An exponential variable of mean 1.
    pub fn exponential(&mut self) -> f64 {
        Exp1.sample(self.rng)
    }

    /// A uniform variable in (0, 1), never 0 or 1.
    pub fn uniform(&mut self) -> f64 {
        ((self.rng.next_u64() >> 11) as f64 + 0.5) * (1.0 / (1u64 << 53) as f64)
    }

    /// A Gamma variable with density ∝ x^{shape−1} e^{−x/scale}.
    ///
    /// # Errors
    /// [`NoiseError::OutOfScale`] unless both are positive and finite.
    pub fn gamma(&mut self, shape: f64, scale: f64) -> Result<f64, NoiseError> {
        let positive = |x: f64| x.is_finite() && x > 0.0;
        if !positive(shape) || !positive(scale) {
            return Err(NoiseError::OutOfScale);
        }
        let law = Gamma::new(shape, scale).map_err(|_| NoiseError::OutOfScale)?;
        Ok(law.sample(self.rng))
    }

    /// A uniform point of the unit sphere of ℝ^`dim`, dim ≥ 1.
    ///
    /// # Errors
    /// [`NoiseError::Empty`] for dim = 0.
    pub fn direction(&mut self, dim: usize) -> Result<Vec<f64>, NoiseError> {
        if dim == 0 {
            return Err(NoiseError::Empty);
        }
        loop {
            let v: Vec<f64> = (0..dim).map(|_| self.normal()).collect();
            let norm = v.iter().map(|x| x * x).sum::<f64>().sqrt();
            // A zero vector has probability 0, but floats are not reals.
            if norm > 1e-100 {
                return Ok(v.into_iter().map(|x| x / norm).collect());
            }
        }
    }
}

impl TryRng for PaidGenerator<'_> {
    type Error = Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.rng.try_next_u32()
    }
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.rng.try_next_u64()
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.rng.try_fill_bytes(bytes)
    }
}

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
        let mut rng = self.open(paid, gaussian_loss(mu))?;
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
