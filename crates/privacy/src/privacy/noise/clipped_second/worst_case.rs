//! A record at the rim of the ball against one at a right angle to it.

use super::{CLIPPED_SECOND, ClippedSecond, NoisedSecond};
use crate::privacy::audit::{AuditError, Auditable, PairAudit, WorstCase, whole};
use crate::privacy::noise::{NoiseError, NoiseSource};
use crate::privacy::{ClipRadius, ClipSource, Entry, Ledger, Mu, Released, ScaleCheck, release};

/// As the registry knows it.
pub const CLIPPED_SECOND_ENTRY: Entry = Entry {
    name: "clipped-second-moment",
    title: CLIPPED_SECOND,
    proof: include_str!("proof.md"),
    scale,
    worst_cases: WORST_CASES,
};

const WORST_CASES: &[WorstCase] =
    &[WorstCase { name: "clipped-second-moment", make: audit, loss: whole, runs: 100_000 }];

const RADIUS: f64 = 2.0;
const RECORDS: u64 = 4;

fn mechanism(mu: Mu) -> Result<ClippedSecond, NoiseError> {
    let radius = ClipRadius::new(RADIUS, ClipSource::Public).map_err(|_| NoiseError::OutOfScale)?;
    ClippedSecond::new(2, RECORDS, radius, mu)
}

/// What is looked at is the direction in which the two matrices differ: that between the entries of the diagonal.
fn audit(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    let mechanism = mechanism(Mu::new(parameter)?).map_err(|_| AuditError::NoClaim(name.to_owned()))?;
    let with = |u: [f64; 2]| {
        let mut records = vec![None; RECORDS as usize - 1];
        // Far outside the ball, to be clipped.
        records.push(Some(u.map(|x| 1e9 * x).to_vec()));
        records
    };
    let look = |released: &Released<NoisedSecond>| match released.value.entries[..] {
        [first, above, last] => vec![first - last, above],
        _ => vec![f64::NAN; 2],
    };
    let data = [with([1.0, 0.0]), with([0.0, 1.0])];
    PairAudit::boxed(name, mechanism, data, |records| &records[..], Box::new(look))
}

/// The noise of records that are zero, on the diagonal and above it, each over what the proof says.
pub(super) fn scales(seed: u64, draws: usize) -> Result<[ScaleCheck; 2], Box<dyn std::error::Error>> {
    let mu = 0.7;
    let mechanism = mechanism(Mu::new(mu)?)?;
    let variance = (2.0f64.sqrt() * RADIUS * RADIUS / (RECORDS as f64 * mu)).powi(2);
    let (mut noise, mut squares) = (NoiseSource::seeded(seed), [const { Vec::new() }; 2]);
    for _ in 0..draws {
        let records = [const { None }; RECORDS as usize];
        let released = release(&mechanism, &records[..], &mut Ledger::in_memory(None), &mut noise)?;
        let [first, above, last] = released.value.entries[..] else { return Err("not 2 × 2".into()) };
        squares[0].extend([first, last].map(|x| x * x / variance));
        squares[1].push(2.0 * above * above / variance);
    }
    Ok(squares.map(|squares| ScaleCheck::of_squares(&squares, 1.0)))
}

/// The one of the two that is farther off.
fn scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    ScaleCheck::farthest(scales(seed, 6000)?)
}
