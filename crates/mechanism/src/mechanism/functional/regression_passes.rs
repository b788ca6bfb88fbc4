//! Regressions pass by pass: those of the moments, and one of squared scores about what these tell, where it is wanted.

use super::FunctionRegression;
use super::passes::{InPasses, PassOf, SomeRecords};
use crate::mechanism::pass_sum::OTHER_PASS;
use crate::mechanism::vector::{AboutCentre, AboutPass, NoisedRegression, ScoreMoments};
use crate::mechanism::{MechanismError, PassSum};
use crate::privacy::noise::{ClippedSum, NoiseError, NoiseSource};
use crate::privacy::{Charge, Drawn, Mechanism, NoisedPart, Price};

/// Where a pass stands.
enum Stage<'a> {
    /// Among those of the moments: these came before.
    Moments(Vec<&'a AboutPass<NoisedRegression>>),
    /// All moments are drawn.
    Scores(&'a ScoreMoments, &'a NoisedRegression),
}

impl FunctionRegression {
    fn stage<'a>(&'a self, before: &[&'a PassOf]) -> Result<Stage<'a>, MechanismError> {
        let one = |pass: &&'a PassOf| match *pass {
            PassOf::Regression(pass) => Ok(pass),
            _ => Err(OTHER_PASS),
        };
        let passes = before.iter().map(one).collect::<Result<Vec<_>, _>>()?;
        match (&self.scores, passes.last()) {
            (Some(scores), Some(AboutPass::Moments(moments))) => Ok(Stage::Scores(scores, moments)),
            _ => Ok(Stage::Moments(passes)),
        }
    }

    /// What was released, of all passes.
    pub fn of_passes(&self, passes: &[&PassOf]) -> Option<NoisedRegression> {
        match (passes, &self.scores) {
            ([.., PassOf::Regression(AboutPass::Moments(moments))], None) => Some((**moments).clone()),
            ([.., PassOf::Regression(AboutPass::Moments(moments)), PassOf::Scores(scores)], Some(_)) => {
                Some(NoisedRegression { scores: Some(scores.clone()), ..(**moments).clone() })
            }
            _ => None,
        }
    }
}

/// The sum of all n records' squared scores, as it was written down.
fn read(scores: &ScoreMoments, sum: &PassSum) -> Result<ClippedSum, MechanismError> {
    let (given, steps) = sum.one()?;
    let sum = scores.read_sum(given, steps)?;
    sum.check_complete().map_err(NoiseError::from)?;
    Ok(sum)
}

impl InPasses for FunctionRegression {
    fn whole_price(&self) -> &Price {
        self.price()
    }

    fn passes(&self) -> Result<usize, MechanismError> {
        Ok(self.moments.passes() + usize::from(self.scores.is_some()))
    }

    fn sum_pass(&self, before: &[&PassOf], some: SomeRecords<'_>) -> Result<PassSum, MechanismError> {
        let records = self.vectors(some.samples, some.rows, 0)?;
        match self.stage(before)? {
            Stage::Moments(passes) => self.moments.pass_sum(&passes, &records, some.first),
            Stage::Scores(scores, moments) => {
                Ok(PassSum::Steps(vec![self.score_sum(scores, moments, &records)?.written()]))
            }
        }
    }

    fn check_pass(&self, before: &[&PassOf], sum: &PassSum) -> Result<(), MechanismError> {
        match self.stage(before)? {
            Stage::Moments(passes) => self.moments.pass_check(&passes, sum),
            Stage::Scores(scores, _) => read(scores, sum).map(|_| ()),
        }
    }

    fn draw_pass(
        &self,
        (before, sum): (&[&PassOf], &PassSum),
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<PassOf>, MechanismError> {
        let [of_moments, of_scores] = match &self.scores {
            None => [Some(paid), None],
            Some(scores) => self.shares(scores, paid)?.map(Some),
        };
        match self.stage(before)? {
            Stage::Moments(passes) => {
                let paid = of_moments.ok_or(OTHER_PASS)?;
                let Drawn { value, parts } = self.moments.pass_draw((&passes, sum), noise, paid)?;
                Ok(Drawn { value: PassOf::Regression(value), parts })
            }
            Stage::Scores(scores, _) => {
                let paid = of_scores.ok_or(OTHER_PASS)?;
                let Drawn { value, parts } = scores.draw(&read(scores, sum)?, noise, paid)?;
                Ok(Drawn { value: PassOf::Scores(value), parts })
            }
        }
    }

    fn in_order(&self, parts: Vec<NoisedPart>) -> Vec<NoisedPart> {
        self.told(parts)
    }
}
