//! Composition: several releases from the same data, adaptively chosen, counted as one.
//!
//! Releases from the same people add up (sequential composition). Releases of which each reads the records of one group
//! alone compose in parallel ([`super::Partition`]): every question is asked for each group by itself, of what was
//! released from everyone and from that group, and the largest answer counts. So it is exact for mixed kinds of losses:
//! the worst group may be another one in μ than in ε.
//!
//! Sums are those for the largest relation that all releases have a loss for ([`Composition::common_neighbours`]); for any other one they
//! are asked of [`Composition::for_neighbours`].

use super::group::Group;
use super::{BudgetError, Delta, Epsilon, Mu, PrivacyLoss, Rho};
use std::collections::BTreeSet;
use std::fmt;

mod leaves;
mod recent;
mod tree;

pub(super) use leaves::Leaves;
pub use leaves::{EpsilonBound, Rule};
pub use tree::{Composition, Cost, GroupCost, Part, Terms};

impl Composition {
    /// The total μ, rounded up: √(Σμ²), pure terms converted. `None` when a term has no μ or there are none. With
    /// groups, here and below: that of the worst group.
    ///
    /// # Errors
    /// [`BudgetError`] when the sum overflows, here and below also when groups of two partitions meet.
    pub fn mu(&self) -> Result<Option<Mu>, BudgetError> {
        worst(&self.people()?, |leaves| !leaves.nothing_lost(), Leaves::mu)
    }

    /// The total pure ε, rounded up. `None` when a term is not pure.
    ///
    /// # Errors
    /// [`BudgetError`] when the sum overflows.
    pub fn pure_epsilon(&self) -> Result<Option<Epsilon>, BudgetError> {
        worst(&self.people()?, |_| true, Leaves::pure_epsilon)
    }

    /// The total ρ, rounded up: pure terms as ε²/2, Gaussian as μ²/2. `None` when a term has no ρ or there are none.
    ///
    /// # Errors
    /// [`BudgetError`] when the sum overflows.
    pub fn rho(&self) -> Result<Option<Rho>, BudgetError> {
        worst(&self.people()?, |leaves| !leaves.nothing_lost(), Leaves::rho)
    }

    /// The loss of everything together, in the unit that fits: pure when all is pure, else μ when every term has one,
    /// else ρ, else (ε, δ) at δ = twice the sum of the terms' own δ (at 1e-9 where they have none).
    ///
    /// # Errors
    /// [`BudgetError`] when a sum overflows or the δ leave nothing below 1.
    pub fn total(&self) -> Result<PrivacyLoss, BudgetError> {
        if let Some(epsilon) = self.pure_epsilon()? {
            return Ok(PrivacyLoss::Pure(epsilon));
        }
        let people = self.people()?;
        if people.iter().any(|leaves| leaves.non_private) {
            return Ok(PrivacyLoss::NonPrivate);
        }
        if let Some(mu) = self.mu()? {
            return Ok(PrivacyLoss::Gaussian(mu));
        }
        if let Some(rho) = self.rho()? {
            return Ok(PrivacyLoss::ZeroConcentrated(rho));
        }
        let own = people.iter().map(Leaves::own_delta).fold(0.0, f64::max);
        let alone = people.iter().all(Leaves::only_approximate);
        let delta = match (own > 0.0, alone) {
            (false, _) => 1e-9,
            (true, true) => own,
            (true, false) => 2.0 * own,
        };
        let delta = Delta::new(delta)?;
        Ok(PrivacyLoss::approximate(self.epsilon_at(delta)?.epsilon, delta))
    }

    /// The smallest ε at δ that any applicable rule proves.
    ///
    /// # Errors
    /// [`BudgetError::NoSuchBound`] when no rule gives a finite ε: something non-private was released, δ is no larger
    /// than what the terms already lose, or δ = 0 with a term that is not pure.
    pub fn epsilon_at(&self, delta: Delta) -> Result<EpsilonBound, BudgetError> {
        let bounds: Vec<EpsilonBound> =
            self.people()?.iter().map(|leaves| leaves.epsilon_at(delta)).collect::<Result<_, _>>()?;
        let worst = bounds.into_iter().reduce(|a, b| if b.epsilon > a.epsilon { b } else { a });
        worst.ok_or(BudgetError::NoSuchBound("nobody was asked about"))
    }

    /// What each kind of person loses: without groups there is one kind, with groups one for each that is named (anyone
    /// else loses what all of these lose, and no more).
    pub(super) fn people(&self) -> Result<Vec<Leaves>, BudgetError> {
        Self::people_of(&[self])
    }

    /// The same of several together.
    pub(super) fn people_of(all: &[&Self]) -> Result<Vec<Leaves>, BudgetError> {
        let mut groups = BTreeSet::new();
        all.iter().for_each(|one| one.name_groups(&mut groups));
        if groups.iter().zip(groups.iter().skip(1)).any(|(a, b)| a.ledger() != b.ledger()) {
            return Err(BudgetError::NoSuchBound(
                "groups of two partitions may overlap, so they do not compose in parallel",
            ));
        }
        if groups.is_empty() {
            return Ok(vec![Leaves::of(all, None)?]);
        }
        groups.into_iter().map(|group| Leaves::of(all, Some(group))).collect()
    }

    fn name_groups<'a>(&'a self, found: &mut BTreeSet<&'a Group>) {
        self.parts().iter().for_each(|part| part.cost.name_groups(found));
    }
}

impl Cost {
    fn name_groups<'a>(&'a self, found: &mut BTreeSet<&'a Group>) {
        match self {
            Self::Group(of) => {
                found.insert(of.group());
            }
            Self::Parts(parts) => parts.name_groups(found),
            Self::Terms(terms) => terms.cost().name_groups(found),
            Self::Loss(_) | Self::Sampled(_) | Self::Renyi(_) => {}
        }
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loss(loss) => write!(f, "{loss}"),
            Self::Sampled(step) => {
                let (rate, noise) = (step.rate(), step.multiplier());
                write!(f, "a Gaussian step on batches at rate {rate:.4e}, noise multiplier {noise:.4}")
            }
            Self::Renyi(_) => f.write_str("a Renyi curve"),
            Self::Parts(parts) => match parts.total() {
                Ok(total) => write!(f, "{total}"),
                Err(_) => f.write_str("several releases"),
            },
            Self::Terms(terms) => write!(f, "{}", terms.cost()),
            Self::Group(of) => {
                write!(f, "{}, from the records of group {} only", of.cost(), of.group().label())
            }
        }
    }
}

/// The largest answer among those asked; `None` when one of them has none.
fn worst<T: PartialOrd>(
    people: &[Leaves],
    asked: impl Fn(&Leaves) -> bool,
    question: impl Fn(&Leaves) -> Result<Option<T>, BudgetError>,
) -> Result<Option<T>, BudgetError> {
    let mut worst = None;
    for leaves in people.iter().filter(|leaves| asked(leaves)) {
        let Some(answer) = question(leaves)? else { return Ok(None) };
        if worst.as_ref().is_none_or(|worst| answer > *worst) {
            worst = Some(answer);
        }
    }
    Ok(worst)
}

#[cfg(test)]
mod tests;
