//! Surfaces for other programs: PLY, VTK's `.vtp`, binary glTF and tables of text, each with a number and a colour at every vertex; OBJ and STL.

mod glb;
mod plain;
mod surface;
mod table;
mod vtp;

use super::atomic::{WriteError, write_atomically, write_bytes};
use super::internal;
use super::ply::write_ply_with_all;
use std::path::Path;

pub use surface::SurfaceFile;

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
    /// Wavefront OBJ: vertices with colours, and triangles.
    Obj,
    /// Binary STL: triangles only, in single precision.
    Stl,
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
            "obj" => Self::Obj,
            "stl" => Self::Stl,
            _ => return None,
        })
    }

    /// Whether numbers at the vertices go into such a file.
    pub fn holds_fields(self) -> bool {
        !matches!(self, Self::Obj | Self::Stl)
    }
}

impl SurfaceFile<'_> {
    /// Writes the file, atomically.
    ///
    /// # Errors
    /// [`WriteError`], also where a field or the colours are not one for each vertex, or glTF or STL is asked for a surface that it cannot hold.
    pub fn write(&self, path: &Path, format: SurfaceFormat) -> Result<(), WriteError> {
        self.check().map_err(|source| WriteError { path: path.to_owned(), source })?;
        match format {
            SurfaceFormat::Ply if self.internal => {
                internal::write_ply_with_all(path, self.mesh, self.fields, self.colours)
            }
            SurfaceFormat::Ply => write_ply_with_all(path, self.mesh, self.fields, self.colours),
            SurfaceFormat::Vtp => write_bytes(path, vtp::text(self).as_bytes()),
            SurfaceFormat::Glb => {
                let bytes =
                    glb::bytes(self).map_err(|source| WriteError { path: path.to_owned(), source })?;
                write_bytes(path, &bytes)
            }
            SurfaceFormat::Csv => write_atomically(path, |out| table::write(self, out)),
            SurfaceFormat::Obj => write_atomically(path, |out| plain::write_obj(self, out)),
            SurfaceFormat::Stl => write_atomically(path, |out| plain::write_stl(self, out)),
        }
    }
}

#[cfg(test)]
mod tests;
