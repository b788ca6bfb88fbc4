//! Finished records on disk, so that an interrupted study continues where it stopped.
//!
//! A record is reused only if the scan's bytes, the template and every setting that shapes a record are the same:
//! their hash is part of the file's name and is stored inside.

use super::{Record, ScanRow};
use crate::function::FaceCurves;
use crate::io::numbers_sha256;
use crate::io::{Content, Limit, ReadError, internal, npy, open, open_as, write_atomically};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The records of one study.
#[derive(Debug, Clone)]
pub struct RecordCache {
    folder: PathBuf,
    settings_hash: [u8; 32],
}

/// What is kept beside the curves.
#[derive(Serialize, Deserialize)]
struct Kept {
    #[serde(flatten)]
    row: ScanRow,
    /// SHA-256 of the curves' numbers; records of earlier versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    curves_sha256: Option<String>,
}

/// Names one scan under one set of settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordKey(String);

impl RecordKey {
    /// The key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The key of this text, which another process wrote: 32 hexadecimal digits, and so never a path.
    pub fn named(text: &str) -> Option<Self> {
        let is_key = text.len() == 32 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        is_key.then(|| Self(text.to_owned()))
    }
}

impl RecordCache {
    /// A cache in `folder`; `settings` is any text that changes whenever a record would.
    pub fn new(folder: PathBuf, settings: &str) -> Self {
        Self { folder, settings_hash: Sha256::digest(settings).into() }
    }

    /// The key of a scan: a hash of its bytes (and of its landmark file's) and of the settings.
    ///
    /// # Errors
    /// When a file cannot be read; the scan then has no record to reuse.
    pub fn key(&self, scan: &Path, landmarks: Option<&Path>) -> Result<RecordKey, ReadError> {
        self.key_of(&open_as(scan, Content::Scan)?.sha256(), landmarks)
    }

    /// The same of a scan whose bytes have this SHA-256.
    ///
    /// # Errors
    /// When the landmark file cannot be read.
    pub fn key_of(&self, scan: &[u8; 32], landmarks: Option<&Path>) -> Result<RecordKey, ReadError> {
        let mut hash = Sha256::new();
        hash.update(self.settings_hash);
        hash.update(scan);
        if let Some(landmarks) = landmarks {
            hash.update(open_as(landmarks, Content::Landmarks)?.sha256());
        }
        let digest: [u8; 32] = hash.finalize().into();
        Ok(RecordKey(hex::encode(&digest[..16])))
    }

    /// The record kept under this key, if it is whole.
    pub fn load(&self, key: &RecordKey) -> Option<Record> {
        let Kept { row, curves_sha256 } = self.load_kept(key)?;
        if !row.is_ok() {
            return Some(Record { curves: None, row });
        }
        let curves = self.load_curves(key)?;
        // One that was damaged is made anew.
        let whole = curves_sha256.is_none_or(|sum| sum == hex::encode(numbers_sha256(curves.data())));
        whole.then_some(Record { curves: Some(curves), row })
    }

    /// What is known of the scan under this key.
    pub fn load_row(&self, key: &RecordKey) -> Option<ScanRow> {
        self.load_kept(key).map(|kept| kept.row)
    }

    fn load_kept(&self, key: &RecordKey) -> Option<Kept> {
        serde_json::from_slice(open(&self.row_path(key), Limit::SMALL).ok()?.bytes()).ok()
    }

    /// The curves under this key.
    pub fn load_curves(&self, key: &RecordKey) -> Option<FaceCurves> {
        let array = npy::read(&self.curves_path(key)).ok()?;
        let [curves, samples, 3] = array.shape[..] else { return None };
        FaceCurves::new(curves, samples, array.data).ok()
    }

    /// Keeps a record; the row is written last, so a torn write is never taken for a record.
    ///
    /// # Errors
    /// Whatever writing reports.
    pub fn store(&self, key: &RecordKey, record: &Record) -> Result<(), crate::io::WriteError> {
        if let Some(curves) = &record.curves {
            let shape = [curves.curves(), curves.samples(), 3];
            internal::write_npy(&self.curves_path(key), &shape, curves.data())?;
        }
        let sum = record.curves.as_ref().map(|curves| hex::encode(numbers_sha256(curves.data())));
        let kept = Kept { row: record.row.clone(), curves_sha256: sum };
        write_atomically(&self.row_path(key), |out| {
            out.write_all(serde_json::to_string(&kept).map_err(io::Error::other)?.as_bytes())
        })
    }

    fn curves_path(&self, key: &RecordKey) -> PathBuf {
        self.folder.join(format!("{}.curves.npy", key.0))
    }

    fn row_path(&self, key: &RecordKey) -> PathBuf {
        self.folder.join(format!("{}.json", key.0))
    }
}
