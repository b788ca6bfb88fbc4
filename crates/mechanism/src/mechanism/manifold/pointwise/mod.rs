//! Baselines on planar shapes: Laplace noise on every coordinate of every landmark.

#[cfg(test)]
mod tests;
mod worst_case;

pub use worst_case::ENTRY;

use super::noised::turned;
use super::{NoisedPoint, PublicBall};
use crate::manifold::Kendall;
use crate::mechanism::MechanismError;
use crate::numeric::margins;
use crate::privacy::noise::NoiseSource;
use crate::privacy::{
    Charge, Drawn, Epsilon, L1Sensitivity, Mechanism, NoisedPart, Price, PrivacyLoss, Sensitivity, Title,
};
use nalgebra::{Complex, DVector};
use std::f64::consts::SQRT_2;

const ALIGNED: Title = Title {
    name: "pointwise Laplace, aligned",
    sentence: "Shapes are rotated to a public one, every coordinate of every landmark is averaged within an interval and given Laplace \
               noise of its own; the budget is shared between all of them.",
};

const UNALIGNED: Title = Title {
    name: "pointwise Laplace, not aligned",
    sentence: "Every coordinate of every landmark of the shapes as they lie is averaged and given Laplace noise of its own; the budget is \
               shared between all of them.",
};

type Preshape = DVector<Complex<f64>>;

/// Whether shapes are rotated to the public centre before they are averaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alignment {
    /// To the public centre.
    Aligned,
    /// As the records are.
    Unaligned,
}

/// Laplace noise on the 2k coordinates of the mean configuration.
///
#[doc = include_str!("proof.md")]
#[derive(Debug, Clone)]
pub struct PointwiseShape {
    ball: PublicBall<Kendall>,
    alignment: Alignment,
    epsilon: Epsilon,
    sensitivity: L1Sensitivity,
    price: Price,
}

impl PointwiseShape {
    /// For n records in the ball.
    ///
    /// # Errors
    /// n = 0.
    pub fn new(
        ball: PublicBall<Kendall>,
        n: u64,
        epsilon: Epsilon,
        alignment: Alignment,
    ) -> Result<Self, MechanismError> {
        let coordinates = 2.0 * ball.manifold().landmarks() as f64;
        let half = half_width(alignment, ball.radius().get());
        // Room for the rounding of each record and of the mean: coordinates of at most 1, n additions.
        let rounding = 2.0 * coordinates * (1.0 + n as f64 * f64::EPSILON) * f64::EPSILON * (n as f64 + 8.0);
        let exact = coordinates * 2.0 * half / n as f64;
        let sensitivity = L1Sensitivity::new(exact * (1.0 + margins::POINTWISE) + rounding)?;
        let title = match alignment {
            Alignment::Aligned => ALIGNED,
            Alignment::Unaligned => UNALIGNED,
        };
        let what = "coordinates of the mean configuration";
        let price = Price::new(title, n, PrivacyLoss::Pure(epsilon), what)?
            .with_noise(Sensitivity::L1(sensitivity), sensitivity.get() / epsilon.get())
            .with_clip(ball.radius());
        Ok(Self { ball, alignment, epsilon, sensitivity, price })
    }

    /// The shape of the noised configuration; the centre where all landmarks fall together (probability 0). Post-processing.
    pub fn point(&self, noised: &[f64]) -> Preshape {
        let landmarks: Vec<[f64; 2]> = noised.chunks_exact(2).map(|z| [z[0], z[1]]).collect();
        self.ball.manifold().preshape(&landmarks).unwrap_or_else(|_| self.ball.centre().clone())
    }
}

fn half_width(alignment: Alignment, radius: f64) -> f64 {
    match alignment {
        Alignment::Aligned => 0.5 * radius,
        Alignment::Unaligned => 1.0,
    }
}

impl Mechanism for PointwiseShape {
    type Records = [Option<Preshape>];
    type Prepared<'a> = Vec<f64>;
    type Value = NoisedPoint<Preshape>;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        &self.price
    }

    /// The mean configuration, x and y in turn.
    fn prepare(&self, records: &[Option<Preshape>]) -> Result<Vec<f64>, MechanismError> {
        if records.len() as u64 != self.price.n {
            return Err(MechanismError::Shape("the number of records is not the n that was declared"));
        }
        let (space, centre) = (self.ball.manifold(), self.ball.centre());
        let half = half_width(self.alignment, self.ball.radius().get());
        let aligned = self.alignment == Alignment::Aligned;
        let share = 1.0 / records.len() as f64;
        let mut mean = vec![0.0; 2 * space.landmarks()];
        for (bounded, raw) in self.ball.bound(records).points.iter().zip(records) {
            let shape = match self.alignment {
                Alignment::Aligned => space.align(centre, bounded)?,
                Alignment::Unaligned => raw.as_ref().unwrap_or(centre).clone(),
            };
            for (j, z) in shape.iter().enumerate() {
                let middle = if aligned { centre[j] } else { Complex::from(0.0) };
                let deviation = z - middle;
                mean[2 * j] += share * (middle.re + deviation.re.clamp(-half, half));
                mean[2 * j + 1] += share * (middle.im + deviation.im.clamp(-half, half));
            }
        }
        Ok(mean)
    }

    fn draw(
        &self,
        mean: &Vec<f64>,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<NoisedPoint<Preshape>>, MechanismError> {
        let scale = self.sensitivity.get() / self.epsilon.get();
        let drawn = noise.laplace_vector(mean, self.sensitivity, self.epsilon, paid)?;
        let part = NoisedPart {
            what: self.price.mechanism.clone(),
            loss: self.price.loss,
            sensitivity: Sensitivity::L1(self.sensitivity),
            clip: Some(self.ball.radius()),
            noise: drawn.noise,
            // Of 2k coordinates two are the place, one the size and one the rotation.
            expected_error: Some(turned(&drawn.values, SQRT_2 * scale, drawn.values.len().saturating_sub(4))),
        };
        let value = NoisedPoint { point: self.point(&drawn.values), noised: drawn.values };
        Ok(Drawn { value, parts: vec![part] })
    }
}
