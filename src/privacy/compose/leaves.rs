//! The leaves of a composition tree by kind, and the rules that mix kinds.

use super::super::pairs::{ApproximateTerm, DominatingPairs};
use super::super::rounding::{add_up, mul_up, sqrt_up};
use super::super::{BudgetError, Delta, Epsilon, Mu, PrivacyLoss, RenyiCurve, Rho};
use super::{Composition, Cost};

/// The leaves of a tree by kind, multiplicities applied.
#[derive(Default)]
pub(super) struct Leaves {
    pub(super) gaussians: Vec<Mu>,
    /// Pure (δ = 0) and approximate terms.
    pub(super) approximate: Vec<ApproximateTerm>,
    pub(super) rho: f64,
    pub(super) curves: Option<RenyiCurve>,
    pub(super) non_private: bool,
}

pub(super) fn sum_epsilon(terms: &[ApproximateTerm]) -> f64 {
    terms.iter().map(|t| mul_up(t.epsilon, f64::from(t.times))).fold(0.0, add_up)
}

pub(super) fn sum_delta(terms: &[ApproximateTerm]) -> f64 {
    terms.iter().map(|t| mul_up(t.delta, f64::from(t.times))).fold(0.0, add_up)
}

impl Leaves {
    pub(super) fn gather(&mut self, tree: &Composition, outer: u32) -> Result<(), BudgetError> {
        for part in &tree.parts {
            let times = outer
                .checked_mul(part.times)
                .ok_or(BudgetError::NoSuchBound("a composition repeats more than 2^32 times"))?;
            if times == 0 {
                continue;
            }
            match &part.cost {
                Cost::Parts(group) => self.gather(group, times)?,
                Cost::Renyi(curve) => {
                    let curve = curve.times(times);
                    self.curves = Some(self.curves.take().map_or(curve.clone(), |sum| sum.plus(&curve)));
                }
                Cost::Loss(loss) => self.gather_loss(*loss, times)?,
            }
        }
        Ok(())
    }

    fn gather_loss(&mut self, loss: PrivacyLoss, times: u32) -> Result<(), BudgetError> {
        match loss {
            PrivacyLoss::Gaussian(mu) if times == 1 => self.gaussians.push(mu),
            PrivacyLoss::Gaussian(mu) => {
                let root = sqrt_up(f64::from(times));
                self.gaussians.push(Mu::new(mul_up(mu.get(), root))?);
            }
            PrivacyLoss::Pure(epsilon) => {
                self.approximate.push(ApproximateTerm { epsilon: epsilon.get(), delta: 0.0, times });
            }
            PrivacyLoss::Approximate(epsilon, delta) => {
                self.approximate.push(ApproximateTerm { epsilon: epsilon.get(), delta: delta.get(), times });
            }
            PrivacyLoss::ZeroConcentrated(rho) => {
                self.rho = add_up(self.rho, mul_up(rho.get(), f64::from(times)));
            }
            PrivacyLoss::NonPrivate => self.non_private = true,
        }
        Ok(())
    }

    /// The curve of the terms known only by ρ or a curve.
    fn bare_curve(&self) -> Result<RenyiCurve, BudgetError> {
        let mut curve = self.curves.clone().unwrap_or_else(|| RenyiCurve::from_fn(|_| 0.0));
        if self.rho > 0.0 {
            curve = curve.plus(&RenyiCurve::of_rho(Rho::new(self.rho)?));
        }
        Ok(curve)
    }

    /// Everything by Rényi, approximate terms by plain addition.
    pub(super) fn renyi_sum(&self, delta: f64) -> Result<Option<Epsilon>, BudgetError> {
        let rest = delta - sum_delta(&self.approximate);
        let (pure, approximate): (Vec<ApproximateTerm>, Vec<ApproximateTerm>) =
            self.approximate.iter().partition(|t| t.delta == 0.0);
        let Ok(rest) = Delta::new(rest.next_down()) else { return Ok(None) };
        let mut rho = self.rho;
        let mut curve = self.curves.clone();
        let mut include = |more: RenyiCurve| {
            curve = Some(curve.take().map_or(more.clone(), |sum| sum.plus(&more)));
        };
        for term in pure {
            include(RenyiCurve::of_pure(Epsilon::new(term.epsilon)?).times(term.times));
        }
        for mu in &self.gaussians {
            rho = add_up(rho, mu.to_rho()?.get());
        }
        let by_order = match (curve, rho > 0.0) {
            // ρ alone: the order is optimized freely.
            (None, _) => Rho::new(rho)?.epsilon_at(rest),
            (Some(curve), true) => curve.plus(&RenyiCurve::of_rho(Rho::new(rho)?)).epsilon_at(rest),
            (Some(curve), false) => curve.epsilon_at(rest),
        };
        let Ok(by_order) = by_order else { return Ok(None) };
        Epsilon::new(add_up(by_order.get(), sum_epsilon(&approximate))).map(Some)
    }

    /// The bare curves at a part of δ become one more approximate term.
    pub(super) fn split(&self, mu: Option<Mu>, delta: f64) -> Result<Option<Epsilon>, BudgetError> {
        if mu.is_none() && self.approximate.is_empty() {
            return Ok(None);
        }
        let curve = self.bare_curve()?;
        let mut best: Option<Epsilon> = None;
        for share in [0.01, 0.1, 0.5, 0.9, 0.99] {
            let Ok(part) = Delta::new(delta * share) else { continue };
            let Ok(epsilon) = curve.epsilon_at(part) else { continue };
            let mut terms = self.approximate.clone();
            terms.push(ApproximateTerm { epsilon: epsilon.get(), delta: part.get(), times: 1 });
            let found = DominatingPairs::new(mu, &terms).epsilon_at(delta);
            best = match (best, found) {
                (Some(a), Some(b)) => Some(if b < a { b } else { a }),
                (a, b) => a.or(b),
            };
        }
        Ok(best)
    }
}
