//! The Riemannian Gaussian mechanism with exact GDP accounting, drawn exactly.

use super::gaussian_gdp::riemannian_gaussian_sigma_roughly;
use super::polar::{TooWide, description};
use super::radial::{RadialDensity, RadialLaw};
use super::volume::PolarVolume;
use super::{ManifoldMeanError, ManifoldPrice, PublicBall, riemannian_gaussian_sigma};
use crate::privacy::noise::{NoiseDescription, NoiseSource};
use crate::privacy::{Charge, L2Sensitivity, Mu, PrivacyLoss};

/// A draw from the density ∝ exp(−d²(x, x̄)/2σ²), x̄ the Fréchet mean (Jiang et al. 2023).
///
/// # Proof of μ-GDP
/// On a two-point homogeneous space the law of the likelihood ratio depends on d(x̄, x̄′) only, and μ grows with that distance,
/// which is at most the Fréchet mean's sensitivity over the public ball. σ is calibrated by exact quadrature
/// ([`riemannian_gaussian_sigma`]). On other spaces the mechanism is refused.
#[derive(Debug)]
pub struct RiemannianGaussian<'a, M: PolarVolume> {
    ball: PublicBall<'a, M>,
    price: ManifoldPrice,
    law: RadialLaw<GaussianRadius<'a, M>>,
}

#[derive(Debug)]
pub(super) struct GaussianRadius<'a, M> {
    manifold: &'a M,
    sigma: f64,
}

impl<M: PolarVolume> RadialDensity for GaussianRadius<'_, M> {
    fn concave(&self, t: f64) -> f64 {
        self.manifold.ln_area_concave(t) - 0.5 * (t / self.sigma).powi(2)
    }
    fn end(&self) -> f64 {
        self.manifold.largest_distance()
    }
}

impl<'a, M: PolarVolume> RiemannianGaussian<'a, M> {
    /// For the mean of n records in the ball, found to gradient norm `gradient`.
    ///
    /// # Errors
    /// n = 0, a space that is not two-point homogeneous, or no scale for this μ.
    pub fn new(ball: PublicBall<'a, M>, n: u64, mu: Mu, gradient: f64) -> Result<Self, ManifoldMeanError> {
        let manifold = ball.manifold();
        let (space, unit) = manifold.two_point().ok_or(ManifoldMeanError::NotTwoPointHomogeneous)?;
        let sensitivity = ball.mean_sensitivity(n, gradient)?;
        let sigma = unit * riemannian_gaussian_sigma(space, sensitivity.get() / unit, mu)?;
        Self::calibrated(ball, n, mu, sensitivity, sigma)
    }

    /// As [`new`](Self::new) with σ to one per mille, in a small part of the time: for the data holder's figures only.
    pub(crate) fn roughly(
        ball: PublicBall<'a, M>,
        n: u64,
        mu: Mu,
        gradient: f64,
    ) -> Result<Self, ManifoldMeanError> {
        let (space, unit) = ball.manifold().two_point().ok_or(ManifoldMeanError::NotTwoPointHomogeneous)?;
        let sensitivity = ball.mean_sensitivity(n, gradient)?;
        let sigma = unit * riemannian_gaussian_sigma_roughly(space, sensitivity.get() / unit, mu)?;
        Self::calibrated(ball, n, mu, sensitivity, sigma)
    }

    /// With a scale that has been calibrated to this ball, n and μ before: the quadrature is most of the work of one draw.
    pub(crate) fn calibrated(
        ball: PublicBall<'a, M>,
        n: u64,
        mu: Mu,
        sensitivity: L2Sensitivity,
        sigma: f64,
    ) -> Result<Self, ManifoldMeanError> {
        let manifold = ball.manifold();
        let radius = GaussianRadius { manifold, sigma };
        let law =
            RadialLaw::new(radius, sigma * (manifold.dim() as f64).sqrt()).map_err(|_| TooWide(sigma))?;
        let price = ManifoldPrice {
            mechanism: "Riemannian Gaussian",
            loss: PrivacyLoss::Gaussian(mu),
            n,
            sensitivity: sensitivity.get(),
            radius: ball.radius(),
            scale: sigma,
            statistic: "Fréchet mean of the records in the public ball",
        };
        Ok(Self { ball, price, law })
    }

    /// What it costs; known before a record is read.
    pub fn price(&self) -> &ManifoldPrice {
        &self.price
    }

    /// One private point near `mean`.
    ///
    /// # Errors
    /// When `paid` does not cover the loss.
    pub fn draw(
        &self,
        mean: &M::Point,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<M::Point, ManifoldMeanError> {
        let manifold = self.ball.manifold();
        let mut rng = noise.open(paid, self.price.loss)?;
        let t = self.law.draw(&mut rng);
        let direction = manifold.random_direction(mean, &mut rng);
        Ok(manifold.exp(mean, &manifold.scale(t, &direction)))
    }

    /// The noise, for the certificate.
    pub fn noise(&self) -> NoiseDescription {
        description(
            "riemannian-gaussian",
            "exact: radius by rejection, uniform direction",
            &self.price,
            self.ball.manifold().dim(),
        )
    }
}
