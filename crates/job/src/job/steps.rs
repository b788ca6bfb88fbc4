//! One charge for several steps, each drawn by itself when its time has come and kept for the later ones: `internal/step-01.json`, ….
//!
//! A step is stored together with what later steps need of its records, its part of the charge is redeemed in the ledger with the SHA-256 of
//! all that was stored, and only then is it published. So with the ledger at its place every step has one draw, whichever copy of the folder is
//! asked, and no later step rests on sums that are missing, older or changed. Released values alone tell nothing of that SHA-256: a
//! random number that is kept with them is in it.

use super::digest::Digest;
use super::error::{JobError, io};
use super::kept::kept;
use super::state::Begun;
use super::{Job, Priced, Publication, Published};
use crate::io::internal::MARK;
use crate::io::{Limit, write_bytes};
use crate::job::StudyFolder;
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Certificate, Charge, Ledger, Mechanism, Price, Released, draw};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// A step that was drawn: what was released, and what later steps need of its records, which is secret.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step<V, S> {
    mark: String,
    /// The check of the charge's line.
    charge: String,
    /// Random: the ledger's SHA-256 is to confirm no guess of the records.
    blind: String,
    /// What the records were.
    records: String,
    /// What later steps need of them.
    pub secret: S,
    /// What was released.
    pub released: Released<V>,
}

/// A step, and the SHA-256 of its file.
#[derive(Debug)]
struct Kept<V, S> {
    step: Step<V, S>,
    sum: String,
}

/// The steps of a folder, and which one is at hand.
#[derive(Debug)]
pub struct Steps<V, S> {
    stream: Digest,
    most: usize,
    at: usize,
    kept: Vec<Kept<V, S>>,
}

impl<V, S> Steps<V, S> {
    /// Which step is at hand, counted from 0.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The steps before the one at hand, oldest first.
    pub fn before(&self) -> impl Iterator<Item = &Step<V, S>> {
        self.kept.iter().take(self.at).map(|kept| &kept.step)
    }
}

impl<V: DeserializeOwned, S: DeserializeOwned> Steps<V, S> {
    fn read(folder: &StudyFolder, most: usize) -> Result<Vec<Kept<V, S>>, JobError> {
        let mut found = Vec::new();
        for at in 0..most {
            let path = folder.step(at);
            let Some(file) = kept(&path, Limit::TABLE)? else { break };
            let what = "this is not a step that this program stored";
            let step = serde_json::from_slice(file.bytes()).map_err(|_| JobError::State { path, what })?;
            found.push(Kept { step, sum: hex::encode(Sha256::digest(file.bytes())) });
        }
        Ok(found)
    }
}

fn refused(at: usize, what: &'static str) -> JobError {
    JobError::Step { step: at + 1, what }
}

const EXCHANGED: &str = "what is stored of it is missing, older or changed; the ledger records another draw. Put back the folder that made it: \
                         a step is drawn once, and later steps rest on what was stored";

impl Job<'_> {
    /// The steps of the stream that `stream` tells from others, of at most so many; at hand is the one `asked` for, from 1, else one that was
    /// interrupted, else the next.
    ///
    /// # Errors
    /// [`JobError::Step`]: out of order, or over; [`JobError::OtherStream`].
    pub fn steps<V: DeserializeOwned, S: DeserializeOwned>(
        &self,
        stream: Digest,
        asked: Option<usize>,
        most: usize,
    ) -> Result<Steps<V, S>, JobError> {
        let folder = self.folder();
        let other = || JobError::OtherStream(folder.root().to_owned());
        let kept = Steps::read(folder, most)?;
        let known = self.begun.as_ref();
        if known.is_some_and(|begun| begun.digest != stream.as_str() || begun.step.is_none())
            || (known.is_none() && !kept.is_empty())
        {
            return Err(other());
        }
        let at_work = known.filter(|begun| !begun.finished).and_then(|begun| begun.step);
        let next = at_work.unwrap_or(kept.len());
        let at = match asked {
            None => next,
            Some(0) => return Err(refused(0, "steps are counted from 1")),
            Some(step) => step - 1,
        };
        if at_work.is_some_and(|work| work != at) {
            return Err(refused(next, "it was interrupted: run it again before any other"));
        }
        if at >= most {
            return Err(refused(at, "the plan has no such step: all that it has were released"));
        }
        if at > kept.len() {
            return Err(refused(
                at,
                "it comes after one that was not released yet: steps are released in order",
            ));
        }
        if at + 1 < kept.len() {
            return Err(refused(
                at,
                "it was released, and so was a later one; its release lies beside that one",
            ));
        }
        Ok(Steps { stream, most, at, kept })
    }

    /// As [`Self::price`], for the step at hand of `steps`; whether the ledger has the same steps is asked before any work.
    ///
    /// # Errors
    /// [`JobError`]; nothing is charged.
    pub fn price_step<P: Publication, V, S>(
        &mut self,
        price: &Price,
        publication: P,
        steps: &Steps<V, S>,
    ) -> Result<Priced<P>, JobError> {
        let priced = self.price(price, publication)?;
        let ledger = self.ledger.as_mut().ok_or(JobError::OtherPrice)?;
        steps.check(self.begun.as_ref(), ledger)?;
        Ok(priced)
    }

    /// Draws the step at hand under the charge for all of them, which the first one makes, and stores it with `secret`; or finds it stored.
    /// `records`: what they are, by which a step is known again.
    ///
    /// # Errors
    /// Those of the mechanism, and [`JobError`]: a step that was drawn from other records.
    pub fn release_step<M, P, S, E>(
        &mut self,
        priced: &Priced<P>,
        (mechanism, prepared): (&M, &M::Prepared<'_>),
        steps: &Steps<M::Value, S>,
        (records, secret): (&Digest, S),
        noise: &mut NoiseSource,
    ) -> Result<Published<M::Value>, E>
    where
        M: Mechanism<Value: Serialize + DeserializeOwned + Clone>,
        S: Serialize,
        E: From<JobError> + From<M::Error>,
    {
        if mechanism.price() != priced.price() {
            return Err(JobError::OtherPrice.into());
        }
        if let Some(Kept { step, .. }) = steps.kept.get(steps.at) {
            if step.records != records.as_str() {
                return Err(refused(
                    steps.at,
                    "it was drawn from other records, with other settings or by another version; a step is drawn once",
                )
                .into());
            }
            (self.keep, self.resumed) = (true, true);
            return Ok(self.published(step.released.clone())?);
        }
        let charge = self.pay_step(priced, steps)?;
        let released = draw(mechanism, prepared, noise, charge)?;
        Ok(self.keep_step(steps.at, records, secret, released)?)
    }

    /// As [`Self::publish`], for a step: the release of the one before is moved aside, and stays.
    ///
    /// # Errors
    /// As [`Self::publish`].
    pub fn publish_step<P: Publication>(
        &mut self,
        priced: &Priced<P>,
        published: &Published<P::Value>,
        at: usize,
    ) -> Result<Certificate, P::Error> {
        let before = at.checked_sub(1).map(|before| self.folder().release_of_step(before));
        self.publish_beside(priced, published, before)
    }

    /// The charge for all steps, of which the step at hand is drawn.
    fn pay_step<P, V, S>(&mut self, priced: &Priced<P>, steps: &Steps<V, S>) -> Result<Charge, JobError> {
        if !self.place.stop.too_late_from_here() {
            return Err(JobError::Stopped);
        }
        let (folder, ledger) = (self.locked.folder(), self.ledger.as_ref().ok_or(JobError::OtherPrice)?);
        let Some(begun) = self.begun.as_mut().filter(|begun| begun.paid(ledger)) else {
            return self.announce(&priced.price, &priced.charged, &steps.stream, Some(steps.at));
        };
        // Under it other steps were drawn; of this one nothing has been stored.
        let charge = ledger.reissue_part(&begun.receipt, &priced.charged, steps.at as u32)?;
        (begun.step, begun.finished) = (Some(steps.at), false);
        begun.store(folder)?;
        (self.keep, self.resumed) = (true, true);
        Ok(charge)
    }

    fn keep_step<V: Serialize, S: Serialize>(
        &mut self,
        at: usize,
        records: &Digest,
        secret: S,
        released: Released<V>,
    ) -> Result<Published<V>, JobError> {
        let (Some(begun), Some(ledger)) = (&self.begun, &mut self.ledger) else {
            return Err(JobError::OtherPrice);
        };
        let path = self.locked.folder().step(at);
        let (charge, records) = (begun.receipt.head.clone(), records.as_str().to_owned());
        let blind = hex::encode(random().map_err(io(&path))?);
        let step = Step { mark: MARK.to_owned(), charge, blind, records, secret, released };
        let bytes = serde_json::to_vec(&step).map_err(|e| io(&path)(std::io::Error::other(e)))?;
        write_bytes(&path, &bytes)?;
        ledger.redeem_part(&begun.receipt, at as u32, &hex::encode(Sha256::digest(&bytes)))?;
        self.published(step.released)
    }

    fn published<V>(&self, released: Released<V>) -> Result<Published<V>, JobError> {
        Ok(self.begun.as_ref().ok_or(JobError::OtherPrice)?.published(released))
    }
}

impl<V, S> Steps<V, S> {
    /// Whether the ledger has exactly the steps that are kept; the last one is redeemed now if the process ended in between.
    fn check(&self, begun: Option<&Begun>, ledger: &mut Ledger) -> Result<(), JobError> {
        let Some(begun) = begun.filter(|begun| begun.paid(ledger)) else {
            return match self.kept.len() {
                0 => Ok(()),
                _ => Err(refused(
                    0,
                    "the ledger does not hold the charge that it was drawn under; put the right one back",
                )),
            };
        };
        for at in 0..self.most {
            let redeemed = ledger.redeemed_part(&begun.receipt, at as u32);
            match (self.kept.get(at), redeemed) {
                (Some(Kept { step, .. }), _) if step.charge != begun.receipt.head => {
                    return Err(refused(at, EXCHANGED));
                }
                (Some(Kept { sum, .. }), Some(redeemed)) if *sum != redeemed => {
                    return Err(refused(at, EXCHANGED));
                }
                (None, Some(_)) => return Err(refused(at, EXCHANGED)),
                // Only the last one can have been stored and no more.
                (Some(Kept { sum, .. }), None) if at + 1 == self.kept.len() => {
                    ledger.redeem_part(&begun.receipt, at as u32, sum)?;
                }
                (Some(_), None) if !is_seeded(ledger, begun) => return Err(refused(at, EXCHANGED)),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Draws of seeded charges are not recorded.
fn is_seeded(ledger: &Ledger, begun: &Begun) -> bool {
    ledger.on_record().charge(&begun.receipt).is_ok_and(|charge| charge.part.is_seeded())
}

fn random() -> std::io::Result<[u8; 32]> {
    use rand::TryRng;
    let mut bytes = [0u8; 32];
    rand::rngs::SysRng.try_fill_bytes(&mut bytes).map_err(std::io::Error::other)?;
    Ok(bytes)
}
