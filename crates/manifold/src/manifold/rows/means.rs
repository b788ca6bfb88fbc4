//! Rows as what a Fréchet mean is taken of.

use super::{Batch, MeanRows};
use crate::manifold::error::ManifoldError;
use crate::manifold::space::MeanLog;
use std::borrow::Cow;

/// Points that are rows ([`Rows::prepare`](super::Rows::prepare)), with weights.
#[derive(Debug, Clone)]
pub struct RowCloud<'a> {
    rows: Cow<'a, [f64]>,
    weights: Option<Cow<'a, [f64]>>,
    width: usize,
}

impl<'a> RowCloud<'a> {
    /// Rows of `width` numbers, with one weight each; equal if `None`.
    pub fn new(rows: &'a [f64], width: usize, weights: Option<&'a [f64]>) -> Self {
        Self { rows: Cow::Borrowed(rows), weights: weights.map(Cow::Borrowed), width }
    }

    fn batch(&self) -> Batch<'_> {
        Batch { one: false, ..Batch::new(&self.rows, self.width) }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.batch().rows()
    }

    /// The weights.
    pub(crate) fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// One row in so many.
    pub(crate) fn every(&self, stride: usize) -> Self {
        let rows: Vec<f64> = self.rows.chunks_exact(self.width).step_by(stride).flatten().copied().collect();
        let weights = self.weights().map(|w| w.iter().step_by(stride).copied().collect());
        Self { rows: Cow::Owned(rows), weights, width: self.width }
    }

    pub(crate) fn mean_log<M: MeanRows>(
        &self,
        space: &M,
        p: &M::Point,
    ) -> Result<MeanLog<M::Tangent>, ManifoldError> {
        space.mean_log_rows(p, self.batch(), self.weights())
    }

    pub(crate) fn rough_mean<M: MeanRows>(&self, space: &M) -> Result<M::Point, ManifoldError> {
        space.rough_mean_rows(self.batch(), self.weights())
    }
}
