//! A rough centre found privately: the first of two passes, for studies that have no public centre.

mod statistic;
#[cfg(test)]
mod tests;
mod worst_case;

pub use statistic::{BallStatistic, CentreStatistic, DirectionStatistic, ProcrustesStatistic, any_shape};
pub use worst_case::ENTRY;

use crate::mechanism::MechanismError;
use crate::numeric::margins;
use crate::privacy::noise::{NoiseSource, VectorNoise};
use crate::privacy::{
    BudgetError, Charge, ClipRadius, ClipSource, Drawn, L2Sensitivity, Mechanism, Mu, NoisedPart, Price,
    PrivacyLoss, Sensitivity, Title, gaussian_sigma,
};
use serde::{Deserialize, Serialize};

const TITLE: Title = Title {
    name: "private centre",
    sentence: "A rough centre is read off a noised average of vectors that need no centre, and is paid for from the budget.",
};

/// A private rough centre, about which a second mechanism then bounds the records by a smaller ball.
///
#[doc = include_str!("proof.md")]
#[derive(Debug)]
pub struct PrivateCentre<S> {
    statistic: S,
    noise: VectorNoise,
    sensitivity: L2Sensitivity,
    sigma: f64,
    price: Price,
}

/// A private centre.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReleasedCentre<P> {
    /// The centre.
    pub centre: P,
    /// The noised coordinates it was read off: as private as the centre.
    pub noised: Vec<f64>,
}

impl<S: CentreStatistic> PrivateCentre<S> {
    /// For n records at `loss`: μ, pure ε, or (ε, δ), for which the largest μ within is taken.
    ///
    /// # Errors
    /// [`MechanismError::CentreTooRough`] when the noise would leave a centre of no use, a condition on public numbers only;
    /// n = 0; a loss of another kind.
    pub fn new(statistic: S, n: u64, loss: PrivacyLoss) -> Result<Self, MechanismError> {
        let noise = match loss {
            PrivacyLoss::Gaussian(mu) => VectorNoise::Gaussian(mu),
            PrivacyLoss::Pure(epsilon) => VectorNoise::Laplace(epsilon),
            PrivacyLoss::Approximate(epsilon, delta) => VectorNoise::Gaussian(Mu::within(epsilon, delta)?),
            _ => return Err(BudgetError::NoBudget.into()),
        };
        let half = ClipRadius::new(0.5 * statistic.diameter(), ClipSource::Public)?;
        let bound = ClipRadius::new(statistic.bound(), ClipSource::Public)?;
        let sensitivity = L2Sensitivity::of_clipped_mean(half, n)?.plus_float_mean(bound, n)?;
        // Room for rounding in the records' own vectors.
        let sensitivity = L2Sensitivity::new(sensitivity.get() * (1.0 + margins::CENTRE))?;
        let sigma = match noise {
            VectorNoise::Gaussian(mu) => gaussian_sigma(sensitivity, mu)?,
            // E‖x‖² = d(d + 1)b² for the density ∝ exp(−‖x‖/b) on ℝᵈ.
            VectorNoise::Laplace(epsilon) => {
                sensitivity.get() / epsilon.get() * (statistic.coordinates() as f64 + 1.0).sqrt()
            }
        };
        let (error, most) = (statistic.error(sigma), statistic.useless());
        if error.is_nan() || error > most {
            return Err(MechanismError::CentreTooRough { n, error, most });
        }
        let what = "mean of bounded vectors that a centre can be read off";
        let price = Price::new(TITLE, n, noise.loss(), what)?
            .with_noise(Sensitivity::L2(sensitivity), noise.scale(sensitivity));
        Ok(Self { statistic, noise, sensitivity, sigma, price })
    }

    /// About how far off the centre will be, in the space's distance: to be allowed for in the second pass's radius. Public.
    pub fn expected_error(&self) -> f64 {
        self.statistic.error(self.sigma)
    }
}

impl<S: CentreStatistic> Mechanism for PrivateCentre<S> {
    /// `None` for a missing record.
    type Records = [Option<S::Point>];
    type Prepared<'a>
        = Vec<f64>
    where
        Self: 'a;
    type Value = ReleasedCentre<S::Point>;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        &self.price
    }

    fn prepare(&self, records: &[Option<S::Point>]) -> Result<Vec<f64>, MechanismError> {
        if records.len() as u64 != self.price.n {
            return Err(MechanismError::Shape("the number of records is not the n that was declared"));
        }
        self.statistic.statistic(records)
    }

    fn draw(
        &self,
        statistic: &Vec<f64>,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<ReleasedCentre<S::Point>>, MechanismError> {
        let (noised, noise) = self.noise.draw(statistic, self.sensitivity, noise, paid)?;
        let part = NoisedPart {
            what: self.price.mechanism.clone(),
            loss: self.price.loss,
            sensitivity: Sensitivity::L2(self.sensitivity),
            clip: None,
            noise,
            expected_error: Some(self.expected_error()),
        };
        let value = ReleasedCentre { centre: self.statistic.centre(&noised), noised };
        Ok(Drawn { value, parts: vec![part] })
    }
}
