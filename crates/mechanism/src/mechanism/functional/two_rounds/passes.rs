//! The steps of the two rounds one by one: what each asks of the records are sums, so that these may be added up in parts.

use super::second::SecondRound;
use super::tail::{Excess, spread};
use super::{EXPECTED_DOUBT, Rough, TwoRoundMean, View};
use crate::function::shrink::Expectation;
use crate::mechanism::MechanismError;
use crate::mechanism::functional::records::{Given, add_some};
use crate::mechanism::functional::{CurveMean, FunctionRecords, FunctionalMean, NoisedFunction, Norm};
use crate::mechanism::quantile::Lengths;
use crate::privacy::noise::{NoiseError, NoiseSource};
use crate::privacy::{Charge, ClipRadius, Drawn, Mechanism, NoisedPart, Price};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use visard_base::parallel;

/// How the second round clips, and the square in the norm that this is expected to move the mean by: noised or public.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clip {
    norm: Norm,
    radius: ClipRadius,
    moved: f64,
}

impl TwoRoundMean {
    /// Whether the radius of the second round is counted.
    fn counts(&self) -> bool {
        self.radius.is_some()
    }

    /// The records' distances from a released centre, in every norm that may be chosen; none where no radius is counted. A failed record lies
    /// at every centre.
    pub(super) fn lengths(
        &self,
        centre: &[f64],
        records: &dyn FunctionRecords,
    ) -> Result<Lengths, MechanismError> {
        if !self.counts() {
            return Ok(Lengths::default());
        }
        let other = self.rougher.as_ref().map(|view| self.lengths_in(centre, view, records)).transpose()?;
        Ok(Lengths { first: self.lengths_in(centre, &self.view, records)?, other: other.unwrap_or_default() })
    }

    fn lengths_in(
        &self,
        centre: &[f64],
        view: &View,
        records: &dyn FunctionRecords,
    ) -> Result<Vec<f64>, MechanismError> {
        let about = self.about(centre, (view, view.public))?;
        let length =
            |samples: Cow<'_, [f64]>| about.coordinates(&samples).iter().map(|u| u * u).sum::<f64>().sqrt();
        let one = |i| records.samples(i).map_or(0.0, length);
        Ok(parallel::map(records.count(), one))
    }

    /// Norm and radius by the records' lengths about a released centre, counted or public, and the square that the clip is expected to move
    /// the mean by.
    pub(super) fn clip_by(
        &self,
        lengths: &Lengths,
        noise: &mut NoiseSource,
        paid: (Option<Charge>, Option<Charge>),
    ) -> Result<(Clip, Vec<NoisedPart>), MechanismError> {
        let (Some(quantile), (Some(paid), excess)) = (&self.radius, paid) else {
            return Ok((self.public_clip()?, Vec::new()));
        };
        let Drawn { value: counted, mut parts } = quantile.draw(&quantile.prepare(lengths)?, noise, paid)?;
        let view = self.rougher.as_ref().filter(|_| counted.other).unwrap_or(&self.view);
        let radius = self.rounds.widened(counted.radius)?;
        let moved = match (self.rounds.excess, excess) {
            (Some(mu), Some(paid)) => {
                let excess = Excess::new(radius, self.price.n, mu)?;
                let lengths = if counted.other { &lengths.other } else { &lengths.first };
                let drawn = excess.draw(lengths, noise, paid)?;
                parts.extend(drawn.parts);
                excess.moved(drawn.value)
            }
            _ => 0.0,
        };
        Ok((Clip { norm: view.norm, radius, moved }, parts))
    }

    /// Where no radius is counted.
    fn public_clip(&self) -> Result<Clip, MechanismError> {
        let radius = self.rounds.uncounted(self.view.public)?;
        Ok(Clip { norm: self.view.norm, radius, moved: 0.0 })
    }

    /// The second round about a released centre.
    pub(super) fn second(&self, centre: &NoisedFunction, clip: Clip) -> Result<SecondRound, MechanismError> {
        let energy = centre.mean_square_error(self.basis.points()).max(f64::MIN_POSITIVE);
        let expected = Expectation { energy, doubt: EXPECTED_DOUBT };
        let rough = Rough { samples: &centre.samples, size: centre.size, expected };
        self.expecting(&rough, (self.view_of(Some(clip.norm)), clip.radius))
    }

    /// What is released, of the second round's draw.
    pub(super) fn finished(
        &self,
        centre: NoisedFunction,
        clip: Clip,
        mut value: NoisedFunction,
    ) -> NoisedFunction {
        let view = self.view_of(Some(clip.norm));
        let moved = spread(clip.moved, &self.basis, &view.prior);
        value.errors.iter_mut().zip(moved).for_each(|(error, moved)| *error += moved);
        value.norm = Some(view.norm);
        if let Some(unseen) = centre.unseen {
            unseen.add_to(&mut value.errors, &value.samples, [&centre.samples, self.first.template()]);
        }
        NoisedFunction { centre: centre.samples, unseen: centre.unseen, ..value }
    }
}

/// What a pass over the records has released; as private as the release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum PassOf {
    /// The rough mean.
    Centre(Box<NoisedFunction>),
    /// Norm and radius about it.
    Clip(Clip),
    /// The mean.
    Mean(Box<NoisedFunction>),
}

/// What was drawn in a pass.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PassValue {
    /// What it released.
    pub of: PassOf,
    /// Where a seeded source of noise was left, for the next pass to go on from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<u64>,
}

/// A pass that was drawn, and how it was noised.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Passed {
    /// What it released.
    pub value: PassOf,
    /// How.
    pub parts: Vec<NoisedPart>,
}

/// What a pass needs of records: secret. Sums of disjoint records are merged in any order but for lengths, which are only counted and added up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum PassSum {
    /// How many records, and sums in whole steps of the mechanism's lattice.
    Steps(u64, Vec<i128>),
    /// How far they lie from the centre, in one norm and in another where there is a choice.
    Lengths(Vec<f64>, Vec<f64>),
}

impl PassSum {
    /// Adds that of other records.
    ///
    /// # Errors
    /// [`MechanismError`]: it is of another pass, or no sum can be so large.
    pub fn merge(&mut self, more: Self) -> Result<(), MechanismError> {
        let other = MechanismError::Shape("these are sums of different passes");
        match (self, more) {
            (Self::Steps(given, sums), Self::Steps(n, more)) if sums.len() == more.len() => {
                let added = |a: i128, b: i128| a.checked_add(b);
                let large = MechanismError::Shape("a sum is larger than sums of records can be");
                *given = given.checked_add(n).ok_or(MechanismError::Shape("too many records"))?;
                let all: Option<Vec<i128>> = sums.iter().zip(&more).map(|(a, b)| added(*a, *b)).collect();
                *sums = all.ok_or(large)?;
                Ok(())
            }
            (Self::Lengths(first, rough), Self::Lengths(more, others)) => {
                first.extend(more);
                rough.extend(others);
                Ok(())
            }
            _ => Err(other),
        }
    }
}

/// The pass of a mean that comes after some that were drawn.
///
/// A mean in one round has one pass, one in two rounds two: and one more between them where the radius is counted. What is drawn, from which
/// noise and in which order, is what [`CurveMean`] draws at once; all passes are paid for by one charge for the price of the mean.
#[derive(Debug, Clone)]
pub struct Pass<'a> {
    mean: &'a CurveMean,
    before: &'a [Passed],
}

/// Where a pass stands.
enum Stage<'a> {
    Once(&'a FunctionalMean),
    First(&'a TwoRoundMean),
    Lengths(&'a TwoRoundMean, &'a NoisedFunction),
    Second(&'a TwoRoundMean, &'a NoisedFunction, Clip),
}

const NOT_IN_PASSES: MechanismError = MechanismError::Shape(
    "records are added up in parts for the mechanisms joint and joint-1 with a public radius",
);

impl<'a> Pass<'a> {
    /// After these, oldest first.
    ///
    /// # Errors
    /// [`MechanismError`]: a mean that is not made in passes, or passes of another one.
    pub fn after(mean: &'a CurveMean, before: &'a [Passed]) -> Result<Self, MechanismError> {
        let pass = Self { mean, before };
        pass.stage().map(|_| pass)
    }

    /// How many passes this mean takes.
    ///
    /// # Errors
    /// [`MechanismError`]: a mean that is not made in passes.
    pub fn count(mean: &CurveMean) -> Result<usize, MechanismError> {
        match mean {
            CurveMean::Joint(_) => Ok(1),
            CurveMean::TwoRounds(mean) => Ok(if mean.counts() { 3 } else { 2 }),
            _ => Err(NOT_IN_PASSES),
        }
    }

    fn stage(&self) -> Result<Stage<'a>, MechanismError> {
        let values: Vec<&PassOf> = self.before.iter().map(|passed| &passed.value).collect();
        match (self.mean, &values[..]) {
            (CurveMean::Joint(mean), []) => Ok(Stage::Once(mean)),
            (CurveMean::TwoRounds(mean), []) => Ok(Stage::First(mean)),
            (CurveMean::TwoRounds(mean), [PassOf::Centre(centre), rest @ ..])
                if centre.samples.len() == mean.template().len() =>
            {
                match (mean.counts(), rest) {
                    (false, []) => Ok(Stage::Second(mean, centre, mean.public_clip()?)),
                    (true, []) => Ok(Stage::Lengths(mean, centre)),
                    (true, [PassOf::Clip(clip)]) => Ok(Stage::Second(mean, centre, *clip)),
                    _ => Err(MechanismError::Shape("these are passes of another mean")),
                }
            }
            (CurveMean::Joint(_) | CurveMean::TwoRounds(_), _) => {
                Err(MechanismError::Shape("these are passes of another mean"))
            }
            _ => Err(NOT_IN_PASSES),
        }
    }

    /// What it needs of these records, which may be some of the n: secret.
    ///
    /// # Errors
    /// [`MechanismError`] for records of another shape.
    pub fn sum(&self, records: &dyn FunctionRecords) -> Result<PassSum, MechanismError> {
        let steps = |(given, sums)| PassSum::Steps(given, sums);
        let once = |mean: &FunctionalMean| {
            let vector = |given: &Given<'_>| mean.vector(given);
            let sum = add_some(|| mean.clipped().sum(), records, mean.basis().len(), vector)?;
            Ok(steps(sum.written()))
        };
        match self.stage()? {
            Stage::Once(mean) => once(mean),
            Stage::First(mean) => once(&mean.first),
            Stage::Lengths(mean, centre) => {
                let Lengths { first, other } = mean.lengths(&centre.samples, records)?;
                Ok(PassSum::Lengths(first, other))
            }
            Stage::Second(mean, centre, clip) => {
                Ok(steps(mean.second(centre, clip)?.sum(records, false)?.written()))
            }
        }
    }
}

impl Mechanism for Pass<'_> {
    type Records = dyn FunctionRecords;
    type Prepared<'a>
        = PassSum
    where
        Self: 'a;
    type Value = PassValue;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        self.mean.price()
    }

    fn prepare(&self, records: &Self::Records) -> Result<PassSum, MechanismError> {
        self.sum(records)
    }

    /// Against its part of a charge for the whole mean. That every part is used once is the caller's to see to.
    fn draw(
        &self,
        sum: &PassSum,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<PassValue>, MechanismError> {
        let Drawn { value, parts } = self.drawn(sum, noise, paid)?;
        Ok(Drawn { value: PassValue { of: value, position: noise.position() }, parts })
    }
}

impl Pass<'_> {
    fn drawn(
        &self,
        sum: &PassSum,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<PassOf>, MechanismError> {
        let other = || MechanismError::Shape("these are not the sums of this pass");
        let parts_before = || self.before.iter().flat_map(|passed| passed.parts.clone());
        let incomplete = |e| MechanismError::from(NoiseError::from(e));
        let once = |mean: &FunctionalMean, noise: &mut NoiseSource, paid| {
            let PassSum::Steps(given, sums) = sum else { return Err(other()) };
            let sum = mean.clipped().read_sum(*given, sums.clone()).map_err(incomplete)?;
            mean.draw(&sum, noise, paid)
        };
        match self.stage()? {
            Stage::Once(mean) => {
                let Drawn { value, parts } = once(mean, noise, paid)?;
                Ok(Drawn { value: PassOf::Mean(Box::new(value)), parts })
            }
            Stage::First(mean) => {
                let Drawn { value, parts } = once(&mean.first, noise, mean.rounds.split(paid)?.first)?;
                Ok(Drawn { value: PassOf::Centre(Box::new(value)), parts })
            }
            Stage::Lengths(mean, _) => {
                let PassSum::Lengths(first, rough) = sum else { return Err(other()) };
                let lengths = Lengths { first: first.clone(), other: rough.clone() };
                let paid = mean.rounds.split(paid)?;
                let (clip, parts) = mean.clip_by(&lengths, noise, (paid.radius, paid.excess))?;
                Ok(Drawn { value: PassOf::Clip(clip), parts })
            }
            Stage::Second(mean, centre, clip) => {
                let PassSum::Steps(given, sums) = sum else { return Err(other()) };
                let second = mean.second(centre, clip)?;
                let sum = second.moments().read_sum(*given, sums.clone()).map_err(incomplete)?;
                let Drawn { value, parts } = second.draw(&sum, noise, mean.rounds.split(paid)?.second)?;
                let value = mean.finished(centre.clone(), clip, value);
                let parts = parts_before().chain(parts).collect();
                Ok(Drawn { value: PassOf::Mean(Box::new(value)), parts })
            }
        }
    }
}

impl Pass<'_> {
    /// Whether all n records are in a sum: to be asked before anything is charged.
    ///
    /// # Errors
    /// [`MechanismError`], a sum of another pass or of fewer records among them.
    pub fn check(&self, sum: &PassSum) -> Result<(), MechanismError> {
        let n = self.mean.price().n;
        let other = MechanismError::Shape("these are not the sums of this pass");
        let few = MechanismError::Shape("the sums are not of all n records");
        let read = |mean: &FunctionalMean, given: &u64, sums: &[i128]| {
            let sum = mean.clipped().read_sum(*given, sums.to_vec())?;
            sum.check_complete()
        };
        let checked = match (self.stage()?, sum) {
            (Stage::Once(mean), PassSum::Steps(given, sums)) => read(mean, given, sums),
            (Stage::First(mean), PassSum::Steps(given, sums)) => read(&mean.first, given, sums),
            (Stage::Second(mean, centre, clip), PassSum::Steps(given, sums)) => {
                let second = mean.second(centre, clip)?;
                let sum = second.moments().read_sum(*given, sums.clone());
                sum.and_then(|sum| sum.check_complete())
            }
            (Stage::Lengths(mean, _), PassSum::Lengths(first, rough)) => {
                let rougher = if mean.rougher.is_some() { n } else { 0 };
                let whole = (first.len() as u64, rough.len() as u64) == (n, rougher);
                return if whole { Ok(()) } else { Err(few) };
            }
            _ => return Err(other),
        };
        checked.map_err(|e| NoiseError::from(e).into())
    }
}
