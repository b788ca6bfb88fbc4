//! The Fréchet mean.

use crate::manifold::Manifold;
use crate::optimize::problem::{OracleError, Problem};

/// min F(w) = (1/n) Σ ½ d²(w, zᵢ): the Fréchet mean, on any manifold. ∇f(w; z) = −log_w z, of length d(w, z).
#[derive(Debug, Clone)]
pub struct FrechetMeanProblem<M: Manifold> {
    space: M,
    points: Vec<M::Point>,
}

impl<M: Manifold> FrechetMeanProblem<M> {
    /// The mean of these points.
    ///
    /// # Errors
    /// [`OracleError`] for no points, or one off the manifold.
    pub fn new(space: M, points: Vec<M::Point>) -> Result<Self, OracleError> {
        if points.is_empty() {
            return Err(OracleError::NoRecords);
        }
        for (record, point) in points.iter().enumerate() {
            space.check(point).map_err(|source| OracleError::Record { record, source })?;
        }
        Ok(Self { space, points })
    }

    /// The records.
    pub fn points(&self) -> &[M::Point] {
        &self.points
    }
}

impl<M: Manifold> Problem for FrechetMeanProblem<M> {
    type Space = M;

    fn space(&self) -> &M {
        &self.space
    }

    fn records(&self) -> usize {
        self.points.len()
    }

    fn loss(&self, w: &M::Point, i: usize) -> f64 {
        0.5 * self.space.dist(w, &self.points[i]).powi(2)
    }

    fn risk(&self, w: &M::Point) -> f64 {
        // The manifold's own pass over the points is faster than one distance at a time.
        match self.space.mean_log(w, &self.points, None) {
            Ok(found) => 0.5 * found.mean_square,
            Err(_) => (0..self.points.len()).map(|i| self.loss(w, i)).sum::<f64>() / self.points.len() as f64,
        }
    }

    fn gradient(&self, w: &M::Point, i: usize) -> Option<M::Tangent> {
        let log = self.space.log(w, &self.points[i]).ok()?;
        Some(self.space.scale(-1.0, &log))
    }
}
