//! The shared faces and scans; skipped loudly when they are absent (`VISARD_DATA` says where they are).

use std::path::{Path, PathBuf};
use visard::conformal::{Quality, SurfacePoint, disk_map};
use visard::io::npy;
use visard::mesh::{DiskMesh, Point, TriMesh};

fn data(part: &str) -> Option<PathBuf> {
    let root = std::env::var_os("VISARD_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"), PathBuf::from);
    let path = root.join(part);
    if path.exists() {
        return Some(path);
    }
    eprintln!("SKIPPED: {} is absent; set VISARD_DATA to the shared data", path.display());
    None
}

/// Reads the one PLY layout the shared data have: binary little endian, float x y z, uchar-int triangles.
fn read_ply(path: &Path) -> DiskMesh {
    let bytes = std::fs::read(path).unwrap();
    let end = b"end_header\n";
    let start = bytes.windows(end.len()).position(|w| w == end).unwrap() + end.len();
    let header = std::str::from_utf8(&bytes[..start]).unwrap();
    let count = |name: &str| -> usize {
        let line = header.lines().find(|l| l.starts_with(&format!("element {name} "))).unwrap();
        line.rsplit(' ').next().unwrap().parse().unwrap()
    };
    let (n, m) = (count("vertex"), count("face"));
    let vertices = bytes[start..start + 12 * n]
        .chunks_exact(12)
        .map(|b| {
            let at = |k: usize| f64::from(f32::from_le_bytes(b[4 * k..4 * k + 4].try_into().unwrap()));
            Point::new(at(0), at(1), at(2))
        })
        .collect();
    let triangles = bytes[start + 12 * n..start + 12 * n + 13 * m]
        .chunks_exact(13)
        .map(|b| [0, 1, 2].map(|k| i32::from_le_bytes(b[1 + 4 * k..5 + 4 * k].try_into().unwrap()) as usize))
        .collect();
    DiskMesh::try_new(TriMesh::new(vertices, triangles).unwrap()).unwrap()
}

/// Maps, recentres on the foremost vertex, and measures.
fn flatten(name: &str, disk: &DiskMesh) -> Quality {
    let mut map = disk_map(disk).unwrap();
    let quality = Quality::measure(disk, &map).unwrap();
    assert_eq!(quality.flipped_triangles, 0, "{name}");
    assert!(quality.boundary_deviation < 1e-15, "{name}");
    assert!(map.is_bijective(disk), "{name}");
    // The vertex nearest the middle of the map stands for the nose: scans come in any pose.
    let centre = (0..map.z.len()).min_by(|&a, &b| map.z[a].norm().total_cmp(&map.z[b].norm())).unwrap();
    map.recentre(disk, &SurfacePoint::Vertex(centre), &SurfacePoint::Vertex(disk.boundary()[0])).unwrap();
    assert!(map.is_bijective(disk) && map.z[centre].norm() == 0.0, "{name}");
    quality
}

#[test]
fn homologous_faces_beat_the_published_method() {
    let Some(folder) = data("faces_simpop") else { return };
    let vertices = npy::read(&folder.join("simpop_vertices.npy")).unwrap();
    let triangles = npy::read(&folder.join("simpop_faces.npy")).unwrap();
    let triangles: Vec<[usize; 3]> =
        triangles.data.chunks_exact(3).map(|t| [t[0], t[1], t[2]].map(|i| i as usize)).collect();
    let mut means = Vec::new();
    for (i, face) in vertices.data.chunks_exact(3 * vertices.shape[1]).enumerate() {
        let vertices = face.chunks_exact(3).map(|p| Point::new(p[0], p[1], p[2])).collect();
        let disk = DiskMesh::try_new(TriMesh::new(vertices, triangles.clone()).unwrap()).unwrap();
        means.push(flatten(&format!("face {i}"), &disk).angle_distortion_deg.mean);
    }
    assert_eq!(means.len(), 30);
    // Choi and Lui's code: 0.8501° on one of these faces; boundary first flattening: 1.3050°.
    let average = means.iter().sum::<f64>() / 30.0;
    assert!(average < 0.85 && means.iter().all(|m| *m < 0.90), "{average} {means:?}");
}

#[test]
fn the_filled_model_face_beats_the_published_method() {
    let Some(path) = data("correspondence/ict/template.ply") else { return };
    let quality = flatten("template", &read_ply(&path));
    // Choi and Lui's code: 1.4093° and 0.02525; boundary first flattening: 1.4136°.
    assert!(quality.angle_distortion_deg.mean < 1.34, "{quality:?}");
    assert!(quality.beltrami.mean < 0.0236, "{quality:?}");
}

#[test]
fn every_scan_is_mapped_without_a_flip() {
    let Some(folder) = data("correspondence") else { return };
    let mut scans = 0;
    // Limits: what triangles of scans of that quality leave possible, with a margin of some percent.
    for (grade, limit) in [("clean", 1.0), ("std", 1.2), ("hard", 6.0)] {
        for family in ["ict", "simpop"] {
            for subject in 1..=4 {
                let path = folder.join(format!("{family}/{grade}/s0{subject}/scan.ply"));
                let quality = flatten(&path.display().to_string(), &read_ply(&path));
                assert!(quality.angle_distortion_deg.mean < limit, "{family} {grade} {subject}: {quality:?}");
                scans += 1;
            }
        }
    }
    assert_eq!(scans, 24);
}
