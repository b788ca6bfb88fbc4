//! Excess risk against gradient calls (Figure 3).

use crate::manifold::{Linear, ManifoldError};
use crate::optimize::{
    Correction, Method, NoiseSplit, OptimizeError, Output, Plan, PlanError, PointOf, Problem, Sampling,
    Settings, State, StepSize, optimize,
};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{ClipRadius, ClipSource, Ledger, LedgerError, PrivacyLoss};
use serde::Serialize;
use std::ops::ControlFlow;

/// How the methods are run; all of it public, none of it tuned on the records.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RiskSetup {
    /// Bound on gradients.
    pub clip: f64,
    /// Lipschitz constant of gradients, for corrections.
    pub lipschitz: f64,
    /// Steps of DP-RGD.
    pub rgd_steps: u32,
    /// Step size of DP-RGD.
    pub rgd_step: f64,
    /// Batch of DP-RSGD and DP-RSVRG (Poisson).
    pub batch: usize,
    /// Passes of DP-RSGD over the records.
    pub rsgd_passes: u32,
    /// Its first step size.
    pub rsgd_step: f64,
    /// Epochs of DP-RSVRG.
    pub epochs: u32,
    /// Corrected steps in an epoch.
    pub inner: u32,
    /// Its step size.
    pub rsvrg_step: f64,
    /// Iterates are kept within this distance of the start.
    pub domain: Option<f64>,
}

/// A point of a curve.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RiskRow {
    /// The problem.
    pub problem: String,
    /// n.
    pub records: usize,
    /// The method.
    pub method: String,
    /// ε, at the δ of the experiment.
    pub epsilon: f64,
    /// Which run.
    pub run: u32,
    /// Gradients of single records so far.
    pub gradient_calls: u64,
    /// F(w) − F(w*).
    pub excess_risk: f64,
}

/// An experiment that failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExperimentError {
    /// The run.
    #[error(transparent)]
    Optimize(#[from] OptimizeError),
    /// The plan.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The ledger.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The generator.
    #[error(transparent)]
    Noise(#[from] crate::privacy::noise::NoiseError),
    /// A budget.
    #[error(transparent)]
    Budget(#[from] crate::privacy::BudgetError),
    /// A manifold.
    #[error(transparent)]
    Manifold(#[from] ManifoldError),
    /// A one-shot mechanism.
    #[error(transparent)]
    Mechanism(#[from] crate::mechanism::MechanismError),
    /// A draw.
    #[error(transparent)]
    Draw(#[from] crate::privacy::ReleaseError<crate::mechanism::MechanismError>),
}

/// What is compared: the problem, a public start, the least risk there is, and δ.
pub struct Comparison<'a, P: Problem> {
    /// Its name in the table.
    pub name: &'a str,
    /// The problem.
    pub problem: &'a P,
    /// A public start point.
    pub start: PointOf<P>,
    /// F(w*).
    pub least_risk: f64,
    /// δ.
    pub delta: f64,
    /// How the methods are run.
    pub setup: RiskSetup,
}

impl<P: Problem> Comparison<'_, P> {
    /// The three methods with their settings, the second half of all iterates averaged. DP-RSVRG twice: corrections bounded by
    /// the distance from the anchor, and as in the paper (C₁ = C/10).
    fn methods(&self) -> Result<Vec<(&'static str, Method, Settings)>, PlanError> {
        let s = self.setup;
        let n = self.problem.records();
        let sampling = Sampling::Poisson { batch: s.batch.min(n) };
        let steps = u64::from(s.rsgd_passes) * n as u64 / s.batch.min(n) as u64;
        let steps = u32::try_from(steps).map_err(|_| PlanError::TooManySteps)?.max(1);
        let settings = |step, output| Settings { step, output, domain: s.domain, ..Settings::default() };
        let svrg = |correction, split| Method::VarianceReduced {
            epochs: s.epochs,
            inner: s.inner,
            restarts: 1,
            sampling,
            correction,
            split,
        };
        let rsgd_step =
            StepSize::Polynomial { initial: s.rsgd_step, delay: 0.1 * f64::from(steps), power: 0.5 };
        Ok(vec![
            (
                "DP-RGD",
                Method::GradientDescent { steps: s.rgd_steps },
                settings(StepSize::Constant(s.rgd_step), Output::TailMean),
            ),
            ("DP-RSGD", Method::Stochastic { steps, sampling }, settings(rsgd_step, Output::TailMean)),
            (
                "DP-RSVRG",
                svrg(
                    Correction::Lipschitz { constant: s.lipschitz, cap: 0.5 * s.clip },
                    NoiseSplit::Optimized { weight: 0.5 * s.rsvrg_step },
                ),
                settings(StepSize::Constant(s.rsvrg_step), Output::TailMean),
            ),
            (
                "DP-RSVRG (corrections as in the paper)",
                svrg(
                    Correction::Separate(0.1 * s.clip),
                    NoiseSplit::Optimized { weight: 0.5 * s.rsvrg_step },
                ),
                settings(StepSize::Constant(s.rsvrg_step), Output::TailMean),
            ),
        ])
    }

    /// Excess risk along the runs of every method at every ε, about thirty points a run. Runs whose noise is refused as too
    /// large for the manifold are left out.
    ///
    /// # Errors
    /// [`ExperimentError`].
    pub fn run(&self, epsilons: &[f64], runs: u32) -> Result<Vec<RiskRow>, ExperimentError> {
        let n = self.problem.records();
        let clip = ClipRadius::new(self.setup.clip, ClipSource::Public)?;
        let mut rows = Vec::new();
        for &epsilon in epsilons {
            let budget = PrivacyLoss::requested(None, Some(epsilon), Some(self.delta))?;
            for (name, method, settings) in self.methods()? {
                let plan = Plan::calibrate(method, n, clip, budget)?;
                for run in 0..runs {
                    let mut noise = NoiseSource::seeded(1000 + u64::from(run));
                    let paid = Ledger::in_memory(None).charge_part(plan.part())?;
                    let every = (method.gradient_calls(n) / 30).max(1);
                    let mut next = 0;
                    let mut record = |_: &_, state: &State<PointOf<P>>| {
                        if state.gradient_calls >= next || state.step == method.steps() {
                            next = state.gradient_calls + every;
                            rows.push(RiskRow {
                                problem: self.name.into(),
                                records: n,
                                method: name.into(),
                                epsilon,
                                run,
                                gradient_calls: state.gradient_calls,
                                excess_risk: self.problem.risk(state.output()) - self.least_risk,
                            });
                        }
                        ControlFlow::Continue(())
                    };
                    let start = State::at(self.start.clone());
                    let done = optimize(self.problem, &plan, &settings, start, &mut noise, paid, &mut record);
                    match done {
                        Err(OptimizeError::NoiseTooLarge { .. }) => break,
                        other => other.map(|_| ())?,
                    }
                }
            }
        }
        Ok(rows)
    }
}

/// Where a curve ends: over the runs of one method at one ε.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RiskSummary {
    /// The problem.
    pub problem: String,
    /// n.
    pub records: usize,
    /// ε.
    pub epsilon: f64,
    /// The method.
    pub method: String,
    /// Gradient calls at the end, mean.
    pub gradient_calls: f64,
    /// Excess risk at the end, mean over the runs.
    pub excess_risk: f64,
    /// Least.
    pub least: f64,
    /// Largest.
    pub largest: f64,
}

/// The ends of all curves, in order of appearance.
pub fn summarize(rows: &[RiskRow]) -> Vec<RiskSummary> {
    let mut out: Vec<RiskSummary> = Vec::new();
    let same = |a: &RiskRow, s: &RiskSummary| {
        a.problem == s.problem && a.method == s.method && a.epsilon == s.epsilon && a.records == s.records
    };
    for row in rows {
        if out.iter().any(|s| same(row, s)) {
            continue;
        }
        let mut summary = RiskSummary {
            problem: row.problem.clone(),
            records: row.records,
            epsilon: row.epsilon,
            method: row.method.clone(),
            gradient_calls: 0.0,
            excess_risk: 0.0,
            least: 0.0,
            largest: 0.0,
        };
        let group: Vec<&RiskRow> = rows.iter().filter(|r| same(r, &summary)).collect();
        let runs = group.iter().map(|r| r.run).max().unwrap_or(0);
        let last: Vec<&RiskRow> =
            (0..=runs).filter_map(|run| group.iter().rev().find(|r| r.run == run).copied()).collect();
        let excess: Vec<f64> = last.iter().map(|r| r.excess_risk).collect();
        if let Some((mean, least, largest)) = super::band(&excess) {
            (summary.excess_risk, summary.least, summary.largest) = (mean, least, largest);
            summary.gradient_calls =
                last.iter().map(|r| r.gradient_calls as f64).sum::<f64>() / last.len() as f64;
            out.push(summary);
        }
    }
    out
}

/// The leading eigenvalue of (1/n) Σ zzᵀ, so that −λ is the least risk of the eigenvector problem: power iteration on the
/// records, without privacy.
pub fn leading_eigenvalue(records: &nalgebra::DMatrix<f64>) -> f64 {
    let mut w = nalgebra::DVector::from_element(records.nrows(), 1.0).normalize();
    let mut value = 0.0;
    for _ in 0..1000 {
        let mut next = records * records.tr_mul(&w);
        next.scale_by(1.0 / records.ncols() as f64);
        let norm = next.norm();
        if norm == 0.0 || (norm - value).abs() <= 1e-14 * norm {
            return norm;
        }
        (w, value) = (next / norm, norm);
    }
    value
}
