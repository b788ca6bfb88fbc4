//! Tables of shapes in text: a row for each specimen, or one for each landmark.

use super::record::{ShapeIter, ShapeRecord, WHAT};
use crate::io::columns::{Fields, RecordSize, Table, holds_names, name_column};
use crate::io::error::{Fault, Parsed, Place, RecordError};
use crate::io::text::{Lines, lossy};
use std::path::Path;

/// A row for each specimen: x1, y1, x2, y2, …, perhaps a name first.
#[derive(Debug, Clone)]
pub(super) struct Wide {
    table: Table,
    landmarks: usize,
    /// Whether a name comes first; `None` where there is no heading to tell, so that each row tells for itself.
    is_named: Option<bool>,
}

impl Wide {
    pub fn find(bytes: &[u8], path: &Path, size: RecordSize) -> Parsed<Self> {
        let table = Table::begin(bytes, path, size)?;
        if let Some(heading) = &table.heading {
            let is_named = heading.len() % 2 == 1 || heading.first().is_some_and(|name| holds_names(name));
            let columns = heading.len() - usize::from(is_named);
            if columns == 0 || columns % 2 == 1 {
                return Err(Fault::Malformed(
                    "has a heading with an odd number of coordinates; it is x1, y1, x2, y2, … perhaps after a name",
                )
                .into());
            }
            size.check(columns / 2, WHAT)?;
            return Ok(Self { landmarks: columns / 2, is_named: Some(is_named), table });
        }
        let landmarks = match size {
            RecordSize::Known(landmarks) => landmarks,
            RecordSize::Heading => {
                let remedy =
                    "name the columns in a heading (x1, y1, x2, …), or give their number as --landmarks K";
                return Err(Fault::NoSize { what: WHAT, remedy }.into());
            }
            RecordSize::Content => {
                let first = table.records(bytes).next().map(|(_, line)| table.fields(line, 0).found);
                first.unwrap_or(0) / 2
            }
        };
        Ok(Self { table, landmarks, is_named: None })
    }

    pub fn landmarks(&self) -> usize {
        self.landmarks
    }

    pub fn shapes<'a>(&'a self, bytes: &'a [u8]) -> ShapeIter<'a> {
        Box::new(self.table.records(bytes).map(|(at, line)| Ok((Place::Line(at), self.shape(line, at)?))))
    }

    fn shape(&self, line: &[u8], at: usize) -> Result<ShapeRecord, RecordError> {
        let columns = self.landmarks.saturating_mul(2);
        let fields = self.table.fields(line, columns.saturating_add(1));
        let is_named = self.is_named.unwrap_or(fields.found == columns.saturating_add(1));
        let id = if is_named { fields.text(0) } else { None };
        match self.coordinates(&fields, usize::from(is_named)) {
            Ok(landmarks) => Ok(ShapeRecord { id, landmarks }),
            Err(fault) => Err(fault.at_line(at).of_record(id)),
        }
    }

    fn coordinates(&self, fields: &Fields<'_>, first: usize) -> Result<Vec<[f64; 2]>, Fault> {
        let columns = self.landmarks.saturating_mul(2).saturating_add(first);
        if fields.found != columns {
            return Err(self.table.misfit(fields, columns));
        }
        let coordinate = |column| self.table.number_or_missing(fields, column);
        (first..columns).step_by(2).map(|column| Ok([coordinate(column)?, coordinate(column + 1)?])).collect()
    }
}

/// A row for each landmark: columns x and y, and one that names the specimen.
#[derive(Debug, Clone)]
pub(super) struct Long {
    table: Table,
    columns: Columns,
    /// Where no column names the specimens there is one.
    specimens: Option<Specimens>,
}

#[derive(Debug, Clone, Copy)]
struct Columns {
    x: usize,
    y: usize,
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
    pub fn find(bytes: &[u8], path: &Path, size: RecordSize) -> Parsed<Option<Self>> {
        let table = Table::begin(bytes, path, size)?;
        let Some(heading) = &table.heading else { return Ok(None) };
        let column = |name: &str| heading.iter().position(|column| column == name);
        let (Some(x), Some(y)) = (column("x"), column("y")) else { return Ok(None) };
        let columns = Columns { x, y, count: heading.len() };
        let name = name_column(heading).or_else(|| (0..heading.len()).find(|i| *i != x && *i != y));
        let specimens = name.map(|name| Specimens::find(&table, bytes, name));
        Ok(Some(Self { table, columns, specimens }))
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
        let mut count = 0;
        for (at, line) in rows.clone() {
            if let Err(fault) = self.point(line) {
                return Err(fault.at_line(at).of_record(id));
            }
            count += 1;
        }
        let mut landmarks = Vec::with_capacity(count);
        landmarks.extend(rows.filter_map(|(_, line)| self.point(line).ok()));
        Ok((place, ShapeRecord { id, landmarks }))
    }

    fn point(&self, line: &[u8]) -> Result<[f64; 2], Fault> {
        let Columns { x, y, count } = self.columns;
        let fields = self.table.fields(line, count);
        if fields.found > count {
            return Err(self.table.misfit(&fields, count));
        }
        Ok([self.table.number_or_missing(&fields, x)?, self.table.number_or_missing(&fields, y)?])
    }
}
