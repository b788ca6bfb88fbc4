//! The pointwise baseline: independent noise on every coordinate of every sample.

mod worst_case;

pub use worst_case::ENTRY;

use super::records::sum_of;
use super::{Estimate, FunctionRecords, NoisedFunction, isotropic_mean, noised_part};
use crate::mechanism::MechanismError;
use crate::privacy::noise::NoiseSource;
use crate::privacy::{
    Charge, ClipRadius, ClipSource, ClippedMean, ClippedSum, Drawn, Mechanism, Mu, Price, PrivacyLoss, Title,
};

const OF_MEAN: Title = Title {
    name: "pointwise Gaussian mechanism",
    sentence: "Every coordinate of every sample is averaged on its own within a public interval and given normal noise of its own; the \
               budget is shared between all of them.",
};

const AS_PRINTED: Title = Title {
    name: "pointwise Gaussian mechanism, noise as printed (no 1/n)",
    sentence: "As the pointwise mechanism, with n times as much noise as a mean needs, as the paper of 2024 prints it.",
};

/// What a coordinate's sensitivity is taken to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RangeScale {
    /// range/n: the sensitivity of a mean.
    OfMean,
    /// range, without the 1/n: as the paper's A.6 prints it (n times too much noise).
    AsPrinted,
}

/// The intervals that coordinates are clipped to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PointwiseRanges {
    /// Every coordinate within this of the public centre.
    Public(ClipRadius),
    /// From the least to the largest among the records, as the paper does: not private.
    Measured,
}

/// Independent Gaussian noise on every coordinate.
///
#[doc = include_str!("proof.md")]
#[derive(Debug, Clone)]
pub struct PointwiseMean {
    price: Price,
    centre: Vec<f64>,
    ranges: PointwiseRanges,
    scale: RangeScale,
    mu: Mu,
}

/// Records made ready: secret.
#[derive(Debug)]
pub struct Prepared {
    mean: ClippedMean,
    sum: ClippedSum,
    places: Places,
}

/// The interval and the noise of every coordinate.
#[derive(Debug)]
pub(super) struct Places {
    centre: Vec<f64>,
    half_width: Vec<f64>,
    sigma: Vec<f64>,
    source: ClipSource,
}

impl Places {
    /// Samples clipped, centred and scaled so that their noise has variance one.
    pub(super) fn coordinates(&self, samples: &[f64]) -> Vec<f64> {
        let places = samples.iter().zip(&self.centre).zip(self.half_width.iter().zip(&self.sigma));
        places.map(|((x, c), (w, sigma))| (x - c).clamp(-w, *w) / sigma).collect()
    }

    /// And back, with noise of standard deviation `sigma` in the coordinates.
    pub(super) fn estimate(&self, coordinates: &[f64], sigma: f64) -> Estimate {
        let places = coordinates.iter().zip(self.centre.iter().zip(&self.sigma));
        Estimate {
            samples: places.map(|(u, (c, s))| c + u * s).collect(),
            errors: self.sigma.iter().map(|s| (s * sigma).powi(2)).collect(),
        }
    }

    fn widest(&self) -> Result<ClipRadius, MechanismError> {
        let widest = self.half_width.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        Ok(ClipRadius::new(widest, self.source)?)
    }
}

#[cfg(test)]
impl Prepared {
    pub(super) fn statistic(&self) -> Vec<f64> {
        self.sum.nonprivate_mean()
    }
}

impl PointwiseMean {
    /// For n records of the shape of the public centre.
    ///
    /// # Errors
    /// [`MechanismError`].
    pub fn new(
        centre: Vec<f64>,
        ranges: PointwiseRanges,
        scale: RangeScale,
        mu: Mu,
        n: u64,
    ) -> Result<Self, MechanismError> {
        if centre.is_empty() {
            return Err(MechanismError::Shape("there are no coordinates"));
        }
        let (title, source) = (
            match scale {
                RangeScale::OfMean => OF_MEAN,
                RangeScale::AsPrinted => AS_PRINTED,
            },
            if ranges == PointwiseRanges::Measured { ClipSource::Data } else { ClipSource::Public },
        );
        let mean = isotropic_mean(centre.len(), n, mu, source)?;
        let what = "mean of every coordinate within an interval of this half-width; scaled so that the noise has variance one";
        let price = mean.price_as(title, PrivacyLoss::Gaussian(mu), what)?;
        let price = match ranges {
            PointwiseRanges::Public(radius) => price.with_clip(radius),
            PointwiseRanges::Measured => Price { clip: None, ..price },
        };
        Ok(Self { price, centre, ranges, scale, mu })
    }

    /// What each coordinate gets of μ.
    pub fn coordinate_budget(&self) -> f64 {
        self.mu.get() / (self.centre.len() as f64).sqrt()
    }

    /// Standard deviation of the noise on a coordinate of this half-width.
    fn sigma(&self, half_width: f64) -> f64 {
        let counted = match self.scale {
            RangeScale::OfMean => self.price.n as f64,
            RangeScale::AsPrinted => 1.0,
        };
        2.0 * half_width / counted / self.coordinate_budget()
    }

    /// The intervals, where they are public.
    pub(super) fn public_places(&self) -> Option<Places> {
        let PointwiseRanges::Public(radius) = self.ranges else { return None };
        let half_width = vec![radius.get(); self.centre.len()];
        Some(self.places(self.centre.clone(), half_width, radius.source()))
    }

    fn places(&self, centre: Vec<f64>, half_width: Vec<f64>, source: ClipSource) -> Places {
        let sigma = half_width.iter().map(|w| self.sigma(*w)).collect();
        Places { centre, half_width, sigma, source }
    }

    fn measured(&self, records: &dyn FunctionRecords) -> Result<Places, MechanismError> {
        let mut low = vec![f64::INFINITY; self.centre.len()];
        let mut high = vec![f64::NEG_INFINITY; self.centre.len()];
        for k in 0..records.count() {
            let samples = records.samples(k);
            let samples = samples.as_deref().unwrap_or(&self.centre);
            if samples.len() != low.len() {
                return Err(MechanismError::Shape("a record does not have the shape of the template"));
            }
            for (i, &x) in samples.iter().enumerate() {
                low[i] = low[i].min(x);
                high[i] = high[i].max(x);
            }
        }
        let centre = low.iter().zip(&high).map(|(a, b)| 0.5 * (a + b)).collect();
        let half = low.iter().zip(&high).map(|(a, b)| (0.5 * (b - a)).max(f64::MIN_POSITIVE)).collect();
        Ok(self.places(centre, half, ClipSource::Data))
    }
}

impl Mechanism for PointwiseMean {
    type Records = dyn FunctionRecords;
    type Prepared<'a> = Prepared;
    type Value = NoisedFunction;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        &self.price
    }

    fn prepare(&self, records: &Self::Records) -> Result<Prepared, MechanismError> {
        let places = match self.public_places() {
            Some(places) => places,
            None => self.measured(records)?,
        };
        let mean = isotropic_mean(self.centre.len(), self.price.n, self.mu, places.source)?;
        let sum = sum_of(&mean, records, self.centre.len(), |samples| {
            Some(places.coordinates(samples.unwrap_or(&self.centre)))
        })?;
        Ok(Prepared { mean, sum, places })
    }

    fn draw(
        &self,
        prepared: &Prepared,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<NoisedFunction>, MechanismError> {
        let drawn = prepared.mean.noised(&prepared.sum, noise, paid)?;
        let estimate = prepared.places.estimate(&drawn.values, drawn.noise.scale);
        let value = NoisedFunction::new(estimate, drawn.values, drawn.noise.scale);
        let part = noised_part(&self.price, &prepared.mean, prepared.places.widest()?, drawn.noise)?;
        Ok(Drawn { value, parts: vec![part] })
    }
}
