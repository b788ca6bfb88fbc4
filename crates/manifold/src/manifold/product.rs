//! Products.

use super::error::ManifoldError;
use super::space::{CurvatureBounds, Manifold};
use rand::Rng;

/// M × N with the sum of the metrics: points and tangent vectors are pairs, d² = d_M² + d_N². Longer products nest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Product<M, N> {
    /// M.
    pub first: M,
    /// N.
    pub second: N,
}

impl<M: Manifold, N: Manifold> Product<M, N> {
    /// M × N.
    pub fn new(first: M, second: N) -> Self {
        Self { first, second }
    }
}

impl<M: Manifold, N: Manifold> Manifold for Product<M, N> {
    type Point = (M::Point, N::Point);
    type Tangent = (M::Tangent, N::Tangent);

    fn dim(&self) -> usize {
        self.first.dim() + self.second.dim()
    }

    fn check(&self, p: &Self::Point) -> Result<(), ManifoldError> {
        self.first.check(&p.0)?;
        self.second.check(&p.1)
    }

    fn exp(&self, p: &Self::Point, v: &Self::Tangent) -> Self::Point {
        (self.first.exp(&p.0, &v.0), self.second.exp(&p.1, &v.1))
    }

    fn log(&self, p: &Self::Point, q: &Self::Point) -> Result<Self::Tangent, ManifoldError> {
        Ok((self.first.log(&p.0, &q.0)?, self.second.log(&p.1, &q.1)?))
    }

    fn dist(&self, p: &Self::Point, q: &Self::Point) -> f64 {
        self.first.dist(&p.0, &q.0).hypot(self.second.dist(&p.1, &q.1))
    }

    fn inner(&self, p: &Self::Point, u: &Self::Tangent, v: &Self::Tangent) -> f64 {
        self.first.inner(&p.0, &u.0, &v.0) + self.second.inner(&p.1, &u.1, &v.1)
    }

    /// Parallel if both factors' transports are.
    fn transport(
        &self,
        p: &Self::Point,
        q: &Self::Point,
        v: &Self::Tangent,
    ) -> Result<Self::Tangent, ManifoldError> {
        Ok((self.first.transport(&p.0, &q.0, &v.0)?, self.second.transport(&p.1, &q.1, &v.1)?))
    }

    fn project_tangent(&self, p: &Self::Point, ambient: &Self::Tangent) -> Self::Tangent {
        (self.first.project_tangent(&p.0, &ambient.0), self.second.project_tangent(&p.1, &ambient.1))
    }

    /// Those of both factors and 0, the curvature of mixed planes.
    fn curvature(&self) -> CurvatureBounds {
        let (a, b) = (self.first.curvature(), self.second.curvature());
        CurvatureBounds { lower: a.lower.min(b.lower).min(0.0), upper: a.upper.max(b.upper).max(0.0) }
    }

    fn injectivity_radius(&self) -> f64 {
        self.first.injectivity_radius().min(self.second.injectivity_radius())
    }

    fn random_point<R: Rng + ?Sized>(&self, rng: &mut R) -> Self::Point {
        (self.first.random_point(rng), self.second.random_point(rng))
    }

    fn tangent_gaussian<R: Rng + ?Sized>(&self, p: &Self::Point, sigma: f64, rng: &mut R) -> Self::Tangent {
        (self.first.tangent_gaussian(&p.0, sigma, rng), self.second.tangent_gaussian(&p.1, sigma, rng))
    }

    fn basis(&self, p: &Self::Point) -> Vec<Self::Tangent> {
        let (first, second) = self.zero(p);
        let in_first = self.first.basis(&p.0).into_iter().map(|e| (e, second.clone()));
        in_first.chain(self.second.basis(&p.1).into_iter().map(|e| (first.clone(), e))).collect()
    }

    /// Those of both factors.
    fn has_quick_coordinates(&self) -> bool {
        self.first.has_quick_coordinates() && self.second.has_quick_coordinates()
    }

    fn coordinates(&self, p: &Self::Point, v: &Self::Tangent) -> Vec<f64> {
        let mut coordinates = self.first.coordinates(&p.0, &v.0);
        coordinates.extend(self.second.coordinates(&p.1, &v.1));
        coordinates
    }

    fn from_coordinates(&self, p: &Self::Point, coordinates: &[f64]) -> Self::Tangent {
        let (first, second) = coordinates.split_at(self.first.dim().min(coordinates.len()));
        (self.first.from_coordinates(&p.0, first), self.second.from_coordinates(&p.1, second))
    }

    fn zero(&self, p: &Self::Point) -> Self::Tangent {
        (self.first.zero(&p.0), self.second.zero(&p.1))
    }

    fn rough_mean(
        &self,
        points: &[Self::Point],
        weights: Option<&[f64]>,
    ) -> Result<Self::Point, ManifoldError> {
        let (first, second): (Vec<_>, Vec<_>) = points.iter().cloned().unzip();
        Ok((self.first.rough_mean(&first, weights)?, self.second.rough_mean(&second, weights)?))
    }
}
