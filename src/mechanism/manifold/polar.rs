//! What the exact samplers in polar coordinates share.

use super::ManifoldMeanError;
use super::volume::PolarVolume;
use crate::privacy::noise::PaidGenerator;

/// Noise of this scale has no law on the space.
pub(super) struct TooWide(pub(super) f64);

impl From<TooWide> for ManifoldMeanError {
    fn from(wide: TooWide) -> Self {
        Self::NoiseTooWide { scale: wide.0 }
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
