//! Limited-memory BFGS on a manifold, for the Fréchet objective.

use super::cloud::Cloud;
use super::stationarity::{FrechetMean, FrechetOptions, Stationarity, Stop};
use crate::manifold::{Manifold, ManifoldError, MeanLog};
use std::collections::VecDeque;

/// Curvature pairs kept.
const MEMORY: usize = 10;
/// Halvings of a step before giving up.
const HALVINGS: usize = 30;
/// Below this promised change relative to the objective, the gradient's norm decides: it is exact where the objective's
/// change is lost in rounding, and this near a minimum both fall together.
const ROUNDING: f64 = 1e-10;

/// A step s, the change y of the gradient along it, and 1/⟨s, y⟩; carried along from point to point.
struct Pair<T> {
    s: T,
    y: T,
    inverse: f64,
}

/// The state kept between runs on nested data: the curvature pairs, at `at`.
pub(super) struct Descent<'a, M: Manifold> {
    manifold: &'a M,
    pairs: VecDeque<Pair<M::Tangent>>,
    at: Option<M::Point>,
    /// Whether to stop where it is.
    asked: &'a (dyn Fn() -> bool + Sync),
}

/// A point with the objective's gradient.
struct Iterate<M: Manifold> {
    point: M::Point,
    mean: MeanLog<M::Tangent>,
    norm: f64,
    /// What rounding may do to the gradient's length.
    rounding: f64,
}

impl<M: Manifold> Iterate<M> {
    /// Below this promised decrease the objective's own rounding decides.
    fn least_promise(&self) -> f64 {
        let square = self.mean.mean_square;
        (ROUNDING * square).max(self.rounding * square.sqrt())
    }
}

impl<'a, M: Manifold> Descent<'a, M> {
    pub(super) fn new(manifold: &'a M, asked: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self { manifold, pairs: VecDeque::new(), at: None, asked }
    }

    /// Minimizes from `start`.
    pub(super) fn run<C: Cloud<M>>(
        &mut self,
        cloud: &C,
        start: M::Point,
        options: FrechetOptions,
    ) -> Result<FrechetMean<M::Point>, ManifoldError> {
        let evaluate = |point: M::Point| -> Result<Iterate<M>, ManifoldError> {
            let mean = cloud.mean_log(self.manifold, &point)?;
            let norm = self.manifold.norm(&point, &mean.log);
            if norm.is_finite() && mean.mean_square.is_finite() {
                let rounding = self.manifold.rounding(&point) * mean.mean_square.sqrt().max(1.0);
                Ok(Iterate { point, mean, norm, rounding })
            } else {
                Err(ManifoldError::NotFinite("Fréchet mean"))
            }
        };
        let manifold = self.manifold;
        let mut current = evaluate(start)?;
        let (mut iterations, mut evaluations) = (0, 1);
        let tolerance = options.gradient_tolerance;
        self.move_to(&current.point);
        let stop = loop {
            if current.norm <= tolerance {
                break Stop::Converged;
            }
            if iterations == options.max_iterations {
                break Stop::IterationCap;
            }
            if (self.asked)() {
                break Stop::Asked;
            }
            let step = self.direction(&current);
            let slope = manifold.inner(&current.point, &current.mean.log, &step);
            let mut accepted = None;
            let mut length = 1.0;
            for _ in 0..HALVINGS {
                let scaled = manifold.scale(length, &step);
                // A trial beyond the cut locus of some point is a step too long.
                if let Ok(trial) = evaluate(manifold.exp(&current.point, &scaled)) {
                    evaluations += 1;
                    if acceptable(&current, &trial, length * slope) {
                        accepted = Some((scaled, trial));
                        break;
                    }
                    // At rounding level shorter steps show nothing new.
                    if at_rounding(&current, length * slope) {
                        break;
                    }
                }
                length *= 0.5;
            }
            let Some((scaled, trial)) = accepted else {
                if self.pairs.is_empty() {
                    break Stop::Stalled;
                }
                // Old curvature may mislead: once more along the gradient.
                self.pairs.clear();
                continue;
            };
            self.remember(&current, &trial, &scaled);
            current = trial;
            iterations += 1;
        };
        Ok(FrechetMean {
            objective: 0.5 * current.mean.mean_square,
            certificate: Stationarity {
                gradient_norm: current.norm,
                tolerance,
                // Where points are far apart, so much more is lost.
                rounding: current.rounding.max(tolerance * current.mean.mean_square.sqrt().max(1.0)),
                iterations,
                evaluations,
                stop,
            },
            point: current.point,
        })
    }

    /// The two-loop recursion; without pairs, the Newton step of a flat space.
    fn direction(&self, current: &Iterate<M>) -> M::Tangent {
        let (m, p) = (self.manifold, &current.point);
        let mut d = current.mean.log.clone();
        let mut alphas = Vec::with_capacity(self.pairs.len());
        for pair in self.pairs.iter().rev() {
            let alpha = pair.inverse * m.inner(p, &pair.s, &d);
            m.axpy(-alpha, &pair.y, &mut d);
            alphas.push(alpha);
        }
        if let Some(last) = self.pairs.back() {
            d = m.scale(1.0 / (last.inverse * m.inner(p, &last.y, &last.y)), &d);
        }
        for (pair, alpha) in self.pairs.iter().zip(alphas.into_iter().rev()) {
            let beta = pair.inverse * m.inner(p, &pair.y, &d);
            m.axpy(alpha - beta, &pair.s, &mut d);
        }
        d
    }

    /// Adds the pair of an accepted step and carries everything to the new point.
    fn remember(&mut self, from: &Iterate<M>, to: &Iterate<M>, step: &M::Tangent) {
        let m = self.manifold;
        self.move_to(&to.point);
        let carried = m.transport(&from.point, &to.point, step).and_then(|s| {
            let old = m.transport(&from.point, &to.point, &from.mean.log)?;
            Ok((s, old))
        });
        let Ok((s, mut y)) = carried else { return };
        // The gradient is minus the mean log: y = −new + old.
        m.axpy(-1.0, &to.mean.log, &mut y);
        let (sy, ss) = (m.inner(&to.point, &s, &y), m.inner(&to.point, &s, &s));
        if sy > 1e-8 * ss && sy > 0.0 {
            if self.pairs.len() == MEMORY {
                self.pairs.pop_front();
            }
            self.pairs.push_back(Pair { s, y, inverse: 1.0 / sy });
        }
    }

    /// Carries the pairs to the tangent space at `to`; forgets those that cannot be carried.
    fn move_to(&mut self, to: &M::Point) {
        let m = self.manifold;
        if let Some(from) = self.at.replace(to.clone()) {
            self.pairs = std::mem::take(&mut self.pairs)
                .into_iter()
                .filter_map(|pair| {
                    let s = m.transport(&from, to, &pair.s).ok()?;
                    let y = m.transport(&from, to, &pair.y).ok()?;
                    Some(Pair { s, y, inverse: pair.inverse })
                })
                .collect();
        }
    }
}

/// Whether the decrease a step promises is lost in the objective's rounding error.
fn at_rounding<M: Manifold>(current: &Iterate<M>, promised: f64) -> bool {
    promised <= current.least_promise()
}

/// Armijo's rule on the objective; where its change is lost in rounding, a smaller gradient.
fn acceptable<M: Manifold>(current: &Iterate<M>, trial: &Iterate<M>, promised: f64) -> bool {
    if at_rounding(current, promised) {
        return trial.norm < current.norm && promised > 0.0;
    }
    promised > 0.0 && 0.5 * trial.mean.mean_square <= 0.5 * current.mean.mean_square - 1e-4 * promised
}
