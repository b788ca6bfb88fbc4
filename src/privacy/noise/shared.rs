//! Noise in shares: each of several parties adds a part of it, and enough of them make the whole.

use super::exact_normal::rounded_normal;
use super::integer_clip::IntegerClip;
use super::vectors::describe;
use super::{ClippedSum, IncompleteMean, NoiseDescription, NoiseError, NoiseSource};
use crate::privacy::rounding::{div_up, mul_up, sqrt_up};
use crate::privacy::{Charge, Mu, PrivacyLoss};

/// Binary digits of the step: 2²² to 2²³ steps to the clip radius. Sums then fit into 32 to 40 bits; rounding costs √d/2 of them,
/// a hundred-thousandth for 5520 coordinates.
const DIGITS: i32 = 22;
/// Below so many steps in a share the proof of [`SharedNoise`] does not hold.
const LEAST: u64 = 1 << 16;
/// A share is kept within so many of its standard deviations: beyond lies a mass of 2·exp(−800).
const REACH: u64 = 40;
/// Parties at most.
pub const SITES_MOST: usize = 1000;
/// What the sampler is called.
const SAMPLER: &str = "shares of exact normals (Karney 2016), each rounded";

/// A sum of clipped vectors that are spread over several parties, and noise for it of which each party draws a share: μ-GDP under
/// replacement of one record as soon as `honest` of the shares are in, added to and unknown to whoever looks.
///
#[doc = include_str!("shared/shares.md")]
#[derive(Debug, Clone, PartialEq)]
pub struct SharedNoise {
    clip: IntegerClip,
    mu: Mu,
    honest: u64,
}

impl SharedNoise {
    /// For vectors of `dim` coordinates clipped to `radius`, released at `mu` once `honest` shares are in.
    ///
    /// # Errors
    /// [`NoiseError::OutOfScale`] for extreme radii, for no honest share or more than [`SITES_MOST`], and for a μ so large that a share of
    /// noise would be too small for the lattice; [`NoiseError::Empty`] for no coordinates.
    pub fn new(dim: usize, radius: f64, mu: Mu, honest: u64) -> Result<Self, NoiseError> {
        if !(1..=SITES_MOST as u64).contains(&honest) {
            return Err(NoiseError::OutOfScale);
        }
        // Rounded towards more noise: 2B/μ/√K′, the root rounded down.
        let root = (honest as f64).sqrt().next_down().max(1.0);
        let clip = IntegerClip::coarse(dim, radius, DIGITS, |bound| {
            div_up(div_up(2.0 * bound as f64, mu.get()), root)
        })?;
        if clip.lattice().multiplier() < LEAST {
            return Err(NoiseError::OutOfScale);
        }
        Ok(Self { clip, mu, honest })
    }

    /// How vectors are clipped and rounded.
    pub fn clip(&self) -> &IntegerClip {
        &self.clip
    }

    /// What a release of the sum costs.
    pub fn loss(&self) -> PrivacyLoss {
        PrivacyLoss::Gaussian(self.mu)
    }

    /// How many shares make the whole.
    pub fn honest(&self) -> u64 {
        self.honest
    }

    /// An empty sum of n vectors of one party. Its steps are secret until noise is added or they are shared out.
    pub fn sum(&self, n: u64) -> ClippedSum {
        ClippedSum::new(&self.clip, n)
    }

    /// One party's sum with its share of the noise, in steps. Alone it is as private as one share makes it, μ√K′: it is to be handed on so that
    /// only the sum of all parties' can be read.
    ///
    /// # Errors
    /// As [`Self::share`]; [`NoiseError::Incomplete`] for an incomplete sum or one of other settings.
    pub fn masked(
        &self,
        sum: &ClippedSum,
        noise: &mut NoiseSource,
        paid: &Charge,
    ) -> Result<Vec<i128>, NoiseError> {
        let steps = self.bare(sum, paid)?;
        Ok(self.share(noise, paid)?.into_iter().zip(steps).map(|(share, k)| k + share).collect())
    }

    /// One party's sum *without noise*, in steps, where those who add the parties' sums up add the noise too: until then nobody may be able to
    /// read it. Paid for all the same.
    ///
    /// # Errors
    /// As [`Self::masked`].
    pub fn bare(&self, sum: &ClippedSum, paid: &Charge) -> Result<Vec<i128>, NoiseError> {
        paid.check(self.loss())?;
        sum.check_complete()?;
        if sum.clip() != &self.clip {
            return Err(IncompleteMean::Mismatch.into());
        }
        Ok(sum.steps().to_vec())
    }

    /// No entry of the sum of n vectors with one share of noise is farther from 0: nB + 40M steps.
    pub fn range(&self, n: u64) -> u128 {
        u128::from(n) * u128::from(self.clip.bound()) + self.reach() as u128
    }

    fn reach(&self) -> i128 {
        i128::from(REACH) * i128::from(self.clip.lattice().multiplier())
    }

    /// One share: a rounded normal in every coordinate, in steps.
    ///
    /// # Errors
    /// [`NoiseError::Charge`] when `paid` does not cover the release of the sum; nothing has been drawn then.
    pub fn share(&self, noise: &mut NoiseSource, paid: &Charge) -> Result<Vec<i128>, NoiseError> {
        paid.check(self.loss())?;
        let (steps, reach) = (self.clip.lattice().multiplier(), self.reach());
        let mut one = || rounded_normal(steps, &mut noise.rng).clamp(-reach, reach);
        Ok((0..self.clip.dimension()).map(|_| one()).collect())
    }

    /// The standard deviation, in the vectors' units, that so many shares have together in one coordinate; not below it, and above by the
    /// rounding to whole steps only.
    pub fn sigma(&self, shares: u64) -> f64 {
        mul_up(self.clip.scale(), sqrt_up(shares as f64))
    }

    /// How a sum over n vectors was noised by so many shares.
    pub fn description(&self, shares: u64, n: u64) -> NoiseDescription {
        let mut noise = describe("gaussian-shares", self.clip.lattice(), self.clip.dimension(), SAMPLER);
        noise.scale = div_up(self.sigma(shares), n as f64);
        noise.step = noise.step.map(|step| step / n as f64);
        noise
    }
}

#[cfg(test)]
mod tests;
