//! Draws on public records.

use crate::privacy::noise::NoiseSource;
use crate::privacy::{BudgetError, Ledger, Mechanism, ReleaseError, draw, pay};

/// One draw on public records: seeded noise, a ledger in memory.
pub(super) fn drawn<K: Mechanism>(
    mechanism: &K,
    prepared: &K::Prepared<'_>,
    noise: &mut NoiseSource,
) -> Result<K::Value, ReleaseError<K::Error>> {
    let paid = pay(mechanism.price(), &mut Ledger::in_memory(None))?;
    Ok(draw(mechanism, prepared, noise, paid).map_err(ReleaseError::Mechanism)?.value)
}

/// The noise scale of a mechanism that has one.
pub(super) fn scale(mechanism: &impl Mechanism) -> Result<f64, BudgetError> {
    mechanism.price().scale.ok_or(BudgetError::NoSuchBound("a mechanism has no noise scale"))
}
