//! Any mesh or cloud, written in every format by the few lines here that know it, is read as it was.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::fmt::Write;
use visard::io::{Scan, read_scan, write_npy, write_ply};
use visard::mesh::{Point, TriMesh};

/// What a file's ending and content are.
type File = (&'static str, Vec<u8>);

fn read(&(ending, ref content): &File) -> Scan {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("scan.{ending}"));
    std::fs::write(&path, content).unwrap();
    read_scan(&path).unwrap_or_else(|e| panic!("{e}\n{}", String::from_utf8_lossy(content)))
}

fn bits(points: &[Point]) -> Vec<[u64; 3]> {
    points.iter().map(|p| [p.x, p.y, p.z].map(f64::to_bits)).collect()
}

fn coordinate() -> impl Strategy<Value = f64> {
    use proptest::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    prop_oneof![-300.0..300.0, POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO]
}

fn cloud() -> impl Strategy<Value = Vec<Point>> {
    prop::collection::vec([coordinate(), coordinate(), coordinate()].prop_map(Point::from), 1..40)
}

fn mesh() -> impl Strategy<Value = (Vec<Point>, Vec<[usize; 3]>)> {
    cloud().prop_flat_map(|vertices| {
        let index = 0..vertices.len();
        let triangles = prop::collection::vec([index.clone(), index.clone(), index], 1..60);
        (Just(vertices), triangles)
    })
}

fn ply_header(encoding: &str, scalar: &str, n_vertices: usize, n_faces: usize) -> String {
    format!(
        "ply\nformat {encoding} 1.0\ncomment written by a test\nelement vertex {n_vertices}\nproperty {scalar} x\n\
         property {scalar} y\nproperty {scalar} z\nelement face {n_faces}\n\
         property list uchar uint vertex_indices\nend_header\n"
    )
}

fn ascii_ply(vertices: &[Point], triangles: &[[usize; 3]]) -> File {
    let mut out = ply_header("ascii", "double", vertices.len(), triangles.len());
    vertices.iter().for_each(|p| writeln!(out, "{:e} {:e} {:e}", p.x, p.y, p.z).unwrap());
    triangles.iter().for_each(|t| writeln!(out, "3 {} {} {}", t[0], t[1], t[2]).unwrap());
    ("ply", out.into_bytes())
}

fn binary_ply(vertices: &[Point], triangles: &[[usize; 3]], big: bool) -> File {
    let encoding = if big { "binary_big_endian" } else { "binary_little_endian" };
    let mut out = ply_header(encoding, "double", vertices.len(), triangles.len()).into_bytes();
    for c in vertices.iter().flat_map(|p| [p.x, p.y, p.z]) {
        out.extend(if big { c.to_be_bytes() } else { c.to_le_bytes() });
    }
    for t in triangles {
        out.push(3);
        t.iter()
            .for_each(|&i| out.extend(if big { (i as u32).to_be_bytes() } else { (i as u32).to_le_bytes() }));
    }
    ("ply", out)
}

fn obj(vertices: &[Point], triangles: &[[usize; 3]], relative: bool) -> File {
    let mut out = String::from("# written by a test\r\nvt 0 0\r\n");
    vertices.iter().for_each(|p| writeln!(out, "v {} {} {}\r", p.x, p.y, p.z).unwrap());
    for t in triangles {
        let [a, b, c] = t.map(|i| if relative { i as i64 - vertices.len() as i64 } else { i as i64 + 1 });
        writeln!(out, "f {a}/1 {b}//2 {c}/3/4\r").unwrap();
    }
    ("obj", out.into_bytes())
}

fn ascii_stl(corners: &[[Point; 3]]) -> File {
    let mut out = String::from("solid of a test\n");
    for corners in corners {
        out += "facet normal 0 0 0\nouter loop\n";
        corners.iter().for_each(|p| writeln!(out, "vertex {:e} {:e} {:e}", p.x, p.y, p.z).unwrap());
        out += "endloop\nendfacet\n";
    }
    ("stl", (out + "endsolid of a test\n").into_bytes())
}

fn binary_stl(corners: &[[Point; 3]]) -> File {
    let mut out = b"solid as some writers begin".to_vec();
    out.resize(80, 0);
    out.extend((corners.len() as u32).to_le_bytes());
    for corners in corners {
        out.extend([0; 12]);
        corners.iter().flat_map(|p| [p.x, p.y, p.z]).for_each(|c| out.extend((c as f32).to_le_bytes()));
        out.extend([0; 2]);
    }
    ("stl", out)
}

/// Every corner at its place, and no two vertices at one place.
fn assert_welded(scan: &Scan, corners: &[[Point; 3]]) {
    let triangles = scan.triangles.as_ref().unwrap();
    let found: Vec<_> = triangles.iter().map(|t| t.map(|i| scan.vertices[i])).collect();
    assert_eq!(found, corners);
    for (k, p) in scan.vertices.iter().enumerate() {
        assert!(!scan.vertices[..k].contains(p), "{p} is there twice");
    }
    // Numbered by first appearance.
    let mut seen = 0;
    for &i in triangles.iter().flatten() {
        assert!(i <= seen);
        seen = seen.max(i + 1);
    }
    assert_eq!(seen, scan.vertices.len());
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        rng_seed: RngSeed::Fixed(1994),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn meshes_keep_every_bit_and_every_triangle((vertices, triangles) in mesh()) {
        for file in [
            ascii_ply(&vertices, &triangles),
            binary_ply(&vertices, &triangles, false),
            binary_ply(&vertices, &triangles, true),
            obj(&vertices, &triangles, false),
            obj(&vertices, &triangles, true),
        ] {
            let scan = read(&file);
            prop_assert_eq!(bits(&scan.vertices), bits(&vertices));
            prop_assert_eq!(scan.triangles.as_ref(), Some(&triangles));
        }
    }

    #[test]
    fn our_own_ply_keeps_every_bit((vertices, triangles) in mesh()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ours.ply");
        let mesh = TriMesh::new(vertices.clone(), triangles.clone()).unwrap();
        write_ply(&path, &mesh).unwrap();
        let scan = read_scan(&path).unwrap();
        prop_assert_eq!(bits(&scan.vertices), bits(&vertices));
        prop_assert_eq!(scan.triangles, Some(triangles));
        write_ply(&path, &TriMesh::new(vertices, vec![]).unwrap()).unwrap();
        prop_assert_eq!(read_scan(&path).unwrap().triangles, None);
    }

    #[test]
    fn stl_welds_equal_corners_only((vertices, triangles) in mesh()) {
        let corners: Vec<_> = triangles.iter().map(|t| t.map(|i| vertices[i])).collect();
        assert_welded(&read(&ascii_stl(&corners)), &corners);
        // Binary STL is of single precision, beyond the range of which a coordinate would be infinite.
        let single = |c: f64| f64::from(c.clamp(-3e38, 3e38) as f32);
        let corners: Vec<_> = corners.iter().map(|t| t.map(|p| p.map(single))).collect();
        assert_welded(&read(&binary_stl(&corners)), &corners);
    }

    #[test]
    fn clouds_keep_every_bit(vertices in cloud(), separator in 0..5usize, extra in any::<bool>()) {
        let (ending, s) = [("xyz", " "), ("csv", ","), ("txt", ";"), ("pts", "\t"), ("asc", ", ")][separator];
        let rest = if extra { format!("{s}0.5{s}-7") } else { String::new() };
        let rows: String = vertices.iter().map(|p| format!("{:e}{s}{:e}{s}{:e}{rest}\n", p.x, p.y, p.z)).collect();
        let heading = format!("x{s}y{s}z{}\n", if extra { format!("{s}a{s}b") } else { String::new() });
        for text in [format!("{heading}{rows}"), format!("\u{feff}{heading}{rows}").replace('\n', "\r\n")] {
            let scan = read(&(ending, text.into_bytes()));
            prop_assert_eq!(bits(&scan.vertices), bits(&vertices));
            prop_assert_eq!(scan.triangles, None);
        }
    }

    #[test]
    fn arrays_keep_every_bit(vertices in cloud()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cloud.npy");
        let data: Vec<f64> = vertices.iter().flat_map(|p| [p.x, p.y, p.z]).collect();
        write_npy(&path, &[vertices.len(), 3], &data).unwrap();
        prop_assert_eq!(bits(&read_scan(&path).unwrap().vertices), bits(&vertices));
    }
}
