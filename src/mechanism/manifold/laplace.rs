//! The Riemannian Laplace mechanism, drawn exactly.

use super::polar::{TooWide, description, direction_accepted};
use super::radial::{RadialDensity, RadialLaw};
use super::volume::PolarVolume;
use super::{ManifoldMeanError, ManifoldPrice, PublicBall, Work};
use crate::privacy::noise::{NoiseDescription, NoiseSource, PaidGenerator};
use crate::privacy::{Charge, Epsilon, PrivacyLoss};

/// A draw from the density ∝ exp(−d(x, x̄)/σ) on the whole space, x̄ the Fréchet mean (Reimherr, Bharath and Soto 2021).
///
/// # Proof of ε-DP
/// By the triangle inequality the ratio of the densities for x̄ and x̄′ is at most exp(d(x̄, x̄′)/σ) times the ratio of their
/// normalizers, which is 1 because the space is homogeneous and the density untruncated. d(x̄, x̄′) ≤ Δ, the Fréchet mean's
/// sensitivity over the public ball ([`PublicBall::mean_sensitivity`]), so σ = Δ/ε. Not dividing by the normalizer would
/// need σ = 2Δ/ε.
///
/// The radius is drawn from its one-dimensional law by rejection, the direction uniformly: no chain, no burn-in.
#[derive(Debug)]
pub struct RiemannianLaplace<'a, M: PolarVolume> {
    ball: PublicBall<'a, M>,
    price: ManifoldPrice,
    law: RadialLaw<LaplaceRadius<'a, M>>,
}

#[derive(Debug)]
pub(super) struct LaplaceRadius<'a, M> {
    manifold: &'a M,
    sigma: f64,
}

impl<M: PolarVolume> RadialDensity for LaplaceRadius<'_, M> {
    fn concave(&self, t: f64) -> f64 {
        self.manifold.ln_area_concave(t) - t / self.sigma
    }
    fn rest(&self, t: f64) -> f64 {
        self.manifold.ln_area_rise(t)
    }
    fn rest_bound(&self, _a: f64, b: f64) -> f64 {
        self.manifold.ln_area_rise(b)
    }
    fn rest_slope(&self) -> f64 {
        self.manifold.ln_area_rise_slope()
    }
    fn end(&self) -> f64 {
        self.manifold.largest_distance()
    }
}

impl<'a, M: PolarVolume> RiemannianLaplace<'a, M> {
    /// For the mean of n records in the ball, found to gradient norm `gradient`.
    ///
    /// # Errors
    /// n = 0, or noise so wide that it has no law on the space (on negatively curved ones).
    pub fn new(
        ball: PublicBall<'a, M>,
        n: u64,
        epsilon: Epsilon,
        gradient: f64,
    ) -> Result<Self, ManifoldMeanError> {
        let sensitivity = ball.mean_sensitivity(n, gradient)?;
        let sigma = sensitivity.get() / epsilon.get() * (1.0 + 1e-12);
        let radius = LaplaceRadius { manifold: ball.manifold(), sigma };
        let law = RadialLaw::new(radius, sigma * ball.manifold().dim() as f64).map_err(|_| TooWide(sigma))?;
        let price = ManifoldPrice {
            mechanism: "Riemannian Laplace",
            loss: PrivacyLoss::Pure(epsilon),
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
        let mut rng = noise.open(paid, self.price.loss)?;
        loop {
            if let Some(x) = self.attempt(mean, &mut rng) {
                return Ok(x);
            }
        }
    }

    /// One private point, or `None` when the work is more than was allowed: not a draw from the law then, so for the data holder's
    /// figures only.
    pub(crate) fn draw_within(
        &self,
        mean: &M::Point,
        noise: &mut NoiseSource,
        paid: Charge,
        work: &mut Work,
    ) -> Result<Option<M::Point>, ManifoldMeanError> {
        let mut rng = noise.open(paid, self.price.loss)?;
        while work.spend(1) {
            if let Some(x) = self.attempt(mean, &mut rng) {
                return Ok(Some(x));
            }
        }
        Ok(None)
    }

    fn attempt(&self, mean: &M::Point, rng: &mut PaidGenerator<'_>) -> Option<M::Point> {
        let manifold = self.ball.manifold();
        let t = self.law.draw(rng);
        let direction = manifold.random_direction(mean, rng);
        let v = manifold.scale(t, &direction);
        direction_accepted(manifold, mean, &v, 0.0, rng).then(|| manifold.exp(mean, &v))
    }

    /// The noise, for the certificate.
    pub fn noise(&self) -> NoiseDescription {
        description(
            "riemannian-laplace",
            "exact: radius by rejection, uniform direction",
            &self.price,
            self.ball.manifold().dim(),
        )
    }
}
