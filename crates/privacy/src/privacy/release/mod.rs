//! The one way out: a mechanism states its price, looks at the records, is paid for, and draws.
//!
//! 1. [`Mechanism::price`] is known without data.
//! 2. [`Mechanism::prepare`] looks at the records. It may fail, and does so before anything is charged.
//! 3. A ledger is charged ([`pay`]); only that makes a [`Charge`].
//! 4. [`Mechanism::draw`] takes the charge, draws, and describes the noise that it drew ([`NoisedPart`]).
//!
//! [`release`] does all of it. Whatever becomes of the [`Released`] value afterwards is post-processing: it holds no record.
//!
//! ```
//! use visard_privacy::privacy::noise::NoiseSource;
//! use visard_privacy::privacy::{ClipRadius, ClipSource, ClippedMean, Ledger, Mu, release};
//! let clip = ClipRadius::new(1.0, ClipSource::Public)?;
//! let mean = ClippedMean::new(2, 3, clip, Mu::new(1.0)?)?;
//! // Two records and a failed one; the second is clipped to (1, 0).
//! let records = [Some(vec![0.5, 0.5]), Some(vec![300.0, 0.0]), None];
//! let released = release(&mean, &records[..], &mut Ledger::in_memory(None), &mut NoiseSource::from_os()?)?;
//! assert_eq!(released.value.len(), 2);
//! assert!(released.statement().certify()?.private);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod drawn;
mod entry;
mod price;

pub use drawn::{Drawn, NoisedPart, Released};
pub use entry::{Entry, ScaleCheck};
pub use price::{Price, Title};

use super::noise::{NoiseError, NoiseSource};
use super::{Charge, Ledger, LedgerError};

/// A randomized statistic whose privacy loss is known before a record is read.
///
/// # What an implementation answers for
/// The type's documentation states the statistic, its sensitivity with the assumptions, and the theorem. For *every* outcome of
/// `prepare` that is not an error, what `draw` returns depends on the records only through noise of the stated law: number and
/// shape of the values, the descriptions and all errors of `draw` are functions of public numbers and of noised values.
/// Errors of `prepare` may depend on the records; they go to the data holder only.
pub trait Mechanism {
    /// The records.
    type Records: ?Sized;
    /// What is made of them before the charge: secret.
    type Prepared<'a>
    where
        Self: 'a;
    /// What is released.
    type Value;
    /// Why there is no release.
    type Error: std::error::Error + From<NoiseError> + 'static;

    /// What it costs and which noise that buys: public.
    fn price(&self) -> &Price;

    /// Looks at the records: everything that can fail for want of data fails here.
    ///
    /// # Errors
    /// Records of the wrong number or form, or a statistic that cannot be computed as accurately as its sensitivity counts on.
    fn prepare<'a>(&'a self, records: &'a Self::Records) -> Result<Self::Prepared<'a>, Self::Error>;

    /// Draws once.
    ///
    /// # Errors
    /// When `paid` does not cover the price, or the system gives no randomness. Nothing depends on a record.
    fn draw(
        &self,
        prepared: &Self::Prepared<'_>,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<Self::Value>, Self::Error>;
}

/// Why nothing was released.
#[derive(Debug, thiserror::Error)]
pub enum ReleaseError<E: std::error::Error + 'static> {
    /// Nothing was charged.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The mechanism: before the charge (nothing was charged) or while drawing (a charge is never refunded).
    #[error(transparent)]
    Mechanism(E),
}

/// Records the price in the ledger and hands out the proof of payment, for noise from the operating system. (What is drawn from a fixed seed
/// is charged as such by [`release`], and has no bound.)
///
/// # Errors
/// [`LedgerError`]; nothing was charged then.
pub fn pay(price: &Price, ledger: &mut Ledger) -> Result<Charge, LedgerError> {
    ledger.charge_part(price.charged())
}

/// Draws from prepared records against a charge, and keeps the price with what was drawn.
///
/// # Errors
/// Those of [`Mechanism::draw`].
pub fn draw<M: Mechanism>(
    mechanism: &M,
    prepared: &M::Prepared<'_>,
    noise: &mut NoiseSource,
    paid: Charge,
) -> Result<Released<M::Value>, M::Error> {
    let (recorded, seeded) = (paid.is_durable(), noise.is_seeded());
    let Drawn { value, parts } = mechanism.draw(prepared, noise, paid)?;
    Ok(Released { value, parts, price: mechanism.price().clone(), seeded, recorded })
}

/// Prepares, charges, draws and describes, in this order: nothing is charged for what cannot be released, nothing is drawn unpaid.
///
/// # Errors
/// [`ReleaseError`].
pub fn release<M: Mechanism>(
    mechanism: &M,
    records: &M::Records,
    ledger: &mut Ledger,
    noise: &mut NoiseSource,
) -> Result<Released<M::Value>, ReleaseError<M::Error>> {
    let prepared = mechanism.prepare(records).map_err(ReleaseError::Mechanism)?;
    let paid = ledger.charge_part(mechanism.price().charged_as(noise.is_seeded()))?;
    draw(mechanism, &prepared, noise, paid).map_err(ReleaseError::Mechanism)
}
