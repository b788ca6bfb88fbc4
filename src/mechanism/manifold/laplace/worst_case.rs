//! Directions at one end of the public ball, and a last one there too or at the opposite end.

use super::{RiemannianLaplace, TITLE};
use crate::mechanism::manifold::directions::{self, BALL, RECORDS};
use crate::privacy::audit::{AuditError, Auditable, PairAudit, WorstCase};
use crate::privacy::{Entry, Epsilon, ScaleCheck};

/// As the registry knows it.
pub const ENTRY: Entry = Entry {
    name: "riemannian-laplace",
    title: TITLE,
    proof: include_str!("proof.md"),
    scale,
    worst_cases: WORST_CASES,
};

const WORST_CASES: &[WorstCase] = &[WorstCase { name: "riemannian-laplace", make: audit, slow: false }];

fn audit(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    let no_claim = |_| AuditError::NoClaim(name.to_owned());
    let ball = directions::ball(BALL).map_err(no_claim)?;
    let mechanism = RiemannianLaplace::new(ball, RECORDS, Epsilon::new(parameter)?).map_err(no_claim)?;
    let data = directions::neighbours();
    let look = directions::look(&data).map_err(no_claim)?;
    PairAudit::boxed(name, mechanism, data, |records| &records[..], look)
}

/// Density ∝ exp(−t/σ) sin t of the distance, σ = Δ/ε with Δ = (2r/n)/cos 2r.
fn scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    let (r, n, epsilon) = (0.4_f64, 20, 0.7);
    let sigma = 2.0 * r / n as f64 / (2.0 * r).cos() / epsilon;
    let mechanism = RiemannianLaplace::new(directions::ball(r)?, n, Epsilon::new(epsilon)?)?;
    directions::distances(&mechanism, n, 8000, seed, std::f64::consts::PI, |t| (-t / sigma).exp())
}
