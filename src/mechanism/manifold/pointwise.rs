//! Baselines on planar shapes: Laplace noise on every coordinate of every landmark.

use super::{ManifoldMeanError, ManifoldPrice, PublicBall};
use crate::manifold::Kendall;
use crate::privacy::noise::{NoiseDescription, NoisePath, NoiseSource};
use crate::privacy::{Charge, Epsilon, L1Sensitivity, PrivacyLoss};
use nalgebra::{Complex, DVector};

type Preshape = DVector<Complex<f64>>;

/// Whether shapes are rotated to the public centre before they are averaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alignment {
    /// To the public centre.
    Aligned,
    /// As the records are.
    Unaligned,
}

/// Laplace noise on the 2k coordinates of the mean configuration (the comparison of Soto et al. 2022, B.5.2).
///
/// # Proof of ε-DP
/// Aligned: each record in the ball is rotated to the centre, and every coordinate's deviation from the centre is clipped to r/2
/// (the whole shape's is at most r): the mean moves by at most r/n in each of 2k coordinates, Δ₁ = 2k·r/n. Unaligned: coordinates of
/// configurations of unit size lie in [−1, 1], Δ₁ = 2k·2/n. The Laplace mechanism of scale Δ₁/ε in ℝ^{2k} is ε-DP; it is the
/// same as giving each coordinate ε/(2k).
#[derive(Debug, Clone)]
pub struct PointwiseShape {
    space: Kendall,
    centre: Preshape,
    alignment: Alignment,
    epsilon: Epsilon,
    sensitivity: L1Sensitivity,
    price: ManifoldPrice,
}

impl PointwiseShape {
    /// For n records in the ball.
    ///
    /// # Errors
    /// n = 0.
    pub fn new(
        ball: &PublicBall<'_, Kendall>,
        n: u64,
        epsilon: Epsilon,
        alignment: Alignment,
    ) -> Result<Self, ManifoldMeanError> {
        let coordinates = 2.0 * ball.manifold().landmarks() as f64;
        let half = half_width(alignment, ball.radius().get());
        // Room for the rounding of each record and of the mean: coordinates of at most 1, n additions.
        let rounding = 2.0 * coordinates * (1.0 + n as f64 * f64::EPSILON) * f64::EPSILON * (n as f64 + 8.0);
        let sensitivity = L1Sensitivity::new(coordinates * 2.0 * half / n as f64 * (1.0 + 1e-9) + rounding)?;
        let price = ManifoldPrice {
            mechanism: match alignment {
                Alignment::Aligned => "pointwise Laplace, aligned",
                Alignment::Unaligned => "pointwise Laplace, not aligned",
            },
            loss: PrivacyLoss::Pure(epsilon),
            n,
            sensitivity: sensitivity.get(),
            radius: ball.radius(),
            scale: sensitivity.get() / epsilon.get(),
            statistic: "coordinates of the mean configuration",
        };
        let (space, centre) = (*ball.manifold(), ball.centre().clone());
        Ok(Self { space, centre, alignment, epsilon, sensitivity, price })
    }

    /// What it costs; known before a record is read.
    pub fn price(&self) -> &ManifoldPrice {
        &self.price
    }

    /// The noise, for the certificate.
    pub fn noise(&self) -> NoiseDescription {
        NoiseDescription {
            distribution: "laplace".into(),
            path: NoisePath::Lattice,
            scale: self.price.scale,
            dimension: 2 * self.space.landmarks(),
            step: None,
            sampler: "exact discrete Laplace on a lattice".into(),
        }
    }

    /// The mean configuration, x and y in turn. `bounded` are the records in the ball, `raw` as they came (`None` stands at the
    /// centre). Not to be shown to anyone.
    ///
    /// # Errors
    /// None for records in the ball.
    pub fn statistic(
        &self,
        bounded: &[Preshape],
        raw: &[Option<Preshape>],
    ) -> Result<Vec<f64>, ManifoldMeanError> {
        let half = half_width(self.alignment, self.price.radius.get());
        let aligned = self.alignment == Alignment::Aligned;
        let share = 1.0 / raw.len() as f64;
        let mut mean = vec![0.0; 2 * self.space.landmarks()];
        for (bounded, raw) in bounded.iter().zip(raw) {
            let shape = match self.alignment {
                Alignment::Aligned => self.space.align(&self.centre, bounded)?,
                Alignment::Unaligned => raw.as_ref().unwrap_or(&self.centre).clone(),
            };
            for (j, z) in shape.iter().enumerate() {
                let middle = if aligned { self.centre[j] } else { Complex::from(0.0) };
                let deviation = z - middle;
                mean[2 * j] += share * (middle.re + deviation.re.clamp(-half, half));
                mean[2 * j + 1] += share * (middle.im + deviation.im.clamp(-half, half));
            }
        }
        Ok(mean)
    }

    /// The noised coordinates.
    ///
    /// # Errors
    /// When `paid` does not cover the loss.
    pub fn noised(
        &self,
        statistic: &[f64],
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Vec<f64>, ManifoldMeanError> {
        Ok(noise.laplace_vector(statistic, self.sensitivity, self.epsilon, paid)?.values)
    }

    /// The shape of the noised configuration. Post-processing.
    ///
    /// # Errors
    /// All landmarks in one place: probability 0.
    pub fn point(&self, noised: &[f64]) -> Result<Preshape, ManifoldMeanError> {
        let points: Vec<[f64; 2]> = noised.chunks_exact(2).map(|p| [p[0], p[1]]).collect();
        Ok(self.space.preshape(&points)?)
    }
}

/// How far a coordinate may lie from the middle.
fn half_width(alignment: Alignment, radius: f64) -> f64 {
    match alignment {
        Alignment::Aligned => 0.5 * radius,
        Alignment::Unaligned => 1.0,
    }
}
