//! How near the mean each mechanism comes at each ε, on made-up records: to choose a budget and a mechanism by.
//!
//! Nothing here sees a record: budget and mechanism may be chosen by it without paying.

use super::budget::pure_within;
use super::{PointRequest, PointStudyError};
use crate::manifold::PolarVolume;
use crate::mechanism::MechanismError;
use crate::mechanism::manifold::{PointMean, PublicBall, Work};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Delta, Epsilon, Ledger, Mechanism, Mu, PrivacyLoss, pay};
use crate::study::JobError;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Draws on made-up records.
#[derive(Debug, Clone)]
pub struct Exploration {
    /// Distance from the mean without noise, by mechanism and ε.
    pub curves: Vec<UtilityCurve>,
    /// δ of the Gaussian mechanisms' curves.
    pub delta: f64,
}

/// One mechanism's line.
#[derive(Debug, Clone)]
pub struct UtilityCurve {
    /// The mechanism.
    pub mechanism: &'static str,
    /// Whether its ε is pure.
    pub pure: bool,
    /// By ascending ε.
    pub points: Vec<UtilityPoint>,
}

/// Quartiles of the distance between private and non-private mean.
#[derive(Debug, Clone, Copy)]
pub struct UtilityPoint {
    /// ε.
    pub epsilon: f64,
    /// Lower quartile, median, upper quartile.
    pub distance: [f64; 3],
}

const EPSILONS: [f64; 7] = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0];
/// Draws for a point of a curve.
const DRAWS: usize = 15;
/// Work for a point of a curve, in about nanoseconds; one that needs more is left out. Counted, so that with a fixed seed the page
/// is the same on every machine.
const PATIENCE: f64 = 1.5e8;
/// Where the budget names no δ.
const DELTA: f64 = 1e-6;
/// A stream of noise of its own.
const STREAM: u64 = 0xe591;

type Make<M> = fn(PublicBall<M>, u64, Epsilon, Mu) -> Result<PointMean<M>, MechanismError>;

/// The mechanisms compared: name, whether ε is pure, and how they are made for ε and the largest μ within (ε, δ).
fn compared<M: PolarVolume>() -> [(&'static str, bool, Make<M>); 6] {
    [
        ("Riemannian Laplace, pure ε", true, |ball, n, epsilon, _| PointMean::laplace(ball, n, epsilon)),
        ("tangent Laplace, pure ε", true, |ball, n, epsilon, _| {
            PointMean::tangent_laplace(ball, n, epsilon)
        }),
        ("K-norm gradient, pure ε", true, |ball, n, epsilon, _| PointMean::kng(ball, n, epsilon)),
        ("Riemannian Gaussian", false, |ball, n, _, mu| PointMean::riemannian_gaussian_roughly(ball, n, mu)),
        ("tangent Gaussian", false, |ball, n, _, mu| PointMean::tangent_gaussian(ball, n, mu)),
        ("Riemannian Laplace at the Gaussians' μ", false, |ball, n, _, mu| {
            PointMean::laplace(ball, n, pure_within(mu)?)
        }),
    ]
}

/// For n records in this ball.
pub(super) fn explore<M: PolarVolume>(
    ball: &PublicBall<M>,
    n: u64,
    request: &PointRequest,
) -> Result<Exploration, PointStudyError> {
    let mut noise = match request.place.seed {
        Some(seed) => NoiseSource::seeded(seed ^ STREAM),
        None => NoiseSource::from_os().map_err(MechanismError::from)?,
    };
    let records = made_up(ball, n);
    let mean = ball.locate(&records, n)?.mean;
    let delta = match request.budget {
        Some(PrivacyLoss::Approximate(_, delta)) => delta,
        _ => Delta::new(DELTA)?,
    };
    let mut curves = Vec::new();
    for (mechanism, pure, make) in compared::<M>() {
        let mut points = Vec::new();
        for epsilon in EPSILONS {
            let mu = Mu::within(Epsilon::new(epsilon)?, delta)?;
            // What does not exist here, or has no law at this budget, has no point.
            let Ok(made) = make(ball.clone(), n, Epsilon::new(epsilon)?, mu) else { continue };
            let mut distances = distances(&made, &records, &mean, ball.manifold(), &mut noise)?;
            if distances.len() >= DRAWS / 2 {
                distances.sort_by(f64::total_cmp);
                let quantile = |q: usize| distances[(distances.len() - 1) * q / 4];
                points.push(UtilityPoint { epsilon, distance: [quantile(1), quantile(2), quantile(3)] });
            }
        }
        if points.len() > 1 {
            curves.push(UtilityCurve { mechanism, pure, points });
        }
    }
    Ok(Exploration { curves, delta: delta.get() })
}

/// Records scattered about the centre, as far from it as half the radius on average.
fn made_up<M: PolarVolume>(ball: &PublicBall<M>, n: u64) -> Vec<Option<M::Point>> {
    let mut rng = ChaCha8Rng::seed_from_u64(STREAM);
    let (space, centre) = (ball.manifold(), ball.centre());
    let spread = 0.5 * ball.radius().get() / (space.dim() as f64).sqrt();
    let point = |_| Some(space.exp(centre, &space.tangent_gaussian(centre, spread, &mut rng)));
    (0..n).map(point).collect()
}

/// How far draws are from the mean: as many as the patience allows.
fn distances<M: PolarVolume>(
    made: &PointMean<M>,
    records: &[Option<M::Point>],
    mean: &M::Point,
    space: &M,
    noise: &mut NoiseSource,
) -> Result<Vec<f64>, PointStudyError> {
    let Ok(prepared) = made.prepare(records) else { return Ok(Vec::new()) };
    let (mut work, mut found) = (Work::new(space, mean, PATIENCE), Vec::new());
    for _ in 0..DRAWS {
        let paid = pay(made.price(), &mut Ledger::in_memory(None)).map_err(JobError::from)?;
        match made.draw_within(&prepared, noise, paid, &mut work)? {
            Some(point) => found.push(space.dist(mean, &point)),
            None => break,
        }
    }
    Ok(found)
}
