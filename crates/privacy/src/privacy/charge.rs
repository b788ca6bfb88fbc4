//! Proof of payment.

use super::fit::fits;
use super::group::Group;
use super::receipt::Receipt;
use super::{BudgetError, Composition, Cost, Part, PrivacyLoss};
use std::sync::Arc;

/// Proof that a ledger has recorded a loss before any noise was drawn. Only a ledger makes one, it cannot be copied,
/// and drawing consumes it: unpaid sampling does not compile, underpaid sampling is refused.
///
/// One charge, one line in the ledger, may pay for many draws: [`Self::split_equally`] divides it among the runs it was
/// recorded for, [`Self::split_parts`] along the entries it was recorded with, [`Self::split`] among losses that it
/// covers. Whatever is left over is lost.
///
/// ```compile_fail
/// // There is no constructor.
/// let charge = visard_privacy::privacy::Charge { };
/// ```
/// ```compile_fail
/// // And no second use of one.
/// fn twice(charge: visard_privacy::privacy::Charge) -> (visard_privacy::privacy::Charge, visard_privacy::privacy::Charge) {
///     (charge.clone(), charge)
/// }
/// ```
#[derive(Debug)]
pub struct Charge {
    loss: PrivacyLoss,
    /// What was recorded, so that it can be divided along its own lines.
    times: u32,
    cost: Arc<Cost>,
    group: Option<Group>,
    receipt: Option<Arc<Receipt>>,
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
    /// More draws than were paid for.
    #[error("{asked} draws, but {paid} were paid for: charge the ledger for what is drawn")]
    Draws {
        /// How many the ledger recorded.
        paid: u32,
        /// How many were asked.
        asked: u32,
    },
    /// Not everyone paid the same: it pays for no draw as a whole.
    #[error("this payment was recorded for each group separately: divide it along its entries first")]
    Groups,
    /// There are no entries to divide it along.
    #[error(
        "this payment was not recorded as one run of several entries; there is nothing to divide it along"
    )]
    NoParts,
    /// The parts have no computable sum.
    #[error("{0}")]
    Budget(#[from] BudgetError),
}

impl Charge {
    /// Only ledgers call this, after their record is on disk (or, in memory, in their list).
    pub(super) fn recorded(part: &Part, receipt: Option<Receipt>) -> Result<Self, BudgetError> {
        Self::of(part, None, receipt.map(Arc::new))
    }

    /// For tests of mechanisms on made-up data inside this crate: covers everything.
    #[cfg(test)]
    #[allow(dead_code)]
    pub(crate) fn for_tests() -> Self {
        Self::plain(PrivacyLoss::NonPrivate, None, None)
    }

    fn of(part: &Part, group: Option<Group>, receipt: Option<Arc<Receipt>>) -> Result<Self, BudgetError> {
        // What was paid is what noise it buys: whom that protects, and whether it was seeded, is the ledger's to count.
        let bare = Part { cost: part.bare_cost().clone(), ..part.clone() };
        let loss = Composition::from(bare).total()?;
        let (group, cost) = match part.bare_cost() {
            Cost::Group(of) => (Some(of.group().clone()), of.cost().clone()),
            cost => (group, cost.clone()),
        };
        Ok(Self { loss, times: part.times, cost: Arc::new(cost), group, receipt })
    }

    fn plain(loss: PrivacyLoss, group: Option<Group>, receipt: Option<Arc<Receipt>>) -> Self {
        Self { loss, times: 1, cost: Arc::new(Cost::Loss(loss)), group, receipt }
    }

    /// What was paid.
    pub fn loss(&self) -> PrivacyLoss {
        self.loss
    }

    /// Whose records it pays for; `None` for everyone's. Noise added to what was computed from other records is *not*
    /// paid for, which no type can see: it is the caller's to draw from the right ones.
    pub fn group(&self) -> Option<&Group> {
        self.group.as_ref()
    }

    /// Where the ledger recorded it, also after a split; `None` for an in-memory ledger, which forgets.
    pub fn receipt(&self) -> Option<&Receipt> {
        self.receipt.as_deref()
    }

    /// Whether the record is in a file (false: an in-memory ledger, which forgets).
    pub fn is_durable(&self) -> bool {
        self.receipt.is_some()
    }

    /// Refuses unless `needed` is within what was paid.
    ///
    /// # Errors
    /// [`ChargeError::Underpaid`]; [`ChargeError::Groups`] for a payment by several groups, which has to be divided first.
    pub fn check(&self, needed: PrivacyLoss) -> Result<(), ChargeError> {
        self.same_for_all()?;
        let mut one = Composition::new();
        one.add("release", needed);
        if fits(&[&one], self.loss)? {
            Ok(())
        } else {
            Err(ChargeError::Underpaid { paid: self.loss, needed })
        }
    }

    fn same_for_all(&self) -> Result<(), ChargeError> {
        if self.cost.names_groups() { Err(ChargeError::Groups) } else { Ok(()) }
    }

    /// Divides one payment among several draws whose composition it covers, as for blocks noised separately.
    ///
    /// # Errors
    /// [`ChargeError::PartsExceed`] when it does not; the whole charge is then lost, as all charges once made.
    pub fn split(self, parts: &[PrivacyLoss]) -> Result<Vec<Self>, ChargeError> {
        self.same_for_all()?;
        let mut all = Composition::new();
        for part in parts {
            all.add("part", *part);
        }
        if !fits(&[&all], self.loss)? {
            return Err(ChargeError::PartsExceed { paid: self.loss });
        }
        Ok(parts.iter().map(|loss| Self::plain(*loss, self.group.clone(), self.receipt.clone())).collect())
    }

    /// Divides a payment for repeated runs ([`Part::times`]) among `draws` of them, each at the price of one run. The
    /// work is proportional to `draws`.
    ///
    /// # Errors
    /// [`ChargeError::Draws`] when fewer were paid for.
    ///
    /// ```
    /// use visard_privacy::privacy::{Cost, Ledger, Mu, Part, PrivacyLoss};
    /// let loss = PrivacyLoss::Gaussian(Mu::new(0.1)?);
    /// let draws = Part { mechanism: "Gaussian mechanism".into(), times: 100, cost: Cost::Loss(loss) };
    /// let paid = Ledger::in_memory(None).charge_part(draws)?;
    /// // 1, and a rounding upwards.
    /// assert!(matches!(paid.loss(), PrivacyLoss::Gaussian(mu) if (mu.get() - 1.0).abs() < 1e-12));
    /// for one in paid.split_equally(100)? {
    ///     one.check(loss)?;
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn split_equally(self, draws: u32) -> Result<Vec<Self>, ChargeError> {
        if draws > self.times {
            return Err(ChargeError::Draws { paid: self.times, asked: draws });
        }
        let loss = match &*self.cost {
            Cost::Loss(loss) => *loss,
            cost => {
                Composition::from(Part { mechanism: String::new(), times: 1, cost: cost.clone() }).total()?
            }
        };
        let run = || Self {
            loss,
            times: 1,
            cost: self.cost.clone(),
            group: self.group.clone(),
            receipt: self.receipt.clone(),
        };
        Ok((0..draws).map(|_| run()).collect())
    }

    /// Divides a payment that was recorded as several entries ([`Cost::Parts`]) into one for each, in their order: a
    /// first pass and the draws after it, or one release for each group ([`Self::group`]).
    ///
    /// # Errors
    /// [`ChargeError::NoParts`] when there are none, or more than one run of them (split it equally first).
    pub fn split_parts(self) -> Result<Vec<Self>, ChargeError> {
        let (Cost::Parts(parts), 1) = (&*self.cost, self.times) else { return Err(ChargeError::NoParts) };
        let one = |part: &Part| Self::of(part, self.group.clone(), self.receipt.clone());
        Ok(parts.parts().iter().map(one).collect::<Result<_, _>>()?)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Delta, Epsilon, Mu, RenyiCurve, Rho};
    use super::*;

    fn gaussian(m: f64) -> PrivacyLoss {
        PrivacyLoss::Gaussian(Mu::new(m).unwrap())
    }
    fn approximate(e: f64, d: f64) -> PrivacyLoss {
        PrivacyLoss::approximate(Epsilon::new(e).unwrap(), Delta::new(d).unwrap())
    }
    fn part(times: u32, cost: Cost) -> Part {
        Part { mechanism: "m".into(), times, cost }
    }
    fn receipt() -> Receipt {
        Receipt { id: "i".into(), line: 3, head: "h".into() }
    }
    fn paid(loss: PrivacyLoss) -> Charge {
        Charge::recorded(&part(1, Cost::Loss(loss)), Some(receipt())).unwrap()
    }

    #[test]
    fn a_charge_covers_what_its_theorem_covers_and_no_more() {
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
        let parts = paid(gaussian(5.0)).split(&[gaussian(3.0), gaussian(4.0)]).unwrap();
        assert!(parts[0].check(gaussian(3.0)).is_ok() && parts[0].check(gaussian(4.0)).is_err());
        assert!(parts.iter().all(|part| part.receipt() == Some(&receipt()) && part.is_durable()));
        assert!(paid(gaussian(5.0)).split(&[gaussian(4.0), gaussian(4.0)]).is_err());
    }

    #[test]
    fn repeated_runs_are_divided_into_single_ones() {
        let curve = RenyiCurve::from_fn(|a| 0.01 * a);
        let two = Composition::from(part(1, Cost::Loss(gaussian(0.3))));
        for (cost, one) in [
            (Cost::Loss(gaussian(0.5)), gaussian(0.5)),
            (Cost::Loss(approximate(0.5, 1e-7)), approximate(0.5, 1e-7)),
            (Cost::Parts(two), gaussian(0.3)),
            (Cost::Renyi(curve.clone()), Composition::from(part(1, Cost::Renyi(curve))).total().unwrap()),
        ] {
            let whole = Charge::recorded(&part(8000, cost.clone()), Some(receipt())).unwrap();
            let runs = whole.split_equally(8000).unwrap();
            assert_eq!(runs.len(), 8000);
            assert!(runs.iter().all(|run| run.loss() == one && run.receipt() == Some(&receipt())));
            let again = Charge::recorded(&part(3, cost), None).unwrap().split_equally(4).unwrap_err();
            assert_eq!(again, ChargeError::Draws { paid: 3, asked: 4 });
        }
        // A part of a charge pays for one draw, also if the whole paid for more.
        let runs = paid(gaussian(1.0)).split_equally(1).unwrap();
        assert!(runs.into_iter().next().unwrap().split_equally(2).is_err());
    }

    #[test]
    fn entries_are_divided_in_their_order() {
        let mut all = Composition::new();
        all.add("first pass", gaussian(0.3)).push("draw", 4, Cost::Loss(gaussian(0.5)));
        let whole = part(1, Cost::Parts(all.clone()));
        let parts = Charge::recorded(&whole, None).unwrap().split_parts().unwrap();
        assert_eq!([parts[0].loss(), parts[1].loss()], [gaussian(0.3), gaussian(1.0)]);
        let draws = parts.into_iter().nth(1).unwrap().split_equally(4).unwrap();
        assert!(draws.iter().all(|draw| draw.loss() == gaussian(0.5)));
        assert_eq!(paid(gaussian(1.0)).split_parts().unwrap_err(), ChargeError::NoParts);
        let twice = Charge::recorded(&part(2, Cost::Parts(all)), None).unwrap();
        assert_eq!(twice.split_parts().unwrap_err(), ChargeError::NoParts);
    }
}
