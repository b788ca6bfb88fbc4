//! What a face study finds out that only the data holder may see.

use super::record::{RecordMaker, ScanRow};
use super::template::LoadedTemplate;
use crate::function::FaceCurves;
use crate::job::Job;
use crate::privacy::ClipRadius;
use std::path::PathBuf;

/// Everything that only the data holder may see, and what was released.
pub(super) struct Internal<'a> {
    pub(super) job: &'a Job<'a>,
    pub(super) loaded: &'a LoadedTemplate,
    pub(super) own: &'a FaceCurves,
    pub(super) scans: &'a [PathBuf],
    pub(super) maker: &'a RecordMaker<'a>,
    pub(super) rows: &'a [ScanRow],
    /// How many records cannot be used.
    pub(super) failed: usize,
    pub(super) nonprivate: &'a FaceCurves,
    pub(super) released: Option<&'a FaceCurves>,
    pub(super) clip: Option<ClipRadius>,
}
