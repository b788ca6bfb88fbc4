//! The sum of a part, on disk: secret.

use super::{Part, PartForm, fault};
use crate::io::internal::MARK;
use crate::io::{Limit, open, write_secret};
use crate::mechanism::PassSum;
use crate::study::face::StudyError;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// The format that is written.
const FORMAT: u32 = 2;
/// Bytes of a record's hash that are kept: 2⁶⁴ records would be needed for two to agree by chance.
const HASH: usize = 16;
/// And of its place in the file.
const PLACE: usize = 8;

/// The sum of a part: everything in it but the form is secret.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SumFile {
    mark: String,
    visard_sum: u32,
    pub(super) form: PartForm,
    /// k/N.
    part: String,
    /// Which pass over the records, from 1.
    pub(super) pass: usize,
    /// What stands for all that earlier passes have released.
    pub(super) about: String,
    /// What tells the file of records and the table of people from others.
    pub(super) source: String,
    /// SHA-256 of what the part's records are.
    pub(super) records: String,
    /// Hash and place of every record that can be used, in the first pass where copies are refused.
    hashes: String,
    /// How many records cannot be used.
    pub(super) failed: usize,
    /// The sum of the faces without noise, and of how many persons.
    pub(super) nonprivate: (Vec<f64>, u64),
    /// What the mechanism needs.
    pub(super) sum: PassSum,
    /// SHA-256 of all of this with nothing in this place.
    check: String,
}

/// What a part's sum is made of, beside the sum.
pub(super) struct Origin {
    pub(super) form: PartForm,
    pub(super) part: Part,
    pub(super) pass: usize,
    pub(super) about: String,
    pub(super) source: String,
    pub(super) records: [u8; 32],
    pub(super) failed: usize,
    pub(super) nonprivate: (Vec<f64>, u64),
}

impl SumFile {
    pub(super) fn new(origin: Origin, hashes: &[(usize, [u8; 32])], sum: PassSum) -> Self {
        let Origin { form, part, pass, about, source, records, failed, nonprivate } = origin;
        let one =
            |(place, hash): &(usize, [u8; 32])| [&hash[..HASH], &(*place as u64).to_be_bytes()[..]].concat();
        let file = Self {
            mark: MARK.to_owned(),
            visard_sum: FORMAT,
            form,
            part: part.to_string(),
            pass,
            about,
            source,
            records: hex::encode(records),
            hashes: hex::encode(hashes.iter().flat_map(one).collect::<Vec<u8>>()),
            failed,
            nonprivate,
            sum,
            check: String::new(),
        };
        Self { check: file.checked(), ..file }
    }

    /// The check that belongs to its content.
    fn checked(&self) -> String {
        let bytes = serde_json::to_vec(&Self { check: String::new(), ..self.clone() });
        hex::encode(Sha256::digest(bytes.unwrap_or_default()))
    }

    /// What tells this sum from any other.
    pub(super) fn sum256(&self) -> &str {
        &self.check
    }

    /// Which part it is of.
    pub(super) fn part(&self) -> Option<Part> {
        self.part.parse().ok()
    }

    /// Writes it, for its owner only; a file that is there is replaced when the new one is whole.
    pub(super) fn write(&self, path: &Path) -> Result<(), StudyError> {
        let text = serde_json::to_string(self).map_err(|e| fault(path, e))?;
        let mut aside = path.as_os_str().to_owned();
        aside.push(".unfinished");
        let aside = PathBuf::from(aside);
        match std::fs::remove_file(&aside) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(fault(&aside, e)),
            _ => {}
        }
        write_secret(&aside, &(text + "\n"))?;
        std::fs::rename(&aside, path).map_err(|e| fault(path, e))
    }

    /// Reads one.
    pub(super) fn read(path: &Path) -> Result<Self, StudyError> {
        let file = open(path, Limit::TABLE)?;
        let found: Self = serde_json::from_slice(file.bytes()).map_err(|_| {
            fault(path, "this is not a sum that `visard sum` wrote, or it is damaged; make it again")
        })?;
        if found.visard_sum != FORMAT || found.mark != MARK || found.part().is_none() {
            return Err(fault(path, "this sum is of another version of the program; make it again"));
        }
        if found.check != found.checked() {
            return Err(fault(path, "this sum was changed since it was written; make it again"));
        }
        Ok(found)
    }

    /// The records' hashes with their places.
    pub(super) fn hashes(&self) -> Vec<([u8; HASH], u64)> {
        let bytes = hex::decode(&self.hashes).unwrap_or_default();
        let one = |chunk: &[u8]| {
            let (mut hash, mut place) = ([0; HASH], [0; PLACE]);
            hash.copy_from_slice(&chunk[..HASH]);
            place.copy_from_slice(&chunk[HASH..]);
            (hash, u64::from_be_bytes(place))
        };
        bytes.chunks_exact(HASH + PLACE).map(one).collect()
    }
}

/// A sum and where it was found.
pub(super) struct Found {
    pub(super) path: PathBuf,
    pub(super) file: SumFile,
}
