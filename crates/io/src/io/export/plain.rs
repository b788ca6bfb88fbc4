//! Wavefront OBJ and binary STL: what every program for meshes and every printer reads. Neither holds numbers at vertices.

use super::surface::SurfaceFile;
use crate::io::internal::MARK;
use crate::mesh::Point;
use std::io::{self, Write};

/// Writes OBJ: coordinates so that they are read back exactly; colours from 0 to 1 after them, as most programs take them.
pub(super) fn write_obj(surface: &SurfaceFile<'_>, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "# {}", if surface.internal { MARK } else { "visard" })?;
    writeln!(out, "# coordinates in {}", surface.unit)?;
    for (k, p) in surface.mesh.vertices().iter().enumerate() {
        write!(out, "v {} {} {}", p.x, p.y, p.z)?;
        if let Some(colours) = surface.colours {
            let [r, g, b] = colours[k].map(|part| f64::from(part) / 255.0);
            write!(out, " {r:.4} {g:.4} {b:.4}")?;
        }
        writeln!(out)?;
    }
    for [a, b, c] in surface.mesh.triangles() {
        writeln!(out, "f {} {} {}", a + 1, b + 1, c + 1)?;
    }
    Ok(())
}

/// The bytes of an STL header.
const HEADER: usize = 80;

/// Writes binary STL: a normal and three corners for each triangle, in single precision.
///
/// # Errors
/// `InvalidInput` for a cloud, which has no triangles.
pub(super) fn write_stl(surface: &SurfaceFile<'_>, out: &mut impl Write) -> io::Result<()> {
    let (vertices, triangles) = (surface.mesh.vertices(), surface.mesh.triangles());
    if triangles.is_empty() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "STL holds triangles, and these are points"));
    }
    let text = if surface.internal { MARK.to_owned() } else { format!("visard, in {}", surface.unit) };
    write!(out, "{text:HEADER$.HEADER$}")?;
    let count = u32::try_from(triangles.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
    out.write_all(&count.to_le_bytes())?;
    for triangle in triangles {
        let [a, b, c]: [Point; 3] = triangle.map(|k| vertices[k]);
        let normal = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_default();
        for number in normal.iter().chain([a, b, c].iter().flat_map(|corner| corner.coords.iter())) {
            out.write_all(&(*number as f32).to_le_bytes())?;
        }
        out.write_all(&[0, 0])?;
    }
    Ok(())
}
