//! Where the random numbers come from: a generator that draws for a charge only.

use super::digits::below;
use super::exact_normal::rounded_normal;
use super::{IntegerClip, NoiseError};
use crate::privacy::{Charge, PrivacyLoss};
use rand::{Rng, SeedableRng, TryRng};
use rand_chacha::ChaCha20Rng;
use rand_distr::{Distribution, Exp1, Gamma, StandardNormal};
use std::convert::Infallible;

/// A cryptographic generator (ChaCha20) and whether it was seeded (a seeded release is not private).
///
/// It cannot be cloned and every draw moves it on, so no two draws share a stream.
///
/// ```compile_fail
/// # let source = visard_privacy::privacy::noise::NoiseSource::seeded(1);
/// let replay = source.clone();
/// ```
#[derive(Debug)]
pub struct NoiseSource {
    pub(super) rng: ChaCha20Rng,
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

    /// Where in its stream one with a fixed seed is, in words; nothing tells that of one that is not.
    pub fn position(&self) -> Option<u64> {
        self.seed.and_then(|_| u64::try_from(self.rng.get_word_pos()).ok())
    }

    /// One with a fixed seed, from this position of its stream on.
    pub fn seeded_from(seed: u64, position: u64) -> Self {
        let mut source = Self::seeded(seed);
        source.rng.set_word_pos(position.into());
        source
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

/// A cryptographic generator whose draws have been paid for. It is an [`Rng`]; the methods are the laws that mechanisms
/// on manifolds are made of.
#[derive(Debug)]
pub struct PaidGenerator<'a> {
    rng: &'a mut ChaCha20Rng,
}

impl<'a> PaidGenerator<'a> {
    fn new(rng: &'a mut ChaCha20Rng) -> Self {
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
