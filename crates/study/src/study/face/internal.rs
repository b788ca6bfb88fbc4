//! What a face study finds out that only the data holder may see.

use super::error::StudyError;
use super::internal_report::write_internal;
use super::record::{RecordMaker, ScanRow};
use super::run::ReleasedFace;
use super::settings::FaceInputs;
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

/// Writes what only the data holder may see of prepared records that were gone through elsewhere: the mean without noise of those that can be
/// used, and a page.
///
/// # Errors
/// [`StudyError`].
pub fn write_internal_of(
    job: &Job<'_>,
    (inputs, loaded, own): (&FaceInputs, &LoadedTemplate, &FaceCurves),
    (failed, nonprivate): (usize, &FaceCurves),
    released: &ReleasedFace,
) -> Result<(), StudyError> {
    let maker = RecordMaker::new(&loaded.template, inputs.making(&loaded.template))?;
    write_internal(&Internal {
        job,
        loaded,
        own,
        scans: &[],
        maker: &maker,
        rows: &[],
        failed,
        nonprivate,
        released: Some(&released.curves),
        clip: released.certificate.clip_radius,
    })
}
