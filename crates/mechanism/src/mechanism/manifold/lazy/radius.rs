//! Radii with an exact law: a histogram above the density, and acceptance decided digit by digit.
//!
//! The density is f(t) = A(t) e^{−loss(t)}, A the area of the geodesic sphere. Every cell [a, b] has an integer height
//! H ≥ 2ᴷ e^{−c} sup f: ln f is concave on it, so its tangent at the middle bounds it, enclosed in integers. A cell is drawn with integer
//! weights, t uniform in it, and accepted iff V·H < 2ᴷ e^{−c} f(t) for a uniform V. Beyond the last cell of a concave ln f stands the
//! exponential f(R) e^{−s(t−R)} with 0 < s ≤ −(ln f)′(R); t = R − ln U/s has that law, and e^{−s(t−R)} is U. Doubles decide how the cells are
//! cut and which c is taken: matters of speed.

use super::area;
use super::loss::Loss;
use crate::manifold::TwoPointSpace;
use crate::numeric::enclosure::Interval;
use crate::numeric::enclosure::refine::{FIRST, decide, until_decided};
use crate::privacy::noise::digits::{Uniform, below_wide};
use num_bigint::{BigInt, BigUint};
use rand::Rng;

/// How far radii go, and what the loss is there.
pub(in crate::mechanism::manifold) enum Range<'a> {
    /// To the largest distance, with one loss.
    Whole(Loss),
    /// At least to this distance, with a loss for every [a, b]; nothing beyond matters.
    UpTo(f64, &'a dyn Fn(f64, f64) -> Loss),
}

/// [index, index + 1]·2^lg.
#[derive(Debug, Clone)]
struct Cell {
    index: u64,
    lg: i32,
    loss: Loss,
    /// H.
    height: BigUint,
    /// An integer below 2ᴷ e^{−c} f on all of the cell: V·H below it needs no further look.
    floor: BigUint,
    /// How much the envelope has too much here, about, in units of 2ᴷ: for cutting only.
    excess: f64,
}

/// What stands beyond the last cell.
#[derive(Debug, Clone)]
struct Tail {
    start: f64,
    slope: f64,
    loss: Loss,
    /// Its mass in units of 2^−K times the finest cell's width.
    mass: BigUint,
}

/// A law of radii.
#[derive(Debug, Clone)]
pub(in crate::mechanism::manifold) struct RadialHistogram {
    space: TwoPointSpace,
    /// c.
    top: f64,
    cells: Vec<Cell>,
    finest: i32,
    tail: Option<Tail>,
    /// Whether cells reach beyond the largest distance.
    checks_end: bool,
    cumulative: Vec<BigUint>,
}

/// The density cannot be normalized, or reaches farther than doubles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::mechanism::manifold) struct NoRadialLaw;

/// A radius whose digits are drawn as they are needed.
#[derive(Debug, Clone)]
pub(in crate::mechanism::manifold) struct Radius {
    place: Place,
    fraction: Uniform,
    /// The loss where it lies.
    pub(in crate::mechanism::manifold) loss: Loss,
}

#[derive(Debug, Clone, Copy)]
enum Place {
    /// (index + U)·2^lg.
    Cell { index: u64, lg: i32 },
    /// start − ln U/slope.
    Tail { start: f64, slope: f64 },
}

impl Radius {
    pub(in crate::mechanism::manifold) fn enclose<R: Rng + ?Sized>(
        &mut self,
        bits: u32,
        rng: &mut R,
    ) -> Option<Interval> {
        match self.place {
            Place::Cell { index, lg } => {
                let u = self.fraction.enclose(bits, rng);
                Some((&Interval::whole(index, bits) + &u).times_power_of_two(lg))
            }
            Place::Tail { start, slope } => {
                let beyond = self.fraction.enclose(bits, rng).ln()?.over(&Interval::of(slope, bits)?)?;
                Some(&Interval::of(start, bits)? - &beyond)
            }
        }
    }
}

/// K: heights resolve the density to 2⁻⁶⁴ of its top.
const RESOLUTION: u32 = 64;
/// Bits that hold the slopes of all scales.
const MANY: u32 = 900;
/// How far below the top, in ln, cells end and the tail begins.
const DEPTH: f64 = 8.0;
/// Cells are cut until the envelope has this share too much, about: one proposal in twenty is refused.
const LOOSE: f64 = 0.05;
/// Cells from which on none is cut.
const MOST_CELLS: usize = 2048;
/// Radii of hyperbolic spaces must keep their coordinates, of size eᵗ, within doubles.
const FARTHEST: f64 = 300.0;

impl RadialHistogram {
    /// `scale`: where the mass lies, about.
    pub(in crate::mechanism::manifold) fn new(
        space: TwoPointSpace,
        range: &Range<'_>,
        scale: f64,
    ) -> Result<Self, NoRadialLaw> {
        Self::with_depth(space, range, scale, DEPTH)
    }

    /// The same with cells that end where ln of the density is this much below its top.
    pub(super) fn with_depth(
        space: TwoPointSpace,
        range: &Range<'_>,
        scale: f64,
        depth: f64,
    ) -> Result<Self, NoRadialLaw> {
        let shape = Shape { space, range };
        let (mode, far) = shape.reach(scale, depth)?;
        let top = shape.roughly(mode, mode);
        if !top.is_finite() {
            return Err(NoRadialLaw);
        }
        // Eight to sixteen cells to begin with.
        let lg = libm::ilogb(far) - 3;
        let count = (far / libm::ldexp(1.0, lg)).ceil() as u64;
        let first = (0..count).filter_map(|index| shape.cell(index, lg, top));
        let mut cells: Vec<Cell> = first.collect();
        cut(&shape, &mut cells, top);
        cells.iter_mut().for_each(|cell| cell.floor = shape.floor(cell, top));
        let end = libm::ldexp(count as f64, lg);
        let finest = cells.iter().map(|cell| cell.lg).min().ok_or(NoRadialLaw)?;
        let tail = match range {
            Range::Whole(loss) if end < space.diameter() => Some(shape.tail(end, *loss, top, finest)?),
            _ => None,
        };
        let mut sum = BigUint::ZERO;
        let masses = cells.iter().map(|cell| &cell.height << (cell.lg - finest) as u32);
        let cumulative = masses.chain(tail.iter().map(|tail| tail.mass.clone())).map(|mass| {
            sum += mass;
            sum.clone()
        });
        let cumulative = cumulative.collect();
        Ok(Self {
            space,
            top,
            cells,
            finest,
            checks_end: tail.is_some() || end >= space.diameter(),
            tail,
            cumulative,
        })
    }

    /// Middles of the cells and their share of the envelope, about: to judge what a law costs.
    pub(in crate::mechanism::manifold) fn shares(&self) -> impl Iterator<Item = (f64, f64)> {
        let weight = |cell: &Cell| as_double(&cell.height, cell.lg - self.finest);
        let total: f64 = self.cells.iter().map(weight).sum();
        let middle = |cell: &Cell| libm::ldexp(cell.index as f64 + 0.5, cell.lg);
        self.cells.iter().map(move |cell| (middle(cell), weight(cell) / total))
    }

    /// The distance beyond which the law has fallen to e to the minus this, or less; the largest distance of closed spaces.
    pub(in crate::mechanism::manifold) fn all_but(&self, nats: f64) -> f64 {
        let far = self.tail.as_ref().map_or(f64::INFINITY, |tail| tail.start + nats / tail.slope);
        let farthest =
            if let TwoPointSpace::Hyperbolic { .. } = self.space { FARTHEST } else { f64::INFINITY };
        far.min(farthest).min(self.space.diameter())
    }

    /// Every cell against the ln-density, in doubles.
    #[cfg(test)]
    pub(super) fn check_heights(&self, points: u32, ln: impl Fn(f64) -> f64) {
        let scale = libm::ldexp(1.0, RESOLUTION as i32);
        for cell in &self.cells {
            for i in 0..points {
                let t = libm::ldexp(cell.index as f64 + (f64::from(i) + 0.5) / f64::from(points), cell.lg);
                let density = if t < self.space.diameter() { scale * (ln(t) - self.top).exp() } else { 0.0 };
                // Doubles are good to 1e-12 of a density, the integers to 1.
                assert!(density <= as_double(&cell.height, 0) * (1.0 + 1e-9) + 1.0, "{cell:?} {t}");
                let floor = as_double(&cell.floor, 0);
                assert!(floor <= density * (1.0 + 1e-9) + 1.0 && cell.floor < cell.height, "{cell:?} {t}");
            }
        }
    }

    #[cfg(test)]
    pub(super) fn tail_share(&self) -> f64 {
        let all = self.cumulative.last().map_or(1.0, |all| as_double(all, 0));
        self.tail.as_ref().map_or(0.0, |tail| as_double(&tail.mass, 0) / all)
    }

    /// One radius, and how many were proposed for it.
    pub(in crate::mechanism::manifold) fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> (Radius, u32) {
        let mut proposed = 0u32;
        loop {
            proposed = proposed.saturating_add(1);
            if let Some(radius) = self.attempt(rng) {
                return (radius, proposed);
            }
        }
    }

    fn attempt<R: Rng + ?Sized>(&self, rng: &mut R) -> Option<Radius> {
        let place = below_wide(self.cumulative.last()?, rng);
        let i = self.cumulative.partition_point(|sum| *sum <= place);
        let (fraction, mut v) = (Uniform::draw(rng), Uniform::draw(rng));
        let (place, loss) = match (self.cells.get(i), &self.tail) {
            (Some(cell), _) => (Place::Cell { index: cell.index, lg: cell.lg }, cell.loss),
            (None, tail) => {
                let tail = tail.as_ref()?;
                (Place::Tail { start: tail.start, slope: tail.slope }, tail.loss)
            }
        };
        if let Some(cell) = self.cells.get(i)
            && BigUint::from(u128::from(v.digit(0, rng)) + 1) * &cell.height <= &cell.floor << 64u32
        {
            return Some(Radius { place, fraction, loss });
        }
        let mut radius = Radius { place, fraction, loss };
        let beyond = |radius: &mut Radius, rng: &mut R| {
            !decide(|bits| Some(&area::end(self.space, bits)? - &radius.enclose(bits, rng)?))
        };
        if self.checks_end && self.space.diameter().is_finite() && beyond(&mut radius, rng) {
            return None;
        }
        let accepted = decide(|bits| {
            let t = radius.enclose(bits, rng)?;
            let density = density(self.space, &loss, &t, self.top, bits)?;
            let envelope = match (self.cells.get(i), &self.tail) {
                (Some(cell), _) => &v.enclose(bits, rng) * &Interval::whole(cell.height.clone(), bits),
                (None, tail) => {
                    let tail = tail.as_ref()?;
                    let height = &Interval::whole(tail.mass.clone(), bits).times_power_of_two(self.finest)
                        * &Interval::of(tail.slope, bits)?;
                    &(&v.enclose(bits, rng) * &radius.fraction.enclose(bits, rng)) * &height
                }
            };
            Some(&density.times_power_of_two(RESOLUTION as i32) - &envelope)
        });
        accepted.then_some(radius)
    }
}

/// e^{−c} f(t).
fn density(space: TwoPointSpace, loss: &Loss, t: &Interval, top: f64, bits: u32) -> Option<Interval> {
    let ln = &area::ln_area(space, t, bits)? - &loss.at(t, bits)?;
    (&ln - &Interval::of(top, bits)?).exp()
}

/// A double near x·2^exponent.
pub(super) fn as_double(x: &BigUint, exponent: i32) -> f64 {
    let shift = x.bits().saturating_sub(64);
    let leading = u64::try_from(x >> shift).unwrap_or(u64::MAX);
    libm::ldexp(leading as f64, exponent.saturating_add(i32::try_from(shift).unwrap_or(i32::MAX)))
}

/// Cuts the cells with the largest excess until there is little of it.
fn cut(shape: &Shape<'_>, cells: &mut Vec<Cell>, top: f64) {
    let mass = |cell: &Cell| as_double(&cell.height, cell.lg);
    while cells.len() < MOST_CELLS {
        let (total, excess) = cells.iter().fold((0.0, 0.0), |(m, e), cell| (m + mass(cell), e + cell.excess));
        if excess.is_finite() && excess <= LOOSE * total {
            break;
        }
        // All with more than half of an even share of what is too much; what overflows first.
        let limit = (0.5 * excess / cells.len() as f64).min(f64::MAX);
        let is_cut = |cell: &Cell| cell.excess > limit && cell.index < 1 << 50;
        if !cells.iter().any(is_cut) {
            break;
        }
        let halves = |cell: Cell| match is_cut(&cell) {
            true => [2 * cell.index, 2 * cell.index + 1].map(|i| shape.cell(i, cell.lg - 1, top)),
            false => [Some(cell), None],
        };
        *cells = std::mem::take(cells).into_iter().flat_map(halves).flatten().collect();
    }
}

/// The density while its envelope is made.
struct Shape<'a> {
    space: TwoPointSpace,
    range: &'a Range<'a>,
}

impl Shape<'_> {
    fn loss(&self, low: f64, high: f64) -> Loss {
        match self.range {
            Range::Whole(loss) => *loss,
            Range::UpTo(_, loss) => loss(low, high),
        }
    }

    /// ln f(t), with the loss of a cell at `near`, in doubles.
    fn roughly(&self, t: f64, near: f64) -> f64 {
        self.space.ln_area(t) - self.loss(near, near * (1.0 + 1e-9)).roughly(t)
    }

    /// About where the density is largest, and where cells end.
    fn reach(&self, scale: f64, depth: f64) -> Result<(f64, f64), NoRadialLaw> {
        let ln = |t: f64| self.roughly(t, t);
        let end = match self.range {
            Range::Whole(_) => self.space.diameter(),
            Range::UpTo(end, _) => *end,
        };
        let mut high = scale.min(end);
        let positive = high > 0.0 && high.is_finite();
        let mut steps = 0;
        while positive && high < end && ln(2.0 * high) > ln(high) {
            high *= 2.0;
            steps += 1;
            if steps > 1000 {
                return Err(NoRadialLaw);
            }
        }
        let (mut a, mut b) = (0.0, (2.0 * high).min(end));
        for _ in 0..60 {
            let (x, y) = (a + (b - a) / 3.0, b - (b - a) / 3.0);
            if ln(x) < ln(y) { a = x } else { b = y }
        }
        let mode = (0.5 * (a + b)).max(1e-3 * high);
        let mut far = (mode + 1e-3 * high).min(end);
        while far < end && ln(far) > ln(mode) - depth {
            far = (1.25 * far).min(end);
        }
        let hyperbolic = matches!(self.space, TwoPointSpace::Hyperbolic { .. });
        // Beyond the end nothing matters, but everything up to it does.
        let far = if matches!(self.range, Range::UpTo(..)) { end } else { far };
        let usable = positive && far.is_finite() && far > 0.0 && !(hyperbolic && far > FARTHEST);
        if usable { Ok((mode, far)) } else { Err(NoRadialLaw) }
    }

    /// The cell [index, index + 1]·2^lg; `None` if it lies beyond the range.
    fn cell(&self, index: u64, lg: i32, top: f64) -> Option<Cell> {
        let (low, width) = (libm::ldexp(index as f64, lg), libm::ldexp(1.0, lg));
        let (high, middle) = (low + width, low + 0.5 * width);
        let diameter = self.space.diameter();
        // Nothing lies beyond, and what reaches there is cut as if it were empty.
        let end = match self.range {
            Range::Whole(_) => diameter,
            Range::UpTo(end, _) => end.min(diameter),
        };
        if low >= end.next_up() {
            return None;
        }
        let loss = self.loss(low, high);
        // Tangents may touch anywhere inside the space.
        let at = if middle < diameter { middle } else { low };
        let height = until_decided(FIRST, |bits| {
            let t = Interval::of(at, bits)?;
            let ln = &area::ln_area(self.space, &t, bits)? - &loss.at(&t, bits)?;
            let slope = &area::slope(self.space, &t, bits)? - &loss.slope(&t, bits)?;
            let reach = if at == middle { 0.5 * width } else { width };
            let bound = &ln + &(&slope.magnitude() * &Interval::of(reach, bits)?);
            let height = (&bound - &Interval::of(top, bits)?).exp()?.ceiling(RESOLUTION);
            Some(height.max(BigInt::from(1u32)).magnitude().clone())
        });
        let value = if high > end { 0.0 } else { (self.space.ln_area(at) - loss.roughly(at) - top).exp() };
        let excess = (as_double(&height, 0) - libm::ldexp(value, RESOLUTION as i32)).max(0.0) * width;
        Some(Cell { index, lg, loss, height, floor: BigUint::ZERO, excess })
    }

    /// Below 2ᴷ e^{−c} f on the cell: the lesser of its ends, for ln f is concave.
    fn floor(&self, cell: &Cell, top: f64) -> BigUint {
        let (low, high) =
            (libm::ldexp(cell.index as f64, cell.lg), libm::ldexp(cell.index as f64 + 1.0, cell.lg));
        if low == 0.0 || high >= self.space.diameter() {
            return BigUint::ZERO;
        }
        let at = |t: f64| {
            let t = Interval::of(t, FIRST)?;
            Some(-(-&density(self.space, &cell.loss, &t, top, FIRST)?).ceiling(RESOLUTION))
        };
        let least = at(low).zip(at(high)).map(|(a, b)| a.min(b));
        least.and_then(|least| least.to_biguint()).unwrap_or(BigUint::ZERO)
    }

    /// The exponential beyond `start`.
    fn tail(&self, start: f64, loss: Loss, top: f64, finest: i32) -> Result<Tail, NoRadialLaw> {
        let fall = |bits: u32| {
            let t = Interval::of(start, bits)?;
            Some(&loss.slope(&t, bits)? - &area::slope(self.space, &t, bits)?)
        };
        // In doubles; a millionth less is surely below.
        let least = -(-&until_decided(MANY, fall)).ceiling(MANY);
        let rough = least.to_biguint().map_or(0.0, |least| as_double(&least, -(MANY as i32)));
        let slope = rough * (1.0 - 1e-6);
        let below = |bits: u32| Some(&fall(bits)? - &Interval::of(slope, bits)?);
        if !(slope > 0.0 && slope.is_finite() && decide(below)) {
            return Err(NoRadialLaw);
        }
        let mass = until_decided(FIRST, |bits| {
            let height = density(self.space, &loss, &Interval::of(start, bits)?, top, bits)?;
            let unit = &Interval::of(slope, bits)? * &Interval::of(libm::ldexp(1.0, finest), bits)?;
            Some(height.over(&unit)?.ceiling(RESOLUTION))
        });
        Ok(Tail { start, slope, loss, mass: mass.magnitude() + 1u32 })
    }
}
