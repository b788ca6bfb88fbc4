//! A mechanism on two neighbouring datasets, run through the one way of a release.

use super::{AuditError, Auditable, Neighbour};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Ledger, Mechanism, PrivacyLoss, Released, draw, pay};

/// A named audit: from the claimed parameter (μ, ε or ρ, by what the mechanism is stated in) to a mechanism with its worst
/// neighbours.
#[derive(Debug, Clone, Copy)]
pub struct WorstCase {
    /// Its name on the command line.
    pub name: &'static str,
    /// Makes it.
    pub make: MakeCase,
    /// What its neighbours truly lose at this parameter, in the unit of that. It rises with the parameter.
    pub loss: fn(f64) -> f64,
    /// As many runs on each of them show most of that.
    pub runs: u64,
}

impl WorstCase {
    /// The case at a privacy parameter.
    ///
    /// # Errors
    /// [`AuditError`].
    pub fn at(&'static self, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
        Ok(Box::new(Named { case: self, parameter, audit: (self.make)(self.name, parameter)? }))
    }
}

/// Of a loss that is all of the claim.
pub fn whole(parameter: f64) -> f64 {
    parameter
}

/// A case at a privacy parameter.
struct Named {
    case: &'static WorstCase,
    parameter: f64,
    audit: Box<dyn Auditable>,
}

impl Auditable for Named {
    fn name(&self) -> &str {
        self.case.name
    }
    fn claim(&self) -> PrivacyLoss {
        self.audit.claim()
    }
    fn draw(&self, which: Neighbour, seed: u64) -> Vec<f64> {
        self.audit.draw(which, seed)
    }
    fn loss_of_pair(&self) -> Option<f64> {
        Some((self.case.loss)(self.parameter))
    }
    fn losing(&self, loss: f64) -> Option<Result<Box<dyn Auditable>, AuditError>> {
        // Losses are nearly proportional to the parameter.
        let mut parameter = self.parameter;
        for _ in 0..40 {
            let factor = loss / (self.case.loss)(parameter);
            parameter *= factor;
            if (factor - 1.0).abs() < 1e-3 {
                break;
            }
        }
        Some(self.case.at(parameter))
    }
}

/// Makes the case of this name at a privacy parameter.
pub type MakeCase = fn(&'static str, f64) -> Result<Box<dyn Auditable>, AuditError>;

/// What an attacker computes from a release: always as many numbers.
pub type Look<V> = Box<dyn Fn(&Released<V>) -> Vec<f64> + Send + Sync>;

/// A mechanism, two neighbouring datasets, and what an attacker looks at. What is made of the records before the charge involves no
/// randomness and is made once; every run charges (a ledger that forgets) and draws.
pub struct PairAudit<M: Mechanism + 'static> {
    name: &'static str,
    mechanism: &'static M,
    prepared: [M::Prepared<'static>; 2],
    look: Look<M::Value>,
    width: usize,
}

impl<M> PairAudit<M>
where
    M: Mechanism + Send + Sync + 'static,
    M::Prepared<'static>: Send + Sync,
{
    /// Whether the mechanism runs on both datasets is found out here, before the audit. `records` tells how it sees them. Both stay in memory
    /// as long as the program: there are a few dozen audits.
    ///
    /// # Errors
    /// [`AuditError::NoClaim`] when it does not.
    pub fn boxed<D: 'static>(
        name: &'static str,
        mechanism: M,
        data: [D; 2],
        records: fn(&D) -> &M::Records,
        look: Look<M::Value>,
    ) -> Result<Box<dyn Auditable>, AuditError> {
        let no_claim = || AuditError::NoClaim(name.to_owned());
        let mechanism: &'static M = Box::leak(Box::new(mechanism));
        let data: &'static [D; 2] = Box::leak(Box::new(data));
        let prepare = |of: &'static D| mechanism.prepare(records(of)).map_err(|_| no_claim());
        let prepared = [prepare(&data[0])?, prepare(&data[1])?];
        let mut audit = Self { name, mechanism, prepared, look, width: 0 };
        for which in [Neighbour::First, Neighbour::Second] {
            audit.width = audit.release(which, 0).ok_or_else(no_claim)?.len();
        }
        Ok(Box::new(audit))
    }

    fn release(&self, which: Neighbour, seed: u64) -> Option<Vec<f64>> {
        let prepared = &self.prepared[usize::from(which == Neighbour::Second)];
        let paid = pay(self.mechanism.price(), &mut Ledger::in_memory(None)).ok()?;
        let released = draw(self.mechanism, prepared, &mut NoiseSource::seeded(seed), paid).ok()?;
        Some((self.look)(&released))
    }
}

impl<M> Auditable for PairAudit<M>
where
    M: Mechanism + Send + Sync + 'static,
    M::Prepared<'static>: Send + Sync,
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
