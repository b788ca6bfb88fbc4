//! kng-shapes (Soto et al. 2022).

use super::{AnyError, Erratum};
use crate::manifold::{Manifold, Sphere};
use crate::mechanism::manifold::PublicBall;
use crate::privacy::{ClipRadius, ClipSource};
use nalgebra::{DVector, dvector};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::f64::consts::{FRAC_PI_8, PI, TAU};

const RADIUS: f64 = FRAC_PI_8;

/// h(u) = u cot u.
fn h(u: f64) -> f64 {
    u / u.tan()
}

fn at(t: f64, angle: f64) -> DVector<f64> {
    dvector![t.sin() * angle.cos(), t.sin() * angle.sin(), t.cos()]
}

/// sup ‖log_x p − log_x q‖ over points of the boundary of the ball, x turned to angle 0.
fn largest_change(sphere: &Sphere) -> Result<f64, AnyError> {
    let x = at(RADIUS, 0.0);
    let logs: Vec<DVector<f64>> = (0..180)
        .map(|i| sphere.log(&x, &at(RADIUS, TAU * f64::from(i) / 180.0)))
        .collect::<Result<_, _>>()?;
    Ok(logs.iter().flat_map(|p| logs.iter().map(move |q| (p - q).norm())).fold(0.0, f64::max))
}

/// Largest privacy loss of KNG with scale σ on the ball, n = 10: nine records at one boundary point, the tenth there or opposite.
fn loss(sphere: &Sphere, sigma: f64) -> Result<f64, AnyError> {
    let (p, q) = (at(RADIUS, 0.0), at(RADIUS, PI));
    let gradients = |x: &DVector<f64>| -> Result<[f64; 2], AnyError> {
        let (a, b) = (sphere.log(x, &p)?, sphere.log(x, &q)?);
        Ok([a.norm(), ((a * 9.0 + b) / 10.0).norm()])
    };
    let (rings, angles) = (80, 160);
    let mut totals = [0.0; 2];
    let mut extremes = [f64::INFINITY, f64::NEG_INFINITY];
    for i in 0..=rings {
        // Rings at midpoints for the integrals, and the boundary itself for the supremum.
        let t = if i == rings { RADIUS } else { RADIUS * (f64::from(i) + 0.5) / f64::from(rings) };
        for j in 0..angles {
            let [f, g] = gradients(&at(t, TAU * f64::from(j) / f64::from(angles)))?;
            extremes = [extremes[0].min((g - f) / sigma), extremes[1].max((g - f) / sigma)];
            if i < rings {
                totals[0] += t.sin() * (-f / sigma).exp();
                totals[1] += t.sin() * (-g / sigma).exp();
            }
        }
    }
    let normalizers = (totals[1] / totals[0]).ln();
    Ok((extremes[1] + normalizers).max(-extremes[0] - normalizers))
}

/// ∫ t^{d+1} e^{−at} dt / ∫ t^{d−1} e^{−bt} dt over d(d + 1), by a fine sum.
fn moment_ratio(d: i32, a: f64, b: f64) -> f64 {
    let integral = |power: i32, rate: f64| -> f64 {
        let width = 1e-3;
        (0..100_000)
            .map(|i| (f64::from(i) + 0.5) * width)
            .map(|t| t.powi(power) * (-rate * t).exp() * width)
            .sum()
    };
    integral(d + 1, a) / integral(d - 1, b) / f64::from(d * (d + 1))
}

/// Kurtosis of the real part of the horizontal proposal of B.5.1 at x = (1, −1, 0)/√2, and its mean.
fn proposal() -> [f64; 2] {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let b = [1.0, 1.0, -2.0].map(|x: f64| x / 6.0_f64.sqrt());
    let (mut first, mut second, mut fourth) = (0.0, 0.0, 0.0);
    let draws = 200_000;
    for _ in 0..draws {
        let c: f64 = b.iter().map(|b| b * rng.random::<f64>()).sum();
        first += c;
        second += c * c;
        fourth += c.powi(4);
    }
    let n = f64::from(draws);
    [fourth / n / (second / n).powi(2), first / n]
}

/// Mean |x| of a chain for exp(−|x|) with uniform steps: states recorded when accepted only, and at every step.
fn chain() -> [f64; 2] {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let (mut x, mut accepted, mut every, mut count) = (0.0_f64, 0.0, 0.0, 0.0);
    let steps = 400_000;
    for _ in 0..steps {
        let next: f64 = x + 6.0 * (rng.random::<f64>() - 0.5);
        if x.abs() - next.abs() >= rng.random::<f64>().ln() {
            x = next;
            accepted += x.abs();
            count += 1.0;
        }
        every += x.abs();
    }
    [accepted / count, every / f64::from(steps)]
}

pub(super) fn slips() -> Result<Vec<Erratum>, AnyError> {
    let sphere = Sphere::unit(2)?;
    let s = 2.0 * RADIUS;
    let (printed, simulated) = (s * (2.0 - h(s)), s * (2.0 - h(RADIUS)));
    let ball = PublicBall::new(sphere, at(0.0, 0.0), ClipRadius::new(RADIUS, ClipSource::Public)?)?;
    let sharp = ball.gradient_sensitivity(1, 0.0)?.get();
    let found = largest_change(&sphere)?;
    let (north, near) = (dvector![0.0, 0.0, -1.0], 1e-4);
    let far = (sphere.log(&north, &at(near, 0.0))? - sphere.log(&north, &at(near, PI))?).norm();
    let mut losses = Vec::new();
    for delta in [printed, simulated] {
        for factor in [1.0, 2.0] {
            losses.push(loss(&sphere, factor * delta / 10.0)?);
        }
    }
    // Laplace of scale s on [−1, 1], centres 1 and 0.9.
    let scale = 0.1_f64;
    let truncated = 0.1 / scale
        + ((2.0 - (-1.9 / scale).exp() - (-0.1 / scale).exp()) / (1.0 - (-2.0 / scale).exp())).ln();
    let ratios = [1, 2, 5].map(|d| moment_ratio(d, 0.8, 1.3));
    let [kurtosis, mean] = proposal();
    let [accepted, every] = chain();
    let bound = 0.5 * (PI / 2.0).min(PI / 4.0);
    Ok(vec![
        Erratum::new(
            [
                "kng-shapes: sensitivity",
                "Theorem 2",
                "2r(2 − h(2r))/n",
                "(4/n) max β√(1 − tan²β/tan²r) for κ = 1",
            ],
            format!(
                "S², r = π/8, times n: printed {printed:.4}, largest change found {found:.4}, sharper bound {sharp:.4}; the simulation uses \
                 {simulated:.4}"
            ),
            [printed, found, sharp],
        ),
        Erratum::new(
            [
                "kng-shapes: domain",
                "§3",
                "KNG on the manifold",
                "on the ball B_r(p₀): the restriction is part of the proof",
            ],
            format!(
                "x near the antipode: ‖log_x p − log_x q‖ reaches {far:.4}, 2π, for p and q next to each other"
            ),
            [far],
        ),
        Erratum::new(
            ["kng-shapes: factor", "B.4.2", "σ = Δ/ε", "σ = 2Δ/ε: the normalizer depends on the data"],
            format!(
                "S², n = 10, ε = 1, nine records at one boundary point, the tenth there or opposite: loss {:.4} with the theorem's Δ, {:.4} \
                 with the simulation's; with the factor 2 {:.4} and {:.4}",
                losses[0], losses[2], losses[1], losses[3]
            ),
            losses,
        ),
        Erratum::new(
            [
                "kng-shapes: truncation",
                "§3",
                "factor 1 where curvature is 0",
                "factor 2 on any ball: truncation too makes C depend on the data",
            ],
            format!("Laplace of scale Δ/ε on [−1, 1], centres 1 and 0.9: loss {truncated:.4} ε"),
            [truncated],
        ),
        Erratum::new(
            ["kng-shapes: utility", "Theorem 3", "h_min/h_max³", "h_min^d/h_max^{d+2}"],
            format!(
                "h = 0.8 and 1.3, d = 1, 2, 5: {:.4}, {:.4}, {:.4} (printed {:.4} for all)",
                ratios[0],
                ratios[1],
                ratios[2],
                1.3 / 0.512
            ),
            ratios,
        ),
        Erratum::new(
            ["kng-shapes: proposal", "B.5.1", "uniform components, centred", "isotropic: normal components"],
            format!(
                "k = 3: kurtosis {kurtosis:.3} (a normal has 3) and dependent on x; the mean of U(0, 1) vanishes on centring: {mean:.0e}"
            ),
            [kurtosis, mean],
        ),
        Erratum::new(
            [
                "kng-shapes: chain",
                "B.3.2",
                "only accepted states are recorded",
                "rejections are repeats of the state",
            ],
            format!("E|x| of exp(−|x|), truly 1: {accepted:.3} as printed, {every:.3} with repeats"),
            [accepted, every],
        ),
        Erratum::new(
            [
                "kng-shapes: radius",
                "B.5.1",
                "r = largest distance in the data",
                "r < ½ min(π/2, π/4) = π/8 for planar shapes, public",
            ],
            format!("{bound:.4}; at r = 0.39 the factor 4r cot 4r is {:.4}", h(4.0 * 0.39)),
            [bound],
        ),
    ])
}
