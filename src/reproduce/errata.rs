//! Slips in the papers: what is printed, what is right, and a number computed here that shows it.

use super::{AnyError, Context, Finding, Verdict};
use crate::function::circle::PowerExponential;
use crate::manifold::{Manifold, PoincareBall, SpdBuresWasserstein, SpdLogEuclidean};
use crate::mechanism::manifold::{TwoPointSpace, riemannian_gaussian_mu};
use crate::privacy::normal;
use nalgebra::{DMatrix, DVector};

/// One slip.
#[derive(Debug, Clone, PartialEq)]
pub struct Erratum {
    /// Paper and place.
    pub place: &'static str,
    /// What is printed.
    pub printed: &'static str,
    /// What is right.
    pub right: &'static str,
    /// The number that shows it.
    pub shown: String,
}

/// All slips that a computation of a moment can show.
///
/// # Errors
/// None that depends on anything but this program.
pub fn errata() -> Result<Vec<Erratum>, AnyError> {
    let mut all = Vec::new();
    let mut add = |place, printed, right, shown| all.push(Erratum { place, printed, right, shown });
    let (phi, m) = (0.01, 400);
    let kernel = PowerExponential::new(0.25, 1.0).ok_or("kernel")?;
    let worst = |factor: f64| {
        let over = |l: &f64| (l * factor).sqrt() / (l * factor + phi);
        kernel.eigenvalues(m).iter().map(over).fold(0.0, f64::max)
    };
    add(
        "gdp-faces, Theorem on sensitivity",
        "2τ/(n√φ)",
        "(2τ/n) max √λ/(λ + φ) ≤ τ/(n√φ)",
        format!(
            "φ = {phi}: sup is {:.4} τ/n against the printed {:.4} τ/n, ratio {:.3}",
            2.0 * worst(1.0),
            2.0 / f64::sqrt(phi),
            1.0 / (f64::sqrt(phi) * worst(1.0))
        ),
    );
    add(
        "gdp-faces, §5.1",
        "total μ = 2.9961",
        "√(23(0.2² + 0.2² + 0.55²)) = 2.9661",
        format!("{:.4}", (23.0 * (0.04 + 0.04 + 0.3025_f64)).sqrt()),
    );
    add(
        "gdp-faces, A.6",
        "max |X_i − X_j| as the sensitivity of a mean",
        "max |X_i − X_j|/n",
        "the noise is n times too large: for n = 1000 the variance 10⁶ times".into(),
    );
    let (e, ratio) = (0.5, 100.0_f64);
    let (a, b) = (0.5 * ratio - e / ratio, -0.5 * ratio - e / ratio);
    add(
        "spd-tangent-gaussian, Theorem 2",
        "Φ(Δ/2σ − εσ/Δ) − e^ε Φ(Δ/2σ − εσ/Δ) ≤ δ",
        "… − e^ε Φ(−Δ/2σ − εσ/Δ) ≤ δ",
        format!(
            "σ = Δ/100, ε = ½: printed {:.4} (any noise would do), right {:.4}",
            (1.0 - e.exp()) * normal::cdf(a),
            normal::cdf(a) - e.exp() * normal::cdf(b)
        ),
    );
    let r: f64 = 2.0;
    let space = SpdLogEuclidean::new(1)?;
    let n = 1000.0;
    let mean =
        |last: f64| space.exponential(&DMatrix::from_element(1, 1, ((n - 1.0) * r + last) / n))[(0, 0)];
    add(
        "spd-tangent-gaussian, extrinsic sensitivity",
        "2(e^r − 1)/n",
        "2r e^r/n",
        format!(
            "r = 2, all data e^r, one moved to e^−r: n·change {:.3} against the printed {:.3} and the bound {:.3}",
            n * (mean(r) - mean(-r)),
            2.0 * (r.exp() - 1.0),
            2.0 * r * r.exp()
        ),
    );
    let tensor = DMatrix::from_diagonal(&DVector::from_vec(vec![1.0, 9.0]));
    let bures = SpdBuresWasserstein::new(2)?;
    let mut unit = DMatrix::zeros(2, 2);
    (unit[(0, 1)], unit[(1, 0)]) = (1.0, 1.0);
    let identity = DMatrix::identity(2, 2);
    let at_identity = bures.norm(&identity, &unit);
    let printed = &unit * 5.0;
    let right = &unit * 5.0_f64.sqrt();
    add(
        "dp-riemannian-optimization, A.1 (Bures–Wasserstein)",
        "K = (λ_r + λ_s)/2",
        "K = √((λ_r + λ_s)/2)",
        format!(
            "λ = 1, 9, off-diagonal direction: norm carried over {:.4} as printed, {:.4} corrected (1 is an isometry)",
            bures.norm(&tensor, &printed) / at_identity,
            bures.norm(&tensor, &right) / at_identity
        ),
    );
    let poincare = PoincareBall::new(2)?;
    let w = DVector::from_vec(vec![0.6, 0.0]);
    let one = 1.0 - w.norm_squared();
    let along = |c: f64| poincare.norm(&w, &DVector::from_vec(vec![0.0, one * c]));
    add(
        "dp-riemannian-optimization, Poincaré sampler",
        "u = (1 − ‖w‖²) a/4",
        "u = (1 − ‖w‖²) a/2",
        format!(
            "norm of a unit draw {:.3} as printed (half the noise: unsafe), {:.3} corrected",
            along(0.25),
            along(0.5)
        ),
    );
    let v = 10.0_f64;
    add(
        "dp-riemannian-optimization, clipping",
        "min(‖ν‖/τ, 1) ν",
        "min(τ/‖ν‖, 1) ν",
        format!(
            "‖ν‖ = 10 τ: {} τ as printed, {} τ corrected",
            (v / 1.0).min(1.0) * v,
            (1.0 / v).min(1.0) * v
        ),
    );
    let step = |sign: f64| {
        // SVRG on the mean of 1, 2, 6: full gradients at the anchor, one record at a time.
        let data = [1.0, 2.0, 6.0];
        let mut w: f64 = 0.0;
        for epoch in 0..20 {
            let anchor = w;
            let g: f64 = data.iter().map(|x| anchor - x).sum::<f64>() / 3.0;
            for i in 0..30 {
                let z = data[(i + epoch) % 3];
                w -= 0.2 * ((w - z) - (anchor - z) + sign * g);
            }
        }
        w
    };
    add(
        "dp-riemannian-optimization, Algorithm 11",
        "v = ∇f(w) − PT(∇f(w̃)) − PT(g)",
        "v = ∇f(w) − PT(∇f(w̃) − g)",
        format!("mean of 1, 2, 6: {:.2e} as printed, {:.6} corrected (true 3)", step(-1.0), step(1.0)),
    );
    let exact = riemannian_gaussian_mu(TwoPointSpace::Sphere { dim: 1 }, 1.0, 1.0)?.get();
    add(
        "riemannian-gdp, Theorem on constant curvature",
        "manifolds of constant curvature",
        "two-point homogeneous spaces (a flat torus has constant curvature and fails)",
        format!("exact values for those: S¹ at Δ = σ = 1 gives μ = {exact:.12}"),
    );
    let h = |u: f64| u / u.tan();
    let s = std::f64::consts::FRAC_PI_4;
    add(
        "kng-shapes, simulation",
        "σ = Δ/ε for KNG on a ball",
        "σ = 2Δ/ε: the normalizer depends on the data",
        format!(
            "S², r = π/8: sensitivity {:.4}/n as printed, {:.4}/n sharp; the factor 2 is needed on top",
            s * (2.0 - h(s)),
            s * s / s.sin()
        ),
    );
    Ok(all)
}

pub(super) fn run(_context: &Context) -> Result<Finding, AnyError> {
    let all = errata()?;
    let mut finding = Finding::new("Errata of the five papers", "What is printed.");
    let clean = |text: &str| text.replace(',', ";");
    let mut csv = String::from("place,printed,right,computed here\n");
    for e in &all {
        csv.push_str(&format!(
            "{},{},{},{}\n",
            clean(e.place),
            clean(e.printed),
            clean(e.right),
            clean(&e.shown)
        ));
    }
    finding.same = format!("{} slips, each with a number computed on the spot.", all.len());
    finding.better = "The corrected formulas are what this program uses.".into();
    finding.verdict = Verdict::No;
    finding.why = "As printed, several of these formulas give less privacy than claimed.".into();
    finding.data = "none needed".into();
    finding.tables.push(("errata.csv".into(), csv));
    Ok(finding)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The figures of the reference table of slips, from independent code.
    #[test]
    fn numbers_agree_with_independent_ones() {
        let all = errata().unwrap();
        let shown = |place: &str| all.iter().find(|e| e.place.contains(place)).unwrap().shown.clone();
        assert!(shown("sensitivity").contains("ratio 2.0"), "{}", shown("Theorem on sensitivity"));
        assert_eq!(shown("§5.1"), "2.9661");
        assert!(shown("Theorem 2").contains("-0.6487") && shown("Theorem 2").contains("1.0000"));
        assert!(shown("Poincaré").contains("0.500") && shown("Poincaré").contains("1.000"));
        assert!(shown("Bures").contains("1.0000 corrected"), "{}", shown("Bures"));
        assert!(shown("Algorithm 11").contains("3.000000"), "{}", shown("Algorithm 11"));
        assert!(
            shown("simulation").contains("0.9539") && shown("simulation").contains("0.8724"),
            "{}",
            shown("simulation")
        );
    }
}
