//! A mechanism on two neighbouring datasets, run through the one way of a release.

use super::{AuditError, Auditable, Neighbour};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Ledger, Mechanism, PrivacyLoss, Released, release};

/// A named audit: from the claimed parameter (μ, ε or ρ, by what the mechanism is stated in) to a mechanism with its worst
/// neighbours.
#[derive(Debug, Clone, Copy)]
pub struct WorstCase {
    /// Its name on the command line.
    pub name: &'static str,
    /// Makes it.
    pub make: MakeCase,
    /// Whether one run takes milliseconds, so that fewer are made in tables.
    pub slow: bool,
}

/// Makes the case of this name at a privacy parameter.
pub type MakeCase = fn(&'static str, f64) -> Result<Box<dyn Auditable>, AuditError>;

/// What an attacker computes from a release: always as many numbers.
pub type Look<V> = Box<dyn Fn(&Released<V>) -> Vec<f64> + Send + Sync>;

/// A mechanism, two neighbouring datasets, and what an attacker looks at. Every run is a whole release: prepared, charged (to a
/// ledger that forgets), drawn.
pub struct PairAudit<M: Mechanism, D> {
    name: &'static str,
    mechanism: M,
    data: [D; 2],
    records: fn(&D) -> &M::Records,
    look: Look<M::Value>,
    width: usize,
}

impl<M, D> PairAudit<M, D>
where
    M: Mechanism + Send + Sync + 'static,
    D: Send + Sync + 'static,
{
    /// Whether the mechanism runs on both datasets is found out here, before the audit. `records` tells how it sees them.
    ///
    /// # Errors
    /// [`AuditError::NoClaim`] when it does not.
    pub fn boxed(
        name: &'static str,
        mechanism: M,
        data: [D; 2],
        records: fn(&D) -> &M::Records,
        look: Look<M::Value>,
    ) -> Result<Box<dyn Auditable>, AuditError> {
        let mut audit = Self { name, mechanism, data, records, look, width: 0 };
        for which in [Neighbour::First, Neighbour::Second] {
            let values = audit.release(which, 0).ok_or_else(|| AuditError::NoClaim(name.to_owned()))?;
            audit.width = values.len();
        }
        Ok(Box::new(audit))
    }

    fn release(&self, which: Neighbour, seed: u64) -> Option<Vec<f64>> {
        let records = (self.records)(&self.data[usize::from(which == Neighbour::Second)]);
        let mut noise = NoiseSource::seeded(seed);
        let released = release(&self.mechanism, records, &mut Ledger::in_memory(None), &mut noise).ok()?;
        Some((self.look)(&released))
    }
}

impl<M, D> Auditable for PairAudit<M, D>
where
    M: Mechanism + Send + Sync + 'static,
    D: Send + Sync + 'static,
{
    fn name(&self) -> &str {
        self.name
    }
    fn claim(&self) -> PrivacyLoss {
        self.mechanism.price().loss
    }
    fn draw(&self, which: Neighbour, seed: u64) -> Vec<f64> {
        self.release(which, seed).unwrap_or_else(|| vec![f64::NAN; self.width])
    }
}
