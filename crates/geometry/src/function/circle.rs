//! Functions on the circle, sampled at m distinct points t_l = l/m, with ⟨f, g⟩ = (1/m) Σ f_l g_l.

use crate::numeric::fourier::{self, Complex, Fft};

/// Coefficients in the orthonormal real Fourier basis 1, √2 cos 2πt, √2 sin 2πt, √2 cos 4πt, …
/// (for even m the last is cos πmt); the map is an isometry: Σ c² = (1/m) Σ f².
#[derive(Clone)]
pub struct Fourier {
    samples: usize,
    forward: std::sync::Arc<dyn Fft<f64>>,
    inverse: std::sync::Arc<dyn Fft<f64>>,
}

impl std::fmt::Debug for Fourier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Fourier({} samples)", self.samples)
    }
}

impl Fourier {
    /// For functions of m samples.
    pub fn new(samples: usize) -> Self {
        Self { samples, forward: fourier::forward(samples), inverse: fourier::inverse(samples) }
    }

    /// m.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// The frequency of the basis function in place `i`: 0, 1, 1, 2, 2, …
    pub fn frequency(i: usize) -> usize {
        i.div_ceil(2)
    }

    /// Coefficients of a function's samples.
    pub fn analyse(&self, f: &[f64]) -> Vec<f64> {
        let m = self.samples;
        let mut z: Vec<Complex<f64>> = f.iter().map(|&x| Complex::new(x / m as f64, 0.0)).collect();
        self.forward.process(&mut z);
        let root = std::f64::consts::SQRT_2;
        (0..m)
            .map(|i| match (i, Self::frequency(i)) {
                (0, _) => z[0].re,
                (_, k) if 2 * k == m => z[k].re,
                (i, k) if i % 2 == 1 => root * z[k].re,
                (_, k) => -root * z[k].im,
            })
            .collect()
    }

    /// Samples of the function with these coefficients: the inverse of [`Fourier::analyse`].
    pub fn synthesize(&self, c: &[f64]) -> Vec<f64> {
        let m = self.samples;
        let mut z = vec![Complex::new(0.0, 0.0); m];
        let half = 1.0 / std::f64::consts::SQRT_2;
        for (i, &c) in c.iter().enumerate() {
            match (i, Self::frequency(i)) {
                (0, _) => z[0].re = c,
                (_, k) if 2 * k == m => z[k].re = c,
                (i, k) => {
                    let part =
                        if i % 2 == 1 { Complex::new(half * c, 0.0) } else { Complex::new(0.0, -half * c) };
                    z[k] += part;
                    z[m - k] += part.conj();
                }
            }
        }
        self.inverse.process(&mut z);
        z.into_iter().map(|z| z.re).collect()
    }

    /// The variance of each sample of a function whose coefficients are independent with these variances.
    pub fn variances(&self, of_coefficients: &[f64]) -> Vec<f64> {
        let m = self.samples();
        let mut out = vec![0.0; m];
        for (i, v) in of_coefficients.iter().enumerate() {
            let k = Self::frequency(i);
            for (l, out) in out.iter_mut().enumerate() {
                // Twice the angle, as a whole number of m-th turns.
                let twice = std::f64::consts::TAU * ((2 * k * l) % m) as f64 / m as f64;
                *out += v * match i {
                    0 => 1.0,
                    _ if 2 * k == m => 1.0,
                    i if i % 2 == 1 => 1.0 + twice.cos(),
                    _ => 1.0 - twice.cos(),
                };
            }
        }
        out
    }
}

/// k(s, t) = exp(−(d(s, t)/ρ)^α), d the arc length in [0, π]: positive definite on the circle for 0 < α ≤ 1
/// (Gneiting 2013).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PowerExponential {
    range: f64,
    power: f64,
}

impl PowerExponential {
    /// Range ρ > 0 (radians) and power 0 < α ≤ 1; `None` outside.
    pub fn new(range: f64, power: f64) -> Option<Self> {
        (range > 0.0 && range.is_finite() && power > 0.0 && power <= 1.0).then_some(Self { range, power })
    }

    /// The eigenvalues of the kernel's integral operator on m samples (matrix K/m), in the order of [`Fourier`]'s
    /// basis. They are positive and sum to k(t, t) = 1.
    pub fn eigenvalues(&self, samples: usize) -> Vec<f64> {
        let m = samples;
        let tau = std::f64::consts::TAU;
        let mut row: Vec<Complex<f64>> = (0..m)
            .map(|l| {
                let arc = tau * l.min(m - l) as f64 / m as f64;
                Complex::new((-(arc / self.range).powf(self.power)).exp() / m as f64, 0.0)
            })
            .collect();
        fourier::forward(m).process(&mut row);
        // Rounding may leave a tiny negative value where the true one is tiny and positive.
        (0..m).map(|i| row[Fourier::frequency(i)].re.max(f64::MIN_POSITIVE)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fourier_is_an_isometry_and_inverts() {
        for m in [1, 2, 5, 8, 80, 81] {
            let fourier = Fourier::new(m);
            let f: Vec<f64> = (0..m).map(|l| ((l * l + 3) % 7) as f64 - 2.5).collect();
            let c = fourier.analyse(&f);
            let norm: f64 = f.iter().map(|x| x * x).sum::<f64>() / m as f64;
            approx::assert_relative_eq!(c.iter().map(|x| x * x).sum::<f64>(), norm, max_relative = 1e-13);
            for (a, b) in fourier.synthesize(&c).iter().zip(&f) {
                assert!((a - b).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn basis_functions_are_what_they_say() {
        let m = 80;
        let t = |l: usize| std::f64::consts::TAU * l as f64 / m as f64;
        let f: Vec<f64> = (0..m).map(|l| 3.0 * (2.0 * t(l)).sin() + 0.5).collect();
        let c = Fourier::new(m).analyse(&f);
        approx::assert_relative_eq!(c[0], 0.5, epsilon = 1e-14);
        approx::assert_relative_eq!(c[4], 3.0 / 2f64.sqrt(), epsilon = 1e-14);
    }

    #[test]
    fn eigenvalues_sum_to_one_and_match_the_dense_matrix() {
        let (m, kernel) = (24, PowerExponential::new(0.3, 1.0).unwrap());
        let values = kernel.eigenvalues(m);
        approx::assert_relative_eq!(values.iter().sum::<f64>(), 1.0, max_relative = 1e-13);
        let dense = nalgebra::DMatrix::from_fn(m, m, |i, j| {
            let steps = i.abs_diff(j).min(m - i.abs_diff(j));
            (-(std::f64::consts::TAU * steps as f64 / m as f64) / 0.3).exp() / m as f64
        });
        let mut expected: Vec<f64> = dense.symmetric_eigenvalues().iter().copied().collect();
        let mut values = values;
        expected.sort_by(f64::total_cmp);
        values.sort_by(f64::total_cmp);
        for (a, b) in values.iter().zip(&expected) {
            approx::assert_relative_eq!(a, b, epsilon = 1e-14, max_relative = 1e-12);
        }
    }

    #[test]
    fn powers_above_one_are_refused() {
        assert!(PowerExponential::new(0.3, 1.1).is_none() && PowerExponential::new(0.0, 1.0).is_none());
    }
}
