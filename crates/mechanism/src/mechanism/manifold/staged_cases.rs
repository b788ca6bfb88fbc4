//! Audits of means whose centre or radius is found first, and paid for: what all passes together release, against what they cost together.

use super::{
    CentreSource, DirectionStatistic, PrivateCentre, RadiusSource, ReleasedPoints, StagedMean, TangentMean,
};
use crate::manifold::{Manifold, Sphere};
use crate::mechanism::MechanismError;
use crate::mechanism::quantile::{PrivateQuantile, RadiusGrid};
use crate::privacy::audit::{AuditError, Auditable, PairAudit, WorstCase, whole};
use crate::privacy::{ClipRadius, ClipSource, Mu, PrivacyLoss, Released};
use nalgebra::{DVector, dvector};

/// As the registry knows them.
pub(in crate::mechanism) const STAGED_CASES: &[WorstCase] = &[
    WorstCase { name: "private-centre-and-mean", make: centre_and_mean, loss: whole, runs: 20_000 },
    WorstCase { name: "private-radius-and-mean", make: radius_and_mean, loss: whole, runs: 50_000 },
];

/// μ of the first pass over the whole: that of studies for a centre, and more than theirs for a radius, which tells only one bit.
const SHARE: f64 = 0.3;

/// The public radius beside a private centre.
const CLIP: f64 = 0.3;

/// The two radii that are left to choose from.
const RADII: [f64; 2] = [0.1, 0.11];

/// Records.
const N: u64 = 400;

type Made = Result<Box<dyn Auditable>, AuditError>;
type Staged = StagedMean<Sphere, DirectionStatistic, TangentMean<Sphere>>;
type Points = Vec<Option<DVector<f64>>>;
type Value = ReleasedPoints<DVector<f64>>;

/// μ of the first pass and of the mean.
fn parts(mu: f64) -> Result<[Mu; 2], MechanismError> {
    Ok([Mu::new(SHARE * mu)?, Mu::new((1.0 - SHARE * SHARE).sqrt() * mu * (1.0 - 1e-12))?])
}

fn staged(
    centre: CentreSource<DVector<f64>, DirectionStatistic>,
    radius: RadiusSource,
    mu: Mu,
) -> Result<Staged, MechanismError> {
    let make = move |ball| TangentMean::gaussian(ball, N, mu);
    StagedMean::new(Sphere::unit(2)?, centre, radius, 1, Box::new(make))
}

/// The released noise, in its standard deviations, along `towards` at the centre.
fn along(value: &Value, towards: &DVector<f64>, mu: f64) -> f64 {
    let Ok(sphere) = Sphere::unit(2) else { return f64::NAN };
    let Some(draw) = value.draws.first() else { return f64::NAN };
    let noised = sphere.from_coordinates(&value.centre, &draw.noised);
    let towards = sphere.log(&value.centre, towards).unwrap_or_else(|_| towards.clone());
    let length = sphere.norm(&value.centre, &towards);
    let sigma = 2.0 * value.radius.get() / (N as f64 * mu);
    sphere.inner(&value.centre, &noised, &towards) / (length * sigma)
}

/// All records at one direction but the last, a quarter turn to either side: as far apart as two records can be for the first pass, and at
/// opposite ends of the ball for the mean.
fn centre_and_mean(name: &'static str, parameter: f64) -> Made {
    let no_claim = |_: MechanismError| AuditError::NoClaim(name.to_owned());
    let [first, mean] = parts(Mu::new(parameter)?.get()).map_err(no_claim)?;
    let mechanism = || -> Result<Staged, MechanismError> {
        let pass =
            PrivateCentre::new(DirectionStatistic::new(Sphere::unit(2)?), N, PrivacyLoss::Gaussian(first))?;
        let centre = CentreSource::Private { pass, anywhere: dvector![0.0, 1.0, 0.0] };
        staged(centre, RadiusSource::Public(ClipRadius::new(CLIP, ClipSource::Public)?), mean)
    };
    let with = |x: f64| {
        let mut records: Points = vec![Some(dvector![0.0, 1.0, 0.0]); N as usize];
        records[0] = Some(dvector![x, 0.0, 0.0]);
        records
    };
    let side = dvector![1.0, 0.0, 0.0];
    let look = move |released: &Released<Value>| {
        let value = &released.value;
        // The centre's noise in its standard deviations, 2/(nμ); the other records are y with weight (n − 1)/n.
        let turned = value.centre[0] / value.centre[1] * 0.5 * N as f64 * first.get();
        // From a centre that is turned to one side, the others lie to the other.
        let angle = value.centre[0].atan2(value.centre[1]);
        let others = -angle * (N - 1) as f64 / (2.0 * CLIP) * mean.get();
        let moved = along(value, &side, mean.get()) - others;
        // Both are normal, μ apart: their best sum weighs each by its μ.
        vec![first.get() * turned + mean.get() * moved, turned, moved]
    };
    PairAudit::boxed(
        name,
        mechanism().map_err(no_claim)?,
        [with(1.0), with(-1.0)],
        |records| &records[..],
        Box::new(look),
    )
}

/// Records of which as many lie within the smaller radius as decide, and a last one there or far out on the other side.
fn radius_and_mean(name: &'static str, parameter: f64) -> Made {
    let no_claim = |_: MechanismError| AuditError::NoClaim(name.to_owned());
    let [first, mean] = parts(Mu::new(parameter)?.get()).map_err(no_claim)?;
    let pole = dvector![0.0, 0.0, 1.0];
    let mechanism = || -> Result<Staged, MechanismError> {
        let grid = RadiusGrid { low: RADII[0], high: RADII[1], ratio: 1.1 };
        let pass = PrivateQuantile::new(&grid, 0.5, N, first)?;
        let radius = RadiusSource::Private { pass, most: ClipRadius::new(RADII[1], ClipSource::Private)? };
        staged(CentreSource::Public(pole.clone()), radius, mean)
    };
    let at = |t: f64| Some(dvector![t.sin(), 0.0, t.cos()]);
    let inside = 0.999 * RADII[0];
    let with = |last: f64| -> Points {
        let mut records: Points = (0..N).map(|i| at(if i % 2 == 0 { inside } else { 0.5 })).collect();
        records[0] = at(last);
        records
    };
    let side = dvector![1.0, 0.0, 0.0];
    let look = move |released: &Released<Value>| {
        let value = &released.value;
        let radius = value.radius.get();
        let others = 0.5 * (inside + radius) / (2.0 * radius) * N as f64 * mean.get();
        let moved = along(value, &side, mean.get()) - others;
        let wide = if radius > inside + 0.5 * (RADII[1] - RADII[0]) { 1.0 } else { 0.0 };
        // A record inside speaks for the narrow ball and for a mean on its side.
        vec![moved - 0.5 * wide, moved, wide]
    };
    PairAudit::boxed(
        name,
        mechanism().map_err(no_claim)?,
        [with(inside), with(-0.5)],
        |records| &records[..],
        Box::new(look),
    )
}
