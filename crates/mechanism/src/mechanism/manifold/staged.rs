//! A mean of points about a centre and within a radius that are public, or estimated privately first and paid for.

use super::{CentreStatistic, NoisedPoint, PrivateCentre, PublicBall};
use crate::manifold::Manifold;
use crate::mechanism::MechanismError;
use crate::mechanism::quantile::PrivateQuantile;
use crate::numeric::margins;
use crate::privacy::noise::NoiseSource;
use crate::privacy::{
    Charge, ClipRadius, ClipSource, Composition, Cost, Drawn, Epsilon, Mechanism, Mu, NoisedPart, Price,
    PrivacyLoss,
};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Share of μ (of ε, for pure budgets) for a private centre: the mean keeps √(1 − 0.09) = 95 % of μ.
#[doc(hidden)]
pub const CENTRE_SHARE: f64 = 0.3;

/// Where the centre of the ball comes from.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one of it in a study")]
pub enum CentreSource<P, S> {
    /// It is public.
    Public(P),
    /// A first pass finds it; `anywhere` is any public point of the space.
    Private {
        /// The first pass.
        pass: PrivateCentre<S>,
        /// A public point.
        anywhere: P,
    },
}

/// Where its radius comes from.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one of it in a study")]
pub enum RadiusSource {
    /// It is public.
    Public(ClipRadius),
    /// A private quantile of the records' distances from the centre, at most this much.
    Private {
        /// The pass that finds it.
        pass: PrivateQuantile,
        /// Where the theorems end.
        most: ClipRadius,
    },
}

/// Makes the mean's mechanism for a ball.
pub type MakeMean<M, K> = Box<dyn Fn(PublicBall<M>) -> Result<K, MechanismError> + Send + Sync>;

/// First passes for what is not public, then independent draws of a mean K about the centre.
///
/// # Proof
/// Every later mechanism has its guarantee whatever the centre and the radius are, so the parts compose adaptively (Dong, Roth and Su
/// 2019, Theorem 4; Dwork and Roth 2014, Theorem 3.16). One charge pays for all of them. What can fail for public reasons fails when
/// this is made: on homogeneous spaces it does not matter where the ball lies.
pub struct StagedMean<M: Manifold, S, K> {
    space: M,
    centre: CentreSource<M::Point, S>,
    radius: RadiusSource,
    make: MakeMean<M, K>,
    /// The mean itself, where its ball is public.
    ready: Option<K>,
    times: u32,
    price: Price,
    /// Of the parts, in the order in which they are drawn.
    losses: Vec<PrivacyLoss>,
}

/// What a [`StagedMean`] makes of the records before the charge: secret.
pub enum PreparedStages<'a, M: Manifold, K: Mechanism + 'a> {
    /// All of it: the ball is public.
    Ready(K::Prepared<'a>),
    /// The first pass; later ones depend on what it releases.
    Staged {
        /// The records.
        records: &'a [Option<M::Point>],
        /// What the private centre is read off.
        centre: Option<Vec<f64>>,
    },
}

impl<M: Manifold, S, K> fmt::Debug for StagedMean<M, S, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StagedMean").field("times", &self.times).field("price", &self.price).finish()
    }
}

/// Independent private means, with the ball they were drawn in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReleasedPoints<P, Q = P> {
    /// The centre: public, or released.
    pub centre: P,
    /// The radius: public, or released.
    pub radius: ClipRadius,
    /// One for each draw.
    pub draws: Vec<NoisedPoint<Q>>,
}

impl<M, S, K, Q> StagedMean<M, S, K>
where
    M: Manifold,
    S: CentreStatistic<Point = M::Point>,
    K: Mechanism<Records = [Option<M::Point>], Value = NoisedPoint<Q>, Error = MechanismError>,
{
    /// `times` draws, each paid for.
    ///
    /// # Errors
    /// [`MechanismError`]: whatever the mechanism refuses for public reasons.
    pub fn new(
        space: M,
        centre: CentreSource<M::Point, S>,
        radius: RadiusSource,
        times: u32,
        make: MakeMean<M, K>,
    ) -> Result<Self, MechanismError> {
        let (at, within) = (
            match &centre {
                CentreSource::Public(centre) => centre,
                CentreSource::Private { anywhere, .. } => anywhere,
            },
            match &radius {
                RadiusSource::Public(radius) => *radius,
                RadiusSource::Private { most, .. } => *most,
            },
        );
        let mean = make(PublicBall::new(space.clone(), at.clone(), within)?)?;
        let mut price = mean.price().clone();
        let (mut parts, mut losses) = (Composition::new(), Vec::new());
        if let CentreSource::Private { pass, .. } = &centre {
            parts.add(pass.price().mechanism.clone(), pass.price().loss);
            losses.push(pass.price().loss);
            // It is known where the ball lies, and how the noise is scaled, after the first pass only.
            (price.sensitivity, price.scale) = (None, None);
        }
        if let RadiusSource::Private { pass, .. } = &radius {
            parts.add(pass.price().mechanism.clone(), pass.price().loss);
            losses.push(pass.price().loss);
            (price.sensitivity, price.scale, price.clip) = (None, None, None);
        }
        let times = times.max(1);
        let (each, cost) = match price.parts.parts() {
            [_] => (price.loss, Cost::Loss(price.loss)),
            _ => (price.parts.total()?, Cost::Parts(price.parts.clone())),
        };
        losses.extend(std::iter::repeat_n(each, times as usize));
        parts.push(price.mechanism.clone(), times, cost);
        price.parts = parts;
        price.loss = price.parts.total()?;
        let public = matches!((&centre, &radius), (CentreSource::Public(_), RadiusSource::Public(_)));
        Ok(Self { space, centre, radius, make, ready: public.then_some(mean), times, price, losses })
    }

    /// States the loss as ε at a δ where that is what was asked for: parts of different kinds have no smaller claim in one unit.
    ///
    /// # Errors
    /// No ε at this δ.
    pub fn stated_at(mut self, delta: crate::privacy::Delta) -> Result<Self, MechanismError> {
        let epsilon = self.price.parts.epsilon_at(delta)?.epsilon;
        self.price.loss = PrivacyLoss::approximate(epsilon, delta);
        Ok(self)
    }
}

/// Noise streams of the parts: with a fixed seed each has one of its own.
const CENTRE_STREAM: u64 = 0xce47;
const RADIUS_STREAM: u64 = 0x5ad1;

impl<M, S, K, Q> Mechanism for StagedMean<M, S, K>
where
    M: Manifold,
    S: CentreStatistic<Point = M::Point>,
    K: Mechanism<Records = [Option<M::Point>], Value = NoisedPoint<Q>, Error = MechanismError>,
{
    type Records = [Option<M::Point>];
    type Prepared<'a>
        = PreparedStages<'a, M, K>
    where
        Self: 'a;
    type Value = ReleasedPoints<M::Point, Q>;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        &self.price
    }

    fn prepare<'a>(
        &'a self,
        records: &'a [Option<M::Point>],
    ) -> Result<PreparedStages<'a, M, K>, MechanismError> {
        if let Some(mean) = &self.ready {
            return Ok(PreparedStages::Ready(mean.prepare(records)?));
        }
        let centre = match &self.centre {
            CentreSource::Public(_) => None,
            CentreSource::Private { pass, .. } => Some(pass.prepare(records)?),
        };
        Ok(PreparedStages::Staged { records, centre })
    }

    fn draw(
        &self,
        prepared: &PreparedStages<'_, M, K>,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<ReleasedPoints<M::Point, Q>>, MechanismError> {
        let mut payments = paid.split(&self.losses)?.into_iter();
        match (prepared, &self.ready, &self.centre, &self.radius) {
            (
                PreparedStages::Ready(prepared),
                Some(mean),
                CentreSource::Public(centre),
                RadiusSource::Public(radius),
            ) => self.draws(mean, prepared, (centre.clone(), *radius), Vec::new(), noise, &mut payments),
            (PreparedStages::Staged { records, centre }, None, _, _) => {
                let mut parts = Vec::new();
                let centre = self.draw_centre(centre.as_ref(), noise, &mut payments, &mut parts)?;
                let radius = self.draw_radius(&centre, records, noise, &mut payments, &mut parts)?;
                let ball = PublicBall::new(self.space.clone(), centre.clone(), radius)?;
                let mean = (self.make)(ball)?;
                let prepared = mean.prepare(records)?;
                self.draws(&mean, &prepared, (centre, radius), parts, noise, &mut payments)
            }
            (PreparedStages::Ready(_) | PreparedStages::Staged { .. }, _, _, _) => {
                Err(MechanismError::Shape("prepared for another mechanism"))
            }
        }
    }
}

/// The parts of a payment that are left.
type Payments<'a> = &'a mut dyn Iterator<Item = Charge>;

fn next(payments: Payments<'_>) -> Result<Charge, MechanismError> {
    payments.next().ok_or(MechanismError::Shape("a payment has fewer parts than a release"))
}

impl<M, S, K, Q> StagedMean<M, S, K>
where
    M: Manifold,
    S: CentreStatistic<Point = M::Point>,
    K: Mechanism<Records = [Option<M::Point>], Value = NoisedPoint<Q>, Error = MechanismError>,
{
    fn draw_centre(
        &self,
        statistic: Option<&Vec<f64>>,
        noise: &NoiseSource,
        payments: Payments<'_>,
        parts: &mut Vec<NoisedPart>,
    ) -> Result<M::Point, MechanismError> {
        match (&self.centre, statistic) {
            (CentreSource::Public(centre), _) => Ok(centre.clone()),
            (CentreSource::Private { pass, .. }, Some(statistic)) => {
                let drawn = pass.draw(statistic, &mut noise.part(CENTRE_STREAM)?, next(payments)?)?;
                parts.extend(drawn.parts);
                Ok(drawn.value.centre)
            }
            (CentreSource::Private { .. }, None) => {
                Err(MechanismError::Shape("prepared for another mechanism"))
            }
        }
    }

    fn draw_radius(
        &self,
        centre: &M::Point,
        records: &[Option<M::Point>],
        noise: &NoiseSource,
        payments: Payments<'_>,
        parts: &mut Vec<NoisedPart>,
    ) -> Result<ClipRadius, MechanismError> {
        match &self.radius {
            RadiusSource::Public(radius) => Ok(*radius),
            RadiusSource::Private { pass, most } => {
                let distance = |p: &M::Point| self.space.dist(centre, p);
                let distances: Vec<_> = records.iter().map(|r| r.as_ref().map(distance)).collect();
                let counts = pass.prepare(&distances)?;
                let drawn = pass.draw(&counts, &mut noise.part(RADIUS_STREAM)?, next(payments)?)?;
                parts.extend(drawn.parts);
                // The last edge of the grid may lie a step beyond the theorem's bound.
                Ok(ClipRadius::new(drawn.value.radius.get().min(most.get()), ClipSource::Private)?)
            }
        }
    }

    fn draws(
        &self,
        mean: &K,
        prepared: &K::Prepared<'_>,
        (centre, radius): (M::Point, ClipRadius),
        mut parts: Vec<NoisedPart>,
        noise: &mut NoiseSource,
        payments: Payments<'_>,
    ) -> Result<Drawn<ReleasedPoints<M::Point, Q>>, MechanismError> {
        let mut draws = Vec::with_capacity(self.times as usize);
        let mut last = Vec::new();
        for _ in 0..self.times {
            let drawn = mean.draw(prepared, noise, next(payments)?)?;
            draws.push(drawn.value);
            last = drawn.parts;
        }
        parts.extend(last);
        Ok(Drawn { value: ReleasedPoints { centre, radius, draws }, parts })
    }
}

/// A part of a budget, and what is left of it for a mean that costs `pure` ε or a μ.
///
/// μ splits as μ² = (sμ)² + (1 − s²)μ²; ε as ε = sε + (1 − s)ε. An (ε, δ) budget for a pure mechanism pays the first pass's Gaussian noise
/// with (sε, δ) and leaves (1 − s)ε; for a Gaussian one it is the μ that `gaussian` makes of it.
///
/// # Errors
/// [`BudgetError`] for losses that are no budgets.
#[doc(hidden)]
pub fn split_budget(
    budget: PrivacyLoss,
    share: f64,
    pure: bool,
    gaussian: impl Fn(PrivacyLoss) -> Result<Mu, MechanismError>,
) -> Result<(PrivacyLoss, PrivacyLoss), MechanismError> {
    // A hair less, so that rounding does not carry the sum above the budget.
    let part = |epsilon: Epsilon, share: f64| Epsilon::new(epsilon.get() * share * (1.0 - margins::SPLIT));
    match budget {
        PrivacyLoss::Pure(epsilon) => {
            Ok((PrivacyLoss::Pure(part(epsilon, share)?), PrivacyLoss::Pure(part(epsilon, 1.0 - share)?)))
        }
        PrivacyLoss::Approximate(epsilon, delta) if pure => Ok((
            PrivacyLoss::Gaussian(Mu::within(part(epsilon, share)?, delta)?),
            PrivacyLoss::Approximate(part(epsilon, 1.0 - share)?, delta),
        )),
        other => {
            let (part, rest) = gaussian(other)?.split(share)?;
            Ok((PrivacyLoss::Gaussian(part), PrivacyLoss::Gaussian(rest)))
        }
    }
}
