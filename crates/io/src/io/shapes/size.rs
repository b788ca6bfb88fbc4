//! What is known beforehand of the shapes in a file.

use crate::io::columns::RecordSize;
use crate::io::error::Fault;

/// How large a shape is, and where that is known from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShapeSize {
    /// How many landmarks.
    pub landmarks: RecordSize,
    /// How many coordinates each has, 2 or 3, where that is known; otherwise the file tells, and a table whose heading does not is one of
    /// the plane.
    pub dimension: Option<usize>,
}

impl ShapeSize {
    /// So many landmarks of so many coordinates.
    pub fn of(landmarks: usize, dimension: usize) -> Self {
        Self { landmarks: RecordSize::Known(landmarks), dimension: Some(dimension) }
    }

    /// The number of landmarks, where it is known.
    pub(super) fn known(self) -> Option<usize> {
        if let RecordSize::Known(landmarks) = self.landmarks { Some(landmarks) } else { None }
    }

    /// Refuses a file that says otherwise.
    pub(super) fn check(self, landmarks: usize, dimension: usize, what: &'static str) -> Result<(), Fault> {
        self.check_dimension(dimension)?;
        self.landmarks.check(landmarks, what)
    }

    /// Refuses a file whose landmarks have another number of coordinates.
    pub(super) fn check_dimension(self, found: usize) -> Result<(), Fault> {
        match self.dimension {
            Some(expected) if expected != found => {
                Err(Fault::Size { what: "coordinates for each landmark", found, expected })
            }
            _ => Ok(()),
        }
    }
}

impl From<RecordSize> for ShapeSize {
    fn from(landmarks: RecordSize) -> Self {
        Self { landmarks, dimension: None }
    }
}
