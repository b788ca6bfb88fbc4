//! Writing meshes as binary little-endian PLY, through the `ply-rs` writer.

use super::atomic::{WriteError, write_atomically};
use crate::mesh::TriMesh;
use ply_rs::ply::{
    Addable, ElementDef, Encoding, Ply, PropertyAccess, PropertyDef, PropertyType, ScalarType,
};
use ply_rs::writer::Writer;
use std::path::Path;

/// One record of either element, as the writer asks for it.
enum Row {
    Vertex([f64; 3]),
    Face([i32; 3]),
}

impl PropertyAccess for Row {
    fn new() -> Self {
        Row::Vertex([0.0; 3])
    }

    fn get_double(&self, name: &String) -> Option<f64> {
        match (self, name.as_str()) {
            (Row::Vertex(p), "x") => Some(p[0]),
            (Row::Vertex(p), "y") => Some(p[1]),
            (Row::Vertex(p), "z") => Some(p[2]),
            _ => None,
        }
    }

    fn get_list_int(&self, name: &String) -> Option<&[i32]> {
        match self {
            Row::Face(corners) if name == "vertex_indices" => Some(corners),
            _ => None,
        }
    }
}

/// Writes a mesh (or, with no triangles, a point cloud) as binary little-endian PLY with double coordinates,
/// atomically.
///
/// # Errors
/// [`WriteError`].
pub fn write_ply(path: &Path, mesh: &TriMesh) -> Result<(), WriteError> {
    let mut ply = Ply::<Row>::new();
    ply.header.encoding = Encoding::BinaryLittleEndian;
    let mut vertex = ElementDef::new("vertex".to_owned());
    for axis in ["x", "y", "z"] {
        vertex.properties.add(PropertyDef::new(axis.to_owned(), PropertyType::Scalar(ScalarType::Double)));
    }
    ply.header.elements.add(vertex);
    let rows = mesh.vertices().iter().map(|p| Row::Vertex([p.x, p.y, p.z])).collect();
    ply.payload.insert("vertex".to_owned(), rows);
    if !mesh.triangles().is_empty() {
        let mut face = ElementDef::new("face".to_owned());
        let list = PropertyType::List(ScalarType::UChar, ScalarType::Int);
        face.properties.add(PropertyDef::new("vertex_indices".to_owned(), list));
        ply.header.elements.add(face);
        let rows = mesh.triangles().iter().map(|t| Row::Face(t.map(|i| i as i32))).collect();
        ply.payload.insert("face".to_owned(), rows);
    }
    ply.make_consistent().map_err(|e| WriteError {
        path: path.to_owned(),
        source: std::io::Error::new(std::io::ErrorKind::InvalidInput, format!("{e:?}")),
    })?;
    write_atomically(path, |out| Writer::new().write_ply_unchecked(out, &ply).map(|_| ()))
}
