//! Private means on manifolds: exact samplers, no Markov chains.
//!
//! Every mechanism has a public ball B_r(p₀) that bounds the records ([`PublicBall`]), a price known before a record is read,
//! and draws against a charge. Sensitivities are the sharp ones of Rauch comparison.
//!
//! * [`RiemannianLaplace`]: ε-DP, density ∝ exp(−d/σ) about the Fréchet mean.
//! * [`KNormGradient`]: ε-DP, density ∝ exp(−‖∇F‖/σ).
//! * [`RiemannianGaussian`]: μ-GDP with exact accounting, on two-point homogeneous spaces.
//! * [`TangentGaussian`]: μ-GDP in the tangent space of the public centre; the least noise in high dimension.
//! * [`ExtrinsicSphere`], [`ExtrinsicSpd`], [`PointwiseShape`]: the baselines of the papers, noise in a surrounding vector space.
//! * [`PrivateCentre`]: a rough centre from a private first pass, where none is public.

mod ambient;
mod ball;
#[cfg(test)]
mod baseline_tests;
mod centre;
#[cfg(test)]
mod centre_tests;
mod gaussian;
mod gaussian_gdp;
mod kng;
mod laplace;
mod lower_gradient;
mod pointwise;
mod polar;
mod quadrature;
mod radial;
mod tangent;
#[cfg(test)]
mod tests;
mod two_point;
mod volume;
mod von_mises_fisher;
mod work;

pub use ambient::{ExtrinsicSpd, ExtrinsicSphere, VectorNoise};
pub use ball::{BoundedRecords, PublicBall, largest_radius};
pub use centre::{
    BallStatistic, CentreRelease, CentreStatistic, DirectionStatistic, PrivateCentre, ProcrustesStatistic,
    any_shape,
};
pub use gaussian::RiemannianGaussian;
pub use gaussian_gdp::{GaussianGdpError, riemannian_gaussian_mu, riemannian_gaussian_sigma};
pub use kng::{Attempts, KNormGradient, KngSampler, MEAN_GRADIENT};
pub use laplace::RiemannianLaplace;
pub use pointwise::{Alignment, PointwiseShape};
pub use tangent::{TangentGaussian, TangentRelease};
pub use two_point::TwoPointSpace;
pub use volume::PolarVolume;
pub(crate) use work::Work;

use crate::manifold::ManifoldError;
use crate::privacy::noise::NoiseError;
use crate::privacy::{BudgetError, ClipRadius, PrivacyLoss};

/// A private mean could not be set up or drawn. Nothing here depends on a record.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManifoldMeanError {
    /// A budget, radius or n.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// The radius is beyond the theorem.
    #[error(
        "the radius {radius} is not below {bound}, where the sensitivity bounds of this space end; take a smaller ball"
    )]
    Radius {
        /// The radius asked for.
        radius: f64,
        /// The bound.
        bound: f64,
    },
    /// A point off the manifold, or geometry that failed.
    #[error(transparent)]
    Manifold(#[from] ManifoldError),
    /// Noise without a law.
    #[error(
        "noise of scale {scale} has no law on this space (its volume grows faster than the density falls); take a larger \
         budget, more records or a smaller ball"
    )]
    NoiseTooWide {
        /// σ.
        scale: f64,
    },
    /// Too few records for the budget: a condition on public numbers only.
    #[error(
        "{n} records at this budget are too few for a private centre: {}, where {most:.2} is the most that helps; give a public \
         centre, or a larger budget", off(*.error)
    )]
    CentreTooRough {
        /// n.
        n: u64,
        /// How far off it would be.
        error: f64,
        /// How far off it may be.
        most: f64,
    },
    /// Exact accounting or sampling is not known here.
    #[error(
        "this mechanism needs a two-point homogeneous space (ℝᵈ, spheres, hyperbolic spaces, planar shapes)"
    )]
    NotTwoPointHomogeneous,
    /// Logarithms jump across the cut locus, which no curvature keeps away.
    #[error(
        "this mechanism is not known on a circle and other closed flat spaces; choose laplace or gaussian"
    )]
    ClosedFlat,
    /// No scale for this μ.
    #[error(transparent)]
    Gaussian(#[from] GaussianGdpError),
    /// No noise was drawn.
    #[error(transparent)]
    Noise(#[from] NoiseError),
}

fn off(error: f64) -> String {
    if error.is_finite() {
        format!("it would be off by about {error:.2}")
    } else {
        "it would be noise alone".into()
    }
}

/// What a private mean costs: known before any record is read.
#[derive(Debug, Clone, PartialEq)]
pub struct ManifoldPrice {
    /// The mechanism's name.
    pub mechanism: &'static str,
    /// The privacy loss.
    pub loss: PrivacyLoss,
    /// Number of records n, public.
    pub n: u64,
    /// Δ, in the units of the space's distance.
    pub sensitivity: f64,
    /// The public radius.
    pub radius: ClipRadius,
    /// The noise scale σ.
    pub scale: f64,
    /// What the sensitivity is of.
    pub statistic: &'static str,
}
