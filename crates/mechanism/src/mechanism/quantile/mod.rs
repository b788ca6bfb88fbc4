//! A clip radius estimated privately: a high quantile of the records' norms from noisy counts on a public grid.

mod bisect;
#[cfg(test)]
mod tests;
mod worst_case;

pub(in crate::mechanism) use bisect::STEPS;
pub use bisect::{BisectedRadius, BisectedRelease, Bracket, Lengths};
pub use worst_case::{BISECTED_ENTRY, ENTRY};

use super::MechanismError;
use crate::privacy::noise::NoiseSource;
use crate::privacy::{
    Charge, ClipRadius, ClipSource, Drawn, L2Sensitivity, Mechanism, Mu, NoisedPart, Price, PrivacyLoss,
    Sensitivity, Title,
};
use serde::{Deserialize, Serialize};
use std::f64::consts::SQRT_2;

const TITLE: Title = Title {
    name: "private clip radius",
    sentence: "How many records lie between the radii of a public list is counted, normal noise is added to the counts, and the radius \
               that holds nearly all records is read off the noised counts.",
};

/// Share of the records that the radius is to hold.
const HELD: f64 = 0.95;

/// The largest standard deviation of the rank, as a share of the records.
const DOUBT: f64 = 0.05;

/// Public radii to choose from: `low`, `low`·`ratio`, … up to the first at or above `high`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RadiusGrid {
    /// The smallest, in the units of the norms.
    pub low: f64,
    /// At most the largest.
    pub high: f64,
    /// From one to the next, at least 1.01.
    pub ratio: f64,
}

/// A quantile of norms under Gaussian differential privacy.
///
#[doc = include_str!("proof.md")]
#[derive(Debug, Clone)]
pub struct PrivateQuantile {
    edges: Vec<ClipRadius>,
    widest: ClipRadius,
    share: f64,
    mu: Mu,
    sensitivity: L2Sensitivity,
    price: Price,
}

/// A private radius, always one of the grid's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QuantileRelease {
    /// The radius.
    pub radius: ClipRadius,
    /// The noised counts it was read off: as private as the radius.
    pub counts: Vec<f64>,
}

impl PrivateQuantile {
    /// Share of μ that a private radius costs studies; what follows keeps √(1 − 0.2²) = 0.98 of it.
    pub const BUDGET_SHARE: f64 = 0.2;

    /// The radius that holds about `share` of n norms, among those of the grid, at privacy loss μ = `mu`.
    ///
    /// # Errors
    /// [`MechanismError::TooFew`] when the rank's standard deviation would exceed 5 % of n; a grid or share out of range.
    pub fn new(grid: &RadiusGrid, share: f64, n: u64, mu: Mu) -> Result<Self, MechanismError> {
        let RadiusGrid { low, high, ratio } = *grid;
        let proper = low > 0.0 && high > low && high.is_finite() && ratio >= 1.01 && ratio.is_finite();
        let steps = ((high / low).ln() / ratio.ln() - 1e-9).ceil().max(1.0);
        if !proper || steps > 999.0 {
            return Err(MechanismError::Grid);
        }
        if !(share > 0.0 && share < 1.0) {
            return Err(MechanismError::Share);
        }
        let doubt = SQRT_2 / mu.get() * (steps / 2.0).sqrt();
        if n == 0 || doubt > DOUBT * n as f64 {
            let (records, times) = ((doubt / DOUBT).ceil() as u64, doubt / (DOUBT * n as f64));
            return Err(MechanismError::TooFew { n, mu: mu.get(), doubt, records, times });
        }
        let radius = |i| ClipRadius::new(low * ratio.powi(i), ClipSource::Private);
        let edges = (0..=steps as i32).map(radius).collect::<Result<_, _>>()?;
        let widest = radius(steps as i32)?;
        let sensitivity = L2Sensitivity::new(SQRT_2.next_up())?;
        let what = "counts of the records' norms between public radii";
        let price = Price::new(TITLE, n, PrivacyLoss::Gaussian(mu), what)?
            .with_noise(Sensitivity::L2(sensitivity), sensitivity.get() / mu.get());
        Ok(Self { edges, widest, share, mu, sensitivity, price })
    }

    /// The radius that studies ask for: it holds about 95 % of the records.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn on(grid: &RadiusGrid, n: u64, mu: Mu) -> Result<Self, MechanismError> {
        Self::new(grid, HELD, n, mu)
    }

    /// The candidates, ascending.
    pub fn edges(&self) -> &[ClipRadius] {
        &self.edges
    }

    /// The largest candidate.
    pub fn widest(&self) -> ClipRadius {
        self.widest
    }

    /// The radius that noised counts tell: post-processing.
    fn radius(&self, noised: &[f64]) -> ClipRadius {
        let allowed = (1.0 - self.share) * self.price.n as f64;
        let mut above = 0.0;
        let mut chosen = self.widest;
        for (edge, count) in self.edges.iter().zip(noised.iter().skip(1)).rev() {
            above += count;
            if above > allowed {
                break;
            }
            chosen = *edge;
        }
        chosen
    }
}

impl Mechanism for PrivateQuantile {
    /// One norm for each record, `None` for a failed one.
    type Records = [Option<f64>];
    type Prepared<'a> = Vec<f64>;
    type Value = QuantileRelease;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        &self.price
    }

    /// How many norms fall into each cell; NaN counts as zero, like a failed record.
    fn prepare(&self, norms: &[Option<f64>]) -> Result<Vec<f64>, MechanismError> {
        if norms.len() as u64 != self.price.n {
            return Err(MechanismError::Shape("the number of norms is not the n that was declared"));
        }
        let mut counts = vec![0.0; self.edges.len() + 1];
        for norm in norms {
            let norm = norm.filter(|x| !x.is_nan()).unwrap_or(0.0);
            counts[self.edges.partition_point(|e| e.get() < norm)] += 1.0;
        }
        Ok(counts)
    }

    fn draw(
        &self,
        counts: &Vec<f64>,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<QuantileRelease>, MechanismError> {
        let drawn = noise.gaussian_vector(counts, self.sensitivity, self.mu, paid)?;
        let part = NoisedPart {
            what: self.price.mechanism.clone(),
            loss: self.price.loss,
            sensitivity: Sensitivity::L2(self.sensitivity),
            clip: None,
            noise: drawn.noise,
            expected_error: None,
        };
        let value = QuantileRelease { radius: self.radius(&drawn.values), counts: drawn.values };
        Ok(Drawn { value, parts: vec![part] })
    }
}
