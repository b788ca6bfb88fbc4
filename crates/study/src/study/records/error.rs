//! Why a folder of records is refused: to the data holder, before anything is charged.

use crate::io::{ReadError, WriteError};
use std::path::PathBuf;

/// Why records cannot be written into a folder, or read from it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordsError {
    /// A file of it, or the manifest.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A record or an index.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The folder cannot be made.
    #[error("{}: cannot be made: {source}; check its permissions and the free space", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A folder without records.
    #[error("{}: holds no prepared records (no records.json); `visard face prepare … --out` makes them", path.display())]
    None {
        /// The folder.
        path: PathBuf,
    },
    /// Records of another making.
    #[error("{}: holds records with another {differs}; {remedy}", path.display())]
    OtherMaking {
        /// The folder, or the file in it.
        path: PathBuf,
        /// Where they differ: what was found, what was wanted.
        differs: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A line that is none of an index.
    #[error("{}, line {line}: is not a line of an index of records ({what}); prepare this shard again", path.display())]
    Line {
        /// The index.
        path: PathBuf,
        /// Its line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// A scan that the manifest does not have.
    #[error(
        "{}: has a record of {file:?}, which the manifest does not list: n is what the manifest lists, and a folder holds the records of one \
         study; give the whole manifest, or another folder", path.display()
    )]
    NotListed {
        /// The index.
        path: PathBuf,
        /// The scan.
        file: String,
    },
    /// Two records of one scan.
    #[error(
        "{} and {} have different records of {file:?}: the scan was changed between; prepare both shards again, or remove the index that is old",
        first.display(), second.display()
    )]
    Disagree {
        /// One index.
        first: PathBuf,
        /// The other.
        second: PathBuf,
        /// The scan.
        file: String,
    },
    /// Rows without a record where all were asked for.
    #[error(
        "{lost} of the {n} scans of the manifest have no record ({first:?} is the first): prepare their shards, or leave out --complete, and \
         they contribute zero (this says something of the data: do not publish it)"
    )]
    Incomplete {
        /// How many.
        lost: usize,
        /// Of how many.
        n: usize,
        /// The first of them.
        first: String,
    },
}
