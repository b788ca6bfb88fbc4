//! Reading the real meshes, scans and landmarks of the shared data, against the counts its README gives.

use std::path::PathBuf;
use visard::io::{landmarks, list_scans, npy, read_landmarks, read_scan, write_ply};
use visard::mesh::TriMesh;

/// The folder of shared data, or nothing said loudly.
fn data() -> Option<PathBuf> {
    let folder = std::env::var_os("VISARD_DATA")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data")), PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("SKIPPED: the shared data are not there; set VISARD_DATA to their folder");
    None
}

#[test]
fn template_and_raw_scan_have_the_counts_the_readme_gives() {
    let Some(data) = data() else { return };
    for (file, n_vertices, n_triangles) in [
        ("faces_simpop/template.ply", 7160, 14050),
        ("scans/demo_face_10k.ply", 10_000, 18_324),
        ("correspondence/simpop/template.ply", 7160, 14_050),
    ] {
        let scan = read_scan(&data.join(file)).unwrap();
        let triangles = scan.triangles.unwrap();
        assert_eq!((scan.vertices.len(), triangles.len()), (n_vertices, n_triangles), "{file}");
        // Written and read again, nothing changes, not even a bit.
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("copy.ply");
        let mesh = TriMesh::new(scan.vertices.clone(), triangles.clone()).unwrap();
        write_ply(&copy, &mesh).unwrap();
        let again = read_scan(&copy).unwrap();
        assert_eq!((again.vertices, again.triangles), (scan.vertices, Some(triangles)), "{file}");
    }
}

#[test]
fn landmarks_lie_on_the_vertices_their_file_names() {
    let Some(data) = data() else { return };
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
fn folders_of_scans_with_landmarks_beside_them_list_the_scans_only() {
    let Some(data) = data() else { return };
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
fn an_array_of_points_is_a_scan() {
    let Some(data) = data() else { return };
    assert_eq!(read_scan(&data.join("faces_ict/ict_neutral.npy")).unwrap().vertices.len(), 6706);
    let many = read_scan(&data.join("faces_simpop/simpop_vertices.npy")).unwrap_err().to_string();
    assert!(
        many.ends_with("holds an array of shape [30, 7160, 3], a scan is p × 3, a row for each point"),
        "{many}"
    );
}
