//! One shape, and shapes one after the other.

use crate::io::error::{Place, RecordError};
use nalgebra::DMatrix;
use std::ops::Range;

/// One specimen's landmarks: k points of the plane or of space, and which of them are points of curves.
#[derive(Debug, Clone, PartialEq)]
pub struct ShapeRecord {
    /// Its name, where the file gives one.
    pub id: Option<String>,
    /// Coordinates of a landmark: 2 or 3.
    dimension: usize,
    /// All of one landmark's together; NaN where it is missing.
    coordinates: Vec<f64>,
    /// The points of each curve, which stand after the landmarks proper.
    curves: Vec<Range<usize>>,
    /// Landmarks taken for missing because a coordinate is negative.
    negative: usize,
    /// Whether the file gives it a scale of its own.
    scaled: bool,
}

impl ShapeRecord {
    /// Of landmarks in the plane, NaN where one is missing.
    pub fn planar(id: Option<String>, landmarks: &[[f64; 2]]) -> Self {
        Self::flat(id, 2, landmarks.as_flattened().to_vec())
    }

    /// Of landmarks in space, NaN where one is missing.
    pub fn solid(id: Option<String>, landmarks: &[[f64; 3]]) -> Self {
        Self::flat(id, 3, landmarks.as_flattened().to_vec())
    }

    /// Of a k × 2 or k × 3 matrix, a row for each landmark; `None` for one of another width.
    pub fn from_matrix(id: Option<String>, landmarks: &DMatrix<f64>) -> Option<Self> {
        let coordinates = landmarks.row_iter().flat_map(|row| row.iter().copied().collect::<Vec<_>>());
        matches!(landmarks.ncols(), 2 | 3).then(|| Self::flat(id, landmarks.ncols(), coordinates.collect()))
    }

    /// Of coordinates one after the other, a whole number of landmarks.
    pub(in crate::io) fn flat(id: Option<String>, dimension: usize, coordinates: Vec<f64>) -> Self {
        debug_assert!(matches!(dimension, 2 | 3) && coordinates.len().is_multiple_of(dimension));
        Self { id, dimension, coordinates, curves: Vec::new(), negative: 0, scaled: false }
    }

    /// The same, of which these points are points of curves.
    pub fn with_curves(self, curves: Vec<Range<usize>>) -> Self {
        Self { curves, ..self }
    }

    /// Coordinates of a landmark: 2 in the plane, 3 in space.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// How many landmarks there are, points of curves and missing ones included.
    pub fn landmarks(&self) -> usize {
        self.coordinates.len() / self.dimension
    }

    /// Coordinates one landmark after the other, in the file's units times its SCALE; NaN where one is missing.
    pub fn coordinates(&self) -> &[f64] {
        &self.coordinates
    }

    /// The coordinates of each landmark.
    pub fn points(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.coordinates.chunks_exact(self.dimension)
    }

    /// (x, y) of each landmark; `None` for landmarks in space.
    pub fn plane(&self) -> Option<&[[f64; 2]]> {
        (self.dimension == 2).then(|| self.coordinates.as_chunks().0)
    }

    /// k × 2 or k × 3, a row for each landmark, NaN where one is missing.
    pub fn to_matrix(&self) -> DMatrix<f64> {
        DMatrix::from_row_slice(self.landmarks(), self.dimension, &self.coordinates)
    }

    /// How many landmarks are missing.
    pub fn missing(&self) -> usize {
        self.points().filter(|p| is_missing(p)).count()
    }

    /// The points of each curve that the file tells of (in TPS `CURVES=` and `POINTS=`). They lie where somebody put them along a line,
    /// not at a place of their own: semilandmarks. They come after the landmarks proper.
    pub fn curves(&self) -> &[Range<usize>] {
        &self.curves
    }

    /// How many landmarks were taken for missing because a coordinate is negative (in TPS, where `IMAGE=` says that they are of a picture).
    pub fn negative(&self) -> usize {
        self.negative
    }

    /// Whether the file gives it a scale of its own (`SCALE=` in TPS), which the coordinates have been multiplied by.
    pub fn is_scaled(&self) -> bool {
        self.scaled
    }

    /// Takes every landmark with a negative coordinate for missing.
    pub(super) fn take_negative_as_missing(&mut self) {
        for p in self.coordinates.chunks_exact_mut(self.dimension).filter(|p| p.iter().any(|c| *c < 0.0)) {
            p.fill(f64::NAN);
            self.negative += 1;
        }
    }

    /// Takes every landmark with a coordinate that is one of these numbers, to the digit, for missing.
    pub(super) fn take_as_missing(&mut self, codes: &[f64]) {
        for p in self.coordinates.chunks_exact_mut(self.dimension) {
            if p.iter().any(|c| codes.contains(c)) {
                p.fill(f64::NAN);
            }
        }
    }

    /// In other units, as the file says.
    pub(super) fn scale(&mut self, factor: f64) {
        self.scaled = true;
        self.coordinates.iter_mut().for_each(|c| *c *= factor);
    }
}

/// Whether a landmark has no place.
pub(super) fn is_missing(point: &[f64]) -> bool {
    point.iter().any(|c| c.is_nan())
}

/// Shapes one after the other with the places where they begin, what is wrong with one in its place.
pub type ShapeIter<'a> = Box<dyn Iterator<Item = Result<(Place, ShapeRecord), RecordError>> + 'a>;

/// What a record has many of.
pub(super) const WHAT: &str = "landmarks";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_configuration_in_every_form() {
        let solid = ShapeRecord::solid(None, &[[1.0, 2.0, 3.0], [4.0, f64::NAN, 6.0]]);
        assert_eq!((solid.landmarks(), solid.dimension(), solid.missing()), (2, 3, 1));
        assert_eq!(solid.to_matrix()[(1, 2)], 6.0);
        assert!(solid.plane().is_none());
        let planar = ShapeRecord::planar(Some("a".into()), &[[1.0, 2.0], [-999.0, 4.0]]);
        assert_eq!(planar.plane().unwrap()[1], [-999.0, 4.0]);
        assert_eq!(ShapeRecord::from_matrix(planar.id.clone(), &planar.to_matrix()), Some(planar.clone()));
        assert_eq!(ShapeRecord::from_matrix(None, &DMatrix::zeros(2, 4)), None);
        let mut coded = planar;
        coded.take_as_missing(&[-999.0]);
        assert!(coded.missing() == 1 && coded.points().nth(1).unwrap().iter().all(|c| c.is_nan()));
    }
}
