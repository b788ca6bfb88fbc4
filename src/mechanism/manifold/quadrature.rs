//! Double-exponential quadrature: full precision for integrands with singular ends.

use std::f64::consts::FRAC_PI_2;

/// Half the number of nodes on each side of the middle.
const HALF: i32 = 40;
const STEP: f64 = 0.0775;

/// ∫ f over every interval between consecutive `breaks` (ascending), where f is smooth inside each. `f(x)`.
///
/// Tanh–sinh rule (Takahasi and Mori 1974) with 81 nodes an interval: about 14 digits for integrands that are analytic
/// inside, whatever they do at the ends.
pub(super) fn integrate(breaks: &[f64], mut f: impl FnMut(f64) -> f64) -> f64 {
    breaks.windows(2).map(|w| if w[1] > w[0] { interval(w[0], w[1], &mut f) } else { 0.0 }).sum()
}

fn interval(a: f64, b: f64, f: &mut impl FnMut(f64) -> f64) -> f64 {
    let half = 0.5 * (b - a);
    let mut sum = 0.0;
    for k in -HALF..=HALF {
        let s = f64::from(k) * STEP;
        let u = FRAC_PI_2 * s.sinh();
        // Distance from the nearer end, without cancellation: 1 − tanh|u| = 2/(e^{2|u|} + 1).
        let from_end = half * 2.0 / ((2.0 * u.abs()).exp() + 1.0);
        let x = if u < 0.0 { a + from_end } else { b - from_end };
        if x <= a || x >= b {
            continue;
        }
        let weight = FRAC_PI_2 * s.cosh() / u.cosh().powi(2);
        sum += weight * f(x);
    }
    sum * half * STEP
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smooth_and_singular_integrands() {
        let close = |a: f64, b: f64| assert!((a - b).abs() < 2e-14 * b.abs().max(1.0), "{a} {b}");
        close(integrate(&[0.0, 1.0], f64::exp), std::f64::consts::E - 1.0);
        close(integrate(&[0.0, 1.0], |x| x.sqrt()), 2.0 / 3.0);
        close(integrate(&[-1.0, 0.3, 1.0], |x| (1.0 - x * x).sqrt()), FRAC_PI_2);
        close(integrate(&[0.0, 1.0], |x| x.ln()), -1.0);
        assert_eq!(integrate(&[1.0, 1.0], |_| 1.0), 0.0);
    }
}
