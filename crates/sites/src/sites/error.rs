//! What can be wrong with a plan, a message or an answer of many sites.

use crate::study::face::StudyError;
use std::path::{Path, PathBuf};

/// Why a step of a release over many sites was not taken. Nothing was charged by it, and nothing handed on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SitesError {
    /// A file of the exchange.
    #[error("{}: {what}", .path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What is wrong, and what to do.
        what: String,
    },
    /// What was asked for does not go with the plan.
    #[error("{0}")]
    Asked(String),
    /// The secret sharing refused: numbers out of range.
    #[error("secret sharing: {0}")]
    Sharing(String),
    /// No key without randomness.
    #[error("the operating system gives no randomness")]
    Entropy,
    /// The study: its records, its folder, its ledger, the mechanism.
    #[error(transparent)]
    Study(Box<StudyError>),
}

impl<E: Into<StudyError>> From<E> for SitesError {
    fn from(error: E) -> Self {
        Self::Study(Box::new(error.into()))
    }
}

/// A fault of this file.
pub(super) fn of(path: &Path, what: impl Into<String>) -> SitesError {
    SitesError::File { path: path.to_owned(), what: what.into() }
}
