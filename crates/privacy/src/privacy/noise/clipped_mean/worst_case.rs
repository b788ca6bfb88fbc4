//! Records at the rim of the ball, and a last one there too, failed, or at the opposite end.

use super::{CLIPPED_MEAN, ClippedMean, PURE_CLIPPED_MEAN};
use crate::privacy::audit::{AuditError, Auditable, PairAudit, WorstCase, whole};
use crate::privacy::noise::{NoiseError, NoiseSource, VectorNoise};
use crate::privacy::{ClipRadius, ClipSource, Entry, Epsilon, Ledger, Mu, Released, ScaleCheck, release};

/// As the registry knows it.
pub const CLIPPED_MEAN_ENTRY: Entry = Entry {
    name: "clipped-mean",
    title: CLIPPED_MEAN,
    proof: include_str!("proof.md"),
    scale,
    worst_cases: WORST_CASES,
};

/// With pure ε, as the registry knows it.
pub const PURE_CLIPPED_MEAN_ENTRY: Entry = Entry {
    name: "clipped-mean-laplace",
    title: PURE_CLIPPED_MEAN,
    proof: include_str!("pure.md"),
    scale: pure_scale,
    worst_cases: PURE,
};

const WORST_CASES: &[WorstCase] = &[
    WorstCase { name: "clipped-mean", make: turned, loss: whole, runs: 100_000 },
    WorstCase { name: "failed-scan", make: failed, loss: |p| 0.5 * p, runs: 100_000 },
];

const PURE: &[WorstCase] =
    &[WorstCase { name: "clipped-mean-laplace", make: pure_turned, loss: whole, runs: 300_000 }];

const RADIUS: f64 = 2.0;

fn mechanism(noise: VectorNoise) -> Result<ClippedMean, NoiseError> {
    let radius = ClipRadius::new(RADIUS, ClipSource::Public).map_err(|_| NoiseError::OutOfScale)?;
    ClippedMean::with(3, 5, radius, noise)
}

fn turned(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    audit(name, VectorNoise::Gaussian(Mu::new(parameter)?), Some(vec![1e9, 0.0, 0.0]))
}

fn failed(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    audit(name, VectorNoise::Gaussian(Mu::new(parameter)?), None)
}

fn pure_turned(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    audit(name, VectorNoise::Laplace(Epsilon::new(parameter)?), Some(vec![1e9, 0.0, 0.0]))
}

fn audit(
    name: &'static str,
    noise: VectorNoise,
    last: Option<Vec<f64>>,
) -> Result<Box<dyn Auditable>, AuditError> {
    let mechanism = mechanism(noise).map_err(|_| AuditError::NoClaim(name.to_owned()))?;
    let with = |last: Option<Vec<f64>>| {
        let mut records = vec![Some(vec![50.0, 0.0, 0.0]); 4];
        records.push(last);
        records
    };
    let data = [with(last), with(Some(vec![-1e9, 0.0, 0.0]))];
    // All that leaves the house: the mean, its size, and the noise scale in the certificate.
    let look = |released: &Released<Vec<f64>>| {
        let scale = released.parts.first().map_or(f64::NAN, |part| part.noise.scale);
        let value = &released.value;
        let across: f64 = value[1..].iter().map(|x| x * x).sum();
        let far = |at: f64| ((value[0] - at).powi(2) + across).sqrt();
        // Laplace laws are told apart by distances from the two means.
        vec![value[0], far(RADIUS * 0.6) - far(RADIUS), value.len() as f64, scale]
    };
    PairAudit::boxed(name, mechanism, data, |records| &records[..], Box::new(look))
}

/// σ = 2τ/(nμ) in every coordinate.
fn scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    let mechanism = mechanism(VectorNoise::Gaussian(Mu::new(0.7)?))?;
    let sigma = 2.0 * RADIUS / 5.0 / 0.7;
    let (mut noise, mut squares) = (NoiseSource::seeded(seed), Vec::new());
    for _ in 0..2500 {
        let records = [const { None }; 5];
        let released = release(&mechanism, &records[..], &mut Ledger::in_memory(None), &mut noise)?;
        squares.extend(released.value.iter().map(|x| x * x));
    }
    Ok(ScaleCheck::of_squares(&squares, sigma * sigma))
}

/// b = 2τ/(nε): E‖x‖² = d(d + 1)b² and E‖x‖⁴ = d(d + 1)(d + 2)(d + 3)b⁴ in d = 3 dimensions.
fn pure_scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    let mechanism = mechanism(VectorNoise::Laplace(Epsilon::new(0.7)?))?;
    let b = 2.0 * RADIUS / 5.0 / 0.7;
    let (mut noise, mut squares) = (NoiseSource::seeded(seed), Vec::new());
    for _ in 0..8000 {
        let records = [const { None }; 5];
        let released = release(&mechanism, &records[..], &mut Ledger::in_memory(None), &mut noise)?;
        squares.push(released.value.iter().map(|x| x * x).sum());
    }
    Ok(ScaleCheck::of(&squares, 12.0 * b * b, (360.0 - 144.0) * b.powi(4), 2.0))
}
