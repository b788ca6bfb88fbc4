//! The state of an unfinished run on disk, so that an interrupted one continues where it stopped, under the charge it made.
//!
//! What it holds is as private as the result (iterates) or for the data holder only (counts): it stays in `internal/`.

use super::error::OptimizeStudyError;
use crate::io::{Limit, open, write_text};
use crate::job::JobError;
use crate::optimize::State;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What is kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Checkpoint<T> {
    /// Which charge it is drawn under.
    charge: String,
    pub state: State<T>,
    /// The trace so far.
    pub trace: String,
}

impl<T: Serialize + DeserializeOwned + Clone> Checkpoint<T> {
    /// What the file holds, if it was drawn under this charge; the beginning otherwise.
    pub fn load_or(path: &Path, charge: &str, start: T) -> Self {
        let kept = open(path, Limit::TABLE).ok();
        let kept = kept.and_then(|file| serde_json::from_slice::<Self>(file.bytes()).ok());
        kept.filter(|kept| kept.charge == charge).unwrap_or_else(|| Self::begun(charge, start))
    }

    /// Before the first step.
    pub fn begun(charge: &str, start: T) -> Self {
        Self { charge: charge.to_owned(), state: State::at(start), trace: String::new() }
    }

    pub fn store(&self, path: &Path) -> Result<(), OptimizeStudyError> {
        let text = serde_json::to_string(self)
            .map_err(|e| JobError::Io { path: path.to_owned(), source: std::io::Error::other(e) })?;
        Ok(write_text(path, &text)?)
    }
}
