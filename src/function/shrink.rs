//! Shrinkage of noised coefficients whose noise variance is known: post-processing, so free of charge.
//!
//! Everything here looks at noised values and public numbers only.

use std::collections::BTreeMap;

/// Positive-part James–Stein on one block: y ↦ max(0, 1 − (d − 2) σ²/‖y‖²) y for d ≥ 3; smaller blocks use d
/// in place of d − 2, which shrinks a little more.
pub fn james_stein(block: &mut [f64], sigma: f64) {
    let energy: f64 = block.iter().map(|y| y * y).sum();
    let factor = james_stein_factor(energy, block.len(), sigma);
    block.iter_mut().for_each(|y| *y *= factor);
}

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
/// `key(i)`: channel and frequency of coefficient i.
pub fn banded_james_stein(noised: &[f64], sigma: f64, key: impl Fn(usize) -> (usize, f64)) -> Vec<f64> {
    let mut best: Option<(f64, Vec<f64>)> = None;
    for per_octave in [1.0, 2.0, 4.0] {
        for by_channel in [true, false] {
            let block = |i: usize| {
                let (channel, frequency) = key(i);
                (
                    if by_channel { channel } else { 0 },
                    (per_octave * (1.0 + frequency).log2()).floor() as usize,
                )
            };
            let (risk, shrunk) = shrink_blocks(noised, sigma, block);
            if best.as_ref().is_none_or(|(r, _)| risk < *r) {
                best = Some((risk, shrunk));
            }
        }
    }
    best.map(|(_, shrunk)| shrunk).unwrap_or_default()
}

fn shrink_blocks(noised: &[f64], sigma: f64, block: impl Fn(usize) -> (usize, usize)) -> (f64, Vec<f64>) {
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

/// The smooth prior of [`empirical_bayes`]: signal variance A·(1 + (ν/ν₀)²)^(−p) at frequency ν.
#[derive(Debug, Clone, Copy, PartialEq)]
struct SmoothPrior {
    log_amplitude: f64,
    log_corner: f64,
    log_power: f64,
}

impl SmoothPrior {
    fn variance(&self, frequency: f64) -> f64 {
        let u = frequency / self.log_corner.exp();
        (self.log_amplitude - self.log_power.exp() * (u * u).ln_1p()).exp()
    }
}

/// Wiener shrinkage under a smooth prior spectrum fitted by marginal likelihood to the noised coefficients of each channel:
/// factor s/(s + σ²) with s the fitted signal variance at the coefficient's frequency.
pub fn empirical_bayes(noised: &[f64], sigma: f64, key: impl Fn(usize) -> (usize, f64)) -> Vec<f64> {
    let mut spectra = BTreeMap::<usize, Spectrum>::new();
    for (i, y) in noised.iter().enumerate() {
        let (channel, frequency) = key(i);
        let bin = (12.0 * (1.0 + frequency).log2()).floor() as usize;
        let entry = spectra.entry(channel).or_default().entry(bin).or_default();
        entry.energy += y * y;
        entry.count += 1.0;
        entry.frequency += frequency;
    }
    let priors: BTreeMap<usize, SmoothPrior> =
        spectra.iter().map(|(&channel, spectrum)| (channel, fit_prior(spectrum, sigma))).collect();
    noised
        .iter()
        .enumerate()
        .map(|(i, y)| {
            let (channel, frequency) = key(i);
            let s = priors.get(&channel).map_or(0.0, |p| p.variance(frequency));
            y * s / (s + sigma * sigma)
        })
        .collect()
}

/// Energy, number and summed frequency of the coefficients of a narrow band.
#[derive(Debug, Clone, Copy, Default)]
struct Bin {
    energy: f64,
    count: f64,
    frequency: f64,
}

type Spectrum = BTreeMap<usize, Bin>;

/// Coordinate descent with shrinking steps on the negative log marginal likelihood, from a few starts.
fn fit_prior(spectrum: &Spectrum, sigma: f64) -> SmoothPrior {
    let s2 = sigma * sigma;
    let prior = |x: &[f64; 3]| SmoothPrior { log_amplitude: x[0], log_corner: x[1], log_power: x[2] };
    let cost = |x: &[f64; 3]| -> f64 {
        let prior = prior(x);
        let fit: f64 = spectrum
            .values()
            .map(|bin| {
                let v = prior.variance(bin.frequency / bin.count) + s2;
                bin.count * v.ln() + bin.energy / v
            })
            .sum();
        // A weak pull keeps the shape in a sensible range when the data say nothing.
        fit + 0.05 * ((x[1] - 1.0).powi(2) + (x[2] - 0.8).powi(2))
    };
    let lowest = spectrum.values().next().map_or(0.0, |b| b.energy / b.count);
    let peak = spectrum.values().map(|b| b.energy / b.count).fold(0.0, f64::max);
    let mut best: Option<(f64, [f64; 3])> = None;
    for amplitude in [lowest.max(1e-3 * s2), peak.max(1e-3 * s2), s2] {
        for power in [0.2, 0.8, 1.4] {
            let mut x = [amplitude.max(f64::MIN_POSITIVE).ln(), 1.0, power];
            let mut value = cost(&x);
            let mut step = 1.0;
            while step > 0.005 {
                let mut moved = false;
                for k in 0..3 {
                    for direction in [step, -step] {
                        let mut y = x;
                        y[k] += direction;
                        let trial = cost(&y);
                        if trial < value {
                            (x, value, moved) = (y, trial, true);
                        }
                    }
                }
                if !moved {
                    step *= 0.5;
                }
            }
            if best.is_none_or(|(v, _)| value < v) {
                best = Some((value, x));
            }
        }
    }
    prior(&best.map_or([f64::NEG_INFINITY, 0.0, 0.0], |b| b.1))
}

/// Shrinks coefficients by frequency: by the smooth Wiener factors, or by the bands' where Stein's unbiased estimate
/// of the risk says that these are better by more than its own standard deviation, σ²√(2d).
pub fn shrink(noised: &[f64], sigma: f64, key: impl Fn(usize) -> (usize, f64)) -> Vec<f64> {
    if sigma <= 0.0 {
        return noised.to_vec();
    }
    let smooth = empirical_bayes(noised, sigma, &key);
    let banded = banded_james_stein(noised, sigma, &key);
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
            let shrunk = shrink(&noised, 1.0, key);
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
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(7);
        let (mut with, runs) = (0.0, 20_000);
        for _ in 0..runs {
            let mut y: Vec<f64> = [1.0, 0.5, -0.5]
                .iter()
                .map(|t| t + Distribution::<f64>::sample(&StandardNormal, &mut rng))
                .collect();
            james_stein(&mut y, 1.0);
            with += y.iter().zip([1.0, 0.5, -0.5]).map(|(y, t)| (y - t).powi(2)).sum::<f64>() / runs as f64;
        }
        assert!(with < 2.5, "{with} (the identity has 3)");
    }

    #[test]
    fn no_noise_means_no_shrinkage() {
        let y = [1.0, -2.0];
        assert_eq!(shrink(&y, 0.0, |_| (0, 0.0)), y);
    }
}
