//! `internal/` of a face study: for the data holder only.

use super::internal_report::internal_report;
use super::record::{RecordMaker, ScanRow};
use super::run::StudyError;
use super::template::LoadedTemplate;
use crate::function::FaceCurves;
use crate::io::{write_bytes, write_npy, write_ply};
use crate::privacy::ClipRadius;
use crate::study::StudyFolder;
use crate::study::layout::{NONPRIVATE_CURVES, NONPRIVATE_MEAN_PLY, REPORT};
use std::path::PathBuf;

/// Everything that only the data holder may see, and what was released.
pub(super) struct Internal<'a> {
    pub(super) folder: &'a StudyFolder,
    pub(super) loaded: &'a LoadedTemplate,
    pub(super) own: &'a FaceCurves,
    pub(super) scans: &'a [PathBuf],
    pub(super) maker: &'a RecordMaker<'a>,
    pub(super) rows: &'a [ScanRow],
    pub(super) nonprivate: &'a FaceCurves,
    pub(super) released: Option<&'a FaceCurves>,
    pub(super) clip: Option<ClipRadius>,
}

/// Writes the mean without noise and the data holder's page.
pub(super) fn write_internal(results: &Internal<'_>) -> Result<(), StudyError> {
    let internal = results.folder.internal();
    let template = &results.loaded.template;
    let nonprivate = template.face_through(results.nonprivate)?;
    let shape = [results.nonprivate.curves(), results.nonprivate.samples(), 3];
    write_npy(&internal.join(NONPRIVATE_CURVES), &shape, results.nonprivate.data())?;
    let released = results.released.map(|curves| template.face_through(curves)).transpose()?;
    let page = internal_report(results, &nonprivate, released.as_ref())?;
    write_bytes(&internal.join(REPORT), page.as_bytes())?;
    // Last: its presence says that the internal results are whole.
    Ok(write_ply(&internal.join(NONPRIVATE_MEAN_PLY), &nonprivate)?)
}
