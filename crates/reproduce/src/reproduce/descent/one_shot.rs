//! One-shot mechanisms on the Fréchet means that the iterative methods are compared on.

use super::super::drawn;
use super::risk::{Comparison, ExperimentError, RiskRow};
use crate::manifold::PolarVolume;
use crate::mechanism::MechanismError;
use crate::mechanism::manifold::{KNormGradient, PublicBall, RiemannianLaplace, TangentMean, Work};
use crate::optimize::FrechetMeanProblem;
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Charge, ClipRadius, ClipSource, Delta, Epsilon, Ledger, Mechanism, Mu, Price, pay};

/// Work for one draw, in about nanoseconds; a mechanism that needs more is left out at that ε. Counted, not timed, so that the
/// same rows come out on any machine.
const PATIENCE: f64 = 5e9;
/// Mechanisms whose noise could not be this much wider are left out too: near the widest noise that has a law rejection accepts
/// next to nothing.
const ROOM: f64 = 1.5;

impl<M: PolarVolume> Comparison<'_, FrechetMeanProblem<M>> {
    /// Riemannian Laplace and K-norm gradient (pure ε) and the tangent Gaussian ((ε, δ)) on the same records, each over the ball
    /// about the public start. Its radius must reach farther than the start is from the mean, so it is shown at one, two and four
    /// times the clip radius. Gradient calls: n for a mean of logarithms; for the Fréchet mean of the others n is stated too,
    /// though finding it takes several passes (they are not noised, so none of them is paid for). Mechanisms that have no law at a
    /// budget (noise wider than the volume growth allows) are left out.
    ///
    /// # Errors
    /// [`ExperimentError`].
    pub fn one_shot(&self, epsilons: &[f64], runs: u32) -> Result<Vec<RiskRow>, ExperimentError> {
        let space = crate::optimize::Problem::space(self.problem);
        let n = self.problem.points().len() as u64;
        let records: Vec<Option<M::Point>> = self.problem.points().iter().cloned().map(Some).collect();
        let mut rows = Vec::new();
        for factor in [1.0, 2.0, 4.0] {
            let radius = ClipRadius::new(factor * self.setup.clip, ClipSource::Public)?;
            let ball = match PublicBall::new(space.clone(), self.start.clone(), radius) {
                Err(MechanismError::Radius { .. }) => continue,
                other => other?,
            };
            for &value in epsilons {
                let epsilon = Epsilon::new(value)?;
                let mu = Mu::within(epsilon, Delta::new(self.delta)?)?;
                let mut add = |name: &str, run: u32, point: &M::Point| {
                    rows.push(self.row(format!("{name}, radius {:.1}", radius.get()), value, run, point));
                };
                let seed = |run: u32| NoiseSource::seeded(1000 + u64::from(run));
                let wider = Epsilon::new(value / ROOM)?;
                let room = possible(RiemannianLaplace::new(ball.clone(), n, wider))?.is_some();
                let laplace = possible(RiemannianLaplace::new(ball.clone(), n, epsilon))?;
                if let Some(m) = laplace.filter(|_| room) {
                    let located = m.prepare(&records)?;
                    for run in 0..runs {
                        add("Laplace", run, &drawn(&m, &located, &mut seed(run))?.point);
                    }
                }
                let room = possible(KNormGradient::new(ball.clone(), n, wider))?.is_some();
                let kng = possible(KNormGradient::new(ball.clone(), n, epsilon))?;
                if let Some(m) = kng.filter(|_| room) {
                    let sampler = m.prepare(&records)?;
                    for run in 0..runs {
                        let mut work = Work::new(space, &self.start, PATIENCE);
                        match sampler.draw_within(&mut seed(run), paid(m.price())?, &mut work)? {
                            Some(point) => add("K-norm gradient", run, &point),
                            None => break,
                        }
                    }
                }
                let m = TangentMean::gaussian(ball.clone(), n, mu)?;
                let statistic = m.prepare(&records)?;
                for run in 0..runs {
                    add("tangent Gaussian", run, &drawn(&m, &statistic, &mut seed(run))?.point);
                }
            }
        }
        Ok(rows)
    }

    fn row(&self, method: String, epsilon: f64, run: u32, point: &M::Point) -> RiskRow {
        use crate::optimize::Problem;
        let records = self.problem.records();
        RiskRow {
            problem: self.name.into(),
            records,
            method,
            epsilon,
            run,
            gradient_calls: records as u64,
            excess_risk: self.problem.risk(point) - self.least_risk,
        }
    }
}

fn paid(price: &Price) -> Result<Charge, ExperimentError> {
    Ok(pay(price, &mut Ledger::in_memory(None))?)
}

/// `None` where the noise has no law.
fn possible<T>(made: Result<T, MechanismError>) -> Result<Option<T>, ExperimentError> {
    match made {
        Err(MechanismError::NoiseTooWide { .. }) => Ok(None),
        other => Ok(Some(other?)),
    }
}
