//! Any private mean of points that every space may have, as one mechanism.

use super::{
    KNormGradient, KngSampler, LocatedRecords, NoisedPoint, PublicBall, RiemannianGaussian,
    RiemannianLaplace, TangentMean, TwoRoundPoints, Work,
};
use crate::manifold::PolarVolume;
use crate::mechanism::MechanismError;
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Charge, ClippedSum, Drawn, Epsilon, Mechanism, Mu, Price};

/// One of the private means of points.
#[derive(Debug)]
pub enum PointMean<M: PolarVolume> {
    /// Riemannian Laplace: ε-DP.
    Laplace(RiemannianLaplace<M>),
    /// K-norm gradient: ε-DP.
    Kng(KNormGradient<M>),
    /// Riemannian Gaussian: μ-GDP, two-point homogeneous spaces.
    Riemannian(RiemannianGaussian<M>),
    /// Gaussian or Laplace in the tangent space: μ-GDP, ε-DP.
    Tangent(TangentMean<M>),
    /// In two rounds: μ-GDP, flat spaces.
    TwoRounds(Box<TwoRoundPoints<M>>),
}

/// What [`PointMean`] makes of the records before the charge: secret.
#[expect(clippy::large_enum_variant, reason = "there is one of it in a study")]
pub enum PreparedPoints<M: PolarVolume> {
    /// The records in the ball and their mean.
    Located(LocatedRecords<M::Point>),
    /// With the envelope of the K-norm gradient law.
    Sampler(KngSampler<M>),
    /// The sum of their logarithms.
    Sum(ClippedSum),
    /// Their logarithms.
    Vectors(Vec<Option<Vec<f64>>>),
}

impl<M: PolarVolume> PreparedPoints<M> {
    /// The records in the ball and their mean, where these were needed: for the data holder only.
    pub fn located(&self) -> Option<&LocatedRecords<M::Point>> {
        match self {
            Self::Located(located) => Some(located),
            Self::Sampler(sampler) => Some(sampler.located()),
            Self::Sum(_) | Self::Vectors(_) => None,
        }
    }
}

impl<M: PolarVolume> PointMean<M> {
    /// [`Self::Laplace`]; on flat spaces, where it is the same law, [`Self::Tangent`].
    ///
    /// # Errors
    /// As [`RiemannianLaplace::new`].
    pub fn laplace(ball: PublicBall<M>, n: u64, epsilon: Epsilon) -> Result<Self, MechanismError> {
        if is_flat(&ball) {
            return Self::tangent_laplace(ball, n, epsilon);
        }
        RiemannianLaplace::new(ball, n, epsilon).map(Self::Laplace)
    }

    /// [`Self::Kng`].
    ///
    /// # Errors
    /// As [`KNormGradient::new`].
    pub fn kng(ball: PublicBall<M>, n: u64, epsilon: Epsilon) -> Result<Self, MechanismError> {
        KNormGradient::new(ball, n, epsilon).map(Self::Kng)
    }

    /// [`Self::Riemannian`]; on flat spaces, where it is the same law, [`Self::Tangent`].
    ///
    /// # Errors
    /// As [`RiemannianGaussian::new`].
    pub fn riemannian_gaussian(ball: PublicBall<M>, n: u64, mu: Mu) -> Result<Self, MechanismError> {
        if is_flat(&ball) {
            return Self::tangent_gaussian(ball, n, mu);
        }
        RiemannianGaussian::new(ball, n, mu).map(Self::Riemannian)
    }

    /// [`Self::Riemannian`] with a scale that is off by up to a thousandth: for figures only.
    #[doc(hidden)]
    pub fn riemannian_gaussian_roughly(ball: PublicBall<M>, n: u64, mu: Mu) -> Result<Self, MechanismError> {
        RiemannianGaussian::roughly(ball, n, mu).map(Self::Riemannian)
    }

    /// One draw, or `None` when the work is more than was allowed: not a draw from the law then, so for figures only.
    #[doc(hidden)]
    pub fn draw_within(
        &self,
        prepared: &PreparedPoints<M>,
        noise: &mut NoiseSource,
        paid: Charge,
        work: &mut Work,
    ) -> Result<Option<M::Point>, MechanismError> {
        match (self, prepared) {
            (Self::Laplace(mean), PreparedPoints::Located(located)) => {
                mean.draw_within(&located.mean, noise, paid, work)
            }
            (Self::Kng(_), PreparedPoints::Sampler(sampler)) => sampler.draw_within(noise, paid, work),
            _ => Ok(Some(self.draw(prepared, noise, paid)?.value.point)),
        }
    }

    /// [`Self::Tangent`] with pure ε.
    ///
    /// # Errors
    /// As [`TangentMean::laplace`].
    pub fn tangent_laplace(ball: PublicBall<M>, n: u64, epsilon: Epsilon) -> Result<Self, MechanismError> {
        TangentMean::laplace(ball, n, epsilon).map(Self::Tangent)
    }

    /// [`Self::Tangent`].
    ///
    /// # Errors
    /// As [`TangentMean::gaussian`].
    pub fn tangent_gaussian(ball: PublicBall<M>, n: u64, mu: Mu) -> Result<Self, MechanismError> {
        TangentMean::gaussian(ball, n, mu).map(Self::Tangent)
    }

    /// [`Self::TwoRounds`].
    ///
    /// # Errors
    /// As [`TwoRoundPoints::new`].
    pub fn two_rounds(ball: PublicBall<M>, n: u64, mu: Mu) -> Result<Self, MechanismError> {
        TwoRoundPoints::new(ball, n, mu).map(|mean| Self::TwoRounds(Box::new(mean)))
    }
}

/// Whether the tangent space is the space itself: then laws about the mean are laws in the tangent space, drawn on a lattice there.
fn is_flat<M: PolarVolume>(ball: &PublicBall<M>) -> bool {
    let curvature = ball.manifold().curvature();
    (curvature.lower, curvature.upper) == (0.0, 0.0)
}

impl<M: PolarVolume> Mechanism for PointMean<M> {
    type Records = [Option<M::Point>];
    type Prepared<'a>
        = PreparedPoints<M>
    where
        Self: 'a;
    type Value = NoisedPoint<M::Point>;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        match self {
            Self::Laplace(mean) => mean.price(),
            Self::Kng(mean) => mean.price(),
            Self::Riemannian(mean) => mean.price(),
            Self::Tangent(mean) => mean.price(),
            Self::TwoRounds(mean) => mean.price(),
        }
    }

    fn prepare(&self, records: &[Option<M::Point>]) -> Result<PreparedPoints<M>, MechanismError> {
        Ok(match self {
            Self::Laplace(mean) => PreparedPoints::Located(mean.prepare(records)?),
            Self::Kng(mean) => PreparedPoints::Sampler(mean.prepare(records)?),
            Self::Riemannian(mean) => PreparedPoints::Located(mean.prepare(records)?),
            Self::Tangent(mean) => PreparedPoints::Sum(mean.prepare(records)?),
            Self::TwoRounds(mean) => PreparedPoints::Vectors(mean.prepare(records)?),
        })
    }

    fn draw(
        &self,
        prepared: &PreparedPoints<M>,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<NoisedPoint<M::Point>>, MechanismError> {
        match (self, prepared) {
            (Self::Laplace(mean), PreparedPoints::Located(located)) => mean.draw(located, noise, paid),
            (Self::Riemannian(mean), PreparedPoints::Located(located)) => mean.draw(located, noise, paid),
            (Self::Kng(mean), PreparedPoints::Sampler(sampler)) => mean.draw(sampler, noise, paid),
            (Self::Tangent(mean), PreparedPoints::Sum(sum)) => mean.draw(sum, noise, paid),
            (Self::TwoRounds(mean), PreparedPoints::Vectors(vectors)) => mean.draw(vectors, noise, paid),
            (
                Self::Laplace(_) | Self::Riemannian(_) | Self::Kng(_) | Self::Tangent(_) | Self::TwoRounds(_),
                PreparedPoints::Located(_)
                | PreparedPoints::Sampler(_)
                | PreparedPoints::Sum(_)
                | PreparedPoints::Vectors(_),
            ) => Err(MechanismError::Shape("prepared for another mechanism")),
        }
    }
}
