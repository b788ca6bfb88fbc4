//! Shapes as arrays and as tables of text.

use super::record::ShapeRecord;
use crate::io::atomic::{WriteError, write_atomically, write_text};
use crate::io::npy::write_to;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

/// Writes shapes of one size as an array: (k, d) for one, (n, k, d) for several.
///
/// # Errors
/// [`WriteError`], also for shapes of different sizes.
pub fn write_shape_array(path: &Path, shapes: &[ShapeRecord]) -> Result<(), WriteError> {
    write_atomically(path, |out| array_to(out, shapes))
}

/// What [`write_shape_array`] writes.
pub(in crate::io) fn array_to(out: &mut impl Write, shapes: &[ShapeRecord]) -> io::Result<()> {
    let (k, d) = shapes.first().map_or((0, 2), |shape| (shape.landmarks(), shape.dimension()));
    let data: Vec<f64> = shapes.iter().flat_map(|shape| shape.coordinates().iter().copied()).collect();
    let shape = if shapes.len() == 1 { vec![k, d] } else { vec![shapes.len(), k, d] };
    write_to(out, &shape, &data)
}

/// Writes shapes of one size as a table with a row for each: id, x1, y1, x2, … or id, x1, y1, z1, x2, …; nothing where one is missing.
///
/// # Errors
/// [`WriteError`].
pub fn write_shape_table(path: &Path, shapes: &[ShapeRecord]) -> Result<(), WriteError> {
    let (k, d) = shapes.first().map_or((0, 2), |shape| (shape.landmarks(), shape.dimension()));
    let mut text = "id".to_owned();
    for i in 0..k * d {
        let _ = write!(text, ",{}{}", ["x", "y", "z"][i % d], i / d + 1);
    }
    text.push('\n');
    for (i, shape) in shapes.iter().enumerate() {
        let id = shape.id.clone().unwrap_or_else(|| (i + 1).to_string());
        text.push_str(&id.replace([',', '"', '\n', '\r'], " "));
        for c in shape.coordinates() {
            let _ = if c.is_nan() { write!(text, ",") } else { write!(text, ",{c:?}") };
        }
        text.push('\n');
    }
    write_text(path, &text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{RecordSize, read_shapes};

    #[test]
    fn what_is_written_is_read_again() {
        let dir = tempfile::tempdir().unwrap();
        let solid = |id: &str, x: f64| {
            ShapeRecord::solid(Some(id.into()), &[[x, 0.1 + 0.2, -1e-300], [4.0, 5.0, 6.0]])
        };
        let shapes = vec![solid("a", 1.0), solid("b", 2.0)];
        let (table, array) = (dir.path().join("a.csv"), dir.path().join("a.npy"));
        write_shape_table(&table, &shapes).unwrap();
        write_shape_array(&array, &shapes).unwrap();
        assert_eq!(read_shapes(&table, RecordSize::Heading).unwrap().all().unwrap(), shapes);
        let back = read_shapes(&array, RecordSize::Heading).unwrap().all().unwrap();
        assert_eq!(back[1].coordinates(), shapes[1].coordinates());
        write_shape_array(&array, &shapes[..1]).unwrap();
        assert_eq!(read_shapes(&array, RecordSize::Heading).unwrap().all().unwrap()[0].landmarks(), 2);
    }
}
