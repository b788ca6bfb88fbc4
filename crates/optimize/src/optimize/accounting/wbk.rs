//! The bounds of the literature, beside which ours is shown.

use crate::numeric::margins;
use crate::privacy::RenyiCurve;

/// Sampling without replacement at rate γ, base mechanism Gaussian with sensitivity/σ = `shift` under replacement of a
/// record: Wang, Balle and Kasiviswanathan 2019, Theorem 9, which holds at integer orders α ≥ 2 only:
///
/// ```text
/// ε′(α) ≤ 1/(α−1) ln(1 + γ² C(α,2) min{4(e^{ε(2)} − 1), 2e^{ε(2)}} + Σ_{j≥3} 2 γʲ C(α,j) e^{(j−1)ε(j)}),  ε(j) = j·shift²/2
/// ```
pub fn wang_balle_kasiviswanathan(order: u32, rate: f64, shift: f64) -> Option<f64> {
    if order < 2 || !(rate > 0.0 && rate <= 1.0) {
        return None;
    }
    let square = shift * shift;
    let second = (2.0f64.ln() + square).min(4.0f64.ln() + square.exp_m1().ln());
    let mut ln_binomial = (f64::from(order) * f64::from(order - 1) / 2.0).ln();
    let mut terms = vec![2.0 * rate.ln() + ln_binomial + second];
    for j in 3..=order {
        ln_binomial += (f64::from(order - j + 1) / f64::from(j)).ln();
        let j = f64::from(j);
        terms.push(j * rate.ln() + ln_binomial + 2.0f64.ln() + 0.5 * (j - 1.0) * j * square);
    }
    let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum = largest + terms.iter().map(|t| (t - largest).exp()).sum::<f64>().ln();
    let ln_one_plus = if sum > 0.0 { sum + (-sum).exp().ln_1p() } else { sum.exp().ln_1p() };
    Some(ln_one_plus / f64::from(order - 1) * (1.0 + margins::RENYI))
}

/// The same as a curve: infinite at orders the theorem does not cover (and above 4096, where the sum grows long).
pub fn wbk_curve(rate: f64, shift: f64) -> RenyiCurve {
    RenyiCurve::from_fn(|order| {
        if order.fract() != 0.0 || order > 4096.0 {
            return f64::INFINITY;
        }
        wang_balle_kasiviswanathan(order as u32, rate, shift).unwrap_or(f64::INFINITY)
    })
}
