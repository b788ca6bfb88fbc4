//! Private optimization on manifolds, and principal components at one stroke.

use crate::failure::Failure;
use crate::options::{Common, named};
use crate::studies::{Callback, public_radius};
use crate::work::long;
use pyo3::prelude::*;
use serde_json::json;
use std::ops::ControlFlow;
use std::path::PathBuf;
use visard::optimize::{Correction, Method, NoiseSplit, Output, Sampling, Settings, StepSize};
use visard::privacy::ClipRadius;
use visard::study::optimize::{
    MomentOutcome, MomentStudy, OptimizeStudySettings, Task, run as run_optimize, run_moment,
};
use visard::study::{Stop, Unusable};

/// Options of a private optimization; a dictionary in Python.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub struct Descent {
    method: String,
    clip_radius: Option<f64>,
    steps: Option<u32>,
    epochs: u32,
    inner: u32,
    restarts: u32,
    batch: usize,
    sampling: String,
    correction: String,
    correction_bound: f64,
    share: Option<f64>,
    step: Option<f64>,
    step_delay: Option<f64>,
    output: Option<String>,
    domain: Option<f64>,
    longest_step: Option<f64>,
    tolerance: Option<f64>,
    start: Option<PathBuf>,
    unit_records: bool,
    unusable: String,
}

impl Descent {
    fn step_size(&self) -> f64 {
        self.step.unwrap_or(if self.method == "rgd" { 0.5 } else { 0.1 })
    }

    fn clip(&self) -> Result<ClipRadius, Failure> {
        let radius = self.clip_radius.ok_or_else(|| {
            Failure::input("clip_radius: needed, the public bound on the length of one record's gradient")
        })?;
        public_radius("clip_radius", radius)
    }

    fn unusable(&self) -> Result<Unusable, Failure> {
        named("unusable", &self.unusable)
    }

    /// Refuses what only makes sense for descents.
    fn without_steps(&self) -> Result<(), Failure> {
        let given = [
            ("steps", self.steps.is_some()),
            ("step", self.step.is_some()),
            ("step_delay", self.step_delay.is_some()),
            ("share", self.share.is_some()),
            ("output", self.output.is_some()),
            ("domain", self.domain.is_some()),
            ("longest_step", self.longest_step.is_some()),
            ("tolerance", self.tolerance.is_some()),
            ("start", self.start.is_some()),
        ];
        match given.iter().find(|(_, given)| *given) {
            None => Ok(()),
            Some((name, _)) => Err(Failure::input(format!("{name}: method=\"moment\" makes no steps"))),
        }
    }

    /// The study by one noised second moment.
    fn moment(
        &self,
        common: &Common,
        file: PathBuf,
        task: Task,
        stop: &Stop,
    ) -> Result<MomentStudy, Failure> {
        self.without_steps()?;
        let rank = match task {
            Task::Eigenvector => None,
            Task::Subspace { rank, .. } => Some(rank),
            _ => return Err(Failure::input("method: moment is for task=\"eigenvector\" and \"subspace\"")),
        };
        let radius = match (self.clip_radius, self.unit_records) {
            (Some(radius), _) => radius,
            (None, true) => 1.0,
            (None, false) => {
                return Err(Failure::input(
                    "clip_radius: needed, the public bound on a record's length (unit_records=True scales every record to length 1)",
                ));
            }
        };
        Ok(MomentStudy {
            input: file,
            place: common.place(stop)?,
            rank,
            clip: public_radius("clip_radius", radius)?,
            mu: common.mu()?,
            unit_records: self.unit_records,
            unusable: self.unusable()?,
            counting: common.counting(),
        })
    }

    fn method(&self) -> Result<Method, Failure> {
        let batch = self.batch;
        let sampling = match self.sampling.as_str() {
            "poisson" => Sampling::Poisson { batch },
            "without-replacement" => Sampling::WithoutReplacement { batch },
            other => {
                return Err(Failure::input(format!(
                    "sampling: {other:?} is none of poisson, without-replacement"
                )));
            }
        };
        let bound = self.correction_bound;
        Ok(match self.method.as_str() {
            "rgd" => Method::GradientDescent { steps: self.steps.unwrap_or(20) },
            "rsgd" => Method::Stochastic { steps: self.steps.unwrap_or(500), sampling },
            "rsvrg" if self.steps.is_some() => {
                return Err(Failure::input("steps: rsvrg counts its steps by epochs and inner"));
            }
            "rsvrg" => Method::VarianceReduced {
                epochs: self.epochs,
                inner: self.inner,
                restarts: self.restarts,
                sampling,
                correction: match self.correction.as_str() {
                    "separate" => Correction::Separate(bound),
                    "difference" => Correction::Difference(bound),
                    "lipschitz" => Correction::Lipschitz { constant: bound, cap: self.clip()?.get() },
                    other => {
                        let message =
                            format!("correction: {other:?} is none of separate, difference, lipschitz");
                        return Err(Failure::input(message));
                    }
                },
                // The corrections' noise averages out over an epoch, the anchor's does not.
                split: self
                    .share
                    .map_or(NoiseSplit::Optimized { weight: 0.5 * self.step_size() }, NoiseSplit::Share),
            },
            other => {
                return Err(Failure::input(format!("method: {other:?} is none of rgd, rsgd, rsvrg, moment")));
            }
        })
    }

    fn run(&self) -> Result<Settings, Failure> {
        let initial = self.step_size();
        let averaged = if self.method == "rgd" { Output::Last } else { Output::TailMean };
        let settings = Settings {
            step: match self.step_delay {
                None => StepSize::Constant(initial),
                Some(delay) => StepSize::Polynomial { initial, delay, power: 1.0 },
            },
            output: self.output.as_deref().map_or(Ok(averaged), |name| named("output", name))?,
            longest_step: self.longest_step,
            domain: self.domain,
            gradient_tolerance: self.tolerance,
        };
        settings.check().map_err(Failure::input)?;
        Ok(settings)
    }
}

/// Private Riemannian optimization: `task` is "frechet-mean" (with its space), "eigenvector" or "subspace" (with its rank and manifold).
#[pyfunction]
#[pyo3(signature = (common, file, task, space, rank, descent, progress))]
#[expect(clippy::too_many_arguments, reason = "they are those of the Python function")]
pub fn optimize(
    py: Python<'_>,
    common: Common,
    file: PathBuf,
    task: &str,
    space: Option<&str>,
    rank: Option<usize>,
    descent: Descent,
    progress: Callback<'_, '_>,
) -> PyResult<String> {
    let stop = Stop::default();
    let missing = |name: &str| Failure::input(format!("{name}: needed for task={task:?}"));
    let task = match task {
        "frechet-mean" => Task::FrechetMean(named("space", space.ok_or_else(|| missing("space"))?)?),
        "eigenvector" => Task::Eigenvector,
        "subspace" => Task::Subspace {
            rank: rank.ok_or_else(|| missing("rank"))?,
            frames: named("space", space.unwrap_or("grassmann"))?,
        },
        other => {
            let message = format!("task: {other:?} is none of frechet-mean, eigenvector, subspace");
            return Err(Failure::input(message).into());
        }
    };
    if descent.method == "moment" {
        let study = descent.moment(&common, file, task, &stop)?;
        return long(py, stop, progress, move |_| Ok(told_of_moment(&run_moment(&study)?)));
    }
    let settings = OptimizeStudySettings {
        input: file,
        place: common.place(&stop)?,
        task,
        method: descent.method()?,
        run: descent.run()?,
        clip: descent.clip()?,
        budget: common.loss()?,
        unusable: descent.unusable()?,
        start: descent.start,
        unit_records: descent.unit_records,
        counting: common.counting(),
    };
    let asked = stop.clone();
    long(py, stop, progress, move |reporter| {
        let outcome = run_optimize(&settings, &mut |now| {
            reporter.tell("steps", now.step, now.steps);
            if asked.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        let said = json!({
            "out": outcome.folder.root(),
            "n": outcome.records,
            "converged": outcome.stop.indicates_convergence(),
            "continued": outcome.continued,
            "warnings": outcome.warnings,
            "secret": {"risk": outcome.risk, "unusable": outcome.failed},
        });
        Ok(said.to_string())
    })
}

/// As of a descent; there is no convergence to tell of.
fn told_of_moment(outcome: &MomentOutcome) -> String {
    json!({
        "out": outcome.folder.root(),
        "n": outcome.certificate.n,
        "converged": null,
        "continued": outcome.continued,
        "visible": outcome.certificate.details["visible"],
        "expected_excess": outcome.expected_excess,
        "warnings": [],
        "secret": {"excess": outcome.excess, "unusable": outcome.failed},
    })
    .to_string()
}
