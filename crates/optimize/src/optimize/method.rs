//! The methods and what they ask of the data.

use super::accounting::Sampling;
use serde::{Deserialize, Serialize};

/// A gradient method. Steps are counted over the whole run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Method {
    /// DP-RGD: the full gradient at every step (Han et al. 2022, Algorithm 1). The loss is exactly Gaussian.
    GradientDescent {
        /// Number of steps.
        steps: u32,
    },
    /// DP-RSGD: gradients of sampled batches.
    Stochastic {
        /// Number of steps.
        steps: u32,
        /// How batches are drawn.
        sampling: Sampling,
    },
    /// DP-RSVRG (Utpala et al. 2023, Algorithm 11 with the sign mended; Algorithm 12 with `restarts` > 1): a full noised
    /// gradient at the anchor of each epoch, then steps along its transport corrected by batches.
    VarianceReduced {
        /// Epochs S of one run.
        epochs: u32,
        /// Corrected steps m in an epoch.
        inner: u32,
        /// Runs K, each from the output of the one before.
        restarts: u32,
        /// How batches are drawn.
        sampling: Sampling,
        /// How the correction is bounded.
        correction: Correction,
        /// How noise is divided between anchor and corrections.
        split: NoiseSplit,
    },
}

impl Method {
    /// The name in the literature.
    pub fn name(&self) -> &'static str {
        match self {
            Self::GradientDescent { .. } => "DP-RGD",
            Self::Stochastic { .. } => "DP-RSGD",
            Self::VarianceReduced { .. } => "DP-RSVRG",
        }
    }

    /// Steps of the whole run; saturates.
    pub fn steps(&self) -> u64 {
        match *self {
            Self::GradientDescent { steps } | Self::Stochastic { steps, .. } => u64::from(steps),
            Self::VarianceReduced { epochs, inner, restarts, .. } => {
                (u64::from(epochs) * u64::from(inner)).saturating_mul(u64::from(restarts))
            }
        }
    }

    /// Gradients of single records the whole run evaluates (IFO calls), in expectation.
    pub fn gradient_calls(&self, n: usize) -> u64 {
        let n_ = n as u64;
        match *self {
            Self::GradientDescent { steps } => u64::from(steps).saturating_mul(n_),
            Self::Stochastic { steps, sampling } => u64::from(steps).saturating_mul(sampling.batch(n) as u64),
            Self::VarianceReduced { epochs, restarts, sampling, .. } => (u64::from(epochs)
                * u64::from(restarts))
            .saturating_mul(n_)
            .saturating_add(self.steps().saturating_mul(2 * sampling.batch(n) as u64)),
        }
    }
}

/// How one record's share ∇f(w; z) − PT ∇f(w̃; z) of a correction is bounded (w̃ the anchor, PT transport from w̃ to w).
/// Both gradients are clipped first: to C₁ of `Separate`, else to C as full gradients are, so that the corrected direction
/// is an unbiased gradient of one and the same clipped objective.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Correction {
    /// Both gradients are clipped to this radius C₁, as in the paper: a share of norm up to 2C₁.
    Separate(f64),
    /// The difference is clipped to this radius.
    Difference(f64),
    /// The difference is clipped to min(L·d(w, w̃), cap). Both points are public, so the radius is, and the noise shrinks with
    /// it: none at the anchor itself. (A wrong L costs bias, never privacy.)
    Lipschitz {
        /// L, a Lipschitz constant of the gradients.
        constant: f64,
        /// The largest radius.
        cap: f64,
    },
}

impl Correction {
    /// Its radii and constants, all of which must be positive.
    pub(super) fn parameters(self) -> [f64; 2] {
        match self {
            Self::Separate(radius) | Self::Difference(radius) => [radius; 2],
            Self::Lipschitz { constant, cap } => [constant, cap],
        }
    }

    /// The largest norm of one record's share, at this distance from the anchor.
    pub fn reach(self, distance: f64) -> f64 {
        match self {
            Self::Separate(radius) => 2.0 * radius,
            Self::Difference(radius) => radius,
            Self::Lipschitz { constant, cap } => (constant * distance).min(cap),
        }
    }
}

/// How the noise of DP-RSVRG is divided: σ₁ on the anchor's gradient, σ₂ on each correction.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum NoiseSplit {
    /// σ₁ = σ₂.
    Half,
    /// σ₁² = α(σ₁² + σ₂²), 0 < α < 1.
    Share(f64),
    /// The division with the least σ₁² + `weight`·σ₂² for the budget. Weight 1 is the paper's criterion; since the anchor's
    /// noise is the same through an epoch and the corrections' averages out, η/2 describes the error at the end.
    Optimized {
        /// What a correction's variance counts.
        weight: f64,
    },
}
