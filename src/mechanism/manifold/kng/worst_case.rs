//! Directions at one end of the public ball, and a last one there too or at the opposite end.

use super::{KNormGradient, TITLE};
use crate::mechanism::manifold::directions::{self, BALL, RECORDS};
use crate::privacy::audit::{AuditError, Auditable, PairAudit, WorstCase};
use crate::privacy::{Entry, Epsilon, ScaleCheck};

/// As the registry knows it.
pub const ENTRY: Entry =
    Entry { name: "kng", title: TITLE, proof: include_str!("proof.md"), scale, worst_cases: WORST_CASES };

const WORST_CASES: &[WorstCase] = &[WorstCase { name: "kng", make: audit, slow: true }];

fn audit(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    let no_claim = |_| AuditError::NoClaim(name.to_owned());
    let ball = directions::ball(BALL).map_err(no_claim)?;
    let mechanism = KNormGradient::new(ball, RECORDS, Epsilon::new(parameter)?).map_err(no_claim)?;
    let data = directions::neighbours();
    let look = directions::look(&data).map_err(no_claim)?;
    PairAudit::boxed(name, mechanism, data, |records| &records[..], look)
}

/// With all records at the centre the gradient's norm is the distance: density ∝ exp(−t/σ) sin t on the ball, σ = 2Δ/ε with
/// Δ = (2r/n)·2r/sin 2r.
fn scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    let (r, n, epsilon) = (0.4_f64, 100, 1.5);
    let sigma = 2.0 * (2.0 * r / n as f64) * (2.0 * r / (2.0 * r).sin()) / epsilon;
    let mechanism = KNormGradient::new(directions::ball(r)?, n, Epsilon::new(epsilon)?)?;
    directions::distances(&mechanism, n, 8000, seed, r, |t| (-t / sigma).exp())
}
