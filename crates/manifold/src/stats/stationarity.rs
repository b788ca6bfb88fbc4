//! What an iterative mean is asked for and what is known about it.

/// Why the iteration ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The gradient norm is at most the tolerance: the only way to have converged.
    Converged,
    /// No step made progress: rounding, or a tolerance out of reach.
    Stalled,
    /// The iteration cap.
    IterationCap,
    /// Whoever wanted it no longer does.
    Asked,
}

/// What is known about the point returned: how nearly the gradient of F = ½ Σ w_i d²(·, x_i)/Σ w_i vanishes there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stationarity {
    /// ‖∇F‖ = ‖Σ w_i log(x_i)/Σ w_i‖ at the point returned, as evaluated there.
    pub gradient_norm: f64,
    /// The tolerance asked for.
    pub tolerance: f64,
    /// The gradient norm that rounding alone may leave there ([`Manifold::rounding`](crate::manifold::Manifold::rounding)).
    pub rounding: f64,
    /// Accepted steps over all the points.
    pub iterations: usize,
    /// Evaluations of the gradient over all the points.
    pub evaluations: usize,
    /// Why it ended.
    pub stop: Stop,
}

impl Stationarity {
    /// Whether the tolerance was met.
    pub fn converged(&self) -> bool {
        self.stop == Stop::Converged
    }

    /// Whether the mean is as exact as was asked for, or as rounding allows.
    pub fn settled(&self) -> bool {
        self.converged() || self.stop == Stop::Stalled && self.gradient_norm <= self.rounding
    }
}

/// A lower bound on the Hessian of F within a geodesic ball of radius r that holds the points and the mean, for curvature
/// at most `upper`: h = s cot s with s = 2r√κ if κ > 0, else 1. Not positive if r ≥ π/(4√κ).
pub fn hessian_lower_bound(upper: f64, radius: f64) -> f64 {
    let s = 2.0 * radius * upper.max(0.0).sqrt();
    if s == 0.0 {
        1.0
    } else if s < std::f64::consts::PI {
        s / s.tan()
    } else {
        f64::NEG_INFINITY
    }
}

/// How far a point x of a geodesic ball B may lie from the Fréchet mean of points of B, for curvature at most `upper` = κ: η/h, where η is
/// the norm of the gradient at x (`gradient`, in the unit of distance), r < π/(4√κ) the radius of B, and h the larger of s cot s
/// ([`hessian_lower_bound`]) and, for κ > 0, cos(r√κ) − η√κ tan(r√κ).
///
/// Proof, for κ = 1. Follow the flow of −∇F from x; it stays in B, which is convex, and ends at the mean. ‖∇F‖ falls along it at a rate of at
/// least h, a lower bound of the Hessian where ‖∇F‖ ≤ η, so that the flow is at most η/h long. At such a point m, let o be its distance
/// from the centre p₀ of B, ρᵢ that of the i-th point, and φᵢ the angle between the two directions. Comparison with the sphere gives
/// cos r ≤ cos o cos ρᵢ + sin o sin ρᵢ cos φᵢ. Times ρᵢ/sin ρᵢ ≥ 1 and averaged, where the mean of ρᵢ cos φᵢ is at most η:
/// cos r ≤ cos o · mean(ρᵢ cot ρᵢ) + η sin o. The Hessian is at least mean(ρᵢ cot ρᵢ) ≥ cos r − η tan r, since o ≤ r. The bound s cot s is
/// Lemma 1 of Soto et al. 2022. ∎
pub fn distance_to_mean(gradient: f64, upper: f64, radius: f64) -> f64 {
    let root = upper.max(0.0).sqrt();
    let angle = root * radius;
    let balanced = if root > 0.0 { angle.cos() - gradient * root * angle.tan() } else { 1.0 };
    gradient / hessian_lower_bound(upper, radius).max(balanced)
}

/// How to iterate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrechetOptions {
    /// Largest gradient norm that counts as converged, in the unit of distance.
    pub gradient_tolerance: f64,
    /// Most steps over all the points.
    pub max_iterations: usize,
}

impl Default for FrechetOptions {
    /// Gradient norm 1e-12, at most 200 iterations.
    fn default() -> Self {
        Self { gradient_tolerance: 1e-12, max_iterations: 200 }
    }
}

/// A mean and what is known about it.
#[derive(Debug, Clone)]
pub struct FrechetMean<P> {
    /// The point of smallest gradient norm seen.
    pub point: P,
    /// How nearly it is stationary. Read [`Stationarity::converged`] before using the point.
    pub certificate: Stationarity,
    /// F = ½ the weighted mean of d² there.
    pub objective: f64,
}
