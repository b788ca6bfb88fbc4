//! Points as arrays of numbers, for files.

use crate::io::{WriteError, internal, write_npy};
use nalgebra::{DMatrix, DVector};
use std::path::Path;

/// A point's coordinates in C order.
pub(in crate::study) struct Array {
    shape: Vec<usize>,
    data: Vec<f64>,
}

impl From<&DVector<f64>> for Array {
    fn from(x: &DVector<f64>) -> Self {
        Self { shape: vec![x.len()], data: x.as_slice().to_vec() }
    }
}

/// Symmetric: rounding is halved between an entry and its mirror image.
impl From<&DMatrix<f64>> for Array {
    fn from(m: &DMatrix<f64>) -> Self {
        let k = m.nrows();
        let entry = |i: usize| 0.5 * (m[(i / k, i % k)] + m[(i % k, i / k)]);
        Self { shape: vec![k, k], data: (0..k * k).map(entry).collect() }
    }
}

impl Array {
    /// Lengths of the axes.
    pub(in crate::study) fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The numbers, last axis fastest.
    pub(in crate::study) fn data(&self) -> &[f64] {
        &self.data
    }
}

/// Writes points: the shape of one, or (draws, …) for several.
pub(super) fn write_arrays(path: &Path, points: &[Array]) -> Result<(), WriteError> {
    let mut shape = points.first().map(|point| point.shape.clone()).unwrap_or_default();
    if points.len() > 1 {
        shape.insert(0, points.len());
    }
    let data: Vec<f64> = points.iter().flat_map(|point| point.data.iter().copied()).collect();
    write_npy(path, &shape, &data)
}

/// Writes a point that only the data holder may see.
pub(super) fn write_internal(path: &Path, point: &Array) -> Result<(), WriteError> {
    internal::write_npy(path, &point.shape, &point.data)
}
