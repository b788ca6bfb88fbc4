//! Random numbers as digits that are drawn when they are first looked at, and kept: uniform reals, normal deviates, unbiased integers.
//!
//! Karney (2016), "Sampling exactly from the normal distribution", Algorithm N: k ≥ 0 with probability
//! ∝ e^{−k/2}, accepted with e^{−k(k−1)/2}; x uniform in (0, 1), accepted with e^{−x(2k+x)/2}; then k + x has density
//! ∝ e^{−(k+x)²/2}, and a fair sign finishes it. Every test is a comparison of uniform numbers whose binary digits
//! are drawn only as far as the comparison needs, so the law is that of a real normal variable, not of a
//! floating-point one: no table, no logarithm, no rounding. (Here digits come 64 at a time.)

use crate::numeric::enclosure::Interval;
use num_bigint::BigUint;
use rand::Rng;

/// A uniform real in (0, 1), its base-2⁶⁴ digits drawn when first looked at.
#[derive(Debug, Clone)]
#[doc(hidden)]
pub struct Uniform {
    first: u64,
    more: Vec<u64>,
}

impl Uniform {
    #[doc(hidden)]
    pub fn draw<R: Rng + ?Sized>(rng: &mut R) -> Self {
        Self { first: rng.next_u64(), more: Vec::new() }
    }

    #[doc(hidden)]
    pub fn digit<R: Rng + ?Sized>(&mut self, index: usize, rng: &mut R) -> u64 {
        if index == 0 {
            return self.first;
        }
        while self.more.len() < index {
            self.more.push(rng.next_u64());
        }
        self.more[index - 1]
    }

    /// Between the two multiples of 2^−bits (or finer) beside it, from as many digits as that needs.
    #[doc(hidden)]
    pub fn enclose<R: Rng + ?Sized>(&mut self, bits: u32, rng: &mut R) -> Interval {
        let digits = bits.div_ceil(64).max(1);
        // BigUint takes half digits, the last first.
        let halves = (0..digits as usize).rev().flat_map(|index| {
            let digit = self.digit(index, rng);
            [digit as u32, (digit >> 32) as u32]
        });
        Interval::digits(BigUint::new(halves.collect()), 64 * digits, bits)
    }

    /// The digits after the first, as a uniform real of its own.
    pub(crate) fn tail<R: Rng + ?Sized>(mut self, rng: &mut R) -> Self {
        Self { first: self.digit(1, rng), more: self.more.split_off(1) }
    }

    /// Whether self < other; decided almost always by the first digit.
    pub(crate) fn is_below<R: Rng + ?Sized>(&mut self, other: &mut Self, rng: &mut R) -> bool {
        let mut index = 0;
        loop {
            let (a, b) = (self.digit(index, rng), other.digit(index, rng));
            if a != b {
                return a < b;
            }
            index += 1;
        }
    }

    /// Whether self ≥ numerator/denominator, a fraction in (0, 1): digits against long division.
    pub(crate) fn reaches<R: Rng + ?Sized>(&mut self, numerator: u64, denominator: u64, rng: &mut R) -> bool {
        let mut rest = u128::from(numerator);
        let mut index = 0;
        loop {
            rest <<= 64;
            let digit = (rest / u128::from(denominator)) as u64;
            rest %= u128::from(denominator);
            let own = self.digit(index, rng);
            if own != digit {
                return own > digit;
            }
            if rest == 0 {
                return true;
            }
            index += 1;
        }
    }
}

/// True with probability e^{−1/2}: the length of a falling run of uniforms below 1/2 is even (von Neumann).
fn exp_minus_half<R: Rng + ?Sized>(rng: &mut R) -> bool {
    let mut last = Uniform::draw(rng);
    if last.first >= 1 << 63 {
        return true;
    }
    let mut even = false;
    loop {
        let mut next = Uniform::draw(rng);
        if !next.is_below(&mut last, rng) {
            return even;
        }
        last = next;
        even = !even;
    }
}

/// A uniform integer below `bound`, without bias.
pub(crate) fn below<R: Rng + ?Sized>(bound: u64, rng: &mut R) -> u64 {
    let excess = (u64::MAX % bound + 1) % bound;
    loop {
        let draw = rng.next_u64();
        if draw <= u64::MAX - excess {
            return draw % bound;
        }
    }
}

/// True with probability exp(−x(2k+x)/(2k+2)) (Karney's Algorithm B): a falling run of uniforms from x, each step
/// also passing a test of probability (2k+x)/(2k+2), has even length.
fn accepts<R: Rng + ?Sized>(k: u64, x: &mut Uniform, rng: &mut R) -> bool {
    let mut even = true;
    let mut last: Option<Uniform> = None;
    loop {
        let mut next = Uniform::draw(rng);
        let falls = match &mut last {
            None => next.is_below(x, rng),
            Some(last) => next.is_below(last, rng),
        };
        if !falls {
            return even;
        }
        let cell = below(2 * k + 2, rng);
        let passes = cell < 2 * k || (cell == 2 * k && Uniform::draw(rng).is_below(x, rng));
        if !passes {
            return even;
        }
        last = Some(next);
        even = !even;
    }
}

/// |Z| for Z ~ N(0, 1), exactly: a whole number and a fraction whose digits are drawn when first looked at.
#[derive(Debug, Clone)]
pub(crate) struct HalfNormal {
    /// ⌊|Z|⌋.
    pub(crate) whole: u64,
    /// The rest.
    pub(crate) fraction: Uniform,
}

impl HalfNormal {
    pub(crate) fn draw<R: Rng + ?Sized>(rng: &mut R) -> Self {
        loop {
            let mut whole = 0u64;
            while exp_minus_half(rng) {
                whole += 1;
            }
            if !(0..whole.saturating_mul(whole.saturating_sub(1))).all(|_| exp_minus_half(rng)) {
                continue;
            }
            let mut fraction = Uniform::draw(rng);
            if (0..=whole).all(|_| accepts(whole, &mut fraction, rng)) {
                return Self { whole, fraction };
            }
        }
    }
}

/// A fair sign: whether it is minus.
pub(crate) fn is_negative<R: Rng + ?Sized>(rng: &mut R) -> bool {
    rng.next_u64() >> 63 == 1
}

/// Z ~ N(0, 1), exactly.
#[derive(Debug, Clone)]
#[doc(hidden)]
pub struct Normal {
    size: HalfNormal,
    negative: bool,
}

impl Normal {
    #[doc(hidden)]
    pub fn draw<R: Rng + ?Sized>(rng: &mut R) -> Self {
        Self { size: HalfNormal::draw(rng), negative: is_negative(rng) }
    }

    /// An enclosure of this many bits.
    #[doc(hidden)]
    pub fn enclose<R: Rng + ?Sized>(&mut self, bits: u32, rng: &mut R) -> Interval {
        let size = &Interval::whole(self.size.whole, bits) + &self.size.fraction.enclose(bits, rng);
        if self.negative { -&size } else { size }
    }
}

/// A uniform integer from 0 to `bound` − 1, bound ≥ 1, without bias.
#[doc(hidden)]
pub fn below_wide<R: Rng + ?Sized>(bound: &BigUint, rng: &mut R) -> BigUint {
    let bits = bound.bits().max(1);
    loop {
        let halves = (0..bits.div_ceil(64)).flat_map(|_| {
            let word = rng.next_u64();
            [word as u32, (word >> 32) as u32]
        });
        let drawn = BigUint::new(halves.collect()) >> (64 * bits.div_ceil(64) - bits);
        if drawn < *bound {
            return drawn;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    /// A generator that replays given words, then a counter.
    struct Script(VecDeque<u64>);
    impl rand::TryRng for Script {
        type Error = std::convert::Infallible;
        fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
            self.try_next_u64().map(|x| x as u32)
        }
        fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
            Ok(self.0.pop_front().unwrap_or(0))
        }
        fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Self::Error> {
            Ok(())
        }
    }

    #[test]
    fn ties_are_settled_by_further_digits() {
        let mut a = Uniform { first: 5, more: vec![] };
        let mut b = Uniform { first: 5, more: vec![9] };
        assert!(a.is_below(&mut b, &mut Script([8].into())));
        assert_eq!(a.more, [8], "the digit that was looked at is kept");
        // 1/3 = 0.5555…₁₆: equal first digits, decided by the second.
        let third = u64::MAX / 3;
        for (second, expected) in [(third, true), (third - 1, false), (third + 1, true)] {
            let mut u = Uniform { first: third, more: vec![second, u64::MAX] };
            assert_eq!(u.reaches(1, 3, &mut Script([].into())), expected, "{second}");
        }
        // 1/2 exactly: the boundary itself counts as reached.
        let mut u = Uniform { first: 1 << 63, more: vec![] };
        assert!(u.reaches(1, 2, &mut Script([].into())));
    }

    #[test]
    fn bounded_integers_reject_the_ragged_end() {
        // 2⁶⁴ mod 6 = 4: the last four words are rejected.
        let mut rng = Script([u64::MAX, u64::MAX - 3, u64::MAX - 4].into());
        assert_eq!(below(6, &mut rng), 5);
        let mut rng = Script([u64::MAX].into());
        assert_eq!(below(4, &mut rng), 3);
    }
}
