//! A smooth spectrum of signal variances, fitted by marginal likelihood to coefficients with noise of known variance.

use super::place::SpectralPlace;
use nalgebra::{Matrix4, Vector4};
use std::collections::BTreeMap;

/// Signal variance A · (1 + (ν/ν₀)²)^(−p) · (1 + κ)^(−q) at local frequency ν and angular frequency κ.
///
/// A parameter vector holds ln A, ln ν₀, ln p and q.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spectrum(Vector4<f64>);

/// Where a spectrum's parameters are pulled to, and how strongly (the second derivative of −2 log prior, halved).
#[derive(Debug, Clone, Copy)]
pub(super) struct Pull {
    towards: Vector4<f64>,
    strength: Vector4<f64>,
    /// What is known of the signal's energy.
    energy: Option<Expectation>,
}

/// What Σ θ² is expected to be, from public numbers or released ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expectation {
    /// Its size.
    pub energy: f64,
    /// How sure that is: a standard deviation of its logarithm.
    pub doubt: f64,
}

impl Expectation {
    /// Of a part.
    pub(super) fn share(self, share: f64) -> Self {
        Self { energy: share * self.energy, ..self }
    }

    /// Strength of the pull on ln(energy).
    fn strength(self) -> f64 {
        1.0 / (self.doubt * self.doubt)
    }
}

impl Pull {
    /// Towards sensible shapes and the expected energy: it keeps single large draws of the noise from being taken for a spectrum
    /// of one line where there is hardly any signal, and does not matter where there is.
    pub(super) fn weak(energy: Option<Expectation>) -> Self {
        Self { towards: Vector4::new(0.0, 1.0, 0.0, 1.0), strength: Vector4::new(0.0, 0.5, 0.5, 0.5), energy }
    }

    /// Towards the shape that several channels have in common; amplitudes stay almost free.
    pub(super) fn towards(common: &Spectrum, energy: Option<Expectation>) -> Self {
        Self { towards: common.0, strength: Vector4::new(0.1, 2.0, 2.0, 2.0), energy }
    }
}

/// Energies of narrow bands of (local, angular) frequency.
#[derive(Debug, Clone, Default)]
pub(super) struct Bands(BTreeMap<(i32, i32), Band>);

#[derive(Debug, Clone, Copy, Default)]
struct Band {
    energy: f64,
    count: f64,
    /// Sum of the noise variances.
    noise: f64,
    frequency: f64,
    log_angular: f64,
}

/// A band's energy and count, and the means of the rest.
struct Means {
    energy: f64,
    count: f64,
    noise: f64,
    frequency: f64,
    log_angular: f64,
}

/// Bands per octave of 1 + frequency.
const PER_OCTAVE: f64 = 8.0;

impl Bands {
    /// Adds a noised coefficient, and the variance of its noise, which should differ little within a band.
    pub(super) fn add(&mut self, place: &SpectralPlace, value: f64, noise: f64) {
        let band = |frequency: f64| (PER_OCTAVE * (1.0 + frequency).log2()).floor() as i32;
        let entry = self.0.entry((band(place.frequency), band(place.angular))).or_default();
        entry.energy += value * value;
        entry.count += 1.0;
        entry.noise += noise;
        entry.frequency += place.frequency;
        entry.log_angular += place.angular.ln_1p();
    }

    fn means(&self) -> Vec<Means> {
        let means = |b: &Band| Means {
            energy: b.energy,
            count: b.count,
            noise: b.noise / b.count,
            frequency: b.frequency / b.count,
            log_angular: b.log_angular / b.count,
        };
        self.0.values().map(means).collect()
    }
}

impl Spectrum {
    /// Signal variance at a coefficient's place.
    pub(super) fn variance(&self, place: &SpectralPlace) -> f64 {
        self.at()(place.frequency, place.angular.ln_1p()).0
    }

    /// Variance and derivatives of its logarithm by the parameters, at a frequency and the logarithm of one more than an angular frequency.
    fn at(&self) -> impl Fn(f64, f64) -> (f64, Vector4<f64>) + use<> {
        let [log_amplitude, log_corner, log_power, tilt] = self.0.into();
        let (corner, power) = (log_corner.exp(), log_power.exp());
        move |frequency, log_angular| {
            let u = (frequency / corner).powi(2);
            let fall = u.ln_1p();
            let log = log_amplitude - power * fall - tilt * log_angular;
            let slope = Vector4::new(1.0, 2.0 * power * u / (1.0 + u), -power * fall, -log_angular);
            (log.min(600.0).exp(), slope)
        }
    }

    /// The spectrum of largest posterior density, sought from several starts.
    pub(super) fn fit(bands: &Bands, pull: &Pull, also: Option<&Self>) -> Self {
        let (energy, count, noise) =
            bands.0.values().fold((0.0, 0.0, 0.0), |(e, c, q), b| (e + b.energy, c + b.count, q + b.noise));
        let s2 = noise / f64::max(count, 1.0);
        let peak = bands.0.values().map(|b| b.energy / b.count).fold(0.0, f64::max);
        let expected = pull.energy.map(|expected| 0.1 * expected.energy);
        let mut starts: Vec<Vector4<f64>> = [energy / f64::max(count, 1.0), peak, s2]
            .into_iter()
            .chain(expected)
            .flat_map(|a: f64| {
                let log = a.max(1e-3 * s2).max(f64::MIN_POSITIVE).ln();
                [-0.7, 0.5].map(|log_power| Vector4::new(log, 1.0, log_power, 0.0))
            })
            .collect();
        if let Some(spectrum) = also {
            starts = vec![spectrum.0, spectrum.0 + Vector4::new(2.0, 0.0, 0.0, 0.0)];
        }
        let means = bands.means();
        starts
            .into_iter()
            .map(|start| ascend(&means, pull, start))
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .map_or(Self(pull.towards), |(_, x)| Self(x))
    }
}

/// −2 log posterior, its gradient and its expected second derivative (Fisher information), all halved.
fn expand(bands: &[Means], pull: &Pull, x: &Vector4<f64>) -> (f64, Vector4<f64>, Matrix4<f64>) {
    let (at, offset) = (Spectrum(*x).at(), x - pull.towards);
    let mut value = 0.5 * offset.dot(&pull.strength.component_mul(&offset));
    let mut gradient = pull.strength.component_mul(&offset);
    let mut information = Matrix4::from_diagonal(&pull.strength);
    let (mut energy, mut energy_slope) = (0.0, Vector4::zeros());
    for band in bands {
        let (signal, slope) = at(band.frequency, band.log_angular);
        let v = signal + band.noise;
        let share = signal / v;
        value += 0.5 * (band.count * v.ln() + band.energy / v);
        gradient += 0.5 * share * (band.count - band.energy / v) * slope;
        information += 0.5 * band.count * share * share * slope * slope.transpose();
        energy += band.count * signal;
        energy_slope += band.count * signal * slope;
    }
    if let Some(expected) = pull.energy
        && energy > 0.0
    {
        let (excess, slope) = ((energy / expected.energy).ln(), energy_slope / energy);
        value += 0.5 * expected.strength() * excess * excess;
        gradient += expected.strength() * excess * slope;
        information += expected.strength() * slope * slope.transpose();
    }
    (value, gradient, information)
}

/// Fisher scoring with Levenberg's damping.
fn ascend(bands: &[Means], pull: &Pull, start: Vector4<f64>) -> (f64, Vector4<f64>) {
    let mut x = start;
    let (mut value, mut gradient, mut information) = expand(bands, pull, &x);
    let mut damping = 1e-2;
    for _ in 0..60 {
        let mut damped = information;
        (0..4).for_each(|i| damped[(i, i)] += damping * (information[(i, i)] + 1e-3));
        let step = damped.cholesky().map_or_else(Vector4::zeros, |c| -c.solve(&gradient));
        // No parameter moves by more than a factor of e² at once, and none leaves the range of doubles.
        let next = (x + step.map(|s| s.clamp(-2.0, 2.0))).map(|p| p.clamp(-200.0, 200.0));
        let (trial, g, h) = expand(bands, pull, &next);
        if trial < value {
            let gain = value - trial;
            (x, value, gradient, information) = (next, trial, g, h);
            damping = (0.2 * damping).max(1e-9);
            if gain < 1e-6 {
                break;
            }
        } else {
            damping *= 8.0;
            if damping > 1e8 {
                break;
            }
        }
    }
    (value, x)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Coefficients whose energies are exactly the expected ones: the fit finds the spectrum they were made with.
    #[test]
    fn the_fit_recovers_a_spectrum_from_expected_energies() {
        let truth = Spectrum(Vector4::new(5.0, 1.2, 0.3, 0.6));
        let mut bands = Bands::default();
        let places: Vec<SpectralPlace> = (0..40)
            .flat_map(|a| (0..20).map(move |k| (a, k)))
            .map(|(a, k)| SpectralPlace {
                frequency: f64::hypot(2.0 * a as f64, k as f64),
                angular: k as f64,
                ..SpectralPlace::default()
            })
            .collect();
        for place in &places {
            bands.add(place, (truth.variance(place) + 0.01).sqrt(), 0.01);
        }
        let found = Spectrum::fit(&bands, &Pull::weak(None), None);
        for place in places.iter().filter(|p| truth.variance(p) > 0.01) {
            let ratio = found.variance(place) / truth.variance(place);
            assert!((0.8..1.25).contains(&ratio), "{place:?}: {ratio}");
        }
    }

    #[test]
    fn gradient_and_value_agree() {
        let mut bands = Bands::default();
        for i in 0..50 {
            let place =
                SpectralPlace { frequency: i as f64, angular: (i % 7) as f64, ..SpectralPlace::default() };
            bands.add(&place, 3.0 / (1.0 + i as f64), 0.04);
        }
        let (pull, x) =
            (Pull::weak(Some(Expectation { energy: 0.3, doubt: 1.6 })), Vector4::new(0.5, 0.8, 0.1, 0.4));
        let (_, gradient, _) = expand(&bands.means(), &pull, &x);
        for i in 0..4 {
            let h = 1e-6 * Vector4::ith(i, 1.0);
            let slope = (expand(&bands.means(), &pull, &(x + h)).0
                - expand(&bands.means(), &pull, &(x - h)).0)
                / 2e-6;
            approx::assert_relative_eq!(slope, gradient[i], max_relative = 1e-6, epsilon = 1e-8);
        }
    }
}
