//! The Riemannian Laplace mechanism, drawn without a chain.

mod worst_case;

pub use worst_case::ENTRY;

use super::lazy::{GridLaw, Loss};
use super::polar::{HowDrawn, TooWide, described, direction_accepted, root_mean_square};
use super::radial::{RadialDensity, RadialLaw};
use super::{LocatedRecords, MEAN_GRADIENT, NoisedPoint, PublicBall, Work};
use crate::manifold::PolarVolume;
use crate::mechanism::MechanismError;
use crate::numeric::margins;
use crate::privacy::noise::{NoiseSource, PaidGenerator};
use crate::privacy::{Charge, Drawn, Epsilon, Mechanism, Price, PrivacyLoss, Sensitivity, Title};

const TITLE: Title = Title {
    name: "Riemannian Laplace",
    sentence: "The mean of the records, brought into a public ball, is moved by a random distance in a random direction; far moves are \
               exponentially rare.",
};

/// A draw from the Laplace law about the Fréchet mean.
///
#[doc = include_str!("proof.md")]
#[derive(Debug)]
pub struct RiemannianLaplace<M: PolarVolume> {
    ball: PublicBall<M>,
    price: Price,
    law: Law<M>,
    /// The root-mean-square distance of a draw from the mean, where it depends on the space alone.
    expected: Option<f64>,
}

/// How draws are made.
#[derive(Debug)]
enum Law<M> {
    /// With digits on demand, on a grid: two-point homogeneous spaces.
    Grid(GridLaw),
    /// In floating point.
    Idealized(RadialLaw<LaplaceRadius<M>>),
}

/// The density e^{−t/σ} of the distance, in floating point.
#[derive(Debug)]
pub(super) struct LaplaceRadius<M> {
    manifold: M,
    sigma: f64,
}

impl<M: PolarVolume> LaplaceRadius<M> {
    /// Its law.
    pub(super) fn law(manifold: &M, sigma: f64) -> Result<RadialLaw<Self>, TooWide> {
        let radius = Self { manifold: manifold.clone(), sigma };
        RadialLaw::new(radius, sigma * manifold.dim() as f64).map_err(|_| TooWide(sigma))
    }
}

impl<M: PolarVolume> RadialDensity for LaplaceRadius<M> {
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

impl<M: PolarVolume> RiemannianLaplace<M> {
    /// For n records in the ball.
    ///
    /// # Errors
    /// n = 0, or noise so wide that it has no law on the space (on negatively curved ones).
    pub fn new(ball: PublicBall<M>, n: u64, epsilon: Epsilon) -> Result<Self, MechanismError> {
        let sensitivity = ball.mean_sensitivity(n, MEAN_GRADIENT)?;
        let sigma = sensitivity.get() / epsilon.get() * (1.0 + margins::LAPLACE);
        let law = Law::new(ball.manifold(), sigma)?;
        let what = "Fréchet mean of the records in the public ball";
        let price = Price::new(TITLE, n, PrivacyLoss::Pure(epsilon), what)?
            .with_noise(Sensitivity::Distance(sensitivity), sigma)
            .with_clip(ball.radius());
        let typical = sigma * ball.manifold().dim() as f64;
        let expected = root_mean_square(ball.manifold(), typical, |t| t / sigma);
        Ok(Self { ball, price, law, expected })
    }

    /// One private point, or `None` when the work is more than was allowed: not a draw from the law then, so for figures only.
    #[doc(hidden)]
    pub fn draw_within(
        &self,
        mean: &M::Point,
        noise: &mut NoiseSource,
        paid: Charge,
        work: &mut Work,
    ) -> Result<Option<M::Point>, MechanismError> {
        let mut rng = noise.open(paid, self.price.loss)?;
        while work.spend(1) {
            if let Some(x) = self.attempt(mean, &mut rng)? {
                return Ok(Some(x));
            }
        }
        Ok(None)
    }

    fn attempt(
        &self,
        mean: &M::Point,
        rng: &mut PaidGenerator<'_>,
    ) -> Result<Option<M::Point>, MechanismError> {
        let manifold = self.ball.manifold();
        let law = match &self.law {
            Law::Grid(law) => return law.draw(manifold, (mean, self.ball.centre()), rng).map(Some),
            Law::Idealized(law) => law,
        };
        let t = law.draw(rng);
        let direction = manifold.random_direction(mean, rng);
        let v = manifold.scale(t, &direction);
        Ok(direction_accepted(manifold, mean, &v, 0.0, rng).then(|| manifold.exp(mean, &v)))
    }

    /// The same with floating-point draws on any space: what an attack on low bits must find.
    #[cfg(test)]
    pub(super) fn idealized(mut self) -> Result<Self, MechanismError> {
        let sigma = self.price.scale.unwrap_or(f64::NAN);
        self.law = Law::Idealized(LaplaceRadius::law(self.ball.manifold(), sigma)?);
        Ok(self)
    }
}

impl<M: PolarVolume> Law<M> {
    fn new(manifold: &M, sigma: f64) -> Result<Self, TooWide> {
        let Some((space, unit)) = manifold.two_point() else {
            return LaplaceRadius::law(manifold, sigma).map(Self::Idealized);
        };
        // σ has more room than this quotient rounds off.
        let scale = sigma / unit;
        let law =
            GridLaw::new((space, unit), Loss::proportional(scale), scale * manifold.dim() as f64, scale);
        law.map(Self::Grid).map_err(|_| TooWide(sigma))
    }
}

impl<M: PolarVolume> Mechanism for RiemannianLaplace<M> {
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
        let mut rng = noise.open(paid, self.price.loss)?;
        let point = loop {
            if let Some(x) = self.attempt(&located.mean, &mut rng)? {
                break x;
            }
        };
        let how = match &self.law {
            Law::Grid(law) => HowDrawn::OnGrid(law.step()),
            Law::Idealized(_) => HowDrawn::Idealized("exact: radius by rejection, uniform direction"),
        };
        let dim = self.ball.manifold().dim();
        let part = described(&self.price, self.ball.radius(), "riemannian-laplace", how, dim, self.expected)?;
        Ok(Drawn { value: NoisedPoint::on_space(point), parts: vec![part] })
    }
}
