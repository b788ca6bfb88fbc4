//! Why it cannot be told who gave which records.

use super::labelled::{FROM_ONE, Mistake};
use crate::io::ReadError;
use std::path::PathBuf;

/// Why it cannot be told who gave which records. For the data holder, before anything is charged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PeopleError {
    /// The table cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The table does not go with the records.
    #[error("{}: {about}{fault}", file.display())]
    Table {
        /// The table.
        file: PathBuf,
        /// The line and the record.
        about: String,
        /// What is wrong.
        fault: PeopleFault,
    },
    /// Folders that look like persons.
    #[error(
        "{first} and {second} hold several scans each: if each folder is one person, give --people folders; if each scan is a person, --people \
         scans; otherwise a table, --people FILE.csv"
    )]
    Folders {
        /// One of them.
        first: String,
        /// Another.
        second: String,
    },
    /// Words that are about scans.
    #[error("--people folders and --people scans are about files of scans; give a table of record,person")]
    NoScans,
    /// Persons in a manifest and in a table of their own.
    #[error("the manifest has a column person, and --people {people} gives persons too; use one of them")]
    Twice {
        /// The table, or the word.
        people: String,
    },
    /// Two persons' records are copies of one another.
    #[error(
        "{first} and {second} are nearer than any two people: one record converted, moved, turned, in other units or simplified{}; one person counted \
         twice has twice the loss; remove one, give --people with both as one person's, or --allow-identical if they are two people's",
        pairs_more(*.more)
    )]
    Copies {
        /// One of them.
        first: String,
        /// The other.
        second: String,
        /// How many such pairs there are beside.
        more: usize,
    },
    /// Two persons' records are alike to the last bit.
    #[error(
        "{first} and {second} are identical to the last bit: one person counted twice has twice the loss; remove one, give --people \
         with both as one person's, or --allow-identical if they are two people's"
    )]
    Identical {
        /// One of them.
        first: String,
        /// The other.
        second: String,
    },
}

/// What is wrong with a table of people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PeopleFault {
    /// No such record.
    #[error(
        "is not a record of this study; records are scans by file name or path, shapes by ID, rows of tables and arrays by number from 0"
    )]
    Unknown,
    /// Two lines about one record.
    #[error("was given to a person in line {line} already; give every record once")]
    Doubled {
        /// The line before.
        line: usize,
    },
    /// Several records of this name.
    #[error("matches more than one record; give scans by their paths, and shapes an ID of their own")]
    Ambiguous,
    /// A record without a line.
    #[error("has no person{}; give every record a line with its person", others_without(*.more))]
    Nobody {
        /// How many others there are.
        more: usize,
    },
    /// Row 0 without a line, while later ones have one.
    #[error("{FROM_ONE}")]
    FromOne,
}

impl From<Mistake> for PeopleFault {
    fn from(mistake: Mistake) -> Self {
        match mistake {
            Mistake::Unknown => Self::Unknown,
            Mistake::Doubled(line) => Self::Doubled { line },
            Mistake::Ambiguous => Self::Ambiguous,
            Mistake::Missing(more) => Self::Nobody { more },
            Mistake::FromOne => Self::FromOne,
        }
    }
}

#[doc(hidden)]
pub fn others(more: usize) -> String {
    if more == 0 { String::new() } else { format!(", and so are {more} more") }
}

/// How many other pairs there are.
fn pairs_more(more: usize) -> String {
    match more {
        0 => String::new(),
        1 => " (and so is 1 other pair)".to_owned(),
        more => format!(" (and so are {more} other pairs)"),
    }
}

/// How many other records have no person.
fn others_without(more: usize) -> String {
    match more {
        0 => String::new(),
        1 => ", and 1 more has none".to_owned(),
        more => format!(", and {more} more have none"),
    }
}
