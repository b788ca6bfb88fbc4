//! Exact draws of a radius from a density known up to a factor: rejection from a piecewise constant envelope.

use crate::privacy::noise::PaidGenerator;

/// The ln-density of a radius t > 0, up to a constant, as a sum of two parts whose bounds on intervals are known.
pub(super) trait RadialDensity {
    /// A concave function of t; −∞ is allowed at the ends.
    fn concave(&self, t: f64) -> f64;
    /// The rest.
    fn rest(&self, _t: f64) -> f64 {
        0.0
    }
    /// An upper bound of the rest on [a, b].
    fn rest_bound(&self, _a: f64, _b: f64) -> f64 {
        0.0
    }
    /// A slope c with rest(t) ≤ rest(s) + c (t − s) for all t ≥ s far out; for infinite ranges.
    fn rest_slope(&self) -> f64 {
        0.0
    }
    /// Where the range ends; may be infinite.
    fn end(&self) -> f64;

    fn ln(&self, t: f64) -> f64 {
        self.concave(t) + self.rest(t)
    }
}

/// The density cannot be normalized: the noise is so wide that it has no law on this space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotNormalizable;

/// An envelope of the density.
///
/// Each cell [a, b] between knots has the upper bound (least of the two chords of the concave part continued from the
/// neighbouring cells) + (bound of the rest): rejection from it is exact, however coarse it is. Beyond the last knot of an
/// infinite range stands an exponential.
#[derive(Debug)]
pub(super) struct RadialLaw<D> {
    density: D,
    cells: Vec<Cell>,
    /// Cumulative envelope mass, relative to the largest cell bound; the tail last.
    cumulative: Vec<f64>,
    tail: Option<Tail>,
}

#[derive(Debug, Clone, Copy)]
struct Cell {
    low: f64,
    high: f64,
    bound: f64,
}

#[derive(Debug, Clone, Copy)]
struct Tail {
    start: f64,
    bound: f64,
    slope: f64,
}

impl<D: RadialDensity> RadialLaw<D> {
    /// `scale`: a guess of where the mass lies, only for speed.
    pub(super) fn new(density: D, scale: f64) -> Result<Self, NotNormalizable> {
        let mut knots = knots(&density, scale).ok_or(NotNormalizable)?;
        let envelope = tightened(&density, &mut knots)?;
        let mut sum = 0.0;
        let cumulative = envelope.masses().into_iter().map(|mass| {
            sum += mass;
            sum
        });
        let cumulative = cumulative.collect();
        Ok(Self { density, cells: envelope.cells, cumulative, tail: envelope.tail })
    }

    /// The density itself.
    pub(super) fn density(&self) -> &D {
        &self.density
    }

    /// The middle of the cell with the largest envelope: about where the mass is.
    pub(super) fn mode(&self) -> f64 {
        let best = self.cells.iter().max_by(|a, b| a.bound.total_cmp(&b.bound));
        best.map_or(0.0, |cell| 0.5 * (cell.low + cell.high))
    }

    /// One radius.
    pub(super) fn draw(&self, rng: &mut PaidGenerator<'_>) -> f64 {
        let total = self.cumulative.last().copied().unwrap_or(0.0);
        loop {
            let place = rng.uniform() * total;
            let i = self.cumulative.partition_point(|c| *c < place);
            let (t, bound) = match (self.cells.get(i), self.tail) {
                (Some(cell), _) => (cell.low + (cell.high - cell.low) * rng.uniform(), cell.bound),
                (None, Some(tail)) => {
                    let beyond = rng.exponential() / -tail.slope;
                    (tail.start + beyond, tail.bound + tail.slope * beyond)
                }
                // Rounding of the cumulative sum only.
                (None, None) => continue,
            };
            if -rng.exponential() < self.density.ln(t) - bound {
                return t;
            }
        }
    }
}

/// An envelope may lie this much (in ln) above the density in the middle of a cell.
const LOOSE: f64 = 1.5;
/// What lies this much below the top of the density does not matter, up to the number of cells.
const NEGLIGIBLE: f64 = 30.0;
/// Rounds of halving.
const ROUNDS: usize = 60;
/// Knots from which on no cell is halved.
const MOST_KNOTS: usize = 1 << 17;

/// Cells, what stands beyond them, and the largest bound.
struct Envelope {
    cells: Vec<Cell>,
    tail: Option<Tail>,
    peak: f64,
}

impl Envelope {
    fn new(density: &impl RadialDensity, knots: &mut Vec<f64>) -> Result<Self, NotNormalizable> {
        let tail = if density.end().is_infinite() { Some(tail(density, knots)?) } else { None };
        let values: Vec<f64> = knots.iter().map(|t| density.concave(*t)).collect();
        let cells: Vec<Cell> = (0..knots.len() - 1)
            .map(|i| {
                let (low, high) = (knots[i], knots[i + 1]);
                let bound = concave_bound(knots, &values, i) + density.rest_bound(low, high);
                Cell { low, high, bound }
            })
            .collect();
        let peak = cells.iter().map(|c| c.bound).fold(f64::NEG_INFINITY, f64::max);
        if peak.is_finite() { Ok(Self { cells, tail, peak }) } else { Err(NotNormalizable) }
    }

    /// Masses of the cells and, after them, of the tail; relative to the largest bound.
    fn masses(&self) -> Vec<f64> {
        let of_cell = |c: &Cell| (c.bound - self.peak).exp() * (c.high - c.low);
        let of_tail = |tail: &Tail| (tail.bound - self.peak).exp() / -tail.slope;
        self.cells.iter().map(of_cell).chain(self.tail.iter().map(of_tail)).collect()
    }
}

/// An envelope that is nowhere much above the density where it matters: cells that are [`LOOSE`] in their middle are halved unless
/// they lie [`NEGLIGIBLE`] below the top, and the tail begins farther out. How tight it becomes matters for speed only.
fn tightened(density: &impl RadialDensity, knots: &mut Vec<f64>) -> Result<Envelope, NotNormalizable> {
    let mut envelope = Envelope::new(density, knots)?;
    for _ in 0..ROUNDS {
        let middles: Vec<(f64, f64)> = envelope
            .cells
            .iter()
            .map(|c| 0.5 * (c.low + c.high))
            .map(|middle| (middle, density.ln(middle)))
            .collect();
        let top = middles.iter().map(|(_, ln)| *ln).fold(f64::NEG_INFINITY, f64::max);
        let is_loose = |bound: f64, ln: f64| bound > top - NEGLIGIBLE && bound - ln > LOOSE;
        let bounds = envelope.cells.iter().map(|c| c.bound);
        let before = knots.len();
        knots.extend(
            middles.iter().zip(bounds).filter(|((_, ln), b)| is_loose(*b, *ln)).map(|((t, _), _)| *t),
        );
        if let Some(Tail { start, bound, slope }) = envelope.tail {
            let farther = start - 1.0 / slope;
            knots.extend(is_loose(bound - 1.0, density.ln(farther)).then_some(farther));
        }
        knots.sort_by(f64::total_cmp);
        knots.dedup_by(|x, y| (*x - *y).abs() <= 1e-13 * x.abs());
        if knots.len() == before {
            break;
        }
        envelope = Envelope::new(density, knots)?;
        if knots.len() > MOST_KNOTS {
            break;
        }
    }
    Ok(envelope)
}

/// The exponential beyond the last knot; adds knots until chord and rest fall together.
fn tail(density: &impl RadialDensity, knots: &mut Vec<f64>) -> Result<Tail, NotNormalizable> {
    for _ in 0..200 {
        let last = knots.len() - 1;
        let (a, b) = (knots[last - 1], knots[last]);
        let slope = (density.concave(b) - density.concave(a)) / (b - a) + density.rest_slope();
        if slope < -1e-12 {
            return Ok(Tail { start: b, bound: density.ln(b), slope });
        }
        knots.push(2.0 * b);
    }
    Err(NotNormalizable)
}

/// Knots around the mode, closer where the density is large; the ends of a finite range included.
fn knots(density: &impl RadialDensity, scale: f64) -> Option<Vec<f64>> {
    let end = density.end();
    let far = if end.is_finite() {
        end
    } else {
        let mut far = 4.0 * scale;
        let mut steps = 0;
        while density.ln(far) > density.ln(0.5 * far) - 60.0 {
            far *= 1.5;
            steps += 1;
            if steps > 2000 || !far.is_finite() {
                return None;
            }
        }
        far
    };
    // The mode on a grid, then refined; only the envelope's tightness depends on it.
    let grid = 64;
    let at = |i: usize| far * (i as f64 + 0.5) / grid as f64;
    let best = (0..grid).max_by(|&i, &j| density.ln(at(i)).total_cmp(&density.ln(at(j))))?;
    let (mut a, mut b) = ((at(best) - far / grid as f64).max(0.0), (at(best) + far / grid as f64).min(far));
    for _ in 0..40 {
        let (x, y) = (a + (b - a) / 3.0, b - (b - a) / 3.0);
        if density.ln(x) < density.ln(y) { a = x } else { b = y }
    }
    let mode = 0.5 * (a + b);
    let top = density.ln(mode);
    let mut knots = vec![0.0, mode, far];
    for k in 1..36 {
        let floor = top - 0.045 * f64::from(k * k);
        for outside in [0.0, far] {
            if density.ln(outside) >= floor {
                continue;
            }
            let (mut inside, mut outside) = (mode, outside);
            for _ in 0..24 {
                let middle = 0.5 * (inside + outside);
                if density.ln(middle) >= floor { inside = middle } else { outside = middle }
            }
            knots.push(0.5 * (inside + outside));
        }
    }
    let outermost = knots.iter().copied().filter(|&t| t < far).fold(mode, f64::max);
    knots.extend(far_knots(density, top, outermost, far));
    knots.sort_by(f64::total_cmp);
    knots.dedup_by(|x, y| (*x - *y).abs() <= 1e-12 * far);
    (knots.len() >= 3).then_some(knots)
}

/// Knots from `start`, far below the top, to the end of the range. On each cell the density may change by a quarter of its depth
/// below the top at most, so that what the envelope has too much there stays far below the top as well.
fn far_knots(density: &impl RadialDensity, top: f64, start: f64, end: f64) -> Vec<f64> {
    let mut knots = Vec::new();
    let mut t = start;
    for _ in 0..400 {
        let allowed = (0.25 * (top - density.ln(t))).max(2.0);
        let change = |s: f64| {
            (density.concave(s) - density.concave(t)).abs() + (density.rest(s) - density.rest(t)).abs()
        };
        let mut step = end - t;
        while step > 1e-9 * end && change(t + step).partial_cmp(&allowed).is_none_or(|o| o.is_gt()) {
            step *= 0.5;
        }
        t += step;
        if t >= end * (1.0 - 1e-9) {
            break;
        }
        knots.push(t);
    }
    knots
}

/// The maximum over cell i of the lesser of the chords continued from its neighbours.
fn concave_bound(knots: &[f64], values: &[f64], i: usize) -> f64 {
    let chord = |j: usize| -> Option<(f64, f64)> {
        let (value, next) = (*values.get(j)?, *values.get(j + 1)?);
        let slope = (next - value) / (knots[j + 1] - knots[j]);
        (value.is_finite() && next.is_finite()).then_some((value - slope * knots[j], slope))
    };
    let (a, b) = (knots[i], knots[i + 1]);
    let line = |(offset, slope): (f64, f64), t: f64| offset + slope * t;
    let left = i.checked_sub(1).and_then(chord);
    let right = chord(i + 1);
    // A hair for rounding in the chords.
    let room = 1e-9;
    match (left, right) {
        (Some(l), Some(r)) => {
            let crossing = if l.1 == r.1 { a } else { (r.0 - l.0) / (l.1 - r.1) };
            [a, b, crossing.clamp(a, b)]
                .into_iter()
                .map(|t| line(l, t).min(line(r, t)))
                .fold(f64::NEG_INFINITY, f64::max)
                + room
        }
        (Some(l), None) => line(l, a).max(line(l, b)) + room,
        (None, Some(r)) => line(r, a).max(line(r, b)) + room,
        (None, None) => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::noise::NoiseSource;
    use crate::privacy::{Ledger, Mu, PrivacyLoss};
    use statrs::distribution::{ContinuousCDF, Gamma};

    struct GammaDensity(f64);
    impl RadialDensity for GammaDensity {
        fn concave(&self, t: f64) -> f64 {
            (self.0 - 1.0) * t.ln() - t
        }
        fn end(&self) -> f64 {
            f64::INFINITY
        }
    }

    struct Flat;
    impl RadialDensity for Flat {
        fn concave(&self, t: f64) -> f64 {
            0.0 * t
        }
        fn end(&self) -> f64 {
            f64::INFINITY
        }
    }

    /// Kolmogorov–Smirnov at level 1e-4 for each of four laws.
    #[test]
    fn gamma_radii_follow_their_law() {
        let loss = PrivacyLoss::Gaussian(Mu::new(1.0).unwrap());
        for shape in [1.0, 2.0, 10.0, 210.0] {
            let law = RadialLaw::new(GammaDensity(shape), shape).unwrap();
            let mut source = NoiseSource::seeded(5);
            let paid = Ledger::in_memory(None).charge("test", loss).unwrap();
            let mut rng = source.open(paid, loss).unwrap();
            let n = 20_000;
            let mut draws: Vec<f64> = (0..n).map(|_| law.draw(&mut rng)).collect();
            draws.sort_by(f64::total_cmp);
            let exact = Gamma::new(shape, 1.0).unwrap();
            let distance = draws
                .iter()
                .enumerate()
                .map(|(i, t)| (exact.cdf(*t) - (i as f64 + 0.5) / n as f64).abs())
                .fold(0.0, f64::max);
            assert!(distance < 2.23 / (n as f64).sqrt(), "{shape}: {distance}");
        }
    }

    /// An area that rises to the end of the range, under a density that falls steeply.
    struct Narrow {
        dim: f64,
        rate: f64,
    }
    impl RadialDensity for Narrow {
        fn concave(&self, t: f64) -> f64 {
            (self.dim - 1.0) * t.sin().max(0.0).ln()
        }
        fn rest(&self, t: f64) -> f64 {
            -self.rate * t
        }
        fn rest_bound(&self, a: f64, _b: f64) -> f64 {
            self.rest(a)
        }
        fn end(&self) -> f64 {
            1.5
        }
    }

    /// The envelope holds few times the mass of the density, however narrow it is: draws return.
    #[test]
    fn draws_from_narrow_densities_return() {
        let loss = PrivacyLoss::Gaussian(Mu::new(1.0).unwrap());
        for dim in [2.0, 10.0, 30.0, 97.0] {
            for rate in [1.0, 30.0, 300.0, 3e3, 3e4, 1e6] {
                let law = RadialLaw::new(Narrow { dim, rate }, dim / rate).unwrap();
                let mut source = NoiseSource::seeded(6);
                let paid = Ledger::in_memory(None).charge("test", loss).unwrap();
                let mut rng = source.open(paid, loss).unwrap();
                let n = 2000;
                let mean = (0..n).map(|_| law.draw(&mut rng)).sum::<f64>() / n as f64;
                // Narrow ones are Gamma(dim) laws: mean dim/rate, standard error √dim/rate/√n; five of them.
                if rate > 30.0 * dim {
                    let gamma = dim / rate;
                    let allowed = 5.0 * dim.sqrt() / rate / f64::sqrt(n as f64) + gamma * gamma * gamma * dim;
                    assert!((mean - gamma).abs() < allowed, "{dim} {rate}: {mean} against {gamma}");
                }
            }
        }
    }

    /// Like a volume that grows as sinh^{d−1}, under noise nearly too wide for it: the mass lies far out on a long flat stretch.
    struct NearlyTooWide {
        dim: f64,
        spare: f64,
    }
    impl RadialDensity for NearlyTooWide {
        fn concave(&self, t: f64) -> f64 {
            (self.dim - 1.0) * (t + (-(-2.0 * t).exp()).ln_1p())
        }
        fn rest(&self, t: f64) -> f64 {
            -(self.dim - 1.0) * (1.0 + self.spare) * t
        }
        fn rest_bound(&self, a: f64, _b: f64) -> f64 {
            self.rest(a)
        }
        fn rest_slope(&self) -> f64 {
            -(self.dim - 1.0) * (1.0 + self.spare)
        }
        fn end(&self) -> f64 {
            f64::INFINITY
        }
    }

    #[test]
    fn draws_from_nearly_too_wide_noise_return() {
        let loss = PrivacyLoss::Gaussian(Mu::new(1.0).unwrap());
        for dim in [3.0, 66.0] {
            for spare in [0.3, 0.03, 3e-3, 3e-4] {
                let law = RadialLaw::new(NearlyTooWide { dim, spare }, 1.0 / spare).unwrap();
                let mut source = NoiseSource::seeded(7);
                let paid = Ledger::in_memory(None).charge("test", loss).unwrap();
                let mut rng = source.open(paid, loss).unwrap();
                let n = 2000;
                let mean = (0..n).map(|_| law.draw(&mut rng)).sum::<f64>() / n as f64;
                // With x = e^{−2t} the density is that of a Beta((d−1)s/2, d) law, and E[t] = (ψ(a+b) − ψ(a))/2.
                let (a, b) = (0.5 * (dim - 1.0) * spare, dim);
                let digamma = statrs::function::gamma::digamma;
                let expected = 0.5 * (digamma(a + b) - digamma(a));
                let variance = 0.25 * (trigamma(a) - trigamma(a + b));
                let error = (variance / n as f64).sqrt();
                assert!((mean - expected).abs() < 5.0 * error, "{dim} {spare}: {mean} {expected} {error}");
            }
        }
    }

    /// ψ′, by recurrence and its asymptotic series.
    fn trigamma(x: f64) -> f64 {
        if x < 30.0 {
            return 1.0 / (x * x) + trigamma(x + 1.0);
        }
        1.0 / x + 0.5 / (x * x) + 1.0 / (6.0 * x.powi(3)) - 1.0 / (30.0 * x.powi(5))
    }

    #[test]
    fn what_cannot_be_normalized_is_refused() {
        assert!(RadialLaw::new(Flat, 1.0).is_err());
    }
}
