//! Budgets that mean nothing.
//!
//! A loss can be a theorem and still protect nobody. The lines drawn here are far beyond any loss that anybody
//! recommends; what lies past them is a mistake, or has to be asked for by that name.

use super::budget::short;
use super::{Delta, Epsilon, Mu, PrivacyLoss, Rho};

/// At μ = 20 the best test tells two neighbours apart with both error rates at Φ(−10) = 7.6e-24.
const LARGEST_MU: f64 = 20.0;

/// The ε whose randomized response errs with that probability, 1/(1 + e^ε) = Φ(−10).
const LARGEST_EPSILON: f64 = 53.231_285_150_512_47;

/// The ρ of μ = 20, μ²/2.
const LARGEST_RHO: f64 = 200.0;

/// Why a loss protects nobody.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Vacuous {
    /// Neighbours can be told apart with certainty, for all purposes.
    #[error("{0} protects nobody: above mu = 20 the best attack errs less than once in 10^23 tries")]
    Mu(Mu),
    /// The same in ε.
    #[error("{0} protects nobody: above epsilon = 53 the best attack errs less than once in 10^23 tries")]
    Epsilon(Epsilon),
    /// The same in ρ.
    #[error("{0} protects nobody: above rho = 200 the best attack errs less than once in 10^23 tries")]
    Rho(Rho),
    /// One record in n may be published outright.
    #[error(
        "{delta} is not below 1/n = {} for n = {n} records: it would allow publishing someone's record as it is",
        short(1.0 / *.n as f64)
    )]
    Delta {
        /// The loss's own δ.
        delta: Delta,
        /// The number of records.
        n: u64,
    },
    /// No bound at all.
    #[error("no loss is stated: what a release shows of a person is unbounded")]
    NoBound,
}

impl PrivacyLoss {
    /// Why this loss protects nobody among `n` records, if it does not: μ > 20, an ε or ρ as large, or δ ≥ 1/n.
    ///
    /// ```
    /// use visard_privacy::privacy::{Mu, PrivacyLoss};
    /// assert!(PrivacyLoss::Gaussian(Mu::new(1.0)?).vacuous(100).is_none());
    /// assert!(PrivacyLoss::Gaussian(Mu::new(21.0)?).vacuous(100).is_some());
    /// # Ok::<(), visard_privacy::privacy::BudgetError>(())
    /// ```
    pub fn vacuous(&self, n: u64) -> Option<Vacuous> {
        match *self {
            Self::Gaussian(mu) => (mu.get() > LARGEST_MU).then_some(Vacuous::Mu(mu)),
            Self::ZeroConcentrated(rho) => (rho.get() > LARGEST_RHO).then_some(Vacuous::Rho(rho)),
            Self::Pure(epsilon) => (epsilon.get() > LARGEST_EPSILON).then_some(Vacuous::Epsilon(epsilon)),
            Self::Approximate(_, delta) if delta.get() * n as f64 >= 1.0 => Some(Vacuous::Delta { delta, n }),
            Self::Approximate(epsilon, _) => Self::Pure(epsilon).vacuous(n),
            Self::NonPrivate => Some(Vacuous::NoBound),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pure(e: f64) -> PrivacyLoss {
        PrivacyLoss::Pure(Epsilon::new(e).unwrap())
    }
    fn approximate(e: f64, d: f64) -> PrivacyLoss {
        PrivacyLoss::approximate(Epsilon::new(e).unwrap(), Delta::new(d).unwrap())
    }

    /// The three lines are one: the same chance of a wrong guess.
    #[test]
    fn the_lines_agree() {
        let mu = Mu::of_pure(Epsilon::new(LARGEST_EPSILON).unwrap()).unwrap().get();
        assert!((mu / LARGEST_MU - 1.0).abs() < 1e-11, "{mu}");
        let rho = Mu::new(LARGEST_MU).unwrap().to_rho().unwrap().get();
        assert!((rho / LARGEST_RHO - 1.0).abs() < 1e-11, "{rho}");
    }

    #[test]
    fn budgets_that_mean_nothing_are_told_from_those_that_do() {
        let gaussian = |m| PrivacyLoss::Gaussian(Mu::new(m).unwrap());
        let zcdp = |r| PrivacyLoss::ZeroConcentrated(Rho::new(r).unwrap());
        for loss in [gaussian(20.0), zcdp(200.0), pure(53.0), pure(0.0), approximate(53.0, 1e-6)] {
            assert_eq!(loss.vacuous(1000), None, "{loss}");
        }
        for loss in [gaussian(20.1), gaussian(1e308), zcdp(201.0), pure(54.0), pure(1e308)] {
            assert!(loss.vacuous(1000).unwrap().to_string().contains("protects nobody"), "{loss}");
        }
        assert!(matches!(approximate(54.0, 1e-6).vacuous(9), Some(Vacuous::Epsilon(_))));
        assert!(matches!(approximate(1.0, 1e-3).vacuous(1000), Some(Vacuous::Delta { n: 1000, .. })));
        assert_eq!(approximate(1.0, 1e-3).vacuous(999), None);
        assert_eq!(PrivacyLoss::NonPrivate.vacuous(5), Some(Vacuous::NoBound));
        assert_eq!(
            approximate(1.0, 0.25).vacuous(5).unwrap().to_string(),
            "delta = 0.25 is not below 1/n = 0.2 for n = 5 records: it would allow publishing someone's record as it is"
        );
    }
}
