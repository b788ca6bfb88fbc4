//! What can be wrong with points and spaces.

/// What is wrong with a point, a pair of points or a parameter. Carries no values of the points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ManifoldError {
    /// No unique shortest geodesic joins the two points.
    #[error(
        "two points of the {0} lie on each other's cut locus: no unique geodesic joins them; keep data in a smaller ball"
    )]
    CutLocus(&'static str),
    /// A coordinate is NaN or infinite.
    #[error("a point of the {0} has a coordinate that is not a finite number; remove or repair the record")]
    NotFinite(&'static str),
    /// A vector or matrix has the wrong shape.
    #[error(
        "a point of the {manifold} has {found} numbers where {expected} are expected; check the dimension"
    )]
    WrongSize {
        /// The space.
        manifold: &'static str,
        /// Numbers a point has in this space.
        expected: usize,
        /// Numbers the point has.
        found: usize,
    },
    /// The point breaks the constraint that defines the space.
    #[error("a point of the {manifold} {constraint}; {remedy}")]
    OffManifold {
        /// The space.
        manifold: &'static str,
        /// The constraint, as the end of a sentence.
        constraint: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// A dimension or radius no such space has.
    #[error("no {manifold} has {parameter}; {remedy}")]
    Parameter {
        /// The space.
        manifold: &'static str,
        /// What was asked for.
        parameter: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// An iterative logarithm did not reach rounding accuracy.
    #[error("no geodesic was found between two points of the {0}; they are too far apart")]
    NoGeodesic(&'static str),
    /// Nothing to average, or weights that do not fit.
    #[error("cannot average: {0}")]
    Average(&'static str),
}
