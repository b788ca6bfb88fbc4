//! Closed curves in the plane, by their corners.

/// A closed curve of at least three corners and of positive length. The last corner is joined to the first.
#[derive(Debug, Clone)]
pub(super) struct Closed {
    points: Vec<[f64; 2]>,
    /// How far along the curve each corner is, from 0; and the whole length.
    along: Vec<f64>,
}

impl Closed {
    /// Through these corners; `None` for fewer than three, or all in one place.
    pub fn new(points: Vec<[f64; 2]>) -> Option<Self> {
        let mut along = vec![0.0];
        for (i, a) in points.iter().enumerate() {
            let b = points[(i + 1) % points.len()];
            along.push(along[i] + (b[0] - a[0]).hypot(b[1] - a[1]));
        }
        let length = *along.last()?;
        (points.len() >= 3 && length.is_finite() && length > 0.0).then_some(Self { points, along })
    }

    pub fn points(&self) -> &[[f64; 2]] {
        &self.points
    }

    pub fn length(&self) -> f64 {
        self.along.last().copied().unwrap_or_default()
    }

    /// How far along the curve each corner is, as a fraction of its length.
    pub fn fractions(&self) -> Vec<f64> {
        self.along[..self.points.len()].iter().map(|s| s / self.length()).collect()
    }

    /// The area within; negative where the curve runs clockwise.
    pub fn area(&self) -> f64 {
        let next = self.points.iter().cycle().skip(1);
        0.5 * self.points.iter().zip(next).map(|(a, b)| a[0] * b[1] - a[1] * b[0]).sum::<f64>()
    }

    /// The point at this fraction of the length from the first corner; whole turns count nothing.
    pub fn at(&self, fraction: f64) -> [f64; 2] {
        let s = fraction.rem_euclid(1.0) * self.length();
        let i = self.along.partition_point(|along| *along <= s).clamp(1, self.points.len()) - 1;
        let (a, b) = (self.points[i], self.points[(i + 1) % self.points.len()]);
        let piece = self.along[i + 1] - self.along[i];
        let t = if piece > 0.0 { (s - self.along[i]) / piece } else { 0.0 };
        [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])]
    }

    /// Points evenly along the curve, the first at this fraction.
    pub fn even(&self, n: usize, from: f64) -> Vec<[f64; 2]> {
        (0..n).map(|k| self.at(from + k as f64 / n as f64)).collect()
    }

    /// The curve through points evenly along it.
    pub fn resampled(&self, n: usize) -> Self {
        Self::new(self.even(n, 0.0)).unwrap_or_else(|| self.clone())
    }

    /// The curve without what is finer than this many rounds of the binomial filter along its corners leave, twice (Tukey's twicing): what the
    /// filter takes off where the curve bends is put back.
    pub fn smoothed(&self, rounds: usize) -> Option<Self> {
        let once = binomial(&self.points, rounds);
        let twice = binomial(&once, rounds);
        Self::new(once.iter().zip(&twice).map(|(a, b)| [2.0 * a[0] - b[0], 2.0 * a[1] - b[1]]).collect())
    }

    /// The point of the curve nearest to this one.
    pub fn nearest(&self, p: [f64; 2]) -> [f64; 2] {
        let foot = |(i, a): (usize, &[f64; 2])| {
            let b = self.points[(i + 1) % self.points.len()];
            let (d, to) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
            let square = d[0] * d[0] + d[1] * d[1];
            let t = if square > 0.0 { ((d[0] * to[0] + d[1] * to[1]) / square).clamp(0.0, 1.0) } else { 0.0 };
            let q = [a[0] + t * d[0], a[1] + t * d[1]];
            ((q[0] - p[0]).powi(2) + (q[1] - p[1]).powi(2), q)
        };
        let feet = self.points.iter().enumerate().map(foot);
        feet.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(p, |(_, q)| q)
    }

    /// The same curve the other way round.
    pub fn reversed(&self) -> Option<Self> {
        Self::new(self.points.iter().rev().copied().collect())
    }
}

/// Every point moved to the mean of itself and its neighbours (weights 1, 2, 1), this often.
fn binomial(points: &[[f64; 2]], rounds: usize) -> Vec<[f64; 2]> {
    let n = points.len();
    let mut points = points.to_vec();
    for _ in 0..rounds {
        let near = |i: usize, c: usize| {
            0.25 * points[(i + n - 1) % n][c] + 0.5 * points[i][c] + 0.25 * points[(i + 1) % n][c]
        };
        points = (0..n).map(|i| [near(i, 0), near(i, 1)]).collect();
    }
    points
}

/// The angle that turns one set of points onto another best, both centred or both directions.
pub(super) fn turn(onto: &[[f64; 2]], from: &[[f64; 2]]) -> f64 {
    let sum = |f: fn(&[f64; 2], &[f64; 2]) -> f64| onto.iter().zip(from).map(|(a, b)| f(a, b)).sum::<f64>();
    let (cos, sin) = (sum(|a, b| a[0] * b[0] + a[1] * b[1]), sum(|a, b| a[1] * b[0] - a[0] * b[1]));
    if cos == 0.0 && sin == 0.0 { 0.0 } else { sin.atan2(cos) }
}
