//! What the exact samplers in polar coordinates share.

use crate::manifold::PolarVolume;
use crate::mechanism::MechanismError;
use crate::privacy::noise::{NoiseDescription, NoisePath, PaidGenerator};
use crate::privacy::{ClipRadius, NoisedPart, Price};

/// Noise of this scale has no law on the space.
pub(super) struct TooWide(pub(super) f64);

impl From<TooWide> for MechanismError {
    fn from(wide: TooWide) -> Self {
        Self::NoiseTooWide { scale: wide.0 }
    }
}

/// What a certificate says of a draw in floating-point on the space itself.
pub(super) fn described(
    price: &Price,
    clip: ClipRadius,
    distribution: &str,
    sampler: &str,
    dimension: usize,
) -> Result<NoisedPart, MechanismError> {
    let (Some(sensitivity), Some(scale)) = (price.sensitivity, price.scale) else {
        return Err(MechanismError::Shape("the noise has no scale"));
    };
    let noise = NoiseDescription {
        distribution: distribution.into(),
        path: NoisePath::IdealizedReals,
        scale,
        dimension,
        step: None,
        sampler: sampler.into(),
    };
    let what = price.mechanism.clone();
    Ok(NoisedPart { what, loss: price.loss, sensitivity, clip: Some(clip), noise, expected_error: None })
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
