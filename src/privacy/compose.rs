//! Composition: several releases from the same data, adaptively chosen, counted as one.

use super::pairs::DominatingPairs;
use super::rounding::{add_up, mul_up};
use super::{BudgetError, Delta, Epsilon, Mu, PrivacyLoss, RenyiCurve, Rho};
use serde::{Deserialize, Serialize};

mod leaves;

use leaves::{Leaves, sum_delta, sum_epsilon};

/// One entry of a composition: a release, or a named group of releases, repeated `times`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RawPart", into = "RawPart")]
pub struct Part {
    /// The mechanism's name in the literature, or the group's.
    pub mechanism: String,
    /// How often it was run.
    pub times: u32,
    /// What one run costs.
    pub cost: Cost,
}

/// The cost of one entry.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Cost {
    /// A loss in the unit of its theorem.
    Loss(PrivacyLoss),
    /// A Rényi curve.
    Renyi(RenyiCurve),
    /// A group.
    Parts(Composition),
}

/// The JSON form: `mechanism`, `times` unless 1, and one of `loss`, `renyi`, `parts`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPart {
    mechanism: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    times: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none", default, deserialize_with = "present")]
    loss: Option<PrivacyLoss>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    renyi: Option<RenyiCurve>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    parts: Option<Composition>,
}

/// A loss that is there, be it `null`.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<PrivacyLoss>, D::Error> {
    PrivacyLoss::deserialize(deserializer).map(Some)
}

impl From<Part> for RawPart {
    fn from(part: Part) -> Self {
        let times = (part.times != 1).then_some(part.times);
        let mut raw = Self { mechanism: part.mechanism, times, loss: None, renyi: None, parts: None };
        match part.cost {
            Cost::Loss(loss) => raw.loss = Some(loss),
            Cost::Renyi(curve) => raw.renyi = Some(curve),
            Cost::Parts(parts) => raw.parts = Some(parts),
        }
        raw
    }
}

impl TryFrom<RawPart> for Part {
    type Error = BudgetError;
    fn try_from(raw: RawPart) -> Result<Self, BudgetError> {
        let cost = match (raw.loss, raw.renyi, raw.parts) {
            (Some(loss), None, None) => Cost::Loss(loss),
            (None, Some(curve), None) => Cost::Renyi(curve),
            (None, None, Some(parts)) => Cost::Parts(parts),
            _ => {
                return Err(BudgetError::NoSuchBound(
                    "an entry of a composition has exactly one of loss, renyi and parts",
                ));
            }
        };
        Ok(Self { mechanism: raw.mechanism, times: raw.times.unwrap_or(1), cost })
    }
}

/// A tree of releases under sequential (adaptive) composition.
///
/// ```
/// use visard::privacy::{Composition, Mu, PrivacyLoss};
/// let mut face = Composition::new();
/// for axis in ["x", "y", "z"] {
///     face.add(axis, PrivacyLoss::Gaussian(Mu::new(0.5)?));
/// }
/// assert!((face.mu()?.map_or(0.0, Mu::get) - 0.75f64.sqrt()).abs() < 1e-15);
/// # Ok::<(), visard::privacy::BudgetError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Composition {
    parts: Vec<Part>,
}

/// By which theorem an ε was obtained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// Nothing was released.
    Empty,
    /// Σε, Σδ.
    Sum,
    /// √(Σμ²) and the exact δ(ε) of μ-GDP.
    GaussianRoot,
    /// The exact hockey-stick divergence of the product of dominating pairs.
    DominatingPairs,
    /// Sum of Rényi curves.
    RenyiSum,
    /// Rényi for the terms known only by their curves, dominating pairs for the rest, δ split between them.
    Split,
}

impl Rule {
    /// One line for people.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Empty => "nothing released",
            Self::Sum => "sum of the epsilons, sum of the deltas",
            Self::GaussianRoot => "root of the sum of mu squared, exact Gaussian curve",
            Self::DominatingPairs => "exact product of dominating pairs",
            Self::RenyiSum => "sum of Renyi curves",
            Self::Split => "Renyi sum and dominating pairs, delta split",
        }
    }
}

/// An ε and how it was obtained.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EpsilonBound {
    /// ε, rounded up.
    pub epsilon: Epsilon,
    /// The rule that gave the smallest.
    pub rule: Rule,
}

impl From<Part> for Composition {
    /// Of one entry.
    fn from(part: Part) -> Self {
        Self { parts: vec![part] }
    }
}

impl Composition {
    /// No releases.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one release.
    pub fn add(&mut self, mechanism: impl Into<String>, loss: PrivacyLoss) -> &mut Self {
        self.push(mechanism, 1, Cost::Loss(loss))
    }

    /// Adds one release known by its Rényi curve.
    pub fn add_renyi(&mut self, mechanism: impl Into<String>, curve: RenyiCurve) -> &mut Self {
        self.push(mechanism, 1, Cost::Renyi(curve))
    }

    /// Adds a named group.
    pub fn add_group(&mut self, name: impl Into<String>, group: Composition) -> &mut Self {
        self.push(name, 1, Cost::Parts(group))
    }

    /// Adds an entry repeated `times`.
    pub fn push(&mut self, mechanism: impl Into<String>, times: u32, cost: Cost) -> &mut Self {
        self.parts.push(Part { mechanism: mechanism.into(), times, cost });
        self
    }

    /// The entries.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Whether anything was released.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The total μ, rounded up: √(Σμ²), pure terms converted. `None` when a term has no μ or there are none.
    ///
    /// # Errors
    /// [`BudgetError`] when the sum overflows.
    pub fn mu(&self) -> Result<Option<Mu>, BudgetError> {
        let leaves = self.leaves()?;
        if leaves.non_private || leaves.rho > 0.0 || leaves.curves.is_some() {
            return Ok(None);
        }
        let mut all = leaves.gaussians;
        for term in leaves.approximate.iter().filter(|t| t.epsilon > 0.0 || t.delta > 0.0) {
            if term.delta > 0.0 {
                return Ok(None);
            }
            let mu = Mu::of_pure(Epsilon::new(term.epsilon)?)?;
            all.push(Mu::new(mul_up(mu.get(), super::rounding::sqrt_up(f64::from(term.times))))?);
        }
        Mu::compose(all)
    }

    /// The total pure ε, rounded up. `None` when a term is not pure.
    ///
    /// # Errors
    /// [`BudgetError`] when the sum overflows.
    pub fn pure_epsilon(&self) -> Result<Option<Epsilon>, BudgetError> {
        let leaves = self.leaves()?;
        let pure = leaves.gaussians.is_empty()
            && leaves.curves.is_none()
            && leaves.rho == 0.0
            && !leaves.non_private
            && leaves.approximate.iter().all(|t| t.delta == 0.0);
        if pure { Epsilon::new(sum_epsilon(&leaves.approximate)).map(Some) } else { Ok(None) }
    }

    /// The total ρ, rounded up: pure terms as ε²/2, Gaussian as μ²/2. `None` when a term has no ρ or there are none.
    ///
    /// # Errors
    /// [`BudgetError`] when the sum overflows.
    pub fn rho(&self) -> Result<Option<Rho>, BudgetError> {
        let leaves = self.leaves()?;
        if leaves.non_private || leaves.curves.is_some() || leaves.approximate.iter().any(|t| t.delta > 0.0) {
            return Ok(None);
        }
        let mut sum = leaves.rho;
        for mu in &leaves.gaussians {
            sum = add_up(sum, mu.to_rho()?.get());
        }
        for term in &leaves.approximate {
            let one = mul_up(term.epsilon, 0.5 * term.epsilon);
            sum = add_up(sum, mul_up(one, f64::from(term.times)));
        }
        if sum == 0.0 { Ok(None) } else { Rho::new(sum).map(Some) }
    }

    /// The loss of everything together, in the unit that fits: pure when all is pure, else μ when every term has one,
    /// else ρ, else (ε, δ) at δ = twice the sum of the terms' own δ (at 1e-9 where they have none).
    ///
    /// # Errors
    /// [`BudgetError`] when a sum overflows or the δ leave nothing below 1.
    pub fn total(&self) -> Result<PrivacyLoss, BudgetError> {
        if let Some(epsilon) = self.pure_epsilon()? {
            return Ok(PrivacyLoss::Pure(epsilon));
        }
        if self.leaves()?.non_private {
            return Ok(PrivacyLoss::NonPrivate);
        }
        if let Some(mu) = self.mu()? {
            return Ok(PrivacyLoss::Gaussian(mu));
        }
        if let Some(rho) = self.rho()? {
            return Ok(PrivacyLoss::ZeroConcentrated(rho));
        }
        let leaves = self.leaves()?;
        let own = sum_delta(&leaves.approximate);
        let alone = leaves.gaussians.is_empty() && leaves.curves.is_none() && leaves.rho == 0.0;
        let delta = match (own > 0.0, alone) {
            (false, _) => 1e-9,
            (true, true) => own,
            (true, false) => 2.0 * own,
        };
        let delta = Delta::new(delta)?;
        Ok(PrivacyLoss::approximate(self.epsilon_at(delta)?.epsilon, delta))
    }

    /// The smallest ε at δ that any applicable rule proves.
    ///
    /// # Errors
    /// [`BudgetError::NoSuchBound`] when no rule gives a finite ε: something non-private was released, δ is no larger
    /// than what the terms already lose, or δ = 0 with a term that is not pure.
    pub fn epsilon_at(&self, delta: Delta) -> Result<EpsilonBound, BudgetError> {
        let leaves = self.leaves()?;
        if leaves.non_private {
            return Err(BudgetError::NoSuchBound("something was released without a privacy bound"));
        }
        let mut bounds: Vec<EpsilonBound> = Vec::new();
        let mut offer = |epsilon: Option<Epsilon>, rule| {
            if let Some(epsilon) = epsilon {
                bounds.push(EpsilonBound { epsilon, rule });
            }
        };
        if self.is_empty() {
            offer(Epsilon::new(0.0).ok(), Rule::Empty);
        }
        let exact = leaves.curves.is_none() && leaves.rho == 0.0;
        if exact && leaves.gaussians.is_empty() && sum_delta(&leaves.approximate) <= delta.get() {
            offer(Epsilon::new(sum_epsilon(&leaves.approximate)).ok(), Rule::Sum);
        }
        if exact && leaves.approximate.is_empty() {
            if let Some(mu) = Mu::compose(leaves.gaussians.iter().copied())? {
                offer(mu.epsilon_at(delta).ok(), Rule::GaussianRoot);
            }
        } else if delta.get() > 0.0 {
            let mu = Mu::compose(leaves.gaussians.iter().copied())?;
            if exact {
                let pairs = DominatingPairs::new(mu, &leaves.approximate);
                offer(pairs.epsilon_at(delta.get()), Rule::DominatingPairs);
            } else {
                offer(leaves.renyi_sum(delta.get())?, Rule::RenyiSum);
                offer(leaves.split(mu, delta.get())?, Rule::Split);
            }
        }
        bounds.into_iter().reduce(|a, b| if b.epsilon < a.epsilon { b } else { a }).ok_or(
            BudgetError::NoSuchBound(
                "no composition theorem gives a finite epsilon at this delta; state a larger delta",
            ),
        )
    }

    fn leaves(&self) -> Result<Leaves, BudgetError> {
        let mut leaves = Leaves::default();
        leaves.gather(self, 1)?;
        Ok(leaves)
    }
}

#[cfg(test)]
mod tests;
