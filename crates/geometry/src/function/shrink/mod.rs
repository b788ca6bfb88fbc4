//! Shrinkage of noised coefficients whose noise variance is known: post-processing, so free of charge.
//!
//! Everything here looks at noised values and public numbers only.

mod place;
mod spectrum;

pub use place::SpectralPlace;
pub use spectrum::Expectation;

use spectrum::{Bands, Pull, Spectrum};
use std::collections::BTreeMap;

/// Shrunk coefficients, and how far off they may be.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Shrunk {
    /// The estimates.
    pub values: Vec<f64>,
    /// The expected squared error of each, bias included: posterior variances under the fitted spectrum, or Stein's unbiased
    /// estimate shared out within a band.
    pub errors: Vec<f64>,
}

impl Shrunk {
    /// Without shrinkage the noise is all there is.
    pub fn unshrunk(noised: &[f64], variance: impl Fn(usize) -> f64) -> Self {
        Self { values: noised.to_vec(), errors: (0..noised.len()).map(variance).collect() }
    }

    /// Times a constant.
    pub fn scaled(mut self, factor: f64) -> Self {
        self.values.iter_mut().for_each(|x| *x *= factor);
        self.errors.iter_mut().for_each(|e| *e *= factor * factor);
        self
    }
}

/// The factor of the positive-part James–Stein estimate of a block of squared norm `energy` with noise of variance one,
/// max(0, 1 − (d − 2)/energy) for d ≥ 3; smaller blocks use d in place of d − 2, which shrinks a little more.
fn james_stein_factor(energy: f64, dimension: usize) -> f64 {
    let d = if dimension >= 3 { dimension as f64 - 2.0 } else { dimension as f64 };
    if energy > 0.0 { (1.0 - d / energy).max(0.0) } else { 0.0 }
}

/// Stein's unbiased estimate of the risk of y ↦ c y for a block with c = 1 − (d−2)/‖y‖² clamped at 0.
fn james_stein_risk(energy: f64, dimension: usize) -> f64 {
    let d = dimension as f64;
    let c = if dimension >= 3 { d - 2.0 } else { d };
    if energy <= c {
        energy - d
    } else {
        // ‖g‖² + 2 div g + d for y + g(y), g = −c y/‖y‖².
        d + c * (c - 2.0 * (d - 2.0)) / energy
    }
}

/// Blockwise James–Stein over bands of frequency, for every channel on its own or for all together, with bands of several
/// widths; which of them is chosen by Stein's unbiased risk estimate on the same noised coefficients.
///
/// Classes are never put together.
fn banded_james_stein<P: Into<SpectralPlace>>(
    noised: &[f64],
    variance: impl Fn(usize) -> f64,
    place: impl Fn(usize) -> P,
) -> Shrunk {
    let mut best: Option<(f64, Shrunk)> = None;
    for per_octave in [1.0, 2.0, 4.0] {
        for by_channel in [true, false] {
            let block = |i: usize| {
                let at = place(i).into();
                let channel = if by_channel { at.channel } else { 0 };
                (at.class, channel, (per_octave * (1.0 + at.frequency).log2()).floor() as usize)
            };
            let (risk, shrunk) = shrink_blocks(noised, &variance, block);
            if best.as_ref().is_none_or(|(r, _)| risk < *r) {
                best = Some((risk, shrunk));
            }
        }
    }
    best.map(|(_, shrunk)| shrunk).unwrap_or_default()
}

/// James–Stein in units of the noise, block by block, and its estimated risk.
fn shrink_blocks<B: Ord>(
    noised: &[f64],
    variance: impl Fn(usize) -> f64,
    block: impl Fn(usize) -> B,
) -> (f64, Shrunk) {
    // Energy in units of the noise, noise, number.
    let mut sums = BTreeMap::<_, (f64, f64, usize)>::new();
    for (i, y) in noised.iter().enumerate() {
        let entry = sums.entry(block(i)).or_default();
        entry.0 += y * y / variance(i);
        entry.1 += variance(i);
        entry.2 += 1;
    }
    let risk = |&(energy, noise, d): &(f64, f64, usize)| james_stein_risk(energy, d) * noise / d as f64;
    let total = sums.values().map(risk).sum();
    let of = |i: usize, y: f64| match sums.get(&block(i)) {
        Some(sum @ &(energy, _, d)) => (y * james_stein_factor(energy, d), risk(sum).max(0.0) / d as f64),
        None => (0.0, 0.0),
    };
    let (values, errors) = noised.iter().enumerate().map(|(i, y)| of(i, *y)).unzip();
    (total, Shrunk { values, errors })
}

/// Share of the expected energy in classes other than the first.
const ANTISYMMETRIC_SHARE: f64 = 0.03;

/// Wiener shrinkage under a smooth prior spectrum fitted by marginal likelihood to the noised coefficients: factor
/// s/(s + q) with s the fitted signal variance at the coefficient's place and q = `variance` the noise's. Every class has a
/// spectrum of its own; the channels within it differ in amplitude and, where the coefficients say so, in shape.
pub fn empirical_bayes<P: Into<SpectralPlace>>(
    noised: &[f64],
    variance: impl Fn(usize) -> f64,
    place: impl Fn(usize) -> P,
) -> Shrunk {
    empirical_bayes_expecting(noised, variance, None, place)
}

/// [`empirical_bayes`] of a signal of whose energy Σ θ² something is known beforehand. Antisymmetric classes are expected to have 3 % of it.
fn empirical_bayes_expecting<P: Into<SpectralPlace>>(
    noised: &[f64],
    variance: impl Fn(usize) -> f64,
    energy: Option<Expectation>,
    place: impl Fn(usize) -> P,
) -> Shrunk {
    let mut classes = BTreeMap::<usize, (Bands, BTreeMap<usize, Bands>)>::new();
    for (i, y) in noised.iter().enumerate() {
        let at = place(i).into();
        let (all, channels) = classes.entry(at.class).or_default();
        all.add(&at, *y, variance(i));
        channels.entry(at.channel).or_default().add(&at, *y, variance(i));
    }
    let mut spectra = BTreeMap::new();
    for (&class, (all, channels)) in &classes {
        let expected = energy.map(|e| if class == 0 { e } else { e.share(ANTISYMMETRIC_SHARE) });
        let each = expected.map(|e| e.share(1.0 / channels.len() as f64));
        let common = Spectrum::fit(all, &Pull::weak(expected), None);
        for (&channel, bands) in channels {
            let own = match channels.len() {
                1 => common,
                _ => Spectrum::fit(bands, &Pull::towards(&common, each), Some(&common)),
            };
            spectra.insert((class, channel), own);
        }
    }
    let wiener = |i: usize, y: f64| {
        let at = place(i).into();
        let s = spectra.get(&(at.class, at.channel)).map_or(0.0, |p| p.variance(&at));
        let share = s / (s + variance(i));
        (share * y, share * variance(i))
    };
    let (values, errors) = noised.iter().enumerate().map(|(i, y)| wiener(i, *y)).unzip();
    Shrunk { values, errors }
}

/// Shrinks coefficients by frequency: by the smooth Wiener factors, or by the bands' where Stein's unbiased estimate
/// of the risk says that these are better by more than three of its own standard deviations, √(2 Σ q²): where hardly anything can be
/// seen, six kinds of bands would otherwise find something in the noise.
///
/// `variance`: that of the noise in each coefficient; it may differ between places, not much within a narrow band of them.
/// `energy`: what Σ θ² may be expected to be, from public numbers; `None` where nothing is known.
pub fn shrink<P: Into<SpectralPlace>>(
    noised: &[f64],
    variance: impl Fn(usize) -> f64,
    energy: Option<Expectation>,
    place: impl Fn(usize) -> P,
) -> Shrunk {
    if (0..noised.len()).all(|i| variance(i) <= 0.0) {
        return Shrunk::unshrunk(noised, |_| 0.0);
    }
    let smooth = empirical_bayes_expecting(noised, &variance, energy, &place);
    let banded = banded_james_stein(noised, &variance, &place);
    let doubt = 3.0 * (2.0 * (0..noised.len()).map(|i| variance(i).powi(2)).sum::<f64>()).sqrt();
    let risk = |shrunk: &Shrunk| linear_risk(noised, &shrunk.values, &variance);
    if risk(&smooth) <= risk(&banded) + doubt { smooth } else { banded }
}

/// Stein's estimate Σ (1 − c)² y² + (2c − 1) q of the risk of factors c = `shrunk`/`noised`, taken as given.
pub fn linear_risk(noised: &[f64], shrunk: &[f64], variance: impl Fn(usize) -> f64) -> f64 {
    noised
        .iter()
        .zip(shrunk)
        .enumerate()
        .map(|(i, (y, s))| {
            let c = if *y != 0.0 { s / y } else { 0.0 };
            (y - s).powi(2) + (2.0 * c - 1.0) * variance(i)
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
            let shrunk = shrink(&noised, |_| 1.0, None, key).values;
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
        let james_stein = |y: &[f64]| shrink_blocks(y, |_| 1.0, |_| 0).1.values;
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
        assert_eq!(shrink(&y, |_| 0.0, None, |_| (0, 0.0)).values, y);
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
            for (expected, sum) in
                [(None, &mut without), (Some(Expectation { energy: 2.0 * energy, doubt: 1.6 }), &mut with)]
            {
                let shrunk = shrink(&noised, |_| 1.0, expected, key).values;
                *sum += theta.iter().zip(&shrunk).map(|(t, s)| (t - s).powi(2)).sum::<f64>() / 30.0;
            }
        }
        assert!(with < 0.5 * without, "{with} against {without}");
        assert!(with < 4.0 * energy, "{with} against {energy}");
    }
}
