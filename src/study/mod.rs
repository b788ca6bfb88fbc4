//! Whole jobs: from a folder of scans to a release.
