//! From a given mesh to a disk, by repairs that are all listed.

mod behind;
mod clean;
mod crop;
mod holes;
mod log;
mod spikes;
mod stitch;
mod work;

pub use log::{Repair, RepairKind, RepairLog};

use super::bulge::bulge;
use super::{DiskMesh, MeshError, Point, TriMesh};
use serde::Serialize;
use work::Work;

/// What may be done to make a mesh a disk. Lengths are in the units of the mesh.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RepairSettings {
    /// Keep what lies within this distance (straight line) of the nose tip; public. None keeps everything.
    pub crop_radius: Option<f64>,
    /// Holes up to this fraction of the width of the outer border are filled (eyes, mouth, gaps of a scan).
    pub widest_hole: f64,
    /// Spikes (thrown-out points of the scanner) with tips whose angles sum to less than this are taken away, in
    /// radians: 2π where the surface is flat; 2 is a safe choice for scans. None keeps all.
    pub sharpest_spike: Option<f64>,
    /// A second surface of more than this fraction of the area of the first is refused, not dropped.
    pub largest_rest: f64,
}

impl Default for RepairSettings {
    /// No cropping, spikes stay; holes up to three fifths of the width of the border; a second surface up to half the area.
    fn default() -> Self {
        Self { crop_radius: None, widest_hole: 0.6, sharpest_spike: None, largest_rest: 0.5 }
    }
}

/// A mesh made a disk.
#[derive(Debug, Clone, PartialEq)]
pub struct Repaired {
    /// The disk, facing the side towards which it bulges.
    pub mesh: DiskMesh,
    /// What was done to it.
    pub log: RepairLog,
    /// For each of its vertices the number of the input vertex it is; none for one made by cropping. A vertex
    /// that was doubled is named twice.
    pub vertex_source: Vec<Option<usize>>,
    /// For each of its triangles the number of the input triangle it is; none for what fills a hole or was cut by cropping.
    pub triangle_source: Vec<Option<usize>>,
}

/// Makes a mesh a disk: welds repeated vertices, drops points thrown far out, stitches seams between pieces, drops collapsed and doubled triangles and what hangs on
/// non-manifold edges, orients consistently, keeps the piece with the nose (or the largest), crops it,
/// drops what lies behind the nose where the surface is no disk with it (shells, caps), cuts open small handles, fills holes, splits pinched vertices, turns it to face the side it bulges to.
/// A mesh that is a disk already comes back as it was.
///
/// `nose` is the nose tip in the coordinates of the mesh; it is needed for cropping.
///
/// # Errors
/// [`MeshError::NotADisk`] when the surface is closed, has a real handle, a second border nearly as wide as
/// the outer one, or when there are two surfaces of similar size; [`MeshError::Degenerate`] when no triangle
/// is left, or cropping is asked for without a nose.
pub fn make_disk(
    mesh: TriMesh,
    nose: Option<Point>,
    settings: &RepairSettings,
) -> Result<Repaired, MeshError> {
    let mut work = Work::new(mesh);
    clean::weld(&mut work);
    clean::drop_collapsed_and_duplicates(&mut work);
    spikes::remove_thrown_out(&mut work);
    clean::keep_one_oriented_piece(&mut work, nose, settings.crop_radius, settings.largest_rest)?;
    if let Some(radius) = settings.crop_radius {
        let Some(nose) = nose else {
            return Err(MeshError::Degenerate(
                "cropping needs the nose tip; give landmarks or drop the crop radius".into(),
            ));
        };
        crop::crop(&mut work, nose, radius)?;
    }
    if let Some(sharpest) = settings.sharpest_spike {
        spikes::remove_torn(&mut work, sharpest);
    }
    close(&mut work, nose, settings)?;
    if let Some(sharpest) = settings.sharpest_spike
        && spikes::remove(&mut work, sharpest)
    {
        holes::close(&mut work, settings.widest_hole)?;
    }
    clean::flip_slivers(&mut work);
    work.drop_unused();
    let mut log = work.log;
    let mut mesh = DiskMesh::try_new(TriMesh::new(work.places, work.triangles)?)?;
    if bulge(mesh.mesh().vertices(), mesh.mesh().triangles(), mesh.boundary()) < 0.0 {
        mesh = mesh.turned_over();
        log.repairs.push(Repair {
            kind: RepairKind::TurnedOver,
            vertices: vec![],
            triangles: vec![],
            new_triangles: 0,
        });
    }
    Ok(Repaired { mesh, log, vertex_source: work.source, triangle_source: work.triangle_source })
}

/// Closes the holes; where the surface is no disk, or has a back, of what does not lie behind the face.
fn close(work: &mut Work, nose: Option<Point>, settings: &RepairSettings) -> Result<(), MeshError> {
    let mut whole = work.clone();
    let closed = holes::close(work, settings.widest_hole);
    let Some(nose) = nose else { return closed };
    if closed.is_ok() && !behind::has_back(work, &nose) {
        return Ok(());
    }
    if behind::drop_back(&mut whole, nose) && holes::close(&mut whole, settings.widest_hole).is_ok() {
        *work = whole;
        return Ok(());
    }
    closed
}

#[cfg(test)]
mod tests;
