//! Exact composition of Gaussian, pure and approximate losses through their dominating pairs.
//!
//! A μ-GDP release is dominated by (N(0,1), N(μ,1)); an (ε, δ)-DP release by randomized response that with
//! probability δ tells all and otherwise has privacy loss +ε with probability p = e^ε/(1+e^ε) and −ε with 1 − p
//! (Kairouz, Oh and Viswanath 2015). Products of dominating pairs dominate adaptive compositions (Zhu, Dong and Wang
//! 2022, Theorem 10), so with L the sum of the ±ε losses
//!
//! ```text
//! δ(ε) = 1 − ∏(1−δᵢ) · (1 − E[δ_μ(ε − L)]),   δ_μ the exact Gaussian curve, at μ = 0: (1 − e^ε)⁺,
//! ```
//!
//! and given only the terms' stated losses no smaller bound holds. L has few values when few ε differ; beyond
//! [`MAX_ATOMS`] neighbours are merged *upwards*, which can only increase δ.

use super::gaussian::delta_bound;
use super::rounding::{SLACK, add_up, mul_up, up};
use super::{Epsilon, Mu};

/// An (ε, δ)-DP term, δ = 0 for pure, repeated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ApproximateTerm {
    pub(crate) epsilon: f64,
    pub(crate) delta: f64,
    pub(crate) times: u32,
}

const MAX_ATOMS: usize = 512;

/// How often equal terms may be repeated: the law of their sum has one atom more, and is tabulated before it is merged.
const MAX_TIMES: u64 = 1 << 20;

/// A value of L and an upper bound on its probability.
type Atom = (f64, f64);

/// The product of a Gaussian pair (if any) and randomized responses.
pub(crate) struct DominatingPairs {
    mu: Option<Mu>,
    /// Σδᵢ, an upper bound on 1 − ∏(1−δᵢ).
    lost: f64,
    atoms: Vec<Atom>,
}

impl DominatingPairs {
    /// Whether the terms are few enough to be composed exactly.
    pub(crate) fn feasible(terms: &[ApproximateTerm]) -> bool {
        let times = terms.iter().filter(|t| t.epsilon > 0.0).map(|t| u64::from(t.times));
        times.fold(0, u64::saturating_add) <= MAX_TIMES
    }

    /// `None` where the terms are not [feasible](Self::feasible).
    pub(crate) fn new(mu: Option<Mu>, terms: &[ApproximateTerm]) -> Option<Self> {
        if !Self::feasible(terms) {
            return None;
        }
        let lost = terms.iter().map(|t| mul_up(t.delta, f64::from(t.times))).fold(0.0, add_up);
        let mut grouped: Vec<(f64, u64)> = Vec::new();
        for term in terms.iter().filter(|t| t.epsilon > 0.0) {
            match grouped.iter_mut().find(|(epsilon, _)| *epsilon == term.epsilon) {
                Some((_, times)) => *times += u64::from(term.times),
                None => grouped.push((term.epsilon, u64::from(term.times))),
            }
        }
        let mut atoms = vec![(0.0, 1.0)];
        for (epsilon, times) in grouped {
            let group = merged(binomial_losses(epsilon, times));
            let product = atoms
                .iter()
                .flat_map(|(a, p)| group.iter().map(move |(b, q)| (up_signed(a + b), mul_up(*p, *q))))
                .collect();
            atoms = merged(product);
        }
        Some(Self { mu, lost, atoms })
    }

    /// δ(ε) for ε ≥ 0, rounded up, at most 1.
    pub(crate) fn delta_at(&self, epsilon: f64) -> f64 {
        let one = |loss: f64| {
            let rest = epsilon - loss;
            match self.mu {
                Some(mu) => delta_bound(mu.get(), rest),
                None if rest < 0.0 => up(-libm::expm1(rest)),
                None => 0.0,
            }
        };
        let expected = self.atoms.iter().map(|(loss, p)| mul_up(*p, one(*loss))).fold(0.0, add_up).min(1.0);
        // lost + (1 − lost)·expected, and lost is itself an upper bound in a formula that increases with it.
        add_up(self.lost, expected * (1.0 - self.lost).max(0.0) * (1.0 + SLACK)).min(1.0)
    }

    /// The smallest ε with δ(ε) ≤ `delta`, to 1e-11 and rounded up; `None` when there is none.
    pub(crate) fn epsilon_at(&self, delta: f64) -> Option<Epsilon> {
        if self.delta_at(0.0) <= delta {
            return Epsilon::new(0.0).ok();
        }
        if delta < self.lost {
            return None;
        }
        let largest = self.atoms.iter().map(|(loss, _)| *loss).fold(0.0, f64::max);
        let mut high = largest * (1.0 + SLACK);
        if let Some(mu) = self.mu {
            let mu = mu.get();
            high += 0.5 * mu * mu + mu * libm::sqrt(-2.0 * libm::log(delta - self.lost));
        }
        // The estimate of the upper end is only an estimate: verified like everything else.
        for _ in 0..60 {
            if self.delta_at(high) <= delta {
                break;
            }
            high = 2.0 * high + f64::MIN_POSITIVE;
        }
        if !high.is_finite() || self.delta_at(high) > delta {
            return None;
        }
        let mut low = 0.0;
        while high - low > 1e-11 * high {
            let middle = 0.5 * (low + high);
            // Among the smallest numbers the precision asked for does not exist.
            if middle <= low || middle >= high {
                break;
            }
            if self.delta_at(middle) <= delta { high = middle } else { low = middle }
        }
        Epsilon::new(high).ok()
    }
}

/// A sum of losses moved up by its rounding.
fn up_signed(x: f64) -> f64 {
    x + 4.0 * f64::EPSILON * x.abs()
}

/// The law of the sum of `times` losses ±ε: (2k − times)·ε with binomial probability.
fn binomial_losses(epsilon: f64, times: u64) -> Vec<Atom> {
    let n = times as f64;
    let (ln_hit, ln_miss) = (-libm::log1p(libm::exp(-epsilon)), -epsilon - libm::log1p(libm::exp(-epsilon)));
    (0..=times)
        .map(|k| {
            let k = k as f64;
            let ln_choose = libm::lgamma(n + 1.0) - libm::lgamma(k + 1.0) - libm::lgamma(n - k + 1.0);
            let exponent = ln_choose + k * ln_hit + (n - k) * ln_miss;
            // The terms of the exponent are below n(1 + ε) + n ln n: their rounding errors, generously.
            let error = 8.0 * f64::EPSILON * (n * (1.0 + epsilon) + n * libm::log(n + 1.0));
            (up_signed((2.0 * k - n) * epsilon), up(libm::exp(exponent + error)).min(1.0))
        })
        .collect()
}

/// At most [`MAX_ATOMS`] atoms, each moved up if at all.
fn merged(mut atoms: Vec<Atom>) -> Vec<Atom> {
    atoms.retain(|(_, p)| *p > 0.0);
    atoms.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (Some(first), Some(last)) = (atoms.first(), atoms.last()) else { return atoms };
    let (first, width) = (first.0, (last.0 - first.0) / MAX_ATOMS as f64);
    let cell = |loss: f64| if width > 0.0 { ((loss - first) / width) as usize } else { 0 };
    let few = atoms.len() <= MAX_ATOMS;
    let mut kept: Vec<Atom> = Vec::with_capacity(MAX_ATOMS + 1);
    for (loss, p) in atoms {
        match kept.last_mut() {
            // Equal sums reached by different orders of addition differ in the last digits: one atom, the larger loss.
            Some(last) if (loss - last.0) <= 1e-13 * loss.abs() || (!few && cell(loss) == cell(last.0)) => {
                *last = (loss, add_up(last.1, p));
            }
            _ => kept.push((loss, p)),
        }
    }
    kept
}
