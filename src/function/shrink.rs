//! Shrinkage of noised coefficients whose noise variance is known: post-processing, so free of charge.
//!
//! Everything here looks at noised values and public numbers only.

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

/// How finely frequencies are grouped into blocks of one shrinkage factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bands {
    /// Every frequency its own band.
    Single,
    /// Widths growing by about √2.
    Fine,
    /// Widths growing by two.
    Dyadic,
}

impl Bands {
    fn of(self, frequency: usize) -> usize {
        match self {
            Bands::Single => frequency,
            Bands::Fine if frequency < 4 => frequency,
            Bands::Fine => (2.0 * (frequency as f64).log2()).floor() as usize,
            Bands::Dyadic => (usize::BITS - frequency.leading_zeros()) as usize,
        }
    }
}

/// Blockwise James–Stein over bands of (radial × angular) frequency and coordinate; the fineness of the bands is chosen
/// by Stein's unbiased risk estimate on the same noised coefficients.
///
/// `key(i)`: coordinate, radial and angular frequency of coefficient i. Returns the shrunk coefficients.
pub fn banded_james_stein(
    noised: &[f64],
    sigma: f64,
    key: impl Fn(usize) -> (usize, usize, usize),
) -> Vec<f64> {
    let mut best: Option<(f64, Vec<f64>)> = None;
    for (radial, angular) in [
        (Bands::Single, Bands::Single),
        (Bands::Fine, Bands::Fine),
        (Bands::Dyadic, Bands::Fine),
        (Bands::Dyadic, Bands::Dyadic),
    ] {
        for by_coordinate in [true, false] {
            let block = |i: usize| {
                let (k, a, b) = key(i);
                (if by_coordinate { k } else { 0 }, radial.of(a), angular.of(b))
            };
            let (risk, shrunk) = shrink_blocks(noised, sigma, block);
            if best.as_ref().is_none_or(|(r, _)| risk < *r) {
                best = Some((risk, shrunk));
            }
        }
    }
    best.map(|(_, shrunk)| shrunk).unwrap_or_default()
}

fn shrink_blocks(
    noised: &[f64],
    sigma: f64,
    block: impl Fn(usize) -> (usize, usize, usize),
) -> (f64, Vec<f64>) {
    let mut sums = std::collections::BTreeMap::<_, (f64, usize)>::new();
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

/// The smooth prior of [`empirical_bayes`]: signal variance A · (1 + (a/a₀)² + (b/b₀)²)^(−p) at frequencies (a, b).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SmoothPrior {
    /// ln A.
    pub log_amplitude: f64,
    /// ln a₀.
    pub log_radial: f64,
    /// ln b₀.
    pub log_angular: f64,
    /// ln p.
    pub log_power: f64,
}

impl SmoothPrior {
    fn variance(&self, a: usize, b: usize) -> f64 {
        let (u, v) = (a as f64 / self.log_radial.exp(), b as f64 / self.log_angular.exp());
        (self.log_amplitude - self.log_power.exp() * (1.0 + u * u + v * v).ln()).exp()
    }
}

/// Wiener shrinkage under a smooth prior spectrum fitted by marginal likelihood to the noised coefficients: factor
/// s/(s + σ²) with s the fitted signal variance at the coefficient's frequencies.
pub fn empirical_bayes(noised: &[f64], sigma: f64, key: impl Fn(usize) -> (usize, usize, usize)) -> Vec<f64> {
    let coordinates = (0..noised.len()).map(|i| key(i).0).max().map_or(0, |k| k + 1);
    let priors: Vec<SmoothPrior> = (0..coordinates)
        .map(|k| {
            let mut spectrum = std::collections::BTreeMap::<(usize, usize), (f64, usize)>::new();
            for (i, y) in noised.iter().enumerate().filter(|(i, _)| key(*i).0 == k) {
                let (_, a, b) = key(i);
                let entry = spectrum.entry((a, b)).or_default();
                entry.0 += y * y;
                entry.1 += 1;
            }
            fit_prior(&spectrum, sigma)
        })
        .collect();
    noised
        .iter()
        .enumerate()
        .map(|(i, y)| {
            let (k, a, b) = key(i);
            let s = priors[k].variance(a, b);
            y * s / (s + sigma * sigma)
        })
        .collect()
}

type Spectrum = std::collections::BTreeMap<(usize, usize), (f64, usize)>;

/// Coordinate descent with shrinking steps on the negative log marginal likelihood, from a few starts.
fn fit_prior(spectrum: &Spectrum, sigma: f64) -> SmoothPrior {
    let s2 = sigma * sigma;
    let cost = |x: &[f64; 4]| -> f64 {
        let prior = SmoothPrior { log_amplitude: x[0], log_radial: x[1], log_angular: x[2], log_power: x[3] };
        let fit: f64 = spectrum
            .iter()
            .map(|(&(a, b), &(energy, d))| {
                let v = prior.variance(a, b) + s2;
                d as f64 * v.ln() + energy / v
            })
            .sum();
        // A weak pull keeps the scales in a sensible range when the data say nothing.
        fit + 0.05 * ((x[1] - 0.7).powi(2) + (x[2] - 0.7).powi(2) + (x[3] - 1.0).powi(2))
    };
    let lowest = spectrum.get(&(0, 0)).map_or(0.0, |&(e, d)| e / d as f64);
    let peak = spectrum.values().map(|&(e, d)| e / d as f64).fold(0.0, f64::max);
    let mut best: Option<(f64, [f64; 4])> = None;
    for amplitude in [lowest.max(1e-3 * s2), peak.max(1e-3 * s2), s2] {
        for power in [0.4, 1.0, 1.6] {
            let mut x = [amplitude.max(f64::MIN_POSITIVE).ln(), 0.7, 0.7, power];
            let mut value = cost(&x);
            let mut step = 1.0;
            while step > 0.01 {
                let mut moved = false;
                for k in 0..4 {
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
    let x = best.map_or([f64::NEG_INFINITY, 0.0, 0.0, 0.0], |b| b.1);
    SmoothPrior { log_amplitude: x[0], log_radial: x[1], log_angular: x[2], log_power: x[3] }
}

/// Shrinks by whichever of [`banded_james_stein`] and a Wiener filter then James–Stein-corrected by bands looks better:
/// the smooth Wiener factors first, and where bands carry clearly more signal than the smooth prior expects, the bands'.
///
/// The larger of the two factors is used coefficient by coefficient: a face's features concentrate in frequencies no
/// smooth spectrum foresees, and undershrinking a little costs less than losing them.
pub fn shrink(noised: &[f64], sigma: f64, key: impl Fn(usize) -> (usize, usize, usize)) -> Vec<f64> {
    if sigma <= 0.0 {
        return noised.to_vec();
    }
    let smooth = empirical_bayes(noised, sigma, &key);
    let banded = banded_james_stein(noised, sigma, &key);
    smooth.iter().zip(&banded).map(|(s, b)| if s.abs() > b.abs() { *s } else { 0.5 * (s + b) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_distr::{Distribution, StandardNormal};

    fn key(i: usize) -> (usize, usize, usize) {
        (i / 800, (i % 800) / 40, (i % 40).div_ceil(2))
    }

    fn signal(amplitude: f64) -> Vec<f64> {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(5);
        (0..2400)
            .map(|i| {
                let (_, a, b) = key(i);
                let z: f64 = StandardNormal.sample(&mut rng);
                amplitude * z / (1.0 + (a as f64).powi(2) + (b as f64).powi(2))
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
            let (_, a, b) = key(i);
            (amplitude / (1.0 + (a as f64).powi(2) + (b as f64).powi(2))).powi(2)
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
        assert_eq!(shrink(&y, 0.0, |_| (0, 0, 0)), y);
    }
}
