//! Why a configuration cannot be worked on.

/// Why a configuration of landmarks cannot be worked on. Messages hold nothing of a record but numbers of landmarks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LandmarkError {
    /// Neither the plane nor space.
    #[error("landmarks have {0} coordinates; two or three are needed")]
    Dimension(usize),
    /// Configurations that do not correspond.
    #[error(
        "has {found} landmarks of {found_dimension} coordinates where {expected} of {expected_dimension} are expected"
    )]
    Size {
        /// Landmarks found.
        found: usize,
        /// Coordinates of each.
        found_dimension: usize,
        /// Landmarks expected.
        expected: usize,
        /// Coordinates of each.
        expected_dimension: usize,
    },
    /// NaN or an infinity.
    #[error("has a coordinate that is not a finite number; fill missing landmarks first")]
    NotFinite,
    /// Everything at one place.
    #[error("has all its landmarks at one place; mark it again")]
    OnePlace,
    /// Too few landmarks in general position.
    #[error(
        "has too few landmarks in general position ({found} where at least {needed} that lie on no common line or plane are needed)"
    )]
    Degenerate {
        /// Landmarks there are.
        found: usize,
        /// The least number that may do.
        needed: usize,
    },
    /// A landmark that does not exist, in a table about landmarks.
    #[error("landmark {landmark} (counting from 1) does not exist; there are {landmarks}")]
    NoSuchLandmark {
        /// Counted from 1.
        landmark: usize,
        /// How many there are.
        landmarks: usize,
    },
    /// A landmark named twice where it may be once.
    #[error("landmark {0} (counting from 1) is named twice; name each once")]
    Twice(usize),
    /// No configurations at all.
    #[error("there is no configuration; give at least one")]
    Nothing,
}
