//! The pointwise baseline: independent noise on every coordinate of every sample.

use super::{MeanMechanism, MechanismError, Price, ROUNDING, loss, mean_sensitivity};
use crate::privacy::{ClipRadius, ClipSource, L2Sensitivity, Mu};

/// What a coordinate's sensitivity is taken to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RangeScale {
    /// range/n: the sensitivity of a mean.
    OfMean,
    /// range, without the 1/n: as the paper's A.6 prints it (n times too much noise).
    AsPrinted,
}

/// Independent Gaussian noise on every coordinate (Soto et al. 2024, A.6, with the mean's sensitivity range/n).
///
/// # Proof of μ-GDP
/// Coordinate i of every record is clipped to [c_i − w_i, c_i + w_i]; one replaced record moves its mean by at most 2w_i/n. Scaled
/// by μ_p n/(2w_i), μ_p = μ/√d, the d coordinates together move by at most √(d μ_p²) = μ under N(0, I).
#[derive(Debug, Clone)]
pub struct PointwiseMean {
    price: Price,
    centre: Vec<f64>,
    half_width: Vec<f64>,
    scale: Vec<f64>,
}

impl PointwiseMean {
    /// Every coordinate within `clip` of the public centre.
    ///
    /// # Errors
    /// [`MechanismError`].
    pub fn around(centre: Vec<f64>, clip: ClipRadius, mu: Mu, n: u64) -> Result<Self, MechanismError> {
        let half_width = vec![clip.get(); centre.len()];
        Self::new(centre, half_width, clip.source(), RangeScale::OfMean, mu, n)
    }

    /// Ranges measured on the data, as the paper does. Not private.
    ///
    /// # Errors
    /// [`MechanismError`].
    pub fn from_data<'a>(
        template: &[f64],
        records: impl Iterator<Item = Option<&'a [f64]>>,
        scale: RangeScale,
        mu: Mu,
        n: u64,
    ) -> Result<Self, MechanismError> {
        let mut low = vec![f64::INFINITY; template.len()];
        let mut high = vec![f64::NEG_INFINITY; template.len()];
        for record in records {
            for (i, &x) in record.unwrap_or(template).iter().enumerate() {
                low[i] = low[i].min(x);
                high[i] = high[i].max(x);
            }
        }
        let centre = low.iter().zip(&high).map(|(a, b)| 0.5 * (a + b)).collect();
        let half_width = low.iter().zip(&high).map(|(a, b)| (0.5 * (b - a)).max(f64::MIN_POSITIVE)).collect();
        Self::new(centre, half_width, ClipSource::Data, scale, mu, n)
    }

    fn new(
        centre: Vec<f64>,
        half_width: Vec<f64>,
        source: ClipSource,
        range: RangeScale,
        mu: Mu,
        n: u64,
    ) -> Result<Self, MechanismError> {
        if centre.is_empty() {
            return Err(MechanismError::Shape("there are no coordinates"));
        }
        let block_mu = mu.get() / (centre.len() as f64).sqrt();
        let mut scale = Vec::with_capacity(centre.len());
        for &w in &half_width {
            let counted = if range == RangeScale::OfMean { n } else { 1 };
            scale.push(mean_sensitivity(ClipRadius::new(w, source)?, counted)?.get() / block_mu);
        }
        let widest = half_width.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let price = Price {
            mechanism: match range {
                RangeScale::OfMean => "pointwise Gaussian mechanism",
                RangeScale::AsPrinted => "pointwise Gaussian mechanism, noise as printed (no 1/n)",
            },
            loss: loss(mu, source),
            mu,
            n,
            sensitivity: L2Sensitivity::new(mu.get() * ROUNDING)?,
            clip: ClipRadius::new(widest, source)?,
            description:
                "half-width of the interval every coordinate is clipped to; coordinates scaled so that the \
                          noise has variance one"
                    .to_owned(),
            parts: vec![(format!("each of {} coordinates", centre.len()), block_mu)],
        };
        Ok(Self { price, centre, half_width, scale })
    }
}

impl MeanMechanism for PointwiseMean {
    fn price(&self) -> &Price {
        &self.price
    }

    fn statistic(&self, records: &mut dyn Iterator<Item = Option<&[f64]>>) -> Vec<f64> {
        let mut sum = vec![0.0; self.centre.len()];
        for record in records.flatten() {
            for (i, s) in sum.iter_mut().enumerate() {
                *s += (record[i] - self.centre[i]).clamp(-self.half_width[i], self.half_width[i]);
            }
        }
        let n = self.price.n as f64;
        sum.iter().zip(&self.scale).map(|(s, scale)| s / n / scale).collect()
    }

    fn finish(&self, noised: &[f64], _sigma: f64) -> Vec<f64> {
        noised.iter().zip(&self.scale).zip(&self.centre).map(|((u, s), c)| c + u * s).collect()
    }
}
