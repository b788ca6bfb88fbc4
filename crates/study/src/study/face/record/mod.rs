//! One scan → one record, against public inputs only: pose, mesh, registration, curves.
//!
//! A [`RecordMaker`] makes records; it never fails on a scan. What went wrong, and how well all went, is in the record's
//! [`ScanRow`], which is for the data holder only.

pub mod cache;
mod grid;
mod measured;
mod pose;
mod registrar;
mod row;
pub mod table;
pub mod transfer;

pub use measured::Measured;
pub use pose::{UNUSED, is_landmark_file, landmark_file, nose_tip_of};
pub(in crate::study::face) use registrar::FILLED;
pub use registrar::{ScanRegistrar, default_crop_radius};
pub use row::{OneToOne, RecordError, ScanRow, ScanStage};

use super::expressions::at_rest;
use super::template::TemplateLoadError;
use crate::function::FaceCurves;
use crate::io::Scan;
use crate::mesh::Point;
use crate::study::records::Making;
use crate::surface::Template;
use crate::surface::registration::{PosedScan, Registration};
use std::path::Path;

/// One scan's record.
#[derive(Debug, Clone)]
pub struct Record {
    /// The registered curves; `None` where the scan could not be processed: it then contributes zero.
    pub curves: Option<FaceCurves>,
    /// What is known of the scan.
    pub row: ScanRow,
}

impl Record {
    /// Of a scan that was not looked at.
    pub(in crate::study::face) fn unread(scan: &Path) -> Self {
        Self { curves: None, row: ScanRow::named(scan.display().to_string()) }
    }

    /// The same record as that of another scan of the same bytes.
    pub(in crate::study::face) fn of_scan(mut self, scan: &Path) -> Self {
        self.row.scan = name_of(scan);
        self
    }
}

/// What a scan is called in tables.
fn name_of(scan: &Path) -> String {
    scan.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// How scans become records.
#[derive(Debug, Clone, Copy)]
pub struct RecordSettings {
    /// Which registration.
    pub registration: Registration,
    /// Busts are cropped to this distance from the nose tip, in template units.
    pub crop_radius: f64,
    /// J.
    pub curves: usize,
    /// m.
    pub samples: usize,
}

impl RecordSettings {
    /// All that records depend on beside their scans, as a text: the version, the template by its SHA-256, the settings.
    pub fn fingerprint(&self, template: &str) -> String {
        // Records have had a size since "size", relief and nose tips have been looked at since "relief", and since "mouth" the nose decides
        // between poses, seams are stitched, and open mouths are registered as such; since "continued" disks compared under the SRNF metric
        // are whole, since "following" unusual faces are followed, since "holes" wider ones are filled, since "whole" scans that end where the template
        // does are known, and fine meshes made coarser, and since "rivals" there are fewer nodes, and poses that another rivals are refused.
        // Since "lips" mouths are opened along where lips meet, and put right where they slipped, and since "again" there are fewer steps.
        // Since "inside" steps under the SRNF metric keep the disk, on a finer grid, and mouths are closed before disks are compared.
        // Since "pieces" walls do not hide faces, shells have an outer side, and points that are nowhere are left out.
        // Since "laid" coarse triangles are cut, and faces that came to lie off their scan are refused.
        format!(
            "{} {template} {self:?} size relief agreement mouth continued following holes whole rivals lips again inside pieces laid",
            env!("CARGO_PKG_VERSION")
        )
    }

    /// The same for those who read the records.
    pub fn making(&self, template: &str) -> Making {
        Making {
            version: env!("CARGO_PKG_VERSION").into(),
            template: template.into(),
            registration: format!("{:?}", self.registration).to_lowercase(),
            crop_radius: self.crop_radius,
            curves: self.curves,
            samples: self.samples,
            fingerprint: self.fingerprint(template),
        }
    }
}

/// Makes records of scans: the public template, a registration made ready for it, the settings.
pub struct RecordMaker<'t> {
    registrar: ScanRegistrar<'t>,
    settings: RecordSettings,
    /// The template's curves.
    own: FaceCurves,
}

impl<'t> RecordMaker<'t> {
    /// Makes the registration ready.
    ///
    /// # Errors
    /// [`TemplateLoadError`] when the template does not suit the registration, or has no such curves.
    pub fn new(template: &'t Template, settings: RecordSettings) -> Result<Self, TemplateLoadError> {
        let registrar = ScanRegistrar::new(template, settings.registration, settings.crop_radius)?;
        let own = template.own_curves(settings.curves, settings.samples)?;
        Ok(Self { registrar, settings, own })
    }

    /// What registers the scans.
    pub fn registrar(&self) -> &ScanRegistrar<'t> {
        &self.registrar
    }

    /// The settings.
    pub fn settings(&self) -> &RecordSettings {
        &self.settings
    }

    /// Reads one scan and makes its record. Never fails: what went wrong is in the row.
    pub fn record(&self, scan: &Path, landmarks: Option<&Path>) -> Record {
        self.record_by(name_of(scan), |row| self.registrar.pose(scan, landmarks, row))
    }

    /// The record of a scan in memory, whose nose tip may be known. Never fails: what went wrong is in the row.
    pub fn record_of(&self, name: String, scan: Scan, nose: Option<Point>) -> Record {
        self.record_by(name, |row| self.registrar.pose_of(scan, nose, row))
    }

    fn record_by(
        &self,
        name: String,
        pose: impl FnOnce(&mut ScanRow) -> Result<PosedScan, RecordError>,
    ) -> Record {
        let mut row = ScanRow::named(name);
        match pose(&mut row).and_then(|posed| self.curves(&posed, &mut row)) {
            Ok(curves) => {
                row.deviation = Some(curves.mean_square_distance(&self.own).sqrt());
                Record { curves: Some(curves), row }
            }
            Err(error) => {
                row.problem = error.to_string();
                Record { curves: None, row }
            }
        }
    }

    fn curves(&self, posed: &PosedScan, row: &mut ScanRow) -> Result<FaceCurves, RecordError> {
        let positions = self.registrar.register(posed, row)?;
        let RecordSettings { curves, samples, .. } = self.settings;
        let template = self.registrar.template();
        let positions = row.timed(ScanStage::Register, || at_rest(&self.registrar, posed, positions))?;
        row.size = template.root_area(&positions);
        row.timed(ScanStage::Curves, || template.curves_of(&positions, curves, samples))
    }
}
