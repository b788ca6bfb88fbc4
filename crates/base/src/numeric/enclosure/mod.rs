//! Fixed-point enclosures: a real number between two integers times 2⁻ᵖ, and arithmetic that keeps it there.
//!
//! Every operation rounds its lower end down and its upper end up, in integers: whatever the inputs enclose, the output encloses the
//! result. There is no floating point here but where a double is read exactly. An operation that cannot be enclosed (a divisor that
//! may be 0, the logarithm of what may not be positive) gives `None`: with more bits it can.
//!
//! [`refine`] asks for more bits until a comparison or a rounding is decided.

mod elementary;
#[doc(hidden)]
pub mod refine;
#[cfg(test)]
mod tests;

use num_bigint::{BigInt, BigUint, Sign};
use std::ops::{Add, Mul, Neg, Sub};

/// A real number x with low ≤ 2ᵖ x ≤ high, p the number of bits after the point.
#[derive(Debug, Clone, PartialEq, Eq)]
#[doc(hidden)]
pub struct Interval {
    low: BigInt,
    high: BigInt,
    bits: u32,
}

/// ⌊x·2^by⌋.
fn shift_down(x: &BigInt, by: i64) -> BigInt {
    if by >= 0 { x << by } else { x >> -by }
}

/// ⌈x·2^by⌉.
fn shift_up(x: &BigInt, by: i64) -> BigInt {
    if by >= 0 { x << by } else { -(-x >> -by) }
}

/// ⌊a/b⌋ and ⌈a/b⌉, b > 0.
fn divide_down(a: &BigInt, b: &BigInt) -> BigInt {
    if a.sign() == Sign::Minus { -((b - 1u32 - a) / b) } else { a / b }
}

fn divide_up(a: &BigInt, b: &BigInt) -> BigInt {
    -divide_down(&-a, b)
}

impl Interval {
    /// m·2^e, to `bits` bits.
    #[doc(hidden)]
    pub fn dyadic(mantissa: &BigInt, exponent: i32, bits: u32) -> Self {
        let by = i64::from(exponent) + i64::from(bits);
        Self { low: shift_down(mantissa, by), high: shift_up(mantissa, by), bits }
    }

    /// Between m·2^−n and (m + 1)·2^−n: a number of which n binary digits are known.
    #[doc(hidden)]
    pub fn digits(m: BigUint, n: u32, bits: u32) -> Self {
        let (low, by) = (BigInt::from(m), i64::from(bits) - i64::from(n));
        let high = shift_up(&(&low + 1u32), by);
        Self { low: shift_down(&low, by), high, bits }
    }

    /// A double, read exactly; `None` unless it is finite.
    #[doc(hidden)]
    pub fn of(x: f64, bits: u32) -> Option<Self> {
        let (mantissa, exponent) = mantissa_and_exponent(x)?;
        Some(Self::dyadic(&mantissa, exponent, bits))
    }

    /// A whole number.
    #[doc(hidden)]
    pub fn whole(x: impl Into<BigInt>, bits: u32) -> Self {
        let low: BigInt = x.into() << bits;
        Self { high: low.clone(), low, bits }
    }

    /// Whatever lies between the two: their hull.
    fn between(low: BigInt, high: BigInt, bits: u32) -> Self {
        Self { low, high, bits }
    }

    fn with_bits(&self, bits: u32) -> Self {
        let by = i64::from(bits) - i64::from(self.bits);
        Self { low: shift_down(&self.low, by), high: shift_up(&self.high, by), bits }
    }

    /// f of both at the larger number of bits: nothing is lost.
    fn aligned(&self, other: &Self, f: impl FnOnce(&Self, &Self) -> Self) -> Self {
        match self.bits.cmp(&other.bits) {
            std::cmp::Ordering::Equal => f(self, other),
            std::cmp::Ordering::Less => f(&self.with_bits(other.bits), other),
            std::cmp::Ordering::Greater => f(self, &other.with_bits(self.bits)),
        }
    }

    /// Whether it is above 0, if that is certain.
    #[doc(hidden)]
    pub fn is_positive(&self) -> bool {
        self.low.sign() == Sign::Plus
    }

    /// Whether it is below 0, if that is certain.
    #[doc(hidden)]
    pub fn is_negative(&self) -> bool {
        self.high.sign() == Sign::Minus
    }

    /// ⌈2ᵏ x⌉ of the upper end.
    #[doc(hidden)]
    pub fn ceiling(&self, k: u32) -> BigInt {
        shift_up(&self.high, i64::from(k) - i64::from(self.bits))
    }

    /// The integer nearest to x/2^e, where all of the interval agrees on it.
    #[doc(hidden)]
    pub fn nearest(&self, exponent: i32) -> Option<BigInt> {
        // ⌊x/2^e + ½⌋ = ⌊(x 2ᵖ + 2^{p+e−1})/2^{p+e}⌋.
        let by = u64::try_from(i64::from(self.bits) + i64::from(exponent)).ok().filter(|by| *by > 0)?;
        let half = BigInt::from(1u32) << (by - 1);
        let low: BigInt = (&self.low + &half) >> by;
        let high: BigInt = (&self.high + &half) >> by;
        (low == high).then_some(low)
    }

    /// x².
    #[doc(hidden)]
    pub fn square(&self) -> Self {
        let (a, b) = (&self.low * &self.low, &self.high * &self.high);
        let mixed = self.low.sign() == Sign::Minus && self.high.sign() == Sign::Plus;
        let (least, most) = if a < b { (a, b) } else { (b, a) };
        let least = if mixed { BigInt::ZERO } else { least };
        let by = -i64::from(self.bits);
        Self::between(shift_down(&least, by), shift_up(&most, by), self.bits)
    }

    /// x/y; `None` where y may be 0.
    #[doc(hidden)]
    pub fn over(&self, divisor: &Self) -> Option<Self> {
        if divisor.is_negative() {
            return (-self).over(&-divisor);
        }
        if !divisor.is_positive() {
            return None;
        }
        Some(self.aligned(divisor, |a, b| {
            let by = |x: &BigInt, outward: bool| {
                if (x.sign() == Sign::Minus) == outward { &b.high } else { &b.low }.clone()
            };
            // A low end below 0 is lowest over the least divisor, one above 0 over the largest; a high end the other way round.
            let low = divide_down(&(&a.low << b.bits), &by(&a.low, false));
            let high = divide_up(&(&a.high << b.bits), &by(&a.high, true));
            Self::between(low, high, b.bits)
        }))
    }

    /// √x of a number that is not negative, whatever its enclosure says.
    #[doc(hidden)]
    pub fn sqrt(&self) -> Self {
        let root = |x: &BigInt| -> BigInt {
            if x.sign() == Sign::Plus { (x << self.bits).sqrt() } else { BigInt::ZERO }
        };
        let (low, mut high) = (root(&self.low), root(&self.high));
        if &high * &high != (&self.high).max(&BigInt::ZERO) << self.bits {
            high += 1u32;
        }
        Self::between(low, high, self.bits)
    }

    /// 2^by·x, exactly.
    #[doc(hidden)]
    pub fn times_power_of_two(&self, by: i32) -> Self {
        let by = i64::from(by);
        Self::between(shift_down(&self.low, by), shift_up(&self.high, by), self.bits)
    }

    /// n·x.
    #[doc(hidden)]
    pub fn times(&self, n: u32) -> Self {
        Self::between(&self.low * n, &self.high * n, self.bits)
    }

    /// The largest |x|.
    #[doc(hidden)]
    pub fn magnitude(&self) -> Self {
        let most = (-&self.low).max(self.high.clone());
        Self::between(most.clone(), most, self.bits)
    }
}

/// x = m·2^e.
fn mantissa_and_exponent(x: f64) -> Option<(BigInt, i32)> {
    if !x.is_finite() {
        return None;
    }
    let word = x.to_bits();
    let (field, fraction) = ((word >> 52 & 0x7ff) as i32, word & ((1 << 52) - 1));
    let (mantissa, exponent) =
        if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) };
    let mantissa = BigInt::from(mantissa);
    Some((if x < 0.0 { -mantissa } else { mantissa }, exponent))
}

impl Neg for &Interval {
    type Output = Interval;
    fn neg(self) -> Interval {
        Interval::between(-&self.high, -&self.low, self.bits)
    }
}

impl Add for &Interval {
    type Output = Interval;
    fn add(self, other: &Interval) -> Interval {
        self.aligned(other, |a, b| Interval::between(&a.low + &b.low, &a.high + &b.high, b.bits))
    }
}

impl Sub for &Interval {
    type Output = Interval;
    fn sub(self, other: &Interval) -> Interval {
        self.aligned(other, |a, b| Interval::between(&a.low - &b.high, &a.high - &b.low, b.bits))
    }
}

impl Mul for &Interval {
    type Output = Interval;
    fn mul(self, other: &Interval) -> Interval {
        self.aligned(other, |a, b| {
            let (low, high) = product_ends(a, b);
            let by = -i64::from(b.bits);
            Interval::between(shift_down(&low, by), shift_up(&high, by), b.bits)
        })
    }
}

/// The least and the largest product of ends.
fn product_ends(a: &Interval, b: &Interval) -> (BigInt, BigInt) {
    let negative = |x: &BigInt| x.sign() == Sign::Minus;
    let above = |a: &Interval, b: &Interval| {
        let low = if negative(&b.low) { &a.high * &b.low } else { &a.low * &b.low };
        let high = if negative(&b.high) { &a.low * &b.high } else { &a.high * &b.high };
        (low, high)
    };
    let below = |a: &Interval, b: &Interval| {
        let (low, high) = above(&-a, b);
        (-high, -low)
    };
    match (negative(&a.low), negative(&a.high), negative(&b.low), negative(&b.high)) {
        (false, ..) => above(a, b),
        (_, true, ..) => below(a, b),
        (.., false, _) => above(b, a),
        (.., true) => below(b, a),
        _ => {
            let (up, down) = (&a.low * &b.low, &a.low * &b.high);
            ((&a.high * &b.low).min(down), (&a.high * &b.high).max(up))
        }
    }
}
