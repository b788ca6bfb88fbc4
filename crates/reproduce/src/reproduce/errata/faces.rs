//! gdp-faces (Soto et al. 2024).

use super::{AnyError, Erratum};
use crate::function::circle::PowerExponential;
use nalgebra::DMatrix;

/// (ρ, φ) of the four cases; m of the paper.
const CASES: [(f64, f64); 4] = [(0.25, 0.01), (0.5, 0.005), (1.0, 0.01), (0.5, 0.1)];
const SAMPLES: usize = 80;

/// sup over ‖f − f′‖ ≤ 2 of the change of the smoothed mean in the noise's own norm, with eigenvalues `scale` times those of
/// the operator.
fn change(range: f64, phi: f64, scale: f64) -> Result<f64, AnyError> {
    let kernel = PowerExponential::new(range, 1.0).ok_or("kernel")?;
    let gain = |l: &f64| (l * scale).sqrt() / (l * scale + phi);
    Ok(2.0 * scale.sqrt() * kernel.eigenvalues(SAMPLES).iter().map(gain).fold(0.0, f64::max))
}

/// The smallest eigenvalue of the kernel's matrix on the grid 0/m, …, m/m, whose ends are one point.
fn closed_grid() -> f64 {
    let m = SAMPLES as i64;
    let arc = |i: usize, j: usize| {
        let apart = (i as i64 - j as i64).rem_euclid(m);
        std::f64::consts::TAU * apart.min(m - apart) as f64 / m as f64
    };
    let kernel = DMatrix::from_fn(SAMPLES + 1, SAMPLES + 1, |i, j| (-arc(i, j) / 0.25).exp());
    kernel.symmetric_eigenvalues().min()
}

/// The minimizer of w Σ(x_i − m)² + φ m²/λ over m, per unit of the mean of n records, by bisection of its derivative.
fn penalized(n: f64, weight: f64) -> f64 {
    let (lambda, phi) = (0.3, 0.01);
    let (mut low, mut high) = (0.0, 2.0);
    for _ in 0..200 {
        let m = 0.5 * (low + high);
        let slope = weight * n * (m - 1.0) + phi * m / lambda;
        if slope < 0.0 { low = m } else { high = m }
    }
    low
}

pub(super) fn slips() -> Result<Vec<Erratum>, AnyError> {
    let exact: Vec<f64> = CASES.iter().map(|(r, p)| change(*r, *p, 1.0)).collect::<Result<_, _>>()?;
    let matrix: Vec<f64> =
        CASES.iter().map(|(r, p)| change(*r, *p, SAMPLES as f64)).collect::<Result<_, _>>()?;
    let told = |values: &[f64]| -> String {
        let one = |((r, p), v): (&(f64, f64), &f64)| {
            let printed = 2.0 / p.sqrt();
            format!(
                "ρ = {r}, φ = {p}: {v:.4} (printed {printed:.4}; ratio {:.2})",
                (printed / v).max(v / printed)
            )
        };
        CASES.iter().zip(values).map(one).collect::<Vec<_>>().join("; ")
    };
    let smallest = closed_grid();
    let (as_printed, with_mean) = (penalized(50.0, 1.0), penalized(50.0, 1.0 / 50.0));
    let total = (23.0 * (0.04 + 0.04 + 0.3025_f64)).sqrt();
    let n = 1000.0_f64;
    Ok(vec![
        Erratum::new(
            [
                "gdp-faces: sensitivity",
                "Theorem on sensitivity",
                "2τ/(n√φ)",
                "(2τ/n) max √λ/(λ + φ) ≤ τ/(n√φ)",
            ],
            format!("in units of τ/n, {}", told(&exact)),
            exact,
        ),
        Erratum::new(
            ["gdp-faces: eigenvalues", "§4, §5", "eigenvalues of the matrix K", "of the operator, K/m"],
            format!(
                "with the matrix's the noise of the printed bound is too small: true change in units of τ/n, {}",
                told(&matrix)
            ),
            matrix,
        ),
        Erratum::new(
            [
                "gdp-faces: grid",
                "§5",
                "grid t = 0/m, …, m/m",
                "l/m, l < m: the ends are one point of the circle",
            ],
            format!("smallest eigenvalue of K with both ends: {smallest:.1e} (singular)"),
            [smallest],
        ),
        Erratum::new(
            [
                "gdp-faces: total budget",
                "§5.1, Figures 5, 6, Table 1",
                "2.9961",
                "√(23(0.2² + 0.2² + 0.55²)) = 2.9661",
            ],
            format!("{total:.4}"),
            [total],
        ),
        Erratum::new(
            ["gdp-faces: penalty", "§4", "Σ‖x_i − m‖² + φ‖m‖²", "(1/n)Σ‖x_i − m‖² + φ‖m‖²"],
            format!(
                "λ = 0.3, φ = 0.01, n = 50: the printed sum shrinks the mean by {as_printed:.8} (φ acts as φ/n), the mean of squares by \
                 {with_mean:.8} = λ/(λ + φ), as the paper's own h has it"
            ),
            [as_printed, with_mean],
        ),
        Erratum::new(
            ["gdp-faces: range", "A.6", "max |X_i − X_j| as the sensitivity of a mean", "max |X_i − X_j|/n"],
            format!("n = 1000: noise {n} times, variance {:.0e} times too large", n * n),
            [n],
        ),
        Erratum::new(
            [
                "gdp-faces: Table 1",
                "Table 1",
                "14 (μ = 2) and 7.5807 (μ = 3)",
                "noise of scale 1/μ: errors in the ratio (3/2)²",
            ],
            format!("the printed ratio is {:.3}, the mechanism's {:.3}", 14.0 / 7.5807, 2.25),
            [14.0 / 7.5807, 2.25],
        ),
    ])
}
