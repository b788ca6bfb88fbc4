//! Symmetric positive definite matrices, three metrics.

mod affine_invariant;
mod log_euclidean;
mod matrix;

pub use affine_invariant::SpdAffineInvariant;
pub use log_euclidean::SpdLogEuclidean;
