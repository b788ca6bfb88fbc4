//! Small functions without cancellation.

/// sin t / t.
#[doc(hidden)]
pub fn sinc(t: f64) -> f64 {
    if t.abs() < 1e-4 { 1.0 - t * t / 6.0 } else { t.sin() / t }
}

/// sinh t / t.
#[doc(hidden)]
pub fn sinhc(t: f64) -> f64 {
    if t.abs() < 1e-4 { 1.0 + t * t / 6.0 } else { t.sinh() / t }
}

/// asinh x for x ≥ 0 whose square does not overflow: one logarithm and one root, where the standard library's takes a hypotenuse more.
#[doc(hidden)]
pub fn asinh(x: f64) -> f64 {
    let square = x * x;
    (x + square / (1.0 + (1.0 + square).sqrt())).ln_1p()
}

/// A positive number with its logarithm and root: what logarithmic means are made of.
#[derive(Debug, Clone, Copy)]
#[doc(hidden)]
pub struct Positive {
    value: f64,
    ln: f64,
    root: f64,
}

impl Positive {
    /// e^ln.
    #[doc(hidden)]
    pub fn of_ln(ln: f64) -> Self {
        Self { value: ln.exp(), ln, root: (0.5 * ln).exp() }
    }

    /// The logarithmic mean (a − b)/(ln a − ln b), which for near numbers is √(ab) sinh(t)/t with t = (ln a − ln b)/2.
    #[inline(always)]
    #[doc(hidden)]
    pub fn logarithmic_mean(self, other: Self) -> f64 {
        let t = 0.5 * (self.ln - other.ln);
        if t.abs() > 0.7 {
            return 0.5 * (self.value - other.value) / t;
        }
        // The series of sinh(t)/t to t¹⁴/15!, 2e-17 of the sum.
        const SERIES: [f64; 7] = [210.0, 156.0, 110.0, 72.0, 42.0, 20.0, 6.0];
        let square = t * t;
        let sum = SERIES.iter().fold(1.0, |sum, divisor| 1.0 + square / divisor * sum);
        self.root * other.root * sum
    }
}

/// Σ x_i y_i.
#[doc(hidden)]
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    // Four running sums: the compiler may not reorder a single one.
    let mut sums = [0.0; 4];
    let (xs, ys) = (x.chunks_exact(4), y.chunks_exact(4));
    let tail: f64 = xs.remainder().iter().zip(ys.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in xs.zip(ys) {
        for k in 0..4 {
            sums[k] += a[k] * b[k];
        }
    }
    sums[0] + sums[1] + sums[2] + sums[3] + tail
}

/// x + a y, in place of x.
#[doc(hidden)]
pub fn add_scaled(x: &mut [f64], a: f64, y: &[f64]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x += a * y);
}

/// ‖x‖, for vectors whose squares neither overflow nor vanish.
#[doc(hidden)]
pub fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// Whether every number is finite.
#[doc(hidden)]
pub fn all_finite(x: &[f64]) -> bool {
    x.iter().all(|x| x.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_hyperbolic_sines() {
        for k in 0..6000 {
            let x = 1e-300 * 1.23_f64.powi(k);
            if x < 1e150 {
                assert!((asinh(x) / x.asinh() - 1.0).abs() < 1e-15, "{x}");
            }
        }
        assert_eq!(asinh(0.0), 0.0);
        assert!(asinh(f64::NAN).is_nan());
    }

    /// Against √(ab) sinh(t)/t, which is exact to rounding everywhere but needs functions.
    #[test]
    fn logarithmic_means() {
        for center in [-30.0, -1.0, 0.0, 20.0] {
            for k in 0..4000 {
                let t = 1e-9 * 1.006_f64.powi(k);
                let (a, b) = (Positive::of_ln(center + t), Positive::of_ln(center - t));
                let expected = f64::exp(center) * if t < 1e-4 { 1.0 + t * t / 6.0 } else { t.sinh() / t };
                for found in [a.logarithmic_mean(b), b.logarithmic_mean(a)] {
                    // The rounding of center ± t counts in both.
                    let allowed = 1e-14 * (1.0 + center.abs());
                    assert!((found / expected - 1.0).abs() < allowed, "{center} {t}: {found} {expected}");
                }
            }
        }
        assert_eq!(Positive::of_ln(0.0).logarithmic_mean(Positive::of_ln(0.0)), 1.0);
    }
}
