//! Double-exponential quadrature: full precision for integrands with singular ends.

use std::f64::consts::FRAC_PI_2;
use std::sync::LazyLock;

/// Half the number of nodes on each side of the middle.
const HALF: i32 = 40;
const STEP: f64 = 0.0775;

/// ∫ f over every interval between consecutive `breaks` (ascending), where f is smooth inside each. `f(x)`.
///
/// Tanh–sinh rule (Takahasi and Mori 1974) with 81 nodes an interval: about 14 digits for integrands that are analytic
/// inside, whatever they do at the ends.
#[doc(hidden)]
pub fn integrate(breaks: &[f64], mut f: impl FnMut(f64) -> f64) -> f64 {
    breaks.windows(2).map(|w| if w[1] > w[0] { interval(w[0], w[1], &mut f) } else { 0.0 }).sum()
}

/// Distance from the nearer end, as a share of the interval's half, and weight of the nodes k = 0, 1, … from the middle outwards.
static NODES: LazyLock<[(f64, f64); HALF as usize + 1]> = LazyLock::new(|| {
    std::array::from_fn(|k| {
        let s = k as f64 * STEP;
        let u = FRAC_PI_2 * s.sinh();
        // 1 − tanh u = 2/(e^{2u} + 1), without cancellation.
        (2.0 / ((2.0 * u).exp() + 1.0), STEP * FRAC_PI_2 * s.cosh() / u.cosh().powi(2))
    })
});

fn interval(a: f64, b: f64, f: &mut impl FnMut(f64) -> f64) -> f64 {
    let half = 0.5 * (b - a);
    let mut sum = NODES[0].1 * f(a + half);
    for (from_end, weight) in &NODES[1..] {
        let (x, y) = (a + half * from_end, b - half * from_end);
        // Ends are left out: the integrand may be infinite there.
        if x > a {
            sum += weight * f(x);
        }
        if y < b {
            sum += weight * f(y);
        }
    }
    sum * half
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
