//! From a scan's file to a disk with a pose.

use super::grid;
use super::row::{RecordError, ScanRow, ScanStage};
use crate::io::{self, Scan, landmarks};
use crate::mesh::{self, DiskMesh, MeshError, Point, Pose, RepairKind, RepairSettings, Repaired, TriMesh};
use crate::surface::Template;
use crate::surface::registration::PosedScan;
use std::path::{Path, PathBuf};

/// Points of bare clouds farther from the nose tip than this many crop radii are left out before meshing: shoulders and hair
/// need no triangles, and a margin leaves the border to the cut that follows.
const CLOUD_MARGIN: f64 = 1.15;

/// Bare clouds of more points than this near the nose tip are thinned to so many before meshing: a face then has them every third of a
/// millimetre, closer than scanners are exact, and one scan cannot hold up a study.
pub const MOST_CLOUD_POINTS: usize = 250_000;

/// Meshes of more vertices than this near the nose tip are made coarser, to about so many: a face then has them every millimetre.
pub const MOST_VERTICES: usize = 40_000;

/// A nose tip in a landmark file farther than this from where the template's falls (as a fraction of the template's size, about two noses'
/// widths) is another place, or in other coordinates.
const FARTHEST_NOSE: f64 = 0.5;
/// Sides of triangles on average, mm of a face of 20 cm: scans of 7000 points have 2.3.
const LONGEST_SIDE: f64 = 4.0;
/// Triangles are cut in four so often at most.
const MOST_CUTS: usize = 3;

/// A cloud too rough for its density is averaged to one in so many of its points, one after the other, until it makes a surface.
const AVERAGED: [usize; 3] = [2, 4, 8];

/// How the names of landmark files end, after the stem of their scan's.
const LANDMARK_ENDINGS: [&str; 5] =
    [".landmarks.csv", "_landmarks.csv", ".fcsv", ".mrk.json", ".landmarks.mrk.json"];

/// Whether a file is one of landmarks by its name (see [`landmark_file`]).
pub fn is_landmark_file(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| LANDMARK_ENDINGS.iter().any(|ending| name.ends_with(ending)))
}

/// The landmark file that belongs to a scan: `<stem>.landmarks.csv`, `<stem>_landmarks.csv`, `<stem>.fcsv`, `<stem>.mrk.json` or
/// `<stem>.landmarks.mrk.json` beside it.
pub fn landmark_file(scan: &Path) -> Option<PathBuf> {
    let stem = scan.file_stem()?.to_str()?;
    LANDMARK_ENDINGS
        .iter()
        .map(|ending| scan.with_file_name(format!("{stem}{ending}")))
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
    let (scan, nose, has_appearance) = row.timed(ScanStage::Read, || read(scan, landmark_file))?;
    let posed = posed(scan, nose, template, crop_radius, row)?;
    let unused = landmark_file.filter(|_| nose.is_none()).map(|_| format!("its landmark file {UNUSED}"));
    let left_out = has_appearance.then(|| "colours or texture left out".to_owned());
    let told = [unused, left_out, Some(std::mem::take(&mut row.repairs))];
    row.repairs = told.into_iter().flatten().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(", ");
    Ok(posed)
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
    let mut pose = row.timed(ScanStage::Pose, || template.pose().find(&scan.vertices))?;
    row.pose_misfit = Some(pose.misfit);
    let grid = row.timed(ScanStage::Read, || {
        grid::told(&scan.vertices, template.pose().size() * pose.similarity.scale)
    })?;
    let nose = match given_nose {
        Some(given) => row.timed(ScanStage::Pose, || checked_nose(&given, &pose, template))?,
        None => pose.nose_tip,
    };
    row.nose = match given_nose {
        None => "found",
        Some(given) if given == nose => "landmark",
        Some(_) => "landmark in RAS",
    }
    .to_owned();
    let reach = crop_radius * pose.similarity.scale;
    let mut left_out = match scan.not_finite {
        0 => String::new(),
        n => format!("left out points whose coordinates are no numbers ({n})"),
    };
    grid.iter().for_each(|grid| add(&mut left_out, grid));
    let mesh = row.timed(ScanStage::Mesh, || triangulated(scan, &nose, reach, &mut left_out))?;
    let coarse = row.timed(ScanStage::Mesh, || coarser(&mesh, &nose, reach))?;
    let mut nose = nose;
    let about = |nose, reach| disk(&mesh, coarse.as_ref(), nose, reach);
    let (mut repaired, mut simpler) = row.timed(ScanStage::Repair, || about(nose, reach))?;
    let had_back = repaired.log.repairs.iter().any(|repair| repair.kind == RepairKind::DroppedBack);
    if had_back && given_nose.is_none() {
        // Both sides of a shell look like a face: once more with the pose of the side that is left.
        pose = row.timed(ScanStage::Pose, || template.pose().find(repaired.mesh.mesh().vertices()))?;
        (row.pose_misfit, nose) = (Some(pose.misfit), pose.nose_tip);
        let reach = crop_radius * pose.similarity.scale;
        (repaired, simpler) = row.timed(ScanStage::Repair, || about(nose, reach))?;
    }
    if let Some(coarse) = coarse.filter(|_| simpler) {
        let (left, of) = (coarse.vertices().len(), mesh.vertices().len());
        add(&mut left_out, &format!("simplified to {left} of {of} vertices"));
    }
    let repairs = if repaired.log.repairs.is_empty() { String::new() } else { repaired.log.to_string() };
    row.repairs =
        [left_out, repairs].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
    let nose = repaired.mesh.mesh().nearest_vertex(&nose).unwrap_or(0);
    let filled =
        (0..repaired.triangle_source.len()).filter(|&t| repaired.triangle_source[t].is_none()).collect();
    let posed = PosedScan { disk: repaired.mesh, nose, similarity: pose.similarity, filled };
    row.timed(ScanStage::Repair, || finer(posed, template.pose().size() * pose.similarity.scale))
}

/// A disk of the scan within `reach` of the nose tip; of the coarser mesh where there is one, and then true.
fn disk(
    mesh: &TriMesh,
    coarse: Option<&TriMesh>,
    nose: Point,
    reach: f64,
) -> Result<(Repaired, bool), MeshError> {
    let outside = mesh.vertices().iter().any(|p| (p - nose).norm() > reach);
    let settings = RepairSettings { crop_radius: outside.then_some(reach), ..RepairSettings::default() };
    let repaired = |mesh: &TriMesh| mesh::make_disk(mesh.clone(), Some(nose), &settings);
    // What is coarser may be worse to repair; then it is done with all there is.
    match coarse.map(repaired) {
        Some(Ok(simpler)) => Ok((simpler, true)),
        _ => Ok((repaired(mesh)?, false)),
    }
}

/// The same scan with triangles that are no longer than a face's features: where it lies must not hang on how coarsely its surface is cut. (Of
/// triangles of 5 mm, lips that meet were taken for an open mouth.) `size` of the face in the scan's unit, as [`grid::FACE`] is measured.
fn finer(mut scan: PosedScan, size: f64) -> Result<PosedScan, MeshError> {
    // Of equal triangles of the same area.
    let side = |mesh: &TriMesh| (4.0 * mesh.area() / (3f64.sqrt() * mesh.triangles().len() as f64)).sqrt();
    for _ in 0..MOST_CUTS {
        if side(scan.disk.mesh()) / size * grid::FACE <= LONGEST_SIDE {
            break;
        }
        scan.disk = DiskMesh::try_new(mesh::subdivided(scan.disk.mesh())?)?;
        scan.filled = scan.filled.iter().flat_map(|t| 4 * t..4 * t + 4).collect();
    }
    Ok(scan)
}

/// The scan, its nose tip where a landmark file names it, and whether it has colours or a texture.
fn read(scan: &Path, landmark_file: Option<&Path>) -> Result<(Scan, Option<Point>, bool), String> {
    let file = io::open_as(scan, io::Content::Scan).map_err(|e| e.problem())?;
    let (scan, has_appearance) = (io::scan_of(&file).map_err(|e| e.problem())?, io::has_appearance(&file));
    drop(file);
    let nose = landmark_file.map_or(Ok(None), nose_tip_of)?;
    Ok((scan, nose, has_appearance))
}

/// The nose tip that a scan's landmark file names; without one the nose is found, and the file is not used ([`UNUSED`]).
pub fn nose_tip_of(file: &Path) -> Result<Option<Point>, String> {
    let found = io::read_landmarks(file).map_err(|e| {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        format!("its landmark file {name}: {}", e.problem())
    })?;
    Ok(landmarks::nose_tip(&found))
}

/// What is told of a landmark file without a nose tip.
pub const UNUSED: &str = "names no nose tip, so it is not used: name one";

/// A given nose tip, if it is near where the template's falls; 3D Slicer's landmarks are read in LPS, and a scan may be in RAS: then the tip
/// is that with both signs turned.
fn checked_nose(given: &Point, pose: &Pose, template: &Template) -> Result<Point, String> {
    let size = template.pose().size() * pose.similarity.scale;
    let turned = Point::new(-given.x, -given.y, given.z);
    let off = |p: &Point| (p - pose.nose_tip).norm() / size;
    match [*given, turned].into_iter().find(|p| off(p) < FARTHEST_NOSE) {
        Some(nose) => Ok(nose),
        None => Err(format!(
            "the nose tip of its landmark file lies {:.1} times the size of the face from the nose that was found (at most {FARTHEST_NOSE} is \
             believed); correct the landmark, or take the file away to have the nose found",
            off(given)
        )),
    }
}

/// The scan's own triangles, or a mesh of the points near the nose tip, at most [`MOST_CLOUD_POINTS`] of them. What was left out is noted.
fn triangulated(scan: Scan, nose: &Point, reach: f64, note: &mut String) -> Result<TriMesh, MeshError> {
    if let Some(triangles) = scan.triangles {
        return TriMesh::new(scan.vertices, triangles);
    }
    let is_near = |p: &&Point| (*p - nose).norm() < CLOUD_MARGIN * reach;
    let mut near: Vec<Point> = scan.vertices.iter().filter(is_near).copied().collect();
    drop(scan.vertices);
    if near.len() > MOST_CLOUD_POINTS {
        let kept = mesh::pose::thinned_to(&near, MOST_CLOUD_POINTS);
        add(note, &format!("thinned to {} of {} points", kept.len(), near.len()));
        near = kept.into_iter().map(|i| near[i]).collect();
    }
    mesh::mesh_from_points(&near).or_else(|error| averaged(&near, note).ok_or(error))
}

/// One more to the list.
fn add(notes: &mut String, note: &str) {
    if !notes.is_empty() {
        notes.push_str(", ");
    }
    notes.push_str(note);
}

/// A coarser mesh of a scan that has more than [`MOST_VERTICES`] near the nose tip: of that many there, and everywhere as coarse.
fn coarser(mesh: &TriMesh, nose: &Point, reach: f64) -> Result<Option<TriMesh>, MeshError> {
    let is_near: Vec<bool> =
        mesh.vertices().iter().map(|p| (p - nose).norm() < CLOUD_MARGIN * reach).collect();
    if is_near.iter().filter(|near| **near).count() <= MOST_VERTICES {
        return Ok(None);
    }
    // One triangle in so many tells how large the surface is.
    const ONE_IN: usize = 8;
    let triangles = mesh.triangles();
    let near = (0..triangles.len()).step_by(ONE_IN).filter(|&t| is_near[triangles[t][0]]);
    let area: f64 = near.map(|t| 0.5 * mesh.area_vector(t).norm()).sum();
    mesh::simplified(mesh, ONE_IN as f64 * area, MOST_VERTICES).map(Some)
}

/// A mesh of the means of near points: where points are noisier than they are far apart, they make a surface full of handles, and their means
/// do not.
fn averaged(points: &[Point], note: &mut String) -> Option<TriMesh> {
    AVERAGED.into_iter().find_map(|part| {
        let means = mesh::pose::thin(points, points.len() / part);
        let mesh = mesh::mesh_from_points(&means).ok()?;
        add(note, &format!("averaged {} points to {}", points.len(), means.len()));
        Some(mesh)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::face::template::{TemplateSource, load_template};
    use crate::synth::{FaceParameters, ScanConditions, builtin_template, simulate_scan};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use std::sync::Arc;

    fn template() -> Arc<Template> {
        load_template(&TemplateSource::Builtin).unwrap().template
    }

    /// Points drawn without regard to one another on the template, with noise of a standard deviation of `noise` mm.
    fn cloud(n: usize, noise: f64, seed: u64) -> Vec<Point> {
        let (mesh, mut rng) = (builtin_template(), ChaCha8Rng::seed_from_u64(seed));
        let mut areas: Vec<f64> = Vec::new();
        for t in mesh.triangles() {
            let [a, b, c] = t.map(|v| mesh.vertices()[v]);
            areas.push(areas.last().unwrap_or(&0.0) + (b - a).cross(&(c - a)).norm());
        }
        let total = areas[areas.len() - 1];
        let mut normal = {
            let mut rng = ChaCha8Rng::seed_from_u64(seed + 1);
            move || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
        };
        let mut point = || {
            let at = total * rng.random::<f64>();
            let t = mesh.triangles()[areas.partition_point(|a| *a <= at)];
            let [a, b, c] = t.map(|v| mesh.vertices()[v].coords);
            let (r, s) = (rng.random::<f64>().sqrt(), rng.random::<f64>());
            let noise = crate::mesh::Vector::from_fn(|_, _| noise * normal());
            Point::from(a * (1.0 - r) + b * (r * (1.0 - s)) + c * (r * s) + noise)
        };
        (0..n).map(|_| point()).collect()
    }

    /// At a millimetre of noise, seven clouds of eight have handles that cannot be cut; the means of their points have none.
    #[test]
    fn clouds_rougher_than_they_are_dense_are_averaged() {
        let template = template();
        let mut averaged = 0;
        for seed in 0..4 {
            let scan = Scan { vertices: cloud(7150, 1.0, seed), ..Scan::default() };
            let mut row = ScanRow::default();
            posed(scan, None, &template, 1.05 * template.reach(), &mut row).unwrap();
            averaged += usize::from(row.repairs.contains("averaged "));
        }
        assert!(averaged > 0);
    }

    /// The same surface in large triangles, and in four times as many: as good as the same mesh is registered.
    #[test]
    fn coarse_triangles_are_cut_and_others_left() {
        let (template, face) = (template(), builtin_template());
        let coarse = mesh::simplified(face, face.area(), 1200).unwrap();
        let fine = mesh::subdivided(&coarse).unwrap();
        let [(coarse, own), (fine, cut), (face, whole)] = [coarse, fine, face.clone()].map(|mesh| {
            let (vertices, triangles) = mesh.into_parts();
            let count = triangles.len();
            let scan = Scan { vertices, triangles: Some(triangles), ..Scan::default() };
            let found =
                posed(scan, None, &template, 1.05 * template.reach(), &mut ScanRow::default()).unwrap();
            (found.disk, count)
        });
        let triangles = |disk: &DiskMesh| disk.mesh().triangles().len() as f64;
        assert!((triangles(&coarse) / triangles(&fine) - 1.0).abs() < 0.02 && cut == 4 * own);
        assert!((coarse.mesh().area() / fine.mesh().area() - 1.0).abs() < 1e-3);
        assert!(triangles(&face) <= 1.02 * whole as f64);
    }

    #[test]
    fn clouds_beyond_a_public_number_of_points_are_thinned_with_a_note() {
        let template = template();
        let scan = Scan { vertices: cloud(400_000, 0.02, 5), ..Scan::default() };
        let mut row = ScanRow::default();
        posed(scan, None, &template, 1.05 * template.reach(), &mut row).unwrap();
        assert!(row.repairs.starts_with("thinned to ") && row.repairs.contains(" points"), "{}", row.repairs);
    }

    #[test]
    fn a_nose_tip_that_is_none_is_refused_and_one_in_other_axes_turned() {
        let template = template();
        let mut rng = ChaCha8Rng::seed_from_u64(9);
        let made = simulate_scan(&FaceParameters::sample(&mut rng), &ScanConditions::demo(), &mut rng);
        let try_nose = |nose: &dyn Fn(Point) -> Option<Point>| {
            let scan = Scan { vertices: made.points.clone(), ..Scan::default() };
            let tip = made.truth[template.nose()];
            let mut row = ScanRow::default();
            let found = posed(scan, nose(tip), &template, 1.05 * template.reach(), &mut row);
            (found.map(|_| ()).map_err(|e| e.to_string()), row.nose)
        };
        assert_eq!(try_nose(&|_| None), (Ok(()), "found".to_owned()));
        assert_eq!(try_nose(&|tip| Some(tip)), (Ok(()), "landmark".to_owned()));
        let turned = try_nose(&|tip| Some(Point::new(-tip.x, -tip.y, tip.z)));
        assert_eq!(turned, (Ok(()), "landmark in RAS".to_owned()));
        for off in [60.0, -70.0, 1e9, 1e300] {
            let (found, _) = try_nose(&|tip| Some(Point::new(tip.x, tip.y + off, tip.z)));
            let message = found.unwrap_err();
            assert!(message.starts_with("pose: the nose tip of its landmark file lies "), "{message}");
        }
    }

    #[test]
    fn landmark_files_go_by_the_name_of_the_scan() {
        let dir = tempfile::tempdir().unwrap();
        let scan = dir.path().join("s1.ply");
        assert_eq!(landmark_file(&scan), None);
        for name in
            ["s1.landmarks.mrk.json", "s1.mrk.json", "s1.fcsv", "s1_landmarks.csv", "s1.landmarks.csv"]
        {
            std::fs::write(dir.path().join(name), "x").unwrap();
            assert_eq!(landmark_file(&scan), Some(dir.path().join(name)));
        }
    }
}
