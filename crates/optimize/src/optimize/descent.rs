//! The loop: sample, clip, sum, noise, step.

use super::clip::{Batch, Query};
use super::method::Method;
use super::problem::{PointOf, Problem, TangentOf, check_oracle, finite_norm};
use super::{OptimizeError, Output, Plan, Settings};
use crate::manifold::{Linear, Manifold, TangentFrame};
use crate::privacy::Charge;
use crate::privacy::noise::{IntegerClip, NoiseSource, PaidGenerator};
use rand::{Rng, RngExt};
use std::ops::ControlFlow;

/// Where a run stands at the end of a stage. A stage is an epoch of DP-RSVRG and a twentieth of the other methods' steps;
/// a run can be continued from any of them.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct State<T> {
    /// The start point, centre of the domain.
    pub start: T,
    /// The iterate.
    pub point: T,
    /// Steps made.
    pub step: u64,
    /// Stages finished.
    pub stage: u32,
    /// Gradients of single records evaluated (IFO calls). Depends on secret batch sizes: for the data holder.
    pub gradient_calls: u64,
    /// The result so far where it is not the iterate, and how many iterates are in it.
    pub selected: Option<(T, u64)>,
}

impl<T: Clone> State<T> {
    /// The beginning.
    pub fn at(start: T) -> Self {
        Self { point: start.clone(), start, step: 0, stage: 0, gradient_calls: 0, selected: None }
    }

    /// The result so far.
    pub fn output(&self) -> &T {
        self.selected.as_ref().map_or(&self.point, |(point, _)| point)
    }
}

/// Sees every step, and may stop the run.
pub type Observer<'a, T> = dyn FnMut(&Report, &State<T>) -> ControlFlow<()> + 'a;

/// One step, for traces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Report {
    /// Whether the step ends a stage: the state can be saved.
    pub ends_stage: bool,
    /// Length of the noised direction.
    pub direction: f64,
    /// Standard deviation of the noise in it, per dimension, in the anchor's part and the correction's together.
    pub sigma: f64,
    /// How many gradients were clipped; for the data holder.
    pub clipped: usize,
    /// How many were used; for the data holder.
    pub used: usize,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub enum StopReason {
    /// All planned steps were made. Says nothing about convergence.
    StepsDone,
    /// The noised gradient fell to the tolerance, `gradient`; `noise` is the length the noise alone has.
    SmallGradient {
        /// ‖noised gradient‖.
        gradient: f64,
        /// σ√dim.
        noise: f64,
    },
    /// The observer asked for it; the run can be continued.
    Interrupted,
}

impl StopReason {
    /// Whether the rule that stopped the run is one that indicates convergence, the noise being shorter than what it measured.
    pub fn indicates_convergence(&self) -> bool {
        matches!(self, Self::SmallGradient { gradient, noise } if noise <= gradient)
    }
}

/// How a run ended.
#[derive(Debug, Clone)]
pub struct Finished<T> {
    /// The result.
    pub point: T,
    /// Where the run stands.
    pub state: State<T>,
    /// Why it ended.
    pub stop: StopReason,
}

/// Everything that can be wrong with a run, asked before anything is charged: settings, the start point, the gradient of
/// every record there, noise beyond the manifold's domain.
///
/// # Errors
/// [`OptimizeError`].
pub fn check_start<P: Problem>(
    problem: &P,
    plan: &Plan,
    settings: &Settings,
    start: &PointOf<P>,
) -> Result<(), OptimizeError> {
    check_settings(problem, plan, settings, start)?;
    let dim = problem.space().dim() as f64;
    let expected = settings.step.at(0) * plan.gradient_sigma() * dim.sqrt();
    let limit = longest_step(problem, settings);
    if expected.is_nan() || expected > limit {
        return Err(OptimizeError::NoiseTooLarge { expected, limit });
    }
    Ok(check_oracle(problem, start)?)
}

fn check_settings<P: Problem>(
    problem: &P,
    plan: &Plan,
    settings: &Settings,
    point: &PointOf<P>,
) -> Result<(), OptimizeError> {
    settings.check()?;
    if plan.records() != problem.records() {
        return Err(OptimizeError::Records { plan: plan.records(), problem: problem.records() });
    }
    let dim = problem.space().dim();
    plan.gradient_clip(dim)?;
    plan.widest_correction_clip(dim)?;
    problem.space().check(point).map_err(OptimizeError::Start)
}

fn longest_step<P: Problem>(problem: &P, settings: &Settings) -> f64 {
    // Where the radius is 0 (it depends on the point) only what leaves the manifold is held back.
    let radius = problem.space().injectivity_radius();
    settings.longest_step.unwrap_or(if radius > 0.0 { (0.5 * radius).min(10.0) } else { 10.0 })
}

/// Runs `plan` on `problem` from `state` (see [`State::at`]). Consumes the proof of payment, which must cover the plan's
/// whole composition ([`Plan::part`]). `observe` sees every step, and may stop the run; what it sees of iterates is as private
/// as the result, the counts are not.
///
/// # Errors
/// [`OptimizeError`], before anything is drawn. (Nothing fails later: a record whose gradient fails counts as zero, a step
/// that would leave the manifold is not made.)
pub fn optimize<P: Problem>(
    problem: &P,
    plan: &Plan,
    settings: &Settings,
    state: State<PointOf<P>>,
    noise: &mut NoiseSource,
    paid: Charge,
    observe: &mut Observer<'_, PointOf<P>>,
) -> Result<Finished<PointOf<P>>, OptimizeError> {
    if state.step == 0 {
        check_start(problem, plan, settings, &state.point)?;
    } else {
        // Gradients at a noised point are not asked for again: a paid run goes on, and failing records count as zero.
        check_settings(problem, plan, settings, &state.point)?;
    }
    let needed = plan.composition().total().map_err(super::PlanError::from)?;
    let mut rng = noise.open(paid, needed)?;
    let clip = plan.gradient_clip(problem.space().dim())?;
    let mut run = Run { problem, plan, settings, limit: longest_step(problem, settings), clip, state };
    let stop = run.run(&mut rng, observe);
    Ok(Finished { point: run.state.output().clone(), state: run.state, stop })
}

/// What a step has to go by.
struct Direction<T> {
    vector: T,
    sigma: f64,
    clipped: usize,
    used: usize,
}

struct Run<'a, P: Problem> {
    problem: &'a P,
    plan: &'a Plan,
    settings: &'a Settings,
    limit: f64,
    /// Of full gradients.
    clip: IntegerClip,
    state: State<PointOf<P>>,
}

impl<P: Problem> Run<'_, P> {
    fn run(&mut self, rng: &mut PaidGenerator<'_>, observe: &mut Observer<'_, PointOf<P>>) -> StopReason {
        let method = *self.plan.method();
        let total = method.steps();
        while self.state.step < total {
            let stop = match method {
                Method::GradientDescent { .. } | Method::Stochastic { .. } => {
                    let length = total.div_ceil(20).min(total - self.state.step);
                    self.plain_stage(length, rng, observe)
                }
                Method::VarianceReduced { epochs, inner, .. } => {
                    if self.state.step > 0
                        && self.state.step.is_multiple_of(u64::from(epochs) * u64::from(inner))
                    {
                        // Algorithm 12: the next run starts from the output of this one.
                        self.state.point = self.state.output().clone();
                        self.state.selected = None;
                    }
                    self.epoch(u64::from(inner), rng, observe)
                }
            };
            if let Some(stop) = stop {
                return stop;
            }
        }
        StopReason::StepsDone
    }

    fn plain_stage(
        &mut self,
        length: u64,
        rng: &mut PaidGenerator<'_>,
        observe: &mut Observer<'_, PointOf<P>>,
    ) -> Option<StopReason> {
        for k in 1..=length {
            let point = self.state.point.clone();
            let direction = self.noised_gradient(&point, rng);
            if let Some(stop) = self.step(direction, k == length, rng, observe) {
                return Some(stop);
            }
        }
        None
    }

    fn epoch(
        &mut self,
        inner: u64,
        rng: &mut PaidGenerator<'_>,
        observe: &mut Observer<'_, PointOf<P>>,
    ) -> Option<StopReason> {
        let anchor = self.state.point.clone();
        let at_anchor = self.noised_gradient(&anchor, rng);
        for k in 1..=inner {
            let direction = self.corrected(&anchor, &at_anchor, rng);
            if let Some(stop) = self.step(direction, k == inner, rng, observe) {
                return Some(stop);
            }
        }
        None
    }

    /// (1/batch) (Σ clip(∇f) + N(0, σ²)), on a lattice of coordinates at w.
    fn noised_gradient(&mut self, w: &PointOf<P>, rng: &mut PaidGenerator<'_>) -> Direction<TangentOf<P>> {
        let (n, sampling) = (self.plan.records(), self.plan.gradient().sampling);
        let batch = Batch::draw(sampling, n, rng);
        let frame = TangentFrame::new(self.problem.space().clone(), w.clone());
        let query = Query { problem: self.problem, point: w, frame: &frame, clip: &self.clip };
        let found = query.gradients(&batch);
        self.state.gradient_calls += batch.len() as u64;
        let share = 1.0 / sampling.batch(n) as f64;
        let mut vector = frame.vector(&rng.noised(&found.sum, &self.clip));
        vector.scale_by(share);
        Direction { vector, sigma: share * self.clip.scale(), clipped: found.clipped, used: batch.len() }
    }

    /// (1/batch) (Σ clipped corrections + N(0, σ₂²)), on a lattice of coordinates at the iterate, + PT(noised anchor gradient).
    fn corrected(
        &mut self,
        anchor: &PointOf<P>,
        at_anchor: &Direction<TangentOf<P>>,
        rng: &mut PaidGenerator<'_>,
    ) -> Direction<TangentOf<P>> {
        let space = self.problem.space();
        let w = self.state.point.clone();
        let (Method::VarianceReduced { correction, .. }, Some(noise)) =
            (*self.plan.method(), self.plan.correction())
        else {
            // Plans of this method have both.
            return self.noised_gradient(&w, rng);
        };
        let n = self.plan.records();
        let distance = space.dist(anchor, &w);
        // The two points are public: a transport that does not exist costs progress, not privacy.
        let moved = space.transport(anchor, &w, &at_anchor.vector).unwrap_or_else(|_| space.zero(&w));
        // At the anchor itself, or too far from it for the manifold's logarithm, the records are asked nothing.
        let clip = distance.is_finite().then(|| self.plan.correction_clip(space.dim(), distance)).flatten();
        let Some(clip) = clip else {
            return Direction { vector: moved, sigma: at_anchor.sigma, clipped: 0, used: 0 };
        };
        let batch = Batch::draw(noise.sampling, n, rng);
        let frame = TangentFrame::new(space.clone(), w.clone());
        let query = Query { problem: self.problem, point: &w, frame: &frame, clip: &clip };
        let found = query.corrections(anchor, &batch, self.plan.clip().get(), correction);
        self.state.gradient_calls += 2 * batch.len() as u64;
        let share = 1.0 / noise.sampling.batch(n) as f64;
        let mut vector = frame.vector(&rng.noised(&found.sum, &clip));
        vector.scale_by(share);
        space.axpy(1.0, &moved, &mut vector);
        let sigma = (share * clip.scale()).hypot(at_anchor.sigma);
        Direction { vector, sigma, clipped: found.clipped, used: batch.len() }
    }

    /// w ← the step along −η v, from noised values and public numbers only.
    fn step(
        &mut self,
        direction: Direction<TangentOf<P>>,
        ends_stage: bool,
        rng: &mut PaidGenerator<'_>,
        observe: &mut Observer<'_, PointOf<P>>,
    ) -> Option<StopReason> {
        let space = self.problem.space();
        let length = finite_norm(space, &self.state.point, &direction.vector).unwrap_or(f64::NAN);
        let eta = self.settings.step.at(self.state.step);
        let scale = if eta * length > self.limit { self.limit / length } else { eta };
        if scale.is_finite() && length.is_finite() {
            let next = self.problem.retract(&self.state.point, &space.scale(-scale, &direction.vector));
            let next = self.inside(next);
            // Where the representation ends (the rim of a Poincaré ball, an overflow) the iterate stays.
            if space.check(&next).is_ok() {
                self.state.point = next;
            }
        }
        self.state.step += 1;
        self.select(rng);
        if ends_stage {
            self.state.stage += 1;
        }
        let report = Report {
            ends_stage,
            direction: length,
            sigma: direction.sigma,
            clipped: direction.clipped,
            used: direction.used,
        };
        if observe(&report, &self.state).is_break() {
            return Some(StopReason::Interrupted);
        }
        let noise = direction.sigma * (space.dim() as f64).sqrt();
        let small = self.settings.gradient_tolerance.is_some_and(|tolerance| length <= tolerance);
        small.then_some(StopReason::SmallGradient { gradient: length, noise })
    }

    /// Pulls a point back into the domain.
    fn inside(&self, w: PointOf<P>) -> PointOf<P> {
        let Some(radius) = self.settings.domain else { return w };
        let space = self.problem.space();
        let Ok(log) = space.log(&self.state.start, &w) else { return w };
        let distance = space.norm(&self.state.start, &log);
        if distance <= radius || !distance.is_finite() {
            return w;
        }
        space.exp(&self.state.start, &space.scale(radius / distance, &log))
    }

    /// Keeps the output that is not simply the last iterate.
    fn select<R: Rng + ?Sized>(&mut self, rng: &mut R) {
        let space = self.problem.space();
        let point = &self.state.point;
        let first = || Some((point.clone(), 1));
        match self.settings.output {
            Output::Last => {}
            Output::Random => {
                // Reservoir sampling: each of k iterates with probability 1/k.
                self.state.selected = match self.state.selected.take() {
                    None => first(),
                    Some((kept, seen)) => {
                        let replace = rng.random::<f64>() * ((seen + 1) as f64) < 1.0;
                        Some((if replace { point.clone() } else { kept }, seen + 1))
                    }
                };
            }
            Output::TailMean => {
                if 2 * self.state.step <= self.plan.method().steps() {
                    return;
                }
                self.state.selected = match self.state.selected.take() {
                    None => first(),
                    Some((mean, seen)) => {
                        let seen = seen + 1;
                        let moved = space
                            .log(&mean, point)
                            .map(|v| space.exp(&mean, &space.scale(1.0 / seen as f64, &v)))
                            .ok()
                            .filter(|q| space.check(q).is_ok());
                        Some((moved.unwrap_or(mean), seen))
                    }
                };
            }
        }
    }
}
