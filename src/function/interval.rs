use super::FunctionError;
use super::error::{check_samples, check_values};
use rustfft::{Fft, FftPlanner, num_complex::Complex};
use std::f64::consts::{PI, SQRT_2};
use std::sync::Arc;

/// Functions on [0, 1], sampled at the m midpoints t_l = (l+½)/m, with ⟨f, g⟩ = (1/m) Σ_l f_l g_l.
///
/// The orthonormal basis is 1, √2 cos πt, √2 cos 2πt, …: the eigenfunctions of −f″ with free ends, so that a
/// function need not be periodic nor vanish anywhere.
#[derive(Clone)]
pub struct Interval {
    samples: usize,
    forward: Arc<dyn Fft<f64>>,
    inverse: Arc<dyn Fft<f64>>,
}

impl std::fmt::Debug for Interval {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Interval").field("samples", &self.samples).finish()
    }
}

impl Interval {
    /// The interval with between 1 and 2²⁴ points.
    ///
    /// # Errors
    /// [`FunctionError::BadDomain`] for another number of points.
    pub fn new(samples: usize) -> Result<Self, FunctionError> {
        check_samples("an interval", samples)?;
        let doubled = 2 * samples;
        let mut planner = FftPlanner::new();
        Ok(Self {
            samples,
            forward: planner.plan_fft_forward(doubled),
            inverse: planner.plan_fft_inverse(doubled),
        })
    }

    /// Number of samples m, which is also the number of basis functions.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// Coefficients of the function with these m values.
    ///
    /// # Errors
    /// [`FunctionError`] when there are not m finite values.
    pub fn analyse(&self, values: &[f64]) -> Result<Vec<f64>, FunctionError> {
        check_values("interval", values, self.samples)?;
        let m = self.samples;
        // The even extension turns the cosine sums into one Fourier transform of twice the length.
        let mut buffer: Vec<Complex<f64>> =
            values.iter().chain(values.iter().rev()).map(|&x| Complex::new(x, 0.0)).collect();
        self.forward.process(&mut buffer);
        let scale = 0.5 / m as f64;
        Ok((0..m)
            .map(|k| {
                let twist = Complex::from_polar(scale, -PI * k as f64 / (2 * m) as f64);
                norm_factor(k) * (buffer[k] * twist).re
            })
            .collect())
    }

    /// The m values of the function with these coefficients.
    ///
    /// # Errors
    /// [`FunctionError`] when there are not m finite coefficients.
    pub fn synthesize(&self, coefficients: &[f64]) -> Result<Vec<f64>, FunctionError> {
        check_values("interval coefficients", coefficients, self.samples)?;
        let m = self.samples;
        let mut buffer = vec![Complex::new(0.0, 0.0); 2 * m];
        for (k, &c) in coefficients.iter().enumerate() {
            buffer[k] = Complex::from_polar(norm_factor(k) * c, PI * k as f64 / (2 * m) as f64);
        }
        self.inverse.process(&mut buffer);
        Ok(buffer[..m].iter().map(|z| z.re).collect())
    }
}

fn norm_factor(k: usize) -> f64 {
    if k == 0 { 1.0 } else { SQRT_2 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn synthesis_gives_the_cosines_and_analysis_undoes_it() {
        for m in [1, 2, 5, 16] {
            let interval = Interval::new(m).unwrap();
            for k in 0..m {
                let mut unit = vec![0.0; m];
                unit[k] = 1.0;
                let values = interval.synthesize(&unit).unwrap();
                for (l, v) in values.iter().enumerate() {
                    let t = (l as f64 + 0.5) / m as f64;
                    assert_relative_eq!(*v, norm_factor(k) * (PI * k as f64 * t).cos(), epsilon = 1e-12);
                }
                let norm: f64 = values.iter().map(|x| x * x).sum::<f64>() / m as f64;
                assert_relative_eq!(norm, 1.0, epsilon = 1e-12);
                for (a, b) in interval.analyse(&values).unwrap().iter().zip(&unit) {
                    assert_relative_eq!(*a, *b, epsilon = 1e-12);
                }
            }
        }
    }

    #[test]
    fn malformed_values_are_refused() {
        assert!(Interval::new(0).is_err() && Interval::new(usize::MAX).is_err());
        assert!(Interval::new(3).unwrap().analyse(&[0.0, f64::NAN, 0.0]).is_err());
    }
}
