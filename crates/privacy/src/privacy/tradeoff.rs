//! What a loss allows an attacker: the best tests between neighbours.
//!
//! A test with false-alarm rate α has power at most 1 − f(α), f the trade-off function of the guarantee (Wasserman and
//! Zhou 2010; Dong, Roth and Su 2019): f = G_μ for μ-GDP, max(0, 1 − δ − e^ε α, e^{−ε}(1 − δ − α)) for (ε, δ)-DP, and for
//! a curve δ(ε) the pointwise largest of these.

use super::rounding::up;
use super::{BudgetError, Delta, Epsilon, PrivacyLoss, Rho};

impl PrivacyLoss {
    /// The best power of any test between neighbours at false-alarm rate `alpha` (clamped to [0, 1]), rounded up.
    ///
    /// ```
    /// use visard_privacy::privacy::{Epsilon, PrivacyLoss};
    /// // ln 3: odds of three to one. A 5 % test has at most 15 % power.
    /// let loss = PrivacyLoss::Pure(Epsilon::new(3f64.ln())?);
    /// assert!((loss.power_at(0.05) - 0.15).abs() < 1e-12);
    /// # Ok::<(), visard_privacy::privacy::BudgetError>(())
    /// ```
    pub fn power_at(&self, alpha: f64) -> f64 {
        let alpha = if alpha.is_nan() { 1.0 } else { alpha.clamp(0.0, 1.0) };
        let power = match self {
            Self::Pure(epsilon) => approximate_power(epsilon.get(), 0.0, alpha),
            Self::Approximate(epsilon, delta) => approximate_power(epsilon.get(), delta.get(), alpha),
            Self::Gaussian(mu) => return mu.power_at(alpha),
            Self::ZeroConcentrated(rho) => {
                over_curve(*rho, |e, d| approximate_power(e, d, alpha)).min(alpha + total_variation(*rho))
            }
            Self::NonPrivate => 1.0,
        };
        if power == 0.0 { 0.0 } else { up(power).clamp(alpha, 1.0) }
    }

    /// The best chance of telling right which of two equally likely neighbours was used, (1 + δ(0))/2, rounded up.
    pub fn guess_probability(&self) -> f64 {
        let right = |e: f64, d: f64| d + (1.0 - d) / (1.0 + libm::exp(-e));
        let chance = match self {
            Self::Pure(epsilon) => right(epsilon.get(), 0.0),
            Self::Approximate(epsilon, delta) => right(epsilon.get(), delta.get()),
            Self::Gaussian(mu) => mu.guess_probability(),
            Self::ZeroConcentrated(rho) => over_curve(*rho, right).min(0.5 + 0.5 * total_variation(*rho)),
            Self::NonPrivate => 1.0,
        };
        up(chance).min(1.0)
    }

    /// The ε at which this loss is (ε, δ)-DP, rounded up.
    ///
    /// # Errors
    /// [`BudgetError::NoSuchBound`] when there is none: nothing private, δ = 0 for other than pure losses, or δ below
    /// an (ε, δ) loss's own.
    pub fn epsilon_at(&self, delta: Delta) -> Result<Epsilon, BudgetError> {
        match self {
            Self::Gaussian(mu) => mu.epsilon_at(delta),
            Self::ZeroConcentrated(rho) => rho.epsilon_at(delta),
            _ => {
                let mut one = super::Composition::new();
                one.add("release", *self);
                one.epsilon_at(delta).map(|bound| bound.epsilon)
            }
        }
    }
}

/// Pinsker: the total variation is at most √(KL/2), and KL ≤ ρ.
fn total_variation(rho: Rho) -> f64 {
    libm::sqrt(0.5 * rho.get())
}

fn approximate_power(epsilon: f64, delta: f64, alpha: f64) -> f64 {
    let near_zero = delta + libm::exp(epsilon) * alpha;
    let near_one = 1.0 - libm::exp(-epsilon) * (1.0 - delta - alpha);
    near_zero.min(near_one).min(1.0)
}

/// The smallest value of `f(ε, δ(ε))` over a grid of ε; every ε is valid.
fn over_curve(rho: Rho, f: impl Fn(f64, f64) -> f64) -> f64 {
    let top = rho.get() + 12.0 * libm::sqrt(rho.get());
    (0..=400)
        .filter_map(|k| Epsilon::new(top * f64::from(k) / 400.0).ok())
        .map(|e| f(e.get(), rho.delta_at(e)))
        .fold(1.0, f64::min)
}

#[cfg(test)]
mod tests {
    use super::super::Mu;
    use super::*;

    fn losses() -> [PrivacyLoss; 5] {
        [
            PrivacyLoss::Pure(Epsilon::new(0.7).unwrap()),
            PrivacyLoss::Approximate(Epsilon::new(0.7).unwrap(), Delta::new(0.01).unwrap()),
            PrivacyLoss::Gaussian(Mu::new(0.7).unwrap()),
            PrivacyLoss::ZeroConcentrated(Rho::new(0.245).unwrap()),
            PrivacyLoss::NonPrivate,
        ]
    }

    #[test]
    fn power_lies_between_chance_and_one_and_is_concave_enough() {
        for loss in losses() {
            let powers: Vec<f64> = (0..=100).map(|i| loss.power_at(f64::from(i) / 100.0)).collect();
            for (i, p) in powers.iter().enumerate() {
                assert!(*p >= i as f64 / 100.0 && *p <= 1.0, "{loss}: power {p} at {i} %");
            }
            assert!(powers.windows(2).all(|w| w[1] >= w[0] - 1e-12), "{loss}");
            // A test's power and its guess are the same fact: guess = max over α of (1 + power − α)/2.
            let guess = powers
                .iter()
                .enumerate()
                .map(|(i, p)| 0.5 * (1.0 + p - i as f64 / 100.0))
                .fold(0.0, f64::max);
            assert!(loss.guess_probability() >= guess - 1e-3, "{loss}: {} {guess}", loss.guess_probability());
        }
    }

    #[test]
    fn pure_losses_bound_the_odds_and_zero_concentrated_ones_are_looser_than_gaussian() {
        let [pure, approximate, gaussian, concentrated, none] = losses();
        assert!((pure.power_at(0.01) - 0.01 * 0.7f64.exp()).abs() < 1e-12);
        assert!((approximate.power_at(0.0) - 0.01).abs() < 1e-12);
        assert!(concentrated.power_at(0.05) >= gaussian.power_at(0.05));
        assert!(concentrated.guess_probability() >= gaussian.guess_probability());
        assert_eq!((none.power_at(0.0), none.guess_probability()), (1.0, 1.0));
        assert!(none.epsilon_at(Delta::new(0.1).unwrap()).is_err());
        assert!(gaussian.power_at(f64::NAN) == 1.0);
    }
}
