//! Private means on manifolds: exact samplers, no Markov chains.
//!
//! On two-point homogeneous spaces (ℝᵈ, spheres, hyperbolic spaces, planar shapes) draws about a private mean are made with digits on
//! demand and released on a public grid: exactly the law of the rounded ideal draw, whatever doubles round to. Elsewhere (affine-invariant
//! matrices) they are floating-point numbers, and certificates say so.
//!
//! Every mechanism has a public ball B_r(p₀) that bounds the records ([`PublicBall`]), a price known before a record is read,
//! and draws against a charge. Sensitivities are those of comparison with the sphere ([`PublicBall::mean_sensitivity`]), which attains them.
//!
//! * [`RiemannianLaplace`]: ε-DP, density ∝ exp(−d/σ) about the Fréchet mean.
//! * [`KNormGradient`]: ε-DP, density ∝ exp(−‖∇F‖/σ).
//! * [`RiemannianGaussian`]: μ-GDP with exact accounting, on two-point homogeneous spaces.
//! * [`TangentMean`]: μ-GDP or ε-DP in the tangent space of the public centre; the least noise.
//! * [`ExtrinsicSphere`], [`ExtrinsicSpd`], [`PointwiseShape`]: the baselines of the papers, noise in a surrounding vector space.
//! * [`PrivateCentre`]: a rough centre from a private first pass, where none is public; [`AboutPrivate`]: any statistic about it.
//!
//! [`PointMean`] is any of the means, [`StagedMean`] one about a centre and within a radius that are public or estimated first.

pub mod about;
pub mod ambient;
mod ball;
pub mod centre;
mod directions;
mod ends;
pub mod gaussian;
pub mod kng;
pub mod laplace;
mod lazy;
mod mean;
mod noised;
pub mod pointwise;
mod polar;
mod radial;
mod staged;
mod staged_cases;
pub mod tangent;
#[cfg(test)]
mod tests;
mod two_rounds;
mod work;

pub use about::{AboutPrivate, PointRecords, ReleasedAbout};
pub use ambient::{ExtrinsicSpd, ExtrinsicSphere, ToMatrix};
pub use ball::{BoundedRecords, LocatedRecords, MEAN_GRADIENT, PublicBall, largest_radius};
pub use centre::{
    BallStatistic, CentreStatistic, DirectionStatistic, PrivateCentre, ProcrustesStatistic, ReleasedCentre,
    any_shape,
};
pub use gaussian::{GaussianGdpError, RiemannianGaussian, riemannian_gaussian_mu, riemannian_gaussian_sigma};
pub use kng::{KNormGradient, KngSampler};
pub use laplace::RiemannianLaplace;
pub use mean::{PointMean, PreparedPoints};
pub use noised::NoisedPoint;
pub use pointwise::{Alignment, PointwiseShape};
#[doc(hidden)]
pub use staged::{CENTRE_SHARE, split_budget};
pub use staged::{CentreSource, MakeMean, PreparedStages, RadiusSource, ReleasedPoints, StagedMean};
pub(super) use staged_cases::STAGED_CASES;
pub use tangent::TangentMean;
pub use two_rounds::TwoRoundPoints;
#[doc(hidden)]
pub use work::Work;

use crate::privacy::Entry;

/// The mechanisms here, for [`super::registry`].
pub(super) const ENTRIES: &[&Entry] = &[
    &centre::ENTRY,
    &about::ENTRY,
    &laplace::ENTRY,
    &kng::ENTRY,
    &gaussian::ENTRY,
    &tangent::GAUSSIAN_ENTRY,
    &tangent::LAPLACE_ENTRY,
    &ambient::SPHERE_ENTRY,
    &ambient::MATRIX_ENTRY,
    &pointwise::ENTRY,
];
