//! Two-point homogeneous spaces: the geodesic spheres' volume depends on the radius only.

use super::space::Manifold;

/// A space on which the volume of geodesic spheres is known in closed form, the same about every point: radial laws
/// f(d(x, p)) dvol(x) have radius density f(t)·A(t) and a direction uniform in the unit tangent sphere.
pub trait Isotropic: Manifold {
    /// ln A(t), where ∫₀ᴿ A(t) dt is the volume of a ball of radius R divided by that of the unit sphere of T_pM;
    /// −∞ where A(t) = 0. `t` ∈ [0, [`diameter`](Isotropic::diameter)].
    ///
    /// A(t) = tᵈ⁻¹ (ℝᵈ), (R sin(t/R))ᵈ⁻¹ (sphere), sinhᵈ⁻¹t (hyperbolic), sin²ᵐ⁻¹t cos t (ℂPᵐ).
    fn ln_sphere_density(&self, t: f64) -> f64;

    /// The largest distance between two points.
    fn diameter(&self) -> f64;
}

/// k ln x with 0·ln 0 = 0.
pub(super) fn power_ln(k: f64, x: f64) -> f64 {
    if k == 0.0 { 0.0 } else { k * x.max(0.0).ln() }
}
