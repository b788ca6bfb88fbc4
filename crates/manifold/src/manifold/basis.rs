//! Explicit orthonormal bases of tangent spaces.

use super::linear::Linear;
use super::normal::fill_standard_normal;
use super::space::{Manifold, combination};
use rand::Rng;

/// An isotropic Gaussian Σ_j σ z_j b_j in the span of an orthonormal basis of T_pM: the slow way to sample a tangent Gaussian, kept as
/// the oracle.
pub fn basis_gaussian<M: Manifold, R: Rng + ?Sized>(
    m: &M,
    p: &M::Point,
    basis: &[M::Tangent],
    sigma: f64,
    rng: &mut R,
) -> M::Tangent {
    let mut z = vec![0.0; basis.len()];
    fill_standard_normal(rng, &mut z);
    let mut v = m.zero(p);
    for (z, b) in z.iter().zip(basis) {
        v.add_scaled(sigma * z, b);
    }
    v
}

/// Up to this dimension a frame keeps its basis, unless the space has something better: 256 vectors of 256 numbers are half a megabyte, and Gram–Schmidt takes some ten
/// milliseconds once. Beyond, it is the space that gives coordinates.
const KEPT: usize = 256;

/// Coordinates in [`Manifold::basis`] at one point, for many vectors: those of [`Manifold::coordinates`], to rounding.
#[derive(Debug, Clone)]
pub struct TangentFrame<M: Manifold> {
    manifold: M,
    point: M::Point,
    kept: Option<Vec<M::Tangent>>,
}

impl<M: Manifold> TangentFrame<M> {
    /// Of T_pM.
    pub fn new(manifold: M, point: M::Point) -> Self {
        let kept =
            (manifold.dim() <= KEPT && !manifold.has_quick_coordinates()).then(|| manifold.basis(&point));
        Self { manifold, point, kept }
    }

    /// How many coordinates there are: dim M, fewer if p is so ill-conditioned that the metric degenerates in rounding.
    pub fn dim(&self) -> usize {
        self.kept.as_ref().map_or_else(|| self.manifold.dim(), Vec::len)
    }

    /// The coordinates of a tangent vector at p.
    pub fn coordinates(&self, v: &M::Tangent) -> Vec<f64> {
        match &self.kept {
            Some(basis) => basis.iter().map(|e| self.manifold.inner(&self.point, e, v)).collect(),
            None => self.manifold.coordinates(&self.point, v),
        }
    }

    /// The tangent vector at p with these coordinates; missing ones count as 0.
    pub fn vector(&self, coordinates: &[f64]) -> M::Tangent {
        match &self.kept {
            Some(basis) => combination(&self.manifold, &self.point, basis, coordinates),
            None => self.manifold.from_coordinates(&self.point, coordinates),
        }
    }
}
