//! How records were made: what all records of a folder have in common.

use super::RecordsError;
use crate::io::{Limit, open, write_bytes};
use crate::job::layout::PREPARED;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::Path;

/// Everything that a record depends on beside its scan: all of it public.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Making {
    /// Of the program.
    pub version: String,
    /// SHA-256 of the template, in hexadecimal digits.
    pub template: String,
    /// How scans are registered.
    pub registration: String,
    /// Busts are cropped to this distance from the nose tip, in units of the template.
    pub crop_radius: f64,
    /// J.
    pub curves: usize,
    /// m.
    pub samples: usize,
    /// The text that goes into the names of records.
    pub fingerprint: String,
}

impl Making {
    /// What index lines call it: the beginning of a hash.
    pub fn id(&self) -> String {
        hex::encode(&Sha256::digest(&self.fingerprint)[..8])
    }

    /// The making of a folder's records.
    ///
    /// # Errors
    /// [`RecordsError`]: there are none, or the file is damaged.
    pub fn read(folder: &Path) -> Result<Self, RecordsError> {
        let path = folder.join(PREPARED);
        if !path.exists() {
            return Err(RecordsError::None { path: folder.to_owned() });
        }
        let file = open(&path, Limit::SMALL)?;
        serde_json::from_slice(file.bytes()).map_err(|error| RecordsError::Line {
            path,
            line: error.line(),
            what: "not a description of records".into(),
        })
    }

    /// Says in a folder that its records are made so, unless it says otherwise already. Many may do so at once.
    ///
    /// # Errors
    /// [`RecordsError::OtherMaking`], and those of reading and writing.
    pub fn declare(&self, folder: &Path) -> Result<(), RecordsError> {
        let remedy = "give another --out, or the same template and settings";
        match Self::read(folder) {
            Ok(there) => self.check(&there, &folder.join(PREPARED), remedy),
            Err(RecordsError::None { .. }) => {
                let text = serde_json::to_vec_pretty(self).map_err(|e| RecordsError::Line {
                    path: folder.join(PREPARED),
                    line: 0,
                    what: e.to_string(),
                })?;
                write_bytes(&folder.join(PREPARED), &text)?;
                // Whoever came second at the same moment has written over it: what stands there now counts.
                self.check(&Self::read(folder)?, &folder.join(PREPARED), remedy)
            }
            Err(error) => Err(error),
        }
    }

    /// Refuses records of another making, found at `path`.
    ///
    /// # Errors
    /// [`RecordsError::OtherMaking`] with the first thing that differs.
    pub fn check(&self, found: &Self, path: &Path, remedy: &'static str) -> Result<(), RecordsError> {
        let differs = |what: &str, found: &dyn std::fmt::Display, wanted: &dyn std::fmt::Display| {
            let differs = format!("{what} ({found}; wanted is {wanted})");
            Err(RecordsError::OtherMaking { path: path.to_owned(), differs, remedy })
        };
        if found.version != self.version {
            return differs("version", &found.version, &self.version);
        }
        if found.template != self.template {
            return differs("template", &short(&found.template), &short(&self.template));
        }
        if (found.curves, found.samples) != (self.curves, self.samples) {
            let form = |m: &Self| format!("--curves {} --samples {}", m.curves, m.samples);
            return differs("form", &form(found), &form(self));
        }
        if found.registration != self.registration {
            return differs("registration", &found.registration, &self.registration);
        }
        if found.crop_radius != self.crop_radius {
            return differs("crop radius", &found.crop_radius, &self.crop_radius);
        }
        if found.fingerprint != self.fingerprint {
            return differs("making", &found.id(), &self.id());
        }
        Ok(())
    }
}

fn short(sum: &str) -> String {
    sum.chars().take(12).collect()
}
