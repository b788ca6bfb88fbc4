//! Means pass by pass.

use super::{Clip, TwoRoundMean};
use crate::mechanism::functional::passes::{InPasses, PassOf, SomeRecords};
use crate::mechanism::functional::records::{Given, add_some};
use crate::mechanism::functional::{CurveMean, FunctionalMean, NoisedFunction};
use crate::mechanism::pass_sum::{OTHER_PASS, OTHER_SUM};
use crate::mechanism::quantile::Lengths;
use crate::mechanism::{MechanismError, PassSum};
use crate::privacy::noise::{ClippedSum, NoiseError, NoiseSource};
use crate::privacy::{Charge, Drawn, Mechanism, Price};

const NOT_IN_PASSES: MechanismError = MechanismError::Shape(
    "records are added up in parts for the mechanisms joint and joint-1 with a public radius",
);

/// Where a pass stands.
enum Stage<'a> {
    Once(&'a FunctionalMean),
    First(&'a TwoRoundMean),
    Lengths(&'a TwoRoundMean, &'a NoisedFunction),
    Second(&'a TwoRoundMean, &'a NoisedFunction, Clip),
}

fn stage<'a>(mean: &'a CurveMean, before: &[&'a PassOf]) -> Result<Stage<'a>, MechanismError> {
    match (mean, before) {
        (CurveMean::Joint(mean), []) => Ok(Stage::Once(mean)),
        (CurveMean::TwoRounds(mean), []) => Ok(Stage::First(mean)),
        (CurveMean::TwoRounds(mean), [PassOf::Centre(centre), rest @ ..])
            if centre.samples.len() == mean.template().len() =>
        {
            match (mean.looks(), rest) {
                (false, []) => Ok(Stage::Second(mean, centre, mean.public_clip()?)),
                (true, []) => Ok(Stage::Lengths(mean, centre)),
                (true, [PassOf::Clip(clip)]) => Ok(Stage::Second(mean, centre, *clip)),
                _ => Err(OTHER_PASS),
            }
        }
        (CurveMean::Joint(_) | CurveMean::TwoRounds(_), _) => Err(OTHER_PASS),
        _ => Err(NOT_IN_PASSES),
    }
}

/// A clipped mean's sum of all n records, as it was written down.
fn read(mean: &FunctionalMean, sum: &PassSum) -> Result<ClippedSum, MechanismError> {
    let (given, steps) = sum.one()?;
    let sum = mean.clipped().read_sum(given, steps).map_err(NoiseError::from)?;
    sum.check_complete().map_err(NoiseError::from)?;
    Ok(sum)
}

/// In one round there is one pass, in two rounds there are two: and one more between them where it is looked how far
/// records lie from the centre.
impl InPasses for CurveMean {
    fn whole_price(&self) -> &Price {
        self.price()
    }

    fn passes(&self) -> Result<usize, MechanismError> {
        match self {
            Self::Joint(_) => Ok(1),
            Self::TwoRounds(mean) => Ok(if mean.looks() { 3 } else { 2 }),
            _ => Err(NOT_IN_PASSES),
        }
    }

    fn sum_pass(&self, before: &[&PassOf], some: SomeRecords<'_>) -> Result<PassSum, MechanismError> {
        let records = some.samples;
        let steps = |written| PassSum::Steps(vec![written]);
        let once = |mean: &FunctionalMean| {
            let vector = |given: &Given<'_>| mean.vector(given);
            let sum = add_some(|| mean.clipped().sum(), records, mean.basis().len(), vector)?;
            Ok(steps(sum.written()))
        };
        match stage(self, before)? {
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

    fn check_pass(&self, before: &[&PassOf], sum: &PassSum) -> Result<(), MechanismError> {
        match stage(self, before)? {
            Stage::Once(mean) => read(mean, sum).map(|_| ()),
            Stage::First(mean) => read(&mean.first, sum).map(|_| ()),
            Stage::Second(mean, centre, clip) => {
                let (given, steps) = sum.one()?;
                let second = mean.second(centre, clip)?;
                let sum = second.moments().read_sum(given, steps);
                Ok(sum.and_then(|sum| sum.check_complete()).map_err(NoiseError::from)?)
            }
            Stage::Lengths(mean, _) => {
                let n = mean.price().n;
                sum.check_lengths([n, if mean.rougher.is_some() { n } else { 0 }])
            }
        }
    }

    fn draw_pass(
        &self,
        (before, sum): (&[&PassOf], &PassSum),
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<PassOf>, MechanismError> {
        match stage(self, before)? {
            Stage::Once(mean) => Ok(of_mean(mean.draw(&read(mean, sum)?, noise, paid)?)),
            Stage::First(mean) => {
                let Drawn { value, parts } =
                    mean.first.draw(&read(&mean.first, sum)?, noise, mean.rounds.split(paid)?.first)?;
                Ok(Drawn { value: PassOf::Centre(Box::new(value)), parts })
            }
            Stage::Lengths(mean, _) => {
                let PassSum::Lengths(first, rough) = sum else { return Err(OTHER_SUM) };
                let lengths = Lengths { first: first.clone(), other: rough.clone() };
                let paid = mean.rounds.split(paid)?;
                let (clip, parts) = mean.clip_by(&lengths, noise, (paid.radius, paid.excess))?;
                Ok(Drawn { value: PassOf::Clip(clip), parts })
            }
            Stage::Second(mean, centre, clip) => {
                let (given, steps) = sum.one()?;
                let second = mean.second(centre, clip)?;
                let sum = second.moments().read_sum(given, steps).map_err(NoiseError::from)?;
                let Drawn { value, parts } = second.draw(&sum, noise, mean.rounds.split(paid)?.second)?;
                Ok(of_mean(Drawn { value: mean.finished(centre.clone(), clip, value), parts }))
            }
        }
    }
}

fn of_mean(Drawn { value, parts }: Drawn<NoisedFunction>) -> Drawn<PassOf> {
    Drawn { value: PassOf::Mean(Box::new(value)), parts }
}
