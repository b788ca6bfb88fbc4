//! The promise on memory: whatever is in a file, reading it takes at most 8 times its size and 64 MB. The files here are large
//! enough for that sum not to hide what the contents cost, and made of the shortest records there are.

use crate::counting::peak;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use visard::io::{
    Limit, RecordSize, npy, open, read_images, read_landmarks, read_matrices, read_rows, read_scan,
    read_shapes,
};
use visard::optimize::Tree;
use visard::privacy::Certificate;

/// Bytes in a file here, about.
const SIZE: usize = 40_000_000;

/// In a file of the tests that are run each time, where a reader has many forms to take.
const SHORT: usize = SIZE / 8;

/// Files that are read whole are shorter than this, and those of these tests longer.
const WHOLE: usize = 4_500_000;

/// What a reader may take beside 8 times a file's size.
const SPARE: usize = 64_000_000;

/// Where the files go, one at a time, and how long they are.
struct Folder {
    dir: tempfile::TempDir,
    size: usize,
}

impl Folder {
    fn write(&self, name: &str, start: &[u8], repeated: &[u8], end: &[u8]) -> PathBuf {
        let times = (self.size - start.len() - end.len()) / repeated.len();
        self.write_times(name, start, repeated, times, end)
    }

    fn write_times(&self, name: &str, start: &[u8], repeated: &[u8], times: usize, end: &[u8]) -> PathBuf {
        let path = self.dir.path().join(name);
        let mut file = BufWriter::new(File::create(&path).unwrap());
        file.write_all(start).unwrap();
        (0..times).for_each(|_| file.write_all(repeated).unwrap());
        file.write_all(end).unwrap();
        file.flush().unwrap();
        path
    }

    /// Parts made one by one, as many as fit.
    fn write_parts(&self, name: &str, start: &[u8], part: impl Fn(usize) -> Vec<u8>) -> PathBuf {
        self.write_parts_of(name, self.size, start, part)
    }

    fn write_parts_of(
        &self,
        name: &str,
        size: usize,
        start: &[u8],
        part: impl Fn(usize) -> Vec<u8>,
    ) -> PathBuf {
        let path = self.dir.path().join(name);
        let mut file = BufWriter::new(File::create(&path).unwrap());
        file.write_all(start).unwrap();
        let mut written = start.len();
        for k in 0.. {
            let part = part(k);
            written += part.len();
            if written > size {
                break;
            }
            file.write_all(&part).unwrap();
        }
        file.flush().unwrap();
        path
    }
}

/// Reads a file, and removes it: what `read` gives, if it took a fair amount of memory.
fn fairly<T>(what: &str, path: &Path, read: impl FnOnce(&Path) -> T) -> T {
    let size = std::fs::metadata(path).unwrap().len() as usize;
    let (found, most) = peak(|| read(path));
    println!("{what}: {:.1} times {:.1} MB", most as f64 / size as f64, size as f64 / 1e6);
    // Of a short file a part of the 64 MB, or it would not fail where a long one does.
    let spare = if size < WHOLE { SPARE } else { SPARE.min(SPARE * size / SIZE) };
    assert!(most <= 8 * size + spare, "{what}: {most} bytes of memory for a file of {size}");
    std::fs::remove_file(path).unwrap();
    found
}

fn folder() -> Folder {
    Folder { dir: tempfile::tempdir().unwrap(), size: SIZE }
}

/// How many records can be read, and how many cannot.
fn count<T, E>(records: impl Iterator<Item = Result<T, E>>) -> (usize, usize) {
    records.fold((0, 0), |(good, bad), record| if record.is_ok() { (good + 1, bad) } else { (good, bad + 1) })
}

#[test]
fn rows_of_text() {
    rows_of_text_of(SHORT);
}

#[test]
#[ignore = "slow: half a minute; rows_of_text is short"]
fn long_rows_of_text() {
    rows_of_text_of(SIZE);
}

fn rows_of_text_of(size: usize) {
    let folder = Folder { size, ..folder() };
    let rows = |path: &Path| count(read_rows(path, RecordSize::Heading).unwrap().iter());
    let path = folder.write("a.csv", b"x,y\n", b"1,2\n", b"");
    assert_eq!(fairly("rows", &path, rows).1, 0);
    let path = folder.write("a.csv", b"x\n", b"1\n", b"");
    assert_eq!(fairly("rows of one number", &path, rows).1, 0);
    let path = folder.write("a.csv", b"x,y\n", b"?\n", b"");
    assert_eq!(fairly("rows that cannot be read", &path, rows).0, 0);
    let path = folder.write("a.csv", b"x,y\n", b"1,", b"1\n");
    assert_eq!(fairly("one row without end", &path, rows), (0, 1));
    let path = folder.write("a.csv", b"x", b",y", b"\n1\n");
    let refused = fairly("a heading without end", &path, |path| {
        read_rows(path, RecordSize::Heading).unwrap_err().to_string()
    });
    assert!(refused.contains("more than 100000 columns"), "{refused}");
    let path = folder.write("a.txt", b"", b"1 ", b"1\n");
    let known = |path: &Path| count(read_rows(path, RecordSize::Known(1 << 40)).unwrap().iter());
    assert_eq!(fairly("rows of a width beyond reason", &path, known), (0, 1));
}

#[test]
fn shapes_of_text() {
    shapes_of_text_of(SHORT);
}

#[test]
#[ignore = "slow: a minute; shapes_of_text is short"]
fn long_shapes_of_text() {
    shapes_of_text_of(SIZE);
}

fn shapes_of_text_of(size: usize) {
    let folder = Folder { size, ..folder() };
    let shapes = |path: &Path| count(read_shapes(path, RecordSize::Heading).unwrap().iter());
    let path = folder.write("a.csv", b"x1,y1,x2,y2,x3,y3\n", b"1,2,3,4,5,6\n", b"");
    assert_eq!(fairly("wide shapes", &path, shapes).1, 0);
    let path = folder.write("a.csv", b"x1,y1\n", b"1,2\n", b"");
    assert_eq!(fairly("wide shapes of one landmark", &path, shapes).1, 0);
    let path = folder.write("a.csv", b"id,x,y\n", b"a,1,2\n", b"");
    assert_eq!(fairly("one long shape", &path, shapes), (1, 0));
    let path = folder.write("a.csv", b"x,y\n", b"1,2\n", b"");
    assert_eq!(fairly("one long shape without a name", &path, shapes), (1, 0));
    let path = folder.write_parts("a.csv", b"id,x,y\n", |k| format!("{k:x},1,2\n").into_bytes());
    assert!(fairly("long shapes of one landmark", &path, shapes).0 > size / 20);
    let path = folder.write("a.csv", b"id,x,y\n", b",\n", b"");
    assert_eq!(fairly("long shapes of nothing", &path, shapes), (0, 1));
    let path = folder.write("a.tps", b"", b"LM=1\n0 0\n", b"");
    assert_eq!(fairly("TPS shapes of one landmark", &path, shapes).1, 0);
    let path = folder.write("a.tps", b"", b"LM=0\n", b"");
    assert_eq!(fairly("TPS shapes of none", &path, shapes).1, 0);
    let path = folder.write("a.tps", b"", b"LM3=1\n0 0 0\n", b"");
    assert_eq!(fairly("TPS shapes in space", &path, shapes).1, 0);
    let head = format!("[individuals]\n1\n[landmarks]\n{}\n[dimensions]\n3\n[rawpoints]\n", (size - 80) / 6);
    let path = folder.write_times("a.txt", head.as_bytes(), b"0 0 0\n", (size - 80) / 6, b"");
    assert_eq!(fairly("one shape of Morphologika", &path, shapes), (1, 0));
    let path = folder.write("a.tps", b"LM=0\n", b"POINTS=1\n0 0\n", b"");
    assert_eq!(fairly("one TPS shape of many curves", &path, shapes), (1, 0));
    let path = folder.write("a.csv", b"x1,y1,z1\n", b"1,2,3\n", b"");
    assert_eq!(fairly("wide shapes in space", &path, shapes).1, 0);
    let path = folder.write("a.csv", b"id,x,y,z\n", b"a,1,2,3\n", b"");
    assert_eq!(fairly("one long shape in space", &path, shapes), (1, 0));
    let points = format!("LM={}\n", (size - 40) / 4);
    let path = folder.write_times("a.tps", points.as_bytes(), b"0 0\n", (size - 40) / 4, b"POINTS=1\n0 0\n");
    assert_eq!(fairly("one TPS shape", &path, shapes), (1, 0));
}

#[test]
fn points_and_meshes_of_text() {
    points_and_meshes_of_text_of(SHORT);
}

#[test]
#[ignore = "slow: half a minute; points_and_meshes_of_text is short"]
fn long_points_and_meshes_of_text() {
    points_and_meshes_of_text_of(SIZE);
}

fn points_and_meshes_of_text_of(size: usize) {
    let folder = Folder { size, ..folder() };
    let path = folder.write("a.xyz", b"", b"0 0 0\n", b"");
    assert!(fairly("a list of points", &path, read_scan).is_ok());
    let path = folder.write("a.xyz", b"", b"\n", b"0 0 0\n");
    assert!(fairly("a list of blank lines", &path, read_scan).is_ok());
    let path = folder.write("a.obj", b"", b"v 0 0 0\n", b"");
    assert!(fairly("OBJ vertices", &path, read_scan).is_ok());
    let path = folder.write("a.obj", b"", b"v\n", b"v 0 0 0\n");
    assert!(fairly("OBJ vertices without coordinates", &path, read_scan).is_err());
    let path = folder.write("a.obj", b"v 0 0 0\n", b"f 1 1 1 1\n", b"");
    assert!(fairly("OBJ quadrangles", &path, read_scan).is_ok());
    let path = folder.write("a.obj", b"v 0 0 0\n", b"f 1 1 1 1 \\\n 1 1 1\n", b"");
    assert!(fairly("OBJ heptagons over two lines", &path, read_scan).is_ok());
    // Only long ones are.
    let path = folder.write_times("a.obj", b"v 0 0 0\nf", b" 1", SIZE / 2, b"\n");
    let refused = fairly("one OBJ polygon", &path, read_scan).unwrap_err().to_string();
    assert!(refused.contains("write its polygons as triangles"), "{refused}");
    let path = folder.write("a.obj", b"v 0 0 0\nf", b" 1\\\n", b" 1\n");
    assert!(fairly("one OBJ polygon over many lines", &path, read_scan).is_ok());
    let facet = b"facet\nvertex 0 0 0\nvertex 0 0 1\nvertex 0 1 0\nendfacet\n";
    let path = folder.write("a.stl", b"solid\n", facet, b"endsolid\n");
    assert!(fairly("ASCII STL", &path, read_scan).is_ok());
    let path = folder.write("a.stl", b"solid\n", b"vertex\n", b"endsolid\n");
    assert!(fairly("ASCII STL without coordinates", &path, read_scan).is_err());
}

#[test]
fn meshes_in_binary() {
    let folder = folder();
    let ply = |vertices: usize, kind: &str, faces: usize, list: &str| {
        let header = "ply\nformat binary_little_endian 1.0\n";
        let xyz = ["x", "y", "z"].map(|axis| format!("property {kind} {axis}\n")).concat();
        let face = format!("element face {faces}\nproperty list {list} vertex_indices\n");
        format!("{header}element vertex {vertices}\n{xyz}{face}end_header\n").into_bytes()
    };
    let corners = (SIZE - 300) / 4;
    let start =
        [ply(1, "uchar", 1, "uint int"), vec![0; 3], (corners as u32).to_le_bytes().to_vec()].concat();
    let path = folder.write_times("a.ply", &start, &[0; 4], corners, b"");
    let scan = fairly("one PLY polygon of 4-byte numbers", &path, read_scan).unwrap();
    assert_eq!(scan.triangles.unwrap().len(), corners - 2);
    let start =
        [ply(1, "uchar", 1, "uint uchar"), vec![0; 3], (corners as u32).to_le_bytes().to_vec()].concat();
    let path = folder.write_times("a.ply", &start, &[0], corners, b"");
    let refused = fairly("one PLY polygon of bytes", &path, read_scan).unwrap_err().to_string();
    assert!(refused.contains("write its polygons as triangles"), "{refused}");
    let vertices = (SIZE - 300) / 6;
    let path = folder.write_times("a.ply", &ply(vertices, "short", 0, "uchar int"), &[0; 6], vertices, b"");
    assert!(fairly("PLY vertices", &path, read_scan).is_ok());
    let facets = (SIZE - 84) / 50;
    let start = [vec![b' '; 80], (facets as u32).to_le_bytes().to_vec()].concat();
    let path = folder.write_parts("a.stl", &start, |k| {
        let corner =
            |c: u32| [(3 * k as u32 + c) as f32, (k % 1000) as f32, 0.5].map(f32::to_le_bytes).concat();
        [vec![0; 12], corner(0), corner(1), corner(2), vec![0; 2]].concat()
    });
    let scan = fairly("binary STL without shared corners", &path, read_scan).unwrap();
    assert!(scan.vertices.len() > 2 * facets);
}

fn npy_header(kind: &str, is_fortran: bool, shape: &str) -> Vec<u8> {
    let order = if is_fortran { "True" } else { "False" };
    let header = format!("{{'descr': '{kind}', 'fortran_order': {order}, 'shape': ({shape}), }}\n");
    [b"\x93NUMPY\x01\0", &(header.len() as u16).to_le_bytes()[..], header.as_bytes()].concat()
}

#[test]
fn arrays() {
    let folder = folder();
    let array = |shape: &str, times: usize| {
        folder.write_times("a.npy", &npy_header("|u1", true, shape), &[1], times, b"")
    };
    let fortran = array("8000, 5000", SIZE);
    assert_eq!(fairly("an array of bytes in Fortran order", &fortran, npy::read).unwrap().data.len(), SIZE);
    let large = array("8000, 10000", 2 * SIZE);
    let refused = fairly("a larger one", &large, npy::read).unwrap_err().to_string();
    assert!(refused.contains("save it with numbers of 2 bytes or more"), "{refused}");
    let one = array("1, 80000000", 2 * SIZE);
    let refused = fairly("one row of bytes", &one, |path| read_rows(path, RecordSize::Heading).unwrap_err());
    assert!(refused.to_string().contains("save it with numbers of 2 bytes or more"), "{refused}");
    let path = folder.write_times("a.npy", &npy_header("<f4", false, "3000000, 3"), &[0; 12], 3_000_000, b"");
    assert!(fairly("a scan of floats", &path, read_scan).is_ok());
}

#[test]
fn records_of_arrays() {
    records_of_arrays_of(SHORT);
}

#[test]
#[ignore = "slow: half a minute; records_of_arrays is short"]
fn long_records_of_arrays() {
    records_of_arrays_of(SIZE);
}

/// What is read record by record may be as long as it is.
fn records_of_arrays_of(size: usize) {
    let (folder, records) = (folder(), size / 5000);
    let array = |shape: &str| {
        folder.write_times(
            "a.npy",
            &npy_header("|u1", true, &format!("{records}, {shape}")),
            &[1],
            2 * size,
            b"",
        )
    };
    let rows = |path: &Path| count(read_rows(path, RecordSize::Heading).unwrap().iter());
    assert_eq!(fairly("rows of bytes", &array("10000"), rows), (records, 0));
    let shapes = |path: &Path| count(read_shapes(path, RecordSize::Heading).unwrap().iter());
    assert_eq!(fairly("shapes of bytes", &array("5000, 2"), shapes), (records, 0));
    let images = |path: &Path| {
        let images = read_images(path, 255.0).unwrap();
        count((0..images.len()).map(|i| images.get(i)))
    };
    assert_eq!(fairly("images of bytes", &array("100, 100"), images), (records, 0));
    let path = folder.write_times(
        "a.npy",
        &npy_header("|u1", true, &format!("{}, 2, 2", size / 2)),
        &[1],
        2 * size,
        b"",
    );
    let matrices = |path: &Path| read_matrices(path).unwrap().iter().count();
    assert_eq!(fairly("matrices of bytes", &path, matrices), size / 2);
}

/// Of what people write only so much is read as may cost many times its size.
#[test]
fn landmarks_certificates_and_edges() {
    let folder = folder();
    const LARGEST: usize = 4 << 20;
    let path = folder.write_times("a.csv", b"x,y,z\n", b"1,2,3\n", (LARGEST - 6) / 6, b"");
    assert!(fairly("landmarks in a table", &path, read_landmarks).is_ok());
    let (start, end) = (br#"{"markups":[{"controlPoints":[{"position":[0,0,0]}"#, b"]}]}");
    let point = br#",{"position":[0,0,0]}"#;
    let path = folder.write_times("a.json", start, point, (LARGEST - 60) / point.len(), end);
    assert!(fairly("landmarks in JSON", &path, read_landmarks).is_ok());
    let path = folder.write_times("a.json", br#"{"markups":[],"more":[0"#, b",[]", (LARGEST - 60) / 3, b"]}");
    assert!(fairly("JSON without landmarks", &path, read_landmarks).is_err());
    let certificate = |path: &Path| {
        let file = open(path, Limit::CERTIFICATE).unwrap();
        Certificate::from_json(file.text().unwrap()).is_ok()
    };
    for (start, repeated) in
        [(&b"{\"details\":[0"[..], &b",0"[..]), (b"[0", b",[]"), (b"{\"details\":{\"a\":[0", b",{}")]
    {
        let times = ((1 << 20) - 60) / repeated.len();
        let end: Vec<u8> = start.iter().rev().filter(|b| b"[{".contains(b)).map(|b| b + 2).collect();
        let path = folder.write_times("a.json", start, repeated, times, &end);
        assert!(!fairly("no certificate", &path, certificate));
    }
    let edges = |path: &Path| {
        let file = open(path, Limit::SMALL).unwrap();
        Tree::from_csv(file.text().unwrap()).unwrap().edges.len()
    };
    let path =
        folder.write_parts_of("a.csv", LARGEST, b"child,ancestor\n", |k| format!("{k:x},z\n").into_bytes());
    assert!(fairly("edges of a tree", &path, edges) > 400_000);
    let path = folder.write_times("a.csv", b"x,y,z\n", b"1,2,3\n", LARGEST / 6 + 1, b"");
    let refused = fairly("more landmarks than are read", &path, read_landmarks).unwrap_err().to_string();
    assert!(refused.contains("more than the 4194304 that are read of such a file"), "{refused}");
}
