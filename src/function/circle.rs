use super::FunctionError;
use super::error::{check_samples, check_values};
use rustfft::{Fft, FftPlanner, num_complex::Complex};
use std::f64::consts::{SQRT_2, TAU};
use std::sync::Arc;

/// Functions on the circle, sampled at the m distinct points t_l = l/m, in L² of the normalized measure:
/// ⟨f, g⟩ = (1/m) Σ_l f_l g_l.
///
/// The orthonormal basis is the real Fourier basis in the order 1, √2 cos 2πt, √2 sin 2πt, √2 cos 4πt, …, closed
/// by cos πmt when m is even. The paper's grid 0, 1/m, …, 1 repeats the first point (and makes its kernel matrix
/// singular); this one does not.
#[derive(Clone)]
pub struct Circle {
    samples: usize,
    forward: Arc<dyn Fft<f64>>,
    inverse: Arc<dyn Fft<f64>>,
}

impl std::fmt::Debug for Circle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Circle").field("samples", &self.samples).finish()
    }
}

impl Circle {
    /// The circle with between 1 and 2²⁴ points.
    ///
    /// # Errors
    /// [`FunctionError::BadDomain`] for another number of points.
    pub fn new(samples: usize) -> Result<Self, FunctionError> {
        check_samples("a circle", samples)?;
        let mut planner = FftPlanner::new();
        Ok(Self {
            samples,
            forward: planner.plan_fft_forward(samples),
            inverse: planner.plan_fft_inverse(samples),
        })
    }

    /// Number of samples m, which is also the number of basis functions.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// The angular frequency of basis function `i`: 0, 1, 1, 2, 2, …
    pub fn frequency(&self, i: usize) -> usize {
        i.div_ceil(2)
    }

    /// Coefficients of the function with these m values.
    ///
    /// # Errors
    /// [`FunctionError`] when there are not m finite values.
    pub fn analyse(&self, values: &[f64]) -> Result<Vec<f64>, FunctionError> {
        check_values("circle", values, self.samples)?;
        let mut buffer: Vec<Complex<f64>> = values.iter().map(|&x| Complex::new(x, 0.0)).collect();
        self.forward.process(&mut buffer);
        let scale = 1.0 / self.samples as f64;
        Ok((0..self.samples)
            .map(|i| {
                let z = buffer[self.frequency(i)] * scale;
                match i {
                    0 => z.re,
                    i if self.is_nyquist(i) => z.re,
                    i if i % 2 == 1 => SQRT_2 * z.re,
                    _ => -SQRT_2 * z.im,
                }
            })
            .collect())
    }

    /// The m values of the function with these coefficients.
    ///
    /// # Errors
    /// [`FunctionError`] when there are not m finite coefficients.
    pub fn synthesize(&self, coefficients: &[f64]) -> Result<Vec<f64>, FunctionError> {
        check_values("circle coefficients", coefficients, self.samples)?;
        let m = self.samples;
        let mut buffer = vec![Complex::new(0.0, 0.0); m];
        for (i, &c) in coefficients.iter().enumerate() {
            let q = self.frequency(i);
            match i {
                0 => buffer[0].re = c,
                i if self.is_nyquist(i) => buffer[q].re = c,
                i if i % 2 == 1 => {
                    buffer[q].re = c / SQRT_2;
                    buffer[m - q].re = c / SQRT_2;
                }
                _ => {
                    buffer[q].im = -c / SQRT_2;
                    buffer[m - q].im = c / SQRT_2;
                }
            }
        }
        self.inverse.process(&mut buffer);
        Ok(buffer.iter().map(|z| z.re).collect())
    }

    /// The values of all basis functions at the angle `theta` (radians; 2πt).
    pub fn basis_at(&self, theta: f64) -> Vec<f64> {
        // Reducing first keeps the multiples exact for any angle.
        let theta = theta.rem_euclid(TAU);
        (0..self.samples)
            .map(|i| {
                let angle = self.frequency(i) as f64 * theta;
                match i {
                    0 => 1.0,
                    i if self.is_nyquist(i) => angle.cos(),
                    i if i % 2 == 1 => SQRT_2 * angle.cos(),
                    _ => SQRT_2 * angle.sin(),
                }
            })
            .collect()
    }

    fn is_nyquist(&self, i: usize) -> bool {
        self.samples > 1 && self.samples.is_multiple_of(2) && i == self.samples - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;
    use proptest::prelude::*;

    #[test]
    fn the_basis_is_orthonormal_for_even_and_odd_grids() {
        for m in [1, 2, 3, 4, 7, 80, 81] {
            let circle = Circle::new(m).unwrap();
            let grid: Vec<Vec<f64>> = (0..m).map(|l| circle.basis_at(TAU * l as f64 / m as f64)).collect();
            for i in 0..m {
                for j in 0..m {
                    let inner: f64 = grid.iter().map(|row| row[i] * row[j]).sum::<f64>() / m as f64;
                    assert_relative_eq!(inner, f64::from(u8::from(i == j)), epsilon = 1e-12);
                }
                let mut unit = vec![0.0; m];
                unit[i] = 1.0;
                let values = circle.synthesize(&unit).unwrap();
                for (v, row) in values.iter().zip(&grid) {
                    assert_relative_eq!(*v, row[i], epsilon = 1e-12);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn analysis_undoes_synthesis_and_keeps_the_norm(values in prop::collection::vec(-1e3..1e3f64, 1..40)) {
            let circle = Circle::new(values.len()).unwrap();
            let c = circle.analyse(&values).unwrap();
            let back = circle.synthesize(&c).unwrap();
            for (a, b) in values.iter().zip(&back) {
                prop_assert!((a - b).abs() < 1e-10);
            }
            let norm: f64 = values.iter().map(|x| x * x).sum::<f64>() / values.len() as f64;
            prop_assert!((c.iter().map(|x| x * x).sum::<f64>() - norm).abs() <= 1e-11 * norm.max(1.0));
        }
    }

    #[test]
    fn malformed_values_are_refused() {
        assert!(Circle::new(0).is_err() && Circle::new(usize::MAX).is_err());
        let circle = Circle::new(4).unwrap();
        assert!(circle.analyse(&[1.0; 3]).is_err());
        assert!(circle.analyse(&[1.0, 2.0, f64::INFINITY, 0.0]).is_err());
        assert!(circle.synthesize(&[1.0; 5]).is_err());
    }
}
