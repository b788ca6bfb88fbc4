//! ε of DP-RSVRG against epochs (Figure 2): what the division of noise, the accounting and the bound of corrections do.

use crate::optimize::accounting::wbk_curve;
use crate::optimize::{Correction, Method, NoiseSplit, Plan, PlanError, Sampling};
use crate::privacy::{ClipRadius, ClipSource, Delta, Mu, RenyiCurve};
use rayon::prelude::*;
use serde::Serialize;

/// The paper's example: n, steps in an epoch, C₀, C₁.
pub const RECORDS: usize = 100_000;
/// Corrected steps in an epoch.
pub const INNER: u32 = 10_000;
/// Clip radius of full gradients.
pub const FULL_CLIP: f64 = 0.1;
/// Clip radius of corrections.
pub const CORRECTION_CLIP: f64 = 0.01;

/// One point of a curve.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EpsilonRow {
    /// By which theorem, and how often the anchor is charged.
    pub accounting: &'static str,
    /// `half`, or `optimized` over α.
    pub split: &'static str,
    /// √(σ₁² + σ₂²).
    pub sigma: f64,
    /// S.
    pub epochs: u32,
    /// δ.
    pub delta: f64,
    /// α = σ₁²/σ².
    pub alpha: f64,
    /// ε.
    pub epsilon: f64,
}

/// The schemes compared: name, whether the anchor is charged at every step (as in the paper), sampling, share of one record.
const SCHEMES: [(&str, bool, Bound); 4] = [
    ("subsampled bound of Wang et al. 2019; anchor charged every step", true, Bound::Literature),
    ("subsampled bound of Wang et al. 2019; anchor charged once", false, Bound::Literature),
    ("privacy profile; without replacement; anchor charged once", false, Bound::Profile),
    ("worst pair; Poisson; anchor charged once", false, Bound::Poisson),
];

#[derive(Clone, Copy, PartialEq)]
enum Bound {
    Literature,
    Profile,
    Poisson,
}

/// ε against epochs at the paper's setting, δ = 1e-6. `quick`: three numbers of epochs and a coarser α.
///
/// # Errors
/// [`PlanError`], which would be an error in this program.
pub fn epsilon_against_epochs(quick: bool) -> Result<Vec<EpsilonRow>, PlanError> {
    let delta = Delta::new(1e-6)?;
    let all_epochs: &[u32] = if quick { &[1, 10, 100] } else { &[1, 5, 10, 25, 50, 100] };
    let shares = if quick { 12 } else { 24 };
    let mut rows = Vec::new();
    for (name, every_step, bound) in SCHEMES {
        for sigma in [0.1, 0.05] {
            // The correction's curve depends on α only: one table for all epochs.
            let shares: Vec<f64> = (0..=shares)
                .map(|i| 10f64.powf(-4.0 + 4.0 * f64::from(i) / f64::from(shares)).min(0.999))
                .chain([0.5])
                .collect();
            let table: Vec<(f64, RenyiCurve)> = shares
                .into_par_iter()
                .map(|alpha| (alpha, correction_curve(bound, (1.0 - alpha).sqrt() * sigma)))
                .collect();
            for &epochs in all_epochs {
                let at = |alpha: f64, curve: &RenyiCurve| -> f64 {
                    let charges = f64::from(epochs) * if every_step { f64::from(INNER) } else { 1.0 };
                    let mu = charges.sqrt() * 2.0 * FULL_CLIP / (RECORDS as f64 * alpha.sqrt() * sigma);
                    let Ok(mu) = Mu::new(mu) else { return f64::INFINITY };
                    let all = curve.times(INNER * epochs).plus(&RenyiCurve::of_gaussian(mu));
                    all.epsilon_at(delta).map_or(f64::INFINITY, |e| e.get())
                };
                let mut push = |split, alpha, epsilon| {
                    let delta = delta.get();
                    rows.push(EpsilonRow { accounting: name, split, sigma, epochs, delta, alpha, epsilon });
                };
                if let Some((alpha, curve)) = table.last() {
                    push("half", *alpha, at(*alpha, curve));
                }
                let best = table.iter().map(|(alpha, curve)| (*alpha, at(*alpha, curve)));
                if let Some((alpha, epsilon)) = best.reduce(|a, b| if b.1 < a.1 { b } else { a }) {
                    push("optimized", alpha, epsilon);
                }
            }
        }
    }
    Ok(rows)
}

/// The curve of one correction of the paper's example: batches of one record, both gradients clipped to C₁.
fn correction_curve(bound: Bound, sigma: f64) -> RenyiCurve {
    let share = Correction::Separate(CORRECTION_CLIP).reach(0.0);
    match bound {
        Bound::Literature => wbk_curve(1.0 / RECORDS as f64, 2.0 * share / sigma),
        Bound::Profile => Sampling::WithoutReplacement { batch: 1 }.renyi_curve(RECORDS, sigma / share),
        Bound::Poisson => Sampling::Poisson { batch: 1 }.renyi_curve(RECORDS, sigma / share),
    }
}

/// The noise a budget asks for, by method: σ of a full gradient, of a batch gradient, of anchor and correction.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NoiseRow {
    /// ε.
    pub epsilon: f64,
    /// The method.
    pub method: &'static str,
    /// σ on gradients (or anchors), for C = 1.
    pub gradient_sigma: f64,
    /// σ on corrections at the distance C from the anchor.
    pub correction_sigma: f64,
}

/// Noise by method at n records and equal numbers of gradient calls (ten passes), batches of `batch`.
///
/// # Errors
/// [`PlanError`].
pub fn noise_by_method(n: usize, batch: usize, delta: f64) -> Result<Vec<NoiseRow>, PlanError> {
    let clip = ClipRadius::new(1.0, ClipSource::Public)?;
    let passes = |k: usize| u32::try_from((k * n).div_ceil(batch)).map_err(|_| PlanError::TooManySteps);
    let sampling = Sampling::Poisson { batch };
    let methods = [
        Method::GradientDescent { steps: 10 },
        Method::Stochastic { steps: passes(10)?, sampling },
        Method::VarianceReduced {
            epochs: 5,
            inner: (passes(1)? / 2).max(1),
            restarts: 1,
            sampling,
            correction: Correction::Lipschitz { constant: 1.0, cap: 1.0 },
            split: NoiseSplit::Optimized { weight: 0.05 },
        },
    ];
    let mut rows = Vec::new();
    for epsilon in [0.1, 0.3, 0.5, 1.0] {
        let budget = crate::privacy::PrivacyLoss::requested(None, Some(epsilon), Some(delta))?;
        for method in methods {
            let plan = Plan::calibrate(method, n, clip, budget)?;
            rows.push(NoiseRow {
                epsilon,
                method: method.name(),
                gradient_sigma: plan.gradient_sigma(),
                correction_sigma: plan.correction_sigma(1.0),
            });
        }
    }
    Ok(rows)
}
