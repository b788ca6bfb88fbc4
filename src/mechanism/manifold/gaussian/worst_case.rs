//! Directions at one end of the public ball, and a last one there too or at the opposite end.

use super::{RiemannianGaussian, TITLE};
use crate::mechanism::manifold::directions::{self, BALL, RECORDS};
use crate::privacy::audit::{AuditError, Auditable, PairAudit, WorstCase};
use crate::privacy::{Entry, Mu, ScaleCheck};

/// As the registry knows it.
pub const ENTRY: Entry = Entry {
    name: "riemannian-gaussian",
    title: TITLE,
    proof: include_str!("proof.md"),
    scale,
    worst_cases: WORST_CASES,
};

const WORST_CASES: &[WorstCase] = &[WorstCase { name: "riemannian-gaussian", make: audit, slow: false }];

fn audit(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    let no_claim = |_| AuditError::NoClaim(name.to_owned());
    let ball = directions::ball(BALL).map_err(no_claim)?;
    let mechanism = RiemannianGaussian::new(ball, RECORDS, Mu::new(parameter)?).map_err(no_claim)?;
    let data = directions::neighbours();
    let look = directions::look(&data).map_err(no_claim)?;
    PairAudit::boxed(name, mechanism, data, |records| &records[..], look)
}

/// Density ∝ exp(−t²/2σ²) sin t of the distance. The reference table has μ = .822482728545 for Δ = σ = 1 on S²; Δ = (2r/n)/cos 2r is 1
/// for one record and 2r = .7390851332151607 (cos x = x).
fn scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    let ball = directions::ball(0.5 * 0.739_085_133_215_160_7)?;
    let mechanism = RiemannianGaussian::new(ball, 1, Mu::new(0.822_482_728_545)?)?;
    directions::distances(&mechanism, 1, 8000, seed, std::f64::consts::PI, |t| (-0.5 * t * t).exp())
}
