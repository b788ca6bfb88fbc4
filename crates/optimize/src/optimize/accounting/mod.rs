//! What a noised gradient costs: sampling, amplification, Rényi curves.

#[cfg(test)]
mod reference_tests;
mod wbk;

pub use wbk::{wang_balle_kasiviswanathan, wbk_curve};

use super::PlanError;
use crate::privacy::{Batches, BudgetError, Cost, Mu, PrivacyLoss, RenyiCurve, SampledGaussian};
use serde::{Deserialize, Serialize};

/// How many 64-bit words there are.
const WORDS: f64 = 18_446_744_073_709_551_616.0;

/// Which records a step looks at. Batches are secret: only the noised sum of their gradients leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sampling {
    /// All of them.
    All,
    /// Each record on its own with probability batch/n; the sum is divided by `batch`, whatever came.
    Poisson {
        /// The expected number of records, 1 to n.
        batch: usize,
    },
    /// A uniform subset of exactly `batch` records.
    WithoutReplacement {
        /// The number of records, 1 to n.
        batch: usize,
    },
}

impl Sampling {
    /// What the sum of gradients is divided by.
    pub fn batch(self, n: usize) -> usize {
        match self {
            Self::All => n,
            Self::Poisson { batch } | Self::WithoutReplacement { batch } => batch,
        }
    }

    /// q = batch/n; of Poisson samples the next multiple of 2⁻⁶⁴ below the double nearest to it, which is the probability that a record
    /// is drawn with, exactly.
    pub fn rate(self, n: usize) -> f64 {
        let rate = self.batch(n) as f64 / n as f64;
        match self {
            Self::Poisson { .. } if !self.is_full(n) => self.threshold(n) as f64 / WORDS,
            _ => rate,
        }
    }

    /// q·2⁶⁴, a whole number: a record is in a Poisson sample if a random word is below it. (Doubles from 2⁻¹¹ on are multiples of
    /// 2⁻⁶⁴, and smaller multiples have fewer than 53 digits: nothing is rounded but what is cut off here.)
    pub(super) fn threshold(self, n: usize) -> u64 {
        (self.batch(n) as f64 / n as f64 * WORDS) as u64
    }

    /// Whether every step sees every record: then the loss is exactly Gaussian.
    pub fn is_full(self, n: usize) -> bool {
        self.batch(n) == n
    }

    /// Refuses batches no dataset of n records has.
    ///
    /// # Errors
    /// [`PlanError::Batch`], [`PlanError::NoRecords`].
    pub fn check(self, n: usize) -> Result<(), PlanError> {
        if n == 0 {
            return Err(PlanError::NoRecords);
        }
        let batch = self.batch(n);
        if batch == 0 || batch > n { Err(PlanError::Batch { batch, n }) } else { Ok(()) }
    }

    /// What one step costs under replacement of one record, where the noise in every direction has standard deviation
    /// `multiplier` × (the largest norm of one record's share of the result): σ = z·C/batch for a mean of gradients clipped to C.
    ///
    /// # Errors
    /// [`BudgetError::OutOfRange`] for multipliers that are no positive number.
    pub fn cost(self, n: usize, multiplier: f64) -> Result<Cost, BudgetError> {
        if self.is_full(n) {
            return Ok(Cost::Loss(PrivacyLoss::Gaussian(Mu::new(2.0 / multiplier)?)));
        }
        let batches = if matches!(self, Self::Poisson { .. }) { Batches::Poisson } else { Batches::Subset };
        SampledGaussian::new(batches, self.rate(n), multiplier).map(Cost::Sampled)
    }

    /// Its Rényi curve.
    pub fn renyi_curve(self, n: usize, multiplier: f64) -> RenyiCurve {
        match self.cost(n, multiplier) {
            Ok(Cost::Sampled(step)) => step.renyi_curve(),
            Ok(Cost::Loss(PrivacyLoss::Gaussian(mu))) => RenyiCurve::of_gaussian(mu),
            _ => RenyiCurve::from_fn(|_| f64::INFINITY),
        }
    }
}
