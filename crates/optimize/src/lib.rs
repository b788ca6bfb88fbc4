//! Private Riemannian optimization: gradient methods on manifolds with noise on clipped gradients, and what they cost.
//!
//! For whoever has a loss of one record on a manifold and wants its minimum with a guarantee.
//!
//! ```
//! use visard_optimize::optimize::{Method, Plan};
//! use visard_privacy::privacy::{ClipRadius, ClipSource, Mu, PrivacyLoss};
//! let clip = ClipRadius::new(0.5, ClipSource::Public)?;
//! let method = Method::GradientDescent { steps: 5 };
//! let plan = Plan::calibrate(method, 400, clip, PrivacyLoss::Gaussian(Mu::new(1.0)?))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! * [`optimize`]: problems, methods, plans, and the descent as one mechanism.

pub mod optimize;

#[cfg(test)]
#[path = "../../../tests/it/shared_data.rs"]
mod shared_data;

use visard_base::numeric;
use visard_manifold::manifold;
use visard_privacy::privacy;
