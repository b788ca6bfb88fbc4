use super::parse;
use crate::io::scan::Scan;
use crate::mesh::Point;

const ASCII: &str = "ply\nformat ascii 1.0\ncomment by hand\nobj_info none\nelement vertex 4\nproperty float x\n\
    property float y\nproperty uchar red\nproperty double z\nelement face 1\n\
    property list uchar int vertex_indices\nend_header\n0 0 9 0\n1 0 9 0\n1 1 9 0\n0 1 9 0.5\n4 0 1 2 3\n";

fn square() -> Scan {
    let vertices = [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.5]].map(Point::from).to_vec();
    Scan { vertices, triangles: Some(vec![[0, 1, 2], [0, 2, 3]]), not_finite: 0 }
}

/// A file with everything that may surround what matters, in either order of bytes.
fn binary(big: bool) -> Vec<u8> {
    let order = if big { "big" } else { "little" };
    let mut out = format!(
        "ply\nformat binary_{order}_endian 1.0\nelement extra 2\nproperty list ushort short junk\n\
         property list uchar double none\nelement vertex 4\nproperty short nx\nproperty double z\n\
         property list uint8 uint16 rings\nproperty float32 x\nproperty int8 y\nproperty float distance_(X)\n\
         element face 1\nproperty uchar flags\nproperty list uint32 uint16 vertex_index\nelement edge 1\n\
         property int32 vertex1\nproperty uint vertex2\nend_header\n"
    )
    .into_bytes();
    let mut put = |little_endian: &[u8]| {
        let mut raw = little_endian.to_vec();
        if big {
            raw.reverse();
        }
        out.extend(raw);
    };
    for n in [2u16, 0] {
        put(&n.to_le_bytes());
        (0..n).for_each(|k| put(&(k as i16 - 7).to_le_bytes()));
        put(&[0]);
    }
    for (k, p) in square().vertices.iter().enumerate() {
        put(&(-1i16).to_le_bytes());
        put(&p.z.to_le_bytes());
        put(&[k as u8]);
        (0..k).for_each(|_| put(&0x0102u16.to_le_bytes()));
        put(&(p.x as f32).to_le_bytes());
        put(&[p.y as u8]);
        put(&f32::NAN.to_le_bytes());
    }
    put(&[7]);
    put(&4u32.to_le_bytes());
    (0..4u16).for_each(|i| put(&i.to_le_bytes()));
    put(&0i32.to_le_bytes());
    put(&1u32.to_le_bytes());
    out
}

fn message(bytes: &[u8]) -> String {
    parse(bytes).unwrap_err().in_file("s.ply".as_ref()).to_string()
}

#[test]
fn ascii_in_many_dresses() {
    for text in [
        ASCII.to_owned(),
        ASCII.replace('\n', "\r\n"),
        ASCII.replace('\n', "\r"),
        ASCII.replace("1 1 9 0", "\n  1\t1 9\n0  "),
        ASCII.replace("4 0 1 2 3", "4\n0 1\n2 3"),
        ASCII.trim_end().to_owned(),
        format!("\u{feff}{ASCII}\n \n"),
        ASCII
            .replace("property uchar red", "property uchar diffuse red")
            .replace("diffuse red", "diffuse.red"),
        ASCII.replace("1 1 9 0", "1 1 nan 0"),
        ASCII.replace("element face 1", "element   face\t1  "),
        ASCII.replace("comment by hand", "comment \u{e9}\u{0}").replace('\u{0}', "?"),
    ] {
        assert_eq!(parse(text.as_bytes()).unwrap(), square(), "{text}");
    }
    let mut latin = ASCII.as_bytes().to_vec();
    let at = ASCII.find("by hand").unwrap();
    latin[at] = 0xe9;
    assert_eq!(parse(&latin).unwrap(), square());
}

#[test]
fn both_orders_of_bytes_and_every_kind_of_neighbour() {
    for big in [false, true] {
        assert_eq!(parse(&binary(big)).unwrap(), square());
        let padded = [binary(big), b"\n\0".to_vec()].concat();
        assert_eq!(parse(&padded).unwrap(), square());
    }
}

#[test]
fn a_header_in_carriage_returns_may_precede_any_byte() {
    let mut file =
        b"ply\rformat binary_little_endian 1.0\relement vertex 1\rproperty uchar x\rproperty uchar y\r\
        property uchar z\rend_header\r"
            .to_vec();
    file.extend([10, 13, 10]);
    assert_eq!(parse(&file).unwrap().vertices, [Point::new(10.0, 13.0, 10.0)]);
    let dos = String::from_utf8(file).unwrap().replace("\r", "\r\n");
    let dos = [dos.as_bytes().split_at(dos.find("end_header").unwrap() + 12).0, &[10, 13, 10]].concat();
    assert_eq!(parse(&dos).unwrap().vertices, [Point::new(10.0, 13.0, 10.0)]);
}

#[test]
fn strips_are_cut_into_triangles() {
    let text = "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n\
        element tristrips 1\nproperty list int int vertex_indices\nend_header\n\
        0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 2 0\n11 0 1 2 3 3 4 -1 4 3 2 -1\n";
    let scan = parse(text.as_bytes()).unwrap();
    assert_eq!(scan.triangles, Some(vec![[0, 1, 2], [2, 1, 3], [4, 3, 2]]));
    assert!(message(text.replace("4 3 2", "4 3 9").as_bytes()).starts_with("s.ply, line 15: face 2 "));
}

#[test]
fn clouds_and_faces_without_corners() {
    let cloud = ASCII
        .replace("element face 1\nproperty list uchar int vertex_indices\n", "")
        .replace("4 0 1 2 3\n", "");
    assert_eq!(parse(cloud.as_bytes()).unwrap().vertices, square().vertices);
    let capitals =
        ASCII.replace("float x", "float X").replace("float y", "float Y").replace("double z", "double Z");
    assert_eq!(parse(capitals.as_bytes()).unwrap(), square());
    let none = ASCII.replace("face 1", "face 0").replace("4 0 1 2 3\n", "");
    assert_eq!(parse(none.as_bytes()).unwrap().triangles, Some(vec![]));
    let two = ASCII.replace("face 1", "face 3").replace("4 0 1 2 3\n", "0\n2 0 1\n3 0 1 2\n");
    assert_eq!(parse(two.as_bytes()).unwrap().triangles, Some(vec![[0, 1, 2]]));
}

#[test]
fn what_cannot_be_read_says_where() {
    for (from, to, expected) in [
        ("1 1 9 0", "1 secret 9 0", "s.ply, line 15: a value is not a number; "),
        (
            "1 1 9 0",
            "1 1 9 0 secret",
            "s.ply, line 15: there are more values on the line than the header announces; ",
        ),
        (
            "4 0 1 2 3",
            "4 0 1 2 4",
            "s.ply, line 17: face 0 (counting from 0) names a vertex that does not exist (there are 4); ",
        ),
        ("4 0 1 2 3", "4 0 1 2 -1", "s.ply, line 17: face 0 "),
        ("4 0 1 2 3", "4 0 1 2 1.5", "s.ply, line 17: a value is not a number; "),
        ("4 0 1 2 3", "5 0 1 2 3", "s.ply: the faces end early (0 of 1 are there); "),
        ("4 0 1 2 3", "-4 0 1 2 3", "s.ply, line 17: a list has a negative length"),
        (
            "4 0 1 2 3",
            "4 0 1 2 3\nsecret",
            "s.ply, line 18: there are more lines than the header announces; ",
        ),
        (
            "vertex 4",
            "vertex 5",
            "s.ply, line 17: there are more values on the line than the header announces; ",
        ),
        (
            "vertex 4",
            "vertex 2000000000",
            "s.ply: promises 2000000000 vertices, more than the file has bytes for; ",
        ),
        ("face 1", "face 2000000000", "s.ply: promises 2000000000 faces, more than "),
        ("vertex 4", "vertex 99999999999999999999", "s.ply, line 5: is not understood in a PLY header; "),
        ("vertex 4", "vertex -4", "s.ply, line 5: is not understood in a PLY header; "),
        ("vertex 4", "vertex", "s.ply, line 5: is not understood in a PLY header; "),
        ("element vertex", "element secret", "s.ply: is a PLY file without vertices; "),
        ("float x", "secret x", "s.ply, line 6: is not understood in a PLY header; "),
        ("float x", "float y", "s.ply: has a PLY header that names an element or a property twice; "),
        ("float x", "float u", "s.ply: is a PLY file whose vertices have no numbers x, y and z; "),
        ("float x", "list uchar float x", "s.ply: is a PLY file whose vertices have no numbers x, y and z; "),
        (
            "element face",
            "element vertex",
            "s.ply: has a PLY header that names an element or a property twice; ",
        ),
        ("element vertex 4\n", "", "s.ply: has a PLY header whose lines do not fit together; "),
        (
            "list uchar int",
            "list float int",
            "s.ply: has a PLY header with a list whose length is not a whole number; ",
        ),
        (
            "list uchar int",
            "list uchar float",
            "s.ply: is a PLY file whose faces have no list vertex_indices ",
        ),
        ("vertex_indices", "corners", "s.ply: is a PLY file whose faces have no list vertex_indices "),
        ("ascii 1.0", "ascii 2.0", "s.ply: is not PLY version 1.0; "),
        ("ascii", "secret", "s.ply, line 2: is not understood in a PLY header; "),
        ("format ascii 1.0\n", "", "s.ply: has a PLY header whose lines do not fit together; "),
        ("end_header", "end_secret", "s.ply, line 12: is not understood in a PLY header; "),
        ("ply\n", "plywood\n", "s.ply: does not begin with the word ply; "),
        ("0 1 9 0.5", "0 1 9 0.5\0", "s.ply: holds binary data where text is expected; "),
    ] {
        let text = ASCII.replacen(from, to, 1);
        assert_ne!(text, ASCII);
        let message = message(text.as_bytes());
        assert!(message.starts_with(expected), "{from} -> {to}: {message}");
        assert!(!message.contains("secret"));
    }
    let no_end = &ASCII[..ASCII.find("end_header").unwrap()];
    assert!(message(no_end.as_bytes()).contains("without end_header"));
    let endless = format!("ply\nformat ascii 1.0\n{}", "comment on and on\n".repeat(100_000));
    assert!(message(endless.as_bytes()).contains("without end_header"));
    let wide = format!("ply\nformat ascii 1.0\nelement vertex 1\n{}", "property int a\n".repeat(2000));
    assert!(message(wide.as_bytes()).starts_with("s.ply, line 1001: "));
}

#[test]
fn damaged_binary_files_are_refused() {
    for big in [false, true] {
        let whole = binary(big);
        let text = String::from_utf8_lossy(&whole).into_owned();
        let header = text.find("end_header\n").unwrap() + 11;
        for n in 0..whole.len() {
            assert!(parse(&whole[..n]).is_err(), "{n} of {}", whole.len());
        }
        let surplus = [&whole[..], &[1]].concat();
        assert!(message(&surplus).contains("there are 1 more bytes than the file itself announces"));
        // A hostile length of the first list.
        let mut hostile = whole.clone();
        hostile[header..header + 2].fill(0xff);
        assert!(
            message(&hostile)
                .contains("the records other than vertices and faces end early (0 of 2 are there)")
        );
        // A hostile count of records without any property takes neither time nor memory.
        let at = text.find("element vertex").unwrap();
        let empty = [&whole[..at], b"element nothing 999999999999999999\n", &whole[at..]].concat();
        assert_eq!(parse(&empty).unwrap(), square());
    }
}

#[test]
fn what_is_written_is_what_the_format_asks_for_byte_by_byte() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.ply");
    let Scan { vertices, triangles: Some(triangles), .. } = square() else { unreachable!() };
    let mesh = crate::mesh::TriMesh::new(vertices, triangles).unwrap();
    super::write_ply_with_colours(&path, &mesh, &[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]).unwrap();
    let mut expected =
        b"ply\nformat binary_little_endian 1.0\nelement vertex 4\nproperty double x\nproperty double y\n\
        property double z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nelement face 2\n\
        property list uchar int vertex_indices\nend_header\n"
            .to_vec();
    for (k, p) in mesh.vertices().iter().enumerate() {
        p.iter().for_each(|c| expected.extend(c.to_le_bytes()));
        expected.extend([1, 2, 3].map(|c| 3 * k as u8 + c));
    }
    for corners in [[0i32, 1, 2], [0, 2, 3]] {
        expected.push(3);
        corners.iter().for_each(|i| expected.extend(i.to_le_bytes()));
    }
    assert_eq!(std::fs::read(&path).unwrap(), expected);

    super::write_ply(&path, &mesh).unwrap();
    assert_eq!(crate::io::read_scan(&path).unwrap(), square());
    let wrong = super::write_ply_with_colours(&path, &mesh, &[[0; 3]]).unwrap_err().to_string();
    assert!(wrong.contains("1 colours for 4 vertices"), "{wrong}");
    assert_eq!(crate::io::read_scan(&path).unwrap(), square());
}

#[test]
fn a_number_at_every_vertex_is_a_property_that_readers_skip_or_find() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.ply");
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Point::from);
    let mesh = crate::mesh::TriMesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap();
    super::write_ply_with_scalar(&path, &mesh, "error", &[0.5, 0.25, 1.0]).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let header = b"property double z\nproperty float error\n";
    assert!(bytes.windows(header.len()).any(|w| w == header));
    let vertex = [1f64.to_le_bytes(), 0f64.to_le_bytes(), 0f64.to_le_bytes()].concat();
    let second = [&vertex[..], &0.25f32.to_le_bytes()].concat();
    assert!(bytes.windows(second.len()).any(|w| w == second));
    let found = crate::io::read_scan(&path).unwrap();
    assert_eq!(found.vertices, mesh.vertices());
    assert!(super::write_ply_with_scalar(&path, &mesh, "error", &[0.5]).is_err());
}
