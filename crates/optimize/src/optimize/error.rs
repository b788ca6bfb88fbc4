//! What can be wrong. No message carries anything of a record.

use super::problem::OracleError;
use crate::manifold::ManifoldError;
use crate::privacy::BudgetError;
use crate::privacy::noise::NoiseError;

/// A plan that cannot be made. Nothing in it depends on the records.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A budget, clip radius or scale out of range.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// n = 0.
    #[error("there are no records")]
    NoRecords,
    /// A batch no dataset of n records has.
    #[error("a batch of {batch} records cannot be drawn from {n}; take 1 to {n}")]
    Batch {
        /// Its size.
        batch: usize,
        /// The number of records.
        n: usize,
    },
    /// Zero steps, epochs or restarts.
    #[error("{0} must be at least 1")]
    Zero(&'static str),
    /// More steps than can be counted.
    #[error("more than 2^32 noised gradients; take fewer steps")]
    TooManySteps,
    /// The budget is in a unit the method's theorem does not give.
    #[error(
        "{0} is accounted for by Renyi privacy and needs epsilon and delta; only full gradients have a mu"
    )]
    NeedsDelta(&'static str),
    /// No noise, however large, meets the budget.
    #[error("no amount of noise meets this budget; raise epsilon or delta")]
    OutOfReach,
    /// Noise for which there is no lattice.
    #[error("noise of this size is out of scale; change the clip radius or the budget")]
    OutOfScale,
    /// A parameter of the method.
    #[error("{name} must be {range}, got {value}")]
    Parameter {
        /// Which.
        name: &'static str,
        /// What is allowed.
        range: &'static str,
        /// What was given.
        value: f64,
    },
}

/// Why an optimization did not start or go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OptimizeError {
    /// The plan.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The start point.
    #[error("the start point: {0}")]
    Start(ManifoldError),
    /// The gradient oracle.
    #[error(transparent)]
    Oracle(#[from] OracleError),
    /// The plan was made for another number of records.
    #[error("the plan is for {plan} records, the problem has {problem}")]
    Records {
        /// n of the plan.
        plan: usize,
        /// n of the problem.
        problem: usize,
    },
    /// The noise would throw the iterates about.
    #[error(
        "the noise moves an iterate by about {expected:.3} in one step, above the limit {limit:.3}: the result would be \
         noise; raise epsilon, lower the step size or the clip radius, take fewer steps, or raise the limit"
    )]
    NoiseTooLarge {
        /// Expected length η σ √dim.
        expected: f64,
        /// The longest step allowed.
        limit: f64,
    },
    /// The charge or the generator.
    #[error(transparent)]
    Noise(#[from] NoiseError),
}
