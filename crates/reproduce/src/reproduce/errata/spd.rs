//! spd-tangent-gaussian (Utpala, Vepakomma and Miolane 2023) and riemannian-gdp (Jiang et al. 2023).

use super::{AnyError, Erratum};
use crate::manifold::{Euclidean, Manifold, SpdLogEuclidean, TwoPointSpace};
use crate::mechanism::manifold::riemannian_gaussian_mu;
use crate::privacy::{Calibration, Delta, Epsilon, L2Sensitivity, gaussian_sigma_for, normal};
use crate::study::points::spd::descriptor_ball;
use nalgebra::{DMatrix, DVector};
use rand::SeedableRng;

/// n times the change of the log-Euclidean mean, in Frobenius norm, when all data are e^r and one moves to e^{−r}.
fn extrinsic(r: f64) -> Result<f64, AnyError> {
    let (space, n) = (SpdLogEuclidean::new(1)?, 1000.0);
    let mean =
        |last: f64| space.exponential(&DMatrix::from_element(1, 1, ((n - 1.0) * r + last) / n))[(0, 0)];
    Ok(n * (mean(r) - mean(-r)))
}

/// Mean squared error of the classical tangent Gaussian over draws: k = 4, n = 100, r = ½, ε = ½, δ = 1e-6.
fn theorem4() -> Result<f64, AnyError> {
    let sensitivity = L2Sensitivity::new(0.01)?;
    let sigma =
        gaussian_sigma_for(Calibration::Classical, Epsilon::new(0.5)?, Delta::new(1e-6)?, sensitivity)?;
    let (space, draws) = (Euclidean::new(10), 20_000);
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
    let zero = DVector::zeros(10);
    Ok((0..draws).map(|_| space.tangent_gaussian(&zero, sigma, &mut rng).norm_squared()).sum::<f64>()
        / f64::from(draws))
}

pub(super) fn slips() -> Result<Vec<Erratum>, AnyError> {
    let (e, ratio) = (0.5, 100.0_f64);
    let (a, b) = (0.5 * ratio - e / ratio, -0.5 * ratio - e / ratio);
    let printed = (1.0 - e.exp()) * normal::cdf(a);
    let right = normal::cdf(a) - e.exp() * normal::cdf(b);
    let four = 4.0 * 0.25 * (1.25e6_f64).ln() * 10.0 / (1e4 * 0.25);
    let drawn = theorem4()?;
    let radii = [0.25, 1.369, 2.0];
    let moved: Vec<f64> = radii.iter().map(|r| extrinsic(*r)).collect::<Result<_, _>>()?;
    let told: Vec<String> = radii
        .iter()
        .zip(&moved)
        .map(|(r, m)| {
            format!(
                "r = {r}: {m:.4} (printed bound {:.4}; right {:.4})",
                2.0 * (r.exp() - 1.0),
                2.0 * r * r.exp()
            )
        })
        .collect();
    let ball = |k: usize| descriptor_ball(k).map(|b| 2.0 * b.1).ok_or("no ball for this order");
    let sharp = [ball(9)?, ball(11)?];
    let wide = [9.0_f64, 11.0].map(|k| 2.0 * k.sqrt() * 1e-6_f64.ln().abs());
    let flat = 1.0_f64.powi(2);
    let exact = riemannian_gaussian_mu(TwoPointSpace::Sphere { dim: 1 }, 1.0, 1.0)?.get();
    // Two pairs at distance 1 on the flat torus with sides 2π and 3: a pair along the short side sees its own image.
    let wrapped = torus_mu(3.0);
    let unwrapped = torus_mu(f64::from(2_u32) * std::f64::consts::PI);
    Ok(vec![
        Erratum::new(
            [
                "spd-tangent-gaussian: Theorem 2",
                "Theorem 2",
                "Φ(Δ/2σ − εσ/Δ) − e^ε Φ(Δ/2σ − εσ/Δ) ≤ δ",
                "… − e^ε Φ(−Δ/2σ − εσ/Δ) ≤ δ",
            ],
            format!("σ = Δ/100, ε = ½: printed side {printed:.4} (any noise would do), right {right:.4}"),
            [printed, right],
        ),
        Erratum::new(
            [
                "spd-tangent-gaussian: Theorem 4",
                "Theorem 4",
                "E ρ² = 4 r² ln(1.25/δ)·dim/(n²ε²)",
                "8 r² … (its proof says 8)",
            ],
            format!("k = 4, n = 100, r = ε = ½: printed {four:.5}, mean of 20000 draws {drawn:.5}"),
            [four, drawn],
        ),
        Erratum::new(
            ["spd-tangent-gaussian: extrinsic", "§6.1", "2(e^r − 1)/n", "2r e^r/n"],
            format!("n·change when one of n equal records moves: {}", told.join("; ")),
            moved,
        ),
        Erratum::new(
            [
                "spd-tangent-gaussian: descriptors",
                "Theorem 5",
                "Δ = 2√k |ln η|/n about the identity",
                "√k ln((T + η)/η)/n about the middle of the log scale",
            ],
            format!(
                "n·Δ, k = 9: {:.2} in place of {:.2}; k = 11: {:.2} in place of {:.2}",
                sharp[0], wide[0], sharp[1], wide[1]
            ),
            sharp,
        ),
        Erratum::new(
            [
                "spd-tangent-gaussian: Lemma A.6",
                "A.6",
                "‖φ − μ‖² ≤ ‖φ‖² for φ, μ ≥ 0",
                "false pointwise; true of the covariance: Cov ≤ E φφᵀ",
            ],
            format!("φ = 0, μ = 1: {flat} against 0"),
            [flat],
        ),
        Erratum::new(
            [
                "riemannian-gdp: constant curvature",
                "Theorem on constant curvature",
                "manifolds of constant curvature",
                "two-point homogeneous spaces: a flat torus has constant curvature, but the pair's direction matters",
            ],
            format!(
                "σ = 1, Δ = 1: μ at ε = 0 is {unwrapped:.4} along a side of length 2π, {wrapped:.4} along one of length 3; on S¹ exactly \
                 {exact:.12}"
            ),
            [unwrapped, wrapped, exact],
        ),
    ])
}

/// 2Φ⁻¹ of the probability that a wrapped-distance Gaussian on a circle of this length is nearer its centre than a point 1 away.
fn torus_mu(length: f64) -> f64 {
    let cells = 40_000;
    let (mut near, mut all) = (0.0, 0.0);
    for i in 0..cells {
        let y = length * ((f64::from(i) + 0.5) / f64::from(cells) - 0.5);
        let away = (y - 1.0).abs();
        let away = away.min(length - away);
        let weight = (-0.5 * y * y).exp();
        all += weight;
        if y.abs() < away {
            near += weight;
        }
    }
    2.0 * normal::quantile(near / all)
}
