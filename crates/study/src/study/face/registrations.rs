//! The registrations of a study, looked at one by one: before its charge, while all that is fixed is fixed already, or after. For the data
//! holder only. Nothing here is released, charged or changed.

use super::error::StudyError;
use super::record::cache::RecordCache;
use super::record::{RecordError, RecordMaker, ScanRow, landmark_file};
use super::settings::FaceInputs;
use super::source::Source;
use super::template::{LoadedTemplate, load_template};
use crate::io::Scan;
use crate::mesh::{MeshError, Point, Similarity, TriMesh};
use crate::study::StudyFolder;
use crate::surface::Template;
use crate::surface::registration::{Landed, Landing, PosedScan};
use std::path::{Path, PathBuf};

/// A scan and what was registered to it, both seen from the front in units of the template.
#[derive(Debug, Clone)]
pub struct RegisteredScan {
    /// The scan, repaired and cropped to the face.
    pub scan: TriMesh,
    /// The template's triangles where they were put on it.
    pub registered: TriMesh,
    /// How far the vertices lie off the scan.
    pub landing: Landing,
}

impl RegisteredScan {
    /// Registers a scan once more: studies keep its curves only.
    ///
    /// # Errors
    /// [`RecordError`] with the stage and what to do.
    pub fn make(maker: &RecordMaker<'_>, scan: &Path) -> Result<Self, RecordError> {
        let (registrar, row) = (maker.registrar(), &mut ScanRow::default());
        let template = registrar.template();
        let posed = registrar.pose(scan, landmark_file(scan).as_deref(), row)?;
        let positions = registrar.register(&posed, row)?;
        let failed = |error: MeshError| RecordError {
            stage: super::record::ScanStage::Register,
            reason: error.to_string(),
        };
        Ok(Self {
            landing: Landed::new(&posed, &positions).map_err(failed)?.landing(),
            registered: upright(template.mesh(), &positions, &posed, template).map_err(failed)?,
            scan: upright(posed.disk.mesh(), posed.disk.mesh().vertices(), &posed, template)
                .map_err(failed)?,
        })
    }
}

/// Triangles at positions on the scan, brought back to where the template looks at the viewer.
fn upright(
    triangles: &TriMesh,
    positions: &[Point],
    scan: &PosedScan,
    template: &Template,
) -> Result<TriMesh, MeshError> {
    let to_front = ToFront::of(template, scan.similarity);
    triangles.with_vertices(positions.iter().map(|p| to_front.apply(p)).collect())
}

/// From a scan's coordinates to those of a template that looks at the viewer.
#[derive(Debug, Clone, Copy)]
pub struct ToFront(Similarity);

impl ToFront {
    fn of(template: &Template, to_scan: Similarity) -> Self {
        let front = Similarity { rotation: *template.upright(), ..Similarity::identity() };
        Self(to_scan.after(&front))
    }

    /// Where a point of the scan is seen.
    pub fn apply(&self, p: &Point) -> Point {
        self.0.invert(p)
    }

    /// The point of the scan that is seen there.
    pub fn invert(&self, p: &Point) -> Point {
        self.0.apply(p)
    }
}

/// What becomes of a study's scans, by the study's own settings.
pub struct Registrations {
    settings: FaceInputs,
    loaded: LoadedTemplate,
    scans: Vec<PathBuf>,
}

/// A scan whose record is made.
#[derive(Debug, Clone, PartialEq)]
pub struct MadeRecord {
    /// The scan.
    pub scan: PathBuf,
    /// What became of it.
    pub row: ScanRow,
    /// What the registration left over, in the measure of its method.
    pub left_over: Option<f64>,
}

impl Registrations {
    /// Of these scans, with these settings, in this place.
    ///
    /// # Errors
    /// [`StudyError`]: no scans, no template.
    pub fn open(settings: &FaceInputs) -> Result<Self, StudyError> {
        let scans = Source::open(settings)?.scans().to_vec();
        Ok(Self { settings: settings.clone(), loaded: load_template(&settings.template)?, scans })
    }

    /// The scans that are counted, in the study's order.
    pub fn scans(&self) -> &[PathBuf] {
        &self.scans
    }

    /// The records that the study's folder keeps, those that could not be made first, then by what the registration left over, the worst
    /// first. Scans without a record are left out.
    pub fn worst_first(&self) -> Vec<MadeRecord> {
        let making = self.settings.making(&self.loaded.template);
        let fingerprint = making.fingerprint(&self.loaded.sum());
        let cache = RecordCache::new(StudyFolder::at(&self.settings.place.out).records(), &fingerprint);
        let left_over = making.registration.measures().left_over;
        let made = |scan: &PathBuf| {
            let key = cache.key(scan, landmark_file(scan).as_deref()).ok()?;
            let row = cache.load_row(&key)?;
            let left_over = row.measure(left_over);
            Some(MadeRecord { scan: scan.clone(), row, left_over })
        };
        let mut made: Vec<MadeRecord> = self.scans.iter().filter_map(made).collect();
        let place = |m: &MadeRecord| if m.row.is_ok() { m.left_over.unwrap_or(0.0) } else { f64::INFINITY };
        made.sort_by(|a, b| place(b).total_cmp(&place(a)));
        made
    }

    /// A scan beside what is registered to it.
    ///
    /// # Errors
    /// [`StudyError::Template`]; [`RecordError`] for a scan that cannot be registered.
    pub fn look_at(&self, scan: &Path) -> Result<Result<RegisteredScan, RecordError>, StudyError> {
        let maker = RecordMaker::new(&self.loaded.template, self.settings.making(&self.loaded.template))?;
        Ok(RegisteredScan::make(&maker, scan))
    }

    /// From a scan's coordinates to where it looks at the viewer; `None` where no face is found in it.
    pub fn to_front(&self, scan: &Scan) -> Option<ToFront> {
        to_front(&self.loaded.template, &scan.vertices)
    }
}

/// From a scan's coordinates to where it looks at the viewer, by the template; `None` where no face is found in it.
pub fn to_front(template: &Template, vertices: &[Point]) -> Option<ToFront> {
    let pose = template.pose().find(vertices).ok()?;
    Some(ToFront::of(template, pose.similarity))
}
