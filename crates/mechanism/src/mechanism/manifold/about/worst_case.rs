//! Numbers at the middle of the first ball, and one at either end of it.

use super::{AboutPrivate, CENTRE_SHARE, PointRecords, ReleasedAbout, TITLE};
use crate::function::Basis;
use crate::manifold::Euclidean;
use crate::mechanism::MechanismError;
use crate::mechanism::functional::{FunctionalMean, NoisedFunction, Norm, Smoothing};
use crate::mechanism::manifold::{BallStatistic, PublicBall};
use crate::privacy::audit::{AuditError, Auditable, PairAudit, WorstCase, whole};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{ClipRadius, ClipSource, Entry, Ledger, Mu, Released, ScaleCheck, release};
use nalgebra::DVector;

/// As the registry knows it.
pub const ENTRY: Entry = Entry {
    name: "about-private-centre",
    title: TITLE,
    proof: include_str!("proof.md"),
    scale,
    worst_cases: WORST_CASES,
};

const WORST_CASES: &[WorstCase] =
    &[WorstCase { name: "about-private-centre", make: audit, loss: whole, runs: 50_000 }];

const RECORDS: u64 = 400;
/// Of the ball that the centre is sought in.
const FIRST: f64 = 1.0;
/// About the centre.
const RADIUS: f64 = 0.3;

type Mean = AboutPrivate<Euclidean, BallStatistic<Euclidean>, FunctionalMean>;
type Value = ReleasedAbout<DVector<f64>, NoisedFunction>;

/// A mean of points in ℝᵈ.
fn mechanism(d: usize, mu: Mu) -> Result<Mean, MechanismError> {
    let (space, zero) = (Euclidean::new(d), DVector::zeros(d));
    let first = ClipRadius::new(FIRST, ClipSource::Public)?;
    let statistic = BallStatistic::new(PublicBall::new(space, zero, first)?);
    AboutPrivate::new(space, statistic, RECORDS, mu, |_, left| {
        let clip = ClipRadius::new(RADIUS, ClipSource::Public)?;
        let mean = FunctionalMean::in_norm(
            Norm::White,
            Basis::of_coordinates(d),
            vec![0.0; d],
            clip,
            left,
            RECORDS,
        )?;
        Ok(mean.with_smoothing(Smoothing::None))
    })
}

/// The noise of both parts, in its standard deviations: of the centre and of the mean of records that lie at zero.
fn noises(value: &Value, mu: f64) -> [Vec<f64>; 2] {
    let (n, [first, left]) = (RECORDS as f64, shares(mu));
    let centre = value.centre.iter().map(|c| c * n * first / (2.0 * FIRST)).collect();
    let mean = value.value.samples.iter().map(|x| x * n * left / (2.0 * RADIUS)).collect();
    [centre, mean]
}

fn shares(mu: f64) -> [f64; 2] {
    [CENTRE_SHARE * mu, (1.0 - CENTRE_SHARE * CENTRE_SHARE).sqrt() * mu]
}

/// As far apart as two records can be for the first pass, and at opposite ends of the ball for the mean.
fn audit(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    let no_claim = |_: MechanismError| AuditError::NoClaim(name.to_owned());
    let mechanism = mechanism(1, Mu::new(parameter)?).map_err(no_claim)?;
    let with = |x: f64| {
        let mut points = vec![Some(DVector::from_element(1, 0.0)); RECORDS as usize];
        points[0] = Some(DVector::from_element(1, x));
        PointRecords { points, rows: Vec::new() }
    };
    let look = move |released: &Released<Value>| {
        let [centre, mean] = noises(&released.value, parameter);
        let [first, left] = shares(parameter);
        // From a centre that is moved to one side, the others lie to the other.
        let others = released.value.centre[0] * (RECORDS - 1) as f64 * left / (2.0 * RADIUS);
        let moved = mean[0] + others;
        // Both are normal, each its own μ apart: their best sum weighs them by these.
        vec![first * centre[0] + left * moved, centre[0], moved]
    };
    PairAudit::boxed(name, mechanism, [with(FIRST), with(-FIRST)], |records| records, Box::new(look))
}

/// Of centre and mean alike, where there are no records: the mean is of zeros whatever the centre.
fn scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    let (mu, draws) = (0.7, 210);
    let mechanism = mechanism(20, Mu::new(mu)?)?;
    let records = PointRecords { points: vec![None; RECORDS as usize], rows: Vec::new() };
    let (mut noise, mut squares) = (NoiseSource::seeded(seed), Vec::new());
    for _ in 0..draws {
        let released = release(&mechanism, &records, &mut Ledger::in_memory(None), &mut noise)?;
        squares.extend(noises(&released.value, mu).concat().iter().map(|x| x * x));
    }
    Ok(ScaleCheck::of_squares(&squares, 1.0))
}
