//! Mean and second moment of functions over several sites: what modes of variation are made of.

#[cfg(test)]
mod tests;
mod worst_case;

pub use worst_case::ENTRY;

use super::super::FunctionalModes;
use super::deviations::Deviations;
use super::one_place::sites_mechanism;
use super::rounds::{Target, known};
use super::{RoundResult, Sites, SitesRounds};
use crate::function::Basis;
use crate::mechanism::MechanismError;
use crate::mechanism::rounds::Shares;
use crate::mechanism::vector::{NoisedModes, modes};
use crate::privacy::{Drawn, Mechanism, Mu, Title};

const TITLE: Title = Title {
    name: "second moment over many sites",
    sentence: "No site hands on a record: in every round each adds up its own people in whole numbers, and only the sum over all sites \
               becomes known, with normal noise in it of which the sites or those who add up contribute shares; a rough first mean serves \
               as centre, a radius about it is read off noised counts where there are people enough; then shortened deviations from the \
               centre are added up, and so are the products of all their coordinates.",
};

/// Mean and second moment of functions of people at several sites, in their leading coordinates.
///
#[doc = include_str!("proof.md")]
#[derive(Debug, Clone)]
pub struct SitesModes {
    rounds: SitesRounds,
    /// As in one place, at the noise that there will be: which coordinates, and what is made of them.
    functional: FunctionalModes,
}

impl SitesModes {
    /// Over sites of so many people each, around the public `template`, its samples `(points, channels)` of a unit-area face; the whole
    /// release at `mu`.
    ///
    /// # Errors
    /// [`MechanismError`]: no sites, too many, sites without people, an impossible number of honest ones, a template of another shape.
    pub fn new(basis: Basis, template: Vec<f64>, mu: Mu, sites: Sites) -> Result<Self, MechanismError> {
        let (known, ratio) = known(mu, &sites)?;
        let n: u64 = sites.sizes.iter().sum();
        let functional = FunctionalModes::new(basis, template.clone(), 1.0, known, n)?;
        let shares = modes::shares(n, known.get(), functional.vectors().dimension());
        let shares = Shares { countable: shares.countable / ratio, ..shares };
        let public = functional.vectors().recentring().public();
        let leading = Box::new(functional.coordinates().clone());
        let target = Target::Modes { leading, first: functional.vectors().dimension() };
        let statistic = functional.price().statistic.clone();
        let words = (TITLE, statistic.as_str(), "mean and second moment over sites about the private centre");
        let rounds = SitesRounds::new(words, (target, template), (shares, public), mu, sites)?;
        Ok(Self { rounds, functional })
    }

    /// Its rounds.
    pub fn rounds(&self) -> &SitesRounds {
        &self.rounds
    }

    /// What makes mean and modes of what was released.
    pub fn functional(&self) -> &FunctionalModes {
        &self.functional
    }

    /// Both moments, from the results of all rounds: post-processing.
    ///
    /// # Errors
    /// [`MechanismError`] unless all rounds are there.
    pub fn finish(&self, results: &[RoundResult]) -> Result<Drawn<NoisedModes>, MechanismError> {
        let (round, parts) = self.rounds.finished(results)?;
        let other = || MechanismError::Shape("these are results of other rounds");
        let (Some(last), Some(first)) = (results.last(), results.first()) else { return Err(other()) };
        let Deviations::Leading { radius, .. } = round.about() else { return Err(other()) };
        let centre = self.rounds.centre(first)?;
        let sites = self.rounds.sites();
        let (n, shares) = (sites.people(&last.sites), sites.sharing.shares(last.sites.len() as u64));
        let moments = round.noise().noised_moments(&last.values, shares, &[n]).and_then(|mut one| one.pop());
        let moments = moments.ok_or_else(other)?;
        Ok(Drawn { value: NoisedModes { recentred: centre.recentred(*radius), moments }, parts })
    }
}

sites_mechanism!(SitesModes, NoisedModes);
