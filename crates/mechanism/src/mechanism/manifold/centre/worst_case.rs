//! Directions of which one turns to its opposite, shapes of which one turns to an orthogonal one, points at either end of a ball: no pair of
//! records is farther apart.

use super::{
    BallStatistic, CentreStatistic, DirectionStatistic, PrivateCentre, ProcrustesStatistic, ReleasedCentre,
    TITLE,
};
use crate::manifold::{Euclidean, Kendall, Lorentz, Manifold, SpdAffineInvariant, Sphere};
use crate::mechanism::MechanismError;
use crate::mechanism::manifold::{PublicBall, any_shape};
use crate::privacy::audit::{AuditError, Auditable, PairAudit, WorstCase, whole};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{
    ClipRadius, ClipSource, Entry, Ledger, Mechanism, Mu, PrivacyLoss, Released, ScaleCheck, release,
};
use nalgebra::{DMatrix, dvector};

/// As the registry knows it.
pub const ENTRY: Entry = Entry {
    name: "private-centre",
    title: TITLE,
    proof: include_str!("proof.md"),
    scale,
    worst_cases: WORST_CASES,
};

const WORST_CASES: &[WorstCase] = &[
    WorstCase { name: "private-centre", make: of_directions, loss: whole, runs: 100_000 },
    WorstCase { name: "private-centre-kendall", make: of_shapes, loss: whole, runs: 100_000 },
    WorstCase { name: "private-centre-hyperbolic", make: of_hyperbolic_points, loss: whole, runs: 100_000 },
    WorstCase { name: "private-centre-log-euclidean", make: of_logarithms, loss: whole, runs: 100_000 },
    WorstCase { name: "private-centre-affine-invariant", make: of_matrices, loss: whole, runs: 100_000 },
];

type Made = Result<Box<dyn Auditable>, AuditError>;

/// All records but the first are these, and that is one of two.
fn audit<S>(
    name: &'static str,
    parameter: f64,
    statistic: Result<S, MechanismError>,
    others: &S::Point,
    first: [S::Point; 2],
) -> Made
where
    S: CentreStatistic + Send + Sync + 'static,
    S::Point: Clone + Send + Sync + 'static,
{
    let no_claim = |_| AuditError::NoClaim(name.to_owned());
    let mu = Mu::new(parameter)?;
    // A few more records than the budget lets any of these centres have.
    let n = (10.0 / mu.get()).ceil().max(2.0) as usize;
    let mechanism = PrivateCentre::new(statistic.map_err(no_claim)?, n as u64, PrivacyLoss::Gaussian(mu))
        .map_err(no_claim)?;
    let data = first.map(|first| {
        let mut records = vec![Some(others.clone()); n];
        records[0] = Some(first);
        records
    });
    let means =
        [mechanism.prepare(&data[0]).map_err(no_claim)?, mechanism.prepare(&data[1]).map_err(no_claim)?];
    let apart: Vec<f64> = means[0].iter().zip(&means[1]).map(|(a, b)| a - b).collect();
    // What the centre is read off tells at least as much as it does.
    let look = move |released: &Released<ReleasedCentre<S::Point>>| {
        vec![released.value.noised.iter().zip(&apart).map(|(x, d)| x * d).sum()]
    };
    PairAudit::boxed(name, mechanism, data, |records| &records[..], Box::new(look))
}

fn of_directions(name: &'static str, parameter: f64) -> Made {
    let statistic = Sphere::unit(2).map(DirectionStatistic::new).map_err(MechanismError::from);
    let side = |x: f64| dvector![x, 0.0, 0.0];
    audit(name, parameter, statistic, &dvector![0.0, 1.0, 0.0], [side(1.0), side(-1.0)])
}

/// Triangles whose matrices are orthogonal.
fn of_shapes(name: &'static str, parameter: f64) -> Made {
    let no_claim = |_| AuditError::NoClaim(name.to_owned());
    let space = Kendall::new(3).map_err(no_claim)?;
    let [one, other] = [[1.0, -1.0, 0.0], [1.0, 1.0, -2.0]].map(|x| space.preshape(&x.map(|x| [x, 0.0])));
    let (one, other) = (one.map_err(no_claim)?, other.map_err(no_claim)?);
    audit(name, parameter, Ok(ProcrustesStatistic::new(space)), &one.clone(), [one, other])
}

fn of_hyperbolic_points(name: &'static str, parameter: f64) -> Made {
    in_ball(name, parameter, Lorentz::new(2).map_err(MechanismError::from), &dvector![1.0, 0.0, 0.0])
}

fn of_matrices(name: &'static str, parameter: f64) -> Made {
    let centre = DMatrix::from_row_slice(2, 2, &[2.0, 0.5, 0.5, 0.4]);
    in_ball(name, parameter, SpdAffineInvariant::new(2).map_err(MechanismError::from), &centre)
}

fn of_logarithms(name: &'static str, parameter: f64) -> Made {
    in_ball(name, parameter, Ok(Euclidean::new(3)), &dvector![0.5, -0.2, 0.3])
}

/// At opposite ends of the generous public ball, which is as wide as any that is offered.
fn in_ball<M>(name: &'static str, parameter: f64, space: Result<M, MechanismError>, centre: &M::Point) -> Made
where
    M: Manifold + Clone + Send + Sync + 'static,
    M::Point: Clone + Send + Sync + 'static,
{
    let no_claim = |_: MechanismError| AuditError::NoClaim(name.to_owned());
    let space = space.map_err(no_claim)?;
    let at = |t: f64| {
        let mut along = vec![0.0; space.dim()];
        along[0] = t;
        space.exp(centre, &space.from_coordinates(centre, &along))
    };
    let ends = [at(WIDE), at(-WIDE)];
    let radius = ClipRadius::new(WIDE, ClipSource::Public)?;
    let ball = PublicBall::new(space, centre.clone(), radius).map_err(no_claim)?;
    audit(name, parameter, Ok(BallStatistic::new(ball)), centre, ends)
}

const WIDE: f64 = 2.0;

/// For shapes σ = √2/(nμ) in each of k² coordinates.
fn scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    let (space, n, mu) = (Kendall::new(7)?, 30, 1.0);
    let loss = PrivacyLoss::Gaussian(Mu::new(mu)?);
    let mechanism = PrivateCentre::new(ProcrustesStatistic::new(space), n, loss)?;
    let records = vec![Some(any_shape(&space)); n as usize];
    let exact = mechanism.prepare(&records)?;
    let sigma = std::f64::consts::SQRT_2 / (n as f64 * mu);
    let (mut noise, mut squares) = (NoiseSource::seeded(seed), Vec::new());
    for _ in 0..200 {
        let released = release(&mechanism, &records[..], &mut Ledger::in_memory(None), &mut noise)?;
        squares.extend(released.value.noised.iter().zip(&exact).map(|(x, s)| (x - s).powi(2)));
    }
    Ok(ScaleCheck::of_squares(&squares, sigma * sigma))
}
