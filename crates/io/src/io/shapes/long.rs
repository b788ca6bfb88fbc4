//! Tables with a row for each landmark: columns x and y (and z), one that names the record, one that names the landmark.

use super::order::{Listing, Order, canonical};
use super::reading::ShapeReading;
use super::record::{ShapeIter, ShapeRecord};
use super::roles::Roles;
use crate::io::columns::Table;
use crate::io::error::{Fault, Parsed, Place, RecordError, printable_name};
use crate::io::heading::{listed, quoted};
use crate::io::text::{Lines, lossy, unquoted};
use std::collections::HashMap;

/// A table whose rows have been put together.
#[derive(Debug, Clone)]
pub(super) struct Long {
    table: Table,
    columns: Columns,
    /// Where no column names records or landmarks there is one record, its landmarks in order.
    specimens: Option<Specimens>,
    /// The landmarks' names, in order.
    pub names: Vec<String>,
    /// How many these are, where no record decides it.
    pub landmarks: Option<usize>,
    /// What the data holder should know.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone)]
struct Columns {
    /// Of x, y and, in space, z.
    axes: Vec<usize>,
    roles: Roles,
    count: usize,
}

/// The rows of each record. Names are kept as places in the file: a hash map of them would be many times its size.
#[derive(Debug, Clone)]
struct Specimens {
    /// The rows of one record together: in the order of the landmarks, or of the file where these have no names.
    rows: Vec<Row>,
    /// Each record's rows, from and to, in order of first appearance.
    runs: Vec<(u32, u32)>,
}

/// A row of a file below 4 GiB: where the name in it begins, how long that is, the line's number, which landmark it is.
#[derive(Debug, Clone, Copy)]
struct Row {
    name: u32,
    length: u32,
    line: u32,
    landmark: u32,
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

/// The most names of landmarks.
const MOST_LANDMARKS: usize = 100_000;

/// The names of landmarks as they are found.
#[derive(Default)]
struct Names {
    all: Vec<String>,
    known: HashMap<String, u32>,
}

impl Names {
    fn find(&mut self, field: &[u8]) -> Result<u32, Fault> {
        let name = canonical(&lossy(field));
        if name.is_empty() {
            return Err(Fault::MissingValue { what: "the landmark's name" });
        }
        if let Some(known) = self.known.get(&name) {
            return Ok(*known);
        }
        if self.all.len() == MOST_LANDMARKS {
            let text =
                "has more than 100000 names of landmarks; name the column that has them as --landmark-column";
            return Err(Fault::Malformed(text));
        }
        let next = self.all.len() as u32;
        self.all.push(name.clone());
        self.known.insert(name, next);
        Ok(next)
    }
}

impl Specimens {
    fn find(table: &Table, bytes: &[u8], roles: Roles, names: &mut Names) -> Parsed<Self> {
        let offset = |part: &[u8]| (part.as_ptr() as usize - bytes.as_ptr() as usize) as u32;
        let most = roles.record.max(roles.landmark).map_or(0, |last| last + 1);
        let mut rows = Vec::with_capacity(table.records(bytes).count());
        for (at, line) in table.records(bytes) {
            let fields = table.fields(line, most);
            // A row too short to have a name has an empty one.
            let field = |column: usize| fields.kept.get(column).copied().unwrap_or(&line[line.len()..]);
            let landmark = match roles.landmark {
                Some(column) => names.find(field(column)).map_err(|fault| fault.at_line(at))?,
                None => 0,
            };
            let name = roles.record.map_or(&line[..0], field);
            rows.push(Row { name: offset(name), length: name.len() as u32, line: at as u32, landmark });
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
        Ok(Self { rows, runs })
    }

    fn run(&self, record: usize) -> &[Row] {
        self.runs.get(record).map_or(&[], |&(from, to)| &self.rows[from as usize..to as usize])
    }

    /// Puts the rows of every record into the order of the landmarks.
    fn sort(&mut self, places: &[usize]) {
        for row in &mut self.rows {
            row.landmark = places.get(row.landmark as usize).map_or(0, |place| *place as u32);
        }
        for &(from, to) in &self.runs {
            self.rows[from as usize..to as usize].sort_unstable_by_key(|row| row.landmark);
        }
    }
}

struct Listed<'a>(&'a Specimens, &'a [u8]);

impl Listing for Listed<'_> {
    fn records(&self) -> usize {
        self.0.runs.len()
    }

    fn listed(&self, record: usize) -> Vec<u32> {
        self.0.run(record).iter().map(|row| row.landmark).collect()
    }

    fn called(&self, record: usize) -> String {
        let name = self.0.run(record).first().map(|row| lossy(row.name(self.1))).unwrap_or_default();
        if name.is_empty() { "the record".to_owned() } else { printable_name(&name) }
    }
}

impl Long {
    /// Of a table whose heading has these columns of x, y and, in space, z.
    pub fn new(table: Table, axes: Vec<usize>, bytes: &[u8], reading: &ShapeReading) -> Parsed<Self> {
        reading.size.check_dimension(axes.len())?;
        let heading = table.heading.clone().unwrap_or_default();
        let roles = Roles::find(&heading, &axes, &reading.columns, reading.is_one)?;
        let columns = Columns { roles, count: heading.len(), axes };
        let mut names = Names::default();
        let mut specimens = match roles {
            Roles { record: None, landmark: None } => None,
            _ => Some(Specimens::find(&table, bytes, roles, &mut names)?),
        };
        let mut long =
            Self { columns, names: Vec::new(), landmarks: None, notes: Vec::new(), table, specimens: None };
        let passed = long.passed_over(&heading);
        if let (Some(specimens), Some(_)) = (&mut specimens, roles.landmark) {
            let order = Order::settle(&names.all, &Listed(specimens, bytes), reading)?;
            specimens.sort(&order.places);
            long.notes.extend(order.note());
            long.landmarks = order.landmarks();
            long.names = order.names;
        } else if let Some(specimens) = &specimens {
            long.check_constant(specimens, &heading, bytes)?;
        }
        if !passed.is_empty() {
            long.notes.push(format!("passed over: {}", listed(&passed, "and")));
        }
        Ok(Self { specimens, ..long })
    }

    /// Columns that have no role and a name.
    fn passed_over<'a>(&self, heading: &'a [String]) -> Vec<&'a str> {
        let Columns { axes, roles, .. } = &self.columns;
        let used = |i: usize| axes.contains(&i) || [roles.record, roles.landmark].contains(&Some(i));
        let named = heading.iter().enumerate().filter(|(i, name)| !used(*i) && !name.is_empty());
        named.map(|(_, name)| name.as_str()).collect()
    }

    /// Where nothing names the landmarks, what else is told of a record has to be one thing in all of its rows: otherwise these are several
    /// records (the sessions or sides of a person) whose landmarks would be put together to one shape.
    fn check_constant(&self, specimens: &Specimens, heading: &[String], bytes: &[u8]) -> Parsed<()> {
        let Columns { axes, roles, count } = &self.columns;
        let others: Vec<usize> = (0..*count)
            .filter(|i| !axes.contains(i) && Some(*i) != roles.record)
            .filter(|i| crate::io::heading::role(&heading[*i]) == crate::io::heading::Role::Other)
            .collect();
        if others.is_empty() {
            return Ok(());
        }
        for record in 0..specimens.runs.len() {
            let rows = specimens.run(record);
            let Some(first) = rows.first() else { continue };
            let fields = self.table.fields(first.line(bytes).1, *count);
            for row in &rows[1..] {
                let (at, line) = row.line(bytes);
                let own = self.table.fields(line, *count);
                if let Some(&column) = others.iter().find(|&&c| own.kept.get(c) != fields.kept.get(c)) {
                    let what = format!(
                        "{} has several values of {}, and no column names the landmarks: if a record is one such value, give each record a name of its \
                         own in one column and name that as --record-column; otherwise name the landmarks' column as --landmark-column, or remove {}",
                        Listed(specimens, bytes).called(record),
                        quoted(&heading[column]),
                        quoted(&heading[column])
                    );
                    return Err(Fault::Unclear { what }.at_line(at));
                }
            }
        }
        Ok(())
    }

    /// What the heading was taken to mean.
    pub fn meaning(&self) -> Option<String> {
        let heading = self.table.heading.as_ref()?;
        let Roles { record, landmark } = self.columns.roles;
        let named = |column: usize| quoted(&heading[column]);
        let records =
            record.map_or("one record".to_owned(), |column| format!("{} names the record", named(column)));
        let landmarks = landmark
            .map_or("landmarks in order".to_owned(), |column| format!("{} the landmark", named(column)));
        Some(format!("a row for each landmark: {records}, {landmarks}"))
    }

    pub fn dimension(&self) -> usize {
        self.columns.axes.len()
    }

    pub fn shapes<'a>(&'a self, bytes: &'a [u8]) -> ShapeIter<'a> {
        let Some(specimens) = &self.specimens else {
            let rows = || self.table.records(bytes).map(|(at, line)| (None, at, line));
            let only = self.table.records(bytes).next().map(|_| self.shape(None, rows()));
            return Box::new(only.into_iter());
        };
        let is_named = self.columns.roles.record.is_some();
        Box::new((0..specimens.runs.len()).map(move |record| {
            let rows = specimens.run(record);
            let name = rows.first().filter(|_| is_named).map(|row| unquoted(row.name(bytes)));
            let place = |row: &Row| (!self.names.is_empty()).then_some(row.landmark as usize);
            self.shape(name, rows.iter().map(move |row| (place(row), row.line(bytes).0, row.line(bytes).1)))
        }))
    }

    /// A record of rows: which landmark each is where they have names, its line's number, the line.
    fn shape<'a>(
        &self,
        id: Option<String>,
        rows: impl Iterator<Item = (Option<usize>, usize, &'a [u8])> + Clone,
    ) -> Result<(Place, ShapeRecord), RecordError> {
        // Checked and counted first: room that grows as it is needed would be three times too much at times.
        let place = rows.clone().map(|(_, at, _)| at).min().map_or(Place::Whole, Place::Line);
        let (dimension, mut count) = (self.dimension(), 0);
        for (_, at, line) in rows.clone() {
            if let Err(fault) = self.point(line, |_, _| ()) {
                return Err(fault.at_line(at).of_record(id));
            }
            count += 1;
        }
        let count = if self.names.is_empty() { count } else { self.names.len() };
        let mut coordinates = vec![f64::NAN; count * dimension];
        for (row, (place, at, line)) in rows.enumerate() {
            let start = place.unwrap_or(row) * dimension;
            let put = |axis: usize, c: f64| coordinates[start + axis] = c;
            self.point(line, put).map_err(|fault| fault.at_line(at).of_record(None))?;
        }
        Ok((place, ShapeRecord::flat(id, dimension, coordinates)))
    }

    /// Hands over the coordinates of one landmark.
    fn point(&self, line: &[u8], mut take: impl FnMut(usize, f64)) -> Result<(), Fault> {
        let Columns { axes, count, .. } = &self.columns;
        let fields = self.table.fields(line, *count);
        if fields.found > *count {
            return Err(self.table.misfit(&fields, count));
        }
        for (axis, column) in axes.iter().enumerate() {
            take(axis, self.table.number_or_missing(&fields, *column)?);
        }
        Ok(())
    }
}
