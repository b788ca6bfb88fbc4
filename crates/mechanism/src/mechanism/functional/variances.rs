//! A regression whose variances may change with the covariates: a part of the budget goes to squared scores about the released fit.

use super::{FunctionRegression, Reach};
use crate::estimate::design::Design;
use crate::estimate::{Mode, VarianceFunction};
use crate::function::Basis;
use crate::mechanism::MechanismError;
use crate::mechanism::vector::{
    NoisedRegression, PreparedVectors, ScoreMoments, ScoreRecord, Vectors, scores,
};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Charge, ClippedSum, Drawn, Mechanism, Mu, NoisedPart, PrivacyLoss};

/// Of μ, for the squared scores; all else has 5 % more noise for it.
const SHARE: f64 = 0.3;
/// nμ from which they are asked for: what all modes have in common is known to .2 of the variance then, about half of what is expected of it.
const ENOUGH: f64 = 300.0;
/// Modes whose variance has no more noise than this share of it are looked at.
const CLEAR: f64 = 0.2;

/// How a record lies about a released fit, along modes of what the fit leaves.
struct Scores {
    centre: Vec<f64>,
    fields: Vec<Vec<f64>>,
    /// What gives a standard deviation's length of each mode 1.
    weights: Vec<Vec<f64>>,
}

impl FunctionRegression {
    /// The same as [`Self::new`] for modes of what the covariates leave: where nμ is enough, variances along them that change with the covariates are
    /// released too, within the same budget.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_variances(
        basis: Basis,
        template: Vec<f64>,
        reach: impl Into<Reach>,
        design: Design,
        n: u64,
        mu: Mu,
    ) -> Result<Self, MechanismError> {
        if n as f64 * mu.get() < ENOUGH {
            return Self::new(basis, template, reach, design, n, mu);
        }
        let own = Mu::new(SHARE * mu.get())?;
        // A few last places pay for rounding, as in every sum of squares that must not exceed the whole.
        let left = mu.get() * (1.0 - SHARE * SHARE).sqrt() * (1.0 - 8.0 * f64::EPSILON);
        let regression = Self::new(basis, template, reach, design, n, Mu::new(left)?)?;
        let scores = ScoreMoments::new(regression.design.columns(), regression.moments.reach(), n, own)?;
        let (moments, added) = (&regression.price, scores.price());
        let mut price = moments.clone();
        price.loss = PrivacyLoss::Gaussian(mu);
        price.statistic = format!("{}; {}", moments.statistic, added.statistic);
        price.sentence = format!("{} {}", moments.sentence, added.sentence);
        price.parts.add(added.mechanism.clone(), added.loss);
        Ok(Self { scores: Some(scores), price, ..regression })
    }

    /// Draws once.
    ///
    /// # Errors
    /// As [`Mechanism::draw`].
    pub(super) fn drawn(
        &self,
        prepared: &PreparedVectors<'_>,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<NoisedRegression>, MechanismError> {
        let moments = self.mechanism();
        let Some(scores) = &self.scores else {
            return moments.draw(prepared, noise, paid);
        };
        let [of_moments, of_scores] = self.shares(scores, paid)?;
        let Drawn { mut value, parts } = moments.draw(prepared, noise, of_moments)?;
        let sum = self.score_sum(scores, &value, &prepared.records)?;
        let drawn = scores.draw(&sum, noise, of_scores)?;
        value.scores = Some(drawn.value);
        Ok(Drawn { value, parts: self.told(parts.into_iter().chain(drawn.parts).collect()) })
    }

    /// What pays for the moments, and for squared scores.
    pub(super) fn shares(&self, scores: &ScoreMoments, paid: Charge) -> Result<[Charge; 2], MechanismError> {
        let paid = paid.split(&[self.moments.price().loss, scores.price().loss])?;
        paid.try_into()
            .map_err(|_| MechanismError::Shape("a payment has a part for every part of the release"))
    }

    /// The parts in the order in which they are told: the noise and the radius that are told first, those of the last part, are the moments', which
    /// are drawn before the scores.
    pub(super) fn told(&self, mut parts: Vec<NoisedPart>) -> Vec<NoisedPart> {
        if self.scores.is_some() && parts.len() >= 2 {
            let last = parts.len() - 1;
            parts.swap(last - 1, last);
        }
        parts
    }

    /// Squared scores of records about what was released of them, added up: secret.
    pub(super) fn score_sum(
        &self,
        scores: &ScoreMoments,
        released: &NoisedRegression,
        records: &Vectors<'_>,
    ) -> Result<ClippedSum, MechanismError> {
        let about = self.scores_about(released)?;
        let mut sum = scores.sum();
        records.each(|i, u| scores.add(&mut sum, &about.of(records.covariates(i), u)))?;
        Ok(sum)
    }

    /// How variances along the first of [`Self::residual_modes`] change with the covariates; `None` where it was not asked, or no mode is clear of the
    /// noise.
    ///
    /// # Errors
    /// [`MechanismError::Shape`] for what another regression released.
    pub fn variance_function(
        &self,
        released: &NoisedRegression,
    ) -> Result<Option<VarianceFunction>, MechanismError> {
        let Some(scores) = &released.scores else { return Ok(None) };
        let count = clear(&self.residual_modes(released, scores::MOST)?.modes.modes).len();
        if count == 0 {
            return Ok(None);
        }
        let found = self.estimate(released)?;
        let moments = scores.moments(self.design.columns(), self.moments.reach(), count);
        // Records that cannot be used are in no product, and their covariates among those of the others.
        let used = released.recentred.unseen.used()[1];
        let function = moments.and_then(|(moments, sigma)| {
            let n = self.moments.recentring().n();
            VarianceFunction::new(&(moments / used), sigma / used, &found.inverse, n)
        });
        function.map(Some).ok_or(MechanismError::Shape("the stored draw is not of this regression"))
    }

    /// Along the modes that are clear of the noise of what was released.
    fn scores_about(&self, released: &NoisedRegression) -> Result<Scores, MechanismError> {
        let modes = self.residual_modes(released, scores::MOST)?;
        let weight = |mode: &Mode| -> Vec<f64> {
            let coordinates = mode.coordinates.iter().zip(self.leading.roots());
            coordinates.map(|(u, root)| u / (root * root * mode.variance)).collect()
        };
        Ok(Scores {
            centre: released.recentred.centre.clone(),
            fields: self.estimate(released)?.fields.into_iter().map(|field| field.values).collect(),
            weights: clear(&modes.modes.modes).iter().map(weight).collect(),
        })
    }
}

/// The first modes whose variance is clear of the noise, [`scores::MOST`] at most.
fn clear(modes: &[Mode]) -> &[Mode] {
    let count =
        modes.iter().take(scores::MOST).take_while(|mode| mode.noise <= CLEAR * mode.variance).count();
    &modes[..count]
}

impl Scores {
    fn of(&self, covariates: &[f64], vector: Option<&[f64]>) -> ScoreRecord {
        let scores = vector.map(|u| {
            let mut left: Vec<f64> = u.iter().zip(&self.centre).map(|(u, c)| u - c).collect();
            for (field, x) in self.fields.iter().zip(covariates) {
                left.iter_mut().zip(field).for_each(|(u, f)| *u -= x * f);
            }
            self.weights.iter().map(|w| w.iter().zip(&left).map(|(w, u)| w * u).sum()).collect()
        });
        ScoreRecord { covariates: covariates.to_vec(), scores }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::Prior;
    use crate::estimate::design::INTERCEPT;
    use crate::estimate::prior::spectrum;
    use crate::function::Domain;
    use crate::mechanism::functional::{AboutPublic, SampledRecords};
    use crate::privacy::{Ledger, release};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Distribution, StandardNormal};
    use std::sync::Arc;

    fn regression(n: usize, mu: f64) -> FunctionRegression {
        let basis = Basis::new(Domain::Disk { curves: 4, samples: 12 }, 3);
        let (template, design) = (vec![0.1; basis.len()], Design::parse(&["age=0:2".to_owned()], &[], &[]));
        FunctionRegression::with_variances(
            basis,
            template,
            1.0,
            design.unwrap(),
            n as u64,
            Mu::new(mu).unwrap(),
        )
        .unwrap()
    }

    /// People who grow with age, and differ the more the older they are; every second of them unusable, if that is wanted.
    fn people(n: usize, half: bool) -> SampledRecords {
        let basis = Basis::new(Domain::Disk { curves: 4, samples: 12 }, 3);
        let prior = Prior::new(&basis, |place| spectrum(place).powf(0.0));
        let scale = 0.02 / prior.spectrum.iter().sum::<f64>().sqrt();
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut one = |i: usize| {
            let age: f64 = rng.random_range(-1.0..1.0);
            let x: Vec<f64> = prior
                .spectrum
                .iter()
                .map(|l| {
                    scale
                        * l.sqrt()
                        * (1.0 + 0.3 * age)
                        * Distribution::<f64>::sample(&StandardNormal, &mut rng)
                })
                .collect();
            let samples = basis.synthesize(&x).iter().map(|x| x + 0.1 + 0.02 * age).collect::<Vec<f64>>();
            (Some(samples).filter(|_| !half || i.is_multiple_of(2)), vec![INTERCEPT, age])
        };
        let (samples, rows): (Vec<_>, Vec<_>) = (0..n).map(&mut one).unzip();
        SampledRecords { samples: Arc::new(samples), rows }
    }

    /// A planted change of the variance comes back within what it is said to be off, also where half of the records cannot be used.
    #[test]
    fn a_planted_change_comes_back() {
        let n = 3000;
        for half in [false, true] {
            let mechanism = AboutPublic(Arc::new(regression(n, 2.0)));
            let mut noise = NoiseSource::seeded(5);
            let released = release(&mechanism, &people(n, half), &mut Ledger::in_memory(None), &mut noise);
            let value = released.unwrap().value;
            let found = mechanism.0.variance_function(&value).unwrap().unwrap();
            assert!(found.modes() >= 2, "{half}: {}", found.modes());
            let [slope, error] = found.drawn_to(&[]).unwrap().common()[1];
            assert!(error < 0.1 && (slope - 0.6).abs() < 0.2, "{half}: {slope} ± {error}");
        }
    }

    #[test]
    fn parts_add_up_to_the_budget_and_too_few_records_are_not_asked() {
        for (n, mu, asked) in [(200, 1.0, false), (300, 1.0, true), (1000, 3.0, true)] {
            let regression = regression(n, mu);
            let total = regression.price().parts.mu().unwrap().unwrap().get();
            assert!(total <= mu && total > mu * (1.0 - 1e-9), "{n} {mu}: {total}");
            assert_eq!(regression.scores.is_some(), asked);
            let mut noise = NoiseSource::seeded(1);
            let mechanism = AboutPublic(Arc::new(regression));
            let released =
                release(&mechanism, &people(n, false), &mut Ledger::in_memory(None), &mut noise).unwrap();
            let square = |loss: PrivacyLoss| match loss {
                PrivacyLoss::Gaussian(mu) => mu.get().powi(2),
                _ => f64::NAN,
            };
            let paid: f64 = released.parts.iter().map(|part| square(part.loss)).sum();
            assert!(paid <= mu * mu && paid > 0.999 * mu * mu, "{n} {mu}: {paid}");
            assert_eq!(released.value.scores.is_some(), asked);
        }
    }
}
