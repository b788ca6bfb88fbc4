//! The index of a shard: which row of the manifest has which record.

use super::{RecordsError, Shard};
use crate::io::{Limit, WriteError, open, write_atomically};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A line of an index: one scan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// The manifest's row when it was prepared, from 0.
    pub row: usize,
    /// The scan as the manifest lists it: this, not the row, is what a record is found by.
    pub file: String,
    /// The name of its record; nothing for a file that could not be read.
    pub record: Option<String>,
    /// `ok` or `failed`.
    pub status: LineStatus,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub problem: String,
    /// SHA-256 of the scan's bytes.
    pub scan: Option<String>,
    /// SHA-256 of the record's numbers.
    pub curves: Option<String>,
    /// How it was made ([`super::Making::id`]).
    pub making: String,
}

/// What became of a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LineStatus {
    /// It has curves.
    Ok,
    /// It has none.
    Failed,
}

/// Writes the index of a shard, whole or not at all.
///
/// # Errors
/// [`WriteError`].
pub fn write(folder: &Path, shard: Shard, lines: &[Line]) -> Result<(), WriteError> {
    write_atomically(&folder.join(shard.index_name()), |out| {
        for line in lines {
            serde_json::to_writer(&mut *out, line).map_err(io::Error::other)?;
            out.write_all(b"\n")?;
        }
        // An empty shard has an index too, which says so.
        if lines.is_empty() { out.write_all(b"\n") } else { Ok(()) }
    })
}

/// The lines of an index.
///
/// # Errors
/// [`RecordsError`] with the line.
pub fn read(path: &Path) -> Result<Vec<Line>, RecordsError> {
    let file = open(path, Limit::TABLE)?;
    let lines = file.bytes().split(|byte| *byte == b'\n').enumerate();
    let lines = lines.filter(|(_, line)| !line.trim_ascii().is_empty());
    lines
        .map(|(number, line)| {
            serde_json::from_slice(line).map_err(|error| RecordsError::Line {
                path: path.to_owned(),
                line: number + 1,
                what: what(&error),
            })
        })
        .collect()
}

fn what(error: &serde_json::Error) -> String {
    let kind = match error.classify() {
        serde_json::error::Category::Data => "fields are missing or of another kind",
        _ => "it is not valid JSON, or is cut off",
    };
    kind.to_owned()
}

/// The indexes in a folder, in the order of their names.
///
/// # Errors
/// [`RecordsError::Folder`].
pub fn list(folder: &Path) -> Result<Vec<PathBuf>, RecordsError> {
    let failed = |source| RecordsError::Folder { path: folder.to_owned(), source };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_name().to_str().and_then(Shard::of_index).is_some() {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}
