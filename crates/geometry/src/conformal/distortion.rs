//! Conformal distortion of a piecewise linear map, triangle by triangle, and the energy that sums it.

use super::intrinsic::Intrinsic;
use nalgebra::Complex;

/// |μ| at which the energy turns from quadratic to linear: about one degree of angle.
const BEND: f64 = 0.02;
/// Weight of the logarithmic barrier that keeps |μ| below 1.
const BARRIER: f64 = 0.1;

/// The two complex derivatives of the map on one triangle, without their common factor i/(4 area):
/// ∂f ∝ −`conformal`, ∂̄f ∝ `anticonformal`, so the Beltrami coefficient is μ = −anticonformal/conformal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Derivatives {
    /// Σ conj(w_k) z_k over the opposite edges w_k.
    pub(crate) conformal: Complex<f64>,
    /// Σ w_k z_k.
    pub(crate) anticonformal: Complex<f64>,
}

impl Derivatives {
    /// Of the map that takes the corners of a triangle with opposite edges `w` to `z`.
    pub(crate) fn new(w: &[Complex<f64>; 3], z: [Complex<f64>; 3]) -> Self {
        let mut out = Self { conformal: Complex::ZERO, anticonformal: Complex::ZERO };
        for k in 0..3 {
            out.conformal += w[k].conj() * z[k];
            out.anticonformal += w[k] * z[k];
        }
        out
    }

    /// |μ|²: 0 where conformal, below 1 where the orientation is kept.
    pub(crate) fn beltrami_squared(&self) -> f64 {
        self.anticonformal.norm_sqr() / self.conformal.norm_sqr()
    }
}

/// What one triangle adds to the energy: √(|μ|² + ε²) − κ ln(1 − |μ|²), from |μ|²; infinite when flipped.
///
/// Every triangle counts alike, whatever its size in the image: angles are a matter of each triangle. The
/// root (rather than |μ|²) leaves the few triangles that no map can keep alone instead of spreading their
/// distortion; the logarithm keeps every triangle from folding.
pub(crate) fn penalty(beltrami_squared: f64) -> f64 {
    if beltrami_squared < 1.0 {
        (beltrami_squared + BEND * BEND).sqrt() - BARRIER * (1.0 - beltrami_squared).ln()
    } else {
        f64::INFINITY
    }
}

/// Derivative of [`penalty`] by |μ|².
pub(crate) fn penalty_slope(beltrami_squared: f64) -> f64 {
    0.5 / (beltrami_squared + BEND * BEND).sqrt() + BARRIER / (1.0 - beltrami_squared).max(1e-9)
}

/// Derivatives of the map `z` on all triangles.
pub(crate) fn derivatives(
    shape: &Intrinsic,
    triangles: &[[usize; 3]],
    z: &[Complex<f64>],
) -> Vec<Derivatives> {
    shape.opposite().iter().zip(triangles).map(|(w, t)| Derivatives::new(w, t.map(|v| z[v]))).collect()
}

/// Sum of the penalties; infinite when a triangle is flipped.
pub(crate) fn total_penalty(derivatives: &[Derivatives]) -> f64 {
    derivatives.iter().map(|d| penalty(d.beltrami_squared())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beltrami_of_a_known_affine_map() {
        // z ↦ z + μ z̄ with μ = 0.3 i on an arbitrary triangle.
        let corners = [Complex::new(0.2, 0.1), Complex::new(1.3, -0.2), Complex::new(0.4, 0.9)];
        let w = [0, 1, 2].map(|k| corners[(k + 2) % 3] - corners[(k + 1) % 3]);
        let mu = Complex::new(0.0, 0.3);
        let d = Derivatives::new(&w, corners.map(|z| z + mu * z.conj()));
        assert!((-d.anticonformal / d.conformal - mu).norm() < 1e-14);
        assert!(Derivatives::new(&w, corners.map(|z| z.conj())).beltrami_squared() > 1.0);
    }

    #[test]
    fn slope_is_the_derivative() {
        for x in [0.0, 1e-4, 0.01, 0.3, 0.9, 0.999] {
            let h = 1e-7 * (1.0 - x);
            let numeric = if x == 0.0 {
                (penalty(h) - penalty(0.0)) / h
            } else {
                (penalty(x + h) - penalty(x - h)) / (2.0 * h)
            };
            approx::assert_relative_eq!(penalty_slope(x), numeric, max_relative = 1e-3);
        }
    }
}
