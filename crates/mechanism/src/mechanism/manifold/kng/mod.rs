//! The K-norm gradient mechanism for Fréchet means, drawn without a chain.

mod cells;
mod envelope;
mod lower_gradient;
mod sampler;
#[cfg(test)]
mod tests;
mod worst_case;

pub use sampler::KngSampler;
pub use worst_case::ENTRY;

use super::laplace::LaplaceRadius;
use super::lazy::{Loss, RadialHistogram, Range, grid_exponent, origin};
use super::polar::{HowDrawn, TooWide, described, root_mean_square};
use super::radial::RadialLaw;
use super::{LocatedRecords, MEAN_GRADIENT, NoisedPoint, PublicBall};
use crate::manifold::{PolarVolume, TwoPointSpace};
use crate::mechanism::MechanismError;
use crate::numeric::margins;
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Charge, Drawn, Epsilon, Mechanism, Price, PrivacyLoss, Sensitivity, Title};
use cells::{Lean, Proposals};
use envelope::{About, Envelope, angles};
use lower_gradient::{LowerGradient, binned};
use sampler::How;
use std::sync::Arc;

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
    /// Where there is a grid, it is 2^this.
    exponent: i32,
    path: Path<M>,
    /// How far draws lie from the mean, where that is known.
    expected: Option<f64>,
}

/// How draws are made, as far as it is public.
#[derive(Debug)]
enum Path<M> {
    /// On a grid. The curvature is positive: proposals are shaped by the records, the law's domain is the ball.
    Ball((TwoPointSpace, f64)),
    /// On a grid. The curvature is at most 0: proposals about the mean, the domain reaches this far from the centre.
    Everywhere((TwoPointSpace, f64), Arc<RadialHistogram>, f64),
    /// In floating point.
    Idealized(Arc<RadialLaw<LaplaceRadius<M>>>),
}

/// The domain of unbounded spaces ends where the law has fallen to e to the minus this, or where doubles no longer tell scores.
const DOMAIN: f64 = 60.0;

/// How far from the centre doubles tell scores to within the error that is counted, on spaces where rounding grows with the distance.
fn well_told<M: PolarVolume>(manifold: &M) -> f64 {
    let told = |radius: f64| 4.0 * f64::EPSILON * manifold.rounding_growth(radius) <= MEAN_GRADIENT;
    let (mut low, mut high) = (0.0, 1e6_f64);
    if told(high) {
        return f64::INFINITY;
    }
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if told(middle) { low = middle } else { high = middle }
    }
    low
}

/// ρ: how far the points of a cell are from the cell's own, at most: half its diagonal, which is an arc on curved spaces (longer than its
/// chord by less than a twentieth for chords up to ½).
fn cell_reach((space, unit): (TwoPointSpace, f64), exponent: i32) -> f64 {
    let numbers = 2.0 * (space.real_dim() as f64 + 1.0);
    0.525 * unit * libm::ldexp(numbers.sqrt(), exponent)
}

/// Root mean square of a draw's distance from the mean, as far as public numbers tell it: that of the Riemannian Laplace law to which a draw
/// falls on flat spaces, where ‖∇F(x)‖ is the distance of x from the mean. Curvature κ > 0 makes the gradient smaller, by √κ r cot(√κ r) for
/// records at a distance of r; κ < 0 makes it larger, which is left out, so that too much is said. The law's domain is the ball.
fn expected_error<M: PolarVolume>(ball: &PublicBall<M>, sigma: f64) -> Option<f64> {
    let (manifold, radius) = (ball.manifold(), ball.radius().get());
    let (curvature, typical) = (manifold.curvature().upper, sigma * manifold.dim() as f64);
    if curvature <= 0.0 {
        return root_mean_square(manifold, typical, |t| t / sigma);
    }
    let angle = curvature.sqrt() * radius;
    let slope = angle / angle.tan() / sigma;
    root_mean_square(manifold, typical.min(radius), |t| if t > radius { f64::INFINITY } else { slope * t })
}

impl<M: PolarVolume> Path<M> {
    fn new(ball: &PublicBall<M>, sigma: f64, exponent: i32) -> Result<Self, MechanismError> {
        let manifold = ball.manifold();
        match manifold.two_point() {
            None => Ok(Self::Idealized(Arc::new(LaplaceRadius::law(manifold, sigma)?))),
            Some(model) if manifold.curvature().upper > 0.0 => Ok(Self::Ball(model)),
            Some((space, unit)) => {
                // ‖∇F(x)‖ ≥ d(x̄, x), less what is computed wrongly.
                let off = 4.0 * MEAN_GRADIENT + cell_reach((space, unit), exponent);
                let (value, slope) = (-off, unit * (1.0 - margins::KNG_SLOPE));
                let loss = Loss::Line { start: 0.0, value, slope, scale: sigma };
                let expected = sigma / unit * space.real_dim() as f64;
                let radii =
                    RadialHistogram::new(space, &Range::Whole(loss), expected).map_err(|_| TooWide(sigma))?;
                // A public cut, so free of charge; where noise is very wide it comes before the law has fallen.
                let told = well_told(manifold);
                if told <= ball.radius().get() {
                    return Err(TooWide(sigma).into());
                }
                let within = told.min(ball.radius().get() + unit * radii.all_but(DOMAIN));
                Ok(Self::Everywhere((space, unit), Arc::new(radii), within))
            }
        }
    }
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
        let sigma = 2.0 * sensitivity.get() / epsilon.get() * (1.0 + margins::LAPLACE);
        let what = "gradient of the Fréchet objective of the records in the public ball";
        let price = Price::new(TITLE, n, PrivacyLoss::Pure(epsilon), what)?
            .with_noise(Sensitivity::Gradient(sensitivity), sigma)
            .with_clip(ball.radius());
        // Where it does not depend on the records whether there is a law, it is known now.
        let exponent =
            ball.manifold().two_point().map_or(0, |(space, unit)| grid_exponent(space, sigma / unit));
        let path = Path::new(&ball, sigma, exponent)?;
        let expected = expected_error(&ball, sigma);
        Ok(Self { ball, price, sigma, exponent, path, expected })
    }

    /// The sampler for these records; `centred`: whether proposals are made about the ball's centre, by default what looks quicker. (The
    /// law does not depend on the mean: it makes the envelope tight.)
    pub(in crate::mechanism::manifold) fn sampler(
        &self,
        located: LocatedRecords<M::Point>,
        centred: Option<bool>,
    ) -> Result<KngSampler<M>, MechanismError> {
        let manifold = self.ball.manifold();
        let how = match &self.path {
            Path::Idealized(law) => How::Idealized(Arc::clone(law)),
            Path::Everywhere((space, _), radii, within) => {
                let proposals = self.proposals(*space, &located.mean, Arc::clone(radii))?;
                How::Cells { proposals, centre: self.ball.centre().clone(), within: *within }
            }
            Path::Ball(model) => {
                let proposals = self.shaped(*model, &located, centred)?;
                // Only points that are surely inside.
                let within = self.ball.radius().get() * (1.0 - margins::IN_DOMAIN);
                How::Cells { proposals, centre: self.ball.centre().clone(), within }
            }
        };
        Ok(KngSampler { manifold: manifold.clone(), located, loss: self.price.loss, sigma: self.sigma, how })
    }

    fn proposals(
        &self,
        space: TwoPointSpace,
        about: &M::Point,
        radii: Arc<RadialHistogram>,
    ) -> Result<Proposals, MechanismError> {
        let origin = origin(self.ball.manifold(), space, about)?;
        Ok(Proposals { origin, radii, lean: None, exponent: self.exponent, sigma: self.sigma })
    }

    /// Proposals shaped by the records, about the mean or about the centre.
    fn shaped(
        &self,
        model: (TwoPointSpace, f64),
        located: &LocatedRecords<M::Point>,
        centred: Option<bool>,
    ) -> Result<Proposals, MechanismError> {
        let (manifold, radius) = (self.ball.manifold(), self.ball.radius().get());
        let curvature = manifold.curvature().upper;
        let offset = manifold.dist(self.ball.centre(), &located.mean);
        let distances = located.bounded.points.iter().map(|p| manifold.dist(&located.mean, p));
        let lower = LowerGradient::new(&binned(distances.collect()), curvature.sqrt(), radius + offset);
        let cell_reach = cell_reach(model, self.exponent);
        let envelope = Envelope { lower, radius, offset, curvature, sigma: self.sigma, cell_reach };
        let too_wide = |_| TooWide(self.sigma);
        let radii = |about| envelope.radii(about, model).map_err(too_wide).map(Arc::new);
        let about_mean = |radii| self.proposals(model.0, &located.mean, radii);
        if centred == Some(false) {
            return about_mean(radii(About::Mean)?);
        }
        let about_centre = radii(About::Centre)?;
        let loss = envelope.expected_loss(&about_centre, model.1, manifold.dim());
        // Integrals and a second envelope are worth it where many proposals are saved.
        if centred.is_none() && loss > 0.5 {
            let radii = radii(About::Mean)?;
            if envelope.share_inside(&radii, model) > (-loss).exp() {
                return about_mean(radii);
            }
        }
        let mut proposals = self.proposals(model.0, self.ball.centre(), about_centre)?;
        let concentration = envelope.concentration();
        if let Some(towards) = manifold.to_two_point(&located.mean).filter(|_| concentration > 0.0) {
            let angles = angles(concentration, manifold.dim()).map_err(too_wide)?;
            proposals.lean = Some(Lean { towards: proposals.origin.aligned(&towards), angles });
        }
        Ok(proposals)
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
        let how = match &self.path {
            Path::Ball((_, unit)) | Path::Everywhere((_, unit), ..) => {
                HowDrawn::OnGrid(unit * libm::ldexp(1.0, self.exponent))
            }
            Path::Idealized(_) => HowDrawn::Idealized("exact: rejection from a radial envelope"),
        };
        let dim = self.ball.manifold().dim();
        let part = described(&self.price, self.ball.radius(), "k-norm-gradient", how, dim, self.expected)?;
        Ok(Drawn { value: NoisedPoint::on_space(point), parts: vec![part] })
    }
}
