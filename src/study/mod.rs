//! Whole jobs: from a folder of scans to a release.

mod folder;

pub use folder::{FolderError, StudyFolder};
