//! Jiang, Chang, Liu, Ding, Kong and Jiang 2023: Gaussian differential privacy on Riemannian manifolds.

use super::{Context, Finding, ReproduceError, Verdict};
use crate::manifold::{Manifold, Sphere};
use crate::mechanism::manifold::{TwoPointSpace, riemannian_gaussian_mu};
use crate::privacy::normal;
use crate::report::chart::{Axis, Line, line_chart};
use nalgebra::{DVector, dvector};
use rand::{RngExt, SeedableRng};

type AnyError = Box<dyn std::error::Error>;

pub(super) fn run(context: &Context) -> Result<Finding, ReproduceError> {
    curves(context).map_err(ReproduceError::from_any)
}

fn curves(context: &Context) -> Result<Finding, AnyError> {
    let spaces = [
        ("R", TwoPointSpace::Euclidean { dim: 1 }),
        ("S1", TwoPointSpace::Sphere { dim: 1 }),
        ("S2", TwoPointSpace::Sphere { dim: 2 }),
        ("H2", TwoPointSpace::Hyperbolic { dim: 2 }),
        ("CP1", TwoPointSpace::ComplexProjective { dim: 1 }),
    ];
    let mut csv = String::from("space,delta,sigma,mu\n");
    let mut lines = Vec::new();
    for (name, space) in spaces {
        let mut points = Vec::new();
        for i in 0..context.pick(8, 16) {
            let sigma = 0.25 * 1.25_f64.powi(i);
            let mu = riemannian_gaussian_mu(space, 1.0, sigma)?.get();
            csv.push_str(&format!("{name},1,{sigma:.5},{mu:.10}\n"));
            points.push((sigma, mu));
        }
        lines.push(Line::new(name, points));
    }
    let exact = riemannian_gaussian_mu(TwoPointSpace::Sphere { dim: 2 }, 1.0, 1.0)?.get();
    let runs = 20;
    let monte: Vec<f64> =
        (0..runs).map(|seed| monte_carlo(seed, context.pick(1000, 1000))).collect::<Result<_, _>>()?;
    let mean = monte.iter().sum::<f64>() / runs as f64;
    let sd = (monte.iter().map(|m| (m - mean).powi(2)).sum::<f64>() / (runs - 1) as f64).sqrt();
    let mut mc = String::from("run,mu\n");
    monte.iter().enumerate().for_each(|(i, m)| mc.push_str(&format!("{i},{m:.6}\n")));
    let mut finding = Finding::new(
        "riemannian-gdp, Figure 1: μ against σ, and Algorithm 2",
        "μ of the Riemannian Gaussian on ℝ and S¹ by quadrature, on S² by Monte Carlo (Algorithm 2).",
    );
    finding.same = format!(
        "Algorithm 2 on S², Δ = σ = 1, 1000 draws and the largest implied μ over ε: {mean:.4} ± {sd:.4} over {runs} runs, {:+.1} % \
         from the exact value.",
        100.0 * (mean / exact - 1.0)
    );
    finding.better = format!("exact quadrature: {exact:.10}, milliseconds, on ℝᵈ, Sᵈ, Hᵈ and ℂPᵐ.");
    finding.verdict = Verdict::Partly;
    finding.why = "The curves agree where they are integrals; the Monte Carlo maximum over ε is biased upwards, since the noise \
                   of the estimate is maximized too."
        .into();
    finding.data = "none needed".into();
    finding.tables.push(("mu_against_sigma.csv".into(), csv));
    finding.tables.push(("algorithm2.csv".into(), mc));
    let svg = line_chart("μ at Δ = 1", &Axis::log("σ"), &Axis::log("μ"), &lines);
    finding.figures.push(("mu_against_sigma.svg".into(), svg));
    Ok(finding)
}

/// The paper's Algorithm 2 on S²: draws of N(η, 1), empirical δ(ε) on a grid, the largest μ that any of them implies.
fn monte_carlo(seed: u64, draws: usize) -> Result<f64, AnyError> {
    let sphere = Sphere::unit(2)?;
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    let (eta, other) = (dvector![0.0, 0.0, 1.0], dvector![1f64.sin(), 0.0, 1f64.cos()]);
    let mut sample = |centre: &DVector<f64>| -> f64 {
        // Radius by rejection from the Rayleigh law of the plane: density t e^{−t²/2} · (sin t)/t.
        let t = loop {
            let t = (-2.0 * (1.0 - rng.random::<f64>()).ln()).sqrt();
            if t < std::f64::consts::PI && rng.random::<f64>() < t.sin() / t {
                break t;
            }
        };
        let direction = sphere.random_direction(centre, &mut rng);
        let y = sphere.exp(centre, &(direction * t));
        sphere.dist(&y, &other).powi(2) - sphere.dist(&y, &eta).powi(2)
    };
    let here: Vec<f64> = (0..draws).map(|_| sample(&eta)).collect();
    let there: Vec<f64> = (0..draws).map(|_| sample(&other)).collect();
    let share = |of: &[f64], e: f64| of.iter().filter(|x| **x >= 2.0 * e).count() as f64 / draws as f64;
    let mut largest: f64 = 0.0;
    for i in 0..40 {
        let e = 0.05 * f64::from(i);
        let delta = share(&here, e) - e.exp() * share(&there, e);
        if delta <= 0.0 {
            continue;
        }
        let (mut low, mut high) = (1e-6, 20.0);
        for _ in 0..60 {
            let mu = 0.5 * (low + high);
            let at = normal::cdf(-e / mu + 0.5 * mu) - e.exp() * normal::cdf(-e / mu - 0.5 * mu);
            if at < delta { low = mu } else { high = mu }
        }
        largest = largest.max(high);
    }
    Ok(largest)
}
