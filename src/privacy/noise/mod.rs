//! Noise: the one place where random numbers enter a release.
//!
//! The default path never adds a floating-point sample to a private value (whose low bits would tell them apart:
//! Mironov 2012). The statistic is rounded to a lattice g·ℤ^d chosen from public numbers, the rounding goes into the
//! sensitivity, and integers are added:
//!
//! * **Gaussian** ([`NoiseSource::gaussian_vector`]): K = round(M·Z) for an *exactly* drawn normal Z (Karney 2016).
//!   Since the rounded statistic is a lattice vector, statistic + g·K is the nearest lattice point to
//!   statistic + (M g)·Z: post-processing of the real-valued Gaussian mechanism, hence exactly μ-GDP with
//!   μ = (Δ + g√d)/(M g), whatever d is.
//! * **Discrete Gaussian** ([`NoiseSource::discrete_gaussian_vector`]): Canonne, Kamath and Steinke's law and their
//!   exact sampler in `prio`. It is ρ-zCDP with ρ = μ²/2, but *not* μ-GDP (its central atom is too heavy by a factor
//!   1 + 1/(24M²); the tests show the excess), so the first is the default: tighter, exact, and a hundred times faster.
//! * **Laplace** ([`NoiseSource::laplace_vector`]): the discrete Laplace law, by `prio`'s exact sampler: for integer
//!   shifts its loss is |k|/M exactly, hence exactly ε-DP.
//!
//! Functions named `idealized` add floating-point noise; their releases carry the caveat that reals are idealized.

mod clipped_mean;
mod digits;
mod exact_normal;
mod idealized;
mod integer_clip;
mod isotropic;
mod lattice;
mod vector_noise;
mod vectors;

pub use clipped_mean::{
    CLIPPED_MEAN_ENTRY, ClippedMean, ClippedSum, IncompleteMean, NoisedMean, PURE_CLIPPED_MEAN_ENTRY,
};
pub use idealized::PaidGenerator;
pub use integer_clip::IntegerClip;
pub use vector_noise::VectorNoise;

use super::charge::ChargeError;
use super::{Charge, Mu, PrivacyLoss};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use serde::{Deserialize, Serialize};

/// Why no noise was drawn. No message depends on a record.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoiseError {
    /// The operating system gives no randomness.
    #[error("the operating system gives no randomness: {0}")]
    Entropy(#[from] rand::rngs::SysError),
    /// The charge does not cover the release.
    #[error(transparent)]
    Charge(#[from] ChargeError),
    /// A coordinate of the statistic is not a number: the mechanism's own fault, for records are clipped before.
    #[error("the statistic is not a number; clip and check the records before the mean is taken")]
    NotANumber,
    /// Nothing to noise.
    #[error("nothing to release: the statistic has no coordinates or the loss is zero")]
    Empty,
    /// The noise scale cannot be put on a lattice in double precision.
    #[error("the noise scale is outside 1e-280 to 1e280; express the statistic in other units")]
    OutOfScale,
    /// The exact sampler of the discrete laws failed.
    #[error("the sampler of the discrete law failed: {0}")]
    Sampler(&'static str),
    /// A clipped mean is not ready.
    #[error(transparent)]
    Incomplete(#[from] IncompleteMean),
}

/// Whether noise was drawn on a lattice, exactly, or in floating point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum NoisePath {
    /// Integers times a public step, exactly distributed.
    Lattice,
    /// Floating-point numbers, for which the theorem's reals are an idealization.
    IdealizedReals,
}

/// What a certificate says about the noise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoiseDescription {
    /// The law, for example `gaussian`.
    pub distribution: String,
    /// How it was drawn.
    pub path: NoisePath,
    /// Its scale (σ, b, ...) in the statistic's units.
    pub scale: f64,
    /// The number of coordinates.
    pub dimension: usize,
    /// The lattice step g, for the lattice path.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub step: Option<f64>,
    /// Which algorithm drew it.
    pub sampler: String,
}

/// A cryptographic generator (ChaCha20) and whether it was seeded (a seeded release is not private).
///
/// It cannot be cloned and every draw moves it on, so no two draws share a stream.
///
/// ```compile_fail
/// # let source = visard::privacy::noise::NoiseSource::seeded(1);
/// let replay = source.clone();
/// ```
#[derive(Debug)]
pub struct NoiseSource {
    rng: ChaCha20Rng,
    /// A fixed one.
    seed: Option<u64>,
}

impl NoiseSource {
    /// Seeded by the operating system: the only kind for private releases.
    ///
    /// # Errors
    /// [`NoiseError::Entropy`] when the operating system gives no randomness.
    pub fn from_os() -> Result<Self, NoiseError> {
        Ok(Self { rng: ChaCha20Rng::try_from_rng(&mut rand::rngs::SysRng)?, seed: None })
    }

    /// A fixed seed, for tests and experiments: marks what it makes as not private.
    pub fn seeded(seed: u64) -> Self {
        Self { rng: ChaCha20Rng::seed_from_u64(seed), seed: Some(seed) }
    }

    /// A source of its own for a part of a release: with a fixed seed the stream of that name, else from the operating system.
    ///
    /// # Errors
    /// [`NoiseError::Entropy`].
    pub fn part(&self, stream: u64) -> Result<Self, NoiseError> {
        match self.seed {
            Some(seed) => Ok(Self::seeded(seed ^ stream)),
            None => Self::from_os(),
        }
    }

    /// Whether a fixed seed was used.
    pub fn is_seeded(&self) -> bool {
        self.seed.is_some()
    }

    /// The raw generator, for exact samplers written elsewhere. What they draw costs `needed`.
    ///
    /// # Errors
    /// [`NoiseError::Charge`] when `paid` does not cover `needed`.
    pub fn open(&mut self, paid: Charge, needed: PrivacyLoss) -> Result<PaidGenerator<'_>, NoiseError> {
        paid.check(needed)?;
        Ok(PaidGenerator::new(&mut self.rng))
    }
}

/// What a Gaussian vector mechanism released.
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianRelease {
    /// The noised coordinates.
    pub values: Vec<f64>,
    /// The standard deviation of the noise in each (public; on a lattice, rounding adds g²/12 to its square).
    pub sigma: f64,
    /// For the certificate.
    pub noise: NoiseDescription,
}

/// What a Laplace mechanism released.
#[derive(Debug, Clone, PartialEq)]
pub struct LaplaceRelease {
    /// The noised coordinates.
    pub values: Vec<f64>,
    /// The scale b: of each coordinate's Laplace law, or of the isotropic law exp(−‖x‖/b).
    pub scale: f64,
    /// For the certificate.
    pub noise: NoiseDescription,
}

fn gaussian_loss(mu: Mu) -> PrivacyLoss {
    PrivacyLoss::Gaussian(mu)
}

#[cfg(test)]
mod tests;
