//! The spaces that rows of numbers may be points of: a row of the table for each.

use super::PointStudyError;
use crate::manifold::{Lorentz, PoincareBall, PolarVolume, Sphere};
use nalgebra::DVector;

/// The space of a table of vectors.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum VectorSpace {
    /// Unit vectors.
    Sphere,
    /// The Poincaré ball.
    Poincare,
    /// The hyperboloid.
    Lorentz,
}

/// What one kind of record is called.
#[derive(Debug, Clone, Copy)]
pub struct Words {
    /// The command, as in "spd modes".
    pub command: &'static str,
    /// One, for the certificate.
    pub record: &'static str,
    /// Several.
    pub records: &'static str,
    /// What distances are.
    pub distance: &'static str,
    /// The space, for the certificate.
    pub space: &'static str,
}

/// What is done in a space, whichever it is.
pub(in crate::study) trait InSpace {
    /// What comes of it.
    type Done;

    /// Does it; `origin` is the centre where none is given, if the space has one.
    ///
    /// # Errors
    /// [`PointStudyError`].
    fn within<M>(self, space: M, origin: Option<DVector<f64>>) -> Result<Self::Done, PointStudyError>
    where
        M: PolarVolume<Point = DVector<f64>, Tangent = DVector<f64>> + 'static;
}

impl VectorSpace {
    /// Does something in the space whose points have `d` numbers.
    ///
    /// # Errors
    /// [`PointStudyError`]: there is no such space, or what is done fails.
    pub(in crate::study) fn with<T: InSpace>(self, d: usize, then: T) -> Result<T::Done, PointStudyError> {
        match self {
            Self::Sphere => then.within(Sphere::unit(d.saturating_sub(1))?, None),
            Self::Poincare => then.within(PoincareBall::new(d)?, Some(DVector::zeros(d))),
            Self::Lorentz => then.within(Lorentz::new(d.saturating_sub(1))?, Some(first_axis(d))),
        }
    }

    /// What its records are called.
    pub(in crate::study) fn words(self) -> Words {
        let hyperbolic = |space| Words {
            command: "hyperbolic",
            record: "point",
            records: "points",
            distance: "hyperbolic distance",
            space,
        };
        match self {
            Self::Sphere => Words {
                command: "sphere",
                record: "direction",
                records: "directions",
                distance: "angle in radians",
                space: "directions on a sphere",
            },
            Self::Poincare => hyperbolic("points of the Poincaré ball"),
            Self::Lorentz => hyperbolic("points of the hyperboloid"),
        }
    }
}

/// How far the length of a direction may be off 1: float32 is off by 1e-7, six digits by a millionth for each coordinate.
const ROUNDED: f64 = 1e-5;

/// The point of a row: directions that were rounded are brought to the length 1.
pub(in crate::study) fn point_of(space: VectorSpace, row: &[f64]) -> DVector<f64> {
    let point = DVector::from_column_slice(row);
    let off = (point.norm() - 1.0).abs();
    // Nearer ones stay as they are, to the last bit.
    if space == VectorSpace::Sphere && off > 1e-8 && off <= ROUNDED { point.normalize() } else { point }
}

/// (1, 0, …, 0): the hyperboloid's origin, and a point of every sphere.
pub(in crate::study) fn first_axis(d: usize) -> DVector<f64> {
    DVector::from_fn(d, |i, _| if i == 0 { 1.0 } else { 0.0 })
}
