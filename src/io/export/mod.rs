//! Surfaces for other programs: PLY, VTK's `.vtp`, binary glTF and tables of text, each with a number and a colour at every vertex.

mod glb;
mod table;
mod vtp;

use super::atomic::{WriteError, write_atomically, write_bytes};
use super::field::NamedField;
use super::ply::write_ply_with_all;
use crate::mesh::TriMesh;
use std::io;
use std::path::Path;

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
}

/// The formats a surface can be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SurfaceFormat {
    /// Binary PLY: coordinates as doubles, fields as floats, colours as bytes.
    Ply,
    /// VTK's XML PolyData, for ParaView and 3D Slicer.
    Vtp,
    /// Binary glTF 2.0, for browsers and slides.
    Glb,
    /// A table of vertices.
    Csv,
}

impl SurfaceFormat {
    /// By the ending of a file's name.
    pub fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match ending.as_str() {
            "ply" => Self::Ply,
            "vtp" => Self::Vtp,
            "glb" => Self::Glb,
            "csv" => Self::Csv,
            _ => return None,
        })
    }
}

impl SurfaceFile<'_> {
    /// Writes the file, atomically.
    ///
    /// # Errors
    /// [`WriteError`], also where a field or the colours are not one for each vertex, or glTF is asked for a surface that it cannot hold.
    pub fn write(&self, path: &Path, format: SurfaceFormat) -> Result<(), WriteError> {
        self.check().map_err(|source| WriteError { path: path.to_owned(), source })?;
        match format {
            SurfaceFormat::Ply => write_ply_with_all(path, self.mesh, self.fields, self.colours),
            SurfaceFormat::Vtp => write_bytes(path, vtp::text(self).as_bytes()),
            SurfaceFormat::Glb => {
                let bytes =
                    glb::bytes(self).map_err(|source| WriteError { path: path.to_owned(), source })?;
                write_bytes(path, &bytes)
            }
            SurfaceFormat::Csv => write_atomically(path, |out| table::write(self, out)),
        }
    }

    fn check(&self) -> io::Result<()> {
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

#[cfg(test)]
mod tests;
