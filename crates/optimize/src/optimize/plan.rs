//! What a run costs and how much noise it needs: known before a record is read.

use super::PlanError;
use super::accounting::Sampling;
use super::calibrate::{Target, VarianceReducedNoise, full_gradient_multiplier, smallest_multiplier};
use super::method::{Correction, Method};
use crate::privacy::noise::IntegerClip;
use crate::privacy::{
    Caveat, ClipRadius, ClipSource, Composition, Cost, Delta, L2Sensitivity, Part, PrivacyLoss, Statement,
};
use serde::Serialize;
use serde_json::json;

const GRADIENT: &str = "gradient";
const ANCHOR: &str = "anchor gradient";
pub(super) const CORRECTION: &str = "correction";

/// The noise on one kind of query.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct QueryNoise {
    /// How often the query is made.
    pub times: u32,
    /// z = σ over the largest norm of one record's share of the result. (Sums divided by the batch: σ = z·C/batch.)
    pub multiplier: f64,
    /// Which records it sees.
    pub sampling: Sampling,
}

impl QueryNoise {
    /// What all the queries of this kind cost together.
    fn part(&self, name: &str, n: usize) -> Result<Part, PlanError> {
        let cost = self.sampling.cost(n, self.multiplier)?;
        Ok(Part { mechanism: name.into(), times: self.times, cost })
    }
}

/// A method with its noise, for n records clipped to a radius, within a budget.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    n: usize,
    method: Method,
    clip: ClipRadius,
    gradient: QueryNoise,
    correction: Option<QueryNoise>,
    composition: Composition,
    loss: PrivacyLoss,
}

impl Plan {
    /// The plan with the least noise that meets the budget: μ or (ε, δ) where every gradient is full, (ε, δ) otherwise.
    /// Gradients are clipped to the public radius `clip`.
    ///
    /// # Errors
    /// [`PlanError`].
    pub fn calibrate(
        method: Method,
        n: usize,
        clip: ClipRadius,
        budget: PrivacyLoss,
    ) -> Result<Self, PlanError> {
        let queries = queries(&method, n)?;
        let target = Target::new(budget, method.name())?;
        let (first, second) = match (method, queries.correction) {
            (Method::VarianceReduced { correction, split, .. }, Some((times, sampling))) => {
                let noise = VarianceReducedNoise {
                    n,
                    anchors: queries.gradient.0,
                    corrections: times,
                    sampling,
                    // σ₁ = z₁·first, σ₂ = z₂·second; a Lipschitz correction is sized at the distance C.
                    first: clip.get() / n as f64,
                    second: correction.reach(clip.get()) / sampling.batch(n) as f64,
                };
                let (first, second) = noise.calibrate(split, &target)?;
                (first, Some(second))
            }
            _ => {
                let (times, sampling) = queries.gradient;
                let multiplier = if sampling.is_full(n) {
                    full_gradient_multiplier(times, &target)?
                } else {
                    smallest_multiplier(n, times, sampling, &target)?
                };
                (multiplier, None)
            }
        };
        let mut plan = Self::assemble(method, n, clip, first, second)?;
        plan.loss = budget;
        Ok(plan)
    }

    /// The plan with given noise multipliers (see [`QueryNoise`]); `correction` for DP-RSVRG only. Its loss is stated at δ.
    ///
    /// # Errors
    /// [`PlanError`].
    pub fn with_noise(
        method: Method,
        n: usize,
        clip: ClipRadius,
        gradient: f64,
        correction: Option<f64>,
        delta: Delta,
    ) -> Result<Self, PlanError> {
        let mut plan = Self::assemble(method, n, clip, gradient, correction)?;
        plan.loss = PrivacyLoss::approximate(plan.composition.epsilon_at(delta)?.epsilon, delta);
        Ok(plan)
    }

    fn assemble(
        method: Method,
        n: usize,
        clip: ClipRadius,
        first: f64,
        second: Option<f64>,
    ) -> Result<Self, PlanError> {
        let queries = queries(&method, n)?;
        for multiplier in [Some(first), second].into_iter().flatten() {
            if !(multiplier > 0.0 && multiplier.is_finite()) {
                let (name, range) = ("the noise multiplier", "a positive finite number");
                return Err(PlanError::Parameter { name, range, value: multiplier });
            }
        }
        let (times, sampling) = queries.gradient;
        let gradient = QueryNoise { times, multiplier: first, sampling };
        let correction = match (queries.correction, second) {
            (Some((times, sampling)), Some(multiplier)) => Some(QueryNoise { times, multiplier, sampling }),
            (None, None) => None,
            (Some(_), None) => return Err(PlanError::Zero("the noise of corrections")),
            (None, Some(value)) => {
                let (name, range) = ("the noise of corrections", "absent: this method has none");
                return Err(PlanError::Parameter { name, range, value });
            }
        };
        let mut composition = Composition::new();
        let name = if correction.is_some() { ANCHOR } else { GRADIENT };
        for (name, noise) in [(name, Some(gradient)), (CORRECTION, correction)] {
            if let Some(noise) = noise {
                let part = noise.part(name, n)?;
                composition.push(part.mechanism, part.times, part.cost);
            }
        }
        let loss = composition.total()?;
        Ok(Self { n, method, clip, gradient, correction, composition, loss })
    }

    /// n.
    pub fn records(&self) -> usize {
        self.n
    }

    /// The method.
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// The radius gradients are clipped to.
    pub fn clip(&self) -> ClipRadius {
        self.clip
    }

    /// The noise on gradients (of DP-RSVRG: on the anchors').
    pub fn gradient(&self) -> QueryNoise {
        self.gradient
    }

    /// The noise on corrections.
    pub fn correction(&self) -> Option<QueryNoise> {
        self.correction
    }

    /// σ of the noise on a (mean) gradient, per dimension of the tangent space, but for the lattice (a share of 2⁻³¹).
    pub fn gradient_sigma(&self) -> f64 {
        let batch = self.gradient.sampling.batch(self.n) as f64;
        self.gradient.multiplier * self.clip.get() / batch
    }

    /// σ of the noise on a correction made at this distance from the anchor, but for the lattice; 0 without corrections.
    pub fn correction_sigma(&self, distance: f64) -> f64 {
        let Method::VarianceReduced { correction, .. } = self.method else { return 0.0 };
        self.correction.map_or(0.0, |noise| {
            let batch = noise.sampling.batch(self.n) as f64;
            noise.multiplier * correction.reach(distance) / batch
        })
    }

    /// How gradients of so many coordinates are clipped and noised.
    ///
    /// # Errors
    /// [`PlanError::OutOfScale`] for extreme radii and multipliers.
    pub(super) fn gradient_clip(&self, dim: usize) -> Result<IntegerClip, PlanError> {
        let clip = IntegerClip::with_multiplier(dim, self.clip.get(), self.gradient.multiplier);
        clip.map_err(|_| PlanError::OutOfScale)
    }

    /// How corrections are clipped and noised at the largest distance from the anchor; `None` for methods that have none.
    ///
    /// # Errors
    /// As [`Self::gradient_clip`].
    pub(super) fn widest_correction_clip(&self, dim: usize) -> Result<Option<IntegerClip>, PlanError> {
        match self.correction {
            None => Ok(None),
            Some(_) => self.correction_clip(dim, f64::INFINITY).map(Some).ok_or(PlanError::OutOfScale),
        }
    }

    /// How corrections are, at this distance from the anchor; `None` where they are too short for a lattice, at the anchor itself for
    /// one: then the records are not asked.
    pub(super) fn correction_clip(&self, dim: usize, distance: f64) -> Option<IntegerClip> {
        let Method::VarianceReduced { correction, .. } = self.method else { return None };
        let noise = self.correction?;
        IntegerClip::with_multiplier(dim, correction.reach(distance), noise.multiplier).ok()
    }

    /// What the whole run costs, part by part.
    pub fn composition(&self) -> &Composition {
        &self.composition
    }

    /// The stated loss: the budget it was calibrated to.
    pub fn loss(&self) -> PrivacyLoss {
        self.loss
    }

    /// The entry a ledger is charged with ([`crate::privacy::Ledger::charge_part`]).
    pub fn part(&self) -> Part {
        self.named_part(self.method.name())
    }

    /// The entry under another name.
    pub(crate) fn named_part(&self, name: impl Into<String>) -> Part {
        Part { mechanism: name.into(), times: 1, cost: Cost::Parts(self.composition.clone()) }
    }

    /// What the data holder should think about before paying: δ above 1/n lets a mechanism publish whole records.
    pub fn warnings(&self) -> Vec<String> {
        match self.loss {
            PrivacyLoss::Approximate(_, delta) if delta.get() > 1.0 / self.n as f64 => vec![format!(
                "delta = {} is above 1/n = {:.3e}: it allows publishing some record outright; state a smaller one",
                delta.get(),
                1.0 / self.n as f64
            )],
            _ => Vec::new(),
        }
    }

    /// What certificates say of it beyond its price.
    ///
    /// # Errors
    /// [`PlanError::Budget`].
    pub fn describe(&self, statement: &mut Statement) -> Result<(), PlanError> {
        statement.caveats.extend(self.warnings().into_iter().map(Caveat::Other));
        let delta = match self.loss {
            PrivacyLoss::Approximate(_, delta) => delta,
            _ => Delta::new(1e-6)?,
        };
        let details = json!({
            "accountant": self.composition.epsilon_at(delta)?.rule.describe(),
            "method": self.method,
            "gradient_noise": self.gradient,
            "correction_noise": self.correction,
            "sensitivities": self.sensitivities()?,
        });
        if let serde_json::Value::Object(details) = details {
            statement.details.extend(details);
        }
        Ok(())
    }
}

/// How far one record moves one kind of query, for a certificate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QuerySensitivity {
    /// The query, as the composition names it.
    pub query: &'static str,
    /// Δ in the norm at the point where the query is made. For corrections bounded by the distance d from the anchor, the largest it
    /// can be.
    pub sensitivity: f64,
    /// What d does to it, where it does: Δ = min(`per_distance`·d, `sensitivity`), and the noise goes with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_distance: Option<f64>,
}

impl Plan {
    /// The sensitivity of every kind of query: of gradients, and of the corrections of DP-RSVRG. The noise of each is its multiplier
    /// times half of its sensitivity.
    ///
    /// # Errors
    /// [`PlanError::Budget`].
    pub fn sensitivities(&self) -> Result<Vec<QuerySensitivity>, PlanError> {
        let of = |norm: f64, sampling: Sampling| -> Result<f64, PlanError> {
            let norm = ClipRadius::new(norm, ClipSource::Public)?;
            Ok(L2Sensitivity::of_clipped_mean(norm, sampling.batch(self.n) as u64)?.get())
        };
        let query = if self.correction.is_some() { ANCHOR } else { GRADIENT };
        let sensitivity = of(self.clip.get(), self.gradient.sampling)?;
        let mut all = vec![QuerySensitivity { query, sensitivity, per_distance: None }];
        if let (Some(noise), Method::VarianceReduced { correction, .. }) = (self.correction, self.method) {
            let sensitivity = of(correction.reach(f64::INFINITY), noise.sampling)?;
            let per_distance = match correction {
                Correction::Lipschitz { constant, .. } => Some(of(constant, noise.sampling)?),
                Correction::Separate(_) | Correction::Difference(_) => None,
            };
            all.push(QuerySensitivity { query: CORRECTION, sensitivity, per_distance });
        }
        Ok(all)
    }
}

/// The queries a method makes: how often, and on which records.
struct Queries {
    gradient: (u32, Sampling),
    correction: Option<(u32, Sampling)>,
}

fn queries(method: &Method, n: usize) -> Result<Queries, PlanError> {
    if n == 0 {
        return Err(PlanError::NoRecords);
    }
    let at_least_one = |value: u32, name| if value == 0 { Err(PlanError::Zero(name)) } else { Ok(value) };
    match *method {
        Method::GradientDescent { steps } => {
            let steps = at_least_one(steps, "the number of steps")?;
            Ok(Queries { gradient: (steps, Sampling::All), correction: None })
        }
        Method::Stochastic { steps, sampling } => {
            sampling.check(n)?;
            let steps = at_least_one(steps, "the number of steps")?;
            Ok(Queries { gradient: (steps, sampling), correction: None })
        }
        Method::VarianceReduced { epochs, inner, restarts, sampling, correction, .. } => {
            sampling.check(n)?;
            at_least_one(epochs, "the number of epochs")?;
            at_least_one(inner, "the number of steps in an epoch")?;
            at_least_one(restarts, "the number of runs")?;
            let bad = |value: &f64| !(*value > 0.0 && value.is_finite());
            if let Some(value) = correction.parameters().into_iter().find(bad) {
                let (name, range) = ("the bound of corrections", "a positive finite number");
                return Err(PlanError::Parameter { name, range, value });
            }
            let anchors = epochs.checked_mul(restarts).ok_or(PlanError::TooManySteps)?;
            let corrections = anchors.checked_mul(inner).ok_or(PlanError::TooManySteps)?;
            Ok(Queries { gradient: (anchors, Sampling::All), correction: Some((corrections, sampling)) })
        }
    }
}
