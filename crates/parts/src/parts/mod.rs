//! Sums of parts, and one release of them.
//!
//! [`sum`] goes through one part of a file of prepared faces and writes what the mechanism needs of it: whole numbers, so that any split into
//! parts gives the same bytes. [`release`] puts the sums of all parts together, charges, draws and publishes. Most statistics take several
//! passes: each release but the last writes what it has drawn into a round file, and the next sums are made about that ([`SumSettings::about`]).
//! All passes are paid for by one charge.
//!
//! All parts are of one data holder, in one file. A sum is as secret as the records: only its owner may read it, it is marked, and no option takes
//! it for public. Parts share out persons, so that nobody is in two of them. Two persons' records that are equal to the last bit are found
//! wherever they are; near copies are looked for within each part only, and the certificate says so.

mod drawn;
mod file;
mod form;
mod merge;
mod publication;
mod records;
mod release;
mod round;
mod statistic;
mod sum;

pub use drawn::Drawn;
pub use form::{Part, PartForm};
pub use release::{ReleaseSettings, release};
pub use statistic::PartStatistic;
pub use sum::{SumOf, SumSettings, Summed, sum};

use crate::study::face::StudyError;
use std::path::Path;

/// A fault of a file of parts.
fn fault(path: &Path, what: impl std::fmt::Display) -> StudyError {
    StudyError::Parts(format!("{}: {what}", path.display()))
}
