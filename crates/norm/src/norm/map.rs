//! Where a surface lies outwards or inwards of what is expected, in standard deviations: vertex by vertex along the normal.

use crate::io::{NamedField, ReadError, RecordSize, SurfaceFile, SurfaceFormat, WriteError, read_rows};
use crate::mesh::{TriMesh, Vector};
use crate::report::colour::{ColourMap, ColourScale};
use crate::report::render::{Colour, Image, View, render};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// z-values at the vertices of the expected surface.
pub const MAP: &str = "map.ply";
/// The same as a table.
pub const MAP_TABLE: &str = "map.csv";
/// Colours end here: beyond three standard deviations it is plain that a place is unusual.
const ENDS: f64 = 3.0;

/// How the heading of a [`MAP_TABLE`] begins; the z-value is the last of these.
const HEADING: [&str; 5] = ["vertex", "x", "y", "z", "z_value"];

/// The [`MAP_TABLE`] beside a [`MAP`]; `None` for another file of such a name, which is somebody's own.
pub fn table_of(map: &Path) -> Option<PathBuf> {
    let table = map.with_file_name(MAP_TABLE);
    if map.file_name()? != MAP {
        return None;
    }
    let heading = BufReader::new(File::open(&table).ok()?).take(1000).lines().next()?.ok()?;
    heading.split(',').take(HEADING.len()).eq(HEADING).then_some(table)
}

/// The z-values in a [`MAP_TABLE`], one a vertex; NaN where a line has none.
///
/// # Errors
/// [`ReadError`]: a file that is no table of numbers.
pub fn read_z_values(table: &Path) -> Result<Vec<f64>, ReadError> {
    let z = |row: Result<Vec<f64>, _>| {
        row.ok().and_then(|row| row.get(HEADING.len() - 1).copied()).unwrap_or(f64::NAN)
    };
    Ok(read_rows(table, RecordSize::Content)?.iter().map(z).collect())
}

/// At every vertex, along the normal of the expected surface.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NormalMap {
    /// Standard deviations.
    pub z: Vec<f64>,
    /// Displacements outwards.
    pub along: Vec<f64>,
    /// One standard deviation, of people and of the expected surface's error together.
    pub sd: Vec<f64>,
}

impl NormalMap {
    /// Of displacements from the expected surface, where people vary by `variance` along a normal at a vertex, and the expected surface has this
    /// error, a root mean square alike in all directions; lengths times `scale`.
    pub(super) fn new(
        expected: &TriMesh,
        displaced: &[Vector],
        variance: impl Fn(usize, &Vector) -> f64,
        error: f64,
        scale: f64,
    ) -> Self {
        let at = |(v, n): (usize, Vector)| {
            let sd = (variance(v, &n).max(0.0) + error * error / 3.0).sqrt();
            (scale * n.dot(&displaced[v]), scale * sd)
        };
        let (along, sd): (Vec<f64>, Vec<f64>) =
            expected.vertex_normals().into_iter().enumerate().map(at).unzip();
        Self { z: along.iter().zip(&sd).map(|(d, s)| d / s).collect(), along, sd }
    }

    /// The root mean square of the z-values: about 1 for people of the norm.
    pub fn z_rms(&self) -> f64 {
        (super::law::square(&self.z) / self.z.len() as f64).sqrt()
    }

    /// Writes [`MAP`] and [`MAP_TABLE`] into the folder, marked as internal: coordinates in this unit, lengths as `length` names them (`_mm`).
    ///
    /// # Errors
    /// [`WriteError`]: a file that cannot be written.
    pub(super) fn write(
        &self,
        folder: &Path,
        expected: &TriMesh,
        unit: &'static str,
        length: &str,
    ) -> Result<(), WriteError> {
        let names = ["z_value".to_owned(), format!("along_normal{length}"), format!("one_sd{length}")];
        let fields: Vec<NamedField> = names
            .into_iter()
            .zip([&self.z, &self.along, &self.sd])
            .map(|(name, values)| NamedField { name, values: values.clone() })
            .collect();
        let file = SurfaceFile {
            mesh: expected,
            unit,
            metres: None,
            fields: &fields,
            ways: &[],
            dimensions: 3,
            about: &[],
            colours: None,
            internal: true,
        };
        file.write(&folder.join(MAP), SurfaceFormat::Ply)?;
        file.write(&folder.join(MAP_TABLE), SurfaceFormat::Csv)
    }

    /// The expected surface coloured by z, in three views, and the bar of its colours.
    pub(super) fn picture(&self, expected: &TriMesh, views: [View; 3]) -> (Image, ColourScale) {
        let scale = ColourScale {
            name: "z along the normal".into(),
            unit: "sd".into(),
            low: -ENDS,
            high: ENDS,
            map: ColourMap::Diverging,
        };
        let colours: Vec<[f64; 3]> = self.z.iter().map(|z| scale.colour(*z)).collect();
        let images = views.map(|view| render(expected, view, Colour::PerVertex(&colours)));
        (Image::beside(&images), scale)
    }
}
