//! What a job has paid for and drawn, on disk: `internal/job.json` and `internal/drawn.json`.

use super::{Digest, Published};
use crate::fault;
use crate::io::{Limit, write_bytes, write_text};
use crate::job::StudyFolder;
use crate::job::error::{JobError, io};
use crate::job::kept::kept;
use crate::job::plan::FrozenPlan;
use crate::privacy::{Composition, Ledger, Neighbours, Part, Price, PrivacyLoss, Receipt, Released};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// A job that was begun. It is written before the ledger is charged.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Begun {
    /// Of records and settings.
    pub(super) digest: String,
    /// The version of the program; earlier ones did not say.
    #[serde(default)]
    pub(super) version: String,
    /// What is drawn.
    mechanism: String,
    /// The charge, as it was announced: the ledger holds it if it was made.
    pub(super) receipt: Receipt,
    /// Its lines in the ledger: what is half written when the process ends is completed.
    #[serde(default)]
    pub(super) lines: String,
    /// How many releases the ledger holds with this one, and their joint loss: for the certificate.
    releases: usize,
    total: Option<PrivacyLoss>,
    /// The neighbours that it protects.
    #[serde(default)]
    neighbours: Neighbours,
    /// The plan as it stood when the charge was made.
    #[serde(default)]
    pub(super) plan: Option<FrozenPlan>,
    /// Of a stream, the step that was begun last, counted from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) step: Option<usize>,
    /// Whether everything is written.
    pub(super) finished: bool,
}

impl Begun {
    pub(super) fn new(
        digest: &Digest,
        (price, charged): (&Price, &Part),
        (receipt, lines): (Receipt, String),
        spent: &Composition,
    ) -> Self {
        let neighbours = charged.neighbours();
        let mut after = spent.clone();
        after.push(charged.mechanism.clone(), charged.times, charged.cost.clone());
        Self {
            digest: digest.as_str().to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            mechanism: price.mechanism.clone(),
            receipt,
            lines,
            releases: after.parts().len(),
            total: after.for_neighbours(&neighbours).total().ok(),
            neighbours,
            plan: None,
            step: None,
            finished: false,
        }
    }

    /// Under this plan; of a stream, for this step.
    pub(super) fn planned(self, plan: Option<FrozenPlan>, step: Option<usize>) -> Self {
        Self { plan, step, ..self }
    }

    /// The job in this folder, if there is one.
    pub(super) fn load(folder: &StudyFolder) -> Result<Option<Self>, JobError> {
        let path = folder.job();
        let Some(file) = kept(&path, Limit::TABLE)? else { return Ok(None) };
        let what = "this is not the state of a run; delete it to start again";
        serde_json::from_slice(file.bytes()).map(Some).map_err(|_| JobError::State { path, what })
    }

    pub(super) fn store(&self, folder: &StudyFolder) -> Result<(), JobError> {
        let path = folder.job();
        let text = serde_json::to_string_pretty(self).map_err(|e| io(&path)(std::io::Error::other(e)))?;
        Ok(write_text(&path, &text)?)
    }

    /// Makes the charge its own that it announced, and that another run found half written and completed: it would be made again
    /// otherwise. The receipt is stored before the ledger says so.
    ///
    /// # Errors
    /// [`JobError`]: neither could be written.
    pub(super) fn adopt(&mut self, ledger: &mut Ledger, folder: &StudyFolder) -> Result<(), JobError> {
        if let Some(receipt) = ledger.adoptable(&self.receipt, &self.lines) {
            self.receipt = receipt;
            self.store(folder)?;
        }
        if self.paid(ledger) { Ok(ledger.adopt(&self.receipt)?) } else { Ok(()) }
    }

    /// What was drawn under its charge, to be published.
    pub(super) fn published<V>(&self, released: Released<V>) -> Published<V> {
        Published {
            released,
            receipt: Some(self.receipt.clone()),
            neighbours: self.neighbours.clone(),
            releases: self.releases,
            total: self.total,
        }
    }

    /// Whether the ledger holds its charge.
    pub(super) fn paid(&self, ledger: &Ledger) -> bool {
        ledger.holds(&self.receipt).is_ok()
    }
}

/// What a job drew.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Stored<V> {
    /// The check of its charge's line, which no other charge has.
    pub(super) charge: String,
    pub(super) released: Released<V>,
}

impl<V: Serialize> Stored<V> {
    /// Writes it down, durably; returns what was written.
    pub(super) fn store(&self, folder: &StudyFolder) -> Result<Vec<u8>, JobError> {
        let path = folder.drawn();
        let bytes = serde_json::to_vec(self).map_err(|e| io(&path)(std::io::Error::other(e)))?;
        write_bytes(&path, &bytes)?;
        Ok(bytes)
    }
}

impl<V: DeserializeOwned> Stored<V> {
    /// The draw of this job with its bytes, if one was stored.
    pub(super) fn load(folder: &StudyFolder, begun: &Begun) -> Result<Option<(Self, Vec<u8>)>, JobError> {
        let path = folder.drawn();
        let Some(file) = kept(&path, Limit::TABLE)? else { return Ok(None) };
        let bytes = file.bytes().to_vec();
        let stored: Self = serde_json::from_slice(&bytes)
            .map_err(|_| JobError::State { path, what: "this is not a draw that this program stored" })?;
        // The draw of an earlier job is of no concern.
        Ok((stored.charge == begun.receipt.head).then_some((stored, bytes)))
    }
}

impl<V> Stored<V> {
    /// Redeems the charge with this draw, stored as `bytes`, and with no other.
    pub(super) fn redeemed(
        self,
        bytes: &[u8],
        ledger: &mut Ledger,
        begun: &Begun,
    ) -> Result<Published<V>, JobError> {
        ledger.redeem(&begun.receipt, &hex::encode(Sha256::digest(bytes)))?;
        Ok(begun.published(self.released))
    }
}

/// Gives up what was begun: its charge stands.
pub(super) fn forget(folder: &StudyFolder) -> Result<(), JobError> {
    for path in [folder.drawn(), folder.job()] {
        match fault::remove(&path) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(io(&path)(e)),
            _ => {}
        }
    }
    Ok(())
}
