//! What goes into a file of a surface.

use crate::io::field::NamedField;
use crate::mesh::{TriMesh, Vector};
use std::io;

/// A way in which a surface changes: a displacement of every vertex, in the unit of its coordinates.
#[derive(Debug, Clone, PartialEq)]
pub struct Way {
    /// What leads there: letters, digits, spaces and `_-+=.`, as in `mode 1 +2 sd` or `age=8`.
    pub name: String,
    /// One vector a vertex.
    pub moves: Vec<Vector>,
}

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
    /// Ways in which it changes: shape keys of glTF, vectors of VTK. For statismo they are its modes, one standard deviation each.
    pub ways: &'a [Way],
    /// Coordinates of a vertex: 2 for landmarks in the plane, whose third is 0, or 3.
    pub dimensions: usize,
    /// Names and texts about where it comes from, for formats with room for them: letters, digits, `_` and `-`; at most fifteen.
    pub about: &'a [(&'a str, String)],
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
        for way in self.ways {
            if way.moves.len() != n {
                return bad(format!("{} displacements of {} for {n} vertices", way.moves.len(), way.name));
            }
            let fits = |c: char| c.is_ascii_alphanumeric() || " _-+=.".contains(c);
            if way.name.is_empty() || !way.name.chars().all(fits) {
                return bad("a way's name must be of letters, digits, spaces and _-+=.".to_owned());
            }
            if !way.moves.iter().flatten().all(|x| (*x as f32).is_finite()) {
                return bad(format!("displacements of {} that are no numbers of single precision", way.name));
            }
        }
        match self.colours {
            Some(colours) if colours.len() != n => bad(format!("{} colours for {n} vertices", colours.len())),
            _ => Ok(()),
        }
    }
}
