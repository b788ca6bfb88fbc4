//! What records are clipped as: vectors of their deviation from a round's centre.

use super::super::{FunctionalMean, LeadingCoordinates};
use crate::privacy::ClipRadius;

/// A centre, and how a function becomes a vector about it: a public map once the centre is released.
#[derive(Debug, Clone)]
pub(super) enum Deviations {
    /// All weighted coefficients of a function's deviation from the centre's samples.
    All(Box<FunctionalMean>),
    /// Its leading ones.
    Leading {
        /// About the public template.
        leading: Box<LeadingCoordinates>,
        /// The centre's.
        centre: Vec<f64>,
        /// How many of them, the first, are looked at.
        looked: usize,
        radius: ClipRadius,
    },
}

impl Deviations {
    /// The vector of one function's samples.
    pub(super) fn vector(&self, samples: &[f64]) -> Vec<f64> {
        match self {
            Self::All(about) => about.coordinates(samples),
            Self::Leading { leading, centre, looked, .. } => {
                let mut u = leading.coordinates(samples);
                u.truncate(*looked);
                u.iter_mut().zip(centre).for_each(|(u, c)| *u -= c);
                u
            }
        }
    }

    /// Coordinates of such a vector.
    pub(super) fn dimension(&self) -> usize {
        match self {
            Self::All(about) => about.basis().len(),
            Self::Leading { looked, .. } => *looked,
        }
    }

    pub(super) fn radius(&self) -> ClipRadius {
        match self {
            Self::All(about) => about.clip_radius(),
            Self::Leading { radius, .. } => *radius,
        }
    }

    /// The variances that a record's coordinates are expected to have, up to scale.
    pub(super) fn spectrum(&self) -> Vec<f64> {
        match self {
            Self::All(about) => about.spectrum(),
            Self::Leading { leading, looked, .. } => leading.prior()[..*looked].to_vec(),
        }
    }
}
