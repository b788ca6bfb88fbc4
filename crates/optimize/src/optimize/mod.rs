//! Private Riemannian optimization: DP-RGD, DP-RSGD and DP-RSVRG for losses on any manifold of [`crate::manifold`].
//!
//! min over w ∈ M of F(w) = (1/n) Σ f(w; zᵢ), with tangent Gaussian noise on clipped gradients (Han et al. 2022; Utpala et
//! al. 2023, with the slips of both mended).
//!
//! 1. A [`Problem`] is a manifold, a loss of one record and its Riemannian gradient.
//! 2. A [`Plan`] says what a [`Method`] costs and how much noise it needs, before a record is read
//!    ([`Plan::calibrate`]); [`accounting`] proves it.
//! 3. A [`Descent`] is the whole run as one [`crate::privacy::Mechanism`]: priced, charged, drawn and described like any other.
//!    ([`optimize`] is its loop, for those who want to see every step.)
//!
//! ```
//! use nalgebra::dvector;
//! use visard_manifold::manifold::Sphere;
//! use visard_optimize::optimize::{Descent, FrechetMeanProblem, Method, Plan, Settings};
//! use visard_privacy::privacy::{ClipRadius, ClipSource, Ledger, Mu, PrivacyLoss, noise::NoiseSource, release};
//! let points: Vec<_> = (0..400).map(|i| (0.3 * f64::from(i)).sin_cos()).map(|(s, c)| {
//!     dvector![0.2 * s, 0.2 * c, (1.0f64 - 0.04).sqrt()]
//! }).collect();
//! let problem = FrechetMeanProblem::new(Sphere::unit(2)?, points)?;
//! let clip = ClipRadius::new(0.5, ClipSource::Public)?;
//! let plan = Plan::calibrate(Method::GradientDescent { steps: 5 }, 400, clip, PrivacyLoss::Gaussian(Mu::new(1.0)?))?;
//! let run = Descent::new(&Sphere::unit(2)?, plan, Settings::default(), dvector![0.0, 0.6, 0.8])?;
//! let released = release(&run, &problem, &mut Ledger::in_memory(None), &mut NoiseSource::from_os()?)?;
//! assert!(released.value.point[2] > 0.95);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod accounting;
mod audit;
mod calibrate;
mod clip;
mod descent;
mod error;
mod mechanism;
mod method;
mod plan;
mod problem;
mod problems;
mod settings;

pub use accounting::Sampling;
pub use descent::{Finished, Observer, Report, State, StopReason, check_start, optimize};
pub use error::{OptimizeError, PlanError};
pub use mechanism::{Descent, Optimized};
pub use method::{Correction, Method, NoiseSplit};
pub use plan::{Plan, QueryNoise, QuerySensitivity};
pub use problem::{OracleError, PointOf, Problem, TangentOf, check_oracle};
pub use problems::{
    FrechetMeanProblem, LeadingEigenvector, Persons, PrincipalSubspace, Tree, TreeEmbedding, TreeError,
};
pub use settings::{Output, Settings, StepSize};

use crate::privacy::Entry;
use audit::{RGD_ENTRY, RSGD_ENTRY, RSVRG_ENTRY};

/// The mechanisms here, as the registry of all knows them.
pub const ENTRIES: &[&Entry] = &[&RGD_ENTRY, &RSGD_ENTRY, &RSVRG_ENTRY];

#[cfg(test)]
mod tests;
