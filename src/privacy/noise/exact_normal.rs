//! Standard normal deviates drawn exactly, digit by digit, and their rounded multiples.
//!
//! Karney (2016), "Sampling exactly from the normal distribution", Algorithm N: k ≥ 0 with probability
//! ∝ e^{−k/2}, accepted with e^{−k(k−1)/2}; x uniform in (0, 1), accepted with e^{−x(2k+x)/2}; then k + x has density
//! ∝ e^{−(k+x)²/2}, and a fair sign finishes it. Every test is a comparison of uniform numbers whose binary digits
//! are drawn only as far as the comparison needs, so the law is that of a real normal variable, not of a
//! floating-point one: no table, no logarithm, no rounding. (Here digits come 64 at a time.)

use rand::Rng;

/// A uniform real in (0, 1), its base-2⁶⁴ digits drawn when first looked at.
struct Uniform {
    first: u64,
    more: Vec<u64>,
}

impl Uniform {
    fn draw<R: Rng + ?Sized>(rng: &mut R) -> Self {
        Self { first: rng.next_u64(), more: Vec::new() }
    }

    fn digit<R: Rng + ?Sized>(&mut self, index: usize, rng: &mut R) -> u64 {
        if index == 0 {
            return self.first;
        }
        while self.more.len() < index {
            self.more.push(rng.next_u64());
        }
        self.more[index - 1]
    }

    /// Whether self < other; decided almost always by the first digit.
    fn is_below<R: Rng + ?Sized>(&mut self, other: &mut Self, rng: &mut R) -> bool {
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
    fn reaches<R: Rng + ?Sized>(&mut self, numerator: u64, denominator: u64, rng: &mut R) -> bool {
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
fn below<R: Rng + ?Sized>(bound: u64, rng: &mut R) -> u64 {
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

/// The integer nearest to M·Z, Z ~ N(0, 1), exactly distributed; 1 ≤ `multiplier` < 2⁶⁰.
pub(super) fn rounded_normal<R: Rng + ?Sized>(multiplier: u64, rng: &mut R) -> i128 {
    let (k, mut x) = loop {
        let mut k = 0u64;
        while exp_minus_half(rng) {
            k += 1;
        }
        if !(0..k.saturating_mul(k.saturating_sub(1))).all(|_| exp_minus_half(rng)) {
            continue;
        }
        let mut x = Uniform::draw(rng);
        if (0..=k).all(|_| accepts(k, &mut x, rng)) {
            break (k, x);
        }
    };
    // ⌊M x + 1/2⌋ with x = (d + x')/2⁶⁴: the integer part of M d/2⁶⁴, carried when what is left, f + M x'
    // (in units of 2⁻⁶⁴, x' the digits after the first), reaches 2⁶³. M < 2⁶⁰, so it carries at most once.
    const HALF: u64 = 1 << 63;
    let product = u128::from(multiplier) * u128::from(x.first);
    let (whole, fraction) = ((product >> 64) as i128, product as u64);
    let carries = if fraction >= HALF {
        true
    } else if HALF - fraction >= multiplier {
        false
    } else {
        let mut tail = Uniform { first: x.digit(1, rng), more: x.more.split_off(1) };
        tail.reaches(HALF - fraction, multiplier, rng)
    };
    let magnitude = i128::from(multiplier) * i128::from(k) + whole + i128::from(carries);
    if rng.next_u64() >> 63 == 1 { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::super::super::normal::{cdf, upper_tail};
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha20Rng;
    use std::collections::VecDeque;

    /// Chi-square against Φ((k+½)/M) − Φ((k−½)/M); the limit is the 1e-6 quantile, so an honest sampler fails one
    /// seed in a million.
    #[test]
    fn small_multiples_have_the_rounded_normal_law() {
        for (multiplier, seed) in [(1u64, 1), (2, 2), (7, 3)] {
            let mut rng = ChaCha20Rng::seed_from_u64(seed);
            let draws = 400_000;
            let m = multiplier as f64;
            let reach = (4.0 * m) as i128;
            let mut counts = vec![0u32; 2 * reach as usize + 3];
            for _ in 0..draws {
                let k = rounded_normal(multiplier, &mut rng).clamp(-reach - 1, reach + 1);
                counts[(k + reach + 1) as usize] += 1;
            }
            let statistic: f64 = (-reach - 1..=reach + 1)
                .map(|k| {
                    let x = k as f64;
                    let p = if k == -reach - 1 {
                        cdf((x + 0.5) / m)
                    } else if k == reach + 1 {
                        upper_tail((x - 0.5) / m)
                    } else {
                        cdf((x + 0.5) / m) - cdf((x - 0.5) / m)
                    };
                    let expected = p * draws as f64;
                    (f64::from(counts[(k + reach + 1) as usize]) - expected).powi(2) / expected
                })
                .sum();
            let freedom = counts.len() as f64 - 1.0;
            // Wilson and Hilferty: the quantile at 1 − 1e-6 (4.7534 standard deviations).
            let c = 2.0 / (9.0 * freedom);
            let limit = freedom * (1.0 - c + 4.7534 * c.sqrt()).powi(3);
            assert!(statistic < limit, "M = {multiplier}: chi-square {statistic} above {limit}");
        }
    }

    /// Kolmogorov–Smirnov against Φ at a fine lattice, false alarm 1e-6 (D√n = 2.694).
    #[test]
    fn large_multiples_have_the_normal_law() {
        let mut rng = ChaCha20Rng::seed_from_u64(11);
        let multiplier = (1u64 << 40) - 3;
        let n = 200_000;
        let mut values: Vec<f64> =
            (0..n).map(|_| rounded_normal(multiplier, &mut rng) as f64 / multiplier as f64).collect();
        values.sort_by(f64::total_cmp);
        let distance = values
            .iter()
            .enumerate()
            .map(|(i, x)| {
                let f = cdf(*x);
                (f - i as f64 / n as f64).abs().max(((i + 1) as f64 / n as f64 - f).abs())
            })
            .fold(0.0, f64::max);
        assert!(distance * (n as f64).sqrt() < 2.694, "D sqrt(n) = {}", distance * (n as f64).sqrt());
    }

    /// The low bits of the integers are uniform: what floating-point noise cannot offer.
    #[test]
    fn low_bits_are_fair() {
        let mut rng = ChaCha20Rng::seed_from_u64(12);
        let n = 100_000;
        for bit in [0, 1, 7] {
            let ones = (0..n).filter(|_| rounded_normal(1 << 36, &mut rng) >> bit & 1 == 1).count() as f64;
            // 4.9 standard deviations: 1e-6 two-sided.
            assert!((ones - n as f64 / 2.0).abs() < 4.9 * (n as f64 / 4.0).sqrt(), "bit {bit}: {ones}");
        }
    }

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
