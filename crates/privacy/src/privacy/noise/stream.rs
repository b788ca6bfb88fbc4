//! Running sums of clipped vectors that are released step by step, all under one charge.

use super::integer_clip::IntegerClip;
use super::vectors::{NORMAL, describe};
use super::{ClippedSum, IncompleteMean, NoiseDescription, NoiseError, NoiseSource};
use crate::privacy::release::{Price, Title};
use crate::privacy::rounding::{div_up, mul_up, sqrt_up};
use crate::privacy::{Charge, ClipRadius, L2Sensitivity, Mu, PrivacyLoss, Sensitivity};

mod whole;
mod worst_case;

#[doc(hidden)]
pub use whole::WholeStream;
pub use worst_case::STREAM_ENTRY;

/// What certificates and ledgers call it.
pub const STREAM: Title = Title {
    name: "stream of clipped means",
    sentence: "People come step by step; every record is shortened to the public radius, and in each step a fixed weighted sum of the sums of \
               all steps so far is released with fresh normal noise, so that all steps together cost one budget and every running mean, \
               which is worked out from what was released, has little more noise than a mean that is released once.",
};

/// Steps at most.
pub const STEPS_MOST: usize = 64;
/// Binary digits of the step of the lattice: 2²⁶ to 2²⁷ steps to the clip radius. Rounding costs √d/2 of them.
const DIGITS: i32 = 26;
/// Binary digits of the weights: the first is 2²⁰.
const WEIGHT_DIGITS: i32 = 20;

/// The sums X_1, X_2, … of the vectors of people who come in step 1, 2, …, clipped to a radius; in step t, Σ_{s≤t} c_{t−s} X_s is released with noise,
/// with public whole numbers c. All steps together are μ-GDP under replacement of one person, who is in at most so many steps as `visits` says.
///
#[doc = include_str!("stream/proof.md")]
#[derive(Debug, Clone, PartialEq)]
pub struct StreamNoise {
    clip: IntegerClip,
    radius: ClipRadius,
    /// c_0 ≥ c_1 ≥ … ≥ 0.
    weights: Vec<i64>,
    visits: usize,
    mu: Mu,
}

impl StreamNoise {
    /// For vectors of `dim` coordinates clipped to `radius`, in `steps` steps (1 to [`STEPS_MOST`]) of which a person is in at most `visits`; all
    /// of it at `mu`. All of these are public.
    ///
    /// # Errors
    /// [`NoiseError::OutOfScale`] for other numbers of steps or visits and for extreme radii or budgets, [`NoiseError::Empty`] for no coordinates.
    pub fn new(
        dim: usize,
        radius: ClipRadius,
        steps: usize,
        visits: usize,
        mu: Mu,
    ) -> Result<Self, NoiseError> {
        if !(1..=STEPS_MOST).contains(&steps) || !(1..=steps).contains(&visits) {
            return Err(NoiseError::OutOfScale);
        }
        let weights = weights(steps);
        let growth = growth(&weights, visits);
        // Twice the bound is far below 2⁵³.
        let noise = |bound: u64| div_up(mul_up(2.0 * bound as f64, growth), mu.get());
        let clip = IntegerClip::coarse(dim, radius.get(), DIGITS, noise)?;
        Ok(Self { clip, radius, weights, visits, mu })
    }

    /// Steps that it was planned for.
    pub fn steps(&self) -> usize {
        self.weights.len()
    }

    /// In how many of them a person may be.
    pub fn visits(&self) -> usize {
        self.visits
    }

    /// The loss of all steps together.
    pub fn loss(&self) -> PrivacyLoss {
        PrivacyLoss::Gaussian(self.mu)
    }

    /// How vectors are clipped and rounded.
    pub fn clip(&self) -> &IntegerClip {
        &self.clip
    }

    /// The clip radius.
    pub fn radius(&self) -> ClipRadius {
        self.radius
    }

    /// The price of all steps; sensitivity and noise are those of the weighted sums over the n people so far.
    ///
    /// # Errors
    /// [`NoiseError`] for n = 0.
    pub fn price(&self, n: u64, statistic: &str) -> Result<Price, NoiseError> {
        let price = Price::new(STREAM, n, self.loss(), statistic).map_err(|_| IncompleteMean::Empty)?;
        let moved = mul_up(self.clip.sensitivity(), growth(&self.weights, self.visits));
        let sensitivity = L2Sensitivity::new(div_up(div_up(moved, self.unit()), n as f64));
        let sensitivity = Sensitivity::L2(sensitivity.map_err(|_| NoiseError::OutOfScale)?);
        Ok(price.with_noise(sensitivity, self.scale(n)).with_clip(self.radius))
    }

    /// An empty sum for the n records of a step.
    pub fn sum(&self, n: u64) -> ClippedSum {
        ClippedSum::new(&self.clip, n)
    }

    /// The sum of a step's records, complete, in steps of the lattice: secret, and what later steps need of them.
    ///
    /// # Errors
    /// [`NoiseError::Incomplete`]: records are missing, or it was made by another clip.
    pub fn closed(&self, sum: &ClippedSum) -> Result<Vec<i128>, NoiseError> {
        sum.check_complete()?;
        if *sum.clip() != self.clip {
            return Err(IncompleteMean::Mismatch.into());
        }
        Ok(sum.steps().to_vec())
    }

    /// What is released in the step of the last of these sums, in steps of the lattice: the others are those of all steps before, oldest first.
    ///
    /// # Errors
    /// [`NoiseError::Incomplete`] for sums of another length, none, or more than there are steps; [`NoiseError::Charge`] when `paid` does not
    /// cover all steps. Nothing has been drawn then.
    pub fn answer(
        &self,
        sums: &[Vec<i128>],
        noise: &mut NoiseSource,
        paid: &Charge,
    ) -> Result<Vec<i128>, NoiseError> {
        self.check(sums)?;
        let mut all = vec![0i128; self.clip.dimension()];
        for (sum, weight) in sums.iter().rev().zip(&self.weights) {
            all.iter_mut().zip(sum).for_each(|(all, x)| *all += i128::from(*weight) * x);
        }
        noise.gaussian_steps(&all, self.clip.lattice(), self.mu, paid)
    }

    /// X_1 + … + X_t in the vectors' units, as far as what was released in t steps tells: post-processing.
    ///
    /// # Errors
    /// [`NoiseError::Incomplete`] for answers of another length, none, or more than there are steps.
    pub fn running(&self, answers: &[Vec<i128>]) -> Result<Vec<f64>, NoiseError> {
        self.check(answers)?;
        let mut all = vec![0.0; self.clip.dimension()];
        for (answer, weight) in answers.iter().rev().zip(self.inverse()) {
            all.iter_mut().zip(answer).for_each(|(all, y)| *all += weight * self.clip.to_f64(*y));
        }
        Ok(all)
    }

    /// The standard deviation of the noise in a coordinate of [`Self::running`] after so many steps.
    pub fn running_sigma(&self, steps: usize) -> f64 {
        let squares: f64 = self.inverse().take(steps).map(|b| b * b).sum();
        self.clip.scale() * squares.sqrt()
    }

    /// What it would be if the same sum were released once, at the same μ, with nothing before or after it.
    pub fn once_sigma(&self) -> f64 {
        self.clip.sensitivity() / self.mu.get()
    }

    /// X_1 + … + X_t without noise: for the data holder's eyes, never for a release.
    pub fn nonprivate(&self, sums: &[Vec<i128>]) -> Vec<f64> {
        (0..self.clip.dimension())
            .map(|j| self.clip.to_f64(sums.iter().filter_map(|sum| sum.get(j)).sum()))
            .collect()
    }

    /// How an answer over n people was noised, in the vectors' units.
    pub fn description(&self, n: u64) -> NoiseDescription {
        let mut noise = describe("gaussian", self.clip.lattice(), self.clip.dimension(), NORMAL);
        noise.scale = self.scale(n);
        noise.step = noise.step.map(|step| step / self.unit() / n as f64);
        noise
    }

    fn check(&self, steps: &[Vec<i128>]) -> Result<(), IncompleteMean> {
        let expected = self.clip.dimension();
        if !(1..=self.steps()).contains(&steps.len()) {
            return Err(IncompleteMean::Mismatch);
        }
        match steps.iter().map(Vec::len).find(|found| *found != expected) {
            Some(found) => Err(IncompleteMean::Length { expected, found }),
            None => Ok(()),
        }
    }

    /// c_0: what a step's own sum is multiplied by.
    fn unit(&self) -> f64 {
        libm::ldexp(1.0, WEIGHT_DIGITS)
    }

    fn scale(&self, n: u64) -> f64 {
        div_up(self.clip.scale() / self.unit(), n as f64)
    }

    /// The weights b of the answers, the newest first: Σ_j b_j c_{k−j} = 1 for every k.
    fn inverse(&self) -> impl Iterator<Item = f64> {
        let c: Vec<f64> = self.weights.iter().map(|c| *c as f64).collect();
        let mut b: Vec<f64> = Vec::new();
        for k in 0..c.len() {
            let before: f64 = b.iter().enumerate().map(|(j, b)| b * c[k - j]).sum();
            b.push((1.0 - before) / c[0]);
        }
        b.into_iter()
    }
}

/// 2²⁰ binom(2k, k)/4^k, the coefficients of 2²⁰ (1 − z)^(−½), rounded. They fall, so that rounded they do not rise.
fn weights(steps: usize) -> Vec<i64> {
    let mut r = libm::ldexp(1.0, WEIGHT_DIGITS);
    let next = |k: usize| {
        let now = r;
        r *= (2 * k + 1) as f64 / (2 * k + 2) as f64;
        now.round() as i64
    };
    (0..steps).map(next).collect()
}

/// By how much the norm of what a person gives in each step grows at most in all answers together: that of the sum of the first `visits` columns.
fn growth(weights: &[i64], visits: usize) -> f64 {
    let all: Vec<usize> = (0..visits).collect();
    root_up(square(weights, &all))
}

/// ‖Σ_{i∈steps} c_{·−i}‖²: exact, for at most 64 weights of 2²⁰ from at most 64 steps.
fn square(weights: &[i64], steps: &[usize]) -> u64 {
    let entry = |t: usize| -> i64 { steps.iter().filter(|i| **i <= t).map(|i| weights[t - i]).sum() };
    (0..weights.len()).map(|t| entry(t).unsigned_abs().pow(2)).sum()
}

fn root_up(square: u64) -> f64 {
    let x = square as f64;
    sqrt_up(if square > 1 << 53 { x.next_up() } else { x })
}

#[cfg(test)]
mod tests;
