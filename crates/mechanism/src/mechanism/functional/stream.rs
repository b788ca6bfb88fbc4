//! A mean of people who come step by step, released in every step under one charge for all of them.

use super::records::{Given, add_up};
use super::{FunctionRecords, FunctionalMean, NoisedFunction, Norm};
use crate::function::Basis;
use crate::mechanism::MechanismError;
use crate::privacy::noise::{NoiseSource, StreamNoise};
use crate::privacy::{Charge, ClipRadius, Drawn, Mechanism, Mu, NoisedPart, Price};

/// What is fixed of a stream of means before its first step: public.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StreamShape {
    /// Steps, at most [`STEPS_MOST`](crate::privacy::noise::STEPS_MOST).
    pub steps: usize,
    /// In how many of them a person may be.
    pub visits: usize,
    /// The budget of all steps together.
    pub mu: Mu,
    /// The norm that records are clipped in.
    pub norm: Norm,
    /// The radius that they are clipped to.
    pub radius: ClipRadius,
}

/// The steps of a stream so far: public.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StreamPast {
    /// How many records count in every step, the one at hand the last.
    pub people: Vec<u64>,
    /// What was released in every step before it, exactly ([`NoisedFunction::exact`]).
    pub answers: Vec<Vec<i128>>,
}

/// One step of a stream: the mean of all functions so far ([`StreamNoise`]), in the coordinates of [`FunctionalMean`], about the same
/// public centre and shrunk as that is; with the shares of records not used and filled in, unless the stream began without them.
#[derive(Debug, Clone)]
pub struct StreamMean {
    noise: StreamNoise,
    about: FunctionalMean,
    past: StreamPast,
    price: Price,
}

/// The sums of all steps so far, the one at hand the last: secret.
#[derive(Debug, Clone)]
pub struct StreamSums(Vec<Vec<i128>>);

impl StreamSums {
    /// That of the step at hand, for later steps.
    pub fn last(&self) -> &[i128] {
        self.0.last().map_or(&[], Vec::as_slice)
    }
}

impl StreamMean {
    /// A step of a stream of such a shape, around the public `centre`.
    ///
    /// # Errors
    /// [`MechanismError`]: a shape that is not possible, more steps than planned, nobody in a step, a centre of another shape.
    pub fn new(
        shape: StreamShape,
        basis: Basis,
        centre: Vec<f64>,
        past: StreamPast,
    ) -> Result<Self, MechanismError> {
        let StreamShape { steps, visits, mu, norm, radius } = shape;
        if past.people.contains(&0) {
            return Err(MechanismError::Shape("nobody counts in this step of the stream"));
        }
        if past.people.is_empty() || past.people.len() > steps || past.answers.len() + 1 != past.people.len()
        {
            return Err(MechanismError::Shape("the stream has no such step"));
        }
        let n = past.people.iter().sum();
        // Streams of earlier versions go on as they began.
        let without_shares = past.answers.first().is_some_and(|answer| answer.len() == basis.len());
        let about = FunctionalMean::in_norm(norm, basis, centre, radius, mu, n)?;
        let about = if without_shares { about } else { about.counting_unseen()? };
        let noise = StreamNoise::new(about.dimension(), radius, steps, visits, mu)?;
        let price = noise.price(n, &about.price().statistic)?;
        Ok(Self { noise, about, past, price })
    }

    /// How it is noised.
    pub fn noise(&self) -> &StreamNoise {
        &self.noise
    }

    /// The steps so far.
    pub fn past(&self) -> &StreamPast {
        &self.past
    }

    /// n: the records of all steps so far.
    pub fn people(&self) -> u64 {
        self.price.n
    }

    /// The standard deviation of the noise in a coordinate of the mean.
    pub fn sigma(&self) -> f64 {
        self.noise.running_sigma(self.past.people.len()) / self.people() as f64
    }

    /// What it would be if this mean were released once, at the same μ.
    pub fn once_sigma(&self) -> f64 {
        self.noise.once_sigma() / self.people() as f64
    }

    /// What is added up of a record: by it, copies are known again in another step. Secret.
    pub fn clipped(&self, samples: &[f64]) -> Option<Vec<i64>> {
        let given = Given { index: 0, samples: Some(samples), log_size: None, filled: 0.0 };
        self.noise.clip().clip(&self.about.vector(&given)?)
    }

    /// The sums of this step's records and of the steps before, oldest first.
    ///
    /// # Errors
    /// [`MechanismError`] for records of another number or shape, or sums that do not fit.
    pub fn prepared(
        &self,
        before: Vec<Vec<i128>>,
        records: &dyn FunctionRecords,
    ) -> Result<StreamSums, MechanismError> {
        let n = records.count() as u64;
        let fits = before.iter().all(|sum| sum.len() == self.noise.clip().dimension());
        if Some(&n) != self.past.people.last() || before.len() != self.past.answers.len() || !fits {
            return Err(MechanismError::Shape("the records are not those of this step of the stream"));
        }
        let length = self.about.centre().len();
        let sum = add_up(|| self.noise.sum(n), records, length, |given| self.about.vector(given))?;
        let mut sums = before;
        sums.push(self.noise.closed(&sum)?);
        Ok(StreamSums(sums))
    }

    /// The samples of the mean of clipped records, without noise: for the data holder's eyes, never for a release.
    pub fn nonprivate(&self, sums: &StreamSums) -> Vec<f64> {
        let n = self.people() as f64;
        let mean: Vec<f64> = self.noise.nonprivate(&sums.0).into_iter().map(|x| x / n).collect();
        self.about.clone().with_smoothing(super::Smoothing::None).finish(&mean, 0.0).samples
    }
}

impl Mechanism for StreamMean {
    type Records = dyn FunctionRecords;
    type Prepared<'a> = StreamSums;
    type Value = NoisedFunction;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        &self.price
    }

    /// Of the first step; for later ones see [`StreamMean::prepared`].
    fn prepare(&self, records: &Self::Records) -> Result<StreamSums, MechanismError> {
        self.prepared(Vec::new(), records)
    }

    fn draw(
        &self,
        sums: &StreamSums,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<NoisedFunction>, MechanismError> {
        let mut answers = self.past.answers.clone();
        answers.push(self.noise.answer(&sums.0, noise, &paid)?);
        let n = self.people() as f64;
        let mut mean: Vec<f64> = self.noise.running(&answers)?.into_iter().map(|x| x / n).collect();
        let sigma = self.sigma();
        let (_, unseen) = self.about.split(&mut mean, sigma);
        let mut estimate = self.about.finish(&mean, sigma);
        if let Some(unseen) = unseen {
            unseen.add_to(&mut estimate.errors, &estimate.samples, [self.about.centre(); 2]);
        }
        let exact = answers.pop().unwrap_or_default();
        let value = NoisedFunction { exact, unseen, ..NoisedFunction::new(estimate, mean, sigma) };
        let sensitivity =
            self.price.sensitivity.ok_or(MechanismError::Shape("the stream has no sensitivity"))?;
        let part = NoisedPart {
            what: self.price.mechanism.clone(),
            loss: self.price.loss,
            sensitivity,
            clip: Some(self.noise.radius()),
            noise: self.noise.description(self.people()),
            expected_error: None,
        };
        Ok(Drawn { value, parts: vec![part] })
    }
}

#[cfg(test)]
mod tests;
