//! Exact draws of a radius from a density known up to a factor: rejection from a piecewise constant envelope.

use crate::numeric::margins;
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
    match (left, right) {
        (Some(l), Some(r)) => {
            let crossing = if l.1 == r.1 { a } else { (r.0 - l.0) / (l.1 - r.1) };
            [a, b, crossing.clamp(a, b)]
                .into_iter()
                .map(|t| line(l, t).min(line(r, t)))
                .fold(f64::NEG_INFINITY, f64::max)
                + margins::ENVELOPE
        }
        (Some(l), None) => line(l, a).max(line(l, b)) + margins::ENVELOPE,
        (None, Some(r)) => line(r, a).max(line(r, b)) + margins::ENVELOPE,
        (None, None) => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests;
