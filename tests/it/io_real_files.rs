//! Reading the files that ship and files of synthetic people; and the real meshes, scans and landmarks of the shared data, against the
//! counts their README gives.

use std::path::Path;
use visard::io::{landmarks, list_scans, npy, read_landmarks, read_scan, write_npy, write_ply};
use visard::mesh::TriMesh;
use visard::synth::{ScanConditions, SimulatedScan, builtin_landmarks, builtin_template, person};

use crate::shared_data::shared;

fn asset(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(name)
}

/// Not even a bit changes.
fn written_and_read_again_is_the_same(mesh: &TriMesh) {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.ply");
    write_ply(&copy, mesh).unwrap();
    let again = read_scan(&copy).unwrap();
    assert_eq!(again.vertices, mesh.vertices());
    assert_eq!(again.triangles.unwrap_or_default(), mesh.triangles());
}

#[test]
fn the_template_file_is_the_builtin_template() {
    let scan = read_scan(&asset("template_face.ply")).unwrap();
    let triangles = scan.triangles.unwrap();
    assert_eq!((scan.vertices.len(), triangles.len()), (7766, 15_376));
    let template = builtin_template();
    assert_eq!((&scan.vertices[..], &triangles[..]), (template.vertices(), template.triangles()));
    written_and_read_again_is_the_same(template);
}

#[test]
fn the_templates_landmarks_lie_on_the_vertices_their_file_names() {
    let read = read_landmarks(&asset("template_landmarks.csv")).unwrap();
    let named = builtin_landmarks().named();
    assert_eq!(read.len(), named.len());
    for (landmark, (name, vertex)) in read.iter().zip(named) {
        assert_eq!(landmark.name.as_deref(), Some(name));
        // The table has three decimals.
        let apart = landmark.position - builtin_template().vertices()[vertex];
        assert!(apart.amax() <= 0.000_501, "{name}: {apart}");
    }
    assert_eq!(landmarks::nose_tip(&read), Some(read[0].position));
}

/// A person's folder: the scan, and where the nose tip and the corners of the eyes are in it.
fn write_person(folder: &Path, scan: &SimulatedScan) {
    std::fs::create_dir(folder).unwrap();
    let cloud = TriMesh::new(scan.points.clone(), Vec::new()).unwrap();
    write_ply(&folder.join("scan.ply"), &cloud).unwrap();
    let face = builtin_template().with_vertices(scan.truth.clone()).unwrap();
    std::fs::write(folder.join("landmarks.csv"), builtin_landmarks().to_csv(&face)).unwrap();
}

#[test]
fn folders_of_people_with_landmarks_beside_them_list_the_scans_only() {
    let folder = tempfile::tempdir().unwrap();
    let people: Vec<_> = (0..3).map(|i| folder.path().join(format!("s0{i}"))).collect();
    let made: Vec<_> = (0..3).map(|i| person(6, i, &ScanConditions::hard())).collect();
    people.iter().zip(&made).for_each(|(folder, scan)| write_person(folder, scan));
    let scans = list_scans(&people).unwrap();
    assert_eq!(scans, people.iter().map(|folder| folder.join("scan.ply")).collect::<Vec<_>>());
    for (file, scan) in scans.iter().zip(&made) {
        assert_eq!(read_scan(file).unwrap().vertices, scan.points);
        let marks = read_landmarks(&file.with_file_name("landmarks.csv")).unwrap();
        let tip = landmarks::nose_tip(&marks).unwrap();
        assert!((tip - scan.truth[builtin_landmarks().nose_tip]).amax() <= 0.000_501);
    }
}

#[test]
fn an_array_of_a_persons_points_is_a_scan_and_one_of_people_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("person.npy");
    let points = person(6, 0, &ScanConditions::clean()).points;
    let numbers: Vec<f64> = points.iter().flat_map(|p| [p.x, p.y, p.z]).collect();
    write_npy(&file, &[points.len(), 3], &numbers).unwrap();
    assert_eq!(read_scan(&file).unwrap().vertices, points);
    write_npy(&file, &[2, points.len() / 2, 3], &numbers).unwrap();
    let many = read_scan(&file).unwrap_err().to_string();
    assert!(
        many.ends_with("holds an array of shape [2, 3575, 3], a scan is p × 3, a row for each point"),
        "{many}"
    );
}

#[test]
#[ignore = "needs VISARD_DATA: the shared meshes, scans and landmarks"]
fn template_and_raw_scan_have_the_counts_the_readme_gives() {
    let data = shared("");
    for (file, n_vertices, n_triangles) in [
        ("faces_simpop/template.ply", 7160, 14050),
        ("scans/demo_face_10k.ply", 10_000, 18_324),
        ("correspondence/simpop/template.ply", 7160, 14_050),
    ] {
        let scan = read_scan(&data.join(file)).unwrap();
        let triangles = scan.triangles.unwrap();
        assert_eq!((scan.vertices.len(), triangles.len()), (n_vertices, n_triangles), "{file}");
        written_and_read_again_is_the_same(&TriMesh::new(scan.vertices, triangles).unwrap());
    }
}

#[test]
#[ignore = "needs VISARD_DATA: the shared meshes, scans and landmarks"]
fn landmarks_lie_on_the_vertices_their_file_names() {
    let data = shared("");
    for (scan, table, nose_vertex, distance) in [
        ("faces_simpop/template.ply", "faces_simpop/template_landmarks.csv", 3767, 1.4),
        ("scans/demo_face_10k.ply", "scans/demo_face_landmarks.csv", 6760, 1.7),
    ] {
        let vertices = read_scan(&data.join(scan)).unwrap().vertices;
        let landmarks = read_landmarks(&data.join(table)).unwrap();
        assert_eq!(landmarks.len(), 5);
        assert_eq!(landmarks[0].name.as_deref(), Some("inner_eye_corner_right"));
        let tip = landmarks::nose_tip(&landmarks).unwrap();
        assert_eq!(tip, landmarks[2].position);
        assert!((vertices[nose_vertex] - tip).norm() < distance);
    }
    let named_by_region = read_landmarks(&data.join("faces_ict/ict_landmarks68.csv")).unwrap();
    let neutral = npy::read(&data.join("faces_ict/ict_neutral.npy")).unwrap();
    assert_eq!(named_by_region.len(), 68);
    let tip = &neutral.data[3 * 4857..][..3];
    let landmark = named_by_region[30].position;
    assert!((0..3).all(|k| (landmark[k] - tip[k]).abs() < 1e-4), "landmark 30 is vertex 4857");
}

#[test]
#[ignore = "needs VISARD_DATA: the shared meshes, scans and landmarks"]
fn folders_of_scans_with_landmarks_beside_them_list_the_scans_only() {
    let data = shared("");
    let people: Vec<_> = (1..=4).map(|k| data.join(format!("correspondence/ict/hard/s0{k}"))).collect();
    let scans = list_scans(&people).unwrap();
    let expected: Vec<_> = people.iter().map(|folder| folder.join("scan.ply")).collect();
    assert_eq!(scans, expected);
    for scan in scans {
        assert!(read_scan(&scan).unwrap().vertices.len() > 1000);
        assert_eq!(read_landmarks(&scan.with_file_name("landmarks.csv")).unwrap().len(), 5);
    }
    assert_eq!(list_scans(&[data.join("scans")]).unwrap(), [data.join("scans/demo_face_10k.ply")]);
}

#[test]
#[ignore = "needs VISARD_DATA: the shared meshes, scans and landmarks"]
fn an_array_of_points_is_a_scan() {
    let data = shared("");
    assert_eq!(read_scan(&data.join("faces_ict/ict_neutral.npy")).unwrap().vertices.len(), 6706);
    let many = read_scan(&data.join("faces_simpop/simpop_vertices.npy")).unwrap_err().to_string();
    assert!(
        many.ends_with("holds an array of shape [30, 7160, 3], a scan is p × 3, a row for each point"),
        "{many}"
    );
}
