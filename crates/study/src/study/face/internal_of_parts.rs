//! What only the data holder may see of prepared records that were gone through in parts.

use super::error::StudyError;
use super::internal::Internal;
use super::internal_report::write_internal;
use super::record::RecordMaker;
use super::settings::FaceInputs;
use super::template::LoadedTemplate;
use crate::function::FaceCurves;
use crate::job::Job;
use crate::privacy::ClipRadius;

/// Writes the mean without noise of those that can be used, and a page.
///
/// # Errors
/// [`StudyError`].
pub fn write_internal_of(
    job: &Job<'_>,
    (inputs, loaded, own): (&FaceInputs, &LoadedTemplate, &FaceCurves),
    (failed, nonprivate): (usize, &FaceCurves),
    (released, clip): (Option<&FaceCurves>, Option<ClipRadius>),
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
        released,
        clip,
    })
}
