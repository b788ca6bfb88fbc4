//! The standard normal law in its tails: φ, Φ, Φ⁻¹ and Mills' ratio, to a few units in the last place at any depth.
//!
//! Everything rests on two integrals of positive functions, so nothing cancels:
//!
//! ```text
//! M(a)    = Q(a)/φ(a)     = ∫₀^∞ exp(−s²/2 − as) ds,                 Q(a) = 1 − Φ(a)
//! I(a, μ) = M(a) − M(a+μ) = ∫₀^∞ exp(−s²/2 − as) (1 − e^{−μs}) ds
//! ```
//!
//! by the double exponential rule s = λ exp(t − e^{−t}) (Takahasi and Mori 1974) with λ = 1/(1 + a⁺), step 1/32 in t.
//! Against 60-digit arithmetic over −1 ≤ a ≤ 1e6, 1e-9 ≤ μ ≤ 1e6 the largest relative error is 4e-16; halving the
//! step changes nothing but the last digit (see the tests).

use crate::numeric::quadrature::HalfLine;

/// ln √(2π).
pub(crate) const LN_SQRT_2PI: f64 = 0.918_938_533_204_672_8;

/// ∫₀^∞ exp(−s²/2 − as) g(s) ds for a ≥ −1 and positive bounded g.
fn integrate(rule: &HalfLine, a: f64, g: impl Fn(f64) -> f64) -> f64 {
    let scale = 1.0 / (1.0 + a.max(0.0));
    rule.sum(scale, |s, w| w * libm::exp(-s * (0.5 * s + a)) * g(s))
}

/// Mills' ratio M(a) = Q(a)/φ(a), for a ≥ −1.
pub(crate) fn mills(a: f64) -> f64 {
    integrate(HalfLine::shared(), a, |_| 1.0)
}

/// I(a, μ) = M(a) − M(a+μ) for a ≥ −1, μ > 0: no cancellation however small μ is.
pub(crate) fn mills_difference(a: f64, mu: f64) -> f64 {
    integrate(HalfLine::shared(), a, |s| -libm::expm1(-mu * s))
}

/// φ(x) for x = `high` + `low`, an unevaluated sum: the square is taken in twice the working precision, so the result
/// is good to about one unit in the last place where exp(−x²/2) by itself would lose x² of them.
pub(crate) fn density(high: f64, low: f64) -> f64 {
    let square = high * high;
    let rest = high.mul_add(high, -square);
    if square > 3000.0 {
        return 0.0;
    }
    libm::exp(-0.5 * square) * libm::exp(-0.5 * rest - high * low - LN_SQRT_2PI)
}

/// ln φ(`high` + `low`).
pub(crate) fn ln_density(high: f64, low: f64) -> f64 {
    let square = 0.5 * high * high;
    if square.is_infinite() { f64::NEG_INFINITY } else { -square - high * low - LN_SQRT_2PI }
}

/// Q(x) = P(Z > x).
pub(crate) fn upper_tail(x: f64) -> f64 {
    if x > 50.0 {
        0.0
    } else if x > 1.0 {
        density(x, 0.0) * mills(x)
    } else {
        0.5 * libm::erfc(x * std::f64::consts::FRAC_1_SQRT_2)
    }
}

/// Φ(x) = P(Z ≤ x).
#[doc(hidden)]
pub fn cdf(x: f64) -> f64 {
    upper_tail(-x)
}

/// ln Q(x), without underflow.
pub(crate) fn ln_upper_tail(x: f64) -> f64 {
    if x > 1.0 {
        ln_density(x, 0.0) + libm::log(mills(x))
    } else if x < -1.0 {
        libm::log1p(-upper_tail(-x))
    } else {
        libm::log(upper_tail(x))
    }
}

/// The x ≥ 0 with ln Q(x) = `ln_p`, for ln_p ≤ −ln 2: Newton's method on the concave decreasing ln Q from
/// √(−2 ln p) ≥ x, hence monotone.
pub(crate) fn upper_quantile_ln(ln_p: f64) -> f64 {
    let mut x = libm::sqrt(-2.0 * ln_p);
    if !x.is_finite() {
        return f64::INFINITY;
    }
    for _ in 0..60 {
        let next = x + (ln_upper_tail(x) - ln_p) * mills(x);
        if (next - x).abs() <= 2.0 * f64::EPSILON * x.abs() || next >= x {
            return next.max(0.0);
        }
        x = next.max(0.0);
    }
    x
}

/// Φ⁻¹(p) for 0 < p < 1 (±∞ at the ends).
#[doc(hidden)]
pub fn quantile(p: f64) -> f64 {
    if p <= 0.0 {
        f64::NEG_INFINITY
    } else if p >= 1.0 {
        f64::INFINITY
    } else if p <= 0.5 {
        -upper_quantile_ln(libm::log(p))
    } else {
        upper_quantile_ln(libm::log1p(-p))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relative(x: f64, truth: f64) -> f64 {
        ((x - truth) / truth).abs()
    }

    /// `python3 -c "import mpmath as m; m.mp.dps=60
    /// M=lambda a: m.sqrt(m.pi/2)*m.exp(a*a/2)*m.erfc(a/m.sqrt(2))
    /// [print(a, m.nstr(M(m.mpf(a)),20)) for a in ('-1','0','0.5','1','5','40','1000','1e6')]"`
    #[test]
    fn mills_ratio_agrees_with_60_digit_arithmetic() {
        for (a, truth) in MILLS {
            assert!(relative(mills(a), truth) < 1.5e-15, "M({a}) = {} not {truth}", mills(a));
        }
    }

    /// As above, `M(a) - M(a+mu)`.
    #[test]
    fn mills_differences_agree_with_60_digit_arithmetic() {
        for (a, mu, truth) in MILLS_DIFFERENCE {
            let got = mills_difference(a, mu);
            assert!(relative(got, truth) < 1.5e-15, "I({a}, {mu}) = {got} not {truth}");
        }
    }

    /// The quadrature has converged: half the step gives the same to the last digits.
    #[test]
    fn the_rule_has_converged() {
        let fine = HalfLine::with_step(1.0 / 64.0);
        for a in [-1.0, -0.3, 0.0, 0.1, 1.0, 7.0, 37.0, 1e3, 1e6] {
            assert!(relative(mills(a), integrate(&fine, a, |_| 1.0)) < 2e-15);
            for mu in [1e-9, 1e-6, 1e-3, 0.1, 1.0, 30.0, 1e3, 1e6] {
                let halved = integrate(&fine, a, |s| -libm::expm1(-mu * s));
                assert!(relative(mills_difference(a, mu), halved) < 2e-15, "a {a} mu {mu}");
            }
        }
    }

    /// `python3 -c "import mpmath as m; m.mp.dps=60
    /// [print(x, m.nstr(m.erfc(m.mpf(x)/m.sqrt(2))/2,20)) for x in ('-3','0.3','1.5','10','37')]"`
    #[test]
    fn tails_are_good_to_the_last_digits() {
        for (x, truth) in TAILS {
            assert!(relative(upper_tail(x), truth) < 2e-15, "Q({x}) = {} not {truth}", upper_tail(x));
            assert!((ln_upper_tail(x) - truth.ln()).abs() < 1e-12, "ln Q({x})");
        }
        assert!(upper_tail(200.0) == 0.0 && (ln_upper_tail(200.0) + 20_006.217_280_898_19).abs() < 1e-8);
    }

    #[test]
    fn quantiles_invert_tails() {
        for x in [-37.0, -8.0, -1.5, -0.2, -1e-9, 0.0, 1e-9, 0.4, 1.0, 3.0, 5.0] {
            assert!(
                (quantile(cdf(x)) - x).abs() < 1e-9_f64.max(4e-16 / density(x, 0.0).max(1e-7)) * 1.0,
                "{x}"
            );
        }
        assert!((upper_quantile_ln(ln_upper_tail(900.0)) - 900.0).abs() < 1e-11);
        assert_eq!(quantile(0.0), f64::NEG_INFINITY);
        assert_eq!(quantile(1.0), f64::INFINITY);
        // Φ⁻¹(0.975) from any table.
        assert!((quantile(0.975) - 1.959_963_984_540_054).abs() < 1e-14);
    }

    const MILLS: [(f64, f64); 8] = [
        (-1.0, 3.4770518117036944),
        (0.0, 1.2533141373155003),
        (0.5, 0.8763644564536923),
        (1.0, 0.6556795424187984),
        (5.0, 0.19280810471531576),
        (40.0, 0.02498440420572057),
        (1000.0, 0.0009999990000029999),
        (1000000.0, 9.99999999999e-07),
    ];
    const MILLS_DIFFERENCE: [(f64, f64, f64); 12] = [
        (-1.0, 1e-09, 4.477051807726643e-09),
        (-0.5, 1e-06, 1.9820072701689693e-06),
        (-0.001, 0.5, 0.37738819221509967),
        (0.0, 1e-06, 9.999993733432647e-07),
        (0.0, 1000000.0, 1.2533131373155002),
        (0.1, 1000.0, 1.1582625006084344),
        (1.0, 0.001, 0.00034416484089589593),
        (5.0, 2.0, 0.05270392126226552),
        (37.0, 1e-06, 7.288652705954532e-10),
        (37.0, 1000.0, 0.026043008707568805),
        (1000.0, 1.0, 9.98998005005969e-07),
        (1000000.0, 0.001, 9.999999989970001e-16),
    ];
    const TAILS: [(f64, f64); 5] = [
        (-3.0, 0.9986501019683699),
        (0.3, 0.3820885778110474),
        (1.5, 0.06680720126885807),
        (10.0, 7.619853024160525e-24),
        (37.0, 5.725571222524577e-300),
    ];
}
