//! Riemannian manifolds as values, and Fréchet means on them.
//!
//! For whoever computes with shapes, directions, positive definite matrices, subspaces or points of hyperbolic spaces. Nothing here knows
//! about privacy.
//!
//! ```
//! use nalgebra::dvector;
//! use visard_manifold::manifold::{Manifold, Sphere};
//! use visard_manifold::stats::frechet_mean;
//! let sphere = Sphere::unit(2)?;
//! let points = [dvector![1.0, 0.0, 0.0], dvector![0.0, 1.0, 0.0]];
//! let mean = frechet_mean(&sphere, &points, None, None, Default::default())?;
//! assert!((sphere.dist(&mean.point, &points[0]) - std::f64::consts::FRAC_PI_4).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! * [`manifold`]: the spaces, one trait for all, and [`manifold::laws`] to test a space of your own.
//! * [`stats`]: Fréchet and Procrustes means, geodesic balls.

pub mod manifold;
pub mod stats;

use visard_base::numeric;
