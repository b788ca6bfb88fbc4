//! Gauss–Legendre quadrature.

use std::sync::OnceLock;

/// Nodes and weights of a panel of width 1 starting at 0.
const POINTS: usize = 8;

fn rule() -> &'static [(f64, f64); POINTS] {
    static RULE: OnceLock<[(f64, f64); POINTS]> = OnceLock::new();
    RULE.get_or_init(|| {
        std::array::from_fn(|i| {
            // Newton's method on the Legendre polynomial from Tricomi's first guess.
            let mut x = (std::f64::consts::PI * (i as f64 + 0.75) / (POINTS as f64 + 0.5)).cos();
            let mut slope = 1.0;
            for _ in 0..50 {
                let (mut before, mut value) = (1.0, x);
                for k in 2..=POINTS {
                    let k = k as f64;
                    (before, value) = (value, ((2.0 * k - 1.0) * x * value - (k - 1.0) * before) / k);
                }
                slope = POINTS as f64 * (x * value - before) / (x * x - 1.0);
                x -= value / slope;
            }
            (0.5 * (1.0 - x), 1.0 / ((1.0 - x * x) * slope * slope))
        })
    })
}

/// Nodes and weights for ∫₀^`end`, in panels no wider than `width`, in rising order.
#[doc(hidden)]
pub fn panels(end: f64, width: f64) -> impl Iterator<Item = (f64, f64)> {
    let count = (end / width).ceil().max(1.0);
    let width = end / count;
    (0..count as usize).flat_map(move |panel| {
        rule().iter().map(move |(x, weight)| (width * (panel as f64 + x), width * weight))
    })
}

/// The mean of f over [low, low + width], by eight points: exact to degree fifteen.
#[doc(hidden)]
pub fn eight_point_mean(low: f64, width: f64, f: impl Fn(f64) -> f64) -> f64 {
    rule().iter().map(|(x, weight)| weight * f(low + width * x)).sum()
}

/// The mean of f over an interval, by three points: exact to degree five, so that a piece errs by order width⁷.
#[doc(hidden)]
pub fn three_point_mean(middle: f64, width: f64, f: impl Fn(f64) -> f64) -> f64 {
    let offset = 0.5 * width * 0.6_f64.sqrt();
    (5.0 * (f(middle - offset) + f(middle + offset)) + 8.0 * f(middle)) / 18.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_up_to_degree_fifteen_are_exact() {
        for degree in 0..=15 {
            let sum: f64 = panels(2.0, 3.0).map(|(x, w)| w * x.powi(degree)).sum();
            let truth = 2f64.powi(degree + 1) / f64::from(degree + 1);
            assert!((sum / truth - 1.0).abs() < 1e-14, "degree {degree}: {sum}");
        }
        assert!((eight_point_mean(1.0, 1.0, |x| x.powi(15)) * 16.0 / 65535.0 - 1.0).abs() < 1e-14);
        let gaussian: f64 = panels(12.0, 0.5).map(|(x, w)| w * (-0.5 * x * x).exp()).sum();
        assert!((gaussian / (0.5 * std::f64::consts::PI).sqrt() - 1.0).abs() < 1e-14);
        assert!(panels(3.0, 0.5).map(|p| p.0).is_sorted());
    }

    #[test]
    fn three_points_are_exact_to_degree_five() {
        for degree in 0..=5 {
            let found = three_point_mean(1.5, 1.0, |x| x.powi(degree));
            let truth = (2f64.powi(degree + 1) - 1.0) / f64::from(degree + 1);
            assert!((found / truth - 1.0).abs() < 1e-14, "degree {degree}: {found}");
        }
        // ∫₁² x⁶ is missed by width⁷/2000 or so.
        let sixth = three_point_mean(1.5, 1.0, |x| x.powi(6)) / (127.0 / 7.0) - 1.0;
        assert!(sixth.abs() > 1e-6 && sixth.abs() < 1e-3, "{sixth:e}");
    }
}
