use super::disk::check_radii;
use super::error::check_samples;
use super::{Circle, Disk, FunctionError, Interval};
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// Where functions live: a public grid on a circle, an interval or a disk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Domain {
    /// m equally spaced points on a circle, the first not repeated: outlines, directions, periods.
    Circle {
        /// m.
        samples: usize,
    },
    /// The m midpoints of equal parts of an interval: spectra, profiles, growth curves.
    Interval {
        /// m.
        samples: usize,
    },
    /// Rings of m angles on the unit disk: faces, terrain, any disk-like surface.
    Disk {
        /// Ring radii, ascending in (0, 1].
        radii: Vec<f64>,
        /// m.
        samples: usize,
    },
}

impl Domain {
    /// Number of grid points.
    ///
    /// # Errors
    /// [`FunctionError::BadDomain`] when the domain is impossible or too large.
    pub fn points(&self) -> Result<usize, FunctionError> {
        match self {
            Self::Circle { samples } | Self::Interval { samples } => {
                check_samples("a domain", *samples)?;
                Ok(*samples)
            }
            Self::Disk { radii, samples } => {
                check_radii(radii)?;
                let points = samples.saturating_mul(radii.len());
                check_samples("a disk", points)?;
                Ok(points)
            }
        }
    }
}

/// A domain with its orthonormal basis: values on the grid ↔ coefficients, and how rough each basis function is.
///
/// The inner product is the mean over the grid points (a weighted mean for [`FunctionSpace::disk`] with ring
/// weights), so ‖f‖ is the root mean square of the function.
#[derive(Debug, Clone)]
pub struct FunctionSpace {
    basis: Basis,
    roughness: Vec<f64>,
    point_weights: Vec<f64>,
}

#[derive(Debug, Clone)]
enum Basis {
    Circle(Circle),
    Interval(Interval),
    Disk(Box<Disk>),
}

impl FunctionSpace {
    /// The space of functions on this domain, all grid points weighing the same.
    ///
    /// # Errors
    /// [`FunctionError::BadDomain`].
    pub fn new(domain: &Domain) -> Result<Self, FunctionError> {
        let points = domain.points()?;
        let even = || vec![1.0 / points as f64; points];
        Ok(match domain {
            Domain::Circle { samples } => {
                let circle = Circle::new(*samples)?;
                let roughness = (0..points).map(|i| (circle.frequency(i) as f64).powi(2)).collect();
                Self { basis: Basis::Circle(circle), roughness, point_weights: even() }
            }
            Domain::Interval { samples } => {
                let roughness = (0..points).map(|k| (PI * k as f64).powi(2)).collect();
                Self { basis: Basis::Interval(Interval::new(*samples)?), roughness, point_weights: even() }
            }
            Domain::Disk { radii, samples } => Self::disk(Disk::new(radii, *samples)?),
        })
    }

    /// The space of functions on a disk with its own ring weights.
    pub fn disk(disk: Disk) -> Self {
        let m = disk.samples();
        let point_weights =
            disk.ring_weights().iter().flat_map(|w| std::iter::repeat_n(w / m as f64, m)).collect();
        Self { roughness: disk.eigenvalues(), basis: Basis::Disk(Box::new(disk)), point_weights }
    }

    /// Number of grid points, which is also the number of coefficients.
    pub fn points(&self) -> usize {
        self.roughness.len()
    }

    /// The weight of each grid point in the inner product; they sum to 1.
    pub fn point_weights(&self) -> &[f64] {
        &self.point_weights
    }

    /// The eigenvalue λ ≥ 0 of −Laplacian that each basis function belongs to: q² on the circle (angle in radians),
    /// (πk)² on the interval, [`Disk::eigenvalues`] on the disk.
    pub fn roughness(&self) -> &[f64] {
        &self.roughness
    }

    /// Coefficients of the function with these values (on a disk: row-major, ring by ring).
    ///
    /// # Errors
    /// [`FunctionError`] when there is not one finite value for each grid point.
    pub fn analyse(&self, values: &[f64]) -> Result<Vec<f64>, FunctionError> {
        match &self.basis {
            Basis::Circle(b) => b.analyse(values),
            Basis::Interval(b) => b.analyse(values),
            Basis::Disk(b) => b.analyse(values),
        }
    }

    /// The values of the function with these coefficients.
    ///
    /// # Errors
    /// [`FunctionError`] when there is not one finite coefficient for each basis function.
    pub fn synthesize(&self, coefficients: &[f64]) -> Result<Vec<f64>, FunctionError> {
        match &self.basis {
            Basis::Circle(b) => b.synthesize(coefficients),
            Basis::Interval(b) => b.synthesize(coefficients),
            Basis::Disk(b) => b.synthesize(coefficients),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn every_space_is_an_isometry_onto_its_coefficients() {
        for domain in [
            Domain::Circle { samples: 9 },
            Domain::Interval { samples: 9 },
            Domain::Disk { radii: vec![0.3, 0.6, 1.0], samples: 6 },
        ] {
            let space = FunctionSpace::new(&domain).unwrap();
            let values: Vec<f64> = (0..space.points()).map(|i| ((i * i) as f64).sin()).collect();
            let c = space.analyse(&values).unwrap();
            let norm: f64 = values.iter().zip(space.point_weights()).map(|(x, w)| w * x * x).sum();
            assert_relative_eq!(c.iter().map(|x| x * x).sum::<f64>(), norm, epsilon = 1e-12);
            assert_relative_eq!(space.point_weights().iter().sum::<f64>(), 1.0, epsilon = 1e-12);
            for (a, b) in space.synthesize(&c).unwrap().iter().zip(&values) {
                assert_relative_eq!(*a, *b, epsilon = 1e-12);
            }
            assert!(space.roughness().iter().all(|&l| l >= 0.0));
        }
    }

    #[test]
    fn impossible_domains_are_refused() {
        for domain in [
            Domain::Circle { samples: 0 },
            Domain::Interval { samples: 1 << 60 },
            Domain::Disk { radii: vec![], samples: 8 },
            Domain::Disk { radii: vec![0.5, 1.0], samples: usize::MAX },
        ] {
            assert!(FunctionSpace::new(&domain).is_err(), "{domain:?}");
        }
    }
}
