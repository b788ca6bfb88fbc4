//! What the means of functions share: how records are brought into a ball, and how their noise is told.

use crate::mechanism::MechanismError;
use crate::privacy::{ClipRadius, ClipSource, ClippedMean, Mechanism, Mu, NoisedPart, Price};

/// Clipping and changes of coordinates are rounded too: bounds are raised by this factor, far above what rounding in
/// a few thousand operations can do and far below anything visible.
pub(super) const CLIPPED_RECORDS: f64 = 1.0 + 1e-11;

/// The factor that brings a vector of this norm into the ball of radius τ.
pub(super) fn clip_factor(norm: f64, radius: f64) -> f64 {
    if norm > radius { radius / norm } else { 1.0 }
}

/// The mean of vectors whose noise is to have variance one: a record's vector has norm at most nμ/2, so that one replaced record
/// moves the mean by at most μ.
pub(super) fn isotropic_mean(
    dimension: usize,
    n: u64,
    mu: Mu,
    source: ClipSource,
) -> Result<ClippedMean, MechanismError> {
    // Room for the rounding of the changes of coordinates, so that the integer clip shortens nothing that was clipped before.
    let radius = 0.5 * n as f64 * mu.get() * CLIPPED_RECORDS;
    Ok(ClippedMean::new(dimension, n, ClipRadius::new(radius, source)?, mu)?)
}

/// How the noise of a mean of functions was drawn.
pub(super) fn noised_part(
    price: &Price,
    mean: &ClippedMean,
    clip: ClipRadius,
    noise: crate::privacy::noise::NoiseDescription,
) -> Result<NoisedPart, MechanismError> {
    let sensitivity = mean.price().sensitivity.ok_or(MechanismError::Shape("the mean has no sensitivity"))?;
    Ok(NoisedPart {
        what: price.mechanism.clone(),
        loss: price.loss,
        sensitivity,
        clip: Some(clip),
        noise,
        expected_error: None,
    })
}
