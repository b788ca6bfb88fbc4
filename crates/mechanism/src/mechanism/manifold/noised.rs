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
