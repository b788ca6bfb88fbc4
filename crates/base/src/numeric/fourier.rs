//! Fast Fourier transforms. `rustfft`'s planner is generic: a crate that calls it compiles all of its algorithms, a megabyte. Here it is
//! called once for all crates.

pub use rustfft::Fft;
pub use rustfft::num_complex::Complex;
use rustfft::{FftDirection, FftPlanner};
use std::sync::Arc;

/// z_k ↦ Σ_l z_l e^{−2πikl/n}, in place, for n numbers.
#[inline(never)]
pub fn forward(n: usize) -> Arc<dyn Fft<f64>> {
    FftPlanner::new().plan_fft(n, FftDirection::Forward)
}

/// z_l ↦ Σ_k z_k e^{2πikl/n}, in place: n times the inverse of [`forward`].
#[inline(never)]
pub fn inverse(n: usize) -> Arc<dyn Fft<f64>> {
    FftPlanner::new().plan_fft(n, FftDirection::Inverse)
}
