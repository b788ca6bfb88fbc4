//! A person at the rim of the ball in the first steps against one at the opposite end in the same steps.

use super::{STREAM, StreamNoise, WholeStream, weights};
use crate::privacy::audit::{AuditError, Auditable, PairAudit, WorstCase, whole};
use crate::privacy::noise::{NoiseError, NoiseSource};
use crate::privacy::{ClipRadius, ClipSource, Entry, Ledger, Mu, Released, ScaleCheck, release};

/// As the registry knows it.
pub const STREAM_ENTRY: Entry =
    Entry { name: "stream", title: STREAM, proof: include_str!("proof.md"), scale, worst_cases: WORST_CASES };

const WORST_CASES: &[WorstCase] = &[
    WorstCase { name: "stream", make: once, loss: whole, runs: 100_000 },
    WorstCase { name: "stream-visits", make: twice, loss: whole, runs: 100_000 },
];

const RADIUS: f64 = 2.0;
const STEPS: usize = 6;
/// Records in a step.
const RECORDS: usize = 2;

/// A stream of six steps of two records.
pub(super) fn stream(mu: Mu, visits: usize) -> Result<WholeStream, NoiseError> {
    let radius = ClipRadius::new(RADIUS, ClipSource::Public).map_err(|_| NoiseError::OutOfScale)?;
    WholeStream::new(StreamNoise::new(3, radius, STEPS, visits, mu)?, (STEPS * RECORDS) as u64)
}

fn once(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    audit(name, parameter, 1, &[0])
}

fn twice(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    audit(name, parameter, 2, &[0, 1])
}

/// The person comes in these steps, counted from 0.
fn audit(
    name: &'static str,
    parameter: f64,
    visits: usize,
    at: &'static [usize],
) -> Result<Box<dyn Auditable>, AuditError> {
    let mechanism = stream(Mu::new(parameter)?, visits).map_err(|_| AuditError::NoClaim(name.to_owned()))?;
    let with = |far: f64| -> Vec<Vec<Option<Vec<f64>>>> {
        let person = |step| Some(vec![if at.contains(&step) { far } else { 50.0 }, 0.0, 0.0]);
        (0..STEPS).map(|step| vec![Some(vec![50.0, 0.0, 0.0]), person(step)]).collect()
    };
    // The answers differ along one direction: the best test projects on it. All that leaves the house beside them is the noise scale.
    let weights = weights(STEPS);
    let along: Vec<i64> =
        (0..STEPS).map(|t| at.iter().filter(|i| **i <= t).map(|i| weights[t - i]).sum()).collect();
    let unit = mechanism.noise().clip().to_f64(1) / along.iter().map(|a| *a as f64).sum::<f64>();
    let look = move |released: &Released<Vec<Vec<i128>>>| {
        let scale = released.parts.first().map_or(f64::NAN, |part| part.noise.scale);
        let answers = released.value.iter().zip(&along);
        let whole: f64 = answers.map(|(y, a)| y[0] as f64 * *a as f64 * unit).sum();
        vec![whole, released.value[STEPS - 1][0] as f64, scale]
    };
    PairAudit::boxed(name, mechanism, [with(1e9), with(-1e9)], |records| &records[..], Box::new(look))
}

/// σ = 2τ‖r‖/μ in every coordinate of every answer, in units of the first weight.
fn scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    let mu = 0.7;
    let mechanism = stream(Mu::new(mu)?, 1)?;
    // Σ_{k<6} (binom(2k, k)/4^k)².
    let norm = (1.0 + 0.25 + 0.140_625 + 0.097_656_25 + 0.074_768_066 + 0.060_562_134f64).sqrt();
    let sigma = 2.0 * RADIUS * norm / mu;
    let (mut noise, mut squares) = (NoiseSource::seeded(seed), Vec::new());
    for _ in 0..400 {
        let records = vec![vec![None; RECORDS]; STEPS];
        let released = release(&mechanism, &records[..], &mut Ledger::in_memory(None), &mut noise)?;
        let unit = mechanism.noise().clip().to_f64(1) / 1_048_576.0;
        squares.extend(released.value.concat().iter().map(|y| (*y as f64 * unit).powi(2)));
    }
    Ok(ScaleCheck::of_squares(&squares, sigma * sigma))
}
