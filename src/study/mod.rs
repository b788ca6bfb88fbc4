//! Whole jobs: from a folder of scans to a release.

pub mod face;
mod folder;
pub mod optimize;

pub use folder::{FolderError, StudyFolder};
