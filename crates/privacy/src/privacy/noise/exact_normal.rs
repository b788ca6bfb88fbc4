//! Rounded multiples of standard normal deviates, exactly distributed.

use super::digits::{HalfNormal, is_negative};
use rand::Rng;

/// The integer nearest to M·Z, Z ~ N(0, 1), exactly distributed; 1 ≤ `multiplier` < 2⁶⁰.
pub(super) fn rounded_normal<R: Rng + ?Sized>(multiplier: u64, rng: &mut R) -> i128 {
    let HalfNormal { whole: k, fraction: mut x } = HalfNormal::draw(rng);
    // ⌊M x + 1/2⌋ with x = (d + x')/2⁶⁴: the integer part of M d/2⁶⁴, carried when what is left, f + M x'
    // (in units of 2⁻⁶⁴, x' the digits after the first), reaches 2⁶³. M < 2⁶⁰, so it carries at most once.
    const HALF: u64 = 1 << 63;
    let product = u128::from(multiplier) * u128::from(x.digit(0, rng));
    let (whole, fraction) = ((product >> 64) as i128, product as u64);
    let carries = if fraction >= HALF {
        true
    } else if HALF - fraction >= multiplier {
        false
    } else {
        x.tail(rng).reaches(HALF - fraction, multiplier, rng)
    };
    let magnitude = i128::from(multiplier) * i128::from(k) + whole + i128::from(carries);
    if is_negative(rng) { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::super::super::normal::{cdf, upper_tail};
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha20Rng;

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
}
