//! Records at one end of the public ball, and a last one there too or at the opposite end.

use super::{KNormGradient, TITLE};
use crate::manifold::PolarVolume;
use crate::mechanism::MechanismError;
use crate::mechanism::manifold::directions;
use crate::mechanism::manifold::ends::{Ends, SMALL, spaces};
use crate::privacy::audit::{AuditError, Auditable, WorstCase};
use crate::privacy::{Entry, Epsilon, ScaleCheck};

/// As the registry knows it.
pub const ENTRY: Entry =
    Entry { name: "kng", title: TITLE, proof: include_str!("proof.md"), scale, worst_cases: WORST_CASES };

const WORST_CASES: &[WorstCase] = &[
    WorstCase { name: "kng", make: on_sphere, slow: true },
    WorstCase { name: "kng-kendall", make: on_kendall, slow: true },
    WorstCase { name: "kng-hyperbolic", make: on_hyperbolic, slow: true },
];

type Made = Result<Box<dyn Auditable>, AuditError>;

/// Four records in a small ball, where discs are flat: the law about the rim has a normalizer that grows by e^{0.29 ε} when the mean moves
/// inwards, beside e^{ε/2} at the rim itself (by integration at ε = 1). More records would gain 0.02 ε in events too rare to be counted.
fn on_sphere(name: &'static str, parameter: f64) -> Made {
    audit(name, parameter, 4, spaces::sphere(SMALL, 4))
}

fn on_kendall(name: &'static str, parameter: f64) -> Made {
    audit(name, parameter, 4, spaces::kendall(SMALL, 4))
}

/// Nearly as wide as the law allows: σ = 0.85 = 4r/(nε) on the hyperbolic plane, where volume grows like eᵗ and there is no law for σ ≥ 1.
/// Most of the law is then far out, where almost every direction sees the far end behind the near one: the normalizer changes by almost
/// e^{ε/2}, against almost e^{ε/2} in the few directions beyond the far end.
fn on_hyperbolic(name: &'static str, parameter: f64) -> Made {
    let n = 8;
    let radius = (0.85 / 4.0 * n as f64 * parameter).clamp(0.01, 7.0);
    audit(name, parameter, n, spaces::hyperbolic(radius, n))
}

fn audit<M>(name: &'static str, parameter: f64, n: u64, ends: Result<Ends<M>, MechanismError>) -> Made
where
    M: PolarVolume + Send + Sync + 'static,
    M::Point: Send + Sync + 'static,
{
    let no_claim = |_| AuditError::NoClaim(name.to_owned());
    let ends = ends.map_err(no_claim)?;
    let mechanism = KNormGradient::new(ends.ball(), n, Epsilon::new(parameter)?).map_err(no_claim)?;
    let look = ends.balance();
    ends.audit(name, mechanism, look)
}

/// With all records at the centre the gradient's norm is the distance: density ∝ exp(−t/σ) sin t on the ball, σ = 2Δ/ε with
/// Δ = (2r/n)·2r/sin 2r.
fn scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    let (r, n, epsilon) = (0.4_f64, 100, 1.5);
    let sigma = 2.0 * (2.0 * r / n as f64) * (2.0 * r / (2.0 * r).sin()) / epsilon;
    let mechanism = KNormGradient::new(directions::ball(r)?, n, Epsilon::new(epsilon)?)?;
    directions::distances(&mechanism, n, 8000, seed, r, |t| (-t / sigma).exp())
}

#[cfg(test)]
mod tests {
    /// The loss of the law itself, by rectangles, on the hyperbolic case at ε = 4: n − 1 records at the pole, one there too or 2r away. In polar
    /// coordinates (t, θ) the logarithms have lengths t and d and the angle γ between them, by the half-angle formulas of hyperbolic
    /// triangles. 0.8 of what the theorem allows and no more than all of it.
    #[test]
    fn the_law_on_the_hyperbolic_plane_loses_nearly_what_the_theorem_allows() {
        let (epsilon, n, sigma) = (4.0_f64, 8.0, 0.85);
        let (side, far) = (2.0 * sigma * n * epsilon / 4.0, 28.0 / (1.0 / sigma - 1.0));
        let ln_sinh = |x: f64| if x > 15.0 { x - std::f64::consts::LN_2 } else { x.max(1e-300).sinh().ln() };
        let (steps, turns) = (4000, 800);
        let (mut masses, mut most) = ([0.0; 2], f64::NEG_INFINITY);
        for i in 0..steps {
            // Finer near the pole, and towards the other end.
            let x = (f64::from(i) + 0.5) / f64::from(steps);
            let (t, width) = (far * x * x, 2.0 * far * x / f64::from(steps));
            for k in 0..turns {
                let y = (f64::from(k) + 0.5) / f64::from(turns);
                let (theta, turn) = (std::f64::consts::PI * y * y, y);
                let chord = ((0.5 * (t - side)).sinh().powi(2)
                    + t.sinh() * side.sinh() * (0.5 * theta).sin().powi(2))
                .sqrt();
                let d = 2.0 * chord.asinh();
                let half = 0.5 * (t + d + side);
                let ln_tan =
                    0.5 * (ln_sinh(half - t) + ln_sinh(half - d) - ln_sinh(half) - ln_sinh(half - side));
                let gamma = 2.0 * ln_tan.exp().atan();
                let others = (n - 1.0) * t;
                let moved = (others * others + d * d + 2.0 * others * d * gamma.cos()).max(0.0).sqrt() / n;
                let volume = (ln_sinh(t) - t / sigma).exp() * width * turn;
                masses[0] += volume;
                masses[1] += volume * ((t - moved) / sigma).exp();
                most = most.max((t - moved) / sigma);
            }
        }
        let loss = (most - (masses[1] / masses[0]).ln()) / epsilon;
        println!("{loss:.4} of epsilon");
        assert!(loss > 0.8 && loss < 1.0, "{loss}");
    }
}
