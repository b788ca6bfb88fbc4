//! Any private mean of functions, as one mechanism.

use super::private_radius::PreparedRadius;
use super::two_rounds::PreparedRounds;
use super::{
    FunctionRecords, FunctionalMean, NoisedFunction, Norm, PerCurveMean, PointwiseMean, PrivateRadiusMean,
    SitesMean, StreamMean, StreamSums, TwoRoundMean,
};
use crate::mechanism::MechanismError;
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Charge, ClippedSum, Drawn, Mechanism, Price};

/// One of the private means of functions.
#[derive(Debug, Clone)]
pub enum CurveMean {
    /// All at once around a public centre.
    Joint(FunctionalMean),
    /// All at once in two rounds.
    TwoRounds(Box<TwoRoundMean>),
    /// Block by block.
    PerCurve(PerCurveMean),
    /// Coordinate by coordinate.
    Pointwise(PointwiseMean),
    /// All at once, with a private radius.
    PrivateRadius(PrivateRadiusMean),
    /// Over many sites, in two rounds.
    Sites(Box<SitesMean>),
    /// A step of a stream.
    Stream(Box<StreamMean>),
}

/// What [`CurveMean`] makes of the records before the charge.
pub enum PreparedMean<'a> {
    /// Of [`CurveMean::Joint`].
    Joint(ClippedSum),
    /// Of [`CurveMean::TwoRounds`].
    TwoRounds(PreparedRounds<'a>),
    /// Of [`CurveMean::PerCurve`].
    PerCurve(super::per_curve::Prepared),
    /// Of [`CurveMean::Pointwise`].
    Pointwise(super::pointwise::Prepared),
    /// Of [`CurveMean::PrivateRadius`].
    PrivateRadius(PreparedRadius<'a>),
    /// See [`CurveMean::Sites`].
    Sites(&'a (dyn FunctionRecords + 'static)),
    /// See [`CurveMean::Stream`].
    Stream(StreamSums),
}

impl CurveMean {
    /// How far unit-area faces may lie from the public centre, root mean square, where the mean is shrunk towards that by what is expected of
    /// faces: what an error is at most where too little was seen.
    pub fn shrunk_within(&self) -> Option<f64> {
        match self {
            Self::TwoRounds(mean) => Some(mean.reach()),
            Self::Joint(mean) => mean.shrunk_within(),
            Self::Sites(_) => Some(Norm::White.face_radius()),
            Self::PerCurve(_) | Self::Pointwise(_) | Self::PrivateRadius(_) | Self::Stream(_) => None,
        }
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
            Self::TwoRounds(mean) => mean.price(),
            Self::PerCurve(mean) => mean.price(),
            Self::Pointwise(mean) => mean.price(),
            Self::PrivateRadius(mean) => mean.price(),
            Self::Sites(mean) => mean.price(),
            Self::Stream(mean) => mean.price(),
        }
    }

    fn prepare<'a>(&'a self, records: &'a Self::Records) -> Result<PreparedMean<'a>, MechanismError> {
        Ok(match self {
            Self::Joint(mean) => PreparedMean::Joint(mean.prepare(records)?),
            Self::TwoRounds(mean) => PreparedMean::TwoRounds(mean.prepare(records)?),
            Self::PerCurve(mean) => PreparedMean::PerCurve(mean.prepare(records)?),
            Self::Pointwise(mean) => PreparedMean::Pointwise(mean.prepare(records)?),
            Self::PrivateRadius(mean) => PreparedMean::PrivateRadius(mean.prepare(records)?),
            Self::Sites(mean) => PreparedMean::Sites(mean.prepare(records)?),
            Self::Stream(mean) => PreparedMean::Stream(mean.prepare(records)?),
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
            (Self::TwoRounds(mean), PreparedMean::TwoRounds(sum)) => mean.draw(sum, noise, paid),
            (Self::PerCurve(mean), PreparedMean::PerCurve(sum)) => mean.draw(sum, noise, paid),
            (Self::Pointwise(mean), PreparedMean::Pointwise(sum)) => mean.draw(sum, noise, paid),
            (Self::PrivateRadius(mean), PreparedMean::PrivateRadius(sum)) => mean.draw(sum, noise, paid),
            (Self::Sites(mean), PreparedMean::Sites(records)) => mean.draw(records, noise, paid),
            (Self::Stream(mean), PreparedMean::Stream(sums)) => mean.draw(sums, noise, paid),
            (
                Self::Joint(_)
                | Self::TwoRounds(_)
                | Self::PerCurve(_)
                | Self::Pointwise(_)
                | Self::PrivateRadius(_)
                | Self::Sites(_)
                | Self::Stream(_),
                PreparedMean::Joint(_)
                | PreparedMean::TwoRounds(_)
                | PreparedMean::PerCurve(_)
                | PreparedMean::Pointwise(_)
                | PreparedMean::PrivateRadius(_)
                | PreparedMean::Sites(_)
                | PreparedMean::Stream(_),
            ) => Err(MechanismError::Shape("prepared for another mechanism")),
        }
    }
}
