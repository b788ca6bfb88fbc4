//! What the passes so far have released, for the sums of the next one: noised, and public from the draw on.

use super::{PartForm, fault};
use crate::io::{Limit, open, write_text};
use crate::job::refuse_secret;
use crate::mechanism::functional::passes::Passed;
use crate::study::face::StudyError;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::Path;

/// The format that is written.
const FORMAT: u32 = 2;

/// A round file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RoundFile {
    visard_round: u32,
    pub(super) form: PartForm,
    pub(super) passed: Vec<Passed>,
}

impl RoundFile {
    pub(super) fn new(form: &PartForm, passed: Vec<Passed>) -> Self {
        Self { visard_round: FORMAT, form: form.clone(), passed }
    }

    pub(super) fn write(&self, path: &Path) -> Result<(), StudyError> {
        let text = serde_json::to_string(self).map_err(|e| fault(path, e))?;
        Ok(write_text(path, &(text + "\n"))?)
    }

    pub(super) fn read(path: &Path) -> Result<Self, StudyError> {
        let file = open(path, Limit::TABLE)?;
        refuse_secret(&file)?;
        let found: Self = serde_json::from_slice(file.bytes())
            .map_err(|_| fault(path, "this is not a round file that `visard release` wrote"))?;
        match found.visard_round {
            FORMAT => Ok(found),
            _ => Err(fault(path, "this round file is of another version of the program")),
        }
    }
}

/// What stands for all that was released so far: sums rest on it.
pub(super) fn standing_for(passed: &[Passed]) -> String {
    if passed.is_empty() {
        return String::new();
    }
    hex::encode(Sha256::digest(serde_json::to_vec(passed).unwrap_or_default()))
}
