//! Riemannian manifolds as values: exp, log, distance, transport and tangent Gaussians with one set of laws.
//!
//! Notation, here and in every file: p, q ∈ M points; u, v ∈ T_pM tangent vectors; d(p, q) the geodesic distance. The
//! space is a value and every operation a method with the same order of arguments: `exp(p, v)`, `log(p, q)`,
//! `transport(p, q, v)`. Two metrics on one set are two types.
//!
//! | space | type | points | curvature |
//! | --- | --- | --- | --- |
//! | ℝᵈ | [`Euclidean`] | vectors | 0 |
//! | sphere Sᵈ of radius R | [`Sphere`] | vectors of length R in ℝᵈ⁺¹ | 1/R² |
//! | Kendall's planar shapes ℂPᵏ⁻² | [`Kendall`] | centred unit vectors of ℂᵏ, modulo phase | 1 to 4 |
//! | shapes of landmarks in the plane or in space, about one of them | [`LandmarkShapes`]: exp and log only | (k, d) matrices | 1 to ∞ |
//! | hyperbolic space | [`PoincareBall`], [`Lorentz`] | vectors | −1 |
//! | positive definite matrices | [`SpdAffineInvariant`], [`SpdLogEuclidean`], [`SpdBuresWasserstein`] | symmetric matrices | −½ to 0; 0; 0 to ∞ |
//! | orthonormal frames | [`Stiefel`] | m × r matrices | −½ to 1 |
//! | subspaces | [`Grassmann`] | m × r matrices, modulo rotation of the columns | 0 to 2 |
//! | products | [`Product`] | pairs | |
//!
//! ```
//! use nalgebra::dvector;
//! use visard_manifold::manifold::{Manifold, Sphere};
//! let sphere = Sphere::unit(2)?;
//! let (north, east) = (dvector![0.0, 0.0, 1.0], dvector![1.0, 0.0, 0.0]);
//! assert!((sphere.dist(&north, &east) - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
//! let v = sphere.log(&north, &east)?;
//! assert!((sphere.exp(&north, &v) - east).norm() < 1e-15);
//! # Ok::<(), visard_manifold::manifold::ManifoldError>(())
//! ```
//!
//! A space of your own implements [`Manifold`]; [`laws::check`] tests it as ours are tested.
//!
//! Nothing here knows about privacy.

mod basis;
mod complement;
mod error;
mod euclidean;
mod frame;
mod grassmann;
mod kendall;
pub mod laws;
mod linear;
mod lorentz;
mod normal;
mod poincare;
mod product;
mod rows;
mod shooting;
mod space;
mod spd;
mod sphere;
mod stiefel;
mod svd;
mod two_point;
mod volume;
mod weights;

pub use basis::{TangentFrame, basis_gaussian};
pub use error::ManifoldError;
pub use euclidean::Euclidean;
pub use grassmann::Grassmann;
pub use kendall::{Kendall, LandmarkShapes, MeanShape};
pub use linear::Linear;
pub use lorentz::Lorentz;
pub use normal::fill_standard_normal;
pub use poincare::PoincareBall;
pub use product::Product;
pub use rows::{Batch, MeanRows, RowCloud, RowError, Rows};
pub use space::{CurvatureBounds, Manifold, MeanLog, orthonormal_basis};
#[doc(hidden)]
pub use spd::is_positive_definite;
pub use spd::{SpdAffineInvariant, SpdBuresWasserstein, SpdLogEuclidean};
pub use sphere::Sphere;
pub use stiefel::Stiefel;
pub use two_point::TwoPointSpace;
pub use volume::{Isotropic, PolarVolume};
#[doc(hidden)]
pub use weights::blocks;
