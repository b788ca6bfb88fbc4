//! Two-point homogeneous spaces: what the laws of distances need, in closed form.

use crate::numeric::quadrature::integrate;
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

    /// ln of the area of geodesic spheres of radius t over that of the unit tangent sphere: a concave function of t, −∞ where it
    /// has no area.
    pub fn ln_area(self, t: f64) -> f64 {
        self.ln_area_in_units(t, 1.0)
    }

    /// The same on the space scaled so that the unit of length becomes `unit`, with t in the new lengths.
    pub fn ln_area_in_units(self, t: f64, unit: f64) -> f64 {
        let power = |ln: f64| if self.real_dim() == 1 { 0.0 } else { (self.real_dim() as f64 - 1.0) * ln };
        match self {
            Self::Euclidean { .. } => power(t.max(0.0).ln()),
            Self::Sphere { .. } => power((unit * (t / unit).sin()).max(0.0).ln()),
            Self::Hyperbolic { .. } => power(ln_sinh(t / unit) + unit.ln()),
            Self::ComplexProjective { .. } => {
                power((unit * (t / unit).sin()).max(0.0).ln()) + (t / unit).cos().max(0.0).ln()
            }
        }
    }

    /// Of the points at distance r from η, the share nearer than ρ to η′, where d(η, η′) = Δ: 0 < r, Δ, ρ ≥ 0.
    pub fn share_within(self, r: f64, delta: f64, rho: f64) -> f64 {
        match self {
            Self::ComplexProjective { dim } => complex_shares(dim, r, delta, rho).0,
            Self::Euclidean { dim } | Self::Sphere { dim } | Self::Hyperbolic { dim } => {
                cap(dim, self.cosine(r, delta, rho))
            }
        }
    }

    /// The share farther than ρ: the rest, which keeps its digits where it is small.
    pub fn share_beyond(self, r: f64, delta: f64, rho: f64) -> f64 {
        match self {
            Self::ComplexProjective { dim } => complex_shares(dim, r, delta, rho).1,
            Self::Euclidean { dim } | Self::Sphere { dim } | Self::Hyperbolic { dim } => {
                cap(dim, -self.cosine(r, delta, rho))
            }
        }
    }

    /// The cosine, at η, of the angle between η′ and the points that are r from η and ρ from η′; beyond ±1 where there are none.
    fn cosine(self, r: f64, delta: f64, rho: f64) -> f64 {
        match self {
            Self::Euclidean { .. } => (r * r + delta * delta - rho * rho) / (2.0 * r * delta),
            Self::Sphere { .. } if rho >= PI => f64::NEG_INFINITY,
            Self::Hyperbolic { .. } => {
                // (cosh r cosh Δ − cosh ρ)/(sinh r sinh Δ), divided through by cosh r.
                let ratio = (rho - r).exp() * (1.0 + (-2.0 * rho).exp()) / (1.0 + (-2.0 * r).exp());
                let above = 2.0 * (0.5 * delta).sinh().powi(2) + (1.0 - ratio);
                above / (r.tanh() * delta.sinh())
            }
            _ => cosine_excess(r, delta, rho) / (r.sin() * delta.sin()),
        }
    }

    /// Radii r at which `share_within(r, Δ, √(r² + c))` has a kink: where η′ and the sphere's nearest and farthest points
    /// come to the threshold.
    #[doc(hidden)]
    pub fn kinks(self, delta: f64, c: f64) -> Vec<f64> {
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
    } else if t.is_nan() {
        f64::NAN
    } else if dim <= 1 {
        0.5
    } else {
        let half = 0.5 * (dim as f64 - 1.0);
        beta_reg(half, half, 0.5 * (1.0 - t))
    }
}

/// cos ρ − cos r cos Δ, written so that ρ = r keeps its digits.
fn cosine_excess(r: f64, delta: f64, rho: f64) -> f64 {
    2.0 * (0.5 * (r + rho)).sin() * (0.5 * (r - rho)).sin() + 2.0 * r.cos() * (0.5 * delta).sin().powi(2)
}

/// The shares of ℂPᵐ nearer than ρ to η′, and farther: the smaller one to relative accuracy.
///
/// In coordinates with η = e₀, η′ = cos Δ e₀ + sin Δ e₁ and y = cos r e₀ + sin r w, w uniform on the unit sphere of ℂᵐ:
/// d(y, η′) < ρ iff |a + b w₁| > c, a = cos Δ cos r, b = sin Δ sin r, c = cos ρ. The phase φ of w₁ is uniform, and |w₁| exceeds q with
/// probability (1 − q²)^{m−1}, so that one integral over φ is left: for c ≥ a of that probability at the root q₊ of
/// |a + b q e^{iφ}| = c; for c < a the complement lies between two roots, where −e^{iφ} points at most asin(c/a) away from a.
fn complex_shares(m: usize, r: f64, delta: f64, rho: f64) -> (f64, f64) {
    if rho >= FRAC_PI_2 {
        return (1.0, 0.0);
    }
    let (a, b, c) = (delta.cos() * r.cos(), delta.sin() * r.sin(), rho.cos());
    let excess = cosine_excess(r, delta, rho);
    // c² − a².
    let gap = excess * (c + a);
    // The cosine of the phase at which |a + b e^{iφ}| = c.
    let edge = (gap - b * b) / (2.0 * a * b);
    if m == 1 || edge.is_nan() {
        let edge = if edge.is_nan() { excess } else { edge };
        return (edge.clamp(-1.0, 1.0).acos() / PI, (-edge).clamp(-1.0, 1.0).acos() / PI);
    }
    let exceeds = |q: f64| if q < 1.0 { ((1.0 - q) * (1.0 + q)).powi(m as i32 - 1) } else { 0.0 };
    // √(c² − a² sin²φ).
    let root = |cosine: f64| (gap + (a * cosine).powi(2)).max(0.0).sqrt();
    // The phase at which a root is q; the integrand falls within some 1/√m from the least one.
    let phase = |q: f64| ((gap - b * b * q * q) / (2.0 * a * b * q)).clamp(-1.0, 1.0).acos();
    let (least, width) = (excess.abs() / b, 1.0 / (m as f64).sqrt());
    let falls = [0.6, 1.5, 3.0, 5.0].map(|k| phase((least + k * width).min(1.0)));
    if excess >= 0.0 {
        // q₊ grows with φ, to 1 at the edge; where c ≈ a it turns sharply at π/2.
        let end = phase(1.0);
        let within = over(falls.into_iter().chain([FRAC_PI_2]), end, |phi| {
            let cosine = phi.cos();
            let along = a * cosine;
            let reach = if along > 0.0 { gap / (root(cosine) + along) } else { root(cosine) - along };
            exceeds(reach / b)
        });
        (within, 1.0 - within)
    } else {
        let end = (c / a).min(1.0).asin();
        let from_behind = falls.into_iter().chain([phase(1.0)]).map(|phi| PI - phi);
        let beyond = over(from_behind, end, |phi| {
            let cosine = phi.cos();
            let far = a * cosine + root(cosine);
            exceeds(-gap / far / b) - exceeds(far / b)
        });
        (1.0 - beyond, beyond)
    }
}

/// (1/π) ∫ f from 0 to `end`, piece by piece between those `breaks` that lie inside.
fn over(breaks: impl Iterator<Item = f64>, end: f64, f: impl Fn(f64) -> f64) -> f64 {
    let mut knots: Vec<f64> = breaks.filter(|x| *x > 0.0 && *x < end).chain([0.0, end]).collect();
    knots.sort_by(f64::total_cmp);
    (integrate(&knots, f) / PI).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same share from the uniform phase at every |w₁| = q, which has density 2(m − 1) q (1 − q²)^{m−2}.
    fn by_modulus(m: usize, r: f64, delta: f64, rho: f64) -> f64 {
        let (a, b, c) = (delta.cos() * r.cos(), delta.sin() * r.sin(), rho.cos());
        let phase = |q: f64| {
            let threshold = (c * c - a * a - b * b * q * q) / (2.0 * a * b * q);
            threshold.clamp(-1.0, 1.0).acos() / PI
        };
        let mut breaks: Vec<f64> = (1..20)
            .map(|k| 0.05 * f64::from(k))
            .chain([(c - a) / b, (a - c) / b, (a + c) / b])
            .filter(|q| *q > 1e-9 && *q < 1.0)
            .chain([0.0, 1.0])
            .collect();
        breaks.sort_by(f64::total_cmp);
        let power = m as f64 - 2.0;
        integrate(&breaks, |q| 2.0 * (m as f64 - 1.0) * q * (1.0 - q * q).powf(power) * phase(q))
    }

    /// Lengths times u make areas times u^{d − 1}; spheres of the hyperbolic plane have circumference 2π sinh t, however large.
    #[test]
    fn areas_scale_with_the_unit() {
        for space in [
            TwoPointSpace::Euclidean { dim: 4 },
            TwoPointSpace::Sphere { dim: 1 },
            TwoPointSpace::Sphere { dim: 3 },
            TwoPointSpace::Hyperbolic { dim: 5 },
            TwoPointSpace::ComplexProjective { dim: 6 },
        ] {
            for (t, unit) in [(0.01_f64, 0.5_f64), (0.9, 3.0), (1.4, 0.1)] {
                let scaled = space.ln_area(t) + (space.real_dim() as f64 - 1.0) * unit.ln();
                let found = space.ln_area_in_units(t * unit, unit);
                assert!(
                    (found - scaled).abs() < 1e-13 * scaled.abs().max(1.0),
                    "{space:?}: {found} {scaled}"
                );
            }
        }
        let plane = TwoPointSpace::Hyperbolic { dim: 2 };
        for t in [0.5_f64, 0.999, 1.001, 3.0, 19.0] {
            assert!((plane.ln_area(t) - t.sinh().ln()).abs() < 4e-16 * t.max(1.0), "{t}");
        }
        assert_eq!(plane.ln_area(2000.0), 2000.0 - std::f64::consts::LN_2);
    }

    #[test]
    fn shares_of_complex_projective_spaces() {
        for m in [2, 3, 11, 48, 98] {
            for delta in [0.003, 0.01, 0.1, 0.7] {
                for r in [0.01, 0.2, 0.8, 1.1, 1.5] {
                    for shift in [-0.9, -0.3, 0.0, 0.2, 0.95] {
                        let rho: f64 = r + shift * delta;
                        if rho <= 0.0 {
                            continue;
                        }
                        let (within, beyond) = complex_shares(m, r, delta, rho);
                        let expected = by_modulus(m, r, delta, rho.min(FRAC_PI_2));
                        assert!(
                            (within - expected).abs() < 1e-12 + 1e-15 / (delta * r),
                            "{m} {delta} {r} {rho}: {within} {expected}"
                        );
                        assert!((within + beyond - 1.0).abs() < 1e-15);
                    }
                }
            }
        }
    }

    /// ℂP¹ is the sphere of radius ½; small shares keep their digits: on spheres the complement is the cap about the antipode.
    #[test]
    fn complements() {
        let (line, sphere) = (TwoPointSpace::ComplexProjective { dim: 1 }, TwoPointSpace::Sphere { dim: 2 });
        for (r, delta, rho) in [(0.3, 0.2, 0.25), (0.3, 0.2, 0.45), (0.5, 0.5, 0.9), (0.4, 0.1, 0.31)] {
            let share = |beyond: bool, space: TwoPointSpace, f: f64| match beyond {
                true => space.share_beyond(f * r, f * delta, f * rho),
                false => space.share_within(f * r, f * delta, f * rho),
            };
            for beyond in [false, true] {
                let (x, y) = (share(beyond, line, 1.0), share(beyond, sphere, 2.0));
                // The law of the azimuth on a circle of latitude of S² is that of the phase.
                assert!((x - y).abs() < 1e-13 * y.max(1.0), "{x} {y}");
            }
        }
        let sphere = TwoPointSpace::Sphere { dim: 30 };
        let small = sphere.share_beyond(0.5, 0.4, 0.88);
        assert!(small > 0.0 && small < 1e-12, "{small}");
    }
}
