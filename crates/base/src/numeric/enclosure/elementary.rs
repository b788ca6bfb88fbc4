//! exp, ln, sin, cos and their constants: Taylor series in integers, after the argument was made small, with every rounding counted.
//!
//! A series is summed at `GUARD` bits more than are wanted. Each of its terms is a product and a quotient of integers, rounded down, and
//! comes out at most 3 units off; the terms behind the last one that is not 0 sum to at most 8 units. [`slack`] counts them.

use super::{Interval, divide_down, divide_up, shift_down, shift_up};
use num_bigint::{BigInt, Sign};
use std::sync::LazyLock;

/// Bits beyond those wanted: series of up to a million terms.
const GUARD: u32 = 32;

/// Exponentials above 2^this are not formed.
const LARGEST_EXPONENT: i64 = 1 << 20;

/// Constants are kept to this many bits.
const KEPT: u32 = 1100;

static PI: LazyLock<BigInt> = LazyLock::new(|| pi_to(KEPT));
static LN_2: LazyLock<BigInt> = LazyLock::new(|| ln_2_to(KEPT));

/// How far off, in units of the last place, a series of `terms` terms may be.
fn slack(terms: u32) -> BigInt {
    BigInt::from(3 * u64::from(terms) + 16)
}

/// Σ_j (±1)ʲ/((2j + 1) q^{2j+1}) to `bits` bits: artanh(1/q), or arctan(1/q) with alternating signs; at most 2(j + 2) off.
fn inverse_series(q: u32, alternating: bool, bits: u32) -> BigInt {
    let mut power = (BigInt::from(1u32) << bits) / q;
    let (square, mut sum, mut j) = (u64::from(q) * u64::from(q), BigInt::ZERO, 0u64);
    while power.sign() != Sign::NoSign {
        let term = &power / (2 * j + 1);
        if alternating && j % 2 == 1 {
            sum -= term
        } else {
            sum += term
        }
        power /= square;
        j += 1;
    }
    sum
}

/// 2^bits π, within 1: Machin's formula, 16 arctan(1/5) − 4 arctan(1/239), with 32 bits more (some 20·bits units off at most).
fn pi_to(bits: u32) -> BigInt {
    let w = bits + GUARD;
    (inverse_series(5, true, w) * 16u32 - inverse_series(239, true, w) * 4u32) >> GUARD
}

/// 2^bits ln 2, within 1: 2 artanh(1/3).
fn ln_2_to(bits: u32) -> BigInt {
    (inverse_series(3, false, bits + GUARD) * 2u32) >> GUARD
}

/// Within 2 of 2^bits times the constant.
fn constant(kept: &BigInt, direct: fn(u32) -> BigInt, bits: u32) -> BigInt {
    if bits <= KEPT { kept >> (KEPT - bits) } else { direct(bits) }
}

fn pi(bits: u32) -> BigInt {
    constant(&PI, pi_to, bits)
}

fn ln_2(bits: u32) -> BigInt {
    constant(&LN_2, ln_2_to, bits)
}

/// The integer nearest to a/b, b > 0.
fn ratio(a: &BigInt, b: &BigInt) -> BigInt {
    divide_down(&((a << 1u32) + b), &(b << 1u32))
}

impl Interval {
    /// π.
    #[doc(hidden)]
    pub fn pi(bits: u32) -> Self {
        let pi = pi(bits);
        Self::between(&pi - 2u32, pi + 2u32, bits)
    }

    /// The middle, and how far the ends are from it at most.
    fn middle(&self) -> (BigInt, BigInt) {
        let middle: BigInt = (&self.low + &self.high) >> 1u32;
        let reach = &self.high - &middle;
        (middle, reach)
    }

    fn widened(self, by: &BigInt) -> Self {
        Self::between(self.low - by, self.high + by, self.bits)
    }

    /// A sum at `w` bits that is at most `slack` units off, times 2^k, to `bits` bits.
    fn of_sum(sum: &BigInt, slack: &BigInt, w: i64, k: i64, bits: u32) -> Self {
        let by = i64::from(bits) - w + k;
        Self::between(shift_down(&(sum - slack), by), shift_up(&(sum + slack), by), bits)
    }

    /// eˣ; `None` beyond e^700000.
    #[doc(hidden)]
    pub fn exp(&self) -> Option<Self> {
        let (middle, reach) = self.middle();
        let at = exp_at(&middle, self.bits)?;
        if reach.sign() == Sign::NoSign {
            return Some(at);
        }
        let one = BigInt::from(1u32) << self.bits;
        if reach > one {
            let (low, high) = (exp_at(&self.low, self.bits)?, exp_at(&self.high, self.bits)?);
            return Some(Self::between(low.low, high.high, self.bits));
        }
        // e^{−h} ≥ 1 − h, and e^h ≤ 1 + 2h for h ≤ 1.
        let low = shift_down(&(&at.low * (&one - &reach)), -i64::from(self.bits));
        let high = shift_up(&(&at.high * (&one + (&reach << 1u32))), -i64::from(self.bits));
        Some(Self::between(low, high, self.bits))
    }

    /// ln x; `None` where x may not be positive.
    #[doc(hidden)]
    pub fn ln(&self) -> Option<Self> {
        if !self.is_positive() {
            return None;
        }
        let (middle, reach) = self.middle();
        let at = ln_at(&middle, self.bits);
        // |ln x − ln y| ≤ |x − y|/min(x, y).
        let by =
            if reach.sign() == Sign::NoSign { reach } else { divide_up(&(reach << self.bits), &self.low) };
        Some(at.widened(&by))
    }

    /// sin x and cos x.
    #[doc(hidden)]
    pub fn sin_cos(&self) -> (Self, Self) {
        let (middle, reach) = self.middle();
        let (sin, cos) = sin_cos_at(&middle, self.bits);
        let one = BigInt::from(1u32) << self.bits;
        let clamped = |x: Self| {
            let x = x.widened(&reach);
            Self::between(x.low.max(-&one), x.high.min(one.clone()), x.bits)
        };
        (clamped(sin), clamped(cos))
    }
}

/// e^{m 2^−bits}, from e^r with m 2^−bits = k ln 2 + r.
fn exp_at(m: &BigInt, bits: u32) -> Option<Interval> {
    let turns = ratio(m, &ln_2(bits).max(1u32.into()));
    let k = i64::try_from(&turns).ok();
    let k = match k {
        Some(k) if k.abs() < LARGEST_EXPONENT => k,
        _ if m.sign() == Sign::Minus => {
            return Some(Interval::between(BigInt::ZERO, BigInt::from(1u32), bits));
        }
        _ => return None,
    };
    if k < -i64::from(bits) - 4 {
        return Some(Interval::between(BigInt::ZERO, BigInt::from(1u32), bits));
    }
    let w = bits + GUARD + u32::try_from(k.max(0)).ok()?;
    let mut r: BigInt = (m << (w - bits)) - ln_2(w) * k;
    // With few bits k may be one off; the series wants |r| ≤ 1.
    let (one, mut k) = (BigInt::from(1u32) << w, k);
    while r.magnitude() > one.magnitude() {
        let step = if r.sign() == Sign::Minus { -1 } else { 1 };
        r -= ln_2(w) * step;
        k += step;
    }
    let (mut term, mut sum, mut n) = (one.clone(), one, 1u32);
    loop {
        term = ((term * &r) >> w) / n;
        if term.sign() == Sign::NoSign || n > 1 << 20 {
            break;
        }
        sum += &term;
        n += 1;
    }
    // The error of r, 2|k| + 2 units, counts e times at most.
    let off = slack(n) + BigInt::from(6 * k.unsigned_abs() + 6);
    Some(Interval::of_sum(&sum, &off, i64::from(w), k, bits))
}

/// ln(m 2^−bits), m > 0, from 2 artanh((y − 1)/(y + 1)) with m = y 2^j, ¾ ≤ y < 1½.
fn ln_at(m: &BigInt, bits: u32) -> Interval {
    let w = bits + GUARD;
    let length = m.bits() as i64;
    // y·2^w: m with its leading bit at 2^w or, from 1½ on, one lower.
    let mut y = shift_down(m, i64::from(w) + 1 - length);
    let mut exponent = length - 1 - i64::from(bits);
    let one = BigInt::from(1u32) << w;
    if &y - &one >= (&one >> 1u32) {
        y = shift_down(m, i64::from(w) - length);
        exponent += 1;
    }
    let z: BigInt = ((&y - &one) << w) / (&y + &one);
    let square: BigInt = (&z * &z) >> w;
    let (mut power, mut sum, mut n) = (z, BigInt::ZERO, 0u32);
    while power.sign() != Sign::NoSign && n < 1 << 20 {
        sum += &power / (2 * n + 1);
        power = (power * &square) >> w;
        // Rounding down would leave −1 for ever.
        if power == BigInt::from(-1) {
            break;
        }
        n += 1;
    }
    let total = (sum << 1u32) + ln_2(w) * exponent;
    let off = slack(n) * 2u32 + BigInt::from(2 * exponent.unsigned_abs() + 8);
    Interval::of_sum(&total, &off, i64::from(w), 0, bits)
}

/// sin and cos of m 2^−bits = q π/2 + r.
fn sin_cos_at(m: &BigInt, bits: u32) -> (Interval, Interval) {
    let quarter = |w: u32| pi(w + 1) >> 2u32;
    let q = ratio(m, &quarter(bits).max(1u32.into()));
    let w = bits + GUARD + q.bits() as u32;
    let mut q = q;
    let mut r: BigInt = (m << (w - bits)) - quarter(w) * &q;
    let one = BigInt::from(1u32) << w;
    while r.magnitude() > one.magnitude() {
        let step = if r.sign() == Sign::Minus { -1 } else { 1 };
        r -= quarter(w) * step;
        q += step;
    }
    let (mut term, mut n) = (one.clone(), 0u32);
    let (mut sin, mut cos) = (BigInt::ZERO, BigInt::ZERO);
    while term.sign() != Sign::NoSign && n < 1 << 20 {
        match n % 4 {
            0 => cos += &term,
            1 => sin += &term,
            2 => cos -= &term,
            _ => sin -= &term,
        }
        n += 1;
        term = ((term * &r) >> w) / n;
    }
    // π/2 is known within 3 units, and counts |q| times.
    let off = slack(n) + BigInt::from(q.magnitude().clone()) * 3u32;
    let [sin, cos] = [sin, cos].map(|sum| Interval::of_sum(&sum, &off, i64::from(w), 0, bits));
    let quadrant = i64::try_from(&((&q % 4u32 + 4u32) % 4u32)).unwrap_or(0);
    match quadrant {
        0 => (sin, cos),
        1 => (cos, -&sin),
        2 => (-&sin, -&cos),
        _ => (-&cos, sin),
    }
}
