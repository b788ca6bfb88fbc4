//! A bound on the work of draws that nobody has to wait for, counted rather than timed: the same on every machine and every run.

use crate::manifold::{Linear, PolarVolume};

/// Work that may still be done, in about nanoseconds of a machine of 2024.
#[derive(Debug, Clone, Copy)]
#[doc(hidden)]
pub struct Work {
    left: f64,
    logarithm: f64,
}

impl Work {
    /// As much as this.
    #[doc(hidden)]
    pub fn new<M: PolarVolume>(manifold: &M, p: &M::Point, most: f64) -> Self {
        let numbers = manifold.zero(p).real_len() as f64;
        // Vectors cost an inner product; matrices an eigendecomposition.
        let logarithm = match manifold.two_point() {
            Some(_) => 20.0 + numbers,
            None => 20.0 + 8.0 * numbers.powf(1.5),
        };
        Self { left: most, logarithm }
    }

    /// Counts this many logarithms or exponentials; whether they were still within the bound.
    #[doc(hidden)]
    pub fn spend(&mut self, logarithms: usize) -> bool {
        self.left -= logarithms as f64 * self.logarithm;
        self.left >= 0.0
    }
}
