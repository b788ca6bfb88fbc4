//! A record at the rim of both balls, against one whose covariates are opposite.

use super::{MOST, NoisedScores, ScoreMoments, ScoreRecord, TITLE};
use crate::estimate::variance_function::bound;
use crate::mechanism::MechanismError;
use crate::privacy::audit::{AuditError, Auditable, PairAudit, WorstCase, whole};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Entry, Ledger, Mu, Released, ScaleCheck, release};

/// As the registry knows it.
pub const ENTRY: Entry =
    Entry { name: "scores", title: TITLE, proof: include_str!("proof.md"), scale, worst_cases: WORST_CASES };

const WORST_CASES: &[WorstCase] =
    &[WorstCase { name: "scores", make: opposite_covariates, loss: whole, runs: 100_000 }];

const RECORDS: u64 = 4;
const COLUMNS: usize = 2;
const REACH: f64 = 1.5;

fn mechanism(mu: Mu) -> Result<ScoreMoments, MechanismError> {
    ScoreMoments::new(COLUMNS, REACH, RECORDS, mu)
}

fn nobody() -> ScoreRecord {
    ScoreRecord { covariates: vec![0.0; COLUMNS], scores: None }
}

/// The same scores, far out along one of two modes, and covariates far out on one side or the other.
fn opposite_covariates(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    let unknown = |_| AuditError::NoClaim(name.to_owned());
    let mechanism = mechanism(Mu::new(parameter)?).map_err(unknown)?;
    let data = [1e9, -1e9].map(|x| {
        let mut records = vec![nobody(); RECORDS as usize - 1];
        records.push(ScoreRecord { covariates: vec![0.0, x], scores: Some(vec![1e9, 0.0]) });
        records
    });
    let look = move |released: &Released<NoisedScores>| vec![released.value.values[MOST]];
    PairAudit::boxed(name, mechanism, data, |records| &records[..], Box::new(look))
}

/// The noise in the moments of records that contribute nothing, in the moments' own unit.
fn scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    let (mu, draws, modes) = (0.7, 1000, 3);
    let mechanism = mechanism(Mu::new(mu)?)?;
    let records = vec![nobody(); RECORDS as usize];
    let sigma = 2.0 * REACH * bound(modes) / (RECORDS as f64 * mu);
    let (mut noise, mut squares) = (NoiseSource::seeded(seed), Vec::new());
    for _ in 0..draws {
        let released = release(&mechanism, &records[..], &mut Ledger::in_memory(None), &mut noise)?;
        let (moments, _) = released.value.moments(COLUMNS, REACH, modes).ok_or("shapes do not fit")?;
        squares.extend(moments.iter().map(|x| x * x));
    }
    Ok(ScaleCheck::of_squares(&squares, sigma * sigma))
}
