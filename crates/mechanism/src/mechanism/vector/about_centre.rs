//! Means and second moments of vectors about a private centre: the rounds of all statistics that are made of them, at once or pass by pass.

use super::second_round::SecondRound;
use super::{Recentred, Recentring, RoughCentre, Vectors};
use crate::mechanism::pass_sum::{OTHER_PASS, OTHER_SUM};
use crate::mechanism::quantile::Lengths;
use crate::mechanism::{MechanismError, PassSum};
use crate::privacy::noise::{IncompleteMean, MomentSum, NoiseError, NoiseSource};
use crate::privacy::{Charge, Drawn, NoisedPart};
use serde::{Deserialize, Serialize};

/// Records made ready: secret.
pub struct PreparedVectors<'a> {
    rough: RoughCentre,
    pub(in crate::mechanism) records: Vectors<'a>,
}

/// What a pass over the records has released; as private as the release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum AboutPass<V> {
    /// The private centre, with a public radius or the one that was counted.
    Centre(Box<Recentred>),
    /// What was made of the moments about it.
    Moments(Box<V>),
}

/// The second round's moments with what was added up for each: secret.
type Sums<S> = Vec<(S, MomentSum)>;

/// A record's vector, `None` for one that is not declared, and its covariates.
pub(in crate::mechanism) type Given<'a> = (Option<&'a [f64]>, &'a [f64]);

/// A statistic whose second round is of moments about the private centre of the first; a record is in one of them.
pub(in crate::mechanism) trait AboutCentre {
    /// Which moments the second round is of.
    type Second: SecondRound;
    /// What is made of the noised moments.
    type Value;

    /// The first round.
    fn first_round(&self) -> &Recentring;

    /// The second round's moments within this radius: of disjoint sets of records.
    ///
    /// # Errors
    /// [`MechanismError`] for a radius out of range.
    fn moments(&self, centre: &Recentred) -> Result<Vec<Self::Second>, MechanismError>;

    /// Which of them the i-th record is in, and its vector there. `None` for a record that is in none.
    fn placed(&self, i: usize, given: Given<'_>, centre: &Recentred) -> Option<(usize, Vec<f64>)>;

    /// Of the noised moments, as many as there are.
    fn value(
        &self,
        centre: Recentred,
        moments: Vec<<Self::Second as SecondRound>::Noised>,
    ) -> Option<Self::Value>;

    /// Makes records ready, held or asked for.
    ///
    /// # Errors
    /// [`MechanismError`] for another number or length of records.
    fn prepare_all<'a>(&self, records: Vectors<'a>) -> Result<PreparedVectors<'a>, MechanismError> {
        Ok(PreparedVectors { rough: self.first_round().prepare(&records)?, records })
    }

    /// What the second round asks of records, which are those from `first` on.
    ///
    /// # Errors
    /// [`MechanismError`] for another number or length of records.
    fn sums(
        &self,
        centre: &Recentred,
        records: &Vectors<'_>,
        first: usize,
    ) -> Result<Sums<Self::Second>, MechanismError> {
        let mut sums: Sums<Self::Second> =
            self.moments(centre)?.into_iter().map(|of| (of.clone(), of.empty())).collect();
        records
            .each(|i, record| {
                let placed = self.placed(first + i, (record, records.covariates(i)), centre);
                let placed = placed.and_then(|(place, y)| Some((sums.get_mut(place)?, y)));
                let ((_, sum), y) = placed.ok_or(IncompleteMean::Mismatch)?;
                sum.add(Some(&y))
            })
            .map_err(NoiseError::from)?;
        Ok(sums)
    }

    /// Draws the second round's noise.
    ///
    /// # Errors
    /// [`MechanismError`], sums that are not of all records among them.
    fn noised(
        &self,
        centre: Recentred,
        sums: &Sums<Self::Second>,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<Self::Value>, MechanismError> {
        let values = Self::Second::noised_all(sums, noise, paid)?;
        let mut parts = Vec::new();
        for (place, (moments, _)) in sums.iter().enumerate() {
            let part = moments.noised_part(centre.radius)?;
            let what = match sums.len() {
                1 => part.what,
                of => format!("{}, group {} of {of}", part.what, place + 1),
            };
            parts.push(NoisedPart { what, ..part });
        }
        Ok(Drawn { value: self.value(centre, values).ok_or(OTHER_SUM)?, parts })
    }

    /// Draws both rounds.
    ///
    /// # Errors
    /// [`MechanismError`].
    fn draw_all(
        &self,
        prepared: &PreparedVectors<'_>,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<Self::Value>, MechanismError> {
        let PreparedVectors { rough, records } = prepared;
        let paid = self.first_round().split(paid)?;
        let first = self.first_round().draw(rough, records, noise, paid.first, paid.radius)?;
        let sums = self.sums(&first.value, records, 0)?;
        let Drawn { value, parts } = self.noised(first.value, &sums, noise, paid.second)?;
        Ok(Drawn { value, parts: first.parts.into_iter().chain(parts).collect() })
    }

    /// How many passes over the records there are.
    fn passes(&self) -> usize {
        if self.first_round().counts_radius() { 3 } else { 2 }
    }

    /// What the pass after these asks of records, which are those from `first` on: secret.
    ///
    /// # Errors
    /// [`MechanismError`]: passes of something else, records of another length.
    fn pass_sum(
        &self,
        before: &[&AboutPass<Self::Value>],
        records: &Vectors<'_>,
        first: usize,
    ) -> Result<PassSum, MechanismError> {
        Ok(match stage(self.first_round(), before)? {
            Stage::Rough => PassSum::Steps(vec![self.first_round().sum(records)?.written()]),
            Stage::Lengths(centre) => PassSum::Lengths(centre.lengths(records)?.first, Vec::new()),
            Stage::Moments(centre) => {
                let sums = self.sums(centre, records, first)?;
                PassSum::Steps(sums.iter().map(|(_, sum)| sum.written()).collect())
            }
        })
    }

    /// The moments' sums as they were written down.
    ///
    /// # Errors
    /// [`MechanismError`]: sums of something else.
    fn read_sums(&self, centre: &Recentred, sum: &PassSum) -> Result<Sums<Self::Second>, MechanismError> {
        let (moments, steps) = (self.moments(centre)?, sum.steps()?);
        if moments.len() != steps.len() {
            return Err(OTHER_SUM);
        }
        let read = |(moments, written): (Self::Second, &(u64, Vec<i128>))| {
            let sum = moments.read(written)?;
            Ok::<_, IncompleteMean>((moments, sum))
        };
        let sums = moments.into_iter().zip(steps).map(read).collect::<Result<Sums<Self::Second>, _>>();
        Ok(sums.map_err(NoiseError::from)?)
    }

    /// Whether a sum is this pass's, of all n records.
    ///
    /// # Errors
    /// [`MechanismError`] where it is not.
    fn pass_check(&self, before: &[&AboutPass<Self::Value>], sum: &PassSum) -> Result<(), MechanismError> {
        match stage(self.first_round(), before)? {
            Stage::Rough => self.first_round().read_sum(sum.one()?).map(|_| ()),
            Stage::Lengths(_) => sum.check_lengths([self.first_round().n(), 0]),
            Stage::Moments(centre) => {
                let sums = self.read_sums(centre, sum)?;
                Ok(sums.iter().try_for_each(|(_, sum)| sum.check_complete()).map_err(NoiseError::from)?)
            }
        }
    }

    /// Draws what the pass after these releases.
    ///
    /// # Errors
    /// [`MechanismError`].
    fn pass_draw(
        &self,
        (before, sum): (&[&AboutPass<Self::Value>], &PassSum),
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<AboutPass<Self::Value>>, MechanismError> {
        let recentring = self.first_round();
        let paid = recentring.split(paid)?;
        let of_centre = |Drawn { value, parts }| Drawn { value: AboutPass::Centre(Box::new(value)), parts };
        Ok(match stage(recentring, before)? {
            Stage::Rough => {
                let rough = recentring.read_sum(sum.one()?)?;
                of_centre(recentring.draw_centre(&rough, noise, paid.first)?)
            }
            Stage::Lengths(centre) => {
                let PassSum::Lengths(lengths, _) = sum else { return Err(OTHER_SUM) };
                let paid = paid.radius.ok_or(OTHER_PASS)?;
                of_centre(recentring.draw_radius(centre, &Lengths::from(lengths.clone()), noise, paid)?)
            }
            Stage::Moments(centre) => {
                let sums = self.read_sums(centre, sum)?;
                let Drawn { value, parts } = self.noised(centre.clone(), &sums, noise, paid.second)?;
                Drawn { value: AboutPass::Moments(Box::new(value)), parts }
            }
        })
    }
}

/// Where a pass stands.
enum Stage<'a> {
    Rough,
    Lengths(&'a Recentred),
    Moments(&'a Recentred),
}

fn stage<'a, V>(recentring: &Recentring, before: &[&'a AboutPass<V>]) -> Result<Stage<'a>, MechanismError> {
    let fits = |centre: &Recentred| centre.centre.len() == recentring.dimension();
    match (before, recentring.counts_radius()) {
        ([], _) => Ok(Stage::Rough),
        ([AboutPass::Centre(centre)], true) if fits(centre) => Ok(Stage::Lengths(centre)),
        ([AboutPass::Centre(centre)], false) | ([_, AboutPass::Centre(centre)], true) if fits(centre) => {
            Ok(Stage::Moments(centre))
        }
        _ => Err(OTHER_PASS),
    }
}
