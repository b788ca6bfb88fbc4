//! Why a ledger refuses.

use super::super::{BudgetError, Neighbours, PrivacyLoss};
use super::content::{Damage, LARGEST};
use super::line::FORMAT;
use std::path::{Path, PathBuf};

/// Why nothing was charged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// The charge would exceed a ceiling.
    #[error(
        "{spent} spent + {requested} requested = {total}, above the ceiling {ceiling}{}; nothing was charged",
        why(*total, *ceiling, neighbours)
    )]
    AboveCeiling {
        /// The total before.
        spent: PrivacyLoss,
        /// What was asked.
        requested: PrivacyLoss,
        /// The composed total, in the ceiling's unit where it can be stated in it.
        total: PrivacyLoss,
        /// The ceiling.
        ceiling: PrivacyLoss,
        /// The neighbours that it is for.
        neighbours: Box<Neighbours>,
    },
    /// A sum that no number can state.
    #[error("{0}; nothing was charged")]
    Budget(#[from] BudgetError),
    /// An entry names a group, but not the partition it belongs to.
    #[error("a charge for a group is made together with its partition; nothing was charged")]
    GroupWithoutPartition,
    /// The charge that a receipt names is not there, or not free.
    #[error(transparent)]
    Receipt(#[from] ReceiptError),
    /// Another process has it open.
    #[error("the ledger {} is in use by another process; let it finish, then try again", .0.display())]
    Locked(PathBuf),
    /// A ledger's file cannot be locked on this system, so that one charge could be drawn twice.
    #[error(
        "a browser page cannot keep a ledger safe, so it draws no private release: finish with the command `visard` on this machine; \
         nothing was charged"
    )]
    NoLocks,
    /// There is no such file, or it is empty.
    #[error("the ledger {} is missing or empty; put it back: a new one would forget what it held", .0.display())]
    Missing(PathBuf),
    /// A folder, a pipe, a device.
    #[error("{} is {what}, not {}; a ledger must be one", .path.display(), if *what == "a folder" { "a file" } else { "an ordinary file" })]
    NotAFile {
        /// Where it is.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// A file under several names, which repairs and copies would make into several ledgers.
    #[error(
        "the ledger {} has {links} names (hard links); keep one and remove the others (find -samefile shows them), or \
         use symbolic links",
        .path.display()
    )]
    HardLinks {
        /// The file.
        path: PathBuf,
        /// How many names it has.
        links: u64,
    },
    /// More than any ledger holds.
    #[error("the ledger {} is larger than {} MiB, the most a ledger may hold", .0.display(), LARGEST >> 20)]
    TooLarge(PathBuf),
    /// The file could not be read or written.
    #[error("the ledger {}: {source}; nothing was charged", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Not a ledger.
    #[error("{} is not a visard ledger; it was left as it is", .0.display())]
    Foreign(PathBuf),
    /// A ledger of another format version.
    #[error("the ledger {} has format {found}, this program reads up to {FORMAT}; use the program that wrote it", .path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u64,
    },
    /// A line of a kind that this program does not know.
    #[error("line {line} of the ledger {} was written by a newer version of this program; use that", .path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: u64,
    },
    /// A line that was changed after it was written.
    #[error(
        "the ledger {} is corrupted at line {line}: {what}; it was left as it is and nothing was charged. Put back a copy \
         that holds every release made so far",
        .path.display()
    )]
    Corrupted {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: u64,
        /// What is wrong.
        what: &'static str,
    },
    /// A write failed earlier: what the file holds is not known.
    #[error("an earlier write to the ledger failed; open it again, which repairs it")]
    Broken,
}

/// Why a receipt is of no use with a ledger.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReceiptError {
    /// The charge is recorded elsewhere.
    #[error(
        "the receipt is from the ledger with id {expected}, this one has id {found}; use the ledger that was charged"
    )]
    OtherLedger {
        /// The receipt's.
        expected: String,
        /// The file's.
        found: String,
    },
    /// The ledger has fewer lines than when the receipt was given.
    #[error(
        "the ledger has {lines} lines, but a release was charged in line {} of it: it was shortened or replaced by an \
         older copy; put back one that holds every release made so far", .line + 1
    )]
    Shorter {
        /// The receipt's line, from 0.
        line: u64,
        /// How many lines there are.
        lines: u64,
    },
    /// The line says something else than when the receipt was given.
    #[error(
        "line {} of the ledger is not the one the receipt is for: the ledger was forged, or continued from an older copy; \
         put back one that holds every release made so far", .line + 1
    )]
    OtherLine {
        /// The receipt's line, from 0.
        line: u64,
    },
    /// The line is there and right, but it is no charge.
    #[error("line {} of the ledger is not a charge", .line + 1)]
    NoCharge {
        /// The receipt's line, from 0.
        line: u64,
    },
    /// Another loss was charged there.
    #[error("line {} of the ledger charges something else than this release costs", .line + 1)]
    OtherCharge {
        /// The receipt's line, from 0.
        line: u64,
    },
    /// A result drawn under this charge has been published, or is about to be.
    #[error(
        "the charge in line {} of the ledger was used for the result with SHA-256 {draw}, and one charge pays for one \
         result; publish that one, or charge again", .line + 1
    )]
    AlreadyRedeemed {
        /// The charge's line, from 0.
        line: u64,
        /// What it was used for.
        draw: String,
    },
    /// A release can be made of a stored and redeemed result only.
    #[error("the charge in line {} of the ledger was not redeemed, so nothing can be published under it", .line + 1)]
    NotRedeemed {
        /// The charge's line, from 0.
        line: u64,
    },
    /// Not a SHA-256.
    #[error("{0:?} is not a SHA-256 in lower-case hexadecimal")]
    Digest(String),
}

impl Damage {
    /// In the file at `path`.
    pub(super) fn of(self, path: &Path) -> LedgerError {
        let path = path.to_owned();
        match self {
            Self::Foreign => LedgerError::Foreign(path),
            Self::Version(found) => LedgerError::Version { path, found },
            Self::Newer { line } => LedgerError::Newer { path, line },
            Self::Corrupted { line, what } => LedgerError::Corrupted { path, line, what },
        }
    }
}

/// What to say where a total has no bound in its ceiling's unit, or none at all.
fn why(total: PrivacyLoss, ceiling: PrivacyLoss, neighbours: &Neighbours) -> String {
    if !total.is_private() {
        return format!(
            " for {neighbours} (a release that publishes labels, counts records where the ceiling is for persons, or is seeded has no bound \
             for these; set a ceiling for records whose labels are kept with the study that publishes them, on a ledger without this one)"
        );
    }
    let same = std::mem::discriminant(&total) == std::mem::discriminant(&ceiling);
    if same { String::new() } else { " (a loss of this kind has no bound in the ceiling's unit)".into() }
}
