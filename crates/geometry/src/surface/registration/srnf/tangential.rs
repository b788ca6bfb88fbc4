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

    /// The step z ↦ (z + (1 − |z|²)(P, Q)) exp(iR), to first order along the combination of all fields with these coefficients. It keeps the circle, and
    /// where (P, Q) is shorter than ½ the open disk: z + w(z) itself throws points near the circle out of it wherever they turn.
    pub fn step(&self, coefficients: &[f64], z: Complex) -> Complex {
        let (tx, ty) = (chebyshev(z.re, self.degree), chebyshev(z.im, self.degree));
        let (mut inwards, mut turn) = (Complex::new(0.0, 0.0), 0.0);
        for (&(i, j), c) in self.degrees.iter().zip(coefficients.chunks_exact(3)) {
            let p = tx[i] * ty[j];
            inwards += Complex::new(c[0] * p, c[1] * p);
            turn += c[2] * p;
        }
        let moved = (z + inwards * (1.0 - z.norm_sqr())) * Complex::from_polar(1.0, turn);
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

    #[test]
    fn steps_that_turn_keep_what_is_near_the_circle_inside_and_in_order() {
        let fields = TangentialFields::new(2);
        let c: Vec<f64> = (0..fields.len()).map(|k| if k % 3 == 2 { 0.1 } else { 0.02 }).collect();
        for k in 0..32 {
            let at =
                |depth: f64| fields.step(&c, Complex::from_polar(1.0 - depth, 0.2 * f64::from(k))).norm();
            assert!(at(2e-3) < at(1e-3) && at(1e-3) < 1.0 - 5e-4, "{} {}", at(2e-3), at(1e-3));
        }
    }

    #[test]
    fn steps_follow_the_fields_to_first_order() {
        let fields = TangentialFields::new(3);
        let c: Vec<f64> = (0..fields.len()).map(|k| 1e-6 * (1.0 + k as f64).cos()).collect();
        let z = Complex::new(0.4, -0.7);
        let along: Complex = fields.at(z).iter().zip(&c).map(|(b, c)| b * *c).sum();
        assert!((fields.step(&c, z) - z - along).norm() < 1e-10);
    }
}
