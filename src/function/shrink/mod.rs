//! Shrinkage of noised coefficients whose noise variance is known: post-processing, so free of charge.
//!
//! Everything here looks at noised values and public numbers only.

mod place;
mod spectrum;

pub use place::SpectralPlace;

use spectrum::{Bands, Pull, Spectrum};
use std::collections::BTreeMap;

/// The factor of the positive-part James–Stein estimate of a block of squared norm `energy`, max(0, 1 − (d − 2) σ²/energy) for
/// d ≥ 3; smaller blocks use d in place of d − 2, which shrinks a little more.
fn james_stein_factor(energy: f64, dimension: usize, sigma: f64) -> f64 {
    let d = if dimension >= 3 { dimension as f64 - 2.0 } else { dimension as f64 };
    if energy > 0.0 { (1.0 - d * sigma * sigma / energy).max(0.0) } else { 0.0 }
}

/// Stein's unbiased estimate of the risk of y ↦ c y for a block with c = 1 − (d−2)σ²/‖y‖² clamped at 0.
fn james_stein_risk(energy: f64, dimension: usize, sigma: f64) -> f64 {
    let d = dimension as f64;
    let s = sigma * sigma;
    let c = if dimension >= 3 { d - 2.0 } else { d };
    if energy <= c * s {
        energy - d * s
    } else {
        // ‖g‖² + 2σ² div g + dσ² for y + g(y), g = −cσ² y/‖y‖².
        d * s + s * s * c * (c - 2.0 * (d - 2.0)) / energy
    }
}

/// Blockwise James–Stein over bands of frequency, for every channel on its own or for all together, with bands of several
/// widths; which of them is chosen by Stein's unbiased risk estimate on the same noised coefficients.
///
/// Classes are never put together.
fn banded_james_stein<P: Into<SpectralPlace>>(
    noised: &[f64],
    sigma: f64,
    place: impl Fn(usize) -> P,
) -> Vec<f64> {
    let mut best: Option<(f64, Vec<f64>)> = None;
    for per_octave in [1.0, 2.0, 4.0] {
        for by_channel in [true, false] {
            let block = |i: usize| {
                let at = place(i).into();
                let channel = if by_channel { at.channel } else { 0 };
                (at.class, channel, (per_octave * (1.0 + at.frequency).log2()).floor() as usize)
            };
            let (risk, shrunk) = shrink_blocks(noised, sigma, block);
            if best.as_ref().is_none_or(|(r, _)| risk < *r) {
                best = Some((risk, shrunk));
            }
        }
    }
    best.map(|(_, shrunk)| shrunk).unwrap_or_default()
}

fn shrink_blocks<B: Ord>(noised: &[f64], sigma: f64, block: impl Fn(usize) -> B) -> (f64, Vec<f64>) {
    let mut sums = BTreeMap::<_, (f64, usize)>::new();
    for (i, y) in noised.iter().enumerate() {
        let entry = sums.entry(block(i)).or_default();
        entry.0 += y * y;
        entry.1 += 1;
    }
    let risk = sums.values().map(|&(energy, d)| james_stein_risk(energy, d, sigma)).sum();
    let shrunk = noised
        .iter()
        .enumerate()
        .map(|(i, y)| {
            sums.get(&block(i)).map_or(0.0, |&(energy, d)| y * james_stein_factor(energy, d, sigma))
        })
        .collect();
    (risk, shrunk)
}

/// Share of the expected energy in classes other than the first.
const ANTISYMMETRIC_SHARE: f64 = 0.03;

/// Wiener shrinkage under a smooth prior spectrum fitted by marginal likelihood to the noised coefficients: factor
/// s/(s + σ²) with s the fitted signal variance at the coefficient's place. Every class has a spectrum of its own; the channels
/// within it differ in amplitude and, where the coefficients say so, in shape.
pub fn empirical_bayes<P: Into<SpectralPlace>>(
    noised: &[f64],
    sigma: f64,
    place: impl Fn(usize) -> P,
) -> Vec<f64> {
    empirical_bayes_expecting(noised, sigma, None, place)
}

/// [`empirical_bayes`] of a signal whose energy Σ θ² is expected to be about `energy` (within a factor of five or so): what a
/// public bound tells. Antisymmetric classes are expected to have 3 % of it.
fn empirical_bayes_expecting<P: Into<SpectralPlace>>(
    noised: &[f64],
    sigma: f64,
    energy: Option<f64>,
    place: impl Fn(usize) -> P,
) -> Vec<f64> {
    let mut classes = BTreeMap::<usize, (Bands, BTreeMap<usize, Bands>)>::new();
    for (i, y) in noised.iter().enumerate() {
        let at = place(i).into();
        let (all, channels) = classes.entry(at.class).or_default();
        all.add(&at, *y);
        channels.entry(at.channel).or_default().add(&at, *y);
    }
    let mut spectra = BTreeMap::new();
    for (&class, (all, channels)) in &classes {
        let expected = energy.map(|e| if class == 0 { e } else { ANTISYMMETRIC_SHARE * e });
        let each = expected.map(|e| e / channels.len() as f64);
        let common = Spectrum::fit(all, sigma, &Pull::weak(expected), None);
        for (&channel, bands) in channels {
            let own = match channels.len() {
                1 => common,
                _ => Spectrum::fit(bands, sigma, &Pull::towards(&common, each), Some(&common)),
            };
            spectra.insert((class, channel), own);
        }
    }
    noised
        .iter()
        .enumerate()
        .map(|(i, y)| {
            let at = place(i).into();
            let s = spectra.get(&(at.class, at.channel)).map_or(0.0, |p| p.variance(&at));
            y * s / (s + sigma * sigma)
        })
        .collect()
}

/// Shrinks coefficients by frequency: by the smooth Wiener factors, or by the bands' where Stein's unbiased estimate
/// of the risk says that these are better by more than its own standard deviation, σ²√(2d).
///
/// `energy`: what Σ θ² may be expected to be, from public numbers; `None` where nothing is known.
pub fn shrink<P: Into<SpectralPlace>>(
    noised: &[f64],
    sigma: f64,
    energy: Option<f64>,
    place: impl Fn(usize) -> P,
) -> Vec<f64> {
    if sigma <= 0.0 {
        return noised.to_vec();
    }
    let smooth = empirical_bayes_expecting(noised, sigma, energy, &place);
    let banded = banded_james_stein(noised, sigma, &place);
    let doubt = sigma * sigma * (2.0 * noised.len() as f64).sqrt();
    if linear_risk(noised, &smooth, sigma) <= linear_risk(noised, &banded, sigma) + doubt {
        smooth
    } else {
        banded
    }
}

/// Stein's estimate Σ (1 − c)² y² + (2c − 1) σ² for factors c treated as given.
fn linear_risk(noised: &[f64], shrunk: &[f64], sigma: f64) -> f64 {
    noised
        .iter()
        .zip(shrunk)
        .map(|(y, s)| {
            let c = if *y != 0.0 { s / y } else { 0.0 };
            (y - s).powi(2) + (2.0 * c - 1.0) * sigma * sigma
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_distr::{Distribution, StandardNormal};

    fn key(i: usize) -> (usize, f64) {
        let (a, b) = ((i % 800) / 40, (i % 40).div_ceil(2));
        (i / 800, ((a * a + b * b) as f64).sqrt())
    }

    fn signal(amplitude: f64) -> Vec<f64> {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(5);
        (0..2400)
            .map(|i| {
                let (_, nu) = key(i);
                let z: f64 = StandardNormal.sample(&mut rng);
                amplitude * z / (1.0 + nu * nu)
            })
            .collect()
    }

    /// Average squared error over noise draws of variance one, and the risk of the best linear factors (which know
    /// the signal's spectrum).
    fn risk_and_oracle(amplitude: f64) -> (f64, f64) {
        let theta = signal(amplitude);
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(6);
        let draws = 6;
        let mut risk = 0.0;
        for _ in 0..draws {
            let noised: Vec<f64> =
                theta.iter().map(|t| t + Distribution::<f64>::sample(&StandardNormal, &mut rng)).collect();
            let shrunk = shrink(&noised, 1.0, None, key);
            risk += theta.iter().zip(&shrunk).map(|(t, s)| (t - s).powi(2)).sum::<f64>() / draws as f64;
        }
        let spectrum = |i: usize| {
            let (_, nu) = key(i);
            (amplitude / (1.0 + nu * nu)).powi(2)
        };
        (risk, (0..theta.len()).map(|i| spectrum(i) / (1.0 + spectrum(i))).sum())
    }

    #[test]
    fn risk_is_near_the_oracles_at_every_signal_strength() {
        for amplitude in [0.0, 3.0, 30.0, 300.0, 3e4] {
            let (risk, oracle) = risk_and_oracle(amplitude);
            assert!(risk < 1.15 * oracle + 20.0, "amplitude {amplitude}: {risk} against {oracle}");
        }
    }

    #[test]
    fn james_stein_beats_the_identity_in_three_dimensions() {
        let james_stein = |y: &[f64]| shrink_blocks(y, 1.0, |_| 0).1;
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(7);
        let (mut with, runs) = (0.0, 20_000);
        for _ in 0..runs {
            let y: Vec<f64> = [1.0, 0.5, -0.5]
                .iter()
                .map(|t| t + Distribution::<f64>::sample(&StandardNormal, &mut rng))
                .collect();
            let y = james_stein(&y);
            with += y.iter().zip([1.0, 0.5, -0.5]).map(|(y, t)| (y - t).powi(2)).sum::<f64>() / runs as f64;
        }
        assert!(with < 2.5, "{with} (the identity has 3)");
    }

    #[test]
    fn no_noise_means_no_shrinkage() {
        let y = [1.0, -2.0];
        assert_eq!(shrink(&y, 0.0, None, |_| (0, 0.0)), y);
    }

    /// The expected energy matters where there is hardly a signal: the estimate is then near 0 and not a few large draws.
    #[test]
    fn with_an_expected_energy_noise_alone_is_not_taken_for_a_signal() {
        let theta = signal(0.3);
        let energy: f64 = theta.iter().map(|t| t * t).sum();
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(8);
        let (mut without, mut with) = (0.0, 0.0);
        for _ in 0..30 {
            let noised: Vec<f64> =
                theta.iter().map(|t| t + Distribution::<f64>::sample(&StandardNormal, &mut rng)).collect();
            for (expected, sum) in [(None, &mut without), (Some(2.0 * energy), &mut with)] {
                let shrunk = shrink(&noised, 1.0, expected, key);
                *sum += theta.iter().zip(&shrunk).map(|(t, s)| (t - s).powi(2)).sum::<f64>() / 30.0;
            }
        }
        assert!(with < 0.5 * without, "{with} against {without}");
        assert!(with < 4.0 * energy, "{with} against {energy}");
    }
}
