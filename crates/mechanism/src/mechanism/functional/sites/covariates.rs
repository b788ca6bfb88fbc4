//! What a person of a regression is added up as about the private centre.

use super::super::LeadingCoordinates;
use super::super::records::Given;
use crate::mechanism::vector::{AboutCentre, Recentred, VectorRegression};

/// How a person becomes a vector z of the last round: a public map once centre and radius are released.
#[derive(Debug, Clone)]
pub(super) struct AboutFound {
    pub(super) leading: LeadingCoordinates,
    pub(super) moments: VectorRegression,
    pub(super) recentred: Recentred,
}

impl AboutFound {
    /// A person's, as in one place: one whose record cannot be used has covariates all the same.
    pub(super) fn vector(&self, given: &Given<'_>, row: &[f64]) -> Option<Vec<f64>> {
        let u = given.samples.map(|samples| self.leading.coordinates(samples));
        let (_, z) = self.moments.placed(given.index, (u.as_deref(), row), &self.recentred)?;
        Some(z)
    }
}
