//! Records from an array, and points to arrays and back.

use super::settings::{MeanSpace, Task};
use crate::io::npy::Array;
use nalgebra::{DMatrix, DVector};

/// Records or a start point that do not fit the task. For the data holder, before anything is charged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// Another number of axes.
    #[error("{what} has shape {found:?}, expected {expected}")]
    Shape {
        /// The records or the start point.
        what: &'static str,
        /// What it should be.
        expected: &'static str,
        /// What it is.
        found: Vec<usize>,
    },
    /// A record, from 0, that cannot be scaled to unit length.
    #[error("record {} (counting from 1) is zero or not finite and cannot be scaled to unit length", .0 + 1)]
    NoDirection(usize),
    /// A parameter no such data have.
    #[error("{0}")]
    Parameter(String),
}

/// A point that can be stored as an array.
pub trait PointArray: Sized + Clone {
    /// Shape and numbers, last axis fastest.
    fn to_array(&self) -> Array;
    /// The point of this shape.
    fn from_array(array: &Array) -> Option<Self>;
}

impl PointArray for DVector<f64> {
    fn to_array(&self) -> Array {
        Array { shape: vec![self.len()], data: self.as_slice().to_vec() }
    }
    fn from_array(array: &Array) -> Option<Self> {
        (array.shape.len() == 1).then(|| Self::from_column_slice(&array.data))
    }
}

impl PointArray for DMatrix<f64> {
    fn to_array(&self) -> Array {
        Array { shape: vec![self.nrows(), self.ncols()], data: self.transpose().as_slice().to_vec() }
    }
    fn from_array(array: &Array) -> Option<Self> {
        let [rows, columns] = array.shape[..] else { return None };
        Some(Self::from_row_slice(rows, columns, &array.data))
    }
}

const NOT_EMPTY: &str = "at least one record of at least one number";

/// The records as matrices (n, k, k).
pub(super) fn matrices(array: &Array) -> Result<Vec<DMatrix<f64>>, DataError> {
    let [n, k, other] = array.shape[..] else {
        return Err(shape(array, "(n, k, k): one symmetric matrix a record"));
    };
    if k != other || n == 0 || k == 0 {
        return Err(shape(array, "(n, k, k): one symmetric matrix a record"));
    }
    Ok(array.data.chunks_exact(k * k).map(|data| DMatrix::from_row_slice(k, k, data)).collect())
}

/// The records as vectors (n, d).
pub(super) fn vectors(array: &Array) -> Result<Vec<DVector<f64>>, DataError> {
    let [n, d] = array.shape[..] else { return Err(shape(array, "(n, d): one point a row")) };
    if n == 0 || d == 0 {
        return Err(shape(array, NOT_EMPTY));
    }
    Ok(array.data.chunks_exact(d).map(DVector::from_column_slice).collect())
}

/// The records as the columns of a matrix, flattened, of unit length if asked.
pub(super) fn columns(array: &Array, unit: bool) -> Result<DMatrix<f64>, DataError> {
    let Some((&n, rest)) = array.shape.split_first() else { return Err(shape(array, NOT_EMPTY)) };
    let d: usize = rest.iter().product();
    if n == 0 || d < 2 {
        return Err(shape(array, "(n, ...): at least one record of at least two numbers"));
    }
    let mut records = DMatrix::from_column_slice(d, n, &array.data);
    if unit {
        for (i, mut record) in records.column_iter_mut().enumerate() {
            if !has_direction(record.as_slice()) {
                return Err(DataError::NoDirection(i));
            }
            let largest = record.amax();
            record /= largest;
            let norm = record.norm();
            record /= norm;
        }
    }
    Ok(records)
}

/// Whether a record can be scaled to unit length: it is not zero, and all of it is finite.
pub(super) fn has_direction(record: &[f64]) -> bool {
    record.iter().all(|x| x.is_finite()) && record.iter().any(|x| *x != 0.0)
}

fn shape(array: &Array, expected: &'static str) -> DataError {
    DataError::Shape { what: "the array of records", expected, found: array.shape.clone() }
}

/// The default start point of a task on records of this shape.
pub(super) fn default_start(task: Task, record: &[usize]) -> Array {
    let d: usize = record.iter().product();
    let axis = |i: usize| {
        let mut data = vec![0.0; d];
        data[i] = 1.0;
        Array { shape: vec![d], data }
    };
    match task {
        Task::FrechetMean(
            MeanSpace::AffineInvariant | MeanSpace::LogEuclidean | MeanSpace::BuresWasserstein,
        ) => DMatrix::identity(record[0], record[0]).to_array(),
        Task::FrechetMean(MeanSpace::Sphere) => axis(d - 1),
        Task::FrechetMean(MeanSpace::Lorentz) => axis(0),
        Task::FrechetMean(MeanSpace::Poincare) => Array { shape: vec![d], data: vec![0.0; d] },
        Task::Eigenvector => Array { shape: vec![d], data: vec![1.0 / (d as f64).sqrt(); d] },
        Task::Subspace { rank, .. } => DMatrix::<f64>::identity(d, rank).to_array(),
    }
}
