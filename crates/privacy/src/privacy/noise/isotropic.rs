//! Isotropic Laplace noise on the integers, exactly distributed: from normal deviates and whole numbers alone.
//!
//! **Lemma.** For independent Z′ ~ N(0, I_{d+1}) and Z ~ N(0, I_d), b‖Z′‖Z has density ∝ exp(−‖x‖/b) on ℝ^d.
//! *Proof.* e^{−r/b} = E exp(−T r²/2) for T = 1/(b²N²), N ~ N(0, 1) (the Laplace transform of the Lévy law), and T has density
//! ∝ T^{−3/2}e^{−1/(2b²T)}. As a mixture of *normalized* Gaussians N(0, I/T) the weights are ∝ T^{−3/2−d/2}e^{−1/(2b²T)}, so
//! V = 1/T has density ∝ V^{(d−1)/2}e^{−V/(2b²)}: it is b²χ²_{d+1} = b²‖Z′‖². ∎
//!
//! Every |Z| is known between two whole numbers of 2^{−64p}, p digits of it having been drawn. So is M‖Z′‖|Z_i| + ½, by squares, whole
//! square roots rounded down and up, and products; where the floors of both ends agree for all i, that is the answer, and otherwise
//! one more digit of every number is drawn. Digits once drawn are kept: the result is ⌊M‖Z′‖|Z_i| + ½⌋ of the real numbers.

use super::digits::{HalfNormal, is_negative};
use num_bigint::BigUint;
use rand::Rng;

/// The digits to begin with: undecided, with one more to draw, in fewer than one draw of 2⁶⁰ for M < 2⁶⁰ in practical dimensions.
const DIGITS: usize = 2;

/// The integers nearest to M‖Z′‖Z, a draw of density ∝ exp(−‖x‖/M) on ℝ^`dim`.
pub(super) fn rounded_isotropic_laplace<R: Rng + ?Sized>(
    multiplier: u64,
    dim: usize,
    rng: &mut R,
) -> Vec<i128> {
    from_digits(multiplier, dim, DIGITS, rng)
}

fn from_digits<R: Rng + ?Sized>(multiplier: u64, dim: usize, first: usize, rng: &mut R) -> Vec<i128> {
    let mut norm: Vec<HalfNormal> = (0..=dim).map(|_| HalfNormal::draw(rng)).collect();
    let mut coordinates: Vec<HalfNormal> = (0..dim).map(|_| HalfNormal::draw(rng)).collect();
    let minus: Vec<bool> = (0..dim).map(|_| is_negative(rng)).collect();
    let mut digits = first;
    let sizes = loop {
        if let Some(sizes) = rounded(multiplier, &mut norm, &mut coordinates, digits, rng) {
            break sizes;
        }
        digits += 1;
    };
    sizes.into_iter().zip(minus).map(|(size, minus)| if minus { -size } else { size }).collect()
}

/// ⌊M‖Z′‖|Z_i| + ½⌋, where so many digits decide all of them.
fn rounded<R: Rng + ?Sized>(
    multiplier: u64,
    norm: &mut [HalfNormal],
    coordinates: &mut [HalfNormal],
    digits: usize,
    rng: &mut R,
) -> Option<Vec<i128>> {
    let (mut least, mut most) = (BigUint::ZERO, BigUint::ZERO);
    for z in norm {
        let low = scaled(z, digits, rng);
        let high = &low + 1u32;
        least += &low * &low;
        most += &high * &high;
    }
    let radius = [least.sqrt() * multiplier, (most.sqrt() + 1u32) * multiplier];
    let unit = 128 * digits as u64;
    let half = BigUint::from(1u32) << (unit - 1);
    let floor = |radius: &BigUint, z: &BigUint| (radius * z + &half) >> unit;
    let decide = |z: &mut HalfNormal| -> Option<i128> {
        let low = scaled(z, digits, rng);
        let high = &low + 1u32;
        let size = floor(&radius[0], &low);
        (size == floor(&radius[1], &high)).then(|| i128::try_from(size).unwrap_or(i128::MAX / 2))
    };
    coordinates.iter_mut().map(decide).collect()
}

/// ⌊|Z| 2^{64·digits}⌋.
fn scaled<R: Rng + ?Sized>(z: &mut HalfNormal, digits: usize, rng: &mut R) -> BigUint {
    (0..digits).fold(BigUint::from(z.whole), |sum, i| (sum << 64) + z.fraction.digit(i, rng))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha20Rng;

    fn norms(dim: usize, multiplier: u64, draws: usize, seed: u64) -> Vec<f64> {
        let mut rng = ChaCha20Rng::seed_from_u64(seed);
        let draw = |_| {
            let x = rounded_isotropic_laplace(multiplier, dim, &mut rng);
            x.iter().map(|k| (*k as f64 / multiplier as f64).powi(2)).sum::<f64>().sqrt()
        };
        (0..draws).map(draw).collect()
    }

    /// ‖x‖ is Gamma(d): its distribution function 1 − e^{−r}Σ_{k<d} r^k/k! by Kolmogorov and Smirnov; 2.694/√n is the 1e-6 quantile.
    #[test]
    fn norms_have_the_gamma_law() {
        for (dim, seed) in [(1, 1), (2, 2), (5, 3), (40, 4)] {
            let mut found = norms(dim, 1 << 40, 20_000, seed);
            found.sort_by(f64::total_cmp);
            let cdf = |r: f64| {
                let (mut term, mut sum) = ((-r).exp(), 0.0);
                for k in 0..dim {
                    sum += term;
                    term *= r / (k + 1) as f64;
                }
                1.0 - sum
            };
            let n = found.len() as f64;
            let gap = |(i, r): (usize, &f64)| {
                let f = cdf(*r);
                (f - i as f64 / n).abs().max((f - (i + 1) as f64 / n).abs())
            };
            let distance = found.iter().enumerate().map(gap).fold(0.0, f64::max);
            assert!(distance * n.sqrt() < 2.694, "d = {dim}: {}", distance * n.sqrt());
        }
    }

    /// In two dimensions, coarsely: the sign, the quadrant's diagonal and every low bit are fair. 4.9 standard deviations: 1e-6.
    #[test]
    fn directions_and_low_bits_are_fair() {
        let mut rng = ChaCha20Rng::seed_from_u64(9);
        let n = 40_000;
        let mut counts = [0u32; 6];
        for _ in 0..n {
            let x = rounded_isotropic_laplace(1 << 33, 2, &mut rng);
            let events = [
                x[0] < 0,
                x[1] < 0,
                x[0].abs() < x[1].abs(),
                x[0] & 1 == 1,
                x[1] & 1 == 1,
                x[0] >> 3 & 1 == 1,
            ];
            counts.iter_mut().zip(events).for_each(|(count, event)| *count += u32::from(event));
        }
        for (k, count) in counts.iter().enumerate() {
            let gap = (f64::from(*count) - n as f64 / 2.0).abs();
            assert!(gap < 4.9 * (n as f64 / 4.0).sqrt(), "event {k}: {count}");
        }
    }

    /// Random numbers with a tape of digits each: draws begun with one, two and eight digits agree to the bit.
    #[test]
    fn what_is_drawn_does_not_depend_on_the_digits_looked_at() {
        for seed in 0..200 {
            let draw = |first: usize| {
                let mut rng = ChaCha20Rng::seed_from_u64(seed);
                let mut norm: Vec<HalfNormal> = (0..4).map(|_| HalfNormal::draw(&mut rng)).collect();
                let mut coordinates: Vec<HalfNormal> = (0..3).map(|_| HalfNormal::draw(&mut rng)).collect();
                // All digits that any of the runs will look at, drawn in the same order for each.
                for z in norm.iter_mut().chain(&mut coordinates) {
                    let _ = z.fraction.digit(9, &mut rng);
                }
                (first..)
                    .find_map(|digits| rounded(1 << 50, &mut norm, &mut coordinates, digits, &mut rng))
                    .unwrap()
            };
            let two = draw(2);
            assert_eq!(draw(1), two, "seed {seed}");
            assert_eq!(draw(8), two, "seed {seed}");
        }
    }

    /// M = 1, d = 1: the integer law of a rounded Laplace variable, P(0) = 1 − e^{−1/2}, P(±k) = e^{−k} sinh ½; chi-square at 1e-6.
    #[test]
    fn coarse_draws_have_the_rounded_law() {
        let mut rng = ChaCha20Rng::seed_from_u64(5);
        let (n, reach) = (100_000, 6i128);
        let mut counts = vec![0.0f64; 2 * reach as usize + 1];
        for _ in 0..n {
            let k = rounded_isotropic_laplace(1, 1, &mut rng)[0].clamp(-reach, reach);
            counts[(k + reach) as usize] += 1.0;
        }
        let p = |k: i128| match k.abs() {
            0 => 1.0 - (-0.5f64).exp(),
            a if a < reach => (-(a as f64)).exp() * 0.5f64.sinh(),
            a => 0.5 * (-(a as f64) + 0.5).exp(),
        };
        let statistic: f64 = (-reach..=reach)
            .map(|k| {
                let expected = f64::from(n) * p(k);
                (counts[(k + reach) as usize] - expected).powi(2) / expected
            })
            .sum();
        // The 1e-6 quantile of chi-square with 12 degrees of freedom.
        assert!(statistic < 52.5, "{statistic}");
    }
}
