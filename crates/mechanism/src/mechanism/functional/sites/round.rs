//! One round: what a site adds up, and what the sums of all sites tell.

use super::super::records::{Given, add_up};
use super::super::{ChosenRecords, FunctionRecords};
use super::covariates::AboutFound;
use super::deviations::Deviations;
use super::{Answer, RoundResult, Sharing, SiteGroups, Sites};
use crate::mechanism::quantile::STEPS;
use crate::mechanism::vector::groups::own_unusable;
use crate::mechanism::{MechanismError, unseen};
use crate::privacy::ClipRadius;
use crate::privacy::noise::{SharedNoise, SharedSum};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What is asked in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum RoundKind {
    /// The rough mean about the template.
    Centre,
    /// How many lie within a radius about it.
    Count {
        /// Which of them, from 1.
        number: usize,
    },
    /// The mean about the private centre.
    Mean,
    /// Mean and second moment about the private centre.
    Moments,
    /// Mean and second moment of every group about the private centre.
    Groups,
    /// Second moment of covariates and of deviations from the private centre.
    Regression,
}

/// What is known of a site's people besides their records: secret.
#[derive(Debug, Clone, Copy)]
pub enum SitePeople<'a> {
    /// Nothing.
    Records,
    /// The group of every record, counted from 0.
    Groups(&'a [usize]),
    /// The row of the design of every record.
    Covariates(&'a [Vec<f64>]),
}

impl fmt::Display for RoundKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Centre => f.write_str("rough mean over sites"),
            Self::Count { number } => write!(f, "count {number} of {STEPS} for the radius"),
            Self::Mean => f.write_str("mean over sites about the private centre"),
            Self::Moments => f.write_str("mean and second moment over sites about the private centre"),
            Self::Groups => {
                f.write_str("mean and second moment of every group over sites about the private centre")
            }
            Self::Regression => f.write_str(
                "second moments of covariates and of deviations from the private centre over sites",
            ),
        }
    }
}

/// A round that has been worked out from public things and earlier results.
#[derive(Debug, Clone)]
pub struct SiteRound {
    kind: RoundKind,
    about: Deviations,
    noise: SharedNoise,
    /// The public template.
    template: Vec<f64>,
    /// The radius within which records are counted.
    middle: Option<f64>,
    /// Where every group is added up by itself.
    groups: Option<SiteGroups>,
    /// Where covariates are added up with deviations.
    regression: Option<Box<AboutFound>>,
}

impl SiteRound {
    pub(super) fn sum_of(kind: RoundKind, about: Deviations, noise: SharedNoise, template: Vec<f64>) -> Self {
        Self { kind, about, noise, template, middle: None, groups: None, regression: None }
    }

    /// The same, every group added up by itself.
    pub(super) fn in_groups(self, groups: SiteGroups) -> Self {
        Self { groups: Some(groups), ..self }
    }

    /// The same, with covariates.
    pub(super) fn with_covariates(self, about: AboutFound) -> Self {
        Self { regression: Some(Box::new(about)), ..self }
    }

    pub(super) fn count(
        kind: RoundKind,
        about: Deviations,
        noise: SharedNoise,
        template: Vec<f64>,
        middle: f64,
    ) -> Self {
        Self { middle: Some(middle), ..Self::sum_of(kind, about, noise, template) }
    }

    /// What is asked.
    pub fn kind(&self) -> RoundKind {
        self.kind
    }

    /// Its noise, and how vectors are clipped.
    pub fn noise(&self) -> &SharedNoise {
        &self.noise
    }

    /// The clip radius, where vectors are added up.
    pub fn radius(&self) -> Option<ClipRadius> {
        if self.middle.is_some() { None } else { Some(self.about.radius()) }
    }

    /// The centre that deviations are taken from.
    pub(super) fn about(&self) -> &Deviations {
        &self.about
    }

    /// One site's sum: secret.
    ///
    /// # Errors
    /// [`MechanismError`] for records of another shape, labels of other groups, rows of another design.
    pub fn sum(
        &self,
        records: &dyn FunctionRecords,
        people: SitePeople<'_>,
    ) -> Result<SharedSum, MechanismError> {
        if let Some(about) = &self.regression {
            let rows = if let SitePeople::Covariates(rows) = people { rows } else { &[] };
            about.moments.check_rows(rows, records.count())?;
            let vector = |given: &Given<'_>| about.vector(given, rows.get(given.index)?);
            let n = records.count() as u64;
            return add_up(|| self.noise.sum(n), records, self.template.len(), vector);
        }
        let Some(groups) = &self.groups else { return self.sum_of_all(records) };
        let labels = if let SitePeople::Groups(labels) = people { labels } else { &[] };
        let count = groups.count();
        if labels.len() != records.count() || labels.iter().any(|group| *group >= count) {
            return Err(MechanismError::Shape("every record is in one of the plan's groups"));
        }
        let one = |group| {
            let chosen = (0..labels.len()).filter(|i| labels[*i] == group).collect();
            self.sum_of_all(&ChosenRecords { records, chosen })
        };
        Ok(SharedSum::of_groups((0..count).map(one).collect::<Result<_, _>>()?))
    }

    fn sum_of_all(&self, records: &dyn FunctionRecords) -> Result<SharedSum, MechanismError> {
        let vector = |given: &Given<'_>| {
            let mut u = given.samples.map(|samples| self.about.vector(samples));
            let (is_usable, radius) = (u.is_some(), self.about.radius().get());
            let zero = || vec![0.0; self.about.dimension()];
            match self.kind {
                RoundKind::Centre => {
                    u.get_or_insert_with(zero).extend(unseen::coordinates(is_usable, given.filled, radius))
                }
                RoundKind::Groups => u.get_or_insert_with(zero).push(own_unusable(is_usable, radius)),
                _ => {}
            }
            let Some(middle) = self.middle else { return u };
            // A failed record lies at every centre.
            let norm = u.map_or(0.0, |u| u.iter().map(|u| u * u).sum::<f64>().sqrt());
            // A comparison with NaN is false: such a norm would be outside at every radius.
            Some(vec![if norm.is_nan() || norm <= middle { 0.5 } else { -0.5 }])
        };
        let n = records.count() as u64;
        add_up(|| self.noise.sum(n), records, self.template.len(), vector)
    }

    /// What the noised sums tell: post-processing.
    ///
    /// # Errors
    /// [`MechanismError`] for sums of other lengths, unknown sites, a site twice, or too few sites.
    pub fn result(&self, answer: &Answer, plan: &Sites) -> Result<RoundResult, MechanismError> {
        answer.check(self.noise.dimension(), plan)?;
        let sites = answer.sites();
        let n = plan.people(&sites) as f64;
        let values = match answer {
            // Half a count more for each person: the sum is of ±½.
            _ if self.middle.is_some() => {
                let sum: i128 = answer.total().first().copied().unwrap_or_default();
                vec![self.noise.clip().to_f64(sum) + 0.5 * n]
            }
            Answer::Apart(sums) if self.is_weighed(plan) => {
                let clip = self.noise.clip();
                let weights = self.weights(&sites, plan);
                let mut values = vec![0.0; clip.dimension()];
                for ((site, sum), weights) in sums.iter().zip(&weights) {
                    let n = plan.people(&[*site]) as f64;
                    let means = sum.iter().zip(weights).map(|(k, w)| w * clip.to_f64(*k) / n);
                    values.iter_mut().zip(means).for_each(|(value, mean)| *value += mean);
                }
                values
            }
            _ => match &self.groups {
                Some(groups) => self.noise.means(&answer.total(), &groups.enough(&sites)?),
                None => self.noise.to_f64(&answer.total()).into_iter().map(|x| x / n).collect(),
            },
        };
        Ok(RoundResult { sites, values })
    }

    /// Whether sites' own means are weighed: not counts, and not second moments, in which people count alike.
    fn is_weighed(&self, plan: &Sites) -> bool {
        plan.sharing == Sharing::Each && self.middle.is_none() && !self.is_of_moments()
    }

    fn is_of_moments(&self) -> bool {
        matches!(self.kind, RoundKind::Moments | RoundKind::Groups | RoundKind::Regression)
    }

    /// The weight of every site in every coordinate, where sites' own means are put together: inversely as the variance that the site's mean is
    /// expected to have there, V_j/n_k of its people and (σ/n_k)² of noise. V comes from the public spectrum, with half of the squared clip
    /// radius for all coordinates together. In the shares of records that were not seen, which come last, people count alike.
    fn weights(&self, sites: &[usize], plan: &Sites) -> Vec<Vec<f64>> {
        let spectrum = self.about.spectrum();
        let total: f64 = spectrum.iter().sum();
        let energy = 0.5 * self.noise.clip().radius().powi(2);
        let noise = self.noise.sigma(1).powi(2);
        let mut weights: Vec<Vec<f64>> = sites
            .iter()
            .map(|site| {
                let n = plan.people(&[*site]) as f64;
                let weight = |s: &f64| 1.0 / (energy * s / total / n + noise / (n * n));
                let shares = std::iter::repeat_n(n, self.noise.dimension() - spectrum.len());
                spectrum.iter().map(weight).chain(shares).collect()
            })
            .collect();
        for j in 0..self.noise.dimension() {
            let all: f64 = weights.iter().map(|w| w[j]).sum();
            weights.iter_mut().for_each(|w| w[j] /= all);
        }
        weights
    }

    /// The standard deviation of the noise in each of the result's values; of second moments, in those of the mean.
    pub(super) fn sigmas(&self, result: &RoundResult, plan: &Sites) -> Vec<f64> {
        let sites = &result.sites;
        if self.is_weighed(plan) {
            let mut squares = vec![0.0; result.values.len()];
            for (site, weights) in sites.iter().zip(self.weights(sites, plan)) {
                let own = self.noise.sigma(1) / plan.people(&[*site]) as f64;
                squares.iter_mut().zip(weights).for_each(|(square, w)| *square += (w * own).powi(2));
            }
            return squares.into_iter().map(f64::sqrt).collect();
        }
        let shares = plan.sharing.shares(sites.len() as u64);
        let per = if self.middle.is_some() { 1.0 } else { plan.people(sites) as f64 };
        vec![self.noise.sigma(shares) / per; result.values.len()]
    }
}
