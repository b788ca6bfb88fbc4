//! One shape, and shapes one after the other.

use crate::io::error::{Place, RecordError};

/// One specimen's landmarks.
#[derive(Debug, Clone, PartialEq)]
pub struct ShapeRecord {
    /// Its name, where the file gives one.
    pub id: Option<String>,
    /// (x, y) of each landmark, in the file's units times its SCALE; NaN where a landmark is missing.
    pub landmarks: Vec<[f64; 2]>,
}

impl ShapeRecord {
    /// How many landmarks are missing.
    pub fn missing(&self) -> usize {
        self.landmarks.iter().filter(|p| p.iter().any(|c| c.is_nan())).count()
    }
}

/// Shapes one after the other with the places where they begin, what is wrong with one in its place.
pub type ShapeIter<'a> = Box<dyn Iterator<Item = Result<(Place, ShapeRecord), RecordError>> + 'a>;

/// What a record has many of.
pub(super) const WHAT: &str = "landmarks";
