//! Surfaces for other programs: PLY, VTK's `.vtp`, binary glTF and tables of text, each with a number and a colour at every vertex; OBJ and STL;
//! models of statismo, markups of 3D Slicer.

mod glb;
mod hdf5;
mod markups;
mod plain;
mod statismo;
mod surface;
mod table;
mod vtp;

use super::atomic::{WriteError, write_atomically, write_bytes};
use super::internal;
use super::ply::write_ply_with_all;
use std::path::Path;

pub use surface::{SurfaceFile, Way};

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
    /// A statistical shape model of scalismo and statismo, in HDF5.
    Statismo,
    /// Points as 3D Slicer's markups.
    Markups,
}

impl SurfaceFormat {
    /// By the ending of a file's name.
    pub fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let (before, ending) = name.rsplit_once('.')?;
        Some(match ending {
            "ply" => Self::Ply,
            "vtp" => Self::Vtp,
            "glb" => Self::Glb,
            "csv" => Self::Csv,
            "obj" => Self::Obj,
            "stl" => Self::Stl,
            "h5" => Self::Statismo,
            "json" if before.ends_with(".mrk") => Self::Markups,
            _ => return None,
        })
    }

    /// Whether numbers at the vertices go into such a file.
    pub fn holds_fields(self) -> bool {
        matches!(self, Self::Ply | Self::Vtp | Self::Glb | Self::Csv)
    }

    /// Whether ways in which the surface changes go into such a file.
    pub fn holds_ways(self) -> bool {
        matches!(self, Self::Vtp | Self::Glb | Self::Statismo)
    }
}

impl SurfaceFile<'_> {
    /// Writes the file, atomically.
    ///
    /// # Errors
    /// [`WriteError`], also where a field, a way or the colours are not one for each vertex, or a format is asked for a surface that it cannot
    /// hold.
    pub fn write(&self, path: &Path, format: SurfaceFormat) -> Result<(), WriteError> {
        let failed = |source| WriteError { path: path.to_owned(), source };
        self.check().map_err(failed)?;
        match format {
            SurfaceFormat::Ply if self.internal => {
                internal::write_ply_with_all(path, self.mesh, self.fields, self.colours)
            }
            SurfaceFormat::Ply => write_ply_with_all(path, self.mesh, self.fields, self.colours),
            SurfaceFormat::Vtp => write_bytes(path, vtp::text(self).as_bytes()),
            SurfaceFormat::Glb => write_bytes(path, &glb::bytes(self).map_err(failed)?),
            SurfaceFormat::Statismo => write_bytes(path, &statismo::bytes(self).map_err(failed)?),
            SurfaceFormat::Markups => write_bytes(path, markups::text(self).as_bytes()),
            SurfaceFormat::Csv => write_atomically(path, |out| table::write(self, out)),
            SurfaceFormat::Obj => write_atomically(path, |out| plain::write_obj(self, out)),
            SurfaceFormat::Stl => write_atomically(path, |out| plain::write_stl(self, out)),
        }
    }
}

#[cfg(test)]
mod tests;
