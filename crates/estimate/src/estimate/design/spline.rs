//! Bends: what a natural cubic spline has beside a straight line.

/// Points of [−1, 1] at which integrals and largest values are taken.
const GRID: usize = 1000;
/// How much larger than on the grid a value may be between its points: second derivatives are below 10⁴, so 10⁴ (10⁻³)²/2 at most.
const MARGIN: f64 = 5e-3;

/// The K − 1 functions on [−1, 1] that, with 1 and t, span the natural cubic splines with K + 1 equally spaced knots from −1 to 1:
/// orthogonal to 1, t and one another over the interval, the largest value of each 1. What one of them is fitted leaves the straight line
/// what it is.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Bends {
    knots: Vec<f64>,
    /// Each as a combination of 1, t and the truncated powers ([`raw`]).
    coefficients: Vec<Vec<f64>>,
    squares: Vec<f64>,
    largest_square: f64,
}

impl Bends {
    /// For a spline of `columns` K ≥ 2 columns.
    pub(super) fn new(columns: usize) -> Self {
        let knots: Vec<f64> = (0..=columns).map(|i| -1.0 + 2.0 * i as f64 / columns as f64).collect();
        let grid: Vec<Vec<f64>> =
            (0..GRID).map(|i| raw(&knots, -1.0 + (2 * i + 1) as f64 / GRID as f64)).collect();
        let value = |row: &[f64], c: &[f64]| row.iter().zip(c).map(|(x, c)| x * c).sum::<f64>();
        let mean_product = |a: &[f64], b: &[f64]| {
            grid.iter().map(|row| value(row, a) * value(row, b)).sum::<f64>() / GRID as f64
        };
        let unit = |j: usize| -> Vec<f64> { (0..columns + 1).map(|i| f64::from(u8::from(i == j))).collect() };
        let mut found: Vec<Vec<f64>> = vec![unit(0), unit(1)];
        for j in 2..=columns {
            let mut c = unit(j);
            // Twice is enough: what rounding leaves after the first is taken away by the second.
            for _ in 0..2 {
                for other in &found {
                    let share = mean_product(&c, other) / mean_product(other, other);
                    c.iter_mut().zip(other).for_each(|(c, o)| *c -= share * o);
                }
            }
            let ends = [-1.0, 1.0].map(|t| value(&raw(&knots, t), &c).abs());
            let largest = grid.iter().map(|row| value(row, &c).abs()).chain(ends).fold(0.0, f64::max);
            c.iter_mut().for_each(|c| *c /= largest);
            found.push(c);
        }
        let coefficients = found.split_off(2);
        let squares: Vec<f64> = coefficients.iter().map(|c| mean_product(c, c)).collect();
        let mut bends = Self { knots, coefficients, squares, largest_square: 0.0 };
        let square = |t: f64| t * t + bends.at(t).iter().map(|b| b * b).sum::<f64>();
        let places = (0..=GRID).map(|i| -1.0 + 2.0 * i as f64 / GRID as f64);
        let largest = places.map(square).fold(0.0, f64::max);
        bends.largest_square = largest * (1.0 + MARGIN);
        bends
    }

    /// Their values at t ∈ [−1, 1].
    pub(super) fn at(&self, t: f64) -> Vec<f64> {
        let row = raw(&self.knots, t);
        let value = |c: &Vec<f64>| row.iter().zip(c).map(|(x, c)| x * c).sum();
        self.coefficients.iter().map(value).collect()
    }

    /// The mean squares over the interval.
    pub(super) fn squares(&self) -> &[f64] {
        &self.squares
    }

    /// A bound on t² and all squares together.
    pub(super) fn largest_square(&self) -> f64 {
        self.largest_square
    }
}

/// 1, t and the truncated powers d_k − d_{K−1}, d_k = (t − ξ_k)₊³/(ξ_K − ξ_k), that are linear beyond the last knots (Hastie, Tibshirani
/// and Friedman 2009, (5.4)).
fn raw(knots: &[f64], t: f64) -> Vec<f64> {
    let last = knots.len() - 1;
    let d = |k: usize| (t - knots[k]).max(0.0).powi(3) / (knots[last] - knots[k]);
    let mut row = vec![1.0, t];
    row.extend((0..last - 1).map(|k| d(k) - d(last - 1)));
    row
}
