//! Smooth vector fields on the disk that do not leave it: the tangent space of its diffeomorphisms at the identity.
//!
//! Fields (1 − |z|²)(P, Q) + R·(−y, x) with polynomials P, Q, R: they vanish or turn along the circle. Products of
//! Chebyshev polynomials keep the basis well conditioned.

use crate::conformal::Complex;

/// All tangential fields whose polynomials have degree at most d.
#[derive(Debug, Clone)]
pub struct TangentialFields {
    degrees: Vec<(usize, usize)>,
    degree: usize,
}

impl TangentialFields {
    /// Polynomials up to this degree.
    pub fn new(degree: usize) -> Self {
        let degrees = (0..=degree).flat_map(|total| (0..=total).map(move |i| (i, total - i))).collect();
        Self { degrees, degree }
    }

    /// Number of fields.
    pub fn len(&self) -> usize {
        3 * self.degrees.len()
    }

    /// A weight that grows with the roughness of a field, for damping.
    pub fn roughness(&self, k: usize) -> f64 {
        let (i, j) = self.degrees[k / 3];
        (1.0 + (i + j) as f64).powi(2)
    }

    /// All fields at a point, as complex numbers.
    pub fn at(&self, z: Complex) -> Vec<Complex> {
        let (tx, ty) = (chebyshev(z.re, self.degree), chebyshev(z.im, self.degree));
        let inside = 1.0 - z.norm_sqr();
        let turn = Complex::new(-z.im, z.re);
        self.degrees
            .iter()
            .flat_map(|&(i, j)| {
                let p = tx[i] * ty[j];
                [Complex::new(inside * p, 0.0), Complex::new(0.0, inside * p), turn * p]
            })
            .collect()
    }

    /// The combination of all fields with these coefficients.
    pub fn combine(&self, coefficients: &[f64], z: Complex) -> Complex {
        self.at(z).iter().zip(coefficients).map(|(b, c)| b * *c).sum()
    }

    /// The diffeomorphism step z ↦ z + w(z), kept inside the closed disk and exactly on the circle where z is on it.
    pub fn step(&self, coefficients: &[f64], z: Complex) -> Complex {
        let moved = z + self.combine(coefficients, z);
        let r = moved.norm();
        if r > 1.0 || (z.norm() - 1.0).abs() < 1e-12 { moved / r } else { moved }
    }
}

fn chebyshev(x: f64, degree: usize) -> Vec<f64> {
    let mut t = Vec::with_capacity(degree + 1);
    t.push(1.0);
    if degree > 0 {
        t.push(x);
    }
    for k in 2..=degree {
        t.push(2.0 * x * t[k - 1] - t[k - 2]);
    }
    t
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_tangential_on_the_circle() {
        let fields = TangentialFields::new(5);
        for k in 0..32 {
            let z = Complex::from_polar(1.0, 0.2 * k as f64);
            for b in fields.at(z) {
                assert!((b * z.conj()).re.abs() < 1e-12);
            }
        }
        assert_eq!(fields.len(), 63);
    }

    #[test]
    fn steps_keep_the_circle() {
        let fields = TangentialFields::new(2);
        let c: Vec<f64> = (0..fields.len()).map(|k| 0.02 * (k as f64).sin()).collect();
        let z = Complex::from_polar(1.0, 1.0);
        assert!((fields.step(&c, z).norm() - 1.0).abs() < 1e-15);
    }
}
