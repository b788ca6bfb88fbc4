//! What goes into a file of a surface.

use crate::io::field::NamedField;
use crate::mesh::TriMesh;
use std::io;

/// A surface as it goes into a file.
#[derive(Debug, Clone)]
pub struct SurfaceFile<'a> {
    /// Vertices and triangles; without triangles, a cloud.
    pub mesh: &'a TriMesh,
    /// In what the coordinates are measured, for formats that can say so.
    pub unit: &'a str,
    /// How many metres that is, where it is a length: glTF is in metres.
    pub metres: Option<f64>,
    /// Numbers at the vertices.
    pub fields: &'a [NamedField],
    /// sRGB at the vertices.
    pub colours: Option<&'a [[u8; 3]]>,
    /// Whether it was made of a file for the data holder only: PLY, OBJ and STL, which are read again, then have the mark of such files.
    pub internal: bool,
}

impl SurfaceFile<'_> {
    /// Whether there is one value of everything for each vertex, and names are words.
    pub(super) fn check(&self) -> io::Result<()> {
        let n = self.mesh.vertices().len();
        let bad = |message: String| Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        for field in self.fields {
            if field.values.len() != n {
                return bad(format!("{} values of {} for {n} vertices", field.values.len(), field.name));
            }
            let fits = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
            if field.name.is_empty() || !field.name.chars().all(fits) {
                return bad("a field's name must be of letters, digits, _ and -".to_owned());
            }
        }
        match self.colours {
            Some(colours) if colours.len() != n => bad(format!("{} colours for {n} vertices", colours.len())),
            _ => Ok(()),
        }
    }
}
