//! Scans registered one by one: for studies, and for whoever wants the surfaces.

use super::row::{self, SurfaceRow};
use super::template::PublicTemplate;
use crate::io::{Content, Opened, open_as, scan_of, write_ply, write_text};
use crate::mesh::{Point, TriMesh};
use crate::study::points::PointStudyError;
use crate::surface::any::{RegisteredSurface, SurfaceSettings};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// A scan that has been opened, registered by itself; and how many of its points are no numbers.
///
/// # Errors
/// What is wrong with it.
pub(super) fn register(
    loaded: &PublicTemplate,
    scan: &Path,
    file: &Opened,
    settings: &SurfaceSettings,
) -> Result<(RegisteredSurface, usize), String> {
    let read = scan_of(file).map_err(|e| e.to_string())?;
    let no_mesh = "a bare point cloud; surfaces are meshes: give one with triangles";
    let mesh = TriMesh::new(read.vertices, read.triangles.ok_or(no_mesh)?).map_err(|e| e.to_string())?;
    let marks = loaded.pairs(scan)?;
    let found = loaded.template.register(&mesh, marks.as_ref(), settings).map_err(|e| e.to_string())?;
    Ok((found, read.not_finite))
}

impl PublicTemplate {
    /// Its vertices in their order at their places on a scan, in the template's frame, and what became of the scan. No study, no charge.
    ///
    /// # Errors
    /// What is wrong with the scan, in words.
    pub fn place(&self, scan: &Path, settings: &SurfaceSettings) -> Result<(Vec<Point>, SurfaceRow), String> {
        let file = open_as(scan, Content::Scan).map_err(|e| e.to_string())?;
        let (found, not_finite) = register(self, scan, &file, settings)?;
        let name = scan.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let row = SurfaceRow { scan: name, ..SurfaceRow::of(&found, not_finite) };
        Ok((found.vertices, row))
    }
}

/// What is to be registered to what.
#[derive(Debug, Clone)]
pub struct RegisterSettings {
    /// Scans.
    pub scans: Vec<PathBuf>,
    /// The template.
    pub template: PathBuf,
    /// How.
    pub registration: SurfaceSettings,
    /// An existing folder for `<stem>.registered.ply` and `registration.csv`; without one nothing is written.
    pub out: Option<PathBuf>,
}

/// What became of scans: secret.
#[derive(Debug, Clone)]
pub struct Registered {
    /// One a scan.
    pub rows: Vec<SurfaceRow>,
    /// What was guessed or passed over.
    pub notes: Vec<String>,
}

/// Registers scans: the template's vertices, in its order, at their places on each scan, in the scan's own coordinates. No study, no charge.
///
/// # Errors
/// [`PointStudyError`]: a template that is none, a file that cannot be written.
pub fn register_all(settings: &RegisterSettings) -> Result<Registered, PointStudyError> {
    let loaded = PublicTemplate::read(&settings.template)?;
    loaded.check_pose()?;
    let one = |scan: &PathBuf| registered(&loaded, scan, settings);
    let rows: Vec<SurfaceRow> = settings.scans.par_iter().map(one).collect::<Result<_, _>>()?;
    if let Some(out) = &settings.out {
        write_text(&out.join("registration.csv"), &row::table(&rows))?;
    }
    Ok(Registered { notes: row::notes(&rows), rows })
}

fn registered(
    loaded: &PublicTemplate,
    scan: &Path,
    settings: &RegisterSettings,
) -> Result<SurfaceRow, PointStudyError> {
    let name = scan.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let opened = open_as(scan, Content::Scan).map_err(|e| e.to_string());
    let found = opened.and_then(|file| register(loaded, scan, &file, &settings.registration));
    let (found, not_finite) = match found {
        Ok(found) => found,
        Err(problem) => return Ok(SurfaceRow { scan: name, ..SurfaceRow::failed(problem) }),
    };
    if let Some(out) = &settings.out {
        let places = found.vertices.iter().map(|p| on_scan(&found, p)).collect();
        let mesh = loaded.template.mesh().with_vertices(places);
        let mesh = mesh.map_err(|e| PointStudyError::Input(format!("{}: {e}", scan.display())))?;
        let stem = scan.file_stem().unwrap_or_default().to_string_lossy();
        write_ply(&out.join(format!("{stem}.registered.ply")), &mesh)?;
    }
    Ok(SurfaceRow { scan: name, ..SurfaceRow::of(&found, not_finite) })
}

/// From the template's frame back to the scan's coordinates.
fn on_scan(found: &RegisteredSurface, p: &Point) -> Point {
    let q = found.pose.invert(p);
    if found.mirrored { Point::new(-q.x, q.y, q.z) } else { q }
}
