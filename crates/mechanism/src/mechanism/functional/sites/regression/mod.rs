//! Regression of functions on covariates over several sites: second moments of both, about one private centre.

#[cfg(test)]
mod tests;
mod worst_case;

pub use worst_case::ENTRY;

use super::super::FunctionRegression;
use super::rounds::{Target, known};
use super::{RoundResult, Sites, SitesRounds};
use crate::estimate::design::Design;
use crate::function::Basis;
use crate::mechanism::MechanismError;
use crate::mechanism::rounds::Shares;
use crate::mechanism::vector::{NoisedRegression, regression};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Charge, Drawn, Mechanism, Mu, Price, Title};

const TITLE: Title = Title {
    name: "regression over many sites",
    sentence: "No site hands on a record: in every round each adds up its own people in whole numbers, and only the sum over all sites \
               becomes known, with normal noise in it of which the sites or those who add up contribute shares; a rough first mean serves \
               as centre, a radius about it is read off noised counts where there are people enough; then the products of every person's \
               covariates with one another and with the shortened deviation from the centre are added up.",
};

/// Second moments of covariates and of functions of people at several sites, in their leading coordinates.
///
#[doc = include_str!("proof.md")]
#[derive(Debug, Clone)]
pub struct SitesRegression {
    rounds: SitesRounds,
    /// As in one place, at the noise that there will be: which coordinates, and what is made of them.
    functional: FunctionRegression,
}

impl SitesRegression {
    /// On the covariates of a `design`, over sites of so many people each, around the public `template`, its samples `(points, channels)` of a
    /// unit-area face; the whole release at `mu`.
    ///
    /// # Errors
    /// [`MechanismError`]: no sites, too many, sites without people, an impossible number of honest ones, too few people for the design, a
    /// template of another shape.
    pub fn new(
        (basis, template): (Basis, Vec<f64>),
        design: Design,
        mu: Mu,
        sites: Sites,
    ) -> Result<Self, MechanismError> {
        let (known, ratio) = known(mu, &sites)?;
        let n: u64 = sites.sizes.iter().sum();
        let functional = FunctionRegression::new(basis, template.clone(), 1.0, design, n, known)?;
        let shares = regression::shares(n, known.get());
        let shares = Shares { countable: shares.countable / ratio, ..shares };
        let public = functional.mechanism().recentring().public();
        let target = Target::Regression {
            leading: Box::new(functional.coordinates().clone()),
            moments: Box::new(functional.mechanism().clone()),
        };
        let statistic = functional.price().statistic.clone();
        let words = (TITLE, statistic.as_str(), "second moments of covariates and of deviations over sites");
        let rounds = SitesRounds::new(words, (target, template), (shares, public), mu, sites)?;
        Ok(Self { rounds, functional })
    }

    /// Its rounds.
    pub fn rounds(&self) -> &SitesRounds {
        &self.rounds
    }

    /// What makes fields of a release whose last round was this: for the people who are in it.
    pub fn functional(&self, last: &RoundResult) -> FunctionRegression {
        self.functional.of_records(self.rounds.sites().people(&last.sites))
    }

    /// The moments, from the results of all rounds: post-processing.
    ///
    /// # Errors
    /// [`MechanismError`] unless all rounds are there.
    pub fn finish(&self, results: &[RoundResult]) -> Result<Drawn<NoisedRegression>, MechanismError> {
        let (round, parts) = self.rounds.finished(results)?;
        let other = || MechanismError::Shape("these are results of other rounds");
        let (Some(last), Some(first), Some(radius)) = (results.last(), results.first(), round.radius())
        else {
            return Err(other());
        };
        let sites = self.rounds.sites();
        let (n, shares) = (sites.people(&last.sites), sites.sharing.shares(last.sites.len() as u64));
        let value = NoisedRegression {
            recentred: self.rounds.centre(first)?.recentred(radius),
            moments: round.noise().noised_second(&last.values, shares, n).ok_or_else(other)?,
            columns: self.functional.mechanism().columns(),
            reach: self.functional.mechanism().reach(),
            scores: None,
        };
        Ok(Drawn { value, parts })
    }
}

/// The people of all sites, one site after the other, with a row of the design each.
#[derive(Debug, Clone)]
pub struct RegressedPeople {
    /// Samples; `None` for a person without a usable record.
    pub functions: Vec<Option<Vec<f64>>>,
    /// As many rows.
    pub rows: Vec<Vec<f64>>,
}

impl Mechanism for SitesRegression {
    type Records = RegressedPeople;
    type Prepared<'a> = &'a RegressedPeople;
    type Value = NoisedRegression;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        self.rounds.price()
    }

    fn prepare<'a>(&'a self, records: &'a RegressedPeople) -> Result<&'a RegressedPeople, MechanismError> {
        self.rounds.check_records(&records.functions)?;
        self.functional.mechanism().check_rows(&records.rows, records.functions.len())?;
        Ok(records)
    }

    fn draw(
        &self,
        records: &&RegressedPeople,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<NoisedRegression>, MechanismError> {
        let RegressedPeople { functions, rows } = records;
        self.finish(&self.rounds.draw_in_one_place((functions, rows), noise, paid)?)
    }
}
