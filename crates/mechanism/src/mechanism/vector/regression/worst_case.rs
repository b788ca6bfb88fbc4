//! Records at the rim of both balls: one against its opposite with the same covariates, one against another in everything.

use super::{NoisedRegression, RegressionRecord, TITLE, VectorRegression};
use crate::mechanism::MechanismError;
use crate::privacy::audit::{AuditError, Auditable, PairAudit, WorstCase, whole};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{ClipRadius, ClipSource, Entry, Ledger, Mu, Released, ScaleCheck, release};

/// As the registry knows it.
pub const ENTRY: Entry = Entry {
    name: "regression",
    title: TITLE,
    proof: include_str!("proof.md"),
    scale,
    worst_cases: WORST_CASES,
};

const WORST_CASES: &[WorstCase] = &[
    WorstCase { name: "regression", make: opposite_vectors, loss: whole, runs: 100_000 },
    WorstCase {
        name: "regression-record",
        make: another_record,
        loss: |p| p * (1.0 - 0.5 * FIRST).sqrt(),
        runs: 100_000,
    },
];

const RECORDS: u64 = 4;
const COLUMNS: usize = 2;
const REACH: f64 = 1.5;
const PUBLIC: f64 = 2.0;
/// The rough centre's share of μ².
const FIRST: f64 = 0.1;

fn mechanism(mu: Mu) -> Result<VectorRegression, MechanismError> {
    let public = ClipRadius::new(PUBLIC, ClipSource::Public)?;
    VectorRegression::new(vec![1.0, 1.0], public, COLUMNS, REACH, RECORDS, mu)
}

/// The same covariates and opposite vectors: orthogonal z, and opposite records for the rough centre.
fn opposite_vectors(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    audit(name, parameter, [([1.0, 0.0], [1.0, 0.0]), ([1.0, 0.0], [-1.0, 0.0])])
}

/// Covariates at right angles, and vectors too: everything about the record is another's. All of the second round, and of the first what
/// vectors at right angles tell.
fn another_record(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    audit(name, parameter, [([1.0, 0.0], [1.0, 0.0]), ([0.0, 1.0], [0.0, -1.0])])
}

/// Covariates and vector of a record, as directions.
type Directions = ([f64; 2], [f64; 2]);

/// A record in these directions, far outside both balls, to be clipped, beside others that are zero. Looked at is the direction in which
/// the two matrices of the second round differ, alone and with what the rough centre tells.
fn audit(
    name: &'static str,
    parameter: f64,
    records: [Directions; 2],
) -> Result<Box<dyn Auditable>, AuditError> {
    let unknown = |_| AuditError::NoClaim(name.to_owned());
    let mechanism = mechanism(Mu::new(parameter)?).map_err(unknown)?;
    let second = mechanism.recentring().second().get();
    let (first, n) = (parameter * FIRST.sqrt(), RECORDS as f64);
    let data = records.map(|(covariates, vector)| {
        let origin = RegressionRecord { covariates: vec![0.0; COLUMNS], vector: None, filled: 0.0 };
        let mut records = vec![origin; RECORDS as usize - 1];
        records.push(RegressionRecord {
            covariates: covariates.map(|x| 1e9 * x).to_vec(),
            vector: Some(vector.map(|x| 1e9 * x).to_vec()),
            filled: 0.0,
        });
        records
    });
    let entries = |(x, u): Directions| {
        let z = [x[0], x[1], u[0], u[1]].map(|x| x * 0.5f64.sqrt());
        (0..4).flat_map(move |i| (i..4).map(move |j| z[i] * z[j]))
    };
    // Entries above the diagonal have half the variance.
    let weights = [1.0, 2.0, 2.0, 2.0, 1.0, 2.0, 2.0, 1.0, 2.0, 1.0];
    let difference: Vec<f64> = entries(records[0]).zip(entries(records[1])).map(|(a, b)| a - b).collect();
    let towards: Vec<f64> = difference.iter().zip(weights).map(|(d, w)| 0.5 * n * second * w * d).collect();
    // How far the rough mean moves, in its own noise; shrunk as far as nothing is seen.
    let sigma = 2.0 * PUBLIC / (n * first);
    let expected = 0.5 * 0.075 * PUBLIC * PUBLIC;
    let factor = expected / (expected + sigma * sigma);
    let moved: [f64; 2] =
        std::array::from_fn(|k| PUBLIC / n * (records[0].1[k] - records[1].1[k]) / (sigma * sigma * factor));
    let look = move |released: &Released<NoisedRegression>| {
        let value = &released.value;
        // Whoever knows the other records takes their part away.
        let known = super::shortened(value.recentred.about(None), value.recentred.radius.get());
        let z = [0.0, 0.0, known[0], known[1]].map(|x| x * 0.5f64.sqrt());
        let others = (0..4).flat_map(|i| (i..4).map(move |j| z[i] * z[j] * (n - 1.0) / n));
        let matrix = value.moments.entries.iter().zip(others).map(|(x, o)| x - o);
        // Of standard deviation one.
        let matrix: f64 = matrix.zip(&towards).map(|(x, t)| x * t).sum();
        let centre: f64 = value.recentred.centre.iter().zip(moved).map(|(c, m)| c * m).sum();
        vec![matrix * second + centre, matrix]
    };
    PairAudit::boxed(name, mechanism, data, |records| &records[..], Box::new(look))
}

/// The second round's noise for records whose covariates and vectors are zero: only the centre, known when it is released, is left of
/// them. Products of covariates with one another and with the vectors.
fn scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    let (mu, draws) = (0.7, 3000);
    let mechanism = mechanism(Mu::new(mu)?)?;
    let origin = RegressionRecord { covariates: vec![0.0; COLUMNS], vector: None, filled: 0.0 };
    let records = vec![origin; RECORDS as usize];
    // So few records have a public radius.
    let sigma = 2.0f64.sqrt() / (RECORDS as f64 * mu * (1.0 - FIRST).sqrt());
    let (mut noise, mut squares) = (NoiseSource::seeded(seed), Vec::new());
    for _ in 0..draws {
        let released = release(&mechanism, &records[..], &mut Ledger::in_memory(None), &mut noise)?;
        let entries = &released.value.moments.entries;
        let weights = [1.0, 2.0, 2.0, 2.0, 1.0, 2.0, 2.0];
        squares.extend(entries.iter().zip(weights).map(|(x, w)| w * (x / sigma).powi(2)));
    }
    Ok(ScaleCheck::of_squares(&squares, 1.0))
}
