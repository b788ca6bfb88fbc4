//! The mean in two rounds over several sites: every round needs nothing of a site but a clipped sum.

mod answer;
mod round;
mod sharing;
#[cfg(test)]
mod tests;
mod worst_case;

pub use answer::{Answer, RoundResult};
pub use round::{RoundKind, SiteRound};
pub use sharing::{Sharing, Sites};
pub use worst_case::ENTRY;

use super::two_rounds::{EXPECTED_DOUBT, expected_of_centre};
use super::{Aim, FunctionRecords, FunctionalMean, NoisedFunction, Norm};
use crate::function::Basis;
use crate::function::shrink::Expectation;
use crate::mechanism::MechanismError;
use crate::mechanism::quantile::{BisectedRadius, STEPS};
use crate::mechanism::rounds::{Rounds, Shares};
use crate::privacy::noise::{NoiseSource, SITES_MOST, SharedNoise};
use crate::privacy::{
    Charge, ClipRadius, ClipSource, Drawn, Mechanism, Mu, NoisedPart, Price, PrivacyLoss, Sensitivity, Title,
};
use std::borrow::Cow;

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
    price: Price,
    basis: Basis,
    template: Vec<f64>,
    sites: Sites,
    rounds: Rounds,
    norm: Norm,
    public: ClipRadius,
    counted: Option<BisectedRadius>,
    /// Sites that add noise when all is drawn in one place; fewer than all in audits.
    drawing: usize,
}

impl SitesMean {
    /// Over sites of so many people each, around the public `template`, its samples `(points, channels)`; the whole release at `mu`.
    ///
    /// # Errors
    /// [`MechanismError`]: no sites, too many, sites without people, an impossible number of honest ones, a template of another shape.
    pub fn new(basis: Basis, template: Vec<f64>, mu: Mu, sites: Sites) -> Result<Self, MechanismError> {
        let Sites { sizes, sharing } = &sites;
        let count = sizes.len() as u64;
        if count < sharing.fewest() || count > SITES_MOST as u64 || sharing.honest() == 0 {
            return Err(MechanismError::Shape(
                "there are at most a thousand sites, and at least one more than must be honest: a site knows its own share of the noise",
            ));
        }
        if sizes.iter().any(|n| *n == 0 || *n > 1 << 32) {
            return Err(MechanismError::Shape(
                "every site has at least one person, and at most four billion",
            ));
        }
        let n: u64 = sizes.iter().sum();
        // Settings follow the noise that there will be: more than μ needs, for there are more shares than must be honest.
        let ratio = (sharing.honest() as f64 / sharing.shares(count) as f64).sqrt();
        let known = Mu::new(mu.get() * ratio)?;
        let (shares, norm) = (Aim::Mean.shares(n, known), Aim::Mean.norm(n, known));
        let shares = Shares { countable: shares.countable / ratio, ..shares };
        let rounds = Rounds::new(shares, n, mu)?;
        let public = ClipRadius::new(norm.face_radius(), ClipSource::Public)?;
        let counted = rounds.bisected(public)?;
        let what = format!("mean deviation from a private centre, {}", norm.sentence());
        let mut price = Price::new(TITLE, n, PrivacyLoss::Gaussian(mu), &what)?;
        price.parts = rounds.parts(
            "rough mean over sites, the private centre",
            counted.as_ref(),
            "mean over sites about the private centre",
        );
        let drawing = sizes.len();
        let mut mean = Self { price, basis, template, sites, rounds, norm, public, counted, drawing };
        mean.check()?;
        Ok(mean)
    }

    /// All that can fail for public numbers fails before anything is paid.
    fn check(&mut self) -> Result<(), MechanismError> {
        self.first()?;
        let radius = if self.counted.is_some() { self.public } else { self.rounds.uncounted(self.public)? };
        let second = SharedNoise::new(self.basis.len(), radius.get(), self.rounds.second, self.honest())?;
        self.counting_noise()?;
        if self.counted.is_none() {
            let (n, shares) = (self.price.n as f64, self.shares());
            let bound = crate::privacy::L2Sensitivity::new((second.clip().sensitivity() / n).next_up())?;
            self.price = self
                .price
                .clone()
                .with_noise(Sensitivity::L2(bound), second.sigma(shares) / n)
                .with_clip(radius);
        }
        Ok(())
    }

    fn honest(&self) -> u64 {
        self.sites.sharing.honest()
    }

    /// Of noise, where all sites take part.
    fn shares(&self) -> u64 {
        self.sites.sharing.shares(self.sites.sizes.len() as u64)
    }

    /// Who takes part.
    pub fn sites(&self) -> &Sites {
        &self.sites
    }

    /// Number of rounds: two, and six more where a radius is counted.
    pub fn count_rounds(&self) -> usize {
        2 + if self.counted.is_some() { STEPS } else { 0 }
    }

    /// What the rounds cost, in their order.
    fn losses(&self) -> Result<Vec<PrivacyLoss>, MechanismError> {
        let mut losses = vec![self.rounds.first];
        if let Some(counted) = &self.counted {
            losses.extend([counted.each()?; STEPS]);
        }
        losses.push(self.rounds.second);
        Ok(losses.into_iter().map(PrivacyLoss::Gaussian).collect())
    }

    /// The part of a payment for the whole that is for round `index` (from 0). Whoever asks answers for it that each part is used once.
    ///
    /// # Errors
    /// [`MechanismError`] for a payment for something else, or no such round.
    pub fn part(&self, paid: Charge, index: usize) -> Result<Charge, MechanismError> {
        let missing = MechanismError::Shape("there is no such round");
        paid.split(&self.losses()?)?.into_iter().nth(index).ok_or(missing)
    }

    fn first(&self) -> Result<SiteRound, MechanismError> {
        let about = self
            .about(self.template.clone(), self.public, self.rounds.first)?
            .expecting(expected_of_centre(Norm::White.face_radius()));
        let noise = SharedNoise::new(self.basis.len(), self.public.get(), self.rounds.first, self.honest())?;
        Ok(SiteRound::sum_of(RoundKind::Centre, about, noise, self.template.clone()))
    }

    fn about(&self, centre: Vec<f64>, radius: ClipRadius, mu: Mu) -> Result<FunctionalMean, MechanismError> {
        FunctionalMean::in_norm(self.norm, self.basis.clone(), centre, radius, mu, self.price.n)
    }

    /// Counts are sums of ±½, so that one record moves them by one.
    fn counting_noise(&self) -> Result<Option<SharedNoise>, MechanismError> {
        let Some(counted) = &self.counted else { return Ok(None) };
        Ok(Some(SharedNoise::new(1, 0.5, counted.each()?, self.honest())?))
    }

    /// The next round, given what the earlier ones released; `None` after the last.
    ///
    /// # Errors
    /// [`MechanismError`] for results that are not of these rounds.
    pub fn next(&self, results: &[RoundResult]) -> Result<Option<SiteRound>, MechanismError> {
        for (i, result) in results.iter().enumerate() {
            let counts = self.counted.is_some() && (1..=STEPS).contains(&i);
            let length = if counts { 1 } else { self.basis.len() };
            result.check(length, &self.sites)?;
        }
        let Some((first, rest)) = results.split_first() else { return self.first().map(Some) };
        let steps = if self.counted.is_some() { STEPS } else { 0 };
        if rest.len() > steps + 1 {
            return Err(MechanismError::Shape("there are more results than rounds"));
        }
        if rest.len() > steps {
            return Ok(None);
        }
        let rough = self.first()?.estimate(first, &self.sites);
        let mut radius = self.rounds.uncounted(self.public)?;
        if let (Some(counted), Some(noise)) = (&self.counted, self.counting_noise()?) {
            let mut bracket = counted.bracket();
            for count in rest {
                let n = self.sites.people(&count.sites) as f64;
                let found = count.values.first().copied().unwrap_or_default();
                bracket = bracket.halved(counted.is_enough(found, n));
            }
            if rest.len() < STEPS {
                let about = self.about(rough.samples, self.public, self.rounds.second)?;
                let kind = RoundKind::Count { number: rest.len() + 1 };
                return Ok(Some(SiteRound::count(
                    kind,
                    about,
                    noise,
                    self.template.clone(),
                    bracket.middle(),
                )));
            }
            let found = ClipRadius::new(bracket.high(), ClipSource::Private)?;
            radius = self.rounds.widened(found, self.public)?;
        }
        let energy = rough.errors.iter().sum::<f64>() / self.basis.points().max(1) as f64;
        let expected = Expectation { energy: energy.max(f64::MIN_POSITIVE), doubt: EXPECTED_DOUBT };
        let about = self.about(rough.samples, radius, self.rounds.second)?.expecting(expected);
        let noise = SharedNoise::new(self.basis.len(), radius.get(), self.rounds.second, self.honest())?;
        Ok(Some(SiteRound::sum_of(RoundKind::Mean, about, noise, self.template.clone())))
    }

    /// The mean, from the results of all rounds: post-processing.
    ///
    /// # Errors
    /// [`MechanismError`] unless all rounds are there.
    pub fn finish(&self, results: &[RoundResult]) -> Result<Drawn<NoisedFunction>, MechanismError> {
        let unfinished = MechanismError::Shape("there are rounds to come");
        if self.next(results)?.is_some() {
            return Err(unfinished);
        }
        let mut parts = Vec::new();
        for i in 0..results.len() {
            let round = self.next(&results[..i])?.ok_or(MechanismError::Shape("there are rounds to come"))?;
            parts.push(self.described(&round, &results[i].sites)?);
        }
        let (Some(last), before) = (results.last(), &results[..results.len().saturating_sub(1)]) else {
            return Err(unfinished);
        };
        let round = self.next(before)?.ok_or(unfinished)?;
        let estimate = round.estimate(last, &self.sites);
        let sigmas = round.sigmas(last, &self.sites);
        let sigma = (sigmas.iter().map(|s| s * s).sum::<f64>() / sigmas.len().max(1) as f64).sqrt();
        let function = NoisedFunction::new(estimate, last.values.clone(), sigma);
        Ok(Drawn { value: NoisedFunction { centre: round.centre().to_vec(), ..function }, parts })
    }

    /// How a round was noised.
    fn described(&self, round: &SiteRound, sites: &[usize]) -> Result<NoisedPart, MechanismError> {
        let (n, shares) = (self.sites.people(sites), self.sites.sharing.shares(sites.len() as u64));
        let bound =
            crate::privacy::L2Sensitivity::new((round.noise().clip().sensitivity() / n as f64).next_up())?;
        Ok(NoisedPart {
            what: round.kind().to_string(),
            loss: round.noise().loss(),
            sensitivity: Sensitivity::L2(bound),
            clip: round.radius(),
            noise: round.noise().description(shares, n),
            expected_error: None,
        })
    }

    /// One round, all sites in one place.
    fn round_in_one_place(
        &self,
        round: &SiteRound,
        records: &dyn FunctionRecords,
        noise: &mut NoiseSource,
        paid: &Charge,
    ) -> Result<RoundResult, MechanismError> {
        let (mut start, mut sums) = (0, Vec::new());
        for (i, n) in self.sites.sizes.iter().enumerate() {
            let sum = round.sum(&Block { records, start, count: *n as usize })?;
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
                let mut all = vec![0; round.noise().clip().dimension()];
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
}

impl Mechanism for SitesMean {
    /// The people of all sites, one site after the other.
    type Records = dyn FunctionRecords;
    type Prepared<'a> = &'a (dyn FunctionRecords + 'static);
    type Value = NoisedFunction;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        &self.price
    }

    fn prepare<'a>(&'a self, records: &'a Self::Records) -> Result<Self::Prepared<'a>, MechanismError> {
        if records.count() as u64 != self.price.n {
            return Err(MechanismError::Shape("the number of people is not that of the sites together"));
        }
        let shaped = |i| records.samples(i).is_none_or(|samples| samples.len() == self.basis.len());
        if !(0..records.count()).all(shaped) {
            return Err(MechanismError::Shape("a record does not have the shape of the template"));
        }
        Ok(records)
    }

    fn draw(
        &self,
        records: &Self::Prepared<'_>,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<NoisedFunction>, MechanismError> {
        let (mut results, paid) = (Vec::new(), paid.split(&self.losses()?)?);
        for paid in &paid {
            let round = self.next(&results)?.ok_or(MechanismError::Shape("there is no such round"))?;
            results.push(self.round_in_one_place(&round, *records, noise, paid)?);
        }
        self.finish(&results)
    }
}
