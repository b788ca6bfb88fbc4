//! What a private mean about a public centre can be expected to be like, before any record is read.

use super::centring::Expected;
use super::mean::MeanStatistic;
use super::space::{TangentSpace, distance};
use super::statistic::Statistic;
use crate::function::shrink::SpectralPlace;
use crate::mechanism::functional::FunctionRecords;
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Ledger, Mechanism, Mu, PrivacyLoss, draw, pay};
use crate::study::JobError;
use crate::study::points::PointStudyError;
use crate::study::points::plan::{Guess, PointForecast, PointPlan};
use crate::study::shape::plan::gaussian;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use std::borrow::Cow;
use visard_base::numeric::elementary::add_scaled;

/// Made-up records at most; more repeat them.
const RECORDS: usize = 1500;
const SEED: u64 = 0x7a3e;

/// Populations that are averaged: fewer of many people, whose errors vary less and take longer.
fn populations(n: u64) -> u64 {
    (12_800 / n.max(1)).clamp(8, 24)
}

/// Means in two rounds, for every n and every budget: of made-up records whose deviations from their mean have variances in proportion to `spectrum`,
/// or the covariance of the public people that are known, up to a factor; the mean's deviation from the centre has the spectrum.
///
/// # Errors
/// [`PointStudyError`], about public numbers.
#[doc(hidden)]
pub fn plan_means(
    space: &dyn TangentSpace,
    spectrum: &dyn Fn(&SpectralPlace) -> f64,
    plan: &PointPlan,
) -> Result<Vec<PointForecast>, PointStudyError> {
    let basis = space.basis();
    let lambdas: Vec<f64> = (0..basis.len()).map(|j| spectrum(&basis.place(j))).collect();
    let all = lambdas.iter().sum::<f64>();
    let deviations: Vec<f64> = lambdas.iter().map(|lambda| (lambda / all).sqrt()).collect();
    let mut rows = Vec::new();
    for &n in &plan.sizes {
        for &loss in &plan.budgets {
            let mu = gaussian(loss).ok_or(crate::mechanism::MechanismError::NeedsDelta)?;
            rows.push(one(space, &deviations, plan.guess, n, (mu, loss))?);
        }
    }
    Ok(rows)
}

fn one(
    space: &dyn TangentSpace,
    deviations: &[f64],
    guess: Guess,
    n: u64,
    (mu, loss): (Mu, PrivacyLoss),
) -> Result<PointForecast, PointStudyError> {
    let centre = space.centre();
    let expected = Expected {
        basis: space.basis().clone(),
        centre: centre.to_vec(),
        reach: space.reach(),
        centre_error: None,
        known: space.known(),
        mu,
        n,
    };
    let mean = MeanStatistic { budget: mu, band: false, private_radius: false }.inner(expected)?;
    let (mut square, mut unread) = (0.0, 0.0);
    let populations = populations(n);
    for population in 0..populations {
        // The same people for every budget.
        let people = People::made(space, deviations, guess, (n, SEED ^ (population << 16)));
        let own = people.mean();
        let mut noise = NoiseSource::seeded(SEED ^ (population + 1));
        let paid = pay(mean.price(), &mut Ledger::in_memory(None)).map_err(JobError::from)?;
        let released = draw(&mean, &mean.prepare(&people)?, &mut noise, paid)?;
        let off = distance(space, centre, &own).powi(2);
        unread += off / populations as f64;
        let seen = distance(space, &released.value.samples, &own).powi(2);
        square += (seen + space.unseen() * off) / populations as f64;
    }
    Ok(PointForecast {
        n,
        loss,
        error: Some(square.sqrt()),
        refused: None,
        template_error: unread.sqrt(),
        sampling_error: guess.spread / (n as f64).sqrt(),
    })
}

/// So many people, of whom the first [`RECORDS`] differ.
struct People {
    some: Vec<Vec<f64>>,
    n: usize,
}

impl People {
    fn made(space: &dyn TangentSpace, deviations: &[f64], guess: Guess, (n, seed): (u64, u64)) -> Self {
        let basis = space.basis();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let drawn = |rng: &mut ChaCha8Rng| -> Vec<f64> {
            let normal = |sd: &f64| -> f64 { sd * Distribution::<f64>::sample(&StandardNormal, rng) };
            deviations.iter().map(normal).collect()
        };
        let away = drawn(&mut rng);
        let length = away.iter().map(|x| x * x).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
        let known = space.known().and_then(|known| Some((known.spread()?, known)));
        let mut person = || -> Vec<f64> {
            let own = match &known {
                None => drawn(&mut rng),
                // A normal law of the covariance that they have.
                Some((spread, known)) => {
                    let scale = 1.0 / (spread * ((known.differences.len() - 1) as f64).sqrt());
                    let mut field = vec![0.0; deviations.len()];
                    for difference in &known.differences {
                        let z: f64 = scale * Distribution::<f64>::sample(&StandardNormal, &mut rng);
                        add_scaled(&mut field, z, difference);
                    }
                    field
                }
            };
            let off: Vec<f64> =
                own.iter().zip(&away).map(|(x, a)| guess.spread * x + guess.distance / length * a).collect();
            space.centre().iter().zip(basis.synthesize(&off)).map(|(c, x)| c + x).collect()
        };
        let n = n as usize;
        Self { some: (0..n.clamp(1, RECORDS)).map(|_| person()).collect(), n }
    }

    fn mean(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.some[0].len()];
        for i in 0..self.n {
            out.iter_mut().zip(&self.some[i % self.some.len()]).for_each(|(sum, x)| *sum += x);
        }
        out.iter_mut().for_each(|sum| *sum /= self.n as f64);
        out
    }
}

impl FunctionRecords for People {
    fn count(&self) -> usize {
        self.n
    }

    fn samples(&self, i: usize) -> Option<Cow<'_, [f64]>> {
        Some(Cow::Borrowed(&self.some[i % self.some.len()]))
    }
}
