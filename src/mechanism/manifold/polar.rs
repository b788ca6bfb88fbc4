//! What the exact samplers in polar coordinates share.

use super::volume::PolarVolume;
use super::{ManifoldMeanError, ManifoldPrice};
use crate::privacy::noise::{NoiseDescription, NoisePath, PaidGenerator};

/// Noise of this scale has no law on the space.
pub(super) struct TooWide(pub(super) f64);

impl From<TooWide> for ManifoldMeanError {
    fn from(wide: TooWide) -> Self {
        Self::NoiseTooWide { scale: wide.0 }
    }
}

/// What a certificate says of floating-point noise on the space itself.
pub(super) fn description(
    distribution: &str,
    sampler: &str,
    price: &ManifoldPrice,
    dimension: usize,
) -> NoiseDescription {
    NoiseDescription {
        distribution: distribution.into(),
        path: NoisePath::IdealizedReals,
        scale: price.scale,
        dimension,
        step: None,
        sampler: sampler.into(),
    }
}

/// Accepts v with the probability that corrects the envelope's volume and whatever else (`ln_ratio` ≤ 0) is missing.
pub(super) fn direction_accepted<M: PolarVolume>(
    manifold: &M,
    p: &M::Point,
    v: &M::Tangent,
    ln_ratio: f64,
    rng: &mut PaidGenerator<'_>,
) -> bool {
    let ln = ln_ratio + manifold.ln_area_factor(p, v);
    ln >= 0.0 || -rng.exponential() < ln
}
