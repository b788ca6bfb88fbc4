//! An orthonormal basis for J × m polar samples in space: cosines across the curves × Fourier along them.

use super::circle::Fourier;
use super::{CurvesError, FaceCurves};

/// The isometry between `(J, m, 3)` samples with ‖F‖² = (1/(J m)) Σ |F|² and coefficients with Σ c².
///
/// Radially the orthonormal cosines √(2/J)·cos(π a (j + ½)/J) (DCT-II), along each curve the real Fourier basis:
/// white noise on the coefficients is white noise on the samples.
#[derive(Debug, Clone)]
pub struct DiskBasis {
    curves: usize,
    fourier: Fourier,
    /// `cosines[a * J + j]`, rows orthonormal.
    cosines: Vec<f64>,
}

impl DiskBasis {
    /// For J curves of m samples.
    pub fn new(curves: usize, samples: usize) -> Self {
        let j_count = curves as f64;
        let cosines = (0..curves * curves)
            .map(|i| {
                let (a, j) = ((i / curves) as f64, (i % curves) as f64);
                let scale = if a == 0.0 { (1.0 / j_count).sqrt() } else { (2.0 / j_count).sqrt() };
                scale * (std::f64::consts::PI * a * (j + 0.5) / j_count).cos()
            })
            .collect();
        Self { curves, fourier: Fourier::new(samples), cosines }
    }

    /// Number of coefficients, 3 J m.
    pub fn len(&self) -> usize {
        3 * self.curves * self.fourier.samples()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Radial and angular frequency of the coefficient in place `i`.
    pub fn frequencies(&self, i: usize) -> (usize, usize) {
        let m = self.fourier.samples();
        let within = i % (self.curves * m);
        (within / m, Fourier::frequency(within % m))
    }

    /// Which coordinate (0, 1, 2) the coefficient in place `i` belongs to.
    pub fn coordinate(&self, i: usize) -> usize {
        i / (self.curves * self.fourier.samples())
    }

    /// Coefficients, ordered by coordinate, radial, angular place.
    pub fn analyse(&self, values: &[f64]) -> Vec<f64> {
        let (jn, m) = (self.curves, self.fourier.samples());
        let mut out = vec![0.0; self.len()];
        let scale = 1.0 / (jn as f64).sqrt();
        for k in 0..3 {
            for j in 0..jn {
                let f: Vec<f64> = (0..m).map(|l| values[3 * (j * m + l) + k]).collect();
                let c = self.fourier.analyse(&f);
                for a in 0..jn {
                    let w = scale * self.cosines[a * jn + j];
                    let row = &mut out[(k * jn + a) * m..][..m];
                    row.iter_mut().zip(&c).for_each(|(o, c)| *o += w * c);
                }
            }
        }
        out
    }

    /// Samples `(J, m, 3)` of the function with these coefficients.
    pub fn synthesize(&self, coefficients: &[f64]) -> Vec<f64> {
        let (jn, m) = (self.curves, self.fourier.samples());
        let mut out = vec![0.0; self.len()];
        let scale = (jn as f64).sqrt();
        for k in 0..3 {
            for j in 0..jn {
                let mut c = vec![0.0; m];
                for a in 0..jn {
                    let w = scale * self.cosines[a * jn + j];
                    let row = &coefficients[(k * jn + a) * m..][..m];
                    c.iter_mut().zip(row).for_each(|(c, r)| *c += w * r);
                }
                for (l, value) in self.fourier.synthesize(&c).into_iter().enumerate() {
                    out[3 * (j * m + l) + k] = value;
                }
            }
        }
        out
    }

    /// The synthesized values as curves.
    ///
    /// # Errors
    /// [`CurvesError`] when a coefficient is not finite.
    pub fn curves(&self, coefficients: &[f64]) -> Result<FaceCurves, CurvesError> {
        FaceCurves::new(self.curves, self.fourier.samples(), self.synthesize(coefficients))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn isometry_and_inverse() {
        let basis = DiskBasis::new(5, 8);
        let values: Vec<f64> = (0..basis.len()).map(|i| ((i * 37) % 101) as f64 / 50.0 - 1.0).collect();
        let c = basis.analyse(&values);
        let norm: f64 = values.iter().map(|x| x * x).sum::<f64>() / 40.0;
        approx::assert_relative_eq!(c.iter().map(|x| x * x).sum::<f64>(), norm, max_relative = 1e-13);
        for (a, b) in basis.synthesize(&c).iter().zip(&values) {
            assert!((a - b).abs() < 1e-13);
        }
    }

    #[test]
    fn a_constant_has_only_the_lowest_frequency() {
        let basis = DiskBasis::new(4, 6);
        let mut values = vec![0.0; basis.len()];
        values.iter_mut().skip(1).step_by(3).for_each(|y| *y = 2.0);
        for (i, c) in basis.analyse(&values).into_iter().enumerate() {
            let expected = if basis.coordinate(i) == 1 && basis.frequencies(i) == (0, 0) { 2.0 } else { 0.0 };
            assert!((c - expected).abs() < 1e-14);
        }
    }
}
