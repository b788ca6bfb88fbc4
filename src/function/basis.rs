//! Orthonormal bases for vector-valued functions on a circle, an interval or a disk, sampled on a grid.

use super::circle::Fourier;

/// Where functions live and at which points they are sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Domain {
    /// m distinct points l/m of a closed curve.
    Circle {
        /// m.
        samples: usize,
    },
    /// m midpoints (l + ½)/m of an interval.
    Interval {
        /// m.
        samples: usize,
    },
    /// J circles of m distinct points each.
    Disk {
        /// J.
        curves: usize,
        /// m.
        samples: usize,
    },
}

impl Domain {
    /// Rows of cosines across, Fourier along: (J, m).
    fn shape(self) -> (usize, usize) {
        match self {
            Domain::Circle { samples } => (1, samples),
            Domain::Interval { samples } => (samples, 1),
            Domain::Disk { curves, samples } => (curves, samples),
        }
    }

    /// Number of sample points.
    pub fn points(self) -> usize {
        let (j, m) = self.shape();
        j * m
    }
}

/// The isometry between samples `(points, channels)` with ‖F‖² = (1/points) Σ |F|² and coefficients with Σ c².
///
/// Across the curves of a disk, or along an interval, the orthonormal cosines √(2/J)·cos(π a (j + ½)/J) (DCT-II); along
/// closed curves the real Fourier basis. White noise on the coefficients is white noise on the samples.
#[derive(Debug, Clone)]
pub struct Basis {
    curves: usize,
    channels: usize,
    fourier: Fourier,
    /// `cosines[a * J + j]`, rows orthonormal.
    cosines: Vec<f64>,
}

impl Basis {
    /// For functions on `domain` with values in ℝ^channels.
    pub fn new(domain: Domain, channels: usize) -> Self {
        let (curves, samples) = domain.shape();
        let j_count = curves as f64;
        let cosines = (0..curves * curves)
            .map(|i| {
                let (a, j) = ((i / curves) as f64, (i % curves) as f64);
                let scale = if a == 0.0 { (1.0 / j_count).sqrt() } else { (2.0 / j_count).sqrt() };
                scale * (std::f64::consts::PI * a * (j + 0.5) / j_count).cos()
            })
            .collect();
        Self { curves, channels, fourier: Fourier::new(samples), cosines }
    }

    /// Number of coefficients: points × channels.
    pub fn len(&self) -> usize {
        self.channels * self.curves * self.fourier.samples()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Channel, radial and angular frequency of the coefficient in place `i`.
    pub fn key(&self, i: usize) -> (usize, usize, usize) {
        let m = self.fourier.samples();
        let (channel, within) = (i / (self.curves * m), i % (self.curves * m));
        (channel, within / m, Fourier::frequency(within % m))
    }

    /// Coefficients, ordered by channel, radial, angular place, of samples `(points, channels)`.
    pub fn analyse(&self, values: &[f64]) -> Vec<f64> {
        let (jn, m, n) = (self.curves, self.fourier.samples(), self.channels);
        let mut out = vec![0.0; self.len()];
        let scale = 1.0 / (jn as f64).sqrt();
        for k in 0..n {
            for j in 0..jn {
                let f: Vec<f64> = (0..m).map(|l| values[n * (j * m + l) + k]).collect();
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

    /// Samples `(points, channels)` of the function with these coefficients.
    pub fn synthesize(&self, coefficients: &[f64]) -> Vec<f64> {
        let (jn, m, n) = (self.curves, self.fourier.samples(), self.channels);
        let mut out = vec![0.0; self.len()];
        let scale = (jn as f64).sqrt();
        for k in 0..n {
            for j in 0..jn {
                let mut c = vec![0.0; m];
                for a in 0..jn {
                    let w = scale * self.cosines[a * jn + j];
                    let row = &coefficients[(k * jn + a) * m..][..m];
                    c.iter_mut().zip(row).for_each(|(c, r)| *c += w * r);
                }
                for (l, value) in self.fourier.synthesize(&c).into_iter().enumerate() {
                    out[n * (j * m + l) + k] = value;
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn isometry_and_inverse_on_every_domain() {
        let disk = Domain::Disk { curves: 5, samples: 8 };
        for (domain, channels) in
            [(disk, 3), (Domain::Circle { samples: 9 }, 2), (Domain::Interval { samples: 7 }, 1)]
        {
            let basis = Basis::new(domain, channels);
            let values: Vec<f64> = (0..basis.len()).map(|i| ((i * 37) % 101) as f64 / 50.0 - 1.0).collect();
            let c = basis.analyse(&values);
            let norm: f64 = values.iter().map(|x| x * x).sum::<f64>() / domain.points() as f64;
            approx::assert_relative_eq!(c.iter().map(|x| x * x).sum::<f64>(), norm, max_relative = 1e-13);
            for (a, b) in basis.synthesize(&c).iter().zip(&values) {
                assert!((a - b).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn a_constant_has_only_the_lowest_frequency() {
        let basis = Basis::new(Domain::Disk { curves: 4, samples: 6 }, 3);
        let mut values = vec![0.0; basis.len()];
        values.iter_mut().skip(1).step_by(3).for_each(|y| *y = 2.0);
        for (i, c) in basis.analyse(&values).into_iter().enumerate() {
            let expected = if basis.key(i) == (1, 0, 0) { 2.0 } else { 0.0 };
            assert!((c - expected).abs() < 1e-14);
        }
    }
}
