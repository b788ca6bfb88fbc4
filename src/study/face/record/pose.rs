//! From a scan's file to a disk with a pose.

use super::row::{RecordError, ScanRow, ScanStage};
use crate::io::{self, Scan, landmarks};
use crate::mesh::{self, MeshError, Point, RepairSettings, TriMesh};
use crate::surface::Template;
use crate::surface::registration::PosedScan;
use std::path::{Path, PathBuf};

/// Points of bare clouds farther from the nose tip than this many crop radii are left out before meshing: shoulders and hair
/// need no triangles, and a margin leaves the border to the cut that follows.
const CLOUD_MARGIN: f64 = 1.15;

/// The landmark file that belongs to a scan: `<stem>.landmarks.csv`, `<stem>_landmarks.csv` or `<stem>.fcsv` beside it.
pub fn landmark_file(scan: &Path) -> Option<PathBuf> {
    let stem = scan.file_stem()?.to_str()?;
    [format!("{stem}.landmarks.csv"), format!("{stem}_landmarks.csv"), format!("{stem}.fcsv")]
        .iter()
        .map(|name| scan.with_file_name(name))
        .find(|path| path.is_file())
}

/// Reads a scan, meshes a bare cloud, finds the pose, makes it a disk within `crop_radius` (template units) of the nose tip.
/// What is learned on the way goes into the row.
pub fn posed_scan(
    scan: &Path,
    landmark_file: Option<&Path>,
    template: &Template,
    crop_radius: f64,
    row: &mut ScanRow,
) -> Result<PosedScan, RecordError> {
    let (scan, nose) = row.timed(ScanStage::Read, || read(scan, landmark_file))?;
    posed(scan, nose, template, crop_radius, row)
}

/// The same of a scan in memory, whose nose tip may be known.
pub fn posed(
    scan: Scan,
    given_nose: Option<Point>,
    template: &Template,
    crop_radius: f64,
    row: &mut ScanRow,
) -> Result<PosedScan, RecordError> {
    row.points = scan.vertices.len();
    row.was_mesh = scan.triangles.is_some();
    let pose = row.timed(ScanStage::Pose, || template.pose().find(&scan.vertices))?;
    row.pose_misfit = Some(pose.misfit);
    let nose = given_nose.unwrap_or(pose.nose_tip);
    let reach = crop_radius * pose.similarity.scale;
    let mesh = row.timed(ScanStage::Mesh, || triangulated(scan, &nose, reach))?;
    let repaired = row.timed(ScanStage::Repair, || {
        let outside = mesh.vertices().iter().any(|p| (p - nose).norm() > reach);
        let settings = RepairSettings { crop_radius: outside.then_some(reach), ..RepairSettings::default() };
        mesh::make_disk(mesh, Some(nose), &settings)
    })?;
    if !repaired.log.repairs.is_empty() {
        row.repairs = repaired.log.to_string();
    }
    let nose = repaired.mesh.mesh().nearest_vertex(&nose).unwrap_or(0);
    Ok(PosedScan { disk: repaired.mesh, nose, similarity: pose.similarity })
}

/// The scan, and its nose tip where a landmark file names it.
fn read(scan: &Path, landmark_file: Option<&Path>) -> Result<(Scan, Option<Point>), String> {
    let scan = io::read_scan(scan).map_err(|e| e.problem())?;
    let nose = match landmark_file {
        Some(file) => landmarks::nose_tip(&io::read_landmarks(file).map_err(|e| e.to_string())?),
        None => None,
    };
    Ok((scan, nose))
}

/// The scan's own triangles, or a mesh of the points near the nose tip.
fn triangulated(scan: Scan, nose: &Point, reach: f64) -> Result<TriMesh, MeshError> {
    match scan.triangles {
        Some(triangles) => TriMesh::new(scan.vertices, triangles),
        None => {
            let near = |p: &&Point| (*p - nose).norm() < CLOUD_MARGIN * reach;
            mesh::mesh_from_points(&scan.vertices.iter().filter(near).copied().collect::<Vec<_>>())
        }
    }
}
