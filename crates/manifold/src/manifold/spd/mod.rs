//! Symmetric positive definite matrices, three metrics.

mod affine_invariant;
mod bures_wasserstein;
mod cholesky;
mod eight;
mod exponential;
mod lanes;
mod lockstep;
mod log_euclidean;
mod matrix;
mod mean_log;
mod metrics;
mod pairs;
mod product;
mod rows;
mod spectral_mean;
mod whiten;

pub use affine_invariant::SpdAffineInvariant;
pub use bures_wasserstein::SpdBuresWasserstein;
pub use log_euclidean::SpdLogEuclidean;
pub use matrix::is_positive_definite;
