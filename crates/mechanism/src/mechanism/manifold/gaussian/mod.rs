//! The Riemannian Gaussian mechanism with exact GDP accounting, drawn without a chain.

mod gdp;
mod worst_case;

pub use gdp::{GaussianGdpError, riemannian_gaussian_mu, riemannian_gaussian_sigma};
pub use worst_case::ENTRY;

use super::lazy::{GridLaw, Loss};
use super::polar::{HowDrawn, TooWide, described, root_mean_square};
use super::{LocatedRecords, MEAN_GRADIENT, NoisedPoint, PublicBall};
use crate::manifold::PolarVolume;
use crate::mechanism::MechanismError;
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Charge, Drawn, Mechanism, Mu, Price, PrivacyLoss, Sensitivity, Title};
use gdp::riemannian_gaussian_sigma_roughly;

const TITLE: Title = Title {
    name: "Riemannian Gaussian",
    sentence: "The mean of the records, brought into a public ball, is moved by a random distance in a random direction, with the normal \
               law of the curved space.",
};

/// A draw from the Riemannian Gaussian about the Fréchet mean.
///
#[doc = include_str!("proof.md")]
#[derive(Debug)]
pub struct RiemannianGaussian<M: PolarVolume> {
    ball: PublicBall<M>,
    price: Price,
    law: GridLaw,
    /// The root-mean-square distance of a draw from the mean.
    expected: Option<f64>,
}

impl<M: PolarVolume> RiemannianGaussian<M> {
    /// For n records in the ball.
    ///
    /// # Errors
    /// n = 0, a space that is not two-point homogeneous, or no scale for this μ.
    pub fn new(ball: PublicBall<M>, n: u64, mu: Mu) -> Result<Self, MechanismError> {
        Self::scaled(ball, n, mu, riemannian_gaussian_sigma)
    }

    /// As [`new`](Self::new) with σ to one per mille, in a small part of the time: for figures only.
    #[doc(hidden)]
    pub fn roughly(ball: PublicBall<M>, n: u64, mu: Mu) -> Result<Self, MechanismError> {
        Self::scaled(ball, n, mu, riemannian_gaussian_sigma_roughly)
    }

    fn scaled(
        ball: PublicBall<M>,
        n: u64,
        mu: Mu,
        scale: fn(crate::manifold::TwoPointSpace, f64, Mu) -> Result<f64, GaussianGdpError>,
    ) -> Result<Self, MechanismError> {
        let (space, unit) = ball.manifold().two_point().ok_or(MechanismError::NotTwoPointHomogeneous)?;
        let sensitivity = ball.mean_sensitivity(n, MEAN_GRADIENT)?;
        // In lengths of the model: μ is checked at this very double.
        let scale = scale(space, sensitivity.get() / unit, mu)?;
        let sigma = unit * scale;
        let expected = scale * (space.real_dim() as f64).sqrt();
        let law = GridLaw::new((space, unit), Loss::Square { scale }, expected, scale)
            .map_err(|_| TooWide(sigma))?;
        let what = "Fréchet mean of the records in the public ball";
        let price = Price::new(TITLE, n, PrivacyLoss::Gaussian(mu), what)?
            .with_noise(Sensitivity::Distance(sensitivity), sigma)
            .with_clip(ball.radius());
        let typical = sigma * (ball.manifold().dim() as f64).sqrt();
        let expected = root_mean_square(ball.manifold(), typical, |t| 0.5 * (t / sigma).powi(2));
        Ok(Self { ball, price, law, expected })
    }
}

impl<M: PolarVolume> Mechanism for RiemannianGaussian<M> {
    type Records = [Option<M::Point>];
    type Prepared<'a>
        = LocatedRecords<M::Point>
    where
        Self: 'a;
    type Value = NoisedPoint<M::Point>;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        &self.price
    }

    fn prepare(&self, records: &[Option<M::Point>]) -> Result<LocatedRecords<M::Point>, MechanismError> {
        self.ball.locate(records, self.price.n)
    }

    fn draw(
        &self,
        located: &LocatedRecords<M::Point>,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<NoisedPoint<M::Point>>, MechanismError> {
        let (manifold, mean) = (self.ball.manifold(), &located.mean);
        let mut rng = noise.open(paid, self.price.loss)?;
        let point = self.law.draw(manifold, (mean, self.ball.centre()), &mut rng)?;
        let how = HowDrawn::OnGrid(self.law.step());
        let part = described(
            &self.price,
            self.ball.radius(),
            "riemannian-gaussian",
            how,
            manifold.dim(),
            self.expected,
        )?;
        Ok(Drawn { value: NoisedPoint::on_space(point), parts: vec![part] })
    }
}
