//! What the exact samplers in polar coordinates share.

use super::lazy::SAMPLER;
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

/// How a point was drawn.
pub(super) enum HowDrawn<'a> {
    /// With digits on demand, rounded to a grid of this step (in the unit of distance).
    OnGrid(f64),
    /// In floating point, by this sampler.
    Idealized(&'a str),
}

/// What a certificate says of a draw on the space itself.
pub(super) fn described(
    price: &Price,
    clip: ClipRadius,
    distribution: &str,
    how: HowDrawn<'_>,
    dimension: usize,
) -> Result<NoisedPart, MechanismError> {
    let (path, step, sampler) = match how {
        HowDrawn::OnGrid(step) => (NoisePath::Lattice, Some(step), SAMPLER),
        HowDrawn::Idealized(sampler) => (NoisePath::IdealizedReals, None, sampler),
    };
    let (Some(sensitivity), Some(scale)) = (price.sensitivity, price.scale) else {
        return Err(MechanismError::Shape("the noise has no scale"));
    };
    let noise = NoiseDescription {
        distribution: distribution.into(),
        path,
        scale,
        dimension,
        step,
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
