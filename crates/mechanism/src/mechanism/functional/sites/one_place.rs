//! All rounds with all sites in one place: for audits, tests and forecasts.

use super::super::FunctionRecords;
use super::{Answer, RoundResult, Sharing, SitePeople, SiteRound, SitesRounds};
use crate::mechanism::MechanismError;
use crate::privacy::Charge;
use crate::privacy::noise::NoiseSource;
use std::borrow::Cow;

impl SitesRounds {
    /// Whether these are the people of all sites, one site after the other.
    pub(super) fn check_records(&self, records: &dyn FunctionRecords) -> Result<(), MechanismError> {
        if records.count() as u64 != self.price.n {
            return Err(MechanismError::Shape("the number of people is not that of the sites together"));
        }
        let shaped = |i| records.samples(i).is_none_or(|samples| samples.len() == self.template.len());
        if !(0..records.count()).all(shaped) {
            return Err(MechanismError::Shape("a record does not have the shape of the template"));
        }
        Ok(())
    }

    /// All rounds, all sites in one place; `rows` of the design go with the records of a regression.
    pub(super) fn draw_in_one_place(
        &self,
        (records, rows): (&dyn FunctionRecords, &[Vec<f64>]),
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Vec<RoundResult>, MechanismError> {
        let mut results = Vec::new();
        for paid in &paid.split(&self.losses()?)? {
            let round = self.next(&results)?.ok_or(MechanismError::Shape("there is no such round"))?;
            results.push(self.round_in_one_place(&round, (records, rows), noise, paid)?);
        }
        Ok(results)
    }

    fn round_in_one_place(
        &self,
        round: &SiteRound,
        (records, rows): (&dyn FunctionRecords, &[Vec<f64>]),
        noise: &mut NoiseSource,
        paid: &Charge,
    ) -> Result<RoundResult, MechanismError> {
        let (mut start, mut sums) = (0, Vec::new());
        for (i, n) in self.sites.sizes.iter().enumerate() {
            let (labels, count) = (self.groups().map(|groups| groups.in_order(i)), *n as usize);
            let people = match &labels {
                Some(labels) => SitePeople::Groups(labels),
                None => rows.get(start..start + count).map_or(SitePeople::Records, SitePeople::Covariates),
            };
            let sum = round.sum(&Block { records, start, count }, people)?;
            let draws = self.sites.sharing != Sharing::Aggregators && i < self.drawing;
            let noised = if draws {
                round.noise().masked(&sum, noise, paid)?
            } else {
                round.noise().bare(&sum, paid)?
            };
            sums.push((i, noised));
            start += *n as usize;
        }
        let answer = match self.sites.sharing {
            Sharing::Each => Answer::Apart(sums),
            sharing => {
                let mut all = vec![0; round.noise().dimension()];
                sums.iter().for_each(|(_, sum)| all.iter_mut().zip(sum).for_each(|(a, k)| *a += k));
                let aggregators = if sharing == Sharing::Aggregators { self.drawing.min(2) } else { 0 };
                for _ in 0..aggregators {
                    let share = round.noise().share(noise, paid)?;
                    all.iter_mut().zip(share).for_each(|(a, k)| *a += k);
                }
                Answer::Pooled { sites: (0..self.sites.sizes.len()).collect(), sum: all }
            }
        };
        round.result(&answer, &self.sites)
    }
}

/// The people of one site among all.
struct Block<'a> {
    records: &'a dyn FunctionRecords,
    start: usize,
    count: usize,
}

impl FunctionRecords for Block<'_> {
    fn count(&self) -> usize {
        self.count
    }
    fn samples(&self, i: usize) -> Option<Cow<'_, [f64]>> {
        self.records.samples(self.start + i)
    }
    fn filled(&self, i: usize) -> f64 {
        self.records.filled(self.start + i)
    }
}

/// A release over sites as a mechanism, with all sites in one place; it has `rounds` and `finish`.
macro_rules! sites_mechanism {
    ($release:ty, $value:ty) => {
        impl $crate::privacy::Mechanism for $release {
            /// The people of all sites, one site after the other.
            type Records = dyn $crate::mechanism::functional::FunctionRecords;
            type Prepared<'a> = &'a (dyn $crate::mechanism::functional::FunctionRecords + 'static);
            type Value = $value;
            type Error = $crate::mechanism::MechanismError;

            fn price(&self) -> &$crate::privacy::Price {
                self.rounds.price()
            }

            fn prepare<'a>(&'a self, records: &'a Self::Records) -> Result<Self::Prepared<'a>, Self::Error> {
                self.rounds.check_records(records)?;
                Ok(records)
            }

            fn draw(
                &self,
                records: &Self::Prepared<'_>,
                noise: &mut $crate::privacy::noise::NoiseSource,
                paid: $crate::privacy::Charge,
            ) -> Result<$crate::privacy::Drawn<$value>, Self::Error> {
                self.finish(&self.rounds.draw_in_one_place((*records, &[]), noise, paid)?)
            }
        }
    };
}

pub(super) use sites_mechanism;
