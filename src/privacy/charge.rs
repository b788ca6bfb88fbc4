//! Proof of payment.

use super::fit::fits;
use super::{BudgetError, Composition, PrivacyLoss};

/// Proof that a ledger has recorded a loss before any noise was drawn. Only a ledger makes one, it cannot be copied,
/// and drawing consumes it: unpaid sampling does not compile, underpaid sampling is refused.
///
/// ```compile_fail
/// // There is no constructor.
/// let charge = visard::privacy::Charge { };
/// ```
/// ```compile_fail
/// // And no second use of one.
/// fn twice(charge: visard::privacy::Charge) -> (visard::privacy::Charge, visard::privacy::Charge) {
///     (charge.clone(), charge)
/// }
/// ```
#[derive(Debug)]
pub struct Charge {
    loss: PrivacyLoss,
    durable: bool,
}

/// A charge that does not cover what is asked of it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ChargeError {
    /// Less was paid than the noise would lose.
    #[error("paid {paid}, but this release costs {needed}: charge the ledger for what is drawn")]
    Underpaid {
        /// What the ledger recorded.
        paid: PrivacyLoss,
        /// What was asked.
        needed: PrivacyLoss,
    },
    /// The parts of a charge exceed it.
    #[error("the parts together cost more than the {paid} that was paid")]
    PartsExceed {
        /// What the ledger recorded.
        paid: PrivacyLoss,
    },
    /// The parts have no computable sum.
    #[error("{0}")]
    Budget(#[from] BudgetError),
}

impl Charge {
    /// Only ledgers call this, after their record is on disk (or, in memory, in their list).
    pub(super) fn recorded(loss: PrivacyLoss, durable: bool) -> Self {
        Self { loss, durable }
    }

    /// For tests of mechanisms on made-up data inside this crate: covers everything.
    #[cfg(test)]
    #[allow(dead_code)]
    pub(crate) fn for_tests() -> Self {
        Self { loss: PrivacyLoss::NonPrivate, durable: false }
    }

    /// What was paid.
    pub fn loss(&self) -> PrivacyLoss {
        self.loss
    }

    /// Whether the record is in a file (false: an in-memory ledger, which forgets).
    pub fn is_durable(&self) -> bool {
        self.durable
    }

    /// Refuses unless `needed` is within what was paid.
    ///
    /// # Errors
    /// [`ChargeError::Underpaid`].
    pub fn check(&self, needed: PrivacyLoss) -> Result<(), ChargeError> {
        let mut one = Composition::new();
        one.add("release", needed);
        if fits(&one, self.loss)? { Ok(()) } else { Err(ChargeError::Underpaid { paid: self.loss, needed }) }
    }

    /// Divides one payment among several draws whose composition it covers, as for blocks noised separately.
    ///
    /// # Errors
    /// [`ChargeError::PartsExceed`] when it does not; the whole charge is then lost, as all charges once made.
    pub fn split(self, parts: &[PrivacyLoss]) -> Result<Vec<Self>, ChargeError> {
        let mut all = Composition::new();
        for part in parts {
            all.add("part", *part);
        }
        if !fits(&all, self.loss)? {
            return Err(ChargeError::PartsExceed { paid: self.loss });
        }
        Ok(parts.iter().map(|loss| Self { loss: *loss, durable: self.durable }).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Delta, Epsilon, Mu, Rho};
    use super::*;

    fn gaussian(m: f64) -> PrivacyLoss {
        PrivacyLoss::Gaussian(Mu::new(m).unwrap())
    }
    fn approximate(e: f64, d: f64) -> PrivacyLoss {
        PrivacyLoss::approximate(Epsilon::new(e).unwrap(), Delta::new(d).unwrap())
    }

    #[test]
    fn a_charge_covers_what_its_theorem_covers_and_no_more() {
        let paid = |loss| Charge::recorded(loss, true);
        assert!(paid(gaussian(1.0)).check(gaussian(1.0)).is_ok());
        assert!(paid(gaussian(1.0)).check(gaussian(1.0 + 1e-9)).is_err());
        assert!(paid(gaussian(1.0)).check(PrivacyLoss::NonPrivate).is_err());
        // (ε, δ) covers the Gaussian mechanism calibrated to it, at extremes too.
        for (e, d) in [(1.0, 1e-6), (1e-9, 1e-3), (30.0, 1e-300), (0.5, 0.9)] {
            let mu = Mu::within(Epsilon::new(e).unwrap(), Delta::new(d).unwrap()).unwrap();
            assert!(paid(approximate(e, d)).check(PrivacyLoss::Gaussian(mu)).is_ok(), "{e} {d}");
            assert!(paid(approximate(e, d)).check(gaussian(mu.get() * 1.001)).is_err(), "{e} {d}");
        }
        assert!(paid(approximate(1.0, 0.0)).check(gaussian(0.01)).is_err(), "pure pays for no Gaussian");
        assert!(
            paid(PrivacyLoss::ZeroConcentrated(Rho::new(0.5).unwrap())).check(approximate(1.0, 0.0)).is_ok()
        );
        let error = paid(gaussian(1.0)).check(gaussian(2.0)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "paid mu = 1, but this release costs mu = 2: charge the ledger for what is drawn"
        );
    }

    #[test]
    fn splitting_gives_what_was_paid_and_no_more() {
        let parts = Charge::recorded(gaussian(5.0), true).split(&[gaussian(3.0), gaussian(4.0)]).unwrap();
        assert!(parts[0].check(gaussian(3.0)).is_ok() && parts[0].check(gaussian(4.0)).is_err());
        assert!(Charge::recorded(gaussian(5.0), true).split(&[gaussian(4.0), gaussian(4.0)]).is_err());
    }
}
