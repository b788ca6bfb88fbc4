//! Damaged and malicious files: refused or read, without a panic, without much memory, without being quoted.

use crate::counting::peak;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::path::Path;
use visard::io::{
    ReadError, RecordError, RecordSize, npy, read_landmarks, read_matrices, read_rows, read_scan, read_shapes,
};

/// A word that must never come out again.
const SECRET: &str = "zqSecretqz";

/// What to put in place of a number.
const HOSTILE: [&str; 13] = [
    "4294967295",
    "2147483648",
    "2000000000",
    "999999999999999999",
    "18446744073709551616",
    "-1",
    "0",
    "nan",
    "1e999",
    "3.5",
    SECRET,
    "\u{e9}",
    "",
];

/// Small valid files of every format and variant: ending and content.
fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let ply = |format: &str, body: &[u8]| {
        let header = format!(
            "ply\nformat {format} 1.0\ncomment {SECRET}\nelement vertex 4\nproperty float x\nproperty float y\n\
             property float z\nproperty list uchar short ring\nelement face 2\nproperty uchar flags\n\
             property list uchar int vertex_indices\nend_header\n"
        );
        [header.as_bytes(), body].concat()
    };
    let binary = |big: bool| {
        let mut body = Vec::new();
        for p in [[0f32, 0., 0.], [1., 0., 0.], [1., 1., 0.5], [0., 1., 0.]] {
            p.iter().for_each(|c| body.extend(if big { c.to_be_bytes() } else { c.to_le_bytes() }));
            body.extend([1, 0, 0]);
        }
        for face in [[0i32, 1, 2], [0, 2, 3]] {
            body.extend([9, 3]);
            face.iter().for_each(|i| body.extend(if big { i.to_be_bytes() } else { i.to_le_bytes() }));
        }
        body
    };
    let mut stl = vec![b' '; 80];
    stl.extend(2u32.to_le_bytes());
    (0..2).for_each(|k| stl.extend((0..50u8).map(|b| if b % 4 == 3 { 0x40 } else { b + k })));
    let mut array = Vec::new();
    npy::write_to(&mut array, &[3, 3], &[0.5, 1., 2., 3., 4., 5., 6., 7., 8.]).unwrap();
    let text = |text: &str| text.as_bytes().to_vec();
    vec![
        ("ply", ply("binary_little_endian", &binary(false))),
        ("ply", ply("binary_big_endian", &binary(true))),
        ("ply", ply("ascii", b"0 0 0 0\n1 0 0 1 7\n1 1 0.5 0\n0 1 0 2 1 1\n0 3 0 1 2\n0 3 0 2 3\n")),
        (
            "obj",
            text(
                "# made\nv 0 0 0\nv 1 0 0 0.5 0.5 0.5\nv 1 1 0.5\nvt 0 0\nvn 0 0 1\nf 1/1 2//1 \\\n 3\nf -3 -2 -1\n",
            ),
        ),
        (
            "stl",
            text(
                "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nendloop\nendfacet\nendsolid a\n",
            ),
        ),
        ("stl", stl),
        ("csv", text("\u{feff}name,x,y,z\r\na,0,0,0\r\n\"b\",1,0,-1.5e-3\r\nc,1,1,0.5\r\n")),
        ("txt", text("X;Y;Z\n1,5;2;3\n4;5,25;6\n")),
        ("pts", text("3\n0 0 0 255 1 1 1\n1\t0\t0\t255\t1\t1\t1\n1 1 0.5 255 1 1 1\n")),
        ("xyz", text("# columns = x y z\n0 0 0\r1 0 0\r1 1 0.5\r")),
        ("npy", array),
    ]
}

/// Landmark files and tables, of which no scan is read.
fn other_samples() -> Vec<(&'static str, Vec<u8>)> {
    let json = r#"{"markups": [{"controlPoints": [{"label": "prn", "position": [1.5, -2, 30.0]}]}]}"#;
    let fcsv = "# Markups fiducial file version = 4.11\n# columns = id,x,y,z,ow,label\n1,1.5,-2,30,0,prn\n";
    let tps = "# made\nLM=2\n1 2\n3,4\nIMAGE=a.jpg\nID=one\nSCALE=0.5\nlm=1\n5\t6\nCURVES=1\nPOINTS=2\n7 8\n-1 NA\nLM3=0\n";
    let mut matrices = Vec::new();
    npy::write_to(&mut matrices, &[2, 2, 2], &[1., 0., 0., 1., 2., 1., 1., 2.]).unwrap();
    let turned = "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3, 2), }";
    let turned =
        [b"\x93NUMPY\x01\0", &(turned.len() as u16).to_le_bytes()[..], turned.as_bytes(), &[7; 12]].concat();
    let text = |text: &str| text.as_bytes().to_vec();
    vec![
        ("json", json.into()),
        ("fcsv", fcsv.into()),
        ("csv", text("a,1,2,3\nb,4,5,6\n")),
        ("csv", text("name,lat,lon\na,1,2\nb,NA,3\n")),
        ("csv", text("id,landmark,x,y\na,1,0,1\nb,1,4,5\na,2,2,3\nb,2,NA,7\n")),
        ("tsv", text("name\tx1\ty1\tx2\ty2\n\"a\"\t0\t1\t2\t3\nb\t4\t5\t6\n")),
        ("txt", text("0 1\n2 3\n")),
        ("tps", text(tps)),
        ("tps", text("LM3=2\n1 2 3\nNA NA NA\nCURVES=2\nPOINTS=1\n4 5 6\nPOINTS3D=1\n7,8,9\nID=a\n")),
        (
            "txt",
            text(
                "[individuals]\n2\n[landmarks]\n2\n[dimensions]\n2\n[names]\na\nb\n[rawpoints]\n'#1\n1 2\n3 4\n'#2\n5 6\n7 NA\n",
            ),
        ),
        ("csv", text("id,landmark,x,y,z\na,1,0,1,2\nb,1,4,5,6\na,2,2,3,4\nb,2,,7,8\n")),
        ("csv", text("id,x1,y1,z1,x2,y2,z2\na,0,1,2,3,4,5\nb,4,5,6,7,,\n")),
        ("npy", matrices),
        ("npy", turned),
    ]
}

/// The errors of records of a table, and how many there are without.
type Records = Result<(usize, Vec<RecordError>), ReadError>;

fn of_records<T>(records: impl Iterator<Item = Result<T, RecordError>>) -> (usize, Vec<RecordError>) {
    let (mut good, mut bad) = (0, Vec::new());
    for record in records {
        match record {
            Ok(_) => good += 1,
            Err(_) if bad.len() > 20 => {}
            Err(error) => bad.push(error),
        }
    }
    (good, bad)
}

/// Reads a table of many records by every reader for one.
fn read_tables(path: &Path) -> Vec<Records> {
    let mut found = Vec::new();
    for size in [RecordSize::Heading, RecordSize::Known(2), RecordSize::Content] {
        found.push(read_rows(path, size).map(|rows| of_records(rows.iter())));
        found.push(read_shapes(path, size).map(|shapes| of_records(shapes.iter())));
    }
    found.push(read_matrices(path).map(|matrices| (matrices.iter().count(), Vec::new())));
    found
}

/// Reads a content as the ending tells, by every reader for it, and checks what must hold whatever it is.
fn read_safely(folder: &Path, ending: &str, content: &[u8]) -> bool {
    let path = folder.join(format!("scan.{ending}"));
    std::fs::write(&path, content).unwrap();
    let (scan, most) = peak(|| read_scan(&path));
    let (marks, by_marks) = peak(|| read_landmarks(&path));
    let (array, by_array) = peak(|| npy::read(&path));
    let (tables, by_tables) = peak(|| read_tables(&path));
    let most = [most, by_marks, by_array, by_tables].into_iter().max().unwrap();
    // Parsing a PLY header takes some thousand bytes however short it is.
    let fair = 65_536 + 48 * content.len();
    assert!(most <= fair, "{most} bytes of memory for a file of {}", content.len());
    let start = format!("{}", path.display());
    let of_files = [scan.as_ref().err(), marks.as_ref().err(), array.as_ref().err()];
    for error in of_files.into_iter().flatten().chain(tables.iter().filter_map(|t| t.as_ref().err())) {
        let message = error.to_string();
        assert!(message.starts_with(&start) && !message.contains(['\n', '\r']), "{message:?}");
        assert!(!message.contains(SECRET), "{message}");
        assert!(message.len() < start.len() + 800, "{message}");
    }
    for error in tables.iter().flatten().flat_map(|(_, errors)| errors) {
        // Of what a record holds its name alone is told, and to the data holder alone.
        assert!(!error.fault.to_string().contains(SECRET), "{error}");
        assert!(!error.to_string().contains(['\n', '\r']) && error.to_string().len() < 500, "{error}");
    }
    if let Ok(scan) = &scan {
        assert!(!scan.vertices.is_empty());
        assert!(scan.vertices.iter().all(|p| p.iter().all(|c| c.is_finite())));
        let triangles = scan.triangles.as_ref();
        assert!(triangles.is_none_or(|t| !t.is_empty()));
        assert!(triangles.into_iter().flatten().flatten().all(|&i| i < scan.vertices.len()));
    }
    scan.is_ok() || marks.is_ok() || tables.iter().flatten().any(|(good, _)| *good > 0)
}

/// One way to damage a file.
#[derive(Debug, Clone)]
enum Damage {
    Set(usize, u8),
    Remove(usize, usize),
    Repeat(usize, usize),
    Insert(usize, &'static str),
    Number(usize, &'static str),
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = || any::<prop::sample::Index>().prop_map(|i| i.index(1 << 20));
    let hostile = prop::sample::select(HOSTILE.to_vec());
    let words = prop::sample::select(vec![
        "\n", "\r", " ", ",", ";", "\t", "\0", "\\\n", "#", "\"", SECRET, "\u{feff}",
    ]);
    prop_oneof![
        (at(), any::<u8>()).prop_map(|(i, b)| Damage::Set(i, b)),
        (at(), 1..20usize).prop_map(|(i, n)| Damage::Remove(i, n)),
        (at(), 1..40usize).prop_map(|(i, n)| Damage::Repeat(i, n)),
        (at(), words).prop_map(|(i, word)| Damage::Insert(i, word)),
        (at(), hostile).prop_map(|(i, word)| Damage::Number(i, word)),
    ]
}

impl Damage {
    fn apply(&self, content: &mut Vec<u8>) {
        let place = |i: usize| i % (content.len() + 1);
        match *self {
            Damage::Set(i, byte) => {
                let i = place(i);
                content[i.saturating_sub(1)..i].fill(byte);
            }
            Damage::Remove(i, n) => {
                let i = place(i);
                content.drain(i..(i + n).min(content.len()));
            }
            Damage::Repeat(i, n) => {
                let i = place(i);
                let part = content[i..(i + n).min(content.len())].to_vec();
                content.splice(i..i, part);
            }
            Damage::Insert(i, word) => {
                let i = place(i);
                content.splice(i..i, word.bytes());
            }
            // The first run of digits from there on, such as a count in a header.
            Damage::Number(i, word) => {
                let i = place(i);
                let Some(from) = content[i..].iter().position(u8::is_ascii_digit) else { return };
                let digits = content[i + from..].iter().take_while(|b| b.is_ascii_digit()).count();
                content.splice(i + from..i + from + digits, word.bytes());
            }
        }
    }
}

#[test]
fn the_samples_are_valid_and_every_part_of_them_is_harmless() {
    let folder = tempfile::tempdir().unwrap();
    for (ending, content) in samples().into_iter().chain(other_samples()) {
        assert!(read_safely(folder.path(), ending, &content), "{ending}");
        for n in 0..content.len() {
            read_safely(folder.path(), ending, &content[..n]);
            read_safely(folder.path(), ending, &content[n..]);
        }
    }
}

#[test]
fn every_byte_may_be_any_byte() {
    let folder = tempfile::tempdir().unwrap();
    for (ending, content) in samples().into_iter().chain(other_samples()) {
        for n in 0..content.len() {
            for byte in [0, 0x20, 0x2d, 0x39, 0x7f, 0xff, content[n] ^ 1] {
                let mut damaged = content.clone();
                damaged[n] = byte;
                read_safely(folder.path(), ending, &damaged);
            }
        }
    }
}

#[test]
fn every_number_may_be_any_number() {
    let folder = tempfile::tempdir().unwrap();
    for (ending, content) in samples().into_iter().chain(other_samples()) {
        // From anywhere else the next digit is the one that is meant.
        for n in (0..content.len()).filter(|n| content[*n].is_ascii_digit()) {
            for number in HOSTILE {
                let mut damaged = content.clone();
                Damage::Number(n, number).apply(&mut damaged);
                read_safely(folder.path(), ending, &damaged);
            }
        }
    }
}

#[test]
fn polygons_of_the_most_corners_take_the_most_memory_allowed() {
    // 255 corners of one byte each: the most triangles a file can hold for its size.
    let folder = tempfile::tempdir().unwrap();
    let mut content =
        b"ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty uchar x\nproperty uchar y\n\
        property uchar z\nelement face 2000\nproperty list uchar uchar vertex_indices\nend_header\n\0\0\0"
            .to_vec();
    (0..2000).for_each(|_| content.extend([[255u8].as_slice(), &[0; 255]].concat()));
    assert!(read_safely(folder.path(), "ply", &content));
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 4000,
        rng_seed: RngSeed::Fixed(1994),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn damaged_files_are_harmless(which in any::<prop::sample::Index>(), damages in prop::collection::vec(damage(), 1..8)) {
        let all: Vec<_> = samples().into_iter().chain(other_samples()).collect();
        let (ending, mut content) = all[which.index(all.len())].clone();
        damages.iter().for_each(|damage| damage.apply(&mut content));
        let folder = tempfile::tempdir().unwrap();
        read_safely(folder.path(), ending, &content);
    }

    #[test]
    fn random_bytes_are_harmless(
        ending in prop::sample::select(vec!["ply", "obj", "stl", "csv", "pts", "npy", "json", "fcsv"]),
        start in prop::sample::select(vec![
            "", "ply\nformat ascii 1.0\n", "ply\nformat binary_big_endian 1.0\nelement vertex 9\nproperty char x\n\
            property char y\nproperty char z\nproperty list char int vertex_index\nend_header\n", "solid", "v ", "1 2 ",
        ]),
        bytes in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        let folder = tempfile::tempdir().unwrap();
        read_safely(folder.path(), ending, &[start.as_bytes(), &bytes].concat());
    }

    #[test]
    fn random_words_are_harmless(
        ending in prop::sample::select(vec!["ply", "obj", "stl", "csv", "pts", "json", "fcsv"]),
        words in prop::collection::vec(prop::sample::select(vec![
            "ply\nformat ascii 1.0\n", "element vertex 2\n", "property float x\nproperty float y\nproperty float z\n",
            "element face 1\n", "property list uchar int vertex_indices\n", "end_header\n", "v ", "f ", "solid a\n",
            "facet\n", "vertex ", "endfacet\n", "endsolid\n", "x,y,z\n", "name,", "# columns = x,y,z\n", "1 ", "2,", "-1;",
            "0.5\t", "\n", "\r", "\\\n", "nan ", "1e999 ", "\"", SECRET, "{\"markups\":[", "{\"controlPoints\":[", "]}",
        ]), 0..40),
    ) {
        let folder = tempfile::tempdir().unwrap();
        read_safely(folder.path(), ending, words.concat().as_bytes());
    }
}
