//! A whole run as one mechanism.

use super::{
    OptimizeError, Plan, PlanError, PointOf, Problem, Settings, State, StopReason, check_start, optimize,
};
use crate::manifold::Manifold;
use crate::privacy::noise::{IntegerClip, NoiseDescription, NoisePath, NoiseSource};
use crate::privacy::{Charge, Drawn, L2Sensitivity, Mechanism, NoisedPart, Price, Sensitivity, Title};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

pub(super) const RGD: Title = Title {
    name: "DP-RGD",
    sentence: "From a public start, steps are made along the average of the records' gradients, each shortened to a public length, with \
               normal noise added to every step.",
};

pub(super) const RSGD: Title = Title {
    name: "DP-RSGD",
    sentence: "From a public start, steps are made along the average of the gradients of a random part of the records, each shortened to \
               a public length, with normal noise added to every step.",
};

pub(super) const RSVRG: Title = Title {
    name: "DP-RSVRG",
    sentence: "From a public start, steps are made along a noised average of all records' gradients, corrected by noised differences of a \
               random part of the records, every contribution shortened to a public length.",
};

/// A planned run from a public start.
///
#[doc = include_str!("proof.md")]
#[derive(Debug, Clone)]
pub struct Descent<P: Problem> {
    plan: Plan,
    settings: Settings,
    start: PointOf<P>,
    price: Price,
    parts: Vec<NoisedPart>,
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Optimized<T> {
    /// The point.
    pub point: T,
    /// Why the run ended: a function of noised values.
    pub stop: StopReason,
}

impl<P: Problem> Descent<P> {
    /// The run of `plan` on a space of the problem's kind.
    ///
    /// # Errors
    /// [`OptimizeError::Plan`] for bounds that overflow.
    pub fn new(
        space: &P::Space,
        plan: Plan,
        settings: Settings,
        start: PointOf<P>,
    ) -> Result<Self, OptimizeError> {
        let parts = plan.noised_parts(space.dim())?;
        let price = plan.price(space.dim())?;
        Ok(Self { plan, settings, start, price, parts })
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Where it begins.
    pub fn start(&self) -> &PointOf<P> {
        &self.start
    }

    /// What was drawn, of a run that has ended at `value`.
    pub fn drawn(&self, value: Optimized<PointOf<P>>) -> Drawn<Optimized<PointOf<P>>> {
        Drawn { value, parts: self.parts.clone() }
    }
}

impl<P: Problem> Mechanism for Descent<P> {
    type Records = P;
    type Prepared<'a>
        = &'a P
    where
        Self: 'a;
    type Value = Optimized<PointOf<P>>;
    type Error = OptimizeError;

    fn price(&self) -> &Price {
        &self.price
    }

    fn prepare<'a>(&'a self, problem: &'a P) -> Result<&'a P, OptimizeError> {
        check_start(problem, &self.plan, &self.settings, &self.start)?;
        Ok(problem)
    }

    fn draw(
        &self,
        problem: &&P,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<Self::Value>, OptimizeError> {
        let state = State::at(self.start.clone());
        let done = optimize(*problem, &self.plan, &self.settings, state, noise, paid, &mut |_, _| {
            ControlFlow::Continue(())
        })?;
        Ok(self.drawn(Optimized { point: done.point, stop: done.stop }))
    }
}

impl Plan {
    /// What a run costs on a manifold of this dimension.
    ///
    /// # Errors
    /// [`OptimizeError::Plan`] for bounds out of scale.
    pub fn price(&self, dim: usize) -> Result<Price, OptimizeError> {
        let title = match self.method() {
            super::Method::GradientDescent { .. } => RGD,
            super::Method::Stochastic { .. } => RSGD,
            super::Method::VarianceReduced { .. } => RSVRG,
        };
        let what = "average of the records' clipped gradients, at every step";
        let price = Price::new(title, self.records() as u64, self.loss(), what).map_err(PlanError::from)?;
        let gradient =
            Noised::new(&self.gradient_clip(dim)?, self.gradient().sampling.batch(self.records()))?;
        let price = price.with_noise(gradient.sensitivity, gradient.noise.scale).with_clip(self.clip());
        Ok(Price { parts: self.composition().clone(), ..price })
    }

    /// How the queries of a run are noised on a manifold of this dimension, corrections at the largest distance from the anchor;
    /// gradients last.
    fn noised_parts(&self, dim: usize) -> Result<Vec<NoisedPart>, PlanError> {
        let n = self.records();
        let mut clips = Vec::new();
        if let (Some(clip), Some(noise)) = (self.widest_correction_clip(dim)?, self.correction()) {
            clips.push((clip, noise.sampling.batch(n), None));
        }
        clips.push((self.gradient_clip(dim)?, self.gradient().sampling.batch(n), Some(self.clip())));
        let entries = self.composition().parts().iter().rev();
        clips
            .into_iter()
            .zip(entries)
            .map(|((clip, batch, radius), entry)| {
                let Noised { sensitivity, noise } = Noised::new(&clip, batch)?;
                Ok(NoisedPart {
                    what: entry.mechanism.clone(),
                    loss: entry.loss().unwrap_or(self.loss()),
                    sensitivity,
                    clip: radius,
                    noise,
                    expected_error: None,
                })
            })
            .collect()
    }
}

/// How an average over a batch is noised.
struct Noised {
    sensitivity: Sensitivity,
    noise: NoiseDescription,
}

impl Noised {
    fn new(clip: &IntegerClip, batch: usize) -> Result<Self, PlanError> {
        let batch = batch as f64;
        let noise = NoiseDescription {
            distribution: "gaussian".into(),
            path: NoisePath::Lattice,
            scale: clip.scale() / batch,
            dimension: clip.dimension(),
            step: Some(clip.step() / batch),
            sampler: "exact normal (Karney 2016), rounded, in coordinates at every iterate".into(),
        };
        let sensitivity = L2Sensitivity::new((clip.sensitivity() / batch).next_up())?;
        Ok(Self { sensitivity: Sensitivity::L2(sensitivity), noise })
    }
}
