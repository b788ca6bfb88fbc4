//! Whether releases stay within a ceiling, although each budget may be chosen after looking at the releases before it.
//!
//! Composition theorems count losses that are fixed in advance. People choose the next budget, mechanism or question by what they saw. A
//! *filter* is a rule that refuses a release once a sum would exceed a ceiling that was fixed before the first one, and that keeps the
//! ceiling's guarantee for every way of choosing (Rogers, Roth, Ullman and Vadhan 2016). Filters that are proved, and used here:
//!
//! * a ceiling of ε: Σε (Rogers et al. 2016, Theorem 3.6);
//! * of μ: √(Σμ²), pure terms by their μ (Smith and Thakurta 2022, arXiv 2210.17520, Theorem 1.1);
//! * of ρ: Σρ (Feldman and Zrnic 2021, Theorem 4.3, at every order at once);
//! * of (ε, δ): any of these four, each with ε and a quarter of δ, δ′ = δ/4:
//!   - √(Σμ²) up to the μ whose curve passes through (ε, δ′),
//!   - Σε and Σδ (Rogers et al. 2016),
//!   - Σρ up to the ρ that gives (ε, δ′),
//!   - the sum of Rényi curves at *one* order, which the ceiling alone decides (Feldman and Zrnic 2021). Beside approximate losses, which
//!     have no curve, each of the two kinds has half of ε and of δ′: they are two interactive mechanisms side by side (Vadhan and Zhang
//!     2023; Haney et al. 2023).
//!
//! Why a quarter: releases go on while *one* of the four rules has room, and which one that is may depend on what was seen. On the
//! outcomes E_r on which rule r had room to the end (sums only grow, so it had room throughout) the releases are those of rule r alone, so
//! P(S) = Σ_r P(S ∩ E_r) ≤ Σ_r (e^ε P′(S ∩ E_r) + δ′) = e^ε P′(S) + 4δ′, each outcome counted under one rule.
//!
//! Composing trade-off curves or privacy loss distributions and stopping at a curve is *not* a filter in general (arXiv 2602.06756), so
//! dominating pairs, loss distributions and an order or a split of δ chosen afterwards, which are right for budgets fixed in advance
//! ([`Composition::epsilon_at`]), do not decide here.

use super::compose::Leaves;
use super::fit::fits;
use super::{BudgetError, Composition, Delta, Epsilon, PrivacyLoss};

/// How many rules share δ.
const RULES: f64 = 4.0;

/// Decimal budgets may miss their sum by as much, as in [`fits`].
const ALLOWANCE: f64 = 1e-12;

/// Whether everything in all of `spent` together is within `ceiling`, by a rule that is a filter.
///
/// # Errors
/// [`BudgetError`] when a sum overflows.
pub(super) fn within(spent: &[&Composition], ceiling: PrivacyLoss) -> Result<bool, BudgetError> {
    let PrivacyLoss::Approximate(epsilon, delta) = ceiling else { return fits(spent, ceiling) };
    let delta = Delta::new(delta.get() / RULES)?;
    for leaves in Composition::people_of(spent)? {
        if !leaves_within(&leaves, epsilon, delta)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn leaves_within(spent: &Leaves, epsilon: Epsilon, delta: Delta) -> Result<bool, BudgetError> {
    if spent.nothing_lost() {
        return Ok(true);
    }
    let below = |sum: Epsilon| sum.get() <= epsilon.get() * (1.0 + ALLOWANCE);
    Ok(spent.mu()?.is_some_and(|mu| mu.delta_at(epsilon) <= delta.get())
        || spent.by_sum(delta).is_some_and(below)
        || spent.rho()?.and_then(|rho| rho.epsilon_at(delta).ok()).is_some_and(below)
        || by_order(spent, epsilon, delta)?)
}

fn by_order(spent: &Leaves, epsilon: Epsilon, delta: Delta) -> Result<bool, BudgetError> {
    if spent.non_private || delta.get() == 0.0 {
        return Ok(false);
    }
    let (curve, [rest, rest_delta]) = spent.curve_and_rest()?;
    let share = if rest_delta > 0.0 { 0.5 } else { 1.0 };
    let (own, own_delta) = (share * epsilon.get(), Delta::new(share * delta.get())?);
    if rest > own * (1.0 + ALLOWANCE) || rest_delta > own_delta.get() {
        return Ok(false);
    }
    // That of the Gaussian mechanism which has all of (ε, δ): √ρ = √(L + ε) − √L at the order 1 + √(L/ρ), L = ln(1/δ).
    let l = -libm::log(own_delta.get());
    let order = 1.0 + l.sqrt() / ((l + own).sqrt() - l.sqrt()).max(f64::MIN_POSITIVE);
    Ok(curve.epsilon_by_order(order, own_delta).is_ok_and(|sum| sum.get() <= own * (1.0 + ALLOWANCE)))
}

#[cfg(test)]
mod tests {
    use super::super::{Batches, Cost, Mu, SampledGaussian};
    use super::*;

    fn approximate(e: f64, d: f64) -> PrivacyLoss {
        PrivacyLoss::approximate(Epsilon::new(e).unwrap(), Delta::new(d).unwrap())
    }
    fn gaussian(m: f64) -> PrivacyLoss {
        PrivacyLoss::Gaussian(Mu::new(m).unwrap())
    }
    fn holds(losses: &[PrivacyLoss], ceiling: PrivacyLoss) -> bool {
        let mut spent = Composition::new();
        losses.iter().for_each(|loss| {
            spent.add("m", *loss);
        });
        within(&[&spent], ceiling).unwrap()
    }

    #[test]
    fn each_rule_has_all_of_epsilon_and_a_quarter_of_delta() {
        let (e, d) = (Epsilon::new(2.0).unwrap(), Delta::new(2.5e-7).unwrap());
        let mu = Mu::within(e, d).unwrap().get();
        let ceiling = approximate(2.0, 1e-6);
        assert!(holds(&[gaussian(0.6 * mu), gaussian(0.8 * mu)], ceiling));
        assert!(!holds(&[gaussian(0.61 * mu), gaussian(0.8 * mu)], ceiling));
        assert!(holds(&[approximate(1.0, 1e-7), approximate(1.0, 1.5e-7)], ceiling));
        assert!(!holds(&[approximate(1.0, 1e-7), approximate(1.0, 1.6e-7)], ceiling));
        assert!(!holds(&[PrivacyLoss::NonPrivate], ceiling));
    }

    /// What only an order or a split chosen afterwards, or a product of curves, would let pass.
    #[test]
    fn mixed_losses_share_it_by_halves() {
        let ceiling = approximate(2.0, 1e-6);
        let half = Mu::within(Epsilon::new(1.0).unwrap(), Delta::new(1.25e-7).unwrap()).unwrap().get();
        assert!(holds(&[gaussian(0.9 * half), approximate(1.0, 1.25e-7)], ceiling));
        let losses = [gaussian(1.1 * half), approximate(1.0, 1.25e-7)];
        assert!(!holds(&losses, ceiling));
        let mut spent = Composition::new();
        losses.iter().for_each(|loss| {
            spent.add("m", *loss);
        });
        assert!(fits(&[&spent], ceiling).unwrap(), "for budgets fixed in advance it fits");
    }

    #[test]
    fn sampled_steps_count_by_one_order() {
        let step = SampledGaussian::new(Batches::Poisson, 0.01, 1.0).unwrap();
        let mut spent = Composition::new();
        spent.push("step", 1000, Cost::Sampled(step));
        let needed = spent.epsilon_at(Delta::new(1e-6).unwrap()).unwrap().epsilon.get();
        assert!(!within(&[&spent], approximate(0.99 * needed, 1e-6)).unwrap());
        assert!(within(&[&spent], approximate(2.0 * needed, 1e-6)).unwrap());
    }
}
