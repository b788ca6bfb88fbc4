//! A smooth field on the disk through J × m polar samples: Fourier along the circles, splines across them.

use super::FaceCurves;
use super::circle::Fourier;

/// A vector field D → ℝ³ that takes given values on J circles of increasing radius.
///
/// Along a circle it is the trigonometric interpolant. Across circles every Fourier mode k is a natural cubic spline,
/// continued through the centre by the symmetry c_k(−r) = (−1)^k c_k(r) of smooth functions on the disk, so that the
/// field is continuous with its derivative at r = 0 too.
#[derive(Debug, Clone)]
pub struct DiskField {
    knots: Vec<f64>,
    /// `[coordinate][mode]`: values and second derivatives at the knots.
    modes: Vec<[Spline; 3]>,
}

#[derive(Debug, Clone)]
struct Spline {
    value: Vec<f64>,
    second: Vec<f64>,
}

impl DiskField {
    /// The field through `values` on circles of the given radii (positive, increasing, one per curve).
    pub fn new(radii: &[f64], values: &FaceCurves) -> Self {
        let knots: Vec<f64> = radii.iter().rev().map(|r| -r).chain(radii.iter().copied()).collect();
        let fourier = Fourier::new(values.samples());
        let coefficients: Vec<[Vec<f64>; 3]> = (0..values.curves())
            .map(|j| [0, 1, 2].map(|k| fourier.analyse(&values.coordinate(j, k))))
            .collect();
        let modes = (0..values.samples())
            .map(|i| {
                let sign = if Fourier::frequency(i).is_multiple_of(2) { 1.0 } else { -1.0 };
                [0, 1, 2].map(|k| {
                    let right = coefficients.iter().map(|c| c[k][i]);
                    let value: Vec<f64> = right.clone().rev().map(|c| sign * c).chain(right).collect();
                    let second = second_derivatives(&knots, &value);
                    Spline { value, second }
                })
            })
            .collect();
        Self { knots, modes }
    }

    /// The field at polar coordinates (r, θ); beyond the outermost circle it is continued linearly.
    pub fn evaluate(&self, r: f64, theta: f64) -> [f64; 3] {
        let last = self.knots.len() - 1;
        let right = self.knots.partition_point(|&x| x < r).clamp(1, last);
        let (x0, x1) = (self.knots[right - 1], self.knots[right]);
        let h = x1 - x0;
        let beyond = (r - self.knots[last]).max(0.0);
        let inside = r.min(self.knots[last]);
        let (a, b) = ((x1 - inside) / h, (inside - x0) / h);
        let m = self.modes.len();
        let mut out = [0.0; 3];
        for (i, mode) in self.modes.iter().enumerate() {
            let angle = Fourier::frequency(i) as f64 * theta;
            let wave = match i {
                0 => 1.0,
                i if 2 * Fourier::frequency(i) == m => angle.cos(),
                i if i % 2 == 1 => std::f64::consts::SQRT_2 * angle.cos(),
                _ => std::f64::consts::SQRT_2 * angle.sin(),
            };
            for (out, s) in out.iter_mut().zip(mode) {
                let (y0, y1, s0, s1) =
                    (s.value[right - 1], s.value[right], s.second[right - 1], s.second[right]);
                let value = a * y0 + b * y1 + ((a * a * a - a) * s0 + (b * b * b - b) * s1) * h * h / 6.0;
                let slope = (y1 - y0) / h + ((1.0 - 3.0 * a * a) * s0 + (3.0 * b * b - 1.0) * s1) * h / 6.0;
                *out += wave * (value + beyond * slope);
            }
        }
        out
    }
}

/// Second derivatives of the natural cubic spline (tridiagonal system).
fn second_derivatives(x: &[f64], y: &[f64]) -> Vec<f64> {
    let n = x.len();
    let mut second = vec![0.0; n];
    let mut upper = vec![0.0; n];
    for i in 1..n.saturating_sub(1) {
        let (left, right) = (x[i] - x[i - 1], x[i + 1] - x[i]);
        let slope = (y[i + 1] - y[i]) / right - (y[i] - y[i - 1]) / left;
        let pivot = 2.0 * (left + right) - left * upper[i - 1];
        upper[i] = right / pivot;
        second[i] = (6.0 * slope - left * second[i - 1]) / pivot;
    }
    for i in (1..n.saturating_sub(1)).rev() {
        second[i] -= upper[i] * second[i + 1];
    }
    second
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampled(radii: &[f64], m: usize, f: impl Fn(f64, f64) -> [f64; 3]) -> FaceCurves {
        let data = radii
            .iter()
            .flat_map(|&r| (0..m).map(move |l| (r, std::f64::consts::TAU * l as f64 / m as f64)))
            .flat_map(|(r, t)| f(r * t.cos(), r * t.sin()))
            .collect();
        FaceCurves::new(radii.len(), m, data).unwrap()
    }

    #[test]
    fn interpolates_and_reproduces_smooth_functions_between() {
        let radii: Vec<f64> = (1..=20).map(|j| j as f64 / 20.0).collect();
        let f = |x: f64, y: f64| [1.0 + 2.0 * x - y, x * x - 0.5 * y, (2.0 * x).sin() * y];
        let field = DiskField::new(&radii, &sampled(&radii, 24, f));
        for (r, theta) in
            [(0.05, 0.0), (0.5, 1.0), (1.0, 2.0), (0.0, 0.3), (0.01, 4.0), (0.33, 5.0), (0.777, 6.0)]
        {
            let expected = f(f64::cos(theta) * r, f64::sin(theta) * r);
            for (a, b) in field.evaluate(r, theta).iter().zip(expected) {
                assert!((a - b).abs() < 2e-3, "r {r} θ {theta}: {a} against {b}");
            }
        }
    }

    #[test]
    fn smooth_through_the_centre() {
        let radii: Vec<f64> = (1..=8).map(|j| j as f64 / 8.0).collect();
        let field = DiskField::new(&radii, &sampled(&radii, 16, |x, y| [x * y + x, y.exp(), x.cos()]));
        let (a, b) = (field.evaluate(1e-9, 0.7), field.evaluate(1e-9, 0.7 + std::f64::consts::PI));
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-7));
    }
}
