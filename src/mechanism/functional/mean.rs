//! Any private mean of functions, as one mechanism.

use super::private_radius::PreparedRadius;
use super::{
    FunctionRecords, FunctionalMean, NoisedFunction, PerCurveMean, PointwiseMean, PrivateRadiusMean,
};
use crate::mechanism::MechanismError;
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Charge, ClippedSum, Drawn, Mechanism, Price, Released};

/// One of the private means of functions.
#[derive(Debug, Clone)]
pub enum CurveMean {
    /// All at once around a public centre.
    Joint(FunctionalMean),
    /// Block by block.
    PerCurve(PerCurveMean),
    /// Coordinate by coordinate.
    Pointwise(PointwiseMean),
    /// All at once, with a private radius.
    PrivateRadius(PrivateRadiusMean),
}

/// What [`CurveMean`] makes of the records before the charge.
pub enum PreparedMean<'a> {
    /// Of [`CurveMean::Joint`].
    Joint(ClippedSum),
    /// Of [`CurveMean::PerCurve`].
    PerCurve(super::per_curve::Prepared),
    /// Of [`CurveMean::Pointwise`].
    Pointwise(super::pointwise::Prepared),
    /// Of [`CurveMean::PrivateRadius`].
    PrivateRadius(PreparedRadius<'a>),
}

/// A mechanism run again on what it released, as if that were the truth: a parametric bootstrap, which sees released values and
/// public numbers only.
pub struct Again<'a> {
    statistic: Vec<f64>,
    sigma: f64,
    finish: Finish<'a>,
}

/// Post-processing of noised coordinates.
type Finish<'a> = Box<dyn Fn(&[f64]) -> Vec<f64> + 'a>;

impl Again<'_> {
    /// The samples of one such release, from standard normal numbers.
    pub fn draw(&self, mut normal: impl FnMut() -> f64) -> Vec<f64> {
        let noised: Vec<f64> = self.statistic.iter().map(|x| x + self.sigma * normal()).collect();
        (self.finish)(&noised)
    }
}

impl CurveMean {
    /// The mechanism to be run again on this release of it; `None` where its bounds came from the records: it cannot be run without
    /// them.
    ///
    /// # Errors
    /// [`MechanismError`] for a release of another mechanism.
    pub fn again(&self, released: &Released<NoisedFunction>) -> Result<Option<Again<'_>>, MechanismError> {
        let NoisedFunction { samples, sigma, .. } = &released.value;
        let sigma = *sigma;
        let (statistic, finish): (_, Finish<'_>) = match self {
            Self::Joint(mean) => {
                (mean.coordinates(samples), Box::new(move |noised| mean.finish(noised, sigma)))
            }
            Self::PrivateRadius(mean) => {
                let Some(radius) = released.clip() else { return Ok(None) };
                let mean = mean.second(radius)?;
                (mean.coordinates(samples), Box::new(move |noised| mean.finish(noised, sigma)))
            }
            Self::PerCurve(mean) => {
                let Some(blocks) = mean.public_blocks() else { return Ok(None) };
                let statistic = mean.coordinates(&blocks, Some(samples));
                (statistic, Box::new(move |noised| mean.finish(&blocks, noised, sigma)))
            }
            Self::Pointwise(mean) => {
                let Some(places) = mean.public_places() else { return Ok(None) };
                let statistic = places.coordinates(samples);
                (statistic, Box::new(move |noised| places.samples(noised)))
            }
        };
        Ok(Some(Again { statistic, sigma, finish }))
    }
}

impl Mechanism for CurveMean {
    type Records = dyn FunctionRecords;
    type Prepared<'a> = PreparedMean<'a>;
    type Value = NoisedFunction;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        match self {
            Self::Joint(mean) => mean.price(),
            Self::PerCurve(mean) => mean.price(),
            Self::Pointwise(mean) => mean.price(),
            Self::PrivateRadius(mean) => mean.price(),
        }
    }

    fn prepare<'a>(&'a self, records: &'a Self::Records) -> Result<PreparedMean<'a>, MechanismError> {
        Ok(match self {
            Self::Joint(mean) => PreparedMean::Joint(mean.prepare(records)?),
            Self::PerCurve(mean) => PreparedMean::PerCurve(mean.prepare(records)?),
            Self::Pointwise(mean) => PreparedMean::Pointwise(mean.prepare(records)?),
            Self::PrivateRadius(mean) => PreparedMean::PrivateRadius(mean.prepare(records)?),
        })
    }

    fn draw(
        &self,
        prepared: &PreparedMean<'_>,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<NoisedFunction>, MechanismError> {
        match (self, prepared) {
            (Self::Joint(mean), PreparedMean::Joint(sum)) => mean.draw(sum, noise, paid),
            (Self::PerCurve(mean), PreparedMean::PerCurve(sum)) => mean.draw(sum, noise, paid),
            (Self::Pointwise(mean), PreparedMean::Pointwise(sum)) => mean.draw(sum, noise, paid),
            (Self::PrivateRadius(mean), PreparedMean::PrivateRadius(sum)) => mean.draw(sum, noise, paid),
            (
                Self::Joint(_) | Self::PerCurve(_) | Self::Pointwise(_) | Self::PrivateRadius(_),
                PreparedMean::Joint(_)
                | PreparedMean::PerCurve(_)
                | PreparedMean::Pointwise(_)
                | PreparedMean::PrivateRadius(_),
            ) => Err(MechanismError::Shape("prepared for another mechanism")),
        }
    }
}
