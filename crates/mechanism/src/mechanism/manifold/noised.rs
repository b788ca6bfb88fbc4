//! What the means of points release.

use serde::{Deserialize, Serialize};

/// A released point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoisedPoint<P> {
    /// The point.
    pub point: P,
    /// The noised coordinates it was made from, which tell no less than it; none where the point itself was drawn.
    pub noised: Vec<f64>,
}

impl<P> NoisedPoint<P> {
    /// Drawn on the space itself.
    pub fn on_space(point: P) -> Self {
        Self { point, noised: Vec::new() }
    }
}

/// By which angle noise of this standard deviation in every coordinate is expected to turn a vector, root mean square, where it matters in
/// `dimension` directions across it: from the noised coordinates alone, whose length without the noise is what is left of their square.
pub(super) fn turned(noised: &[f64], deviation: f64, dimension: usize) -> f64 {
    let noise = noised.len() as f64 * deviation * deviation;
    let length = (noised.iter().map(|x| x * x).sum::<f64>() - noise).max(0.0).sqrt();
    (deviation * (dimension as f64).sqrt()).atan2(length)
}
