//! Laws of radii against closed forms, and that draws return.

use super::*;
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Ledger, Mu, PrivacyLoss};
use statrs::distribution::{ContinuousCDF, Gamma};

struct GammaDensity(f64);
impl RadialDensity for GammaDensity {
    fn concave(&self, t: f64) -> f64 {
        (self.0 - 1.0) * t.ln() - t
    }
    fn end(&self) -> f64 {
        f64::INFINITY
    }
}

struct Flat;
impl RadialDensity for Flat {
    fn concave(&self, t: f64) -> f64 {
        0.0 * t
    }
    fn end(&self) -> f64 {
        f64::INFINITY
    }
}

/// Kolmogorov–Smirnov at level 1e-4 for each of four laws.
#[test]
fn gamma_radii_follow_their_law() {
    let loss = PrivacyLoss::Gaussian(Mu::new(1.0).unwrap());
    for shape in [1.0, 2.0, 10.0, 210.0] {
        let law = RadialLaw::new(GammaDensity(shape), shape).unwrap();
        let mut source = NoiseSource::seeded(5);
        let paid = Ledger::in_memory(None).charge("test", loss).unwrap();
        let mut rng = source.open(paid, loss).unwrap();
        let n = 20_000;
        let mut draws: Vec<f64> = (0..n).map(|_| law.draw(&mut rng)).collect();
        draws.sort_by(f64::total_cmp);
        let exact = Gamma::new(shape, 1.0).unwrap();
        let distance = draws
            .iter()
            .enumerate()
            .map(|(i, t)| (exact.cdf(*t) - (i as f64 + 0.5) / n as f64).abs())
            .fold(0.0, f64::max);
        assert!(distance < 2.23 / (n as f64).sqrt(), "{shape}: {distance}");
    }
}

/// An area that rises to the end of the range, under a density that falls steeply.
struct Narrow {
    dim: f64,
    rate: f64,
}
impl RadialDensity for Narrow {
    fn concave(&self, t: f64) -> f64 {
        (self.dim - 1.0) * t.sin().max(0.0).ln()
    }
    fn rest(&self, t: f64) -> f64 {
        -self.rate * t
    }
    fn rest_bound(&self, a: f64, _b: f64) -> f64 {
        self.rest(a)
    }
    fn end(&self) -> f64 {
        1.5
    }
}

/// The envelope holds few times the mass of the density, however narrow it is: draws return.
#[test]
fn draws_from_narrow_densities_return() {
    let loss = PrivacyLoss::Gaussian(Mu::new(1.0).unwrap());
    for dim in [2.0, 10.0, 30.0, 97.0] {
        for rate in [1.0, 30.0, 300.0, 3e3, 3e4, 1e6] {
            let law = RadialLaw::new(Narrow { dim, rate }, dim / rate).unwrap();
            let mut source = NoiseSource::seeded(6);
            let paid = Ledger::in_memory(None).charge("test", loss).unwrap();
            let mut rng = source.open(paid, loss).unwrap();
            let n = 2000;
            let mean = (0..n).map(|_| law.draw(&mut rng)).sum::<f64>() / n as f64;
            // Narrow ones are Gamma(dim) laws: mean dim/rate, standard error √dim/rate/√n; five of them.
            if rate > 30.0 * dim {
                let gamma = dim / rate;
                let allowed = 5.0 * dim.sqrt() / rate / f64::sqrt(n as f64) + gamma * gamma * gamma * dim;
                assert!((mean - gamma).abs() < allowed, "{dim} {rate}: {mean} against {gamma}");
            }
        }
    }
}

/// Like a volume that grows as sinh^{d−1}, under noise nearly too wide for it: the mass lies far out on a long flat stretch.
struct NearlyTooWide {
    dim: f64,
    spare: f64,
}
impl RadialDensity for NearlyTooWide {
    fn concave(&self, t: f64) -> f64 {
        (self.dim - 1.0) * (t + (-(-2.0 * t).exp()).ln_1p())
    }
    fn rest(&self, t: f64) -> f64 {
        -(self.dim - 1.0) * (1.0 + self.spare) * t
    }
    fn rest_bound(&self, a: f64, _b: f64) -> f64 {
        self.rest(a)
    }
    fn rest_slope(&self) -> f64 {
        -(self.dim - 1.0) * (1.0 + self.spare)
    }
    fn end(&self) -> f64 {
        f64::INFINITY
    }
}

#[test]
fn draws_from_nearly_too_wide_noise_return() {
    let loss = PrivacyLoss::Gaussian(Mu::new(1.0).unwrap());
    for dim in [3.0, 66.0] {
        for spare in [0.3, 0.03, 3e-3, 3e-4] {
            let law = RadialLaw::new(NearlyTooWide { dim, spare }, 1.0 / spare).unwrap();
            let mut source = NoiseSource::seeded(7);
            let paid = Ledger::in_memory(None).charge("test", loss).unwrap();
            let mut rng = source.open(paid, loss).unwrap();
            let n = 2000;
            let mean = (0..n).map(|_| law.draw(&mut rng)).sum::<f64>() / n as f64;
            // With x = e^{−2t} the density is that of a Beta((d−1)s/2, d) law, and E[t] = (ψ(a+b) − ψ(a))/2.
            let (a, b) = (0.5 * (dim - 1.0) * spare, dim);
            let digamma = statrs::function::gamma::digamma;
            let expected = 0.5 * (digamma(a + b) - digamma(a));
            let variance = 0.25 * (trigamma(a) - trigamma(a + b));
            let error = (variance / n as f64).sqrt();
            assert!((mean - expected).abs() < 5.0 * error, "{dim} {spare}: {mean} {expected} {error}");
        }
    }
}

/// ψ′, by recurrence and its asymptotic series.
fn trigamma(x: f64) -> f64 {
    if x < 30.0 {
        return 1.0 / (x * x) + trigamma(x + 1.0);
    }
    1.0 / x + 0.5 / (x * x) + 1.0 / (6.0 * x.powi(3)) - 1.0 / (30.0 * x.powi(5))
}

#[test]
fn what_cannot_be_normalized_is_refused() {
    assert!(RadialLaw::new(Flat, 1.0).is_err());
}
