//! Writing meshes as binary little-endian PLY, by the `ply-rs` writer.

use crate::io::atomic::{WriteError, write_atomically};
use crate::io::field::NamedField;
use crate::mesh::TriMesh;
use ply_rs::ply::{
    Addable, ElementDef, Encoding, Header, PropertyAccess, PropertyDef, PropertyType, ScalarType,
};
use ply_rs::writer::Writer;
use std::io::{self, BufWriter, Write};
use std::path::Path;

const AXES: [&str; 3] = ["x", "y", "z"];
const COLOURS: [&str; 3] = ["red", "green", "blue"];

/// What a mesh is written with at every vertex, besides its coordinates.
#[derive(Debug, Clone, Copy)]
enum With<'a> {
    Nothing,
    Colours(&'a [[u8; 3]]),
    Scalar(&'static str, &'a [f64]),
    All(&'a [NamedField], Option<&'a [[u8; 3]]>),
}

impl<'a> With<'a> {
    fn properties(self) -> Vec<(&'a str, PropertyType)> {
        let float = |name| (name, PropertyType::Scalar(ScalarType::Float));
        let colours = || COLOURS.map(|name| (name, PropertyType::Scalar(ScalarType::UChar)));
        match self {
            Self::Nothing => Vec::new(),
            Self::Colours(_) => colours().into(),
            Self::Scalar(name, _) => vec![float(name)],
            Self::All(fields, rgb) => {
                let fields = fields.iter().map(|field| float(field.name.as_str()));
                fields.chain(rgb.into_iter().flat_map(|_| colours())).collect()
            }
        }
    }

    fn check(self, vertices: usize) -> io::Result<()> {
        let (found, what) = match self {
            // What has several is checked by whoever puts it together ([`crate::io::SurfaceFile`]).
            Self::Nothing | Self::All(..) => return Ok(()),
            Self::Colours(colours) => (colours.len(), "colours"),
            Self::Scalar(_, values) => (values.len(), "values"),
        };
        if found == vertices {
            return Ok(());
        }
        let message = format!("{found} {what} for {vertices} vertices");
        Err(io::Error::new(io::ErrorKind::InvalidInput, message))
    }
}

/// Writes a mesh (or, without triangles, a point cloud) as binary little-endian PLY, atomically: `double x, y, z`,
/// then `list uchar int vertex_indices`. Every bit of the coordinates is kept.
///
/// # Errors
/// [`WriteError`]; what was there before is then untouched.
pub fn write_ply(path: &Path, mesh: &TriMesh) -> Result<(), WriteError> {
    write_atomically(path, |out| write_to(out, mesh, With::Nothing))
}

/// As [`write_ply`], with a comment in the heading, one line, and a colour at every vertex where there are any.
///
/// # Errors
/// [`WriteError`].
pub fn write_ply_with_comment(
    path: &Path,
    mesh: &TriMesh,
    colours: Option<&[[u8; 3]]>,
    comment: &str,
) -> Result<(), WriteError> {
    write_atomically(path, |out| out.write_all(&commented(bytes(mesh, &[], colours)?, comment)))
}

/// A PLY file with this line of comment after the lines that must come first, `ply` and `format`.
pub(in crate::io) fn commented(mut ply: Vec<u8>, comment: &str) -> Vec<u8> {
    let second = ply.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(1);
    let at = second.map_or(ply.len(), |(at, _)| at + 1);
    ply.splice(at..at, format!("comment {comment}\n").into_bytes());
    ply
}

/// What [`write_ply_with_all`] writes.
pub(in crate::io) fn bytes(
    mesh: &TriMesh,
    fields: &[NamedField],
    colours: Option<&[[u8; 3]]>,
) -> io::Result<Vec<u8>> {
    let mut out = BufWriter::new(Vec::new());
    write_to(&mut out, mesh, With::All(fields, colours))?;
    out.into_inner().map_err(io::IntoInnerError::into_error)
}

/// As [`write_ply`], with a colour at every vertex: `uchar red, green, blue` after the coordinates.
///
/// # Errors
/// [`WriteError`], also when there is not one colour for each vertex.
pub fn write_ply_with_colours(path: &Path, mesh: &TriMesh, colours: &[[u8; 3]]) -> Result<(), WriteError> {
    write_atomically(path, |out| write_to(out, mesh, With::Colours(colours)))
}

/// As [`write_ply`], with a number at every vertex: `float NAME` after the coordinates.
///
/// # Errors
/// [`WriteError`], also when there is not one value for each vertex.
pub fn write_ply_with_scalar(
    path: &Path,
    mesh: &TriMesh,
    name: &'static str,
    values: &[f64],
) -> Result<(), WriteError> {
    write_atomically(path, |out| write_to(out, mesh, With::Scalar(name, values)))
}

/// As [`write_ply`], with any number of fields (`float NAME`) at every vertex.
///
/// # Errors
/// [`WriteError`], also when a field has not one value for each vertex.
pub fn write_ply_with_fields(path: &Path, mesh: &TriMesh, fields: &[NamedField]) -> Result<(), WriteError> {
    write_ply_with_all(path, mesh, fields, None)
}

/// As [`write_ply`], with any number of fields (`float NAME`) and then a colour at every vertex; there must be one of each a vertex.
pub(in crate::io) fn write_ply_with_all(
    path: &Path,
    mesh: &TriMesh,
    fields: &[NamedField],
    colours: Option<&[[u8; 3]]>,
) -> Result<(), WriteError> {
    write_atomically(path, |out| write_to(out, mesh, With::All(fields, colours)))
}

/// One record, as the writer asks for it: by name and type.
enum Record<'a> {
    Vertex { position: [f64; 3], colour: [u8; 3], scalar: f32, fields: &'a [NamedField], index: usize },
    Face([i32; 3]),
}

impl PropertyAccess for Record<'_> {
    fn new() -> Self {
        Record::Face([0; 3])
    }

    fn get_double(&self, name: &String) -> Option<f64> {
        let Record::Vertex { position, .. } = self else { return None };
        AXES.iter().position(|axis| axis == name).map(|k| position[k])
    }

    fn get_uchar(&self, name: &String) -> Option<u8> {
        let Record::Vertex { colour, .. } = self else { return None };
        COLOURS.iter().position(|channel| channel == name).map(|k| colour[k])
    }

    fn get_float(&self, name: &String) -> Option<f32> {
        let Record::Vertex { scalar, fields, index, .. } = self else { return None };
        let field = fields.iter().find(|field| field.name == *name);
        Some(field.map_or(*scalar, |field| field.values[*index] as f32))
    }

    fn get_list_int(&self, _: &String) -> Option<&[i32]> {
        match self {
            Record::Face(corners) => Some(corners),
            Record::Vertex { .. } => None,
        }
    }
}

fn element<'a>(
    name: &str,
    count: usize,
    properties: impl IntoIterator<Item = (&'a str, PropertyType)>,
) -> ElementDef {
    let mut element = ElementDef::new(name.to_owned());
    element.count = count;
    for (name, kind) in properties {
        element.properties.add(PropertyDef::new(name.to_owned(), kind));
    }
    element
}

fn write_to(out: &mut BufWriter<impl Write>, mesh: &TriMesh, with: With<'_>) -> io::Result<()> {
    with.check(mesh.vertices().len())?;
    let coordinates = AXES.map(|name| (name, PropertyType::Scalar(ScalarType::Double)));
    let properties = coordinates.into_iter().chain(with.properties());
    let vertex = element("vertex", mesh.vertices().len(), properties);
    let corners = PropertyType::List(ScalarType::UChar, ScalarType::Int);
    let face = element("face", mesh.triangles().len(), [("vertex_indices", corners)]);

    let mut header = Header::new();
    header.encoding = Encoding::BinaryLittleEndian;
    header.elements.add(vertex.clone());
    if face.count > 0 {
        header.elements.add(face.clone());
    }
    // Record by record: the crate's function for whole files panics when the disk is full.
    let writer = Writer::new();
    writer.write_header(out, &header)?;
    for (k, p) in mesh.vertices().iter().enumerate() {
        let (colour, scalar, fields) = match with {
            With::Nothing => ([0; 3], 0.0, &[][..]),
            With::Colours(colours) => (colours[k], 0.0, &[][..]),
            With::Scalar(_, values) => ([0; 3], values[k] as f32, &[][..]),
            With::All(fields, colours) => (colours.map_or([0; 3], |colours| colours[k]), 0.0, fields),
        };
        let record = Record::Vertex { position: (*p).into(), colour, scalar, fields, index: k };
        writer.write_little_endian_element(out, &record, &vertex)?;
    }
    // Version 0.1.3 of the crate writes the number of the element's records, modulo 256, where a list's length
    // belongs: give it the length as that number.
    let face = ElementDef { count: 3, ..face };
    for triangle in mesh.triangles() {
        let mut corners = [0; 3];
        for (corner, &index) in corners.iter_mut().zip(triangle) {
            *corner = i32::try_from(index)
                .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "more than 2³¹ vertices"))?;
        }
        writer.write_little_endian_element(out, &Record::Face(corners), &face)?;
    }
    Ok(())
}
