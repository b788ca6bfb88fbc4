//! Shapes as functions on their landmarks, about a centre.

use crate::function::Basis;
use crate::manifold::LandmarkShapes;
use crate::mechanism::MechanismError;
use nalgebra::DMatrix;

/// The tangent space at a centre p, with a basis of displacements. A shape z is the function √k (p + log_p z) on the landmarks, so that the
/// root-mean-square norm of its deviation from √k p is the Riemannian distance.
#[derive(Debug, Clone)]
pub struct Tangent {
    space: LandmarkShapes,
    centre: DMatrix<f64>,
    basis: Basis,
}

/// Whether the landmarks can go around so many outlines, as many on each.
pub(super) fn check(space: &LandmarkShapes, outlines: usize) -> Result<(), MechanismError> {
    if outlines > 0 && !space.landmarks().is_multiple_of(outlines) {
        return Err(MechanismError::Shape(
            "the landmarks are not that many outlines with as many landmarks each",
        ));
    }
    Ok(())
}

impl Tangent {
    /// At this centre: centred, of unit norm, public or released. `outlines`: see [`ShapeSetting`](super::ShapeSetting).
    ///
    /// # Errors
    /// [`MechanismError::Shape`] for outlines that cannot have as many landmarks each.
    pub fn new(space: LandmarkShapes, centre: DMatrix<f64>, outlines: usize) -> Result<Self, MechanismError> {
        check(&space, outlines)?;
        let basis = match outlines {
            0 => Basis::of_landmarks(&centre),
            _ => Basis::of_outlines(outlines, space.landmarks() / outlines, space.dimensions()),
        };
        Ok(Self { space, centre, basis })
    }

    /// Displacements by how smooth they are.
    pub fn basis(&self) -> &Basis {
        &self.basis
    }

    /// The shapes' space.
    pub fn space(&self) -> LandmarkShapes {
        self.space
    }

    /// The centre.
    pub fn centre(&self) -> &DMatrix<f64> {
        &self.centre
    }

    /// Samples `(landmarks, dimensions)` of the centre.
    pub fn template(&self) -> Vec<f64> {
        self.samples(&self.centre)
    }

    fn root(&self) -> f64 {
        (self.space.landmarks() as f64).sqrt()
    }

    fn samples(&self, rows: &DMatrix<f64>) -> Vec<f64> {
        rows.transpose().iter().map(|x| x * self.root()).collect()
    }

    /// The mean of a person's tangent vectors as samples; `None` without any.
    pub fn function(&self, own: &[DMatrix<f64>]) -> Option<Vec<f64>> {
        let mut sum = self.centre.clone();
        for z in own {
            sum += self.space.log(&self.centre, z) / own.len() as f64;
        }
        (!own.is_empty()).then(|| self.samples(&sum))
    }

    /// Of all people.
    pub fn functions(&self, people: &[Vec<DMatrix<f64>>]) -> Vec<Option<Vec<f64>>> {
        people.iter().map(|own| self.function(own)).collect()
    }

    /// Samples as rows, one a landmark, in units of the centroid size.
    pub fn rows(&self, samples: &[f64]) -> DMatrix<f64> {
        let (k, d) = (self.space.landmarks(), self.space.dimensions());
        DMatrix::from_row_slice(k, d, samples) / self.root()
    }

    /// The tangent vector with these samples: without what no tangent vector has.
    pub fn vector(&self, displacement: &[f64]) -> DMatrix<f64> {
        self.space.project(&self.centre, &self.rows(displacement))
    }

    /// The shape with these samples.
    pub fn shape(&self, samples: &[f64]) -> DMatrix<f64> {
        let v = self.rows(samples) - &self.centre;
        self.space.exp(&self.centre, &self.space.project(&self.centre, &v))
    }
}
