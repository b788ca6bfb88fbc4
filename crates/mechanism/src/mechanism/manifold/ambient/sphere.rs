//! Directions noised in the space around their sphere.

use super::AmbientMechanism;
use crate::manifold::{Manifold, Sphere};
use crate::mechanism::MechanismError;
use crate::mechanism::manifold::noised::turned;
use crate::mechanism::manifold::{NoisedPoint, PublicBall};
use crate::numeric::margins;
use crate::privacy::noise::{NoiseSource, VectorNoise};
use crate::privacy::{Charge, ClipRadius, ClipSource, Drawn, L2Sensitivity, Mechanism, Price, Title};
use nalgebra::DVector;

pub(super) const TITLE: Title = Title {
    name: "extrinsic mean of directions",
    sentence: "Directions are averaged as vectors of the surrounding space, noise is added there, and the result is scaled back to unit \
               length.",
};

/// The mean of directions in space, noised there.
///
#[doc = include_str!("sphere.md")]
#[derive(Debug, Clone)]
pub struct ExtrinsicSphere {
    ball: PublicBall<Sphere>,
    ambient: AmbientMechanism,
}

impl ExtrinsicSphere {
    /// For n records in the ball.
    ///
    /// # Errors
    /// n = 0.
    pub fn new(ball: PublicBall<Sphere>, n: u64, noise: VectorNoise) -> Result<Self, MechanismError> {
        let (sphere, r) = (ball.manifold(), ball.radius().get());
        let room = 1.0 + margins::EXTRINSIC;
        let chord = sphere.radius() * (r / sphere.radius()).sin() * room;
        let bound = |radius| ClipRadius::new(radius, ClipSource::Public);
        let sensitivity = L2Sensitivity::of_clipped_mean(bound(chord)?, n)?
            .plus_float_mean(bound(sphere.radius() * room)?, n)?;
        let what = "mean in space of the records in the public ball";
        let ambient = AmbientMechanism::new(TITLE, noise, sensitivity, n, ball.radius(), what)?;
        Ok(Self { ball, ambient })
    }

    /// The nearest point of the sphere; the centre where there is none. Post-processing.
    pub fn point(&self, noised: &[f64]) -> DVector<f64> {
        let centre = || self.ball.centre().clone();
        self.ball.manifold().normalize(&DVector::from_row_slice(noised)).unwrap_or_else(centre)
    }
}

impl Mechanism for ExtrinsicSphere {
    type Records = [Option<DVector<f64>>];
    type Prepared<'a> = Vec<f64>;
    type Value = NoisedPoint<DVector<f64>>;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        &self.ambient.price
    }

    fn prepare(&self, records: &[Option<DVector<f64>>]) -> Result<Vec<f64>, MechanismError> {
        if records.len() as u64 != self.ambient.price.n {
            return Err(MechanismError::Shape("the number of records is not the n that was declared"));
        }
        let bounded = self.ball.bound(records).points;
        let mut mean = DVector::zeros(self.ball.centre().len());
        bounded.iter().for_each(|p| mean += p / bounded.len() as f64);
        Ok(mean.as_slice().to_vec())
    }

    fn draw(
        &self,
        mean: &Vec<f64>,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<NoisedPoint<DVector<f64>>>, MechanismError> {
        let (noised, mut part) = self.ambient.draw(mean, noise, paid)?;
        let sphere = self.ball.manifold();
        let turned = turned(&noised, self.ambient.deviation(noised.len()), sphere.dim());
        part.expected_error = Some(sphere.radius() * turned);
        Ok(Drawn { value: NoisedPoint { point: self.point(&noised), noised }, parts: vec![part] })
    }
}
