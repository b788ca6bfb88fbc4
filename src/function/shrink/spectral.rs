//! Wiener shrinkage for a power-law spectrum whose parameters are integrated out.

use super::{Factor, NoisyCoefficients};

/// Decay exponents s. On a surface the smoothest functions that are once, twice, … differentiable have s = 2, 3, ….
const EXPONENTS: [f64; 6] = [1.0, 1.5, 2.0, 2.5, 3.0, 4.0];
/// Corners λ₀ in units of the smallest positive roughness.
const CORNERS: [f64; 4] = [1.0, 4.0, 16.0, 64.0];
/// ln of the prior energy Σ Var θ over size²: from, to, step.
const ENERGIES: (f64, f64, f64) = (-12.0, 6.0, 0.5);
/// Standard deviation of that logarithm a priori: a factor of twenty either way in energy is unremarkable.
const SPREAD: f64 = 1.5;

/// One spectrum on the grid of hyperparameters.
struct Spectrum<'a> {
    shape: &'a [f64],
    energy: f64,
    log_posterior: f64,
}

/// f_i = E[t_i/(t_i + v_i)] over the posterior of the spectrum t given all the noised coefficients.
pub(super) fn factors(noisy: &NoisyCoefficients<'_>) -> Vec<Factor> {
    let shapes = shapes(noisy);
    let mut grid = Vec::new();
    for shape in &shapes {
        let mut log_energy = ENERGIES.0;
        while log_energy <= ENERGIES.1 {
            let energy = noisy.size * noisy.size * log_energy.exp();
            let prior = -0.5 * (log_energy / SPREAD).powi(2);
            let log_posterior = prior + log_likelihood(noisy, shape, energy);
            grid.push(Spectrum { shape, energy, log_posterior });
            log_energy += ENERGIES.2;
        }
    }
    average(noisy, &grid)
}

/// (1 + λ/λ₀)^(−s), scaled to sum to 1, for every corner and exponent.
fn shapes(noisy: &NoisyCoefficients<'_>) -> Vec<Vec<f64>> {
    let unit = noisy.unit_roughness();
    let pairs = CORNERS.iter().flat_map(|c| EXPONENTS.iter().map(move |s| (c * unit, *s)));
    pairs
        .map(|(corner, exponent)| {
            let t: Vec<f64> =
                noisy.roughness.iter().map(|l| (-exponent * (l / corner).ln_1p()).exp()).collect();
            let total: f64 = t.iter().sum();
            t.iter().map(|x| x / total).collect()
        })
        .collect()
}

fn log_likelihood(noisy: &NoisyCoefficients<'_>, shape: &[f64], energy: f64) -> f64 {
    let mut sum = 0.0;
    for ((y, v), t) in noisy.values.iter().zip(noisy.variances).zip(shape) {
        let variance = (energy * t + v).max(f64::MIN_POSITIVE);
        sum -= variance.ln() + y * y / variance;
    }
    0.5 * sum
}

/// Posterior means of the Wiener factors, and the derivative that Stein's estimate needs: with weights p_g and
/// v_g = t_g + v, y ∂f/∂y = −y² Cov(t/v_g, 1/v_g) = y² v Var(1/v_g), since t/v_g = 1 − v/v_g.
fn average(noisy: &NoisyCoefficients<'_>, grid: &[Spectrum<'_>]) -> Vec<Factor> {
    let best = grid.iter().map(|g| g.log_posterior).fold(f64::NEG_INFINITY, f64::max);
    let mut total = 0.0;
    let mut inverse = vec![0.0; noisy.values.len()];
    let mut inverse_square = inverse.clone();
    for g in grid {
        let weight = (g.log_posterior - best).exp();
        // NaN (an overflowing likelihood) fails the comparison too.
        if weight.is_nan() || weight < 1e-9 {
            continue;
        }
        total += weight;
        for (i, (t, v)) in g.shape.iter().zip(noisy.variances).enumerate() {
            // v/(t+v): without noise nothing is shrunk.
            let x = if *v > 0.0 { v / (g.energy * t + v) } else { 0.0 };
            inverse[i] += weight * x;
            inverse_square[i] += weight * x * x;
        }
    }
    if total == 0.0 {
        return vec![Factor { value: 1.0, slope: 0.0 }; noisy.values.len()];
    }
    (0..noisy.values.len())
        .map(|i| {
            let (mean, square) = (inverse[i] / total, inverse_square[i] / total);
            let v = noisy.variances[i];
            let score = if v > 0.0 { noisy.values[i].powi(2) / v } else { 0.0 };
            let slope = score * (square - mean * mean).max(0.0);
            Factor { value: 1.0 - mean, slope: if slope.is_finite() { slope } else { 0.0 } }
        })
        .collect()
}
