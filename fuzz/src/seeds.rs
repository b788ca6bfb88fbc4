//! Small valid files of every kind, made here: what is broken on purpose begins with them.

use std::sync::LazyLock;
use visard::io::shapes::{ShapeRecord, write_tps};
use visard::io::{npy, write_bytes};
use visard::privacy::Mu;
use visard::study::Place;
use visard::study::shape::{ShapeInputs, ShapeMeanSettings, run_mean};
use visard::synth::{FaceParameters, ShapeParameter, outline_population, template_to_ply};

fn text(lines: &[&str]) -> Vec<u8> {
    (lines.join("\n") + "\n").into_bytes()
}

fn array(shape: &[usize], value: impl Fn(usize) -> f64) -> Vec<u8> {
    let (mut out, count) = (Vec::new(), shape.iter().product());
    let data: Vec<f64> = (0..count).map(value).collect();
    // Writing to memory does not fail.
    let _ = npy::write_to(&mut out, shape, &data);
    out
}

/// Parquet files with a list in each row: plain and compressed, with empty lists and missing values.
pub fn parquet() -> Vec<Vec<u8>> {
    use parquet::basic::Compression;
    use parquet::data_type::{DoubleType, FloatType};
    use parquet::errors::Result;
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
    let written =
        |schema: &str,
         compression,
         write: &dyn Fn(&mut SerializedRowGroupWriter<'_, Vec<u8>>) -> Result<()>| {
            let schema = std::sync::Arc::new(parquet::schema::parser::parse_message_type(schema)?);
            let properties = WriterProperties::builder().set_compression(compression).build();
            let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties.into())?;
            for _ in 0..2 {
                let mut group = writer.next_row_group()?;
                write(&mut group)?;
                group.close()?;
            }
            writer.into_inner()
        };
    let plain = written("message m { repeated double x; }", Compression::UNCOMPRESSED, &|group| {
        if let Some(mut column) = group.next_column()? {
            let values: Vec<f64> = (0..12).map(f64::from).collect();
            column.typed::<DoubleType>().write_batch(&values, Some(&[1; 12]), Some(&[0, 1, 1].repeat(4)))?;
            column.close()?;
        }
        Ok(())
    });
    let schema = "message m { optional group x (LIST) { repeated group list { optional float element; } } }";
    let optional = written(schema, Compression::SNAPPY, &|group| {
        if let Some(mut column) = group.next_column()? {
            let levels: (&[i16], &[i16]) = (&[3, 2, 3, 1, 0, 3], &[0, 1, 1, 0, 0, 0]);
            column.typed::<FloatType>().write_batch(&[1.5, 2.0, 7.0], Some(levels.0), Some(levels.1))?;
            column.close()?;
        }
        Ok(())
    });
    // Writing to memory does not fail.
    [plain, optional].into_iter().flatten().collect()
}

fn array_of(kind: &str, fortran: bool, shape: &str, body: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let header = format!("{{'descr': '{kind}', 'fortran_order': {order}, 'shape': ({shape}), }}\n");
    [b"\x93NUMPY\x01\0", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), body].concat()
}

/// Meshes in PLY: text, both orders of bytes, lists and properties of other kinds among them.
pub fn ply() -> Vec<Vec<u8>> {
    let header = |format: &str, more: &str| {
        format!(
            "ply\nformat {format} 1.0\ncomment made\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n{more}element face 2\n\
             property list uchar int vertex_indices\nend_header\n"
        )
        .into_bytes()
    };
    let places = [[0f32, 0., 0.], [1., 0., 0.], [1., 1., 0.5], [0., 1., 0.]];
    let binary = |big: bool| {
        let mut out = Vec::new();
        places
            .as_flattened()
            .iter()
            .for_each(|c| out.extend(if big { c.to_be_bytes() } else { c.to_le_bytes() }));
        for face in [[0i32, 1, 2], [0, 2, 3]] {
            out.push(3);
            face.iter().for_each(|i| out.extend(if big { i.to_be_bytes() } else { i.to_le_bytes() }));
        }
        out
    };
    let colours = "property uchar red\nproperty list uchar short ring\n";
    vec![
        [header("ascii", ""), text(&["0 0 0", "1 0 0", "1 1 0.5", "0 1 0", "3 0 1 2", "3 0 2 3"])].concat(),
        [
            header("ascii", colours),
            text(&["0 0 0 9 0", "1 0 0 9 1 7", "1 1 .5 9 0", "0 1 0 9 0", "4 0 1 2 3", "3 0 2 3"]),
        ]
        .concat(),
        [header("binary_little_endian", ""), binary(false)].concat(),
        [header("binary_big_endian", ""), binary(true)].concat(),
    ]
}

/// Meshes in Wavefront OBJ.
pub fn obj() -> Vec<Vec<u8>> {
    vec![
        text(&[
            "# made",
            "mtllib a.mtl",
            "v 0 0 0",
            "v 1 0 0 .5 .5 .5",
            "v 1 1 0.5",
            "v 0 1 0",
            "vt 0 0",
            "vn 0 0 1",
            "f 1/1 2//1 \\",
            " 3",
            "f -4 -2 -1",
        ]),
        text(&[
            "o a",
            "v 0 0 0",
            "v 1 0 0",
            "v 1 1 0",
            "v 0 1 0",
            "f 1/1/1 2/1/1 3/1/1 4/1/1",
            "g b",
            "s off",
            "usemtl c",
            "f 1 2 3",
        ]),
    ]
}

/// Meshes in STL, in text and in binary.
pub fn stl() -> Vec<Vec<u8>> {
    let facet = [
        "facet normal 0 0 1",
        "outer loop",
        "vertex 0 0 0",
        "vertex 1 0 0",
        "vertex 1 1 0",
        "endloop",
        "endfacet",
    ];
    let mut binary = vec![b' '; 80];
    binary.extend(2u32.to_le_bytes());
    (0..2).for_each(|k| binary.extend((0..50u8).map(|b| if b % 4 == 3 { 0x40 } else { b + k })));
    vec![text(&[&["solid a"], &facet[..], &facet[..], &["endsolid a"]].concat()), binary]
}

/// Lists of points.
pub fn points() -> Vec<Vec<u8>> {
    vec![
        text(&["# columns = x y z", "0 0 0", "1 0 0", "1 1 0.5"]),
        text(&["3", "0 0 0 255 1 1 1", "1\t0\t0\t255\t1\t1\t1", "1 1 .5 255 1 1 1"]),
        text(&["X;Y;Z", "1,5;2;3", "4;5,25;6"]),
        text(&["\u{feff}name,x,y,z\r", "a,0,0,0\r", "\"b\",1,0,-1.5e-3\r", "c,1,1,0.5\r"]),
    ]
}

/// Arrays of every shape that is read for something.
pub fn arrays() -> Vec<Vec<u8>> {
    let value = |i: usize| (i as f64 * 0.7).sin();
    let matrix = |i: usize| [2.0, 0.5, 0.5, 1.0][i % 4];
    vec![
        array(&[5, 3], value),
        array(&[4, 2, 2], matrix),
        array(&[3, 4, 2], value),
        array(&[3, 4, 3], value),
        array(&[2, 4, 4], |i| (i % 4) as f64 * 0.25),
        array_of("|u1", true, "2, 3, 2", &[7; 12]),
        array_of(">f4", false, "3, 3", &[0x3f; 36]),
        array_of("<i2", false, "4,", &[1, 0, 2, 0, 3, 0, 4, 0]),
        array_of("<f8", false, "0, 2", &[]),
    ]
}

/// Named landmarks in tables.
pub fn landmark_tables() -> Vec<Vec<u8>> {
    vec![
        text(&["landmark,name,x,y,z,nearest_vertex", "0,eye,1,2,3,7", "2,nose_tip,1.5,-2,3e1,9"]),
        text(&["eye 1 2 3", "\"tip of nose\" 1.5 -2 30"]),
        text(&["landmark;x;y;z", "Nose Tip;1;2;3", "Chin;1,5;-2;30"]),
    ]
}

/// 3D Slicer's fiducials.
pub fn fiducials() -> Vec<Vec<u8>> {
    vec![text(&[
        "# Markups fiducial file version = 4.11",
        "# CoordinateSystem = RAS",
        "# columns = id,x,y,z,ow,ox,oy,oz,vis,sel,lock,label,desc,associatedNodeID",
        "1,1.5,-2,30,0,0,0,1,1,1,0,Pronasale,,",
        "2,4,5,6,0,0,0,1,1,1,0,,,",
    ])]
}

/// 3D Slicer's markups.
pub fn markups() -> Vec<Vec<u8>> {
    vec![
        br#"{"@schema": "markups-schema-v1.0.3.json", "markups": [{"type": "Fiducial", "coordinateSystem": "LPS", "controlPoints": [
{"id": "1", "label": "Pronasale", "position": [1.5, -2, 30.0], "positionStatus": "defined"},
{"id": "2", "label": "", "position": [4, 5, 6]}]}]}"#
            .to_vec(),
    ]
}

/// Tables of shapes.
pub fn shape_tables() -> Vec<Vec<u8>> {
    vec![
        text(&["id,landmark,x,y", "a,1,0,1", "a,2,2,3", "b,1,4,5", "b,2,NA,7"]),
        text(&["id,landmark,x,y,z", "a,1,0,1,2", "a,2,2,3,4", "b,1,4,5,6", "b,2,,7,8"]),
        text(&["name\tx1\ty1\tx2\ty2", "\"a\"\t0\t1\t2\t3", "b\t4\t5\t6"]),
        text(&[
            "[individuals]",
            "2",
            "[landmarks]",
            "2",
            "[dimensions]",
            "2",
            "[names]",
            "a",
            "b",
            "[rawpoints]",
            "'#1",
            "1 2",
            "3 4",
            "'#2",
            "5 6",
            "7 NA",
        ]),
        text(&["x,y", "1,2", "3,4"]),
    ]
}

/// TPS files.
pub fn tps() -> Vec<Vec<u8>> {
    vec![
        text(&[
            "# made",
            "LM=2",
            "1 2",
            "3,4",
            "IMAGE=a.jpg",
            "ID=one",
            "SCALE=0.5",
            "LM=1",
            "5\t6",
            "CURVES=1",
            "POINTS=2",
            "7 8",
            "-1 NA",
        ]),
        text(&["LM3=2", "1 2 3", "NA NA NA", "CURVES=2", "POINTS=1", "4 5 6", "POINTS3D=1", "7,8,9", "ID=a"]),
    ]
}

/// Tables of points of a manifold.
pub fn rows() -> Vec<Vec<u8>> {
    vec![
        text(&["x,y,z", "1,0,0", "0,1,0", "0.6,0,0.8"]),
        text(&["name,lat,lon", "a,1,2", "b,NA,3", "c,-90,180"]),
        text(&["0.1 0.2", "0.3 -0.4"]),
    ]
}

/// Tables that tell whose a record is, or in which group, or what is known of it.
pub fn labels() -> Vec<Vec<u8>> {
    vec![
        text(&["record,person", "a.ply,1", "b.ply,1", "c.ply,2"]),
        text(&["record;group;age", "a;f;30,5", "b;m;41"]),
        text(&["record\tgroup", "\"a\"\tx", "b\ty"]),
    ]
}

/// Edges of a tree.
pub fn edges() -> Vec<Vec<u8>> {
    vec![text(&["child,ancestor", "dog,mammal", "cat,mammal", "mammal,animal"])]
}

/// One pixel of grey, and two by two of colours.
pub fn png() -> Vec<Vec<u8>> {
    let grey: &[u8] = &[
        0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, b'I', b'H', b'D', b'R', 0, 0, 0, 1, 0,
        0, 0, 1, 8, 0, 0, 0, 0, 0x3a, 0x7e, 0x9b, 0x55, 0, 0, 0, 0x0a, b'I', b'D', b'A', b'T', 0x78, 0x9c,
        0x63, 0x60, 0, 0, 0, 2, 0, 1, 0x48, 0xaf, 0xa4, 0x71, 0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xae, 0x42,
        0x60, 0x82,
    ];
    vec![grey.to_vec()]
}

/// A grey picture of 4 × 4 pixels, a square of 2 × 2 in it.
pub fn tiff() -> Vec<Vec<u8>> {
    let entries: [(u16, u32); 8] =
        [(256, 4), (257, 4), (258, 8), (259, 1), (262, 1), (273, 8), (278, 4), (279, 16)];
    let mut out = [b"II*\0".as_slice(), &24u32.to_le_bytes()].concat();
    out.extend([0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0]);
    out.extend((entries.len() as u16).to_le_bytes());
    for (tag, value) in entries {
        out.extend([tag.to_le_bytes(), 4u16.to_le_bytes()].concat());
        out.extend([1u32.to_le_bytes(), value.to_le_bytes()].concat());
    }
    out.extend([0; 4]);
    vec![out]
}

/// A cube of 3 voxels in one of 5.
fn cube() -> Vec<u8> {
    let is_inner = |n: &usize| (1..4).contains(n);
    (0..125usize).map(|n| u8::from([n % 5, n / 5 % 5, n / 25].iter().all(is_inner))).collect()
}

/// Volumes in one file, towards right, front and head.
pub fn nifti() -> Vec<Vec<u8>> {
    let mut out = vec![0; 352];
    out[..4].copy_from_slice(&348u32.to_le_bytes());
    for (at, value) in [(40, 3i16), (42, 5), (44, 5), (46, 5), (70, 2), (254, 1)] {
        out[at..at + 2].copy_from_slice(&value.to_le_bytes());
    }
    for (at, value) in [(80, 1f32), (84, 1.0), (88, 1.0), (108, 352.0), (280, 1.0), (300, 1.0), (320, 1.0)] {
        out[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
    out[123] = 2;
    out[344..348].copy_from_slice(b"n+1\0");
    out.extend(cube());
    vec![out]
}

/// The same as NRRD.
pub fn nrrd() -> Vec<Vec<u8>> {
    let head = "NRRD0004\ntype: uchar\ndimension: 3\nspace: left-posterior-superior\nsizes: 5 5 5\nspace directions: (1,0,0) (0,1,0) (0,0,1)\nencoding: raw\nspace origin: (0,0,0)\n\n";
    vec![[head.as_bytes(), &cube()].concat()]
}

/// Twelve outlines of 20 landmarks: enough for a study.
pub fn outlines() -> Vec<Vec<u8>> {
    let lines = outline_population(3, 12).into_iter().enumerate().map(|(i, outline)| {
        let points: Vec<String> = outline
            .iter()
            .step_by((outline.len() / 20).max(1))
            .take(20)
            .map(|[x, y]| format!("{x:.4} {y:.4}\n"))
            .collect();
        format!("LM={}\n{}ID=s{i}\n", points.len(), points.concat())
    });
    vec![lines.collect::<String>().into_bytes()]
}

/// Rows on the sphere.
pub fn directions() -> Vec<Vec<u8>> {
    let row = |i: usize| {
        let (a, h) = (i as f64 * 0.05, 0.9);
        let r = f64::sqrt(1.0 - h * h);
        format!("{},{},{}\n", r * a.cos(), r * a.sin(), h)
    };
    vec![("x,y,z\n".to_owned() + &(0..12).map(row).collect::<String>()).into_bytes()]
}

/// A face of our own as mesh, and the bare points of it.
pub fn faces() -> Vec<Vec<u8>> {
    let mesh = FaceParameters::mean().with(ShapeParameter::ALL[0], 1.0).mesh();
    let thin: Vec<String> =
        mesh.vertices().iter().step_by(4).map(|p| format!("{:.2} {:.2} {:.2}\n", p.x, p.y, p.z)).collect();
    vec![template_to_ply(&mesh), thin.concat().into_bytes()]
}

/// A ledger of three charges and the certificate of the last of them.
static STUDY: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| study().unwrap_or_default());

fn study() -> Result<[Vec<u8>; 2], Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let (file, ledger) = (folder.path().join("a.tps"), folder.path().join("ledger.jsonl"));
    let shape = |outline: Vec<[f64; 2]>| ShapeRecord::planar(None, &outline);
    write_tps(&file, &outline_population(1, 300).into_iter().map(shape).collect::<Vec<_>>())?;
    let mut certificate = Vec::new();
    for name in ["a", "b", "c"] {
        let place = Place {
            ledger: visard::study::LedgerChoice { file: Some(ledger.clone()), ..Default::default() },
            ..Place::new(folder.path().join(name))
        };
        let inputs = ShapeInputs { outlines: 1, ..ShapeInputs::new(&file, place) };
        let settings =
            ShapeMeanSettings { inputs, budget: Mu::new(1.0)?, band: false, private_radius: false };
        certificate = std::fs::read(run_mean(&settings)?.folder.release().join("certificate.json"))?;
    }
    Ok([std::fs::read(&ledger)?, certificate])
}

/// Ledgers.
pub fn ledgers() -> Vec<Vec<u8>> {
    vec![STUDY[0].clone()]
}

/// Certificates.
pub fn certificates() -> Vec<Vec<u8>> {
    vec![STUDY[1].clone()]
}

/// Writes a file for the targets that need a second one.
pub fn write(path: &std::path::Path, bytes: &[u8]) {
    let _ = write_bytes(path, bytes);
}
