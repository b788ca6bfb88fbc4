//! Vertices as a table: number, coordinates, fields, colours.

use super::surface::SurfaceFile;
use std::io::{self, Write};

/// Writes heading and rows; numbers so that they are read back exactly, an empty field where there is none.
pub(super) fn write(surface: &SurfaceFile<'_>, out: &mut impl Write) -> io::Result<()> {
    write!(out, "vertex,x,y,z")?;
    for field in surface.fields {
        write!(out, ",{}", field.name)?;
    }
    writeln!(out, "{}", if surface.colours.is_some() { ",red,green,blue" } else { "" })?;
    for (k, p) in surface.mesh.vertices().iter().enumerate() {
        write!(out, "{k},{},{},{}", p.x, p.y, p.z)?;
        for field in surface.fields {
            match field.values[k] {
                v if v.is_finite() => write!(out, ",{v}")?,
                _ => write!(out, ",")?,
            }
        }
        match surface.colours {
            Some(colours) => {
                let [r, g, b] = colours[k];
                writeln!(out, ",{r},{g},{b}")?;
            }
            None => writeln!(out)?,
        }
    }
    Ok(())
}
