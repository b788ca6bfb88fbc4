//! A whole run as one mechanism.

use super::audit;
use super::{OptimizeError, Plan, PointOf, Problem, Settings, State, StopReason, check_start, optimize};
use crate::manifold::Manifold;
use crate::privacy::noise::{NoiseDescription, NoisePath, NoiseSource};
use crate::privacy::{Charge, Drawn, Entry, L2Sensitivity, Mechanism, NoisedPart, Price, Sensitivity, Title};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

const PROOF: &str = include_str!("proof.md");

/// Full gradients, as the registry knows them.
pub const RGD_ENTRY: Entry =
    Entry { name: "dp-rgd", title: RGD, proof: PROOF, scale: audit::scale_of_steps, worst_cases: audit::RGD };

/// Gradients of batches, as the registry knows them.
pub const RSGD_ENTRY: Entry = Entry {
    name: "dp-rsgd",
    title: RSGD,
    proof: PROOF,
    scale: audit::scale_of_batches,
    worst_cases: audit::RSGD,
};

/// Variance-reduced gradients, as the registry knows them.
pub const RSVRG_ENTRY: Entry = Entry {
    name: "dp-rsvrg",
    title: RSVRG,
    proof: PROOF,
    scale: audit::scale_of_epochs,
    worst_cases: audit::RSVRG,
};

const RGD: Title = Title {
    name: "DP-RGD",
    sentence: "From a public start, steps are made along the average of the records' gradients, each shortened to a public length, with \
               normal noise added to every step.",
};

const RSGD: Title = Title {
    name: "DP-RSGD",
    sentence: "From a public start, steps are made along the average of the gradients of a random part of the records, each shortened to \
               a public length, with normal noise added to every step.",
};

const RSVRG: Title = Title {
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
        let price = plan.price()?;
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
    /// What a run costs.
    ///
    /// # Errors
    /// [`OptimizeError::Plan`] for bounds that overflow.
    pub fn price(&self) -> Result<Price, OptimizeError> {
        let title = match self.method() {
            super::Method::GradientDescent { .. } => RGD,
            super::Method::Stochastic { .. } => RSGD,
            super::Method::VarianceReduced { .. } => RSVRG,
        };
        let what = "average of the records' clipped gradients, at every step";
        let price =
            Price::new(title, self.records() as u64, self.loss(), what).map_err(super::PlanError::from)?;
        let sensitivity = self.gradient_sensitivity()?;
        let price =
            price.with_noise(Sensitivity::L2(sensitivity), self.gradient_sigma()).with_clip(self.clip());
        Ok(Price { parts: self.composition().clone(), ..price })
    }

    /// How far one record moves a gradient: 2C/batch.
    fn gradient_sensitivity(&self) -> Result<L2Sensitivity, super::PlanError> {
        let batch = self.gradient().sampling.batch(self.records()) as u64;
        Ok(L2Sensitivity::of_clipped_mean(self.clip(), batch)?)
    }

    /// How the queries of a run are noised on a manifold of this dimension; gradients last.
    fn noised_parts(&self, dimension: usize) -> Result<Vec<NoisedPart>, super::PlanError> {
        let noise = |scale| NoiseDescription {
            distribution: "tangent-gaussian".into(),
            path: NoisePath::IdealizedReals,
            scale,
            dimension,
            step: None,
            sampler: "standard normals in an isometric frame".into(),
        };
        let mut parts = Vec::new();
        for query in self.sensitivities()?.into_iter().rev() {
            let (sigma, clip) = match query.per_distance {
                None if query.query == super::plan::CORRECTION => {
                    (self.correction_sigma(f64::INFINITY), None)
                }
                Some(_) => (self.correction_sigma(f64::INFINITY), None),
                None => (self.gradient_sigma(), Some(self.clip())),
            };
            let entry = self.composition().parts().iter().find(|part| part.mechanism == query.query);
            parts.push(NoisedPart {
                what: query.query.to_owned(),
                loss: entry.and_then(|part| part.loss()).unwrap_or(self.loss()),
                sensitivity: Sensitivity::L2(L2Sensitivity::new(query.sensitivity)?),
                clip,
                noise: noise(sigma),
                expected_error: None,
            });
        }
        Ok(parts)
    }
}
