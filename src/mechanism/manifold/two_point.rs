//! Two-point homogeneous spaces: what the laws of distances need, in closed form.

use super::quadrature::integrate;
use statrs::function::beta::beta_reg;
use std::f64::consts::{FRAC_PI_2, PI};

/// A space whose isometries carry every pair of points to every other pair at the same distance. Curvature +1, 0, −1, and
/// 1 to 4 on ℂPᵐ. (Constant curvature is not enough: a flat torus is none of these.)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TwoPointSpace {
    /// ℝᵈ.
    Euclidean {
        /// d.
        dim: usize,
    },
    /// The unit sphere Sᵈ.
    Sphere {
        /// d.
        dim: usize,
    },
    /// Hyperbolic space Hᵈ.
    Hyperbolic {
        /// d.
        dim: usize,
    },
    /// ℂPᵐ with the Fubini–Study metric; Kendall's shapes of k planar landmarks have m = k − 2.
    ComplexProjective {
        /// m, the complex dimension.
        dim: usize,
    },
}

impl TwoPointSpace {
    /// The real dimension.
    pub fn real_dim(self) -> usize {
        match self {
            Self::Euclidean { dim } | Self::Sphere { dim } | Self::Hyperbolic { dim } => dim,
            Self::ComplexProjective { dim } => 2 * dim,
        }
    }

    /// The largest distance.
    pub fn diameter(self) -> f64 {
        match self {
            Self::Euclidean { .. } | Self::Hyperbolic { .. } => f64::INFINITY,
            Self::Sphere { .. } => PI,
            Self::ComplexProjective { .. } => FRAC_PI_2,
        }
    }

    /// ln of the area of geodesic spheres of radius t over that of the unit tangent sphere: a concave function of t.
    pub fn ln_area(self, t: f64) -> f64 {
        let power = |k: usize, ln: f64| if k == 0 { 0.0 } else { k as f64 * ln };
        match self {
            Self::Euclidean { dim } => power(dim - 1, t.ln()),
            Self::Sphere { dim } => power(dim - 1, t.sin().max(0.0).ln()),
            Self::Hyperbolic { dim } => power(dim - 1, ln_sinh(t)),
            Self::ComplexProjective { dim } => {
                power(2 * dim - 1, t.sin().max(0.0).ln()) + t.cos().max(0.0).ln()
            }
        }
    }

    /// Of the points at distance r from η, the share nearer than ρ to η′, where d(η, η′) = Δ: 0 < r, Δ, ρ ≥ 0.
    pub fn share_within(self, r: f64, delta: f64, rho: f64) -> f64 {
        match self {
            Self::Euclidean { dim } => cap(dim, (r * r + delta * delta - rho * rho) / (2.0 * r * delta)),
            Self::Sphere { dim } => {
                if rho >= PI {
                    return 1.0;
                }
                // cos ρ − cos r cos Δ, written so that ρ = r keeps its digits.
                let above = 2.0 * (0.5 * (r + rho)).sin() * (0.5 * (r - rho)).sin()
                    + 2.0 * r.cos() * (0.5 * delta).sin().powi(2);
                cap(dim, above / (r.sin() * delta.sin()))
            }
            Self::Hyperbolic { dim } => {
                // (cosh r cosh Δ − cosh ρ)/(sinh r sinh Δ), divided through by cosh r.
                let ratio = (rho - r).exp() * (1.0 + (-2.0 * rho).exp()) / (1.0 + (-2.0 * r).exp());
                let above = 2.0 * (0.5 * delta).sinh().powi(2) + (1.0 - ratio);
                cap(dim, above / (r.tanh() * delta.sinh()))
            }
            Self::ComplexProjective { dim } => complex_share(dim, r, delta, rho),
        }
    }

    /// Radii r at which `share_within(r, Δ, √(r² + c))` has a kink: where η′ and the sphere's nearest and farthest points
    /// come to the threshold.
    pub(super) fn kinks(self, delta: f64, c: f64) -> Vec<f64> {
        // |r − Δ| = ρ and r + Δ = ρ with ρ² = r² + c; on closed spaces also r + Δ ± ρ = 2·diameter.
        let mut kinks = vec![(delta * delta - c) / (2.0 * delta), (c - delta * delta) / (2.0 * delta)];
        if c < 0.0 {
            kinks.push((-c).sqrt());
        }
        if self.diameter().is_finite() {
            let turn = 2.0 * self.diameter() - delta;
            kinks.push((turn * turn - c) / (2.0 * turn));
            kinks.push(self.diameter() - delta);
            let full = self.diameter() * self.diameter() - c;
            if full > 0.0 {
                kinks.push(full.sqrt());
            }
        }
        kinks
    }
}

fn ln_sinh(t: f64) -> f64 {
    // sinh t = eᵗ(1 − e^{−2t})/2.
    if t > 1.0 { t + (-(-2.0 * t).exp()).ln_1p() - std::f64::consts::LN_2 } else { t.sinh().ln() }
}

/// Share of the unit sphere S^{d−1} with first coordinate above t.
fn cap(dim: usize, t: f64) -> f64 {
    if t >= 1.0 {
        0.0
    } else if t < -1.0 {
        1.0
    } else if dim == 1 {
        0.5
    } else {
        let half = 0.5 * (dim as f64 - 1.0);
        beta_reg(half, half, 0.5 * (1.0 - t))
    }
}

/// The share on ℂPᵐ. In coordinates with η = e₀, η′ = cos Δ e₀ + sin Δ e₁ and y = cos r e₀ + sin r w, w uniform on the unit
/// sphere of ℂᵐ: d(y, η′) < ρ iff |a + b w₁| > cos ρ, a = cos Δ cos r, b = sin Δ sin r. |w₁| = q has density
/// 2(m − 1) q (1 − q²)^{m−2}, its phase is uniform.
fn complex_share(m: usize, r: f64, delta: f64, rho: f64) -> f64 {
    if rho >= FRAC_PI_2 {
        return 1.0;
    }
    let (a, b, c) = (delta.cos() * r.cos(), delta.sin() * r.sin(), rho.cos());
    let phase = |q: f64| {
        let threshold = (c * c - a * a - b * b * q * q) / (2.0 * a * b * q);
        if threshold <= -1.0 {
            1.0
        } else if threshold >= 1.0 {
            0.0
        } else {
            threshold.acos() / PI
        }
    };
    if m == 1 {
        return phase(1.0);
    }
    let width = 1.0 / (m as f64).sqrt();
    let mut breaks: Vec<f64> = [0.5, 1.0, 2.0, 3.0, 4.0, 6.0]
        .iter()
        .map(|k| k * width)
        .chain([(c - a) / b, (a - c) / b, (a + c) / b])
        .filter(|q| *q > 1e-9 && *q < 1.0)
        .chain([0.0, 1.0])
        .collect();
    breaks.sort_by(f64::total_cmp);
    let power = m as f64 - 2.0;
    let density = |q: f64| 2.0 * (m as f64 - 1.0) * q * (power * (-q * q).ln_1p()).exp();
    integrate(&breaks, |q| density(q) * phase(q)).clamp(0.0, 1.0)
}
