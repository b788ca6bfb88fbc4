//! Noise: the one place where random numbers enter a release.

use super::{Charge, Mu};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use rand_distr::{Distribution, StandardNormal};

/// A cryptographic generator and whether it was seeded (a seeded release is not private).
#[derive(Debug)]
pub struct NoiseSource {
    rng: ChaCha20Rng,
    seeded: bool,
}

impl NoiseSource {
    /// Seeded by the operating system: the only kind for private releases.
    ///
    /// # Errors
    /// When the operating system gives no randomness.
    pub fn from_os() -> Result<Self, rand::rngs::SysError> {
        Ok(Self { rng: ChaCha20Rng::try_from_rng(&mut rand::rngs::SysRng)?, seeded: false })
    }

    /// A fixed seed, for tests and experiments: marks what it makes as not private.
    pub fn seeded(seed: u64) -> Self {
        Self { rng: ChaCha20Rng::seed_from_u64(seed), seeded: true }
    }

    /// Whether a fixed seed was used.
    pub fn is_seeded(&self) -> bool {
        self.seeded
    }

    /// The Gaussian vector mechanism: releases `statistic` + N(0, σ²I), σ = `sensitivity`/μ, where
    /// `sensitivity` bounds ‖h(D) − h(D′)‖₂ over neighbours in these coordinates: μ-GDP
    /// (Dong, Roth and Su 2019, Theorem 1). Consumes the proof of payment.
    pub fn gaussian_vector(
        &mut self,
        statistic: &[f64],
        sensitivity: f64,
        mu: Mu,
        _paid: Charge,
    ) -> GaussianRelease {
        let sigma = sensitivity / mu.get();
        let values = statistic
            .iter()
            .map(|x| {
                let z: f64 = StandardNormal.sample(&mut self.rng);
                x + sigma * z
            })
            .collect();
        GaussianRelease { values, sigma }
    }
}

/// What the Gaussian vector mechanism released.
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianRelease {
    /// The noised coordinates.
    pub values: Vec<f64>,
    /// The standard deviation of the noise in each.
    pub sigma: f64,
}
