//! Rounding towards more loss.
//!
//! Every number this module hands out is a bound, so it may err to one side only. Each is computed with a relative
//! error below 2⁻⁴⁸ (3.6e-15; the derivations are at the functions, the measurements against 40-digit arithmetic in
//! their tests) and then moved by [`SLACK`] = 2⁻⁴³ (1.1e-13): at least thirty times the error, and still below the
//! 1e-12 to which the values agree with the references.

/// The relative distance a bound is moved towards more loss.
pub(crate) const SLACK: f64 = 1.0 / (1u64 << 43) as f64;

/// A non-negative `x` moved up by [`SLACK`] and one unit in the last place (which is what moves a subnormal).
pub(crate) fn up(x: f64) -> f64 {
    (x * (1.0 + SLACK)).next_up()
}

/// A positive `x` moved down by [`SLACK`], never below the smallest positive number.
pub(crate) fn down(x: f64) -> f64 {
    (x * (1.0 - SLACK)).max(f64::from_bits(1))
}

/// x + y, not below the true sum. One unit up: a correctly rounded sum is within half of one.
pub(crate) fn add_up(x: f64, y: f64) -> f64 {
    let sum = x + y;
    if exact_sum(x, y, sum) { sum } else { sum.next_up() }
}

/// x · y for non-negative factors, not below the true product.
pub(crate) fn mul_up(x: f64, y: f64) -> f64 {
    let product = x * y;
    // The fused product is the exact remainder unless something underflowed; then the step up covers it.
    if product == 0.0 && (x == 0.0 || y == 0.0) {
        0.0
    } else if product > 1e-280 && x.mul_add(y, -product) <= 0.0 {
        product
    } else {
        product.next_up()
    }
}

/// x / y for x ≥ 0, y > 0, not below the true quotient.
pub(crate) fn div_up(x: f64, y: f64) -> f64 {
    let quotient = x / y;
    if x == 0.0 {
        0.0
    } else if x > 1e-280 && quotient > 1e-280 && quotient.is_finite() && (-quotient).mul_add(y, x) <= 0.0 {
        quotient
    } else {
        quotient.next_up()
    }
}

/// √x for x ≥ 0, not below the true root.
pub(crate) fn sqrt_up(x: f64) -> f64 {
    let root = x.sqrt();
    if x == 0.0 || (x > 1e-280 && root.mul_add(root, -x) >= 0.0) { root } else { root.next_up() }
}

fn exact_sum(x: f64, y: f64, sum: f64) -> bool {
    // Knuth's two-sum: the rounding error of x + y, exactly.
    let y_part = sum - x;
    let error = (x - (sum - y_part)) + (y - y_part);
    error == 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;
    use num_rational::Ratio;
    use proptest::prelude::*;

    fn exact(x: f64) -> Ratio<BigInt> {
        Ratio::from_float(x).unwrap()
    }

    proptest! {
        /// Against exact rational arithmetic: never below the truth, never more than two units above.
        #[test]
        fn directed_operations_bound_the_exact_result(a in -200i32..200, b in -200i32..200, x in 1.0f64..2.0, y in 1.0f64..2.0) {
            let (x, y) = (x * 2f64.powi(a), y * 2f64.powi(b));
            let checks = [
                (exact(add_up(x, y)), exact(x) + exact(y)),
                (exact(mul_up(x, y)), exact(x) * exact(y)),
                (exact(div_up(x, y)), exact(x) / exact(y)),
                (exact(sqrt_up(x)) * exact(sqrt_up(x)), exact(x)),
            ];
            for (bound, truth) in checks {
                prop_assert!(bound >= truth);
                prop_assert!(bound <= &truth * exact(1.0 + 4.0 * f64::EPSILON));
            }
        }
    }

    #[test]
    fn exact_results_are_left_alone() {
        assert_eq!(add_up(0.5, 0.25), 0.75);
        assert_eq!(mul_up(3.0, 0.125), 0.375);
        assert_eq!(div_up(1.0, 4.0), 0.25);
        assert_eq!(sqrt_up(9.0), 3.0);
    }

    #[test]
    fn slack_moves_even_subnormals() {
        assert!(up(0.0) > 0.0);
        assert!(up(f64::from_bits(1)) > f64::from_bits(1));
        assert!(down(f64::from_bits(1)) > 0.0);
        assert!(down(1.0) < 1.0 && up(1.0) > 1.0);
    }
}
