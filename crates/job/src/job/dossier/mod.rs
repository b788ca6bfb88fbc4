//! What a data protection officer, an ethics board and a registry ask of a release, written from its certificate and its ledger: no technical
//! field is filled in by hand.
//!
//! Every sentence names the field it was made from; what no file can tell is left to a person, and marked so.

mod attack;
mod criteria;
mod deployments;
mod said;
mod sentences;
mod write;

use super::verify::{VerifyError, verify};
use crate::privacy::{Ledger, LedgerError, LedgerHistory};
use std::path::Path;

pub use said::{Dossier, Said, Section, Source};

/// Why there is no dossier.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DossierError {
    /// The release is not what its certificate says.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    /// The ledger.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

impl Dossier {
    /// Of a release, which is verified first; the ledger is the one given, else that of the study it lies in.
    ///
    /// # Errors
    /// [`DossierError`]: a release that does not verify gets no dossier.
    pub fn of(release: &Path, ledger: Option<&Path>) -> Result<Self, DossierError> {
        let verified = verify(release, ledger, None)?;
        let history: Option<LedgerHistory> = match &verified.ledger {
            Some(path) => Some(Ledger::history(path)?),
            None => None,
        };
        Ok(Self { sections: sentences::sections(&verified, history.as_ref()), verified })
    }

    /// How many sentences are left to a person.
    pub fn open(&self) -> usize {
        self.sections.iter().flat_map(|s| &s.said).filter(|said| said.source == Source::Person).count()
    }

    /// As Markdown.
    pub fn to_markdown(&self) -> String {
        write::markdown(self)
    }

    /// As a page.
    pub fn to_html(&self) -> String {
        write::html(self)
    }

    /// As an entry of a public registry of deployments of differential privacy.
    pub fn registry(&self) -> serde_json::Value {
        write::registry(self)
    }
}

#[cfg(test)]
mod tests;
