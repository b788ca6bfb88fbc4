//! Tables of shapes in text: a row for each specimen, or one for each landmark.

use super::record::{ShapeIter, ShapeRecord, WHAT};
use super::size::ShapeSize;
use crate::io::columns::{Fields, RecordSize, Table, holds_names, name_column};
use crate::io::error::{Fault, Parsed, Place, RecordError};
use crate::io::text::{Lines, lossy};
use std::path::Path;

/// A row for each specimen: x1, y1, x2, y2, … or x1, y1, z1, x2, …, perhaps a name first.
#[derive(Debug, Clone)]
pub(super) struct Wide {
    table: Table,
    landmarks: usize,
    dimension: usize,
    /// Whether a name comes first; `None` where there is no heading to tell, so that each row tells for itself.
    is_named: Option<bool>,
}

impl Wide {
    pub fn find(bytes: &[u8], path: &Path, size: ShapeSize) -> Parsed<Self> {
        let table = Table::begin(bytes, path, size.landmarks)?;
        if let Some(heading) = &table.heading {
            let dimension = size.dimension.unwrap_or_else(|| dimension_of(heading));
            let first = heading.first().is_some_and(|name| holds_names(name) && axis(name).is_none());
            let is_named = heading.len() % dimension == 1 || first;
            let columns = heading.len() - usize::from(is_named);
            if columns == 0 || columns % dimension != 0 {
                return Err(Fault::Malformed(match dimension {
                    2 => "has a heading with an odd number of coordinates; it is x1, y1, x2, y2, … perhaps after a name",
                    _ => "has a heading in which coordinates are missing; it is x1, y1, z1, x2, … perhaps after a name",
                })
                .into());
            }
            in_turn(&heading[usize::from(is_named)..], dimension)?;
            size.check(columns / dimension, dimension, WHAT)?;
            return Ok(Self { landmarks: columns / dimension, dimension, is_named: Some(is_named), table });
        }
        let dimension = size.dimension.unwrap_or(2);
        let landmarks = match size.landmarks {
            RecordSize::Known(landmarks) => landmarks,
            RecordSize::Heading => {
                let remedy =
                    "name the columns in a heading (x1, y1, x2, …), or give their number as --landmarks K";
                return Err(Fault::NoSize { what: WHAT, remedy }.into());
            }
            RecordSize::Content => {
                let first = table.records(bytes).next().map(|(_, line)| table.fields(line, 0).found);
                first.unwrap_or(0) / dimension
            }
        };
        Ok(Self { table, landmarks, dimension, is_named: None })
    }

    pub fn landmarks(&self) -> usize {
        self.landmarks
    }

    pub fn dimension(&self) -> usize {
        self.dimension
    }

    pub fn shapes<'a>(&'a self, bytes: &'a [u8]) -> ShapeIter<'a> {
        Box::new(self.table.records(bytes).map(|(at, line)| Ok((Place::Line(at), self.shape(line, at)?))))
    }

    fn shape(&self, line: &[u8], at: usize) -> Result<ShapeRecord, RecordError> {
        let columns = self.landmarks.saturating_mul(self.dimension);
        let fields = self.table.fields(line, columns.saturating_add(1));
        let is_named = self.is_named.unwrap_or(fields.found == columns.saturating_add(1));
        let id = if is_named { fields.text(0) } else { None };
        match self.coordinates(&fields, usize::from(is_named)) {
            Ok(coordinates) => Ok(ShapeRecord::flat(id, self.dimension, coordinates)),
            Err(fault) => Err(fault.at_line(at).of_record(id)),
        }
    }

    fn coordinates(&self, fields: &Fields<'_>, first: usize) -> Result<Vec<f64>, Fault> {
        let columns = self.landmarks.saturating_mul(self.dimension).saturating_add(first);
        if !fields.fill(columns) {
            return Err(self.table.misfit(fields, columns));
        }
        (first..columns).map(|column| self.table.number_or_missing(fields, column)).collect()
    }
}

/// The axis, from 0, that a column's name (in small letters) tells: `x1`, `1x`, `lm3_y`, `nasion.z`.
fn axis(name: &str) -> Option<usize> {
    let mut parts = name.split(|c: char| !c.is_alphabetic()).filter(|part| !part.is_empty());
    parts.find_map(|part| ["x", "y", "z"].iter().position(|axis| *axis == part))
}

/// Coordinates of a landmark: three where a column is of z.
fn dimension_of(heading: &[String]) -> usize {
    if heading.iter().any(|name| axis(name) == Some(2)) { 3 } else { 2 }
}

/// Refuses columns that say that they are in another order than x, y (, z) of one landmark after the other.
fn in_turn(columns: &[String], dimension: usize) -> Result<(), Fault> {
    let axes: Option<Vec<usize>> = columns.iter().map(|name| axis(name)).collect();
    match axes {
        Some(axes) if axes.iter().enumerate().any(|(i, axis)| i % dimension != *axis) => {
            let text = "has columns in another order than x1, y1, x2, y2, … (x1, y1, z1, x2, … in space); put each landmark's together";
            Err(Fault::Malformed(text))
        }
        _ => Ok(()),
    }
}

/// A row for each landmark: columns x and y (and z), and one that names the specimen.
#[derive(Debug, Clone)]
pub(super) struct Long {
    table: Table,
    columns: Columns,
    /// Where no column names the specimens there is one.
    specimens: Option<Specimens>,
}

#[derive(Debug, Clone)]
struct Columns {
    /// Of x, y and, in space, z.
    axes: Vec<usize>,
    count: usize,
}

/// The rows of each specimen. Names are kept as places in the file: a hash map of them would be many times its size.
#[derive(Debug, Clone)]
struct Specimens {
    /// The rows of one specimen together, in the order of the file.
    rows: Vec<Row>,
    /// Each specimen's rows, from and to, in order of first appearance.
    runs: Vec<(u32, u32)>,
}

/// A row of a file below 4 GiB: where the name in it begins, how long that is, and the line's number.
#[derive(Debug, Clone, Copy)]
struct Row {
    name: u32,
    length: u32,
    line: u32,
}

impl Row {
    fn name<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        bytes.get(self.name as usize..).and_then(|rest| rest.get(..self.length as usize)).unwrap_or_default()
    }

    fn line<'a>(&self, bytes: &'a [u8]) -> (usize, &'a [u8]) {
        let before = bytes.get(..self.name as usize).unwrap_or_default();
        let start = before.iter().rposition(|b| matches!(b, b'\n' | b'\r')).map_or(0, |end| end + 1);
        let line = Lines::new(bytes.get(start..).unwrap_or_default()).next();
        (self.line as usize, line.map_or(&[][..], |(_, line)| line))
    }
}

impl Specimens {
    fn find(table: &Table, bytes: &[u8], name: usize) -> Self {
        let offset = |part: &[u8]| (part.as_ptr() as usize - bytes.as_ptr() as usize) as u32;
        let mut rows = Vec::with_capacity(table.records(bytes).count());
        for (at, line) in table.records(bytes) {
            let fields = table.fields(line, name + 1);
            // A row too short to have a name has an empty one.
            let field = fields.kept.get(name).copied().unwrap_or(&line[line.len()..]);
            rows.push(Row { name: offset(field), length: field.len() as u32, line: at as u32 });
        }
        rows.sort_unstable_by(|a, b| (a.name(bytes), a.line).cmp(&(b.name(bytes), b.line)));
        let same = |a: &Row, b: &Row| a.name(bytes) == b.name(bytes);
        let mut runs = Vec::with_capacity(rows.chunk_by(same).count());
        let mut from = 0;
        for run in rows.chunk_by(same) {
            runs.push((from, from + run.len() as u32));
            from += run.len() as u32;
        }
        runs.sort_unstable_by_key(|&(from, _)| rows[from as usize].line);
        Self { rows, runs }
    }
}

impl Long {
    /// `None` for a table whose heading has no columns x and y.
    pub fn find(bytes: &[u8], path: &Path, size: ShapeSize) -> Parsed<Option<Self>> {
        let table = Table::begin(bytes, path, size.landmarks)?;
        let Some(heading) = &table.heading else { return Ok(None) };
        let column = |name: &str| heading.iter().position(|column| column == name);
        let (Some(x), Some(y)) = (column("x"), column("y")) else { return Ok(None) };
        let axes: Vec<usize> = [x, y].into_iter().chain(column("z")).collect();
        size.check_dimension(axes.len())?;
        let name = name_column(heading).or_else(|| (0..heading.len()).find(|i| !axes.contains(i)));
        let columns = Columns { axes, count: heading.len() };
        let specimens = name.map(|name| Specimens::find(&table, bytes, name));
        Ok(Some(Self { table, columns, specimens }))
    }

    pub fn dimension(&self) -> usize {
        self.columns.axes.len()
    }

    pub fn shapes<'a>(&'a self, bytes: &'a [u8]) -> ShapeIter<'a> {
        let Some(Specimens { rows, runs }) = &self.specimens else {
            let only = self.table.records(bytes).next().map(|_| self.shape(None, self.table.records(bytes)));
            return Box::new(only.into_iter());
        };
        Box::new(runs.iter().map(move |&(from, to)| {
            let rows = &rows[from as usize..to as usize];
            let name = rows.first().map(|row| lossy(row.name(bytes)));
            self.shape(name, rows.iter().map(|row| row.line(bytes)))
        }))
    }

    fn shape<'a>(
        &self,
        id: Option<String>,
        rows: impl Iterator<Item = (usize, &'a [u8])> + Clone,
    ) -> Result<(Place, ShapeRecord), RecordError> {
        // Checked and counted first: room that grows as it is needed would be three times too much at times.
        let place = rows.clone().next().map_or(Place::Whole, |(at, _)| Place::Line(at));
        let (dimension, mut count) = (self.dimension(), 0);
        for (at, line) in rows.clone() {
            if let Err(fault) = self.point(line, |_| ()) {
                return Err(fault.at_line(at).of_record(id));
            }
            count += 1;
        }
        let mut coordinates = Vec::with_capacity(count * dimension);
        for (at, line) in rows {
            self.point(line, |c| coordinates.push(c)).map_err(|fault| fault.at_line(at).of_record(None))?;
        }
        Ok((place, ShapeRecord::flat(id, dimension, coordinates)))
    }

    /// Hands over the coordinates of one landmark.
    fn point(&self, line: &[u8], mut take: impl FnMut(f64)) -> Result<(), Fault> {
        let Columns { axes, count } = &self.columns;
        let fields = self.table.fields(line, *count);
        if fields.found > *count {
            return Err(self.table.misfit(&fields, count));
        }
        for axis in axes {
            take(self.table.number_or_missing(&fields, *axis)?);
        }
        Ok(())
    }
}
