//! A clip's norm, with what is public of it.

use crate::estimate::{Population, Prior};
use crate::function::Basis;
use crate::mechanism::MechanismError;
use crate::mechanism::functional::{FunctionalMean, Norm, PublicPrior, Reach};
use crate::privacy::{ClipRadius, ClipSource, Mu};
use std::sync::Arc;

/// A norm, its public radius and weights.
#[derive(Debug, Clone)]
pub(super) struct View {
    pub norm: Norm,
    pub prior: Prior,
    pub public: ClipRadius,
    /// What is known of public people, in this norm.
    pub known: Option<Arc<PublicPrior>>,
}

impl View {
    /// Of functions on this basis that lie within `reach`.
    ///
    /// # Errors
    /// [`MechanismError`] for a radius out of range.
    pub fn new(norm: Norm, basis: &Basis, reach: Reach) -> Result<Self, MechanismError> {
        let prior = Prior::new(basis, |place| norm.weight(place));
        let public = ClipRadius::new(reach.radius(norm, &prior), ClipSource::Public)?;
        Ok(Self { norm, prior, public, known: None })
    }

    /// Knowing public people by their coefficients.
    pub fn know(&mut self, people: &[Vec<f64>]) {
        let population = Population::new(&self.prior, people);
        self.known = Some(Arc::new(PublicPrior { population, elsewhere: None }));
    }

    /// A mean clipped in this norm.
    ///
    /// # Errors
    /// [`MechanismError`], about public numbers.
    pub fn mean(
        &self,
        basis: &Basis,
        centre: Vec<f64>,
        radius: ClipRadius,
        mu: Mu,
        n: u64,
    ) -> Result<FunctionalMean, MechanismError> {
        FunctionalMean::in_norm(self.norm, basis.clone(), centre, radius, mu, n)
    }
}
