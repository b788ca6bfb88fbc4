//! Bounds the records, finds their mean, charges, draws.

use super::exploration::{Exploration, explore};
use super::{PointMechanism, PointRequest, PointStudyError, Stream};
use crate::mechanism::manifold::{
    BoundedRecords, KNormGradient, ManifoldMeanError, ManifoldPrice, PolarVolume, PublicBall,
    RiemannianGaussian, RiemannianLaplace, TangentGaussian,
};
use crate::privacy::noise::{NoiseDescription, NoiseSource};
use crate::privacy::{Charge, Composition, Cost, Ledger, PrivacyLoss};
use crate::stats::{FrechetOptions, frechet_mean};

/// The gradient norm the sensitivity allows for: what the solver stops at is far below, and a mean that is not found to this
/// accuracy stops the study before anything is charged.
pub(super) const GRADIENT: f64 = crate::mechanism::manifold::MEAN_GRADIENT;

/// Independent private means.
#[derive(Debug, Clone)]
pub struct Released<P> {
    /// One point for each draw.
    pub points: Vec<P>,
    /// What each draw cost.
    pub price: ManifoldPrice,
    /// The noise of each draw.
    pub noise: NoiseDescription,
    /// All draws together.
    pub composition: Composition,
    /// Whether the noise came from a fixed seed.
    pub seeded: bool,
    /// Whether the charges are on disk.
    pub recorded: bool,
}

/// What only the data holder may see.
#[derive(Debug, Clone)]
pub struct Internal<P> {
    /// The Fréchet mean of the bounded records.
    pub mean: P,
    /// The records in the ball, and how many were brought there.
    pub bounded: BoundedRecords<P>,
    /// Seconds each draw took, on average.
    pub seconds_per_draw: f64,
    /// Further draws for the data holder's page.
    pub exploration: Option<Exploration<P>>,
}

/// What stays with the data holder, and what was released, if anything was.
pub type Outcome<P> = (Internal<P>, Option<Released<P>>);

/// The mean of the records over the public ball, and the private draws about it ([`PointMechanism::None`] draws nothing).
/// Everything that can fail for want of data, budget or radius fails before the ledger is charged.
///
/// # Errors
/// [`PointStudyError`]; those that depend on records are about their form, never their values.
pub fn release<M: PolarVolume + Clone>(
    ball: &PublicBall<'_, M>,
    records: &[Option<M::Point>],
    request: &PointRequest,
    ledger: &mut Ledger,
) -> Result<Outcome<M::Point>, PointStudyError> {
    let n = records.len() as u64;
    let bounded = ball.bound(records);
    if bounded.points.is_empty() {
        return Err(PointStudyError::Input("there are no records".into()));
    }
    let mean = bounded_mean(ball, &bounded)?;
    let mut internal = Internal { mean, bounded, seconds_per_draw: 0.0, exploration: None };
    let (mean, points) = (&internal.mean, &internal.bounded.points);
    let start = std::time::Instant::now();
    let released = match request.mechanism {
        PointMechanism::None => None,
        PointMechanism::Laplace => {
            let m = RiemannianLaplace::new(ball.clone(), n, request.pure()?, GRADIENT)?;
            Some(draws(m.price(), m.noise(), request, ledger, |noise, paid| m.draw(mean, noise, paid))?)
        }
        PointMechanism::Kng => {
            let m = KNormGradient::new(ball.clone(), n, request.pure()?)?;
            let sampler = m.sampler(points, mean)?;
            let draw = |noise: &mut NoiseSource, paid| sampler.draw(noise, paid).map(|(p, _)| p);
            Some(draws(m.price(), m.noise(), request, ledger, draw)?)
        }
        PointMechanism::RiemannianGaussian => {
            let m = RiemannianGaussian::new(ball.clone(), n, request.gaussian()?, GRADIENT)?;
            Some(draws(m.price(), m.noise(), request, ledger, |noise, paid| m.draw(mean, noise, paid))?)
        }
        PointMechanism::TangentGaussian => {
            let mu = request.gaussian()?;
            let m = TangentGaussian::new(ball.clone(), n, mu, PrivacyLoss::Gaussian(mu))?;
            let statistic = m.statistic(points)?;
            let mut description = None;
            let draw = |noise: &mut NoiseSource, paid| {
                let drawn = m.draw(&statistic, noise, paid)?;
                description = Some(drawn.release.noise);
                Ok(drawn.point)
            };
            // The lattice's step and sampler are known once it has been used.
            let mut released = draws(m.price(), placeholder(m.price()), request, ledger, draw)?;
            if let Some(description) = description {
                released.noise = description;
            }
            Some(released)
        }
        PointMechanism::Extrinsic | PointMechanism::Pointwise | PointMechanism::PointwiseUnaligned => {
            return Err(PointStudyError::NotHere {
                mechanism: "ambient or pointwise",
                space: "this space",
                remedy: "choose kng, laplace or one of the Gaussians",
            });
        }
    };
    internal.seconds_per_draw = start.elapsed().as_secs_f64() / f64::from(request.draws.max(1));
    internal.exploration = Some(explore(ball, points, mean, request, released.as_ref().map(|r| &r.price))?);
    Ok((internal, released))
}

/// The Fréchet mean of the bounded records, to the accuracy the sensitivity counts on.
pub(super) fn bounded_mean<M: PolarVolume>(
    ball: &PublicBall<'_, M>,
    bounded: &BoundedRecords<M::Point>,
) -> Result<M::Point, PointStudyError> {
    let options = FrechetOptions::default();
    let found = frechet_mean(ball.manifold(), &bounded.points, None, Some(ball.centre()), options)?;
    if found.certificate.gradient_norm.is_nan() || found.certificate.gradient_norm > GRADIENT {
        return Err(PointStudyError::NotConverged);
    }
    Ok(found.point)
}

/// Whether the mechanism exists over such a ball at the request's budget: everything that depends on public numbers only, so
/// that a first pass is not paid for in vain. On homogeneous spaces it does not matter where the ball lies.
///
/// # Errors
/// As [`release`].
pub(super) fn preflight<M: PolarVolume + Clone>(
    ball: &PublicBall<'_, M>,
    n: u64,
    request: &PointRequest,
) -> Result<(), PointStudyError> {
    match request.mechanism {
        PointMechanism::Laplace => {
            RiemannianLaplace::new(ball.clone(), n, request.pure()?, GRADIENT)?;
        }
        PointMechanism::Kng => {
            KNormGradient::new(ball.clone(), n, request.pure()?)?;
        }
        PointMechanism::RiemannianGaussian => {
            RiemannianGaussian::new(ball.clone(), n, request.gaussian()?, GRADIENT)?;
        }
        PointMechanism::TangentGaussian => {
            request.gaussian()?;
        }
        PointMechanism::Extrinsic => {
            request.vector_noise()?;
        }
        PointMechanism::Pointwise | PointMechanism::PointwiseUnaligned => {
            request.pure()?;
        }
        PointMechanism::None => {}
    }
    Ok(())
}

fn placeholder(price: &ManifoldPrice) -> NoiseDescription {
    NoiseDescription {
        distribution: "gaussian".into(),
        path: crate::privacy::noise::NoisePath::Lattice,
        scale: price.scale,
        dimension: 0,
        step: None,
        sampler: "none drawn".into(),
    }
}

/// Charges and draws, as often as was asked.
pub(super) fn draws<P>(
    price: &ManifoldPrice,
    description: NoiseDescription,
    request: &PointRequest,
    ledger: &mut Ledger,
    mut draw: impl FnMut(&mut NoiseSource, Charge) -> Result<P, ManifoldMeanError>,
) -> Result<Released<P>, PointStudyError> {
    let mut noise = request.noise(Stream::Release)?;
    let mut composition = Composition::new();
    for pass in &request.paid_before {
        composition.add(pass.what, pass.loss);
    }
    let mut points = Vec::new();
    let mut recorded = true;
    let times = request.draws.max(1);
    // All of them, or none: draws that were charged before a ceiling stopped the study would be lost.
    ledger.check(Composition::new().push(price.mechanism, times, Cost::Loss(price.loss)))?;
    for _ in 0..times {
        let paid = ledger.charge(price.mechanism, price.loss)?;
        recorded &= paid.is_durable();
        points.push(draw(&mut noise, paid)?);
        composition.add(price.mechanism, price.loss);
    }
    Ok(Released {
        points,
        price: price.clone(),
        noise: description,
        composition,
        seeded: noise.is_seeded(),
        recorded,
    })
}
