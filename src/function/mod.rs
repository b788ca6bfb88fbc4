//! Hilbert spaces of functions on the circle and the disk: bases, kernels, smoothing, shrinkage.

pub mod circle;
mod curves;
mod disk_basis;
mod disk_field;
pub mod shrink;

pub use curves::{CurvesError, FaceCurves};
pub use disk_basis::DiskBasis;
pub use disk_field::DiskField;
