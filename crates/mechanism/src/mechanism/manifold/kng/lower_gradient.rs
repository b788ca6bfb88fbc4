//! A lower bound of the Fréchet objective's gradient norm in the distance from the mean, for positive curvature.

use crate::numeric::margins;
use crate::numeric::quadrature::three_point_mean;

/// g(t) = ∫₀ᵗ (1/n) Σ h(d_i + u) du between equally spaced knots. h falls, so g is concave and its chords bound it from below:
/// every bound made from g holds for the interpolant, which is as concave.
#[derive(Debug, Clone, Default)]
pub(super) struct LowerGradient {
    step: f64,
    values: Vec<f64>,
}

const KNOTS: usize = 512;

impl LowerGradient {
    /// `distances`: (upper end, share) of bins; up to t = `end`.
    pub(super) fn new(distances: &[(f64, f64)], root: f64, end: f64) -> Self {
        let step = end / KNOTS as f64;
        let mean = |u: f64| distances.iter().map(|(d, share)| share * hessian(root * (d + u))).sum::<f64>();
        let mut values = vec![0.0];
        for i in 0..KNOTS {
            let piece = three_point_mean(step * (i as f64 + 0.5), step, mean);
            values.push(values[i] + step * piece * (1.0 - margins::KNG_PIECE));
        }
        Self { step, values }
    }

    /// g(t), 0 ≤ t ≤ end.
    pub(super) fn at(&self, t: f64) -> f64 {
        let place = (t / self.step).clamp(0.0, KNOTS as f64);
        let i = (place as usize).min(KNOTS - 1);
        self.values[i] + (place - i as f64) * (self.values[i + 1] - self.values[i])
    }
}

/// u cot u, 1 at 0.
fn hessian(u: f64) -> f64 {
    if u < 1e-4 { 1.0 - u * u / 3.0 } else { u / u.tan() }
}

/// Distances in 32 bins: (upper end, share). h falls, so this bounds g from below.
pub(super) fn binned(mut distances: Vec<f64>) -> Vec<(f64, f64)> {
    distances.sort_by(f64::total_cmp);
    let each = distances.len().div_ceil(32).max(1);
    let total = distances.len() as f64;
    distances.chunks(each).map(|bin| (bin.last().copied().unwrap_or(0.0), bin.len() as f64 / total)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With all records at the mean, g(t) = ∫ u√κ cot(u√κ) du; against ten thousand trapezes.
    #[test]
    fn the_interpolant_is_below_the_integral_concave_and_near() {
        let root = 2.0;
        let g = LowerGradient::new(&binned(vec![0.0; 5]), root, 0.5);
        let (mut exact, steps) = (0.0, 10_000);
        let mut last = f64::INFINITY;
        for i in 0..steps {
            let (a, b) = (0.5 * f64::from(i) / f64::from(steps), 0.5 * f64::from(i + 1) / f64::from(steps));
            exact += 0.5 * (b - a) * (hessian(root * a) + hessian(root * b));
            assert!(g.at(b) <= exact + 1e-9 && g.at(b) > exact - 1e-6, "{b}");
            let slope = (g.at(b) - g.at(a)) / (b - a);
            assert!(slope <= last + 1e-9 && slope > 0.0);
            last = slope;
        }
    }
}
