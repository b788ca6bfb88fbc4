//! Files taken apart again by readers written for the test, after the formats' own documents.

use super::*;
use crate::io::NamedField;
use crate::mesh::{Point, TriMesh, Vector};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::Value;

fn mesh() -> TriMesh {
    let v = [[0., 0., 0.], [1.5, 0., 0.25], [0., 2., -1.], [1., 1., 1.]].map(Point::from).to_vec();
    TriMesh::new(v, vec![[0, 1, 2], [1, 3, 2]]).unwrap()
}

fn plain(mesh: &TriMesh) -> SurfaceFile<'_> {
    SurfaceFile {
        mesh,
        unit: "mm",
        metres: Some(1e-3),
        fields: &[],
        ways: &[],
        dimensions: 3,
        about: &[],
        colours: None,
        internal: false,
    }
}

fn written(
    format: SurfaceFormat,
    mesh: &TriMesh,
    fields: &[NamedField],
    colours: Option<&[[u8; 3]]>,
) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    let file = SurfaceFile { fields, colours, ..plain(mesh) };
    file.write(&path, format).unwrap();
    std::fs::read(path).unwrap()
}

fn error() -> Vec<NamedField> {
    vec![NamedField { name: "error".into(), values: vec![0.1, -0.2, 0.3, 1e-9] }]
}

const COLOURS: [[u8; 3]; 4] = [[0, 128, 255], [1, 2, 3], [255, 255, 255], [9, 8, 7]];

/// The values of a data array of a `.vtp`.
fn array(text: &str, name: &str) -> Vec<u8> {
    let at = text.find(&format!("Name=\"{name}\"")).unwrap();
    let body = text[at..].split('>').nth(1).unwrap().split('<').next().unwrap();
    let bytes = BASE64.decode(body).unwrap();
    assert_eq!(u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize, bytes.len() - 8);
    bytes[8..].to_vec()
}

fn doubles(bytes: &[u8]) -> Vec<f64> {
    bytes.chunks_exact(8).map(|c| f64::from_le_bytes(c.try_into().unwrap())).collect()
}

#[test]
fn vtp_holds_every_bit() {
    let text = String::from_utf8(written(SurfaceFormat::Vtp, &mesh(), &error(), Some(&COLOURS))).unwrap();
    assert!(text.contains("NumberOfPoints=\"4\"") && text.contains("NumberOfPolys=\"2\""));
    let places: Vec<f64> = mesh().vertices().iter().flat_map(|p| [p.x, p.y, p.z]).collect();
    assert_eq!(doubles(&array(&text, "Points")), places);
    assert_eq!(doubles(&array(&text, "error")), error()[0].values);
    assert_eq!(array(&text, "RGB"), COLOURS.as_flattened());
    let whole = |name| {
        array(&text, name)
            .chunks_exact(8)
            .map(|c| i64::from_le_bytes(c.try_into().unwrap()))
            .collect::<Vec<_>>()
    };
    assert_eq!((whole("connectivity"), whole("offsets")), (vec![0, 1, 2, 1, 3, 2], vec![3, 6]));
}

#[test]
fn glb_has_its_chunks_bounds_and_scale() {
    let bytes = written(SurfaceFormat::Glb, &mesh(), &error(), Some(&COLOURS));
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!((&bytes[..4], word(4), word(8)), (&b"glTF"[..], 2, bytes.len()));
    let end = 20 + word(12);
    let document: Value = serde_json::from_slice(&bytes[20..end]).unwrap();
    let binary = &bytes[end + 8..];
    assert_eq!((word(end), word(12) % 4, &bytes[end + 4..end + 8]), (binary.len(), 0, &b"BIN\0"[..]));
    assert_eq!(document["buffers"][0]["byteLength"], binary.len());
    let attributes = &document["meshes"][0]["primitives"][0]["attributes"];
    let floats = |name: &str| -> Vec<f32> {
        let accessor = &document["accessors"][attributes[name].as_u64().unwrap() as usize];
        let view = &document["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let (at, length) = (view["byteOffset"].as_u64().unwrap(), view["byteLength"].as_u64().unwrap());
        let part = &binary[at as usize..(at + length) as usize];
        part.chunks_exact(4).map(|c| f32::from_le_bytes(c.try_into().unwrap())).collect()
    };
    assert_eq!(floats("_ERROR"), [0.1f32, -0.2, 0.3, 1e-9]);
    assert_eq!(floats("POSITION")[3..6], [1.5, 0.0, 0.25]);
    assert_eq!(document["accessors"][0]["max"], serde_json::json!([1.5, 2.0, 1.0]));
    // sRGB 128 is 21.6 % of the light.
    assert!((floats("COLOR_0")[1] - 0.2159).abs() < 1e-3 && floats("COLOR_0")[2] == 1.0);
    assert!(
        floats("NORMAL").chunks_exact(3).all(|n| (n.iter().map(|c| c * c).sum::<f32>() - 1.0).abs() < 1e-5)
    );
    assert_eq!(document["nodes"][0]["scale"][0], 1e-3);
}

#[test]
fn ply_has_field_and_colours_and_reads_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.ply");
    let (mesh, fields) = (mesh(), error());
    let file = SurfaceFile { metres: None, fields: &fields, colours: Some(&COLOURS), ..plain(&mesh) };
    file.write(&path, SurfaceFormat::of(&path).unwrap()).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let end = bytes.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
    let header = String::from_utf8_lossy(&bytes[..end]).replace('\r', "");
    assert!(header.contains("property double z\nproperty float error\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n"), "{header}");
    // A vertex: 24 bytes of coordinates, 4 of the field, 3 of colour.
    let second = &bytes[end + 31..end + 62];
    assert_eq!(second[24..28], (-0.2f32).to_le_bytes());
    assert_eq!(second[28..], COLOURS[1]);
    let scan = crate::io::read_scan(&path).unwrap();
    assert_eq!((scan.vertices, scan.triangles), (mesh.vertices().to_vec(), Some(mesh.triangles().to_vec())));
}

#[test]
fn tables_read_back_and_leave_blank_what_is_not_there() {
    let mut fields = error();
    fields[0].values[2] = f64::NAN;
    let text = String::from_utf8(written(SurfaceFormat::Csv, &mesh(), &fields, None)).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "vertex,x,y,z,error");
    assert_eq!((lines[2], lines[3]), ("1,1.5,0,0.25,-0.2", "2,0,2,-1,"));
}

#[test]
fn what_does_not_fit_is_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let (mesh, cloud) = (mesh(), TriMesh::new(vec![Point::origin(); 3], vec![]).unwrap());
    let short = [NamedField { name: "error".into(), values: vec![1.0] }];
    let odd = [NamedField { name: "\"><x".into(), values: vec![0.0; 4] }];
    for fields in [&short[..], &odd[..]] {
        for format in [SurfaceFormat::Ply, SurfaceFormat::Vtp, SurfaceFormat::Glb, SurfaceFormat::Csv] {
            let file = SurfaceFile { fields, ..plain(&mesh) };
            assert!(file.write(&folder.path().join("x"), format).is_err());
        }
    }
    let far = TriMesh::new(vec![Point::new(1e300, 0.0, 0.0)], vec![]).unwrap();
    for mesh in [&TriMesh::default(), &far] {
        let file = plain(mesh);
        assert!(file.write(&folder.path().join("x"), SurfaceFormat::Glb).is_err());
    }
    assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none());
    // A cloud is no error anywhere.
    let file = plain(&cloud);
    for format in [SurfaceFormat::Ply, SurfaceFormat::Vtp, SurfaceFormat::Glb, SurfaceFormat::Csv] {
        file.write(&folder.path().join("y"), format).unwrap();
    }
}

#[test]
fn obj_and_stl_are_read_back_and_bear_the_mark() {
    let folder = tempfile::tempdir().unwrap();
    for (name, exact) in [("a.obj", true), ("a.stl", false)] {
        for internal in [false, true] {
            let path = folder.path().join(name);
            let (mesh, colours) = (mesh(), Some(COLOURS.as_slice()));
            let file = SurfaceFile { colours, internal, ..plain(&mesh) };
            file.write(&path, SurfaceFormat::of(&path).unwrap()).unwrap();
            let found = crate::io::read_scan(&path).unwrap();
            // These coordinates are single precision too.
            assert_eq!(found.vertices.len(), 4, "{name}");
            if exact {
                assert_eq!(found.vertices, mesh.vertices());
            }
            let opened = crate::io::open(&path, crate::io::Limit::SCAN).unwrap();
            assert_eq!(crate::io::internal::is_marked(&opened), internal, "{name}");
        }
    }
    let stl = std::fs::read(folder.path().join("a.stl")).unwrap();
    assert_eq!(stl.len(), 84 + 2 * 50);
    // The first triangle's normal, by hand: (1.5, 0, .25) x (0, 2, -1) = (-.5, 1.5, 3).
    let normal: Vec<f32> =
        stl[84..96].chunks_exact(4).map(|c| f32::from_le_bytes(c.try_into().unwrap())).collect();
    let length = (0.25f32 + 2.25 + 9.0).sqrt();
    for (found, wanted) in normal.iter().zip([-0.5, 1.5, 3.0]) {
        assert!((found - wanted / length).abs() < 1e-6, "{normal:?}");
    }
}

fn ways() -> Vec<Way> {
    let moves = |by: [[f64; 3]; 4]| by.map(Vector::from).to_vec();
    vec![
        Way { name: "mode 1".into(), moves: moves([[1., 0., 0.], [0., 2., 0.], [0.; 3], [0., 0., 0.5]]) },
        Way { name: "mode 2".into(), moves: moves([[0.5, 0., 0.], [0., 0., 1.], [0.; 3], [0.; 3]]) },
    ]
}

/// Where the bytes of an array are, by the one place in the file where its values stand.
fn floats_at(bytes: &[u8], first: &[f32], count: usize) -> Vec<f32> {
    let needle: Vec<u8> = first.iter().flat_map(|x| x.to_le_bytes()).collect();
    let at = bytes.windows(needle.len()).position(|part| part == needle).unwrap();
    let numbers = bytes[at..at + 4 * count].chunks_exact(4);
    numbers.map(|c| f32::from_le_bytes(c.try_into().unwrap())).collect()
}

#[test]
fn a_model_of_statismo_has_the_covariance_of_the_modes_and_says_the_same_twice() {
    let (mesh, ways, folder) = (mesh(), ways(), tempfile::tempdir().unwrap());
    let path = folder.path().join("model.h5");
    let about = [("standing", "may be published".to_owned())];
    let file = SurfaceFile { ways: &ways, about: &about, ..plain(&mesh) };
    file.write(&path, SurfaceFormat::of(&path).unwrap()).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    file.write(&path, SurfaceFormat::Statismo).unwrap();
    assert_eq!(bytes, std::fs::read(&path).unwrap());
    assert_eq!(bytes[..8], *b"\x89HDF\r\n\x1a\n");
    assert_eq!(u64::from_le_bytes(bytes[40..48].try_into().unwrap()), bytes.len() as u64);
    for word in [
        "model",
        "pcaBasis",
        "pcaVariance",
        "noiseVariance",
        "representer",
        "POLYGON_MESH",
        "may be published",
    ] {
        let found = bytes.windows(word.len()).any(|part| part == word.as_bytes());
        assert!(found, "{word}");
    }
    // By hand: the Gram matrix of the modes is [[5.25, .5], [.5, 1.25]].
    let (half, apart) = (3.25_f64, (4.0f64 + 0.25).sqrt());
    let variances = [half + apart, half - apart].map(|v| v as f32);
    assert_eq!(floats_at(&bytes, &variances[..1], 2).len(), 2);
    let mean = floats_at(&bytes, &[0., 0., 0., 1.5], 12);
    assert_eq!(mean[9..], [1., 1., 1.]);
    let none = plain(&mesh);
    assert!(none.write(&folder.path().join("x"), SurfaceFormat::Statismo).is_err());
}

#[test]
fn ways_are_morph_targets_and_vectors() {
    let (mesh, ways, folder) = (mesh(), ways(), tempfile::tempdir().unwrap());
    let file = SurfaceFile { ways: &ways, ..plain(&mesh) };
    let path = folder.path().join("x");
    file.write(&path, SurfaceFormat::Glb).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let document: Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    let mesh_told = &document["meshes"][0];
    assert_eq!(mesh_told["extras"]["targetNames"], serde_json::json!(["mode 1", "mode 2"]));
    assert_eq!(mesh_told["weights"], serde_json::json!([0.0, 0.0]));
    let second = mesh_told["primitives"][0]["targets"][1]["POSITION"].as_u64().unwrap() as usize;
    let accessor = &document["accessors"][second];
    assert_eq!(accessor["max"], serde_json::json!([0.5, 0.0, 1.0]));
    let view = &document["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let at = 28 + length + view["byteOffset"].as_u64().unwrap() as usize;
    assert_eq!(bytes[at..at + 4], 0.5f32.to_le_bytes());
    file.write(&path, SurfaceFormat::Vtp).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("Name=\"mode 2\" NumberOfComponents=\"3\""));
    for (name, moves) in [("<", 4), ("", 4), ("a", 3)] {
        let wrong = [Way { name: name.into(), moves: vec![Vector::zeros(); moves] }];
        assert!(SurfaceFile { ways: &wrong, ..plain(&mesh) }.write(&path, SurfaceFormat::Vtp).is_err());
    }
}

#[test]
fn markups_are_read_back_as_landmarks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mrk.json");
    plain(&mesh()).write(&path, SurfaceFormat::of(&path).unwrap()).unwrap();
    let found = crate::io::read_landmarks(&path).unwrap();
    assert_eq!(found.len(), 4);
    assert!(found.iter().zip(mesh().vertices()).all(|(l, p)| l.position == *p));
}
