//! Volume in geodesic polar coordinates: what exact samplers need to know of a space.

use crate::manifold::{
    Euclidean, Isotropic, Kendall, Lorentz, Manifold, PoincareBall, SpdAffineInvariant, SpdLogEuclidean,
    Sphere,
};
use nalgebra::Cholesky;

/// A homogeneous space whose volume element in polar coordinates about any point is known:
/// dvol = A(t, u) dt du with ln A(t, u) = concave(t) + rise(t) + factor(v), factor ≤ 0, v = t u.
pub trait PolarVolume: Manifold {
    /// A concave function of the radius.
    fn ln_area_concave(&self, t: f64) -> f64;

    /// An increasing function of the radius, 0 at 0.
    fn ln_area_rise(&self, _t: f64) -> f64 {
        0.0
    }

    /// A Lipschitz constant of [`ln_area_rise`](Self::ln_area_rise).
    fn ln_area_rise_slope(&self) -> f64 {
        0.0
    }

    /// What is missing to ln A in direction v: at most 0.
    fn ln_area_factor(&self, _p: &Self::Point, _v: &Self::Tangent) -> f64 {
        0.0
    }

    /// The largest distance.
    fn largest_distance(&self) -> f64;

    /// The two-point homogeneous model and the length of its unit, where the space is one.
    fn two_point(&self) -> Option<(super::TwoPointSpace, f64)>;
}

macro_rules! isotropic {
    ($type:ty, $space:expr) => {
        impl PolarVolume for $type {
            fn ln_area_concave(&self, t: f64) -> f64 {
                self.ln_sphere_density(t)
            }
            fn largest_distance(&self) -> f64 {
                Isotropic::diameter(self)
            }
            fn two_point(&self) -> Option<(super::TwoPointSpace, f64)> {
                let space: fn(&$type) -> (super::TwoPointSpace, f64) = $space;
                Some(space(self))
            }
        }
    };
}
isotropic!(Euclidean, |m| (super::TwoPointSpace::Euclidean { dim: m.dim() }, 1.0));
isotropic!(Sphere, |m| (super::TwoPointSpace::Sphere { dim: m.dim() }, m.radius()));
isotropic!(Kendall, |m| (super::TwoPointSpace::ComplexProjective { dim: m.dim() / 2 }, 1.0));
isotropic!(Lorentz, |m| (super::TwoPointSpace::Hyperbolic { dim: m.dim() }, 1.0));
isotropic!(PoincareBall, |m| (super::TwoPointSpace::Hyperbolic { dim: m.dim() }, 1.0));

impl PolarVolume for SpdLogEuclidean {
    fn ln_area_concave(&self, t: f64) -> f64 {
        let power = self.dim() as f64 - 1.0;
        if power == 0.0 { 0.0 } else { power * t.ln() }
    }
    fn largest_distance(&self) -> f64 {
        f64::INFINITY
    }
    fn two_point(&self) -> Option<(super::TwoPointSpace, f64)> {
        Some((super::TwoPointSpace::Euclidean { dim: self.dim() }, 1.0))
    }
}

/// About the identity, in the eigenvalues λ of a symmetric matrix V, the volume element is that of flat space times
/// ∏_{i<j} sinh(x)/x, x = |λ_i − λ_j|/2. From sinh(x)/x ≤ min(e^{x²/6}, eˣ), Σ(λ_i − λ_j)² ≤ k‖V‖² and
/// Σ|λ_i − λ_j| ≤ √(k(k² − 1)/3)·‖V‖ the product is at most exp min(k t²/24, c t), c = ½√(k(k² − 1)/3).
impl PolarVolume for SpdAffineInvariant {
    fn ln_area_concave(&self, t: f64) -> f64 {
        let power = self.dim() as f64 - 1.0;
        if power == 0.0 { 0.0 } else { power * t.ln() }
    }
    fn ln_area_rise(&self, t: f64) -> f64 {
        let k = self.order() as f64;
        (k * t * t / 24.0).min(0.5 * (k * (k * k - 1.0) / 3.0).sqrt() * t)
    }
    fn ln_area_rise_slope(&self) -> f64 {
        // 2c: the parabola's slope where it meets the line.
        let k = self.order() as f64;
        (k * (k * k - 1.0) / 3.0).sqrt()
    }
    fn ln_area_factor(&self, p: &Self::Point, v: &Self::Tangent) -> f64 {
        let Some(root) = Cholesky::new(p.clone()).map(|c| c.unpack()) else { return f64::NEG_INFINITY };
        // L⁻¹VL⁻ᵀ, one triangular solve at a time.
        let mut white = v.clone();
        root.solve_lower_triangular_unchecked_mut(&mut white);
        white.transpose_mut();
        root.solve_lower_triangular_unchecked_mut(&mut white);
        let eigenvalues = white.symmetric_eigenvalues();
        let mut ln = 0.0;
        for (i, a) in eigenvalues.iter().enumerate() {
            for b in eigenvalues.iter().take(i) {
                let x = 0.5 * (a - b).abs();
                ln += if x < 1e-4 { x * x / 6.0 } else { x + (-(-2.0 * x).exp_m1()).ln() - (2.0 * x).ln() };
            }
        }
        (ln - self.ln_area_rise(self.norm(p, v))).min(0.0)
    }
    fn largest_distance(&self) -> f64 {
        f64::INFINITY
    }
    fn two_point(&self) -> Option<(super::TwoPointSpace, f64)> {
        None
    }
}
