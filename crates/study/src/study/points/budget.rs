//! A study's budget in the units of its mechanism, and its parts.

use crate::mechanism::MechanismError;
use crate::mechanism::manifold::split_budget;
use crate::privacy::noise::VectorNoise;
use crate::privacy::{
    BudgetError, Calibration, Delta, Epsilon, L2Sensitivity, Mu, PrivacyLoss, gaussian_sigma_for, normal,
};

/// What is left of a budget, and how it is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    left: PrivacyLoss,
    calibration: Calibration,
    /// Whether the mechanism is stated in pure ε.
    pure: bool,
    split: bool,
}

impl Budget {
    /// All of it, for a mechanism that is stated in pure ε or not.
    pub(super) fn new(left: PrivacyLoss, calibration: Calibration, pure: bool) -> Self {
        Self { left, calibration, pure, split: false }
    }

    /// Takes this share for a first pass.
    pub(super) fn take(&mut self, share: f64) -> Result<PrivacyLoss, MechanismError> {
        let (part, left) = split_budget(self.left, share, self.pure, |_| self.gaussian())?;
        (self.left, self.split) = (left, true);
        Ok(part)
    }

    /// The smallest budget in the units of this one that does, rounded up to three digits: none that protects nobody.
    pub(super) fn least(&self, does: impl Fn(Self) -> bool) -> Option<PrivacyLoss> {
        let with = |x: f64| {
            let left = match self.left {
                PrivacyLoss::Gaussian(_) => PrivacyLoss::Gaussian(Mu::new(x).ok()?),
                PrivacyLoss::Pure(_) => PrivacyLoss::Pure(Epsilon::new(x).ok()?),
                PrivacyLoss::Approximate(_, delta) => PrivacyLoss::Approximate(Epsilon::new(x).ok()?, delta),
                _ => return None,
            };
            Some(Self { left, ..*self })
        };
        let (mut low, mut high) =
            (1e-6_f64, if let PrivacyLoss::Gaussian(_) = self.left { 20.0_f64 } else { 53.0 });
        if !does(with(high)?) {
            return None;
        }
        for _ in 0..40 {
            let middle = (low * high).sqrt();
            if does(with(middle)?) { high = middle } else { low = middle }
        }
        let digit = 10_f64.powf(high.log10().floor() - 2.0);
        Some(with((high / digit).ceil() * digit)?.left)
    }

    /// The δ to state the whole in, where Gaussian and pure parts meet under an (ε, δ) budget: they have no smaller claim in one unit.
    pub(super) fn stated_at(&self) -> Option<Delta> {
        match self.left {
            PrivacyLoss::Approximate(_, delta) if self.split && self.pure => Some(delta),
            _ => None,
        }
    }

    /// For a mechanism that gives pure ε-DP: ε itself (δ is not needed), or the ε that implies μ-GDP.
    pub(super) fn pure(&self) -> Result<Epsilon, MechanismError> {
        match self.left {
            PrivacyLoss::Pure(epsilon) | PrivacyLoss::Approximate(epsilon, _) => Ok(epsilon),
            PrivacyLoss::Gaussian(mu) => Ok(pure_within(mu)?),
            _ => Err(BudgetError::NoBudget.into()),
        }
    }

    /// For a Gaussian mechanism: μ itself, or the largest μ within (ε, δ); by the classical formula where that was asked for.
    pub(super) fn gaussian(&self) -> Result<Mu, MechanismError> {
        match self.left {
            PrivacyLoss::Gaussian(mu) => Ok(mu),
            PrivacyLoss::Approximate(epsilon, delta) => match self.calibration {
                Calibration::Classical => {
                    let one = L2Sensitivity::new(1.0)?;
                    Ok(Mu::new(1.0 / gaussian_sigma_for(self.calibration, epsilon, delta, one)?)?)
                }
                _ => Ok(Mu::within(epsilon, delta)?),
            },
            _ => Err(MechanismError::NeedsDelta),
        }
    }

    /// The noise of an extrinsic baseline: isotropic Laplace for pure ε, Gaussian for every other budget.
    pub(super) fn vector_noise(&self) -> Result<VectorNoise, MechanismError> {
        match self.left {
            PrivacyLoss::Pure(epsilon) => Ok(VectorNoise::Laplace(epsilon)),
            _ => Ok(VectorNoise::Gaussian(self.gaussian()?)),
        }
    }
}

/// The largest ε whose ε-DP implies μ-GDP (a hair less): ε = ln((1 − p)/p), p = Φ(−μ/2).
pub(super) fn pure_within(mu: Mu) -> Result<Epsilon, BudgetError> {
    let p = normal::cdf(-0.5 * mu.get());
    let mut epsilon = Epsilon::new(((1.0 - p) / p).ln() * (1.0 - 1e-12))?;
    while Mu::of_pure(epsilon)?.get() > mu.get() {
        epsilon = Epsilon::new(epsilon.get() * (1.0 - 1e-9))?;
    }
    Ok(epsilon)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::Composition;

    #[test]
    fn pure_budgets_from_mu_are_within_it() {
        for mu in [0.01, 0.5, 1.0, 3.0, 8.0] {
            let mu = Mu::new(mu).unwrap();
            let back = Mu::of_pure(pure_within(mu).unwrap()).unwrap();
            assert!(back.get() <= mu.get() && back.get() > mu.get() * (1.0 - 1e-6), "{back} {mu}");
        }
    }

    /// The parts never cost more than was asked for, and waste next to nothing.
    #[test]
    fn parts_compose_to_the_budget() {
        let (e, d) = (Epsilon::new(1.0).unwrap(), Delta::new(1e-6).unwrap());
        for (pure, budget) in [
            (true, PrivacyLoss::Pure(e)),
            (true, PrivacyLoss::Approximate(e, d)),
            (false, PrivacyLoss::Approximate(e, d)),
            (false, PrivacyLoss::Gaussian(Mu::new(0.7).unwrap())),
            (true, PrivacyLoss::Gaussian(Mu::new(0.7).unwrap())),
        ] {
            let mut left = Budget::new(budget, Calibration::Analytic, pure);
            let first = left.take(0.3).unwrap();
            let second = match pure {
                false => PrivacyLoss::Gaussian(left.gaussian().unwrap()),
                true => PrivacyLoss::Pure(left.pure().unwrap()),
            };
            let mut both = Composition::new();
            both.add("first", first).add("second", second);
            match budget {
                PrivacyLoss::Pure(e) => {
                    let sum = both.pure_epsilon().unwrap().unwrap().get();
                    assert!(sum <= e.get() && sum > 0.999 * e.get());
                }
                PrivacyLoss::Gaussian(mu) => {
                    let sum = both.mu().unwrap().unwrap().get();
                    assert!(sum <= mu.get() && sum > 0.999 * mu.get());
                }
                _ => assert!(both.epsilon_at(d).unwrap().epsilon.get() <= e.get() * (1.0 + 1e-9)),
            }
        }
    }
}
