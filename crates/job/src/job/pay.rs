//! Step 4 of the lifecycle: the charge, the draw, and the redemption of the one by the other.

use super::Job;
use super::digest::Digest;
use super::error::JobError;
use super::priced::Priced;
use super::publish::Published;
use super::state::{self, Begun, Stored};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Charge, Mechanism, Part, Price, Released, draw};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A charge to be drawn against, or the draw that was stored before an interruption.
#[derive(Debug)]
pub enum Paid<V> {
    /// Nothing was drawn yet.
    Charge(Charge),
    /// This is what will be published.
    Stored(Box<Published<V>>),
}

impl Job<'_> {
    /// Charges, draws, stores the draw and redeems the charge with it; or finds the draw that an interrupted run stored.
    ///
    /// # Errors
    /// Those of the mechanism, and [`JobError`].
    pub fn release<M, P, E>(
        &mut self,
        priced: &Priced<P>,
        mechanism: &M,
        prepared: &M::Prepared<'_>,
        digest: &Digest,
        noise: &mut NoiseSource,
    ) -> Result<Published<M::Value>, E>
    where
        M: Mechanism<Value: Serialize + DeserializeOwned>,
        E: From<JobError> + From<M::Error>,
    {
        if mechanism.price() != priced.price() {
            return Err(JobError::OtherPrice.into());
        }
        match self.pay(priced, digest)? {
            Paid::Stored(published) => Ok(*published),
            Paid::Charge(charge) => {
                let released = draw(mechanism, prepared, noise, charge)?;
                Ok(self.store(released)?)
            }
        }
    }

    /// The first half of [`Self::release`], for work that is drawn step by step.
    ///
    /// # Errors
    /// [`JobError`].
    pub fn pay<V: DeserializeOwned, P>(
        &mut self,
        priced: &Priced<P>,
        digest: &Digest,
    ) -> Result<Paid<V>, JobError> {
        if !self.place.stop.too_late_from_here() {
            return Err(JobError::Stopped);
        }
        if self.place.resume
            && let Some(paid) = self.go_on(priced, digest)?
        {
            (self.keep, self.resumed) = (true, true);
            return Ok(paid);
        }
        Ok(Paid::Charge(self.announce(&priced.price, &priced.charged, digest, None)?))
    }

    /// Charges the ledger; `step`: of a stream, the one that is drawn first.
    pub(super) fn announce(
        &mut self,
        price: &Price,
        charged: &Part,
        digest: &Digest,
        step: Option<usize>,
    ) -> Result<Charge, JobError> {
        self.begun = None;
        let folder = self.locked.folder();
        let ledger = self.ledger.as_mut().ok_or(JobError::OtherPrice)?;
        // Given up, or never paid for.
        state::forget(folder)?;
        let spent = ledger.spent().clone();
        let announced = ledger.announce(charged.clone())?;
        let receipt = announced.receipt().cloned().ok_or(JobError::Unrecorded)?;
        let announcement = (receipt, announced.lines().to_owned());
        let begun =
            Begun::new(digest, (price, charged), announcement, &spent).planned(self.plan.clone(), step);
        // Written first: after a crash the ledger holds this charge, or was not charged.
        begun.store(folder)?;
        self.keep = true;
        let charge = announced.pay()?;
        self.begun = Some(begun);
        Ok(charge)
    }

    /// What a resumed run goes on with; nothing if it begins anew.
    pub(super) fn go_on<V: DeserializeOwned, P>(
        &mut self,
        priced: &Priced<P>,
        digest: &Digest,
    ) -> Result<Option<Paid<V>>, JobError> {
        let (Some(begun), Some(ledger)) = (self.same_run(digest)?, &mut self.ledger) else { return Ok(None) };
        let Some((stored, bytes)) = Stored::<V>::load(self.locked.folder(), &begun)? else {
            return Ok(self.undrawn(&begun, &priced.charged)?.map(Paid::Charge));
        };
        let published = stored.redeemed(&bytes, ledger, &begun)?;
        Ok(Some(Paid::Stored(Box::new(published))))
    }

    /// The run that was begun with these records and settings.
    fn same_run(&self, digest: &Digest) -> Result<Option<Begun>, JobError> {
        self.ledger.as_ref().ok_or(JobError::OtherPrice)?;
        let Some(begun) = &self.begun else { return Ok(None) };
        if begun.digest == digest.as_str() {
            return Ok(Some(begun.clone()));
        }
        // A finished run has nothing left to go on with.
        let root = self.locked.folder().root().to_owned();
        match (begun.finished, self.place.replace) {
            (true, true) => Ok(None),
            (true, false) => Err(JobError::HasRelease(root)),
            (false, _) if begun.version != env!("CARGO_PKG_VERSION") => {
                Err(JobError::OtherVersion { path: root, version: begun.version.clone() })
            }
            (false, _) => Err(JobError::OtherRun(root)),
        }
    }

    /// The charge of a run that stored no draw, if it was made.
    fn undrawn(&mut self, begun: &Begun, charged: &Part) -> Result<Option<Charge>, JobError> {
        let ledger = self.ledger.as_mut().ok_or(JobError::OtherPrice)?;
        if begun.finished {
            let what = "the draw of this finished run is missing";
            return Err(JobError::State { path: self.locked.folder().drawn(), what });
        }
        if !begun.paid(ledger) {
            return Ok(None);
        }
        Ok(Some(ledger.reissue(&begun.receipt, charged)?))
    }

    /// Stores what was drawn, durably, and redeems the charge with it: from here on this is the draw that will be published.
    ///
    /// # Errors
    /// [`JobError`]; the job can then be resumed.
    pub fn store<V: Serialize>(&mut self, released: Released<V>) -> Result<Published<V>, JobError> {
        let (Some(begun), Some(ledger)) = (&self.begun, &mut self.ledger) else {
            return Err(JobError::OtherPrice);
        };
        let stored = Stored { charge: begun.receipt.head.clone(), released };
        let bytes = stored.store(self.locked.folder())?;
        stored.redeemed(&bytes, ledger, begun)
    }
}
