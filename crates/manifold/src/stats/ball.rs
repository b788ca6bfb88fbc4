//! Geodesic balls.

use crate::manifold::{Manifold, ManifoldError};

/// The closed geodesic ball B(centre, r) = {q : d(centre, q) ≤ r}.
#[derive(Debug, Clone)]
pub struct GeodesicBall<M: Manifold> {
    manifold: M,
    center: M::Point,
    radius: f64,
}

impl<M: Manifold> GeodesicBall<M> {
    /// The ball about `center`; `radius` must be finite, positive and less than the injectivity radius.
    ///
    /// # Errors
    /// A centre off the manifold, or a radius out of range.
    pub fn new(manifold: M, center: M::Point, radius: f64) -> Result<Self, ManifoldError> {
        manifold.check(&center)?;
        if !(radius > 0.0 && radius.is_finite() && radius < manifold.injectivity_radius()) {
            return Err(ManifoldError::Parameter {
                manifold: "geodesic ball",
                parameter: "this radius",
                remedy: "take a positive number below the injectivity radius",
            });
        }
        Ok(Self { manifold, center, radius })
    }

    /// The space.
    pub fn manifold(&self) -> &M {
        &self.manifold
    }

    /// The centre.
    pub fn center(&self) -> &M::Point {
        &self.center
    }

    /// r.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Whether d(centre, q) ≤ r.
    pub fn contains(&self, q: &M::Point) -> bool {
        self.manifold.dist(&self.center, q) <= self.radius
    }

    /// The point where the geodesic from q to the centre enters the ball; q itself if it is inside. Idempotent to
    /// rounding. Returns whether q was moved.
    ///
    /// # Errors
    /// [`ManifoldError::CutLocus`] if no unique geodesic joins q to the centre. (A release must not fail on such a
    /// record: replace it by any public point of the ball, such as the centre.)
    pub fn project(&self, q: &M::Point) -> Result<(M::Point, bool), ManifoldError> {
        let mut v = self.manifold.log(&self.center, q)?;
        let distance = self.manifold.norm(&self.center, &v);
        // NaN is neither inside nor to be passed on.
        if distance.is_nan() {
            return Err(ManifoldError::NotFinite("geodesic ball"));
        }
        if distance <= self.radius {
            return Ok((q.clone(), false));
        }
        v = self.manifold.scale(self.radius / distance, &v);
        Ok((self.manifold.exp(&self.center, &v), true))
    }
}
