//! Vectors as the manifolds store them.

use nalgebra::{Complex, DMatrix, DVector};
use std::fmt::Debug;

/// A real vector space whose elements can be scaled, added, and read as a list of real numbers (the ambient
/// coordinates, in storage order).
pub trait Linear: Clone + Send + Sync + Debug {
    /// self ← c·self.
    fn scale_by(&mut self, c: f64);
    /// self ← self + a·x.
    fn add_scaled(&mut self, a: f64, x: &Self);
    /// How many real numbers there are.
    fn real_len(&self) -> usize;
    /// Real number i < [`real_len`](Linear::real_len).
    fn real(&self, i: usize) -> f64;
    /// Sets real number i < [`real_len`](Linear::real_len).
    fn set_real(&mut self, i: usize, x: f64);
}

macro_rules! linear_f64 {
    ($type:ty) => {
        impl Linear for $type {
            fn scale_by(&mut self, c: f64) {
                self.as_mut_slice().iter_mut().for_each(|x| *x *= c);
            }
            fn add_scaled(&mut self, a: f64, x: &Self) {
                axpy(a, x.as_slice(), self.as_mut_slice());
            }
            fn real_len(&self) -> usize {
                self.len()
            }
            fn real(&self, i: usize) -> f64 {
                self[i]
            }
            fn set_real(&mut self, i: usize, x: f64) {
                self[i] = x;
            }
        }
    };
}
linear_f64!(DVector<f64>);
linear_f64!(DMatrix<f64>);

/// A line.
impl Linear for f64 {
    fn scale_by(&mut self, c: f64) {
        *self *= c;
    }
    fn add_scaled(&mut self, a: f64, x: &Self) {
        *self += a * x;
    }
    fn real_len(&self) -> usize {
        1
    }
    fn real(&self, _i: usize) -> f64 {
        *self
    }
    fn set_real(&mut self, _i: usize, x: f64) {
        *self = x;
    }
}

/// y ← y + a·x.
pub(super) fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

impl Linear for DVector<Complex<f64>> {
    fn scale_by(&mut self, c: f64) {
        self.as_mut_slice().iter_mut().for_each(|z| *z *= c);
    }
    fn add_scaled(&mut self, a: f64, x: &Self) {
        for (y, x) in self.as_mut_slice().iter_mut().zip(x.as_slice()) {
            *y += x * a;
        }
    }
    fn real_len(&self) -> usize {
        2 * self.len()
    }
    fn real(&self, i: usize) -> f64 {
        if i.is_multiple_of(2) { self[i / 2].re } else { self[i / 2].im }
    }
    fn set_real(&mut self, i: usize, x: f64) {
        if i.is_multiple_of(2) { self[i / 2].re = x } else { self[i / 2].im = x }
    }
}

impl<A: Linear, B: Linear> Linear for (A, B) {
    fn scale_by(&mut self, c: f64) {
        self.0.scale_by(c);
        self.1.scale_by(c);
    }
    fn add_scaled(&mut self, a: f64, x: &Self) {
        self.0.add_scaled(a, &x.0);
        self.1.add_scaled(a, &x.1);
    }
    fn real_len(&self) -> usize {
        self.0.real_len() + self.1.real_len()
    }
    fn real(&self, i: usize) -> f64 {
        let first = self.0.real_len();
        if i < first { self.0.real(i) } else { self.1.real(i - first) }
    }
    fn set_real(&mut self, i: usize, x: f64) {
        let first = self.0.real_len();
        if i < first { self.0.set_real(i, x) } else { self.1.set_real(i - first, x) }
    }
}
