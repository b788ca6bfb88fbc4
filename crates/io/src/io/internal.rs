//! Files that only the data holder may see: marked inside, so that they are known for what they are when they were copied or renamed.
//!
//! The mark is where other programs read on over it: a comment in a PLY or OBJ file, the header of STL, a `COMMENT=` line in TPS, and in `.npy` a pattern of the
//! blanks that fill the header, which NumPy strips. Whoever writes the content anew with another program loses it.

use super::atomic::{WriteError, write_bytes};
use super::field::NamedField;
use super::npy;
use super::open::Opened;
use super::ply;
use super::shapes::{ShapeRecord, array_to, tps_text};
use crate::mesh::TriMesh;
use std::io;
use std::path::Path;

/// What a marked file of text says.
pub const MARK: &str = "visard internal: made from the records without noise, never a public input";
/// The bits of a marked `.npy` header: spaces and tabs in an order that no padding has by chance.
const BITS: u64 = 0x6e9f_41c3_b8d2_570a;
/// A PLY header is not looked for beyond this, in bytes, as its reader does.
const LONGEST_HEADER: usize = 1 << 20;

/// Writes an array as [`npy::write_npy`] does, marked.
///
/// # Errors
/// [`WriteError`].
pub fn write_npy(path: &Path, shape: &[usize], data: &[f64]) -> Result<(), WriteError> {
    write(path, || {
        let mut bytes = Vec::new();
        npy::write_to(&mut bytes, shape, data)?;
        Ok(marked_array(&bytes))
    })
}

/// Writes shapes of one size as an array, marked: (k, d) for one, (n, k, d) for several.
///
/// # Errors
/// [`WriteError`].
pub fn write_shape_array(path: &Path, shapes: &[ShapeRecord]) -> Result<(), WriteError> {
    write(path, || {
        let mut bytes = Vec::new();
        array_to(&mut bytes, shapes)?;
        Ok(marked_array(&bytes))
    })
}

/// Writes shapes as TPS, each of them marked.
///
/// # Errors
/// [`WriteError`].
pub fn write_tps(path: &Path, shapes: &[ShapeRecord]) -> Result<(), WriteError> {
    let marked = |shape| format!("{}COMMENT={MARK}\n", tps_text(std::slice::from_ref(shape)));
    write(path, || Ok(shapes.iter().map(marked).collect::<String>().into_bytes()))
}

/// Writes a mesh as PLY, marked.
///
/// # Errors
/// [`WriteError`].
pub fn write_ply(path: &Path, mesh: &TriMesh) -> Result<(), WriteError> {
    write_ply_with_all(path, mesh, &[], None)
}

/// As [`write_ply`], with any number of fields and a colour at every vertex; there must be one of each a vertex.
pub(super) fn write_ply_with_all(
    path: &Path,
    mesh: &TriMesh,
    fields: &[NamedField],
    colours: Option<&[[u8; 3]]>,
) -> Result<(), WriteError> {
    write(path, || Ok(ply::commented(ply::bytes(mesh, fields, colours)?, MARK)))
}

/// Whether a file has the mark.
pub fn is_marked(file: &Opened) -> bool {
    if file.parts().is_empty() {
        return has_mark(file.bytes());
    }
    file.parts().iter().any(|part| has_mark(&file.bytes()[part.range.clone()]))
}

fn write(path: &Path, bytes: impl FnOnce() -> io::Result<Vec<u8>>) -> Result<(), WriteError> {
    let bytes = bytes().map_err(|source| WriteError { path: path.to_owned(), source })?;
    write_bytes(path, &bytes)
}

fn has_mark(bytes: &[u8]) -> bool {
    if bytes.starts_with(b"\x93NUMPY") {
        return bytes.get(..bytes.len().min(npy::LONGEST_HEADER)).is_some_and(|head| holds(head, &blanks()));
    }
    let is_mesh = bytes.starts_with(b"ply");
    holds(if is_mesh { &bytes[..bytes.len().min(LONGEST_HEADER)] } else { bytes }, MARK.as_bytes())
}

fn holds(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

/// The mark of an array.
fn blanks() -> [u8; 64] {
    std::array::from_fn(|k| if BITS >> (63 - k) & 1 == 1 { b'\t' } else { b' ' })
}

/// An array of version 1.0 with the mark before the line break that ends its header; the values stay on a multiple of 64 bytes.
fn marked_array(bytes: &[u8]) -> Vec<u8> {
    let mark = blanks();
    let length = u16::from_le_bytes([bytes[8], bytes[9]]);
    let end = 10 + usize::from(length) - 1;
    let longer = (length + mark.len() as u16).to_le_bytes();
    [&bytes[..8], &longer, &bytes[10..end], &mark, &bytes[end..]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{Content, Limit, RecordSize, npy, open, open_as, read_shapes, scan_of};

    #[test]
    fn what_is_marked_is_read_as_if_it_were_not_and_known_wherever_it_goes() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let shapes = [
            ShapeRecord::flat(Some("a".into()), 2, vec![0.0, 1.0, 2.0, 3.5]),
            ShapeRecord::flat(Some("b".into()), 2, vec![4.0, 1.0, 2.0, 3.5]),
        ];
        let mesh = TriMesh::new(
            [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.1]].map(Into::into).to_vec(),
            vec![[0, 1, 2]],
        )
        .unwrap();
        write_npy(&at("a.npy"), &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.5]).unwrap();
        write_shape_array(&at("b.npy"), &shapes).unwrap();
        write_tps(&at("c.tps"), &shapes).unwrap();
        write_ply(&at("d.ply"), &mesh).unwrap();
        npy::write_npy(&at("e.npy"), &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.5]).unwrap();
        crate::io::shapes::write_tps(&at("f.tps"), &shapes).unwrap();
        crate::io::write_ply(&at("g.ply"), &mesh).unwrap();
        for (name, marked) in [
            ("a.npy", true),
            ("b.npy", true),
            ("c.tps", true),
            ("d.ply", true),
            ("e.npy", false),
            ("f.tps", false),
            ("g.ply", false),
        ] {
            assert_eq!(is_marked(&open(&at(name), Limit::TABLE).unwrap()), marked, "{name}");
        }
        assert_eq!(npy::read(&at("a.npy")).unwrap(), npy::read(&at("e.npy")).unwrap());
        let read = |name: &str| read_shapes(&at(name), RecordSize::Heading).unwrap().all().unwrap();
        assert_eq!(read("c.tps"), read("f.tps"));
        assert_eq!(read("b.npy").len(), 2);
        let scan = |name: &str| scan_of(&open_as(&at(name), Content::Scan).unwrap()).unwrap();
        assert_eq!(scan("d.ply").vertices, scan("g.ply").vertices);
        assert_eq!(scan("d.ply").triangles, scan("g.ply").triangles);
        // One marked specimen among others.
        let joined = [std::fs::read(at("f.tps")).unwrap(), std::fs::read(at("c.tps")).unwrap()].concat();
        std::fs::write(at("joined.tps"), joined).unwrap();
        assert!(is_marked(&open(&at("joined.tps"), Limit::TABLE).unwrap()));
    }

    #[test]
    fn a_marked_array_keeps_to_the_format() {
        let mut bytes = Vec::new();
        npy::write_to(&mut bytes, &[3], &[1.0, 2.0, 3.0]).unwrap();
        let marked = marked_array(&bytes);
        assert_eq!(marked.len(), bytes.len() + 64);
        assert_eq!((marked.len() - 24) % 64, 0);
        assert!(marked[10..marked.len() - 24].iter().all(u8::is_ascii));
        assert_eq!(marked[marked.len() - 25], b'\n');
    }
}
