//! What a mean is taken of: points one by one, or rows.

use crate::manifold::{Manifold, ManifoldError, MeanLog, MeanRows, RowCloud};
use std::borrow::Cow;

/// Points with weights, however they are stored.
pub(super) trait Cloud<M: Manifold>: Sized {
    fn len(&self) -> usize;
    fn weights(&self) -> Option<&[f64]>;
    /// One point in so many.
    fn every(&self, stride: usize) -> Self;
    /// [`Manifold::mean_log`] of them.
    fn mean_log(&self, manifold: &M, p: &M::Point) -> Result<MeanLog<M::Tangent>, ManifoldError>;
    /// [`Manifold::rough_mean`] of them.
    fn rough_mean(&self, manifold: &M) -> Result<M::Point, ManifoldError>;
}

/// Points one by one.
pub(super) struct Points<'a, M: Manifold> {
    points: Cow<'a, [M::Point]>,
    weights: Option<Cow<'a, [f64]>>,
}

impl<'a, M: Manifold> Points<'a, M> {
    pub(super) fn new(points: &'a [M::Point], weights: Option<&'a [f64]>) -> Self {
        Self { points: Cow::Borrowed(points), weights: weights.map(Cow::Borrowed) }
    }
}

impl<M: Manifold> Cloud<M> for Points<'_, M> {
    fn len(&self) -> usize {
        self.points.len()
    }
    fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }
    fn every(&self, stride: usize) -> Self {
        let weights = self.weights.as_ref().map(|w| w.iter().step_by(stride).copied().collect());
        Self { points: self.points.iter().step_by(stride).cloned().collect(), weights }
    }
    fn mean_log(&self, manifold: &M, p: &M::Point) -> Result<MeanLog<M::Tangent>, ManifoldError> {
        manifold.mean_log(p, &self.points, self.weights())
    }
    fn rough_mean(&self, manifold: &M) -> Result<M::Point, ManifoldError> {
        manifold.rough_mean(&self.points, self.weights())
    }
}

impl<M: MeanRows> Cloud<M> for RowCloud<'_> {
    fn len(&self) -> usize {
        self.len()
    }
    fn weights(&self) -> Option<&[f64]> {
        self.weights()
    }
    fn every(&self, stride: usize) -> Self {
        self.every(stride)
    }
    fn mean_log(&self, manifold: &M, p: &M::Point) -> Result<MeanLog<M::Tangent>, ManifoldError> {
        self.mean_log(manifold, p)
    }
    fn rough_mean(&self, manifold: &M) -> Result<M::Point, ManifoldError> {
        self.rough_mean(manifold)
    }
}
