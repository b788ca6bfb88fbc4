//! Whole jobs: from a folder of scans to a release.

pub mod face;
mod folder;
mod ledger;
pub mod optimize;
pub mod points;

pub use folder::{FolderError, StudyFolder};
pub use ledger::LedgerChoice;
