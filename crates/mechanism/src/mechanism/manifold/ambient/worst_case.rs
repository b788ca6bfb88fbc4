//! Directions and matrices at one end of the public ball, and a last one there too or at the opposite end.

use super::{ExtrinsicSpd, ExtrinsicSphere, matrix, sphere};
use crate::manifold::{Euclidean, SpdLogEuclidean, Sphere};
use crate::mechanism::MechanismError;
use crate::mechanism::manifold::{NoisedPoint, PublicBall};
use crate::privacy::audit::{AuditError, Auditable, Look, PairAudit, WorstCase, whole};
use crate::privacy::noise::{NoiseSource, VectorNoise};
use crate::privacy::{
    ClipRadius, ClipSource, Entry, Epsilon, Ledger, Mechanism, Mu, Released, ScaleCheck, release,
};
use nalgebra::{DMatrix, DVector, dmatrix, dvector};
use std::sync::Arc;

type Made = Result<Box<dyn Auditable>, AuditError>;

/// Directions, as the registry knows it.
pub const SPHERE_ENTRY: Entry = Entry {
    name: "extrinsic-sphere",
    title: sphere::TITLE,
    proof: include_str!("sphere.md"),
    scale: scale_on_spheres,
    worst_cases: SPHERE,
};

/// Matrices, as the registry knows it.
pub const MATRIX_ENTRY: Entry = Entry {
    name: "extrinsic-matrix",
    title: matrix::TITLE,
    proof: include_str!("matrix.md"),
    scale: scale_on_matrices,
    worst_cases: MATRIX,
};

const SPHERE: &[WorstCase] = &[
    WorstCase {
        name: "extrinsic-sphere-gaussian",
        make: |n, p| directions(n, gaussian(p)?),
        loss: whole,
        runs: 100_000,
    },
    WorstCase {
        name: "extrinsic-sphere-laplace",
        make: |n, p| directions(n, laplace(p)?),
        loss: whole,
        runs: 100_000,
    },
];

const MATRIX: &[WorstCase] = &[
    WorstCase {
        name: "extrinsic-matrix-gaussian",
        make: |n, p| matrices(n, gaussian(p)?),
        loss: on_matrices_lost,
        runs: 100_000,
    },
    WorstCase {
        name: "extrinsic-matrix-laplace",
        make: |n, p| matrices(n, laplace(p)?),
        loss: on_matrices_lost,
        runs: 100_000,
    },
];

const RADIUS: f64 = 0.3;
const RECORDS: u64 = 40;

fn gaussian(parameter: f64) -> Result<VectorNoise, AuditError> {
    Ok(VectorNoise::Gaussian(Mu::new(parameter)?))
}

fn laplace(parameter: f64) -> Result<VectorNoise, AuditError> {
    Ok(VectorNoise::Laplace(Epsilon::new(parameter)?))
}

/// The best statistics for Gaussian and for Laplace noise, of the noised vector: what is published is made from it, and it tells at
/// least as much.
fn look<P>(first: Vec<f64>, second: Vec<f64>) -> Look<NoisedPoint<P>> {
    Box::new(move |released: &Released<NoisedPoint<P>>| {
        let x = &released.value.noised;
        let far = |from: &[f64]| x.iter().zip(from).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        let along = x.iter().zip(first.iter().zip(&second)).map(|(x, (a, b))| (x - a) * (b - a)).sum();
        vec![along, far(&first) - far(&second)]
    })
}

fn on_sphere(noise: VectorNoise, n: u64) -> Result<ExtrinsicSphere, MechanismError> {
    let radius = ClipRadius::new(RADIUS, ClipSource::Public)?;
    ExtrinsicSphere::new(PublicBall::new(Sphere::unit(2)?, dvector![0.0, 0.0, 1.0], radius)?, n, noise)
}

fn directions(name: &'static str, noise: VectorNoise) -> Made {
    let no_claim = |_: MechanismError| AuditError::NoClaim(name.to_owned());
    let mechanism = on_sphere(noise, 3).map_err(no_claim)?;
    let at = |t: f64| Some(dvector![t.sin(), 0.0, t.cos()]);
    let data = [0.9, -0.9].map(|last| vec![at(0.9), at(0.9), at(last)]);
    let first = mechanism.prepare(&data[0]).map_err(no_claim)?;
    let second = mechanism.prepare(&data[1]).map_err(no_claim)?;
    PairAudit::boxed(name, mechanism, data, |records| &records[..], look(first, second))
}

/// Matrices in the coordinates of their logarithms.
fn on_matrices(
    noise: VectorNoise,
    n: u64,
) -> Result<(ExtrinsicSpd<Euclidean>, SpdLogEuclidean), MechanismError> {
    let (space, flat) = (SpdLogEuclidean::new(2)?, Euclidean::new(3));
    let centre = space.chart(&dmatrix![2.0, 0.3; 0.3, 1.0]);
    let ball = PublicBall::new(flat, centre, ClipRadius::new(RADIUS, ClipSource::Public)?)?;
    let to_matrix = move |x: &DVector<f64>| space.from_chart(x);
    Ok((ExtrinsicSpd::new(ball, n, noise, Arc::new(to_matrix))?, space))
}

/// Matrices with one eigenvalue as large as the ball allows, which commute: the log-Euclidean mean and the affine-invariant one are the same
/// and move as far as any can. With many records the exponential is nearly straight on the way.
fn matrices(name: &'static str, noise: VectorNoise) -> Made {
    let no_claim = |_: MechanismError| AuditError::NoClaim(name.to_owned());
    let (mechanism, data, [first, second]) = neighbours(noise).map_err(no_claim)?;
    PairAudit::boxed(name, mechanism, data, |records| &records[..], look(first, second))
}

/// How far the matrix moves, over the bound, which the bend of the exponential makes a little larger.
fn on_matrices_lost(parameter: f64) -> f64 {
    let lost = || -> Result<f64, MechanismError> {
        let (mechanism, _, [first, second]) = neighbours(VectorNoise::Gaussian(Mu::new(parameter)?))?;
        let square: f64 = first.iter().zip(&second).map(|(a, b)| (a - b).powi(2)).sum();
        Ok(square.sqrt() / mechanism.price().scale.unwrap_or(f64::NAN))
    };
    lost().unwrap_or(f64::NAN)
}

type Matrices = [Vec<Option<DVector<f64>>>; 2];

/// The mechanism, the two datasets, and what is noised of each.
type Case = (ExtrinsicSpd<Euclidean>, Matrices, [Vec<f64>; 2]);

fn neighbours(noise: VectorNoise) -> Result<Case, MechanismError> {
    let (mechanism, space) = on_matrices(noise, RECORDS)?;
    let centre: DMatrix<f64> = dmatrix![2.0, 0.3; 0.3, 1.0];
    let eigen = centre.clone().symmetric_eigen();
    let top = eigen.eigenvectors.column(eigen.eigenvalues.imax()).into_owned();
    let along = &top * top.transpose();
    let record = |t: f64| Some(space.chart(&space.exponential(&(space.logarithm(&centre) + &along * t))));
    let with = |last: f64| {
        let mut records = vec![record(1.0); RECORDS as usize];
        records[0] = record(last);
        records
    };
    let data = [with(1.0), with(-1.0)];
    let statistic = |records: &[Option<DVector<f64>>]| -> Result<Vec<f64>, MechanismError> {
        let located = mechanism.prepare(records)?.located;
        Ok(mechanism.statistic(&space.from_chart(&located.mean)))
    };
    let statistics = [statistic(&data[0])?, statistic(&data[1])?];
    Ok((mechanism, data, statistics))
}

/// The mean square of the noise in every coordinate over `draws`, beside (Δ/μ)².
fn squares<K, P>(
    mechanism: &K,
    records: &K::Records,
    statistic: &[f64],
    sigma: f64,
    seed: u64,
) -> Result<ScaleCheck, Box<dyn std::error::Error>>
where
    K: Mechanism<Value = NoisedPoint<P>, Error = MechanismError>,
{
    let (mut noise, mut squares) = (NoiseSource::seeded(seed), Vec::new());
    for _ in 0..3000 {
        let released = release(mechanism, records, &mut Ledger::in_memory(None), &mut noise)?;
        squares.extend(released.value.noised.iter().zip(statistic).map(|(x, s)| (x - s).powi(2)));
    }
    Ok(ScaleCheck::of_squares(&squares, sigma * sigma))
}

/// Δ = 2 sin r/n.
fn scale_on_spheres(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    let mechanism = on_sphere(VectorNoise::Gaussian(Mu::new(1.7)?), 20)?;
    let records = vec![Some(dvector![0.0, 0.0, 1.0]); 20];
    let sigma = 2.0 * RADIUS.sin() / 20.0 / 1.7;
    squares(&mechanism, &records[..], &[0.0, 0.0, 1.0], sigma, seed)
}

/// Δ = λ_max(C) e^r 2r/n.
fn scale_on_matrices(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    let (mechanism, space) = on_matrices(VectorNoise::Gaussian(Mu::new(1.7)?), 20)?;
    let centre: DMatrix<f64> = dmatrix![2.0, 0.3; 0.3, 1.0];
    let records = vec![Some(space.chart(&centre)); 20];
    let largest = 1.5 + 0.5 * (1.0_f64 + 4.0 * 0.09).sqrt();
    let sigma = largest * RADIUS.exp() * 2.0 * RADIUS / 20.0 / 1.7;
    squares(&mechanism, &records[..], &mechanism.statistic(&centre), sigma, seed)
}
