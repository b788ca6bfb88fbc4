//! Private Riemannian optimization: DP-RGD, DP-RSGD and DP-RSVRG for losses on any manifold of [`crate::manifold`].
//!
//! min over w ∈ M of F(w) = (1/n) Σ f(w; zᵢ), with tangent Gaussian noise on clipped gradients (Han et al. 2022; Utpala et
//! al. 2023, with the slips of both mended).
//!
//! 1. A [`Problem`] is a manifold, a loss of one record and its Riemannian gradient.
//! 2. A [`Plan`] says what a [`Method`] costs and how much noise it needs, before a record is read
//!    ([`Plan::calibrate`]); [`accounting`] proves it.
//! 3. A ledger is charged, and [`optimize`] takes the proof of payment, draws and steps.
//!
//! ```
//! use nalgebra::dvector;
//! use visard::manifold::Sphere;
//! use visard::optimize::{FrechetMeanProblem, Method, Plan, Settings, State, optimize};
//! use visard::privacy::{ClipRadius, ClipSource, Ledger, Mu, PrivacyLoss, noise::NoiseSource};
//! let points: Vec<_> = (0..400).map(|i| (0.3 * f64::from(i)).sin_cos()).map(|(s, c)| {
//!     dvector![0.2 * s, 0.2 * c, (1.0f64 - 0.04).sqrt()]
//! }).collect();
//! let problem = FrechetMeanProblem::new(Sphere::unit(2)?, points)?;
//! let clip = ClipRadius::new(0.5, ClipSource::Public)?;
//! let plan = Plan::calibrate(Method::GradientDescent { steps: 5 }, 400, clip, PrivacyLoss::Gaussian(Mu::new(1.0)?))?;
//! let mut ledger = Ledger::in_memory(None);
//! let paid = ledger.charge_part(plan.part())?;
//! let start = State::at(dvector![0.0, 0.6, 0.8]);
//! let done = optimize(&problem, &plan, &Settings::default(), start, &mut NoiseSource::from_os()?, paid, &mut |_, _| {
//!     std::ops::ControlFlow::Continue(())
//! })?;
//! assert!(done.point[2] > 0.95);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod accounting;
mod audit;
mod calibrate;
mod clip;
mod descent;
mod error;
pub mod experiments;
mod method;
mod plan;
mod problem;
mod problems;
mod settings;

pub use accounting::Sampling;
pub use audit::{OPTIMIZATION_AUDITS, optimization_audit};
pub use descent::{Observer, Outcome, Report, State, StopReason, check_start, optimize};
pub use error::{OptimizeError, PlanError};
pub use method::{Correction, Method, NoiseSplit};
pub use plan::{Plan, QueryNoise, QuerySensitivity};
pub use problem::{OracleError, Point, Problem, Tangent, check_oracle};
pub use problems::{
    FrechetMeanProblem, LeadingEigenvector, PrincipalSubspace, Tree, TreeEmbedding, TreeError,
};
pub use settings::{Output, Settings, StepSize};

#[cfg(test)]
mod tests;
