//! The Gaussian and the isotropic Laplace mechanism in the tangent space of a public point.

mod worst_case;

pub use worst_case::{GAUSSIAN_ENTRY, LAPLACE_ENTRY};

use super::{NoisedPoint, PublicBall};
use crate::manifold::Manifold;
use crate::mechanism::MechanismError;
use crate::privacy::noise::{NoiseError, NoiseSource, VectorNoise};
use crate::privacy::{
    Charge, ClippedMean, ClippedSum, Drawn, Epsilon, IncompleteMean, Mechanism, Mu, NoisedPart, Price, Title,
};
use visard_base::parallel;

const GAUSSIAN: Title = Title {
    name: "Gaussian in the tangent space at the ball's centre",
    sentence: "Every record is written as a direction and distance from the ball's centre, shortened to a radius where it is longer; these \
               vectors are averaged and normal noise is added to every coordinate.",
};

const LAPLACE: Title = Title {
    name: "Laplace in the tangent space at the ball's centre",
    sentence: "Every record is written as a direction and distance from the ball's centre, shortened to a radius where it is longer; these \
               vectors are averaged and a random vector is added whose likelihood falls with its length.",
};

/// exp of the noised mean of the logarithms at the public centre p₀: the least noise that there is on a curved space.
///
#[doc = include_str!("proof.md")]
#[derive(Debug)]
pub struct TangentMean<M: Manifold> {
    ball: PublicBall<M>,
    mean: ClippedMean,
    price: Price,
    /// Root-mean-square length of the noise.
    error: f64,
}

impl<M: Manifold> TangentMean<M> {
    /// With Gaussian noise, for n records.
    ///
    /// # Errors
    /// n = 0, a radius out of range.
    pub fn gaussian(ball: PublicBall<M>, n: u64, mu: Mu) -> Result<Self, MechanismError> {
        Self::with(ball, n, VectorNoise::Gaussian(mu))
    }

    /// With isotropic Laplace noise, for n records.
    ///
    /// # Errors
    /// As [`Self::gaussian`].
    pub fn laplace(ball: PublicBall<M>, n: u64, epsilon: Epsilon) -> Result<Self, MechanismError> {
        Self::with(ball, n, VectorNoise::Laplace(epsilon))
    }

    fn with(ball: PublicBall<M>, n: u64, noise: VectorNoise) -> Result<Self, MechanismError> {
        let title = match noise {
            VectorNoise::Gaussian(_) => GAUSSIAN,
            VectorNoise::Laplace(_) => LAPLACE,
        };
        let mean = ClippedMean::with(ball.manifold().dim(), n, ball.radius(), noise)?;
        let what = "mean of the records' logarithms at the ball's centre, in an orthonormal basis";
        let price = mean.price_as(title, noise.loss(), what)?;
        let (d, scale) = (mean.dimension() as f64, mean.scale());
        let error = match noise {
            VectorNoise::Gaussian(_) => scale * d.sqrt(),
            // The length has the Gamma law of shape d.
            VectorNoise::Laplace(_) => scale * (d * (d + 1.0)).sqrt(),
        };
        Ok(Self { ball, mean, price, error })
    }

    /// A record's coordinates at p₀, before they are clipped.
    fn coordinates(&self, record: &M::Point) -> Option<Vec<f64>> {
        let (manifold, centre) = (self.ball.manifold(), self.ball.centre());
        manifold.log(centre, record).ok().map(|v| manifold.coordinates(centre, &v))
    }

    /// exp_{p₀} of the vector with these coordinates: post-processing.
    pub fn point(&self, coordinates: &[f64]) -> M::Point {
        let (manifold, centre) = (self.ball.manifold(), self.ball.centre());
        manifold.exp(centre, &manifold.from_coordinates(centre, coordinates))
    }
}

impl<M: Manifold> Mechanism for TangentMean<M> {
    type Records = [Option<M::Point>];
    type Prepared<'a>
        = ClippedSum
    where
        Self: 'a;
    type Value = NoisedPoint<M::Point>;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        &self.price
    }

    fn prepare(&self, records: &[Option<M::Point>]) -> Result<ClippedSum, MechanismError> {
        let shares = parallel::shares(records.len(), 64);
        let part = |k: usize| -> Result<ClippedSum, IncompleteMean> {
            let mut sum = self.mean.sum();
            for record in &records[shares[k].clone()] {
                sum.add(record.as_ref().and_then(|record| self.coordinates(record)).as_deref())?;
            }
            Ok(sum)
        };
        let mut sum = self.mean.sum();
        for part in parallel::try_map(shares.len(), part).map_err(NoiseError::from)? {
            sum.merge(&part).map_err(NoiseError::from)?;
        }
        sum.check_complete().map_err(NoiseError::from)?;
        Ok(sum)
    }

    fn draw(
        &self,
        sum: &ClippedSum,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<NoisedPoint<M::Point>>, MechanismError> {
        let drawn = self.mean.noised(sum, noise, paid)?;
        let sensitivity =
            self.price.sensitivity.ok_or(MechanismError::Shape("the mean has no sensitivity"))?;
        let part = NoisedPart {
            what: self.price.mechanism.clone(),
            loss: self.price.loss,
            sensitivity,
            clip: Some(self.ball.radius()),
            noise: drawn.noise,
            expected_error: Some(self.error),
        };
        let value = NoisedPoint { point: self.point(&drawn.values), noised: drawn.values };
        Ok(Drawn { value, parts: vec![part] })
    }
}
