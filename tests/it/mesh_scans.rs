//! Meshing, repair and pose on scans of synthetic people, and on the scans of the shared data.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::path::{Path, PathBuf};
use visard::io::{npy, read_scan};
use visard::mesh::{DiskMesh, Point, PoseFinder, RepairKind, RepairSettings, TriMesh, Vector};
use visard::mesh::{make_disk, mesh_from_points, topology};
use visard::synth::{FaceParameters, ScanConditions, builtin_landmarks, builtin_template, person};

use crate::shared_data::shared;

fn read_mesh(path: &Path) -> TriMesh {
    let scan = read_scan(path).unwrap();
    TriMesh::new(scan.vertices, scan.triangles.unwrap()).unwrap()
}

fn points(array: &npy::Array) -> Vec<Point> {
    array.data.chunks_exact(3).map(|c| Point::new(c[0], c[1], c[2])).collect()
}

fn landmark(path: PathBuf, row: usize, column: usize) -> Point {
    let text = std::fs::read_to_string(path).unwrap();
    let numbers: Vec<f64> =
        text.lines().nth(row).unwrap().split(',').skip(column).take(3).map(|x| x.parse().unwrap()).collect();
    Point::new(numbers[0], numbers[1], numbers[2])
}

/// Name and mesh of every benchmark scan.
fn scans() -> Vec<(String, TriMesh)> {
    let mut out = Vec::new();
    for population in ["simpop", "ict"] {
        for level in ["clean", "std", "hard"] {
            for k in 1..=4 {
                let name = format!("{population}/{level}/s{k:02}");
                let mesh = read_mesh(&shared(&format!("correspondence/{name}/scan.ply")));
                out.push((name, mesh));
            }
        }
    }
    out
}

/// Share of triangles that turn away from the mean of the true normals at their corners.
fn turned(mesh: &TriMesh, normals: &[Vector]) -> f64 {
    let is_turned = |&t: &usize| {
        let n: Vector = mesh.triangles()[t].iter().map(|&v| normals[v]).sum();
        mesh.area_vector(t).dot(&n) <= 0.0
    };
    let count = (0..mesh.triangles().len()).filter(is_turned).count();
    count as f64 / mesh.triangles().len() as f64
}

/// The normals of a mesh, smoothed once: single noisy triangles have none to speak of.
fn smooth_normals(mesh: &TriMesh) -> Vec<Vector> {
    let own = mesh.vertex_normals();
    let mut normals = own.clone();
    for t in mesh.triangles() {
        (0..3).for_each(|k| normals[t[k]] += own[t[(k + 1) % 3]] + own[t[(k + 2) % 3]]);
    }
    normals
}

fn conditions() -> [(&'static str, ScanConditions); 3] {
    [("clean", ScanConditions::clean()), ("demo", ScanConditions::demo()), ("hard", ScanConditions::hard())]
}

#[test]
fn scans_of_people_become_disks_on_all_points() {
    for (level, conditions) in conditions() {
        let mut turns = Vec::new();
        for i in 0..3 {
            let scan = person(11, i, &conditions);
            let face = builtin_template().with_vertices(scan.truth).unwrap();
            let on_face = smooth_normals(&face);
            let mesh = mesh_from_points(&scan.points).unwrap();
            let normals: Vec<Vector> =
                scan.points.iter().map(|p| on_face[face.nearest_vertex(p).unwrap()]).collect();
            turns.push(turned(&mesh, &normals));
            let disk = DiskMesh::try_new(mesh).unwrap();
            assert_eq!(disk.mesh().vertices(), scan.points, "{level} {i}");
        }
        // Measured 0 but for hard scans: 0.0020 and less.
        let limit = if level == "hard" { 0.0025 } else { 0.0 };
        assert!(turns.iter().all(|share| *share <= limit), "{level} {turns:?}");
    }
}

/// Measured, in millimetres of the face: mean 1.8, at most 4.4 (one person's tip under clean conditions).
#[test]
fn the_nose_is_found_on_every_synthetic_scan() {
    let nose = builtin_landmarks().nose_tip;
    let finder = PoseFinder::new(builtin_template(), nose).unwrap();
    let mut errors = Vec::new();
    for (level, conditions) in conditions() {
        for i in 0..8 {
            let scan = person(12, i, &conditions);
            let scale = size(&scan.truth) / size(&scan.parameters.vertices());
            let found = finder.find(&scan.points).unwrap().nose_tip;
            errors.push(((found - scan.truth[nose]).norm() / scale, level, i));
        }
    }
    let mean = errors.iter().map(|e| e.0).sum::<f64>() / errors.len() as f64;
    assert!(errors.iter().all(|e| e.0 < 5.0) && mean < 2.0, "{mean} {errors:?}");
}

/// Root mean square distance from the centre.
fn size(points: &[Point]) -> f64 {
    let n = points.len() as f64;
    let centre = points.iter().map(|p| p.coords).sum::<Vector>() / n;
    (points.iter().map(|p| (p.coords - centre).norm_squared()).sum::<f64>() / n).sqrt()
}

/// A person's face without the triangles that have a corner near one of these places.
fn with_holes(face: &TriMesh, holes: &[(Point, f64)]) -> TriMesh {
    let is_kept = |t: &&[usize; 3]| {
        t.iter().all(|&v| holes.iter().all(|(centre, radius)| (face.vertices()[v] - centre).norm() > *radius))
    };
    let triangles = face.triangles().iter().filter(is_kept).copied().collect();
    TriMesh::new(face.vertices().to_vec(), triangles).unwrap()
}

fn a_person() -> TriMesh {
    FaceParameters::sample(&mut ChaCha8Rng::seed_from_u64(13)).mesh()
}

/// Holes at the eyes, a scanner's spike, and a piece of something else behind: what a scan of a bust has.
#[test]
fn a_damaged_face_becomes_a_face() {
    let marks = builtin_landmarks();
    let face = a_person();
    let place = |v: usize| face.vertices()[v];
    let eye = |a: usize, b: usize| (nalgebra::center(&place(a), &place(b)), 8.0);
    let damaged = with_holes(
        &face,
        &[eye(marks.left_eye_inner, marks.left_eye_outer), eye(marks.right_eye_inner, marks.right_eye_outer)],
    );
    let (mut vertices, mut triangles) = damaged.into_parts();
    let spike = marks.mouth_middle;
    vertices[spike].z += 40.0;
    // The piece behind: the chin once more.
    let n = vertices.len();
    let behind = face.vertices().iter().map(|p| p - Vector::new(0.0, 0.0, 150.0));
    vertices.extend(behind);
    let chin = |t: &&[usize; 3]| t.iter().all(|&v| (place(v) - place(marks.chin)).norm() < 20.0);
    triangles.extend(face.triangles().iter().filter(chin).map(|t| t.map(|v| v + n)));
    let bust = TriMesh::new(vertices, triangles).unwrap();
    assert!(DiskMesh::try_new(bust.clone()).is_err());

    let pose = PoseFinder::new(builtin_template(), marks.nose_tip).unwrap().find(bust.vertices()).unwrap();
    let from_nose = (pose.nose_tip - place(marks.nose_tip)).norm();
    // Measured 2.6 mm.
    assert!(from_nose < 3.0, "{from_nose}");
    let settings =
        RepairSettings { crop_radius: Some(80.0), sharpest_spike: Some(2.0), ..Default::default() };
    let repaired = make_disk(bust.clone(), Some(pose.nose_tip), &settings).unwrap();
    let kinds: Vec<RepairKind> = repaired.log.repairs.iter().map(|r| r.kind).collect();
    for kind in
        [RepairKind::DroppedPieces, RepairKind::Cropped, RepairKind::RemovedSpikes, RepairKind::FilledHoles]
    {
        assert!(kinds.contains(&kind), "{kinds:?}");
    }
    let mesh = repaired.mesh.mesh();
    // Measured 6130; the holes are 16 mm wide, the spike was 40 mm long.
    assert!(mesh.vertices().len() > 6000 && longest_edge(mesh) < 17.0, "{}", longest_edge(mesh));
    for (place, source) in mesh.vertices().iter().zip(&repaired.vertex_source) {
        assert!(source.is_none_or(|v| bust.vertices()[v] == *place && v < n && v != spike));
    }
}

fn longest_edge(mesh: &TriMesh) -> f64 {
    let edges = mesh.triangles().iter().flat_map(|t| (0..3).map(|k| (t[k], t[(k + 1) % 3])));
    edges.map(|(a, b)| (mesh.vertices()[a] - mesh.vertices()[b]).norm()).fold(0.0, f64::max)
}

#[test]
fn eyes_and_mouth_of_a_synthetic_face_are_filled() {
    let marks = builtin_landmarks();
    let face = a_person();
    let place = |v: usize| face.vertices()[v];
    let between = |a: usize, b: usize| nalgebra::center(&place(a), &place(b));
    let mesh = with_holes(
        &face,
        &[
            (between(marks.left_eye_inner, marks.left_eye_outer), 8.0),
            (between(marks.right_eye_inner, marks.right_eye_outer), 8.0),
            (place(marks.mouth_middle), 10.0),
        ],
    );
    let report = topology(&mesh);
    // A disk with three holes.
    assert_eq!(report.euler_characteristic, -2);
    let rims: Vec<usize> = report.boundary_loops.iter().map(|l| l.vertices.len()).collect();
    let around: usize = rims.iter().sum::<usize>() - rims.iter().max().unwrap();
    let repaired = make_disk(mesh.clone(), None, &RepairSettings::default()).unwrap();
    let kinds: Vec<RepairKind> = repaired.log.repairs.iter().map(|r| r.kind).collect();
    assert_eq!(kinds, [RepairKind::FilledHoles, RepairKind::DroppedUnusedVertices]);
    assert_eq!(repaired.log.repairs[0].new_triangles, around - 2 * 3);
    let filled = repaired.mesh.mesh();
    let used: std::collections::BTreeSet<usize> = mesh.triangles().iter().flatten().copied().collect();
    assert!(repaired.vertex_source.iter().copied().eq(used.into_iter().map(Some)));
    assert!(topology(filled).degenerate_triangles.is_empty());
    assert!((mesh.triangles().len()..filled.triangles().len()).all(|t| filled.area_vector(t).z > 0.0));
}

#[test]
#[ignore = "needs VISARD_DATA: the shared faces and scans"]
fn shared_scans_without_their_triangles_become_disks_on_all_points() {
    let mut worst: Vec<(f64, String)> = Vec::new();
    for (name, truth) in scans() {
        let mesh = mesh_from_points(truth.vertices()).unwrap();
        let normals = smooth_normals(&truth);
        worst.push((turned(&mesh, &normals), name));
        let disk = DiskMesh::try_new(mesh).unwrap();
        assert_eq!(disk.mesh().vertices(), truth.vertices());
    }
    let mean = |part: &str| {
        let of: Vec<f64> = worst.iter().filter(|(_, name)| name.contains(part)).map(|(t, _)| *t).collect();
        of.iter().sum::<f64>() / of.len() as f64
    };
    assert!(mean("simpop/clean") < 1e-4 && mean("simpop/std") < 5e-4, "{worst:?}");
    assert!(mean("/std") < TURNED_STD && mean("hard") < TURNED_HARD, "{worst:?}");
}

/// Measured 0.0015 and 0.0045.
const TURNED_STD: f64 = 0.002;
const TURNED_HARD: f64 = 0.006;

#[test]
#[ignore = "needs VISARD_DATA: the shared faces and scans"]
fn the_nose_is_found_on_every_shared_scan() {
    let template = read_mesh(&shared("faces_simpop/template.ply"));
    let finder = PoseFinder::new(&template, 3767).unwrap();
    let faces = points(&npy::read(&shared("faces_simpop/simpop_vertices.npy")).unwrap());
    let mut errors: Vec<(f64, String)> = Vec::new();
    for (i, face) in faces.chunks_exact(7160).enumerate() {
        let found = finder.find(face).unwrap().nose_tip;
        errors.push(((found - face[3767]).norm(), format!("face {i}")));
    }
    for population in ["simpop", "ict"] {
        let folder = shared("correspondence").join(population);
        let template = read_mesh(&folder.join("template.ply"));
        let nose = landmark(folder.join("template_landmarks.csv"), 2, 0);
        let distance = |p: &Point| (p - nose).norm();
        let vertices = template.vertices();
        let nearest =
            (0..vertices.len()).min_by(|&a, &b| distance(&vertices[a]).total_cmp(&distance(&vertices[b])));
        let finder = PoseFinder::new(&template, nearest.unwrap()).unwrap();
        for (name, scan) in scans().into_iter().filter(|(name, _)| name.starts_with(population)) {
            let truth = landmark(shared("correspondence").join(&name).join("landmarks.csv"), 2, 0);
            let found = finder.find(scan.vertices()).unwrap().nose_tip;
            errors.push(((found - truth).norm(), name));
        }
    }
    // Landmarks are placed to about 1 mm.
    let mean = errors.iter().map(|e| e.0).sum::<f64>() / errors.len() as f64;
    assert!(errors.iter().all(|e| e.0 < 7.0) && mean < 2.0, "{mean} {errors:?}");
}

#[test]
#[ignore = "needs VISARD_DATA: the shared faces and scans"]
fn the_bust_becomes_a_face() {
    let bust = read_mesh(&shared("scans/demo_face_10k.ply"));
    let report = topology(&bust);
    assert_eq!((report.euler_characteristic, report.non_manifold_vertices.len()), (-35, 21));
    assert!(DiskMesh::try_new(bust.clone()).is_err());

    let template = read_mesh(&shared("faces_simpop/template.ply"));
    let pose = PoseFinder::new(&template, 3767).unwrap().find(bust.vertices()).unwrap();
    let truth = landmark(shared("scans/demo_face_landmarks.csv"), 3, 2);
    assert!((pose.nose_tip - truth).norm() < 6.0, "{}", (pose.nose_tip - truth).norm());

    let settings =
        RepairSettings { crop_radius: Some(110.0), sharpest_spike: Some(2.0), ..Default::default() };
    let repaired = make_disk(bust.clone(), Some(pose.nose_tip), &settings).unwrap();
    let kinds: Vec<RepairKind> = repaired.log.repairs.iter().map(|r| r.kind).collect();
    for kind in [RepairKind::DroppedPieces, RepairKind::Cropped, RepairKind::FilledHoles] {
        assert!(kinds.contains(&kind), "{kinds:?}");
    }
    let mesh = repaired.mesh.mesh();
    assert!(mesh.vertices().len() > 1500);
    for (place, source) in mesh.vertices().iter().zip(&repaired.vertex_source) {
        assert!(source.is_none_or(|v| bust.vertices()[v] == *place));
    }
    // The longest edge of the face is shorter than the spike at the eye was (27 mm).
    let longest = longest_edge(mesh);
    assert!(longest < 25.0, "{longest}");
}

/// A model with open eyes and an open mouth: 42, 42 and 74 edges to fill.
#[test]
#[ignore = "needs VISARD_DATA: the shared faces and scans"]
fn eyes_and_mouth_of_the_model_are_filled() {
    let vertices = points(&npy::read(&shared("faces_ict/ict_neutral.npy")).unwrap());
    let corners = npy::read(&shared("faces_ict/ict_faces.npy")).unwrap();
    let triangles = corners.data.chunks_exact(3).map(|c| [c[0] as usize, c[1] as usize, c[2] as usize]);
    let mesh = TriMesh::new(vertices, triangles.collect()).unwrap();
    let repaired = make_disk(mesh.clone(), None, &RepairSettings::default()).unwrap();
    assert_eq!(repaired.log.repairs.len(), 1);
    assert_eq!(repaired.log.repairs[0].kind, RepairKind::FilledHoles);
    assert_eq!(repaired.log.repairs[0].new_triangles, 40 + 40 + 72);
    assert_eq!(repaired.mesh.mesh().vertices(), mesh.vertices());
    assert!(topology(repaired.mesh.mesh()).degenerate_triangles.is_empty());
    let filled = repaired.mesh.mesh();
    let eyes = (mesh.triangles().len()..filled.triangles().len())
        .filter(|&t| filled.triangles()[t].iter().all(|&v| filled.vertices()[v].y > 2.0));
    assert!(eyes.clone().count() == 80 && eyes.into_iter().all(|t| filled.area_vector(t).z > 0.0));
}
