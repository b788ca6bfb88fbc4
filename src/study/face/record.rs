//! One scan → one record, against public inputs only.

use super::landing::Landing;
use super::settings::Registration;
use crate::conformal::{Quality, disk_map};
use crate::function::FaceCurves;
use crate::io::{self, landmarks};
use crate::mesh::{self, DiskMesh, MeshError, Point, RepairSettings, Similarity, TriMesh};
use crate::surface::{self, DiskSurface, Registered, SrnfSettings, Template};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The stages a scan goes through, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Reading the file.
    Read,
    /// Finding pose and nose tip.
    Pose,
    /// Meshing a bare point cloud.
    Mesh,
    /// Repairing the topology to a disk.
    Repair,
    /// The disk-conformal map.
    Flatten,
    /// Registration to the template.
    Register,
    /// Curves, centring, unit area.
    Curves,
}

impl Stage {
    /// The stages' names in tables, in order.
    pub const NAMES: [&'static str; 7] = ["read", "pose", "mesh", "repair", "flatten", "register", "curves"];

    /// The stage's name in tables.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

/// Why a scan gave no curves: at which stage, and what to do. For the data holder only.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{}: {reason}", stage.name())]
pub struct RecordError {
    /// Where it stopped.
    pub stage: Stage,
    /// One line: what was wrong and what to do.
    pub reason: String,
}

/// What is known of one scan; for the data holder only. What a route of registration does not have is `None`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ScanRow {
    /// The scan's file name.
    pub scan: String,
    /// Empty when the scan was processed; otherwise why not.
    pub problem: String,
    /// Number of points in the file.
    pub points: usize,
    /// Whether the file had triangles of its own.
    pub was_mesh: bool,
    /// The repairs the topology needed, in words.
    pub repairs: String,
    /// Misfit of the pose (see [`mesh::Pose`]).
    pub pose_misfit: Option<f64>,
    /// Steps the registration took on its finest level.
    pub steps: usize,
    /// Elastic registration: root-mean-square distance to the matched planes before the first step, nominal millimetres.
    pub misfit_start: Option<f64>,
    /// And before the last.
    pub misfit_end: Option<f64>,
    /// SRNF registration: mean absolute angle distortion of the scan's disk map, degrees.
    pub angle_distortion_deg: Option<f64>,
    /// SRNF registration: flipped triangles of the disk map (must be 0).
    pub flipped_triangles: Option<usize>,
    /// SRNF registration: energy before the first step of the finest level.
    pub energy_start: Option<f64>,
    /// And after its last.
    pub energy_end: Option<f64>,
    /// Share of the registered vertices that lie where there is scan; elsewhere the surface was continued.
    pub on_scan: f64,
    /// Root-mean-square distance of those to the scan, in units of the template.
    pub distance_to_scan: f64,
    /// Smallest Jacobian determinant of the registration (must be positive).
    pub min_jacobian: f64,
    /// Root-mean-square deviation of the curves from the template's, in units of √area.
    pub deviation: Option<f64>,
    /// Seconds by [`Stage`].
    pub seconds: [f64; 7],
}

impl ScanRow {
    /// Whether the scan gave curves.
    pub fn is_ok(&self) -> bool {
        self.problem.is_empty()
    }

    /// What the registration could not remove: the last misfit or energy, whichever it minimizes.
    pub fn remaining(&self) -> f64 {
        self.misfit_end.or(self.energy_end).unwrap_or(0.0)
    }
}

/// One scan's record.
#[derive(Debug, Clone)]
pub struct Record {
    /// The registered curves; `None` where the scan could not be processed: it then counts as the template.
    pub curves: Option<FaceCurves>,
    /// What is known of the scan.
    pub row: ScanRow,
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

/// A scan made a disk, with its pose.
#[derive(Debug, Clone)]
pub struct PreparedScan {
    /// The repaired mesh.
    pub disk: DiskMesh,
    /// Its nose-tip vertex.
    pub nose: usize,
    /// Template to scan.
    pub similarity: Similarity,
}

/// The landmark file that belongs to a scan: `<stem>.landmarks.csv`, `<stem>_landmarks.csv` or `<stem>.fcsv` beside it.
pub fn landmark_file(scan: &Path) -> Option<PathBuf> {
    let stem = scan.file_stem()?.to_str()?;
    [format!("{stem}.landmarks.csv"), format!("{stem}_landmarks.csv"), format!("{stem}.fcsv")]
        .iter()
        .map(|name| scan.with_file_name(name))
        .find(|path| path.is_file())
}

/// Points of bare clouds farther from the nose tip than this many crop radii are left out before meshing.
const CLOUD_MARGIN: f64 = 1.15;

/// Times the stages of one scan and names the stage an error came from.
struct Stopwatch<'a>(&'a mut ScanRow);

impl Stopwatch<'_> {
    fn stage<T, E: std::fmt::Display>(
        &mut self,
        stage: Stage,
        work: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, RecordError> {
        let start = Instant::now();
        let result = work();
        self.0.seconds[stage as usize] += start.elapsed().as_secs_f64();
        result.map_err(|e| RecordError {
            stage,
            reason: e.to_string().split_whitespace().collect::<Vec<_>>().join(" "),
        })
    }
}

/// Reads one scan and makes its record. Never fails: what went wrong is in the row.
pub fn process_scan(
    scan: &Path,
    landmarks: Option<&Path>,
    template: &Template,
    settings: &RecordSettings,
) -> Record {
    let name = scan.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let mut row = ScanRow { scan: name, ..ScanRow::default() };
    match curves_of_scan(scan, landmarks, template, settings, &mut row) {
        Ok(curves) => Record { curves: Some(curves), row },
        Err(error) => {
            row.problem = error.to_string();
            Record { curves: None, row }
        }
    }
}

fn curves_of_scan(
    scan: &Path,
    landmarks: Option<&Path>,
    template: &Template,
    settings: &RecordSettings,
    row: &mut ScanRow,
) -> Result<FaceCurves, RecordError> {
    let prepared = prepare_scan(scan, landmarks, template, settings.crop_radius, row)?;
    let positions = register_scan(&prepared, template, settings.registration, row)?;
    Stopwatch(row).stage(Stage::Curves, || template.curves_of(&positions, settings.curves, settings.samples))
}

/// Reads a scan, meshes a bare cloud, finds the pose, makes it a disk.
///
/// # Errors
/// [`RecordError`] with the stage and what to do.
pub fn prepare_scan(
    scan: &Path,
    landmark_file: Option<&Path>,
    template: &Template,
    crop_radius: f64,
    row: &mut ScanRow,
) -> Result<PreparedScan, RecordError> {
    let mut watch = Stopwatch(row);
    let (scan, given_nose) = watch.stage(Stage::Read, || -> Result<_, String> {
        let scan = io::read_scan(scan).map_err(|e| e.problem())?;
        let nose = match landmark_file {
            Some(file) => landmarks::nose_tip(&landmarks::read(file).map_err(|e| e.to_string())?),
            None => None,
        };
        Ok((scan, nose))
    })?;
    watch.0.points = scan.vertices.len();
    watch.0.was_mesh = scan.triangles.is_some();
    let pose = watch.stage(Stage::Pose, || template.pose().find(&scan.vertices))?;
    let nose = given_nose.unwrap_or(pose.nose_tip);
    watch.0.pose_misfit = Some(pose.misfit);
    let reach = crop_radius * pose.similarity.scale;
    let mesh = watch.stage(Stage::Mesh, || match scan.triangles {
        Some(triangles) => TriMesh::new(scan.vertices, triangles),
        None => {
            // Shoulders and hair need no triangles; a margin leaves the border to the cut that follows.
            let near = |p: &&Point| (*p - nose).norm() < CLOUD_MARGIN * reach;
            mesh::mesh_from_points(&scan.vertices.iter().filter(near).copied().collect::<Vec<_>>())
        }
    })?;
    let repaired = watch.stage(Stage::Repair, || {
        let outside = mesh.vertices().iter().any(|p| (p - nose).norm() > reach);
        let settings = RepairSettings { crop_radius: outside.then_some(reach), ..RepairSettings::default() };
        mesh::make_disk(mesh, Some(nose), &settings)
    })?;
    watch.0.repairs = if repaired.log.repairs.is_empty() { String::new() } else { repaired.log.to_string() };
    let nose = nearest_vertex(repaired.mesh.mesh(), &nose);
    Ok(PreparedScan { disk: repaired.mesh, nose, similarity: pose.similarity })
}

/// Where the template's vertices lie on a prepared scan, in the scan's coordinates.
///
/// # Errors
/// [`RecordError`].
pub fn register_scan(
    prepared: &PreparedScan,
    template: &Template,
    registration: Registration,
    row: &mut ScanRow,
) -> Result<Vec<Point>, RecordError> {
    let mut watch = Stopwatch(row);
    let registered = match registration {
        Registration::Elastic => watch.stage(Stage::Register, || {
            template.elastic()?.register(&prepared.disk, &prepared.similarity).and_then(unfolded)
        })?,
        Registration::Srnf => {
            let surface = flatten_scan(prepared, template, &mut watch)?;
            let towards_template = prepared.similarity.rotation.inverse();
            watch.stage(Stage::Register, || {
                unfolded(surface::register_srnf(
                    &surface,
                    template,
                    towards_template,
                    &SrnfSettings::default(),
                ))
            })?
        }
    };
    let landing = watch.stage(Stage::Register, || Landing::measure(prepared, &registered.positions))?;
    let finest = registered.energy.last();
    let (first, last) = (finest.and_then(|e| e.first()).copied(), finest.and_then(|e| e.last()).copied());
    let recorded = finest.map_or(0, Vec::len);
    match registration {
        // One entry before every step.
        Registration::Elastic => {
            (watch.0.misfit_start, watch.0.misfit_end, watch.0.steps) = (first, last, recorded);
        }
        // One more after the last.
        Registration::Srnf => {
            (watch.0.energy_start, watch.0.energy_end) = (first, last);
            watch.0.steps = recorded.saturating_sub(1);
        }
    }
    watch.0.on_scan = landing.share();
    watch.0.distance_to_scan = landing.root_mean_square();
    watch.0.min_jacobian = registered.min_jacobian;
    Ok(registered.positions)
}

/// The scan's disk map with the nose tip at 0, and its quality into the row.
fn flatten_scan(
    prepared: &PreparedScan,
    template: &Template,
    watch: &mut Stopwatch<'_>,
) -> Result<DiskSurface, RecordError> {
    let (surface, measured) = watch.stage(Stage::Flatten, || {
        let map = disk_map(&prepared.disk)?;
        let measured = Quality::measure(&prepared.disk, &map)?;
        let upward = prepared.similarity.apply(&template.upward());
        let map = surface::recentred(&map, &prepared.disk, prepared.nose, &upward)?;
        Ok::<_, crate::conformal::ConformalError>((DiskSurface::new(&prepared.disk, &map), measured))
    })?;
    watch.0.angle_distortion_deg = Some(measured.angle_distortion_deg.mean);
    watch.0.flipped_triangles = Some(measured.flipped_triangles);
    Ok(surface)
}

/// Only registrations without folds are records.
fn unfolded(found: Registered) -> Result<Registered, MeshError> {
    if found.min_jacobian > 0.0 {
        Ok(found)
    } else {
        Err(MeshError::Degenerate("the scan cannot be registered without folding".to_owned()))
    }
}

fn nearest_vertex(mesh: &TriMesh, p: &Point) -> usize {
    let v = mesh.vertices();
    (0..v.len()).min_by(|&a, &b| (v[a] - p).norm().total_cmp(&(v[b] - p).norm())).unwrap_or(0)
}
