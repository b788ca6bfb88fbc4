//! Volume in geodesic polar coordinates: dvol = A(t, u) dt du about a point, t the distance and u the direction.

use super::space::Manifold;
use super::two_point::TwoPointSpace;

/// A two-point homogeneous space: the volume of geodesic spheres depends on the radius only, the same about every point, so that a
/// radial law f(d(x, p)) dvol(x) has radius density f(t)·A(t) and a direction uniform in the unit tangent sphere.
#[expect(clippy::wrong_self_convention, reason = "self is the space, as in exp(p, v)")]
pub trait Isotropic: Manifold {
    /// Which of them it is, and the length of that model's unit in this space (the radius of a sphere; 1 where the curvature is the
    /// model's).
    fn model(&self) -> (TwoPointSpace, f64);

    /// The numbers by which the model knows a point, lengths in its units: the vector (ℝᵈ); any vector that points there (sphere); the
    /// spatial coordinates on the hyperboloid; any complex vector on the line, real and imaginary parts in turn (ℂPᵐ).
    fn to_model(&self, p: &Self::Point) -> Vec<f64>;

    /// The point with these numbers; on ℂPᵐ the first is real and has no imaginary part. What the numbers are off the space (a length
    /// that is not 1) is mended; of several representatives it is the one nearest to `near`. `None` where they name no point.
    fn from_model(&self, numbers: &[f64], near: &Self::Point) -> Option<Self::Point>;

    /// ln A(t), where ∫₀ᴿ A(t) dt is the volume of a ball of radius R divided by that of the unit sphere of T_pM;
    /// −∞ where A(t) = 0. `t` ∈ [0, [`diameter`](Isotropic::diameter)].
    ///
    /// A(t) = tᵈ⁻¹ (ℝᵈ), (R sin(t/R))ᵈ⁻¹ (sphere), sinhᵈ⁻¹t (hyperbolic), sin²ᵐ⁻¹t cos t (ℂPᵐ).
    fn ln_sphere_density(&self, t: f64) -> f64 {
        let (space, unit) = self.model();
        space.ln_area_in_units(t, unit)
    }

    /// The largest distance between two points.
    fn diameter(&self) -> f64 {
        let (space, unit) = self.model();
        unit * space.diameter()
    }
}

/// A homogeneous space whose volume element in polar coordinates about any point is known up to what can be corrected point by
/// point: ln A(t, u) = concave(t) + rise(t) + factor(v), factor ≤ 0, v = t u. Every [`Isotropic`] space is one.
#[expect(clippy::wrong_self_convention, reason = "self is the space, as in exp(p, v)")]
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
    fn two_point(&self) -> Option<(TwoPointSpace, f64)>;

    /// [`Isotropic::to_model`], where there is a model.
    fn to_two_point(&self, _p: &Self::Point) -> Option<Vec<f64>> {
        None
    }

    /// [`Isotropic::from_model`], where there is a model.
    fn from_two_point(&self, _numbers: &[f64], _near: &Self::Point) -> Option<Self::Point> {
        None
    }
}

impl<M: Isotropic> PolarVolume for M {
    fn ln_area_concave(&self, t: f64) -> f64 {
        self.ln_sphere_density(t)
    }
    fn largest_distance(&self) -> f64 {
        self.diameter()
    }
    fn two_point(&self) -> Option<(TwoPointSpace, f64)> {
        Some(self.model())
    }
    fn to_two_point(&self, p: &M::Point) -> Option<Vec<f64>> {
        Some(self.to_model(p))
    }
    fn from_two_point(&self, numbers: &[f64], near: &M::Point) -> Option<M::Point> {
        self.from_model(numbers, near)
    }
}
