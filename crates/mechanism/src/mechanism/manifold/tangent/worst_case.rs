//! Records at one end of the public ball, and a last one there too or at the opposite end: directions, hyperbolic points, shapes, matrices.

use super::{GAUSSIAN as GAUSSIAN_TITLE, LAPLACE as LAPLACE_TITLE, TangentMean};
use crate::mechanism::manifold::directions;
use crate::mechanism::manifold::ends::{RECORDS, spaces, tangent};
use crate::privacy::audit::{AuditError, Auditable, WorstCase, whole};
use crate::privacy::noise::{NoiseSource, VectorNoise};
use crate::privacy::{Entry, Epsilon, Ledger, Mu, ScaleCheck, release};
use nalgebra::dvector;

/// Gaussian noise, as the registry knows it.
pub const GAUSSIAN_ENTRY: Entry = Entry {
    name: "tangent-gaussian",
    title: GAUSSIAN_TITLE,
    proof: include_str!("proof.md"),
    scale: gaussian_scale,
    worst_cases: GAUSSIAN,
};

/// Laplace noise, as the registry knows it.
pub const LAPLACE_ENTRY: Entry = Entry {
    name: "tangent-laplace",
    title: LAPLACE_TITLE,
    proof: include_str!("proof.md"),
    scale: laplace_scale,
    worst_cases: LAPLACE,
};

const GAUSSIAN: &[WorstCase] = &[
    WorstCase {
        name: "tangent-gaussian",
        make: |name, x| on_sphere(name, gaussian(x)?),
        loss: whole,
        runs: 100_000,
    },
    WorstCase {
        name: "tangent-gaussian-hyperbolic",
        make: |name, x| on_hyperbolic(name, gaussian(x)?),
        loss: whole,
        runs: 100_000,
    },
    WorstCase {
        name: "tangent-gaussian-kendall",
        make: |name, x| on_kendall(name, gaussian(x)?),
        loss: whole,
        runs: 100_000,
    },
    WorstCase {
        name: "tangent-gaussian-affine-invariant",
        make: |name, x| on_matrices(name, gaussian(x)?),
        loss: whole,
        runs: 100_000,
    },
    WorstCase {
        name: "tangent-gaussian-log-euclidean",
        make: |name, x| on_logarithms(name, gaussian(x)?),
        loss: whole,
        runs: 100_000,
    },
];

const LAPLACE: &[WorstCase] = &[
    WorstCase {
        name: "tangent-laplace",
        make: |name, x| on_sphere(name, laplace(x)?),
        loss: whole,
        runs: 100_000,
    },
    WorstCase {
        name: "tangent-laplace-hyperbolic",
        make: |name, x| on_hyperbolic(name, laplace(x)?),
        loss: whole,
        runs: 100_000,
    },
    WorstCase {
        name: "tangent-laplace-kendall",
        make: |name, x| on_kendall(name, laplace(x)?),
        loss: whole,
        runs: 100_000,
    },
    WorstCase {
        name: "tangent-laplace-affine-invariant",
        make: |name, x| on_matrices(name, laplace(x)?),
        loss: whole,
        runs: 100_000,
    },
    WorstCase {
        name: "tangent-laplace-log-euclidean",
        make: |name, x| on_logarithms(name, laplace(x)?),
        loss: whole,
        runs: 100_000,
    },
];

type Made = Result<Box<dyn Auditable>, AuditError>;

fn gaussian(parameter: f64) -> Result<VectorNoise, AuditError> {
    Ok(VectorNoise::Gaussian(Mu::new(parameter)?))
}

fn laplace(parameter: f64) -> Result<VectorNoise, AuditError> {
    Ok(VectorNoise::Laplace(Epsilon::new(parameter)?))
}

fn on_sphere(name: &'static str, noise: VectorNoise) -> Made {
    tangent(name, spaces::sphere(WIDE, RECORDS), |ball| TangentMean::with(ball, RECORDS, noise))
}

fn on_hyperbolic(name: &'static str, noise: VectorNoise) -> Made {
    tangent(name, spaces::hyperbolic(WIDE, RECORDS), |ball| TangentMean::with(ball, RECORDS, noise))
}

fn on_kendall(name: &'static str, noise: VectorNoise) -> Made {
    tangent(name, spaces::kendall(WIDE, RECORDS), |ball| TangentMean::with(ball, RECORDS, noise))
}

fn on_logarithms(name: &'static str, noise: VectorNoise) -> Made {
    tangent(name, spaces::logarithms(WIDE, RECORDS), |ball| TangentMean::with(ball, RECORDS, noise))
}

fn on_matrices(name: &'static str, noise: VectorNoise) -> Made {
    tangent(name, spaces::matrices(WIDE, RECORDS), |ball| TangentMean::with(ball, RECORDS, noise))
}

/// In the tangent space at the centre the bound is exact for every radius.
const WIDE: f64 = 0.3;

/// σ = 2r/(nμ) in every coordinate.
fn gaussian_scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    let (r, n, mu) = (0.4, 10, 2.0);
    let mechanism = TangentMean::gaussian(directions::ball(r)?, n, Mu::new(mu)?)?;
    let records = vec![Some(dvector![0.0, 0.0, 1.0]); n as usize];
    let sigma = 2.0 * r / (n as f64 * mu);
    let (mut noise, mut squares) = (NoiseSource::seeded(seed), Vec::new());
    for _ in 0..4000 {
        let released = release(&mechanism, &records[..], &mut Ledger::in_memory(None), &mut noise)?;
        squares.extend(released.value.noised.iter().map(|x| x * x));
    }
    Ok(ScaleCheck::of_squares(&squares, sigma * sigma))
}

/// b = 2r/(nε): E‖x‖² = d(d + 1)b² and E‖x‖⁴ = d(d + 1)(d + 2)(d + 3)b⁴ in d = 2 dimensions.
fn laplace_scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    let (r, n, epsilon) = (0.4, 10, 2.0);
    let mechanism = TangentMean::laplace(directions::ball(r)?, n, Epsilon::new(epsilon)?)?;
    let records = vec![Some(dvector![0.0, 0.0, 1.0]); n as usize];
    let b = 2.0 * r / (n as f64 * epsilon);
    let (mut noise, mut squares) = (NoiseSource::seeded(seed), Vec::new());
    for _ in 0..8000 {
        let released = release(&mechanism, &records[..], &mut Ledger::in_memory(None), &mut noise)?;
        squares.push(released.value.noised.iter().map(|x| x * x).sum());
    }
    Ok(ScaleCheck::of(&squares, 6.0 * b * b, 84.0 * b.powi(4), 2.0))
}
