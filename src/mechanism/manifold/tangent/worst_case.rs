//! Directions at one end of the public ball, and a last one there too or at the opposite end.

use super::TangentGaussian;
use crate::mechanism::manifold::directions::{self, BALL, RECORDS};
use crate::privacy::audit::{AuditError, Auditable, PairAudit, WorstCase};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Ledger, Mu, ScaleCheck, release};
use nalgebra::dvector;

pub(super) const WORST_CASES: &[WorstCase] =
    &[WorstCase { name: "tangent-gaussian", make: audit, slow: false }];

fn audit(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    let no_claim = |_| AuditError::NoClaim(name.to_owned());
    let ball = directions::ball(BALL).map_err(no_claim)?;
    let mechanism = TangentGaussian::new(ball, RECORDS, Mu::new(parameter)?).map_err(no_claim)?;
    let data = directions::neighbours();
    let look = directions::look(&data).map_err(no_claim)?;
    PairAudit::boxed(name, mechanism, data, |records| &records[..], look)
}

/// σ = 2r/(nμ) in every coordinate.
pub(super) fn scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    let (r, n, mu) = (0.4, 10, 2.0);
    let mechanism = TangentGaussian::new(directions::ball(r)?, n, Mu::new(mu)?)?;
    let records = vec![Some(dvector![0.0, 0.0, 1.0]); n as usize];
    let sigma = 2.0 * r / (n as f64 * mu);
    let (mut noise, mut squares) = (NoiseSource::seeded(seed), Vec::new());
    for _ in 0..4000 {
        let released = release(&mechanism, &records[..], &mut Ledger::in_memory(None), &mut noise)?;
        squares.extend(released.value.noised.iter().map(|x| x * x));
    }
    Ok(ScaleCheck::of(&squares, sigma * sigma, 2.0 * sigma.powi(4), 2.0))
}
