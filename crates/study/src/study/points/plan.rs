//! What a private mean of points can be expected to be like, before any record is read.

use super::ball::{BallCentre, BallRadius, StudyBall};
use super::mechanism::make_mean;
use super::{PointMechanism, PointRequest, PointStudyError, SpdMetric};
use crate::manifold::{
    Euclidean, Kendall, Linear, Manifold, PolarVolume, SpdAffineInvariant, SpdLogEuclidean,
};
use crate::mechanism::manifold::{
    BallStatistic, CentreStatistic, ProcrustesStatistic, PublicBall, any_shape,
};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{ClipRadius, ClipSource, Ledger, Mechanism, PrivacyLoss, draw, pay};
use crate::stats::{FrechetOptions, frechet_mean};
use crate::study::{JobError, Place};
use nalgebra::DMatrix;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

/// Releases that are averaged.
const DRAWS: u64 = 6;
/// Made-up records at most; a plan for more repeats them.
const RECORDS: usize = 2000;
const SEED: u64 = 0x91a4;
/// The largest n that is tried where one is looked for.
pub const MOST: u64 = 100_000;

/// How records are taken to lie: public guesses.
#[derive(Debug, Clone, Copy)]
pub struct Guess {
    /// Root-mean-square distance of records from their mean.
    pub spread: f64,
    /// Distance of that mean from the public centre (or, where the centre is private, from any public point that might have been one).
    pub distance: f64,
}

/// What is to be planned; all of it public.
#[derive(Debug, Clone)]
pub struct PointPlan {
    /// Numbers of records.
    pub sizes: Vec<u64>,
    /// Budgets.
    pub budgets: Vec<PrivacyLoss>,
    /// Which mean; by default the one with the least noise at each budget.
    pub mechanism: Option<PointMechanism>,
    /// How records are taken to lie.
    pub guess: Guess,
}

/// What to expect of one release. Root-mean-square distances in the space.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PointForecast {
    /// Number of records.
    pub n: u64,
    /// The budget.
    pub loss: PrivacyLoss,
    /// Of the release from the mean of the records; `None` where a study of so few records at this budget would be refused.
    pub error: Option<f64>,
    /// Why it would be.
    pub refused: Option<String>,
    /// Of the centre from the mean of the records.
    pub template_error: f64,
    /// Of the mean of the records from that of their population.
    pub sampling_error: f64,
}

impl PointForecast {
    /// Whether the release halves the squared distance at least.
    pub fn is_worth_it(&self) -> bool {
        self.error.is_some_and(|error| error.powi(2) <= 0.5 * self.template_error.powi(2))
    }
}

/// Means of shapes of so many planar landmarks; `radius`: of the public ball, or found privately where that can be; `public`: whether the
/// centre is.
///
/// # Errors
/// [`PointStudyError`] for what cannot be set up with these numbers.
pub fn plan_shapes(
    landmarks: usize,
    radius: Option<f64>,
    public: bool,
    plan: &PointPlan,
) -> Result<Vec<PointForecast>, PointStudyError> {
    let space = Kendall::new(landmarks)?;
    let anywhere = any_shape(&space);
    let ball = || -> Result<_, PointStudyError> {
        let radius = match radius {
            Some(r) => BallRadius::Public(ClipRadius::new(r, ClipSource::Public)?),
            None => BallRadius::Default,
        };
        let centre = match public {
            true => BallCentre::Public(anywhere.clone()),
            false => {
                BallCentre::Private { statistic: ProcrustesStatistic::new(space), anywhere: anywhere.clone() }
            }
        };
        Ok(StudyBall { space, centre, radius })
    };
    all(&ball, &anywhere, plan, &PointMechanism::best_for)
}

/// Means of positive definite matrices of this order about the identity.
///
/// # Errors
/// As [`plan_shapes`].
pub fn plan_spd(
    order: usize,
    metric: SpdMetric,
    radius: f64,
    plan: &PointPlan,
) -> Result<Vec<PointForecast>, PointStudyError> {
    let radius = ClipRadius::new(radius, ClipSource::Public)?;
    let usual = |loss| PointMechanism::best_for_matrices(metric, true, loss);
    match metric {
        SpdMetric::BuresWasserstein => Err(PointStudyError::Input(
            "the Bures-Wasserstein mean has no private mechanism here: plan another --metric".into(),
        )),
        SpdMetric::AffineInvariant => {
            about(SpdAffineInvariant::new(order)?, &DMatrix::identity(order, order), radius, plan, &usual)
        }
        SpdMetric::LogEuclidean => {
            let space = Euclidean::new(SpdLogEuclidean::new(order)?.dim());
            let origin = nalgebra::DVector::zeros(space.dim());
            about(space, &origin, radius, plan, &usual)
        }
    }
}

/// The mechanism that is taken at a budget where none is named.
type Usual<'a> = dyn Fn(PrivacyLoss) -> PointMechanism + 'a;

/// In a public ball.
fn about<M: PolarVolume>(
    space: M,
    centre: &M::Point,
    radius: ClipRadius,
    plan: &PointPlan,
    usual: &Usual<'_>,
) -> Result<Vec<PointForecast>, PointStudyError> {
    PublicBall::new(space.clone(), centre.clone(), radius)?;
    let ball = || -> Result<StudyBall<M, BallStatistic<M>>, PointStudyError> {
        let centre = BallCentre::Public(centre.clone());
        Ok(StudyBall { space: space.clone(), centre, radius: BallRadius::Public(radius) })
    };
    all(&ball, centre, plan, usual)
}

fn all<M: PolarVolume, S: CentreStatistic<Point = M::Point> + Clone>(
    ball: &impl Fn() -> Result<StudyBall<M, S>, PointStudyError>,
    centre: &M::Point,
    plan: &PointPlan,
    usual: &Usual<'_>,
) -> Result<Vec<PointForecast>, PointStudyError> {
    let mut rows = Vec::new();
    for &n in &plan.sizes {
        for &loss in &plan.budgets {
            let kind = plan.mechanism.unwrap_or_else(|| usual(loss));
            rows.push(one(&ball()?, centre, plan.guess, n, (kind, loss))?);
        }
    }
    Ok(rows)
}

/// Records scattered about a point that lies off the centre; the same ones for every budget.
fn made_up<M: Manifold>(space: &M, centre: &M::Point, guess: Guess, n: u64) -> Vec<Option<M::Point>> {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut away = space.tangent_gaussian(centre, 1.0, &mut rng);
    let length = space.norm(centre, &away);
    away.scale_by(if length > 0.0 { guess.distance / length } else { 0.0 });
    let mean = space.exp(centre, &away);
    let sd = guess.spread / (space.dim() as f64).sqrt();
    let count = (n as usize).min(RECORDS);
    let some: Vec<M::Point> =
        (0..count).map(|_| space.exp(&mean, &space.tangent_gaussian(&mean, sd, &mut rng))).collect();
    (0..n as usize).map(|i| Some(some[i % count.max(1)].clone())).collect()
}

fn one<M: PolarVolume, S: CentreStatistic<Point = M::Point> + Clone>(
    ball: &StudyBall<M, S>,
    centre: &M::Point,
    guess: Guess,
    n: u64,
    (kind, loss): (PointMechanism, PrivacyLoss),
) -> Result<PointForecast, PointStudyError> {
    let space = &ball.space;
    let records = made_up(space, centre, guess, n);
    let points: Vec<M::Point> = records.iter().take(RECORDS).flatten().cloned().collect();
    let mean = frechet_mean(space, &points, None, None, FrechetOptions::default())?.point;
    let request = PointRequest::new(Place::new("."), kind, loss);
    let (mut square, mut refused) = (0.0, None);
    for seed in 0..DRAWS {
        let budget = request.whole_budget()?;
        let mechanism = match ball.staged(n, 1, budget, |left| make_mean(space, kind, n, left)) {
            Err(few @ PointStudyError::TooFew { .. }) => {
                refused = Some(few.to_string());
                break;
            }
            made => made?,
        };
        let mut noise = NoiseSource::seeded(SEED ^ seed);
        let paid = pay(mechanism.price(), &mut Ledger::in_memory(None)).map_err(JobError::from)?;
        let released = draw(&mechanism, &mechanism.prepare(&records)?, &mut noise, paid)?;
        let drawn = released.value.draws.first().ok_or(PointStudyError::Input("nothing was drawn".into()))?;
        square += space.dist(&drawn.point, &mean).powi(2) / DRAWS as f64;
    }
    Ok(PointForecast {
        n,
        loss,
        error: refused.is_none().then(|| square.sqrt()),
        refused,
        template_error: space.dist(centre, &mean),
        sampling_error: guess.spread / (n as f64).sqrt(),
    })
}

/// The least n at which a release is this near to the mean, for each budget; `None` where [`MOST`] are too few. `at` plans for one n.
///
/// # Errors
/// Those of `at`.
pub fn records_for(
    want: f64,
    budgets: &[PrivacyLoss],
    at: impl Fn(u64, PrivacyLoss) -> Result<PointForecast, PointStudyError>,
) -> Result<Vec<(PrivacyLoss, Option<u64>)>, PointStudyError> {
    let least = |loss: PrivacyLoss| -> Result<Option<u64>, PointStudyError> {
        let enough = |n: u64, loss| -> Result<bool, PointStudyError> {
            Ok(at(n, loss)?.error.is_some_and(|error| error <= want))
        };
        let (mut few, mut many) = (1, 16);
        while !enough(many, loss)? {
            if many >= MOST {
                return Ok(None);
            }
            (few, many) = (many, (2 * many).min(MOST));
        }
        // Within 5 %: the plan is no more exact.
        while many - few > 1 + many / 20 {
            let middle = few + (many - few) / 2;
            if enough(middle, loss)? { many = middle } else { few = middle }
        }
        Ok(Some(many))
    };
    budgets.iter().map(|loss| Ok((*loss, least(*loss)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::Mu;

    fn gaussian(mu: f64) -> PrivacyLoss {
        PrivacyLoss::Gaussian(Mu::new(mu).unwrap())
    }

    fn plan(sizes: &[u64], budgets: &[f64]) -> PointPlan {
        PointPlan {
            sizes: sizes.to_vec(),
            budgets: budgets.iter().map(|mu| gaussian(*mu)).collect(),
            mechanism: None,
            guess: Guess { spread: 0.08, distance: 0.06 },
        }
    }

    /// In a flat space the error is known: 2r√d/(nμ).
    #[test]
    fn forecasts_are_what_the_noise_makes() {
        let plan =
            PointPlan { mechanism: Some(PointMechanism::TangentGaussian), ..plan(&[100, 400], &[0.5, 1.0]) };
        let found = plan_spd(3, SpdMetric::LogEuclidean, 1.0, &plan).unwrap();
        for row in &found {
            let PrivacyLoss::Gaussian(mu) = row.loss else { panic!("{row:?}") };
            let expected = 2.0 * 6.0f64.sqrt() / (row.n as f64 * mu.get());
            // Six draws of six coordinates: 12 % (one standard deviation).
            assert!((row.error.unwrap() / expected - 1.0).abs() < 0.4, "{row:?} {expected}");
            assert!((row.template_error - 0.06).abs() < 0.02 && row.sampling_error > 0.0);
        }
    }

    #[test]
    fn shapes_need_no_radius_and_no_public_centre_and_the_n_that_is_found_is_enough() {
        let found = plan_shapes(10, None, false, &plan(&[20, 1000], &[1.0])).unwrap();
        assert!(found[1].error.is_some_and(|error| error > 0.0 && error < 0.5), "{found:?}");
        assert!(found[0].error.is_none() && found[0].refused.is_some() && !found[0].is_worth_it());
        let at = |n: u64, loss| {
            let one = PointPlan { sizes: vec![n], budgets: vec![loss], ..plan(&[], &[]) };
            Ok(plan_shapes(10, Some(0.3), true, &one)?.remove(0))
        };
        let found = records_for(0.02, &[gaussian(1.0), gaussian(0.001)], at).unwrap();
        let n = found[0].1.unwrap();
        // 2 · 0.3 · √16 / (n μ) = 0.02.
        assert!((80..180).contains(&n), "{n}");
        assert_eq!(found[1].1, None);
        assert!(plan_shapes(10, Some(3.0), true, &plan(&[10], &[1.0])).is_err());
    }
}
