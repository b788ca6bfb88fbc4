//! How far records lie beyond the second round's radius, and what shortening them may move.

use crate::estimate::Prior;
use crate::function::Basis;
use crate::mechanism::MechanismError;
use crate::mechanism::rounds::EXCESS;
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Charge, ClipRadius, ClippedMean, Drawn, Mechanism, Mu, NoisedPart};

/// One record's excess counts up to so many radii.
const MOST: f64 = 2.0;
/// Which part of what is cut off lies on one side: 0 for records on all sides alike, 1 for records beyond on one side only. Found: .12 of faces 3 % of
/// which lie ten times as far as the others, .37 of faces with one lognormal mode, .7 of 18 macaques drawn again and again.
const ONE_SIDED: f64 = 0.4;

/// The mean of (‖u‖ − τ)₊ over the records, each at most [`MOST`] τ.
pub(super) struct Excess {
    mean: ClippedMean,
    radius: f64,
}

impl Excess {
    /// Beyond this radius, of n records.
    ///
    /// # Errors
    /// [`MechanismError`] for a radius out of range.
    pub(super) fn new(radius: ClipRadius, n: u64, mu: Mu) -> Result<Self, MechanismError> {
        let half = ClipRadius::new(0.5 * MOST * radius.get(), radius.source())?;
        Ok(Self { mean: ClippedMean::new(1, n, half, mu)?, radius: radius.get() })
    }

    /// Draws it once, of the records' lengths.
    ///
    /// # Errors
    /// [`MechanismError`].
    pub(super) fn draw(
        &self,
        lengths: &[f64],
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<f64>, MechanismError> {
        let half = 0.5 * MOST * self.radius;
        // Between −half and half: a record that is not beyond the radius, or has no length, counts as one that is not.
        let one = |length: &f64| (length - self.radius).max(0.0).min(2.0 * half) - half;
        let records: Vec<Option<Vec<f64>>> = lengths.iter().map(|length| Some(vec![one(length)])).collect();
        let Drawn { value, parts } = self.mean.draw(&self.mean.prepare(&records)?, noise, paid)?;
        let parts = parts.into_iter().map(|part| NoisedPart { what: EXCESS.into(), ..part }).collect();
        Ok(Drawn { value: value.first().copied().unwrap_or_default() + half, parts })
    }

    /// How many times as long as the radius records are, where all of them lie beyond it, on one side or another, as they do from a centre that is no
    /// good: what stands out of the noise; and how far that may be off, as a share of it.
    ///
    /// Mean and noise are multiplied by that, so it must not follow the noise: of e − s²/(2e) and e − s²/e, e the excess, s its noise, the former was
    /// better on faces .05 from the template and no worse on others.
    pub(super) fn lengthened(&self, excess: f64) -> (f64, f64) {
        let (e, s) = (excess / self.radius, self.mean.scale() / self.radius);
        let beyond = if e > 0.0 { (e - 0.5 * s * s / e).max(0.0) } else { 0.0 };
        (1.0 + beyond, s / (1.0 + beyond))
    }

    /// The square that a clip is expected to move a mean by, in the norm: what the noised mean excess tells above its own noise.
    pub(super) fn moved(&self, excess: f64) -> f64 {
        ONE_SIDED.powi(2) * (excess.powi(2) - self.mean.scale().powi(2)).max(0.0)
    }
}

/// A mean's squared error in the norm, spread over the samples as records of the public spectrum vary.
pub(super) fn spread(square: f64, basis: &Basis, prior: &Prior) -> Vec<f64> {
    let weighted: f64 = (0..prior.len()).map(|j| prior.weighted(j)).sum();
    let mut errors = basis.variances(&prior.spectrum);
    errors.iter_mut().for_each(|error| *error *= square / weighted);
    errors
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::{ClipSource, Composition, Cost, Ledger, Part, PrivacyLoss, ScaleCheck};

    /// Noise of standard deviation (2τ/n)/μ about the mean excess, which no length moves by more than 2τ/n.
    #[test]
    fn the_excess_is_that_of_the_lengths_and_its_noise_is_as_claimed() {
        let (tau, n, mu) = (0.5, 40, Mu::new(0.7).unwrap());
        let excess = Excess::new(ClipRadius::new(tau, ClipSource::Private).unwrap(), n, mu).unwrap();
        // Half of them inside, a quarter half a radius beyond, a quarter beyond what counts, or no number.
        let length = |i: u64| [0.2, 0.5, 0.75, [1e9, f64::INFINITY][i as usize / 4 % 2]][i as usize % 4];
        let mut lengths: Vec<f64> = (0..n).map(length).collect();
        let expected = (0.25 + MOST * tau) / 4.0;
        let mut noise = NoiseSource::seeded(5);
        let mut draw = |lengths: &[f64]| {
            let mut parts = Composition::new();
            parts.add(EXCESS, PrivacyLoss::Gaussian(mu));
            let part = Part { mechanism: "a part".into(), times: 1, cost: Cost::Parts(parts) };
            let paid = Ledger::in_memory(None).announce(part).and_then(|announced| announced.pay()).unwrap();
            let paid = paid.split(&[PrivacyLoss::Gaussian(mu)]).unwrap().remove(0);
            excess.draw(lengths, &mut noise, paid).unwrap().value
        };
        let sigma = MOST * tau / n as f64 / mu.get();
        let squares: Vec<f64> = (0..3000).map(|_| (draw(&lengths) - expected).powi(2)).collect();
        assert!(ScaleCheck::of_squares(&squares, sigma * sigma).holds());
        lengths.fill(f64::NAN);
        let none = (0..100).map(|_| draw(&lengths)).sum::<f64>() / 100.0;
        assert!(none.abs() < 0.4 * sigma, "{none}");
        assert_eq!(excess.moved(0.0), 0.0);
        // Nothing out of nothing; nothing below 0.7 standard deviations; half a variance less than what was found.
        assert_eq!((excess.lengthened(-1.0).0, excess.lengthened(0.0).0), (1.0, 1.0));
        assert_eq!(excess.lengthened(0.7 * sigma).0, 1.0);
        let (times, doubt) = excess.lengthened(tau);
        approx::assert_relative_eq!(times, 2.0 - 0.5 * (sigma / tau).powi(2), max_relative = 1e-6);
        approx::assert_relative_eq!(doubt, sigma / tau / times, max_relative = 1e-6);
    }
}
