//! Baselines: noise in a surrounding vector space, brought back where there is a way back.

use super::{MEAN_GRADIENT, ManifoldMeanError, ManifoldPrice, PublicBall};
use crate::manifold::{ManifoldError, Sphere};
use crate::privacy::noise::{NoiseDescription, NoisePath, NoiseSource};
use crate::privacy::{Charge, ClipRadius, ClipSource, Epsilon, L2Sensitivity, Mu, PrivacyLoss};
use nalgebra::{DMatrix, DVector};
use std::f64::consts::SQRT_2;

/// Room for rounding, relative.
const ROUNDING: f64 = 1.0 + 1e-9;

/// Isotropic noise on a vector, with its budget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum VectorNoise {
    /// Density ∝ exp(−‖x‖/σ), σ = Δ/ε: ε-DP.
    Laplace(Epsilon),
    /// N(0, σ²I), σ = Δ/μ: μ-GDP.
    Gaussian(Mu),
}

impl VectorNoise {
    /// What it costs.
    pub fn loss(self) -> PrivacyLoss {
        match self {
            Self::Laplace(epsilon) => PrivacyLoss::Pure(epsilon),
            Self::Gaussian(mu) => PrivacyLoss::Gaussian(mu),
        }
    }
}

/// The Laplace or Gaussian mechanism on a vector statistic.
#[derive(Debug, Clone)]
struct AmbientMechanism {
    price: ManifoldPrice,
    sensitivity: L2Sensitivity,
    noise: VectorNoise,
    dimension: usize,
}

impl AmbientMechanism {
    fn new(
        noise: VectorNoise,
        sensitivity: L2Sensitivity,
        n: u64,
        radius: ClipRadius,
        dimension: usize,
        statistic: &'static str,
    ) -> Self {
        let (mechanism, scale) = match noise {
            VectorNoise::Laplace(epsilon) => ("extrinsic Laplace", sensitivity.get() / epsilon.get()),
            VectorNoise::Gaussian(mu) => ("extrinsic Gaussian", sensitivity.get() / mu.get()),
        };
        let loss = noise.loss();
        let price =
            ManifoldPrice { mechanism, loss, n, sensitivity: sensitivity.get(), radius, scale, statistic };
        Self { price, sensitivity, noise, dimension }
    }

    fn draw(
        &self,
        statistic: &[f64],
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Vec<f64>, ManifoldMeanError> {
        Ok(match self.noise {
            VectorNoise::Laplace(epsilon) => {
                noise.isotropic_laplace_vector_idealized(statistic, self.sensitivity, epsilon, paid)?.values
            }
            VectorNoise::Gaussian(mu) => noise.gaussian_vector(statistic, self.sensitivity, mu, paid)?.values,
        })
    }

    fn description(&self) -> NoiseDescription {
        let (distribution, path, sampler) = match self.noise {
            VectorNoise::Laplace(_) => {
                ("isotropic-laplace", NoisePath::IdealizedReals, "gamma radius, uniform direction")
            }
            VectorNoise::Gaussian(_) => {
                ("gaussian", NoisePath::Lattice, "exact normal, rounded to a lattice")
            }
        };
        NoiseDescription {
            distribution: distribution.into(),
            path,
            scale: self.price.scale,
            dimension: self.dimension,
            step: None,
            sampler: sampler.into(),
        }
    }
}

/// The mean in ℝ^{d+1} of points of the public ball, noised there and scaled back onto the sphere.
///
/// # Proof
/// Two points of a ball of radius r ≤ πR/2 are at most 2r apart on the sphere of radius R and so 2R sin(r/R) in space: the mean
/// moves by at most 2R sin(r/R)/n, and the Laplace or Gaussian mechanism of ℝ^{d+1} does the rest. The rounding of the
/// sum is counted.
#[derive(Debug, Clone)]
pub struct ExtrinsicSphere {
    sphere: Sphere,
    centre: DVector<f64>,
    ambient: AmbientMechanism,
}

impl ExtrinsicSphere {
    /// For n records in the ball.
    ///
    /// # Errors
    /// n = 0.
    pub fn new(ball: &PublicBall<'_, Sphere>, n: u64, noise: VectorNoise) -> Result<Self, ManifoldMeanError> {
        let (sphere, r) = (*ball.manifold(), ball.radius().get());
        let chord = sphere.radius() * (r / sphere.radius()).sin() * ROUNDING;
        let bound = |radius| ClipRadius::new(radius, ClipSource::Public);
        let sensitivity = L2Sensitivity::of_clipped_mean(bound(chord)?, n)?
            .plus_float_mean(bound(sphere.radius() * ROUNDING)?, n)?;
        let what = "mean in space of the records in the public ball";
        let centre = ball.centre().clone();
        let ambient = AmbientMechanism::new(noise, sensitivity, n, ball.radius(), centre.len(), what);
        Ok(Self { sphere, centre, ambient })
    }

    /// What it costs; known before a record is read.
    pub fn price(&self) -> &ManifoldPrice {
        &self.ambient.price
    }

    /// The noise, for the certificate.
    pub fn noise(&self) -> NoiseDescription {
        self.ambient.description()
    }

    /// The mean in space of records that [`PublicBall::bound`] has been over. Not to be shown to anyone.
    pub fn statistic(&self, bounded: &[DVector<f64>]) -> Vec<f64> {
        let mut mean = DVector::zeros(self.centre.len());
        bounded.iter().for_each(|p| mean += p / bounded.len() as f64);
        mean.as_slice().to_vec()
    }

    /// The noised mean in space.
    ///
    /// # Errors
    /// When `paid` does not cover the loss.
    pub fn noised(
        &self,
        statistic: &[f64],
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Vec<f64>, ManifoldMeanError> {
        self.ambient.draw(statistic, noise, paid)
    }

    /// The nearest point of the sphere; the centre where there is none. Post-processing.
    pub fn point(&self, noised: &[f64]) -> DVector<f64> {
        self.sphere.normalize(&DVector::from_row_slice(noised)).unwrap_or_else(|| self.centre.clone())
    }
}

/// A mean of positive definite matrices noised entry by entry in the space of symmetric matrices. What comes out may have left the
/// positive definite ones: there is no projection onto an open set.
///
/// # Proof
/// Let C be the public centre, r the radius of the ball and Δ the distance one record moves the mean, in the metric of the study.
/// The mean and all that lies between two such means is in the ball (it is convex: a ball of a flat or a Hadamard space), where no
/// eigenvalue exceeds Λ = λ_max(C) e^r. Along a curve there the Frobenius speed is at most Λ times the metric's:
/// * affine-invariant: V = P^½ A P^½ with ‖A‖ the speed, and ‖P^½ A P^½‖_F ≤ λ_max(P) ‖A‖_F; P ≼ e^r C because
///   C^(−½) P C^(−½) has logarithms of at most r;
/// * log-Euclidean: V = D exp_S(A), which multiplies the entries of A in the eigenbasis of S by logarithmic means of
///   eigenvalues of e^S, at most λ_max(e^S); λ_max(S) ≤ λ_max(log C) + r.
///
/// So ‖M − M′‖_F ≤ Λ Δ, with Δ = 2r/n in both: 2r e^r/n about the identity. (The 2(e^r − 1)/n of Utpala et al. 2023 is false: for
/// r = ¼, n large, commuting records move the mean by .642/n, where it allows .568/n.)
#[derive(Debug, Clone)]
pub struct ExtrinsicSpd {
    entries: Vec<(usize, usize)>,
    order: usize,
    ambient: AmbientMechanism,
}

impl ExtrinsicSpd {
    /// About the centre C, for n records in the ball of this radius; `moved`: Δ, solver errors included
    /// ([`PublicBall::mean_sensitivity`]).
    ///
    /// # Errors
    /// A centre that is not positive definite, or a bound that overflows.
    pub fn new(
        centre: &DMatrix<f64>,
        radius: ClipRadius,
        n: u64,
        moved: L2Sensitivity,
        noise: VectorNoise,
    ) -> Result<Self, ManifoldMeanError> {
        let order = centre.nrows();
        let finite = centre.iter().all(|x| x.is_finite());
        let largest = if finite { centre.symmetric_eigenvalues().max() } else { f64::NAN };
        if largest.is_nan() || largest <= 0.0 {
            return Err(ManifoldError::OffManifold {
                manifold: "space of positive definite matrices",
                constraint: "is not positive definite",
                remedy: "take another centre",
            }
            .into());
        }
        // The computed mean may lie outside the ball by what its gradient leaves open.
        let bound = largest * (radius.get() + 4.0 * MEAN_GRADIENT).exp() * ROUNDING;
        // The matrix is computed from its logarithm or factors by products of k terms.
        let rounding = 100.0 * order as f64 * f64::EPSILON * bound;
        let sensitivity = L2Sensitivity::new(bound * moved.get())?.plus_error(rounding)?;
        let entries: Vec<_> = (0..order).flat_map(|j| (0..=j).map(move |i| (i, j))).collect();
        let what = "mean as a symmetric matrix (a release may not be positive definite)";
        let ambient = AmbientMechanism::new(noise, sensitivity, n, radius, entries.len(), what);
        Ok(Self { entries, order, ambient })
    }

    /// What it costs; known before a record is read.
    pub fn price(&self) -> &ManifoldPrice {
        &self.ambient.price
    }

    /// The noise, for the certificate.
    pub fn noise(&self) -> NoiseDescription {
        self.ambient.description()
    }

    /// The mean's entries, those off the diagonal times √2: an isometry of the Frobenius norm. Not to be shown to anyone.
    pub fn statistic(&self, mean: &DMatrix<f64>) -> Vec<f64> {
        let weight = |i, j| if i == j { 1.0 } else { SQRT_2 };
        self.entries.iter().map(|&(i, j)| mean[(i, j)] * weight(i, j)).collect()
    }

    /// The noised entries.
    ///
    /// # Errors
    /// When `paid` does not cover the loss.
    pub fn noised(
        &self,
        statistic: &[f64],
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Vec<f64>, ManifoldMeanError> {
        self.ambient.draw(statistic, noise, paid)
    }

    /// The symmetric matrix with these entries. Post-processing.
    pub fn point(&self, noised: &[f64]) -> DMatrix<f64> {
        let mut matrix = DMatrix::zeros(self.order, self.order);
        for (&(i, j), x) in self.entries.iter().zip(noised) {
            let value = if i == j { *x } else { x / SQRT_2 };
            matrix[(i, j)] = value;
            matrix[(j, i)] = value;
        }
        matrix
    }
}
