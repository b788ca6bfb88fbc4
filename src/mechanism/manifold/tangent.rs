//! The Gaussian mechanism in the tangent space of a public point.

use super::{ManifoldMeanError, ManifoldPrice, PublicBall};
use crate::manifold::{Linear, Manifold};
use crate::privacy::noise::{GaussianRelease, NoiseSource};
use crate::privacy::{Charge, L2Sensitivity, Mu, PrivacyLoss};

/// exp of the noised mean of the logarithms at the public centre p₀.
///
/// # Proof of μ-GDP
/// Every record's logarithm at p₀ has norm at most r (records outside are projected onto the ball first, and where exp and log round badly the logarithms
/// themselves are clipped), so the mean of the
/// logarithms, in coordinates of an orthonormal basis of T_{p₀}M, moves by at most 2r/n: the Gaussian mechanism on a lattice
/// with σ = 2r/(nμ). exp and any shrinkage see noised coordinates and public numbers only. No curvature enters; on flat spaces
/// (log-Euclidean SPD, ℝᵈ) this is the noised Fréchet mean itself.
#[derive(Debug)]
pub struct TangentGaussian<'a, M: Manifold> {
    ball: PublicBall<'a, M>,
    basis: Vec<M::Tangent>,
    price: ManifoldPrice,
    mu: Mu,
    sensitivity: L2Sensitivity,
}

/// A released point with its noised coordinates.
#[derive(Debug, Clone)]
pub struct TangentRelease<P> {
    /// The private mean.
    pub point: P,
    /// The noised coordinates in the basis, their noise's σ, and the description for the certificate.
    pub release: GaussianRelease,
}

impl<'a, M: Manifold> TangentGaussian<'a, M> {
    /// For n records. `loss` is what is claimed: μ itself or the (ε, δ) it was calibrated to.
    ///
    /// # Errors
    /// n = 0.
    pub fn new(
        ball: PublicBall<'a, M>,
        n: u64,
        mu: Mu,
        loss: PrivacyLoss,
    ) -> Result<Self, ManifoldMeanError> {
        let sensitivity = ball.log_mean_sensitivity(n)?;
        let basis = ball.manifold().basis(ball.centre());
        let price = ManifoldPrice {
            mechanism: "Gaussian in the tangent space at the ball's centre",
            loss,
            n,
            sensitivity: sensitivity.get(),
            radius: ball.radius(),
            scale: sensitivity.get() / mu.get(),
            statistic: "mean of the records' logarithms at the ball's centre, in an orthonormal basis",
        };
        Ok(Self { ball, basis, price, mu, sensitivity })
    }

    /// What it costs; known before a record is read.
    pub fn price(&self) -> &ManifoldPrice {
        &self.price
    }

    /// The mean of the logarithms at p₀, in coordinates. Not to be shown to anyone.
    ///
    /// # Errors
    /// A record on the cut locus of p₀: impossible for records that [`PublicBall::bound`] has been over.
    pub fn statistic(&self, bounded: &[M::Point]) -> Result<Vec<f64>, ManifoldMeanError> {
        let (manifold, centre) = (self.ball.manifold(), self.ball.centre());
        let mean = if self.ball.rounds_badly() {
            self.mean_of_clipped_logs(bounded)?
        } else {
            manifold.mean_log(centre, bounded, None)?.log
        };
        Ok(self.basis.iter().map(|e| manifold.inner(centre, e, &mean)).collect())
    }

    /// For wide balls of curved spaces, where exp and log of a record at the rim may leave it a little outside.
    fn mean_of_clipped_logs(&self, bounded: &[M::Point]) -> Result<M::Tangent, ManifoldMeanError> {
        let (manifold, centre) = (self.ball.manifold(), self.ball.centre());
        let (mut mean, share) = (manifold.zero(centre), 1.0 / bounded.len() as f64);
        for point in bounded {
            let v = manifold.log(centre, point)?;
            let excess = manifold.norm(centre, &v) / self.ball.radius().get();
            mean.add_scaled(share / excess.max(1.0), &v);
        }
        Ok(mean)
    }

    /// The noised mean.
    ///
    /// # Errors
    /// When `paid` does not cover the loss.
    pub fn draw(
        &self,
        statistic: &[f64],
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<TangentRelease<M::Point>, ManifoldMeanError> {
        let release = noise.gaussian_vector(statistic, self.sensitivity, self.mu, paid)?;
        Ok(TangentRelease { point: self.point(&release.values), release })
    }

    /// exp_{p₀} of the vector with these coordinates: post-processing.
    pub fn point(&self, coordinates: &[f64]) -> M::Point {
        let (manifold, centre) = (self.ball.manifold(), self.ball.centre());
        let mut v = manifold.zero(centre);
        for (c, e) in coordinates.iter().zip(&self.basis) {
            v.add_scaled(*c, e);
        }
        manifold.exp(centre, &v)
    }

    /// The coordinates of a tangent vector at p₀.
    pub fn coordinates(&self, v: &M::Tangent) -> Vec<f64> {
        self.basis.iter().map(|e| self.ball.manifold().inner(self.ball.centre(), e, v)).collect()
    }

    /// The basis of T_{p₀}M.
    pub fn basis(&self) -> &[M::Tangent] {
        &self.basis
    }
}
