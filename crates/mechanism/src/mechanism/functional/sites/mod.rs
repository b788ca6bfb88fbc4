//! The mean in two rounds over several sites, modes of variation, groups compared, and regressions: every round needs nothing of a site but a
//! clipped sum.

mod answer;
mod covariates;
mod deviations;
mod groups;
mod modes;
mod one_place;
mod regression;
mod round;
mod rounds;
mod sharing;
#[cfg(test)]
mod tests;
mod worst_case;

pub use answer::{Answer, RoundResult};
pub use groups::{ENTRY as GROUPS_ENTRY, SiteGroups, SitesGroups};
pub use modes::{ENTRY as MODES_ENTRY, SitesModes};
pub use regression::{ENTRY as REGRESSION_ENTRY, RegressedPeople, SitesRegression};
pub use round::{RoundKind, SitePeople, SiteRound};
pub use rounds::SitesRounds;
pub use sharing::{Sharing, Sites};
pub use worst_case::ENTRY;

use super::{Aim, NoisedFunction};
use crate::estimate::Prior;
use crate::function::Basis;
use crate::mechanism::MechanismError;
use crate::mechanism::rounds::Shares;
use crate::privacy::{ClipRadius, ClipSource, Drawn, Mu, Title};
use deviations::Deviations;
use one_place::sites_mechanism;
use rounds::{Target, known};

const TITLE: Title = Title {
    name: "mean over many sites in two rounds",
    sentence: "No site hands on a record: in every round each adds up its own people's shortened deviations in whole numbers, and only the \
               sum over all sites becomes known, with normal noise in it of which the sites or those who add up contribute shares; a rough \
               first mean serves as centre, a radius about it is read off noised counts where there are people enough, and what is mostly \
               noise is shrunk towards the centre.",
};

/// The mean of functions of people at several sites, in two rounds.
///
#[doc = include_str!("proof.md")]
#[derive(Debug, Clone)]
pub struct SitesMean {
    rounds: SitesRounds,
}

impl SitesMean {
    /// Over sites of so many people each, around the public `template`, its samples `(points, channels)`; the whole release at `mu`.
    ///
    /// # Errors
    /// [`MechanismError`]: no sites, too many, sites without people, an impossible number of honest ones, a template of another shape.
    pub fn new(basis: Basis, template: Vec<f64>, mu: Mu, sites: Sites) -> Result<Self, MechanismError> {
        let (known, ratio) = known(mu, &sites)?;
        let n: u64 = sites.sizes.iter().sum();
        let norm = Aim::Mean.norm(n, known);
        let dimension = Prior::new(&basis, |place| norm.weight(place)).effective_dimension();
        let shares = Aim::Mean.shares(n, known, dimension);
        let shares = Shares { countable: shares.countable / ratio, excess: 0.0, measured: 0.0, ..shares };
        let public = ClipRadius::new(norm.face_radius(), ClipSource::Public)?;
        let what = format!("mean deviation from a private centre, {}", norm.sentence());
        let words = (TITLE, what.as_str(), "mean over sites about the private centre");
        let target = Target::Mean { basis, norm };
        Ok(Self { rounds: SitesRounds::new(words, (target, template), (shares, public), mu, sites)? })
    }

    /// Its rounds.
    pub fn rounds(&self) -> &SitesRounds {
        &self.rounds
    }

    /// The mean, from the results of all rounds: post-processing.
    ///
    /// # Errors
    /// [`MechanismError`] unless all rounds are there.
    pub fn finish(&self, results: &[RoundResult]) -> Result<Drawn<NoisedFunction>, MechanismError> {
        let (round, parts) = self.rounds.finished(results)?;
        let other = MechanismError::Shape("these are results of other rounds");
        let (Some(last), Some(first)) = (results.last(), results.first()) else { return Err(other) };
        let Deviations::All(about) = round.about() else { return Err(other) };
        let sigmas = round.sigmas(last, self.rounds.sites());
        let mut estimate = about.finish_uneven(&last.values, &|j| sigmas.get(j).copied().unwrap_or(f64::NAN));
        let sigma = (sigmas.iter().map(|s| s * s).sum::<f64>() / sigmas.len().max(1) as f64).sqrt();
        let unseen = self.rounds.centre(first)?.unseen;
        unseen.add_to(&mut estimate.errors, &estimate.samples, [about.centre(), &self.rounds.template]);
        let function = NoisedFunction::new(estimate, last.values.clone(), sigma);
        let value = NoisedFunction { centre: about.centre().to_vec(), unseen: Some(unseen), ..function };
        Ok(Drawn { value, parts })
    }
}

sites_mechanism!(SitesMean, NoisedFunction);
