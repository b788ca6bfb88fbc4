//! Draws for the data holder's own eyes: how near the mean each mechanism comes at each ε, and more draws like the released one.
//!
//! These see the records and are *not* charged: they are shown under `internal/` only, beside the mean without noise, and nothing
//! in `release/` is made from them. To publish one of them, or to choose budget or mechanism by looking at them, would be a
//! release that nobody paid for.

use super::release::GRADIENT;
use super::{PointMechanism, PointRequest, PointStudyError, Stream, pure_within};
use crate::mechanism::manifold::{
    KNormGradient, ManifoldMeanError, ManifoldPrice, PolarVolume, PublicBall, RiemannianGaussian,
    RiemannianLaplace, TangentGaussian, Work,
};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Charge, Delta, Epsilon, L2Sensitivity, Ledger, Mu, PrivacyLoss};

/// Uncharged draws on the records. For the data holder only.
#[derive(Debug, Clone)]
pub struct Exploration<P> {
    /// Draws of the requested mechanism at the requested budget, other than the released ones.
    pub draws: Vec<P>,
    /// Distance from the mean without noise, by mechanism and ε.
    pub curves: Vec<UtilityCurve>,
    /// δ of the Gaussian mechanisms' curves.
    pub delta: f64,
    /// Sampling error of the mean itself, √(mean d²/n): noise below it hardly matters.
    pub sampling_error: f64,
}

/// One mechanism's line.
#[derive(Debug, Clone)]
pub struct UtilityCurve {
    /// The mechanism.
    pub mechanism: &'static str,
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
const SIX: usize = 6;
/// Draws for a point of a curve.
const DRAWS: usize = 15;
/// Work for a point of a curve, in about nanoseconds; one that needs more is left out. Counted, so that with a fixed seed the page
/// is the same on every machine.
const PATIENCE: f64 = 1.5e8;
/// Where the budget names no δ.
const DELTA: f64 = 1e-6;

pub(super) fn explore<M: PolarVolume + Clone>(
    ball: &PublicBall<'_, M>,
    points: &[M::Point],
    mean: &M::Point,
    request: &PointRequest,
    released: Option<&ManifoldPrice>,
) -> Result<Exploration<M::Point>, PointStudyError> {
    let mut noise = request.noise(Stream::Exploration)?;
    let manifold = ball.manifold();
    let scene = Scene { ball, points, mean, released };
    let delta = match request.budget {
        Some(PrivacyLoss::Approximate(_, delta)) => delta,
        _ => Delta::new(DELTA)?,
    };
    let mut draws = Vec::new();
    let budget = match request.mechanism {
        PointMechanism::Laplace | PointMechanism::Kng => request.pure().map(PrivacyLoss::Pure).ok(),
        _ => request.gaussian().map(PrivacyLoss::Gaussian).ok(),
    };
    if let Some(budget) = budget {
        let most = 10.0 * PATIENCE;
        // A mechanism that does not exist here has been refused before.
        let _ = scene.draws(request.mechanism, budget, &mut noise, SIX, most, &mut |p| draws.push(p));
    }
    let mut curves = Vec::new();
    for (mechanism, name, unit) in [
        (PointMechanism::Laplace, "Riemannian Laplace, pure ε", Unit::Pure),
        (PointMechanism::Kng, "K-norm gradient, pure ε", Unit::Pure),
        (PointMechanism::RiemannianGaussian, "Riemannian Gaussian", Unit::Gaussian),
        (PointMechanism::TangentGaussian, "tangent Gaussian", Unit::Gaussian),
        (PointMechanism::Laplace, "Riemannian Laplace at the Gaussians' μ", Unit::PureOfGaussian),
    ] {
        let mut curve = UtilityCurve { mechanism: name, points: Vec::new() };
        for epsilon in EPSILONS {
            let mu = Mu::within(Epsilon::new(epsilon)?, delta)?;
            let budget = match unit {
                Unit::Pure => PrivacyLoss::Pure(Epsilon::new(epsilon)?),
                Unit::Gaussian => PrivacyLoss::Gaussian(mu),
                Unit::PureOfGaussian => PrivacyLoss::Pure(pure_within(mu)?),
            };
            let mut distances = Vec::new();
            let drawn = scene.draws(mechanism, budget, &mut noise, DRAWS, PATIENCE, &mut |p| {
                distances.push(manifold.dist(mean, &p));
            });
            if drawn.is_ok() && distances.len() >= DRAWS / 2 {
                distances.sort_by(f64::total_cmp);
                let quantile = |q: usize| distances[(distances.len() - 1) * q / 4];
                let distance = [quantile(1), quantile(2), quantile(3)];
                curve.points.push(UtilityPoint { epsilon, distance });
            }
        }
        if curve.points.len() > 1 {
            curves.push(curve);
        }
    }
    let square = points.iter().map(|p| manifold.dist(mean, p).powi(2)).sum::<f64>() / points.len() as f64;
    let sampling_error = (square / points.len() as f64).sqrt();
    Ok(Exploration { draws, curves, delta: delta.get(), sampling_error })
}

/// What ε on the axis stands for.
#[derive(Clone, Copy)]
enum Unit {
    /// Pure ε.
    Pure,
    /// The largest μ within (ε, δ).
    Gaussian,
    /// The pure ε whose mechanisms are all μ-GDP for that μ: Laplace and Gaussian noise at one μ.
    PureOfGaussian,
}

struct Scene<'a, 'b, M: PolarVolume> {
    ball: &'a PublicBall<'b, M>,
    points: &'a [M::Point],
    mean: &'a M::Point,
    /// What was released: its scale need not be calibrated again.
    released: Option<&'a ManifoldPrice>,
}

impl<M: PolarVolume + Clone> Scene<'_, '_, M> {
    /// Up to `count` draws within about this work.
    fn draws(
        &self,
        mechanism: PointMechanism,
        loss: PrivacyLoss,
        noise: &mut NoiseSource,
        count: usize,
        most: f64,
        take: &mut dyn FnMut(M::Point),
    ) -> Result<(), PointStudyError> {
        let (ball, n) = (self.ball.clone(), self.points.len() as u64);
        let mut work = Work::new(ball.manifold(), self.mean, most);
        let mut repeat = |draw: &mut dyn FnMut(Charge) -> Result<Option<M::Point>, ManifoldMeanError>| {
            // In memory: these draws are looked at here and go nowhere.
            let mut ledger = Ledger::in_memory(None);
            for _ in 0..count {
                let paid = ledger.charge("for the data holder's page", loss)?;
                match draw(paid)? {
                    Some(point) => take(point),
                    None => break,
                }
            }
            Ok(())
        };
        match (mechanism, loss) {
            (PointMechanism::Laplace, PrivacyLoss::Pure(epsilon)) => {
                let m = RiemannianLaplace::new(ball, n, epsilon, GRADIENT)?;
                repeat(&mut |paid| m.draw_within(self.mean, noise, paid, &mut work))
            }
            (PointMechanism::Kng, PrivacyLoss::Pure(epsilon)) => {
                let m = KNormGradient::new(ball, n, epsilon)?;
                let sampler = m.sampler(self.points, self.mean)?;
                repeat(&mut |paid| sampler.draw_within(noise, paid, &mut work))
            }
            (PointMechanism::RiemannianGaussian, PrivacyLoss::Gaussian(mu)) => {
                let m = match self.released {
                    Some(price) if price.loss == loss => {
                        let sensitivity = L2Sensitivity::new(price.sensitivity)?;
                        RiemannianGaussian::calibrated(ball, n, mu, sensitivity, price.scale)?
                    }
                    _ => RiemannianGaussian::roughly(ball, n, mu, GRADIENT)?,
                };
                repeat(&mut |paid| m.draw(self.mean, noise, paid).map(Some))
            }
            (PointMechanism::TangentGaussian, PrivacyLoss::Gaussian(mu)) => {
                let m = TangentGaussian::new(ball, n, mu, loss)?;
                let statistic = m.statistic(self.points)?;
                repeat(&mut |paid| m.draw(&statistic, noise, paid).map(|drawn| Some(drawn.point)))
            }
            _ => Ok(()),
        }
    }
}
