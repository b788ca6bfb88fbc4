//! How far records may lie from the public centre.

use super::{LeadingCoordinates, Norm};
use crate::estimate::Prior;

/// How far records may lie from the public centre: public. Records beyond it are shortened.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reach {
    /// In units of how far unit-area faces lie from the built-in template ([`Norm::face_radius`]).
    Faces(f64),
    /// Root mean square over the samples, in their own units, of functions as smooth as the basis expects: where it expects all coefficients
    /// alike, the clip radius itself.
    RootMeanSquare(f64),
}

impl From<f64> for Reach {
    fn from(scale: f64) -> Self {
        Self::Faces(scale)
    }
}

impl Reach {
    /// Root mean square.
    pub(super) fn root_mean_square(self) -> f64 {
        match self {
            Self::Faces(scale) => scale * Norm::White.face_radius(),
            Self::RootMeanSquare(reach) => reach,
        }
    }

    /// Compared with unit-area faces (1): how much larger fields and differences are expected to be.
    pub(super) fn scale(self) -> f64 {
        match self {
            Self::Faces(scale) => scale,
            Self::RootMeanSquare(reach) => reach / Norm::White.face_radius(),
        }
    }

    /// The clip radius of leading coordinates, where that of unit-area faces is `of_faces`: of a function with root mean square R all of which
    /// is in these coordinates.
    pub(super) fn radius_of(self, leading: &LeadingCoordinates, of_faces: f64) -> f64 {
        match self {
            Self::Faces(scale) => scale * of_faces,
            Self::RootMeanSquare(_) => self.radius(leading.norm(), &leading.known()),
        }
    }

    /// The clip radius in a norm whose weights are those of `prior`: of a function with root mean square R whose coefficients have the public
    /// spectrum λ, E Σ a_j x_j² = R² Σ a_j λ_j / Σ λ_j. Smoother ones have less, down to R².
    pub(super) fn radius(self, norm: Norm, prior: &Prior) -> f64 {
        match self {
            Self::Faces(scale) => scale * norm.face_radius(),
            Self::RootMeanSquare(reach) => {
                let weighted: f64 = (0..prior.len()).map(|j| prior.weighted(j)).sum();
                reach * (weighted / prior.spectrum.iter().sum::<f64>()).sqrt()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::function::{Basis, Domain};

    #[test]
    fn the_radius_of_a_norm_is_that_of_functions_with_the_public_spectrum() {
        let basis = Basis::new(Domain::Circle { samples: 64 }, 2);
        for norm in [Norm::White, Norm::Quarter, Norm::Half] {
            let prior = Prior::new(&basis, |place| norm.weight(place));
            // x_j² = λ_j, scaled to root mean square 3: its weighted norm.
            let total: f64 = prior.spectrum.iter().sum();
            let squares = (0..basis.len()).map(|j| norm.weight(&basis.place(j)) * prior.spectrum[j]);
            let expected = 3.0 * (squares.sum::<f64>() / total).sqrt();
            let found = Reach::RootMeanSquare(3.0).radius(norm, &prior);
            approx::assert_relative_eq!(found, expected, max_relative = 1e-12);
            assert!(found >= 3.0 * (1.0 - 1e-12));
            assert_eq!(Reach::from(2.0).radius(norm, &prior), 2.0 * norm.face_radius());
        }
    }

    /// What a study declares is what is clipped at, in every norm: no more, no less.
    #[test]
    fn coordinates_of_which_nothing_is_known_are_clipped_at_the_declared_radius() {
        for norm in [Norm::White, Norm::Quarter, Norm::Half] {
            let leading = LeadingCoordinates::new(Basis::of_coordinates(6), vec![0.0; 6], norm, 2).unwrap();
            assert_eq!(Reach::RootMeanSquare(0.7).radius_of(&leading, 9.0), 0.7);
            assert_eq!(Reach::Faces(2.0).radius_of(&leading, 9.0), 18.0);
            // A record at that distance has coordinates of that length, whichever way it lies.
            let u = leading.coordinates(&[0.7, 0.0, 0.0, 0.0, 0.0, 0.0]);
            assert_eq!((u.len(), u.iter().map(|x| x * x).sum::<f64>().sqrt()), (6, 0.7));
        }
        approx::assert_relative_eq!(Reach::RootMeanSquare(0.045).scale(), 1.0);
    }
}
