//! Records far out on one side, and a last one there too or far out on the other.

use super::{OF_MEAN, PointwiseMean, PointwiseRanges, RangeScale};
use crate::mechanism::MechanismError;
use crate::mechanism::functional::NoisedFunction;
use crate::privacy::audit::{AuditError, Auditable, PairAudit, WorstCase, whole};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{ClipRadius, ClipSource, Entry, Ledger, Mu, Released, ScaleCheck, release};

/// As the registry knows it.
pub const ENTRY: Entry = Entry {
    name: "pointwise",
    title: OF_MEAN,
    proof: include_str!("proof.md"),
    scale,
    worst_cases: WORST_CASES,
};

const WORST_CASES: &[WorstCase] = &[WorstCase { name: "pointwise", make: audit, loss: whole, runs: 100_000 }];

const COORDINATES: usize = 48;
const RECORDS: u64 = 4;
const RADIUS: f64 = 0.05;

fn mechanism(mu: Mu) -> Result<PointwiseMean, MechanismError> {
    let ranges = PointwiseRanges::Public(ClipRadius::new(RADIUS, ClipSource::Public)?);
    PointwiseMean::new(vec![0.25; COORDINATES], ranges, RangeScale::OfMean, mu, RECORDS)
}

fn audit(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    let mechanism = mechanism(Mu::new(parameter)?).map_err(|_| AuditError::NoClaim(name.to_owned()))?;
    let far = |sign: f64| Some(vec![0.25 + sign * 1e6; COORDINATES]);
    let first = vec![far(1.0); RECORDS as usize];
    let mut second = first.clone();
    second[0] = far(-1.0);
    // All coordinates move together: their sum is the best test.
    let look = |released: &Released<NoisedFunction>| {
        vec![released.value.coordinates.iter().sum(), released.value.samples[0], released.value.sigma]
    };
    PairAudit::boxed(name, mechanism, [first, second], |records| records, Box::new(look))
}

/// σ = (2w/n)/(μ/√d) in every coordinate of the released mean.
fn scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    let mechanism = mechanism(Mu::new(0.7)?)?;
    let records: Vec<Option<Vec<f64>>> = vec![None; RECORDS as usize];
    let sigma = 2.0 * RADIUS / RECORDS as f64 / (0.7 / (COORDINATES as f64).sqrt());
    let (mut noise, mut squares) = (NoiseSource::seeded(seed), Vec::new());
    for _ in 0..170 {
        let released = release(&mechanism, &records, &mut Ledger::in_memory(None), &mut noise)?;
        squares.extend(released.value.samples.iter().map(|x| (x - 0.25).powi(2)));
    }
    Ok(ScaleCheck::of_squares(&squares, sigma * sigma))
}
