//! Why a mesh could not be mapped.

/// Why a conformal map, or a step towards one, could not be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConformalError {
    /// All vertices lie in one place, or so far apart that lengths overflow.
    #[error("the mesh has no usable size (mean edge length {mean_length}): rescale or remesh it")]
    NoSize {
        /// Mean edge length, in the units of the mesh.
        mean_length: f64,
    },
    /// A linear system could not be factorized.
    #[error("the Laplacian of the mesh could not be factorized ({0}): remesh the surface")]
    Factorization(String),
    /// Even the map with positive weights turned triangles over, by rounding.
    #[error("{flipped} triangles stay turned over in every map tried: the mesh is too uneven, remesh it")]
    NotBijective {
        /// How many triangles stay turned over.
        flipped: usize,
    },
    /// The centre is so far out that the triangulation cannot follow it to 0.
    #[error(
        "the centre cannot be moved to 0: {flipped} triangles turn over; choose one further from the border"
    )]
    NotCentred {
        /// How many triangles turn over.
        flipped: usize,
    },
    /// A number of values does not fit the mesh.
    #[error("{given} values given where the mesh has {expected} {what}")]
    WrongLength {
        /// What the values belong to.
        what: &'static str,
        /// How many were given.
        given: usize,
        /// How many the mesh has.
        expected: usize,
    },
    /// A point that must lie inside the open unit disk does not, or the two points of a rule coincide.
    #[error("{0}")]
    BadPoint(String),
}
