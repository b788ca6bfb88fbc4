//! A record at the rim of the ball against another one there, at the angle at which both moments together tell most.

use super::{CLIPPED_MOMENTS, ClippedMoments, NoisedMoments};
use crate::privacy::audit::{AuditError, Auditable, PairAudit, WorstCase, whole};
use crate::privacy::noise::{NoiseError, NoiseSource};
use crate::privacy::{ClipRadius, ClipSource, Entry, Ledger, Mu, Released, ScaleCheck, release};

/// As the registry knows it.
pub const CLIPPED_MOMENTS_ENTRY: Entry = Entry {
    name: "clipped-moments",
    title: CLIPPED_MOMENTS,
    proof: include_str!("proof.md"),
    scale,
    worst_cases: WORST_CASES,
};

const WORST_CASES: &[WorstCase] = &[
    WorstCase { name: "clipped-moments", make: free, loss: whole, runs: 100_000 },
    WorstCase { name: "clipped-moments-shared", make: shared, loss: whole, runs: 100_000 },
];

const RADIUS: f64 = 2.0;
const RECORDS: u64 = 4;
/// A ratio at which mean and matrix both tell records apart.
const SHARED: f64 = 0.5;

fn mechanism(mu: Mu, ratio: f64) -> Result<ClippedMoments, NoiseError> {
    let radius = ClipRadius::new(RADIUS, ClipSource::Public).map_err(|_| NoiseError::OutOfScale)?;
    ClippedMoments::new(3, vec![0, 1], RECORDS, radius, mu, ratio)
}

fn free(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    audit(name, parameter, ClippedMoments::FREE)
}

fn shared(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    audit(name, parameter, SHARED)
}

/// Records of norm τ whose cosine is −s/2; what is looked at is the direction in which the two differ, in units of the noise.
fn audit(name: &'static str, parameter: f64, ratio: f64) -> Result<Box<dyn Auditable>, AuditError> {
    let mechanism =
        mechanism(Mu::new(parameter)?, ratio).map_err(|_| AuditError::NoClaim(name.to_owned()))?;
    let cosine = -0.5 * ratio;
    let (one, other) = ([1.0, 0.0], [cosine, (1.0 - cosine * cosine).max(0.0).sqrt()]);
    let with = |u: [f64; 2]| {
        let mut records = vec![None; RECORDS as usize - 1];
        // Far outside the ball, to be clipped.
        records.push(Some(vec![1e9 * u[0], 1e9 * u[1], 0.0]));
        records
    };
    let products = |u: [f64; 2]| [u[0] * u[0], u[0] * u[1], u[1] * u[1]];
    let sigma = (mechanism.mean_sigma(), mechanism.second_sigma());
    let mean = [one[0] - other[0], one[1] - other[1]].map(|d| RADIUS * d / sigma.0.powi(2));
    let (p, q) = (products(one), products(other));
    // Entries above the diagonal have half the variance.
    let weights = [1.0, 2.0, 1.0].map(|w| w * RADIUS * RADIUS / sigma.1.powi(2));
    let look = move |released: &Released<NoisedMoments>| {
        let value = &released.value;
        let first: f64 = value.mean.iter().zip(mean).map(|(x, d)| x * d).sum();
        let matrix = value.second.entries.iter().zip(weights);
        let second: f64 = matrix.zip(p.iter().zip(q)).map(|((x, w), (p, q))| x * w * (p - q)).sum();
        vec![first + second, first, second]
    };
    PairAudit::boxed(name, mechanism, [with(one), with(other)], |records| &records[..], Box::new(look))
}

/// The noise of records that are zero: of the mean, of the diagonal, above it; each over what the proof says.
pub(super) fn scales(
    seed: u64,
    ratio: f64,
    draws: usize,
) -> Result<[ScaleCheck; 3], Box<dyn std::error::Error>> {
    let mu = 0.7;
    let mechanism = mechanism(Mu::new(mu)?, ratio)?;
    let matrix = 2.0f64.sqrt() * RADIUS * RADIUS / (RECORDS as f64 * mu) * (1.0 + 0.5 * ratio);
    let sigmas = [matrix / (RADIUS * ratio.sqrt()), matrix, matrix / 2.0f64.sqrt()];
    let (mut noise, mut squares) = (NoiseSource::seeded(seed), [const { Vec::new() }; 3]);
    for _ in 0..draws {
        let records = [const { None }; RECORDS as usize];
        let released = release(&mechanism, &records[..], &mut Ledger::in_memory(None), &mut noise)?;
        let [first, above, last] = released.value.second.entries[..] else { return Err("not 2 × 2".into()) };
        squares[0].extend(released.value.mean.iter().map(|x| x * x));
        squares[1].extend([first * first, last * last]);
        squares[2].push(above * above);
    }
    Ok([0, 1, 2].map(|part: usize| ScaleCheck::of_squares(&squares[part], sigmas[part].powi(2))))
}

/// The one of the three that is farthest off.
fn scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    ScaleCheck::farthest(scales(seed, ClippedMoments::FREE, 6000)?)
}
