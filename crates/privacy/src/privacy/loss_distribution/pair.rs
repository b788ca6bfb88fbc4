//! Dominating pairs that are their own mirror image.
//!
//! A pair (P, Q) dominates a step if E_γ(A(D) ‖ A(D′)) ≤ E_γ(P ‖ Q) for all γ ≥ 0 and all ordered neighbours. Under replacement neighbours
//! can be exchanged, so a bound h on γ ≥ 1 gives the rest, E_γ(P‖Q) = 1 − γ + γ E_{1/γ}(Q‖P), and the loss L = ln dP/dQ has the same law
//! under P as −L under Q: **P(L = −l) = e^{−l} P(L = l)**. So a pair is told by its losses above 0, here as a rising function of a
//! standard variable s > 0 with density q(s) under Q:
//!
//! | step | L(s) | q(s) |
//! | --- | --- | --- |
//! | Poisson, rate q, m = 1/z | ln(1 + q(e^{ms − m²/2} − 1)) − ln(1 + q(e^{−ms − m²/2} − 1)) | φ(s)(1 + q(e^{−ms − m²/2} − 1)) |
//! | subset, rate q, d = 2/z | ln(1 + q(e^{ds} − 1)) | φ(s + d/2) |
//! | μ-GDP | that of a subset, q = 1, d = μ | |
//! | ε-DP (Kairouz, Oh and Viswanath 2015) | L = ε with probability e^ε/(1 + e^ε) | |
//!
//! Poisson: the worst pair of `privacy/sampled/amplification.rs`, L odd in s. Subset: h(γ) = E_Q(t − γ)₊, t = 1 + q(e^{ds} − 1), for γ ≥ 1
//! (ibid.), x = s + d/2 ~ N(0, 1) under Q. What neither L > 0 nor its mirror image holds, 1 − E_Q[t + 1; t ≥ 1] =
//! (1 − q)(1 − 2Φ(−d/2)) ≥ 0, is at L = 0: a law, so h is the profile of a pair.

use super::super::normal::{LN_SQRT_2PI, upper_quantile_ln, upper_tail};
use super::super::sampled::ln_mixed;
use super::super::{Batches, SampledGaussian};

/// Steps with less noise than this are left to other rules: no budget that protects anybody asks for them.
const LEAST_NOISE: f64 = 0.05;

/// A pair with a continuous loss.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Pair {
    Poisson { rate: f64, m: f64 },
    Subset { rate: f64, d: f64 },
}

impl Pair {
    pub(super) fn of_gaussian(mu: f64) -> Option<Self> {
        (mu <= 2.0 / LEAST_NOISE).then_some(Self::Subset { rate: 1.0, d: mu })
    }

    pub(super) fn of_step(step: &SampledGaussian) -> Option<Self> {
        let (rate, z) = (step.rate(), step.multiplier());
        match step.batches() {
            _ if !(z >= LEAST_NOISE && rate > 1e-12) => None,
            Batches::Poisson if rate < 1.0 - 1e-12 => Some(Self::Poisson { rate, m: 1.0 / z }),
            // More batches than there are: a rate of 1 bounds any.
            Batches::Poisson => Some(Self::Subset { rate: 1.0, d: 2.0 / z }),
            Batches::Subset => Some(Self::Subset { rate, d: 2.0 / z }),
        }
    }

    /// How fast the loss can rise with s, about: 2m or d.
    pub(super) fn slope(self) -> f64 {
        match self {
            Self::Poisson { m, .. } => 2.0 * m,
            Self::Subset { d, .. } => d,
        }
    }

    /// L(s), s ≥ 0.
    pub(super) fn loss(self, s: f64) -> f64 {
        match self {
            Self::Poisson { rate, m } => {
                let half = 0.5 * m * m;
                ln_mixed(rate, m * s - half) - ln_mixed(rate, -m * s - half)
            }
            Self::Subset { rate, d } => ln_mixed(rate, d * s),
        }
    }

    /// The s ≥ 0 with L(s) = `loss`. Poisson: the root u = e^{ms} of qcu² + (1−q)(1−eˡ)u − qceˡ = 0, c = e^{−m²/2}.
    pub(super) fn at(self, loss: f64) -> f64 {
        match self {
            Self::Poisson { rate, m } => {
                let half = 0.5 * loss;
                // ln of (1−q) sinh(l/2)/(qc).
                let ln_a = half + libm::log(-0.5 * libm::expm1(-loss)) + 0.5 * m * m - libm::log(rate)
                    + libm::log1p(-rate);
                let root =
                    if ln_a > 40.0 { ln_a + std::f64::consts::LN_2 } else { libm::asinh(libm::exp(ln_a)) };
                (half + root) / m
            }
            Self::Subset { rate, d } if loss > 700.0 => (loss - libm::log(rate)) / d,
            Self::Subset { rate, d } => libm::log1p(libm::expm1(loss) / rate) / d,
        }
    }

    /// The density of s under P, s > 0.
    pub(super) fn density(self, s: f64) -> f64 {
        let ln_normal = |x: f64| -0.5 * x * x - LN_SQRT_2PI;
        libm::exp(match self {
            Self::Poisson { rate, m } => ln_normal(s) + ln_mixed(rate, m * s - 0.5 * m * m),
            Self::Subset { rate, d } => ln_normal(s + 0.5 * d) + ln_mixed(rate, d * s),
        })
    }

    /// The mass beyond s under P and under Q.
    pub(super) fn beyond(self, s: f64) -> (f64, f64) {
        match self {
            Self::Poisson { rate, m } => {
                let mixed = |shift: f64| (1.0 - rate) * upper_tail(s) + rate * upper_tail(s + shift);
                (mixed(-m), mixed(m))
            }
            Self::Subset { rate, d } => {
                let far = upper_tail(s + 0.5 * d);
                ((1.0 - rate) * far + rate * upper_tail(s - 0.5 * d), far)
            }
        }
    }

    /// The mass at L = 0.
    pub(super) fn at_zero(self) -> f64 {
        match self {
            Self::Poisson { .. } => 0.0,
            Self::Subset { rate, d } => (1.0 - rate) * (1.0 - 2.0 * upper_tail(0.5 * d)),
        }
    }
}

/// A step and how often it was made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Term {
    pub(super) law: Law,
    pub(super) times: u32,
}

/// The law of a step's loss.
#[derive(Debug, Clone, Copy)]
pub(super) enum Law {
    Pair(Pair),
    /// ±ε.
    Response(f64),
}

impl Term {
    /// The s beyond which so little is left.
    pub(super) fn reach(&self, ln_lost: f64) -> f64 {
        match self.law {
            Law::Pair(pair) => upper_quantile_ln(ln_lost.min(-1.0)) + 0.5 * pair.slope(),
            Law::Response(_) => 0.0,
        }
    }
}
