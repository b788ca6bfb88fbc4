//! Groups of people compared over several sites: means and second moments of every group about one private centre.

mod sizes;
#[cfg(test)]
mod tests;
mod worst_case;

pub use sizes::SiteGroups;
pub use worst_case::ENTRY;

use super::super::{FunctionGroups, NoisedComparison, Want};
use super::deviations::Deviations;
use super::one_place::sites_mechanism;
use super::rounds::{Target, known};
use super::{RoundResult, Sites, SitesRounds};
use crate::function::Basis;
use crate::mechanism::MechanismError;
use crate::mechanism::rounds::Shares;
use crate::mechanism::vector::{GroupAim, GroupLabels, NoisedGroups};
use crate::privacy::{Drawn, Mechanism, Mu, Title};

const TITLE: Title = Title {
    name: "groups over many sites",
    sentence: "No site hands on a record: in every round each adds up its own people in whole numbers, and only the sum over all sites \
               becomes known, with normal noise in it of which the sites or those who add up contribute shares; a rough first mean of all \
               people serves as centre, a radius about it is read off noised counts where there are people enough; then in every group \
               shortened deviations from the centre are added up, and so are products of their coordinates; a person is in one group, so \
               each group has the whole of the last round's budget.",
};

/// Means and second moments of groups of functions of people at several sites, for a map of where groups differ or for a test of whether they
/// do.
///
#[doc = include_str!("proof.md")]
#[derive(Debug, Clone)]
pub struct SitesGroups {
    rounds: SitesRounds,
    aim: GroupAim,
    /// As in one place, at the noise that there will be: which coordinates, and what is made of them.
    functional: FunctionGroups,
}

impl SitesGroups {
    /// Over `sites` with these people in each group, around the public `template`, its samples `(points, channels)` of a unit-area face; the
    /// whole release at `mu`.
    ///
    /// # Errors
    /// [`MechanismError`]: no sites, too many, sites without people, an impossible number of honest ones, groups that do not add up to the
    /// sites' people or have fewer than two of all, a template of another shape.
    pub fn new(
        aim: GroupAim,
        (basis, template): (&Basis, Vec<f64>),
        mu: Mu,
        sites: Sites,
        groups: SiteGroups,
    ) -> Result<Self, MechanismError> {
        let (known, ratio) = known(mu, &sites)?;
        groups.check(&sites.sizes)?;
        let labels = GroupLabels::of_sizes(&groups.total())?;
        let want = if aim == GroupAim::Map { Want::Map } else { Want::Test };
        let functional = FunctionGroups::new(want, basis, &template, labels, 1.0, known)?;
        let missing = MechanismError::Shape("a comparison is of a map or a test");
        let (leading, vectors) = functional.map_parts().or(functional.test_parts()).ok_or(missing)?;
        let shares = aim.shares(groups.total().iter().sum::<u64>() as f64 * known.get());
        let shares = Shares { countable: shares.countable / ratio, ..shares };
        let (public, first) = (vectors.public(), vectors.moments());
        let target = Target::Groups { leading: Box::new(leading.clone()), first, groups };
        let statistic = functional.price().statistic.clone();
        let words =
            (TITLE, statistic.as_str(), "mean and second moment of each group, a person being in one");
        let rounds = SitesRounds::new(words, (target, template), (shares, public), mu, sites)?;
        Ok(Self { rounds, aim, functional })
    }

    /// Its rounds.
    pub fn rounds(&self) -> &SitesRounds {
        &self.rounds
    }

    /// What was released, from the results of all rounds: post-processing.
    ///
    /// # Errors
    /// [`MechanismError`] unless all rounds are there.
    pub fn finish(&self, results: &[RoundResult]) -> Result<Drawn<NoisedGroups>, MechanismError> {
        let (round, parts) = self.rounds.finished(results)?;
        let other = || MechanismError::Shape("these are results of other rounds");
        let (Some(last), Some(first)) = (results.last(), results.first()) else { return Err(other()) };
        let Deviations::Leading { radius, .. } = round.about() else { return Err(other()) };
        let centre = self.rounds.centre(first)?;
        let sizes = self.sizes(last)?;
        let shares = self.rounds.sites().sharing.shares(last.sites.len() as u64);
        let groups = round.noise().noised_moments(&last.values, shares, &sizes).ok_or_else(other)?;
        Ok(Drawn { value: NoisedGroups::new(centre.recentred(*radius), groups), parts })
    }

    /// What makes differences, bands and tests of a release whose last round was this: for the people who are in it.
    ///
    /// # Errors
    /// [`MechanismError`] for another round.
    pub fn functional(&self, last: &RoundResult) -> Result<FunctionGroups, MechanismError> {
        Ok(self.functional.with_labels(GroupLabels::of_sizes(&self.sizes(last)?)?))
    }

    /// A release as [`FunctionGroups`] reads it.
    pub fn comparison(&self, noised: NoisedGroups) -> NoisedComparison {
        match self.aim {
            GroupAim::Map => NoisedComparison { map: Some(noised), test: None },
            GroupAim::Test => NoisedComparison { map: None, test: Some(noised) },
        }
    }

    /// People of every group in a last round.
    ///
    /// # Errors
    /// [`MechanismError`] for another round, and where a group has fewer than two.
    pub fn sizes(&self, last: &RoundResult) -> Result<Vec<u64>, MechanismError> {
        let other = MechanismError::Shape("these are rounds of no groups");
        self.rounds.groups().ok_or(other)?.enough(&last.sites)
    }
}

sites_mechanism!(SitesGroups, NoisedGroups);
