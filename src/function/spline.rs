//! Cubic splines in the radius of a disk, with the behaviour at the centre that smoothness across it demands.

/// How a Fourier coefficient of angular frequency q must behave at r = 0 for the function to be smooth there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Centre {
    /// q = 0: even in r.
    Even,
    /// q = 1: odd in r.
    Odd,
    /// q ≥ 2: value and slope vanish.
    Flat,
}

impl Centre {
    pub(super) fn of_frequency(q: usize) -> Self {
        match q {
            0 => Self::Even,
            1 => Self::Odd,
            _ => Self::Flat,
        }
    }
}

/// A twice differentiable cubic spline through values at the rings, free at the outer end, where it goes on as a
/// straight line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RadialSpline {
    knots: Vec<f64>,
    values: Vec<f64>,
    slopes: Vec<f64>,
}

impl RadialSpline {
    /// The spline through `values[j]` at `radii[j]` (ascending, positive, as many as values, at least one).
    pub(super) fn new(radii: &[f64], values: &[f64], centre: Centre) -> Self {
        let (knots, values) = match centre {
            Centre::Even => (radii.to_vec(), values.to_vec()),
            Centre::Odd | Centre::Flat => {
                let through_centre = |x: &[f64]| std::iter::once(0.0).chain(x.iter().copied()).collect();
                (through_centre(radii), through_centre(values))
            }
        };
        let slopes = slopes(&knots, &values, centre);
        Self { knots, values, slopes }
    }

    /// The value at radius r ≥ 0.
    pub(super) fn at(&self, r: f64) -> f64 {
        let (x, y, d) = (&self.knots, &self.values, &self.slopes);
        let last = x.len() - 1;
        if r >= x[last] {
            return y[last] + d[last] * (r - x[last]);
        }
        if r < x[0] {
            // Only an even spline starts off the centre: there it is the parabola that meets value and slope.
            return y[0] + 0.5 * d[0] * (r * r - x[0] * x[0]) / x[0];
        }
        let i = x.partition_point(|&k| k <= r) - 1;
        let h = x[i + 1] - x[i];
        let t = (r - x[i]) / h;
        let (s, rise) = (1.0 - t, y[i + 1] - y[i]);
        y[i] + t * rise + t * s * (s * (h * d[i] - rise) - t * (h * d[i + 1] - rise))
    }
}

/// Slopes at the knots that make the second derivative continuous: one tridiagonal system.
fn slopes(x: &[f64], y: &[f64], centre: Centre) -> Vec<f64> {
    let n = x.len();
    if n == 1 {
        return vec![0.0];
    }
    let h: Vec<f64> = x.windows(2).map(|p| p[1] - p[0]).collect();
    let secant: Vec<f64> = y.windows(2).zip(&h).map(|(p, h)| (p[1] - p[0]) / h).collect();
    let (mut lower, mut diagonal, mut upper, mut right) =
        (vec![0.0; n], vec![1.0; n], vec![0.0; n], vec![0.0; n]);
    match centre {
        // On [0, x_0] an even cubic is a + b r², so c″ = c′/r at x_0.
        Centre::Even => {
            (diagonal[0], upper[0], right[0]) = (4.0 / h[0] + 1.0 / x[0], 2.0 / h[0], 6.0 * secant[0] / h[0]);
        }
        // Odd: c″(0) = 0.
        Centre::Odd => (diagonal[0], upper[0], right[0]) = (2.0, 1.0, 3.0 * secant[0]),
        Centre::Flat => {}
    }
    for i in 1..n - 1 {
        (lower[i], upper[i]) = (1.0 / h[i - 1], 1.0 / h[i]);
        diagonal[i] = 2.0 * (lower[i] + upper[i]);
        right[i] = 3.0 * (secant[i - 1] * lower[i] + secant[i] * upper[i]);
    }
    (lower[n - 1], diagonal[n - 1], right[n - 1]) = (1.0, 2.0, 3.0 * secant[n - 2]);
    for i in 1..n {
        let factor = lower[i] / diagonal[i - 1];
        diagonal[i] -= factor * upper[i - 1];
        right[i] -= factor * right[i - 1];
    }
    let mut d = vec![0.0; n];
    for i in (0..n).rev() {
        let next = if i + 1 < n { upper[i] * d[i + 1] } else { 0.0 };
        d[i] = (right[i] - next) / diagonal[i];
    }
    d
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    fn rings(n: usize) -> Vec<f64> {
        (1..=n).map(|j| j as f64 / n as f64).collect()
    }

    #[test]
    fn it_goes_through_its_values_and_reproduces_smooth_functions() {
        for centre in [Centre::Even, Centre::Odd, Centre::Flat] {
            let f = |r: f64| match centre {
                Centre::Even => (1.3 * r * r).cos(),
                Centre::Odd => (1.7 * r).sin(),
                Centre::Flat => r * r * (0.3 + r),
            };
            let radii = rings(30);
            let values: Vec<f64> = radii.iter().map(|&r| f(r)).collect();
            let s = RadialSpline::new(&radii, &values, centre);
            for (r, v) in radii.iter().zip(&values) {
                assert_relative_eq!(s.at(*r), *v, epsilon = 1e-14);
            }
            for i in 0..170 {
                let r = i as f64 * 0.005;
                assert_relative_eq!(s.at(r), f(r), epsilon = 2e-5);
            }
        }
    }

    #[test]
    fn second_derivative_is_continuous_at_every_knot() {
        let radii = [0.1, 0.15, 0.4, 0.8];
        for centre in [Centre::Even, Centre::Odd, Centre::Flat] {
            let s = RadialSpline::new(&radii, &[1.0, -2.0, 0.5, 3.0], centre);
            let h = 1e-4;
            for r in radii {
                let left = (s.at(r) - 2.0 * s.at(r - h) + s.at(r - 2.0 * h)) / (h * h);
                let right = (s.at(r + 2.0 * h) - 2.0 * s.at(r + h) + s.at(r)) / (h * h);
                // The third derivative jumps, so the two one-sided estimates differ by O(h).
                assert!((left - right).abs() < 2e4 * h * 10.0, "{centre:?} at {r}: {left} {right}");
                let slope = (s.at(r + h) - s.at(r)) / h - (s.at(r) - s.at(r - h)) / h;
                assert!(slope.abs() < 1.0, "{slope}");
            }
        }
    }

    #[test]
    fn behaviour_at_the_centre_is_as_asked() {
        let (radii, values) = (rings(4), [1.0, 2.0, -1.0, 0.0]);
        let slope = |s: &RadialSpline| (s.at(1e-7) - s.at(0.0)) / 1e-7;
        let even = RadialSpline::new(&radii, &values, Centre::Even);
        assert!(slope(&even).abs() < 1e-4);
        let flat = RadialSpline::new(&radii, &values, Centre::Flat);
        assert!(flat.at(0.0) == 0.0 && slope(&flat).abs() < 1e-4);
        let odd = RadialSpline::new(&radii, &values, Centre::Odd);
        assert!(odd.at(0.0) == 0.0 && slope(&odd) > 1.0);
    }

    #[test]
    fn one_ring_is_enough() {
        assert_eq!(RadialSpline::new(&[0.5], &[2.0], Centre::Even).at(0.1), 2.0);
        assert_relative_eq!(RadialSpline::new(&[0.5], &[2.0], Centre::Odd).at(0.25), 1.0, epsilon = 1e-15);
        assert_eq!(RadialSpline::new(&[0.5], &[2.0], Centre::Flat).at(0.0), 0.0);
    }
}
