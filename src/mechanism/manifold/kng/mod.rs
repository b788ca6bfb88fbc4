//! The K-norm gradient mechanism for Fréchet means, drawn without a chain.

mod lower_gradient;
mod radius;
mod sampler;
mod von_mises_fisher;
mod worst_case;

pub use sampler::KngSampler;
pub use worst_case::ENTRY;

use super::polar::{TooWide, described};
use super::radial::RadialLaw;
use super::{LocatedRecords, MEAN_GRADIENT, NoisedPoint, PublicBall};
use crate::manifold::PolarVolume;
use crate::mechanism::MechanismError;
use crate::numeric::margins;
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Charge, Drawn, Epsilon, Mechanism, Price, PrivacyLoss, Sensitivity, Title};
use lower_gradient::{LowerGradient, binned};
use radius::{About, KngRadius, expected_loss};

const TITLE: Title = Title {
    name: "K-norm gradient (KNG)",
    sentence: "A point is drawn at random, and the worse it balances the records brought into a public ball, the rarer it is, \
               exponentially.",
};

/// A draw from the K-norm gradient law of the Fréchet objective.
///
#[doc = include_str!("proof.md")]
#[derive(Debug)]
pub struct KNormGradient<M: PolarVolume> {
    ball: PublicBall<M>,
    price: Price,
    sigma: f64,
}

impl<M: PolarVolume> KNormGradient<M> {
    /// For n records in the ball. The sampler needs d_i + t < π/√κ throughout, which the ball's radius bound gives.
    ///
    /// # Errors
    /// n = 0; a positively curved space that is not two-point homogeneous; a closed flat space; noise so wide that it has no law (κ < 0).
    pub fn new(ball: PublicBall<M>, n: u64, epsilon: Epsilon) -> Result<Self, MechanismError> {
        let manifold = ball.manifold();
        let positive = manifold.curvature().upper > 0.0;
        if positive && manifold.two_point().is_none() {
            return Err(MechanismError::NotTwoPointHomogeneous);
        }
        if !positive && manifold.injectivity_radius().is_finite() {
            return Err(MechanismError::ClosedFlat);
        }
        let sensitivity = ball.gradient_sensitivity(n, MEAN_GRADIENT)?;
        let sigma = 2.0 * sensitivity.get() / epsilon.get() * (1.0 + margins::KNG_SHARE);
        let what = "gradient of the Fréchet objective of the records in the public ball";
        let price = Price::new(TITLE, n, PrivacyLoss::Pure(epsilon), what)?
            .with_noise(Sensitivity::Gradient(sensitivity), sigma)
            .with_clip(ball.radius());
        let mechanism = Self { ball, price, sigma };
        if !positive {
            // The law's envelope does not depend on the records here: whether it exists is public.
            mechanism.law(mechanism.radius(LowerGradient::default(), 0.0, About::Mean))?;
        }
        Ok(mechanism)
    }

    /// √κ, 0 where κ ≤ 0.
    fn root(&self) -> f64 {
        self.ball.manifold().curvature().upper.max(0.0).sqrt()
    }

    fn radius(&self, lower: LowerGradient, offset: f64, about: About) -> KngRadius<M> {
        let (root, r) = (self.root(), self.ball.radius().get());
        let end = match about {
            About::Centre => r,
            About::Mean if root > 0.0 => r + offset,
            About::Mean => self.ball.manifold().largest_distance(),
        };
        KngRadius { ball: self.ball.clone(), sigma: self.sigma, root, lower, offset, end, about }
    }

    fn law(&self, radius: KngRadius<M>) -> Result<RadialLaw<KngRadius<M>>, MechanismError> {
        let expected = self.sigma * self.ball.manifold().dim() as f64;
        Ok(RadialLaw::new(radius, expected).map_err(|_| TooWide(self.sigma))?)
    }

    /// The sampler for these records; `centred`: whether proposals are made about the ball's centre, by default what looks quicker. (The
    /// law does not depend on the mean: it makes the envelope tight.)
    pub(super) fn sampler(
        &self,
        located: LocatedRecords<M::Point>,
        centred: Option<bool>,
    ) -> Result<KngSampler<M>, MechanismError> {
        let (manifold, root) = (self.ball.manifold(), self.root());
        let offset = manifold.dist(self.ball.centre(), &located.mean);
        let lower = if root > 0.0 {
            let distances = located.bounded.points.iter().map(|p| manifold.dist(&located.mean, p));
            LowerGradient::new(&binned(distances.collect()), root, self.ball.radius().get() + offset)
        } else {
            LowerGradient::default()
        };
        let law = |about| self.law(self.radius(lower.clone(), offset, about));
        // Directions in one dimension have no concentration, and without positive curvature nothing is cut off.
        let possible = root > 0.0 && manifold.dim() > 1;
        if !possible || centred == Some(false) {
            return Ok(KngSampler::new(self.price.loss, located, law(About::Mean)?));
        }
        let about_centre = law(About::Centre)?;
        let loss = expected_loss(&about_centre, manifold.dim());
        let mut chosen = about_centre;
        // Up to some thousand gradients are cheaper than the double integrals of the share.
        if centred.is_none() && loss > 8.0 {
            let about_mean = law(About::Mean)?;
            // A membership test costs about a thirtieth of a gradient.
            if about_mean.density().ln_share(about_mean.mode()) + 30f64.ln() > -loss {
                chosen = about_mean;
            }
        }
        Ok(KngSampler::new(self.price.loss, located, chosen))
    }
}

impl<M: PolarVolume> Mechanism for KNormGradient<M> {
    type Records = [Option<M::Point>];
    type Prepared<'a>
        = KngSampler<M>
    where
        Self: 'a;
    type Value = NoisedPoint<M::Point>;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        &self.price
    }

    fn prepare(&self, records: &[Option<M::Point>]) -> Result<KngSampler<M>, MechanismError> {
        self.sampler(self.ball.locate(records, self.price.n)?, None)
    }

    fn draw(
        &self,
        sampler: &KngSampler<M>,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<NoisedPoint<M::Point>>, MechanismError> {
        let (point, _) = sampler.draw(noise, paid)?;
        let (dim, how) = (self.ball.manifold().dim(), "exact: rejection from a radial envelope");
        let part = described(&self.price, self.ball.radius(), "k-norm-gradient", how, dim)?;
        Ok(Drawn { value: NoisedPoint::on_space(point), parts: vec![part] })
    }
}
