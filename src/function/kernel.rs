use super::error::check_positive;
use super::{Circle, FunctionError};
use rustfft::{FftPlanner, num_complex::Complex};
use std::f64::consts::TAU;

/// The power-exponential kernel on the circle, k(s, t) = exp(−(d(s, t)/ρ)^α), d the arc length in [0, π].
///
/// Positive definite exactly for 0 < α ≤ 1 (Gneiting 2013, table 1). Its operator on L² of the normalized measure
/// has the Fourier basis as eigenfunctions; with m samples the matrix is K/m, circulant, and its eigenvalues sum
/// to 1. The factor 1/m matters: with the eigenvalues of K itself, the sensitivity bound of Soto et al. (2024,
/// section 4.1) is too small by a factor between 2 and 4.5.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PowerExponential {
    range: f64,
    exponent: f64,
}

impl PowerExponential {
    /// Range ρ > 0 (radians of arc) and exponent α in (0, 1].
    ///
    /// # Errors
    /// [`FunctionError::BadParameter`].
    pub fn new(range: f64, exponent: f64) -> Result<Self, FunctionError> {
        check_positive("kernel range rho", range)?;
        if !(exponent > 0.0 && exponent <= 1.0) {
            return Err(FunctionError::BadParameter {
                name: "kernel exponent alpha",
                range: "between 0 (excluded) and 1 (included): beyond 1 it is not positive definite",
                value: exponent,
            });
        }
        Ok(Self { range, exponent })
    }

    /// Range ρ, in radians.
    pub fn range(&self) -> f64 {
        self.range
    }

    /// Exponent α.
    pub fn exponent(&self) -> f64 {
        self.exponent
    }

    /// k at arc length `distance`.
    pub fn at(&self, distance: f64) -> f64 {
        (-(distance / self.range).powf(self.exponent)).exp()
    }

    /// Eigenvalues λ_i ≥ 0 of the covariance operator, one for each function of the circle's real Fourier basis
    /// (so every frequency but the first and the last comes twice). They sum to k(0) = 1.
    pub fn eigenvalues(&self, circle: &Circle) -> Vec<f64> {
        let m = circle.samples();
        let mut row: Vec<Complex<f64>> =
            (0..m).map(|l| Complex::new(self.at(TAU * l.min(m - l) as f64 / m as f64), 0.0)).collect();
        FftPlanner::new().plan_fft_forward(m).process(&mut row);
        // Rounding can leave the smallest a hair below zero.
        (0..m).map(|i| (row[circle.frequency(i)].re / m as f64).max(0.0)).collect()
    }
}

/// The smoother S = C(C+φ)⁻¹ of the functional mean: h = (1/n) Σ S f_i minimizes (1/n) Σ‖f_i − h‖² + φ‖h‖² in the
/// kernel's own norm (Soto et al. 2024, section 4.1, with the 1/n the printed sum lacks).
#[derive(Debug, Clone, PartialEq)]
pub struct KernelSmoother {
    eigenvalues: Vec<f64>,
    penalty: f64,
}

impl KernelSmoother {
    /// The smoother with penalty φ > 0 on this circle.
    ///
    /// # Errors
    /// [`FunctionError::BadParameter`].
    pub fn new(kernel: PowerExponential, penalty: f64, circle: &Circle) -> Result<Self, FunctionError> {
        check_positive("smoothing penalty phi", penalty)?;
        Ok(Self { eigenvalues: kernel.eigenvalues(circle), penalty })
    }

    /// λ_i in the order of the circle's basis.
    pub fn eigenvalues(&self) -> &[f64] {
        &self.eigenvalues
    }

    /// φ.
    pub fn penalty(&self) -> f64 {
        self.penalty
    }

    /// The multipliers s_i = λ_i/(λ_i+φ) in [0, 1).
    pub fn multipliers(&self) -> Vec<f64> {
        self.eigenvalues.iter().map(|l| l / (l + self.penalty)).collect()
    }

    /// sup ‖S f‖ in the kernel's norm over ‖f‖ ≤ 1: max_i √λ_i/(λ_i+φ), which is at most 1/(2√φ).
    ///
    /// Times 2τ/n it is the exact sensitivity of the smoothed mean; the paper uses 1/√φ, twice the largest value
    /// this can have.
    pub fn gain(&self) -> f64 {
        self.eigenvalues.iter().map(|l| l.sqrt() / (l + self.penalty)).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;
    use std::f64::consts::PI;

    #[test]
    fn eigenvalues_are_those_of_the_dense_matrix() {
        let (m, kernel) = (12, PowerExponential::new(0.7, 0.8).unwrap());
        let circle = Circle::new(m).unwrap();
        let arc = |a: usize, b: usize| {
            let d = TAU * a.abs_diff(b) as f64 / m as f64;
            d.min(TAU - d)
        };
        let dense = nalgebra::DMatrix::from_fn(m, m, |a, b| kernel.at(arc(a, b)) / m as f64);
        let mut expected: Vec<f64> = dense.symmetric_eigenvalues().iter().copied().collect();
        let mut got = kernel.eigenvalues(&circle);
        expected.sort_by(f64::total_cmp);
        got.sort_by(f64::total_cmp);
        for (a, b) in got.iter().zip(&expected) {
            assert_relative_eq!(*a, *b, epsilon = 1e-14);
        }
        assert_relative_eq!(got.iter().sum::<f64>(), 1.0, epsilon = 1e-14);
    }

    #[test]
    fn eigenvalues_tend_to_the_integrals_of_the_exponential_kernel() {
        // (1/2π)∫ exp(−|x|/ρ) cos(qx) dx over [−π, π] = ρ(1 − (−1)^q e^{−π/ρ}) / (π(1 + ρ²q²)).
        let rho = 0.5;
        let circle = Circle::new(4096).unwrap();
        let lambda = PowerExponential::new(rho, 1.0).unwrap().eigenvalues(&circle);
        for q in 0..10usize {
            let sign = if q % 2 == 0 { 1.0 } else { -1.0 };
            let exact = rho * (1.0 - sign * (-PI / rho).exp()) / (PI * (1.0 + (rho * q as f64).powi(2)));
            assert_relative_eq!(lambda[if q == 0 { 0 } else { 2 * q - 1 }], exact, epsilon = 1e-6);
        }
    }

    #[test]
    fn gain_is_below_its_bound_and_attained_by_a_basis_function() {
        let circle = Circle::new(80).unwrap();
        for (rho, phi) in [(0.2, 0.01), (1.0, 0.005), (3.0, 0.1), (1.0, 1e-6), (1.0, 10.0)] {
            let s = KernelSmoother::new(PowerExponential::new(rho, 1.0).unwrap(), phi, &circle).unwrap();
            assert!(s.gain() <= 0.5 / phi.sqrt() * (1.0 + 1e-12));
            let norms =
                s.multipliers().iter().zip(s.eigenvalues()).map(|(m, l)| m / l.sqrt()).fold(0.0, f64::max);
            assert_relative_eq!(s.gain(), norms, epsilon = 1e-12);
        }
    }

    /// The gain against the largest singular value of dense matrices, in which no Fourier basis occurs.
    #[test]
    fn gain_is_the_norm_of_the_smoother_as_a_map_into_the_kernel_space() {
        let (m, phi, kernel) = (16, 0.02, PowerExponential::new(0.8, 1.0).unwrap());
        let circle = Circle::new(m).unwrap();
        let arc = |a: usize, b: usize| (TAU * a.abs_diff(b).min(m - a.abs_diff(b)) as f64) / m as f64;
        let c = nalgebra::DMatrix::from_fn(m, m, |a, b| kernel.at(arc(a, b)) / m as f64);
        let shifted = &c + nalgebra::DMatrix::identity(m, m) * phi;
        let s = &c * shifted.try_inverse().unwrap();
        // ‖S f‖² in the kernel's norm is ⟨S f, C⁻¹ S f⟩.
        let form = s.transpose() * c.try_inverse().unwrap() * &s;
        let exact = form.symmetric_eigenvalues().max().sqrt();
        assert_relative_eq!(
            KernelSmoother::new(kernel, phi, &circle).unwrap().gain(),
            exact,
            epsilon = 1e-10
        );
    }

    #[test]
    fn parameters_outside_their_range_are_refused() {
        for (rho, alpha) in
            [(0.0, 1.0), (-1.0, 1.0), (f64::NAN, 1.0), (1.0, 0.0), (1.0, 1.5), (1.0, f64::NAN)]
        {
            assert!(PowerExponential::new(rho, alpha).is_err(), "{rho} {alpha}");
        }
        let k = PowerExponential::new(1.0, 1.0).unwrap();
        assert!(KernelSmoother::new(k, 0.0, &Circle::new(4).unwrap()).is_err());
    }
}
