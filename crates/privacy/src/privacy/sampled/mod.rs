//! The Gaussian mechanism on a random batch of the records.

mod amplification;

pub use amplification::Batches;
pub(super) use amplification::ln_mixed;

use super::{BudgetError, RenyiCurve};
use amplification::Amplified;
use serde::{Deserialize, Serialize};

/// One noised sum over a random batch: what an accountant has to know of it, and no more. Compositions hold this rather than a bound, so
/// that every accountant reads from it what its theorem needs: a Rényi curve ([`Self::renyi_curve`]), or a dominating pair, whose privacy
/// loss distribution composes with hardly any loss.
///
/// Adjacency: one record replaced.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Raw", into = "Raw")]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct SampledGaussian {
    batches: Batches,
    rate: f64,
    multiplier: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema), schemars(rename = "SampledGaussian"))]
struct Raw {
    batches: Batches,
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0, "maximum" = 1)))]
    rate: f64,
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    multiplier: f64,
}

impl SampledGaussian {
    /// Batches at rate q ∈ (0, 1], noise of standard deviation `multiplier` × the largest norm of one record's share of the sum, in every
    /// direction.
    ///
    /// # Errors
    /// [`BudgetError::OutOfRange`].
    pub fn new(batches: Batches, rate: f64, multiplier: f64) -> Result<Self, BudgetError> {
        if !(rate > 0.0 && rate <= 1.0) {
            return Err(BudgetError::OutOfRange {
                name: "the sampling rate",
                range: "above 0, at most 1",
                value: rate,
            });
        }
        if !(multiplier > 0.0 && multiplier.is_finite()) {
            let (name, range) = ("the noise multiplier", "a positive finite number");
            return Err(BudgetError::OutOfRange { name, range, value: multiplier });
        }
        Ok(Self { batches, rate, multiplier })
    }

    /// How batches are drawn.
    pub fn batches(&self) -> Batches {
        self.batches
    }

    /// q.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// z.
    pub fn multiplier(&self) -> f64 {
        self.multiplier
    }

    /// A bound on its Rényi divergences at every order, rounded up. Proofs: `privacy/sampled/amplification.rs`.
    pub fn renyi_curve(&self) -> RenyiCurve {
        let step = Amplified::new(self.batches, self.rate, self.multiplier, 1e6);
        RenyiCurve::from_fn(|order| step.divergence(order))
    }
}

impl From<SampledGaussian> for Raw {
    fn from(step: SampledGaussian) -> Self {
        Self { batches: step.batches, rate: step.rate, multiplier: step.multiplier }
    }
}

impl TryFrom<Raw> for SampledGaussian {
    type Error = BudgetError;
    fn try_from(raw: Raw) -> Result<Self, BudgetError> {
        Self::new(raw.batches, raw.rate, raw.multiplier)
    }
}
