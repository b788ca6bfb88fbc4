//! Tables with a row for each shape: x1, y1, x2, y2, … in any order that the heading tells, beside other columns; or numbers without a
//! heading, perhaps after a name.

use super::long::Long;
use super::order::{from_one, numbered};
use super::reading::{LandmarkOrder, ShapeReading};
use super::record::{ShapeIter, ShapeRecord, WHAT};
use super::roles::column;
use crate::io::columns::{Fields, RecordSize, Table};
use crate::io::error::{Fault, Parsed, Place, RecordError};
use crate::io::heading::{Coordinate, Role, are_pixels, coordinate, listed, quoted, role};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// A row for each shape.
#[derive(Debug, Clone)]
pub(super) struct Wide {
    table: Table,
    columns: Columns,
    pub landmarks: usize,
    pub dimension: usize,
    /// The landmarks' names, in order, where there is a heading.
    pub names: Vec<String>,
    /// What the data holder should know.
    pub notes: Vec<String>,
}

/// Where the coordinates are.
#[derive(Debug, Clone)]
enum Columns {
    /// Where the heading says, one landmark after the other; the name; how many there are in all.
    Headed { coordinates: Vec<usize>, name: Option<usize>, count: usize },
    /// One after the other; each row tells whether a name comes first.
    Bare,
}

/// A table of either kind.
pub(super) enum Found {
    Wide(Wide),
    Long(Long),
}

/// Tells by the heading what a table is.
pub(super) fn find(bytes: &[u8], path: &Path, reading: &ShapeReading) -> Parsed<Found> {
    let table = Table::begin(bytes, path, reading.size.landmarks)?;
    let remarks = table.remarks(bytes);
    let mut found = form(table, bytes, reading)?;
    if remarks > 0 {
        let (Found::Long(Long { notes, .. }) | Found::Wide(Wide { notes, .. })) = &mut found;
        notes.push(format!(
            "{remarks} lines with several fields begin with #, % or // and were passed over; if they are records, put their names in quotation marks"
        ));
    }
    Ok(found)
}

fn form(table: Table, bytes: &[u8], reading: &ShapeReading) -> Parsed<Found> {
    let Some(heading) = table.heading.clone() else {
        reading.refuse_columns()?;
        return Ok(Found::Wide(Wide::bare(table, bytes, reading)?));
    };
    let coordinates: Vec<(usize, Coordinate)> =
        heading.iter().enumerate().filter_map(|(i, name)| Some((i, coordinate(name)?))).collect();
    let (single, several): (Vec<_>, Vec<_>) = coordinates.iter().partition(|(_, c)| c.landmark.is_empty());
    let has_landmarks =
        reading.columns.landmark.is_some() || heading.iter().any(|name| role(name) == Role::Landmark);
    let is_numbered = several.iter().all(|(_, c)| c.landmark.bytes().all(|b| b.is_ascii_digit()));
    if let Some(axes) = axes_of(&single)
        && (several.is_empty() || has_landmarks)
    {
        return Ok(Found::Long(Long::new(table, axes, bytes, reading)?));
    }
    if !single.is_empty() && !is_numbered || has_landmarks && !several.is_empty() {
        let what = "has columns of a table with a row for each landmark (x, y, a landmark's name) and of one with a row for each shape (x1, y1, x2, …); \
                    rename or remove those of one of them";
        return Err(Fault::Unclear { what: what.into() }.into());
    }
    Ok(Found::Wide(Wide::headed(table, &heading, coordinates, reading)?))
}

/// The columns of x, y and perhaps z, if there is one of each.
fn axes_of(single: &[&(usize, Coordinate)]) -> Option<Vec<usize>> {
    let of = |axis| single.iter().filter(move |(_, c)| c.axis == axis).map(|(i, _)| *i).collect::<Vec<_>>();
    match (&of(0)[..], &of(1)[..], &of(2)[..]) {
        ([x], [y], []) => Some(vec![*x, *y]),
        ([x], [y], [z]) => Some(vec![*x, *y, *z]),
        _ => None,
    }
}

const UNNAMED: &str = "has a heading that does not tell which columns are coordinates; name them x1, y1, x2, y2, … (x1, y1, z1, x2, … in space; other \
                       columns keep their names), or, if there is nothing else in the table but a name before them, leave the heading out and give \
                       --landmarks K and --dimensions D";

const PIXELS: &str = "has rows and columns of a picture for coordinates; rows are counted downwards, so that shapes would be mirrored: name the column x, \
                      and put minus the row into y";

impl Wide {
    fn headed(
        table: Table,
        heading: &[String],
        found: Vec<(usize, Coordinate)>,
        reading: &ShapeReading,
    ) -> Result<Self, Fault> {
        if reading.columns.landmark.is_some() {
            let what = "has a row for each shape, in which no column names the landmarks; leave out --landmark-column".into();
            return Err(Fault::Unclear { what });
        }
        if found.is_empty() {
            return Err(Fault::Malformed(if are_pixels(heading) { PIXELS } else { UNNAMED }));
        }
        let dimension = if found.iter().any(|(_, c)| c.axis == 2) { 3 } else { 2 };
        let mut names: Vec<String> = Vec::new();
        let mut places: Vec<[Option<usize>; 3]> = Vec::new();
        let mut known: HashMap<String, usize> = HashMap::new();
        for (column, Coordinate { axis, landmark }) in found {
            let at = *known.entry(landmark.clone()).or_insert(names.len());
            if at == names.len() {
                names.push(landmark);
                places.push([None; 3]);
            }
            if places[at][axis].replace(column).is_some() {
                let what = format!(
                    "has two columns {}, or two that name the same coordinate; rename or remove one",
                    quoted(&heading[column])
                );
                return Err(Fault::Unclear { what });
            }
        }
        if let Some(lacking) = places.iter().position(|axes| axes[..dimension].iter().any(Option::is_none)) {
            let has = places[lacking].iter().flatten().map(|&i| heading[i].as_str()).collect::<Vec<_>>();
            let axes = if dimension == 3 { "x, y and z" } else { "x and y" };
            return Err(Fault::Unclear {
                what: format!(
                    "has a heading in which coordinates are missing: {} without the others; each landmark has {axes}, as in x1, y1, x2, y2, … (x1, y1, \
                     z1, x2, … in space)",
                    listed(&has, "and")
                ),
            });
        }
        let order = order(&names, reading)?;
        let coordinates: Vec<usize> =
            order.iter().flat_map(|&i| places[i][..dimension].iter().flatten().copied()).collect();
        let names = order.into_iter().map(|i| names[i].clone()).collect::<Vec<_>>();
        reading.size.check(names.len(), dimension, WHAT)?;
        let taken: HashSet<usize> = coordinates.iter().copied().collect();
        let others: Vec<usize> = (0..heading.len()).filter(|i| !taken.contains(i)).collect();
        let name = match &reading.columns.record {
            Some(name) => column(heading, name, "--record-column")?,
            None => name_of(heading, &others),
        };
        let passed: Vec<&str> = others
            .into_iter()
            .filter(|i| Some(*i) != name && !heading[*i].is_empty())
            .map(|i| heading[i].as_str())
            .collect();
        let notes = match passed.is_empty() {
            true => Vec::new(),
            false => {
                vec![format!("passed over, not coordinates: {}", listed(&passed, "and"))]
            }
        };
        let columns = Columns::Headed { coordinates, name, count: heading.len() };
        Ok(Self { table, columns, landmarks: names.len(), dimension, names, notes })
    }

    fn bare(table: Table, bytes: &[u8], reading: &ShapeReading) -> Result<Self, Fault> {
        let (landmarks, dimension) = match (reading.size.landmarks, reading.size.dimension.or(reading.flat)) {
            (RecordSize::Known(landmarks), dimension) => (landmarks, dimension.unwrap_or(2)),
            (RecordSize::Heading, _) => {
                let remedy =
                    "name the columns in a heading (x1, y1, x2, …), or give their number as --landmarks K";
                return Err(Fault::NoSize { what: WHAT, remedy });
            }
            (RecordSize::Content, dimension) => {
                let first = table.records(bytes).next().map(|(_, line)| table.fields(line, 1));
                let numbers = first.map_or(0, |fields| {
                    let is_named = table.number_or_missing(&fields, 0).is_err();
                    fields
                        .found
                        .saturating_sub(usize::from(is_named || fields.found % 2 == 1 && dimension.is_none()))
                });
                let dimension = reading.dimension_of_flat(numbers)?;
                (numbers / dimension, dimension)
            }
        };
        Ok(Self { table, columns: Columns::Bare, landmarks, dimension, names: Vec::new(), notes: Vec::new() })
    }

    /// What the heading was taken to mean.
    pub fn meaning(&self) -> Option<String> {
        let Columns::Headed { name, .. } = &self.columns else { return None };
        let heading = self.table.heading.as_ref()?;
        let named = name.map_or(String::new(), |column| format!(": {} names it", quoted(&heading[column])));
        Some(format!("a row for each record{named}"))
    }

    pub fn shapes<'a>(&'a self, bytes: &'a [u8]) -> ShapeIter<'a> {
        Box::new(self.table.records(bytes).map(|(at, line)| Ok((Place::Line(at), self.shape(line, at)?))))
    }

    fn shape(&self, line: &[u8], at: usize) -> Result<ShapeRecord, RecordError> {
        let width = self.landmarks.saturating_mul(self.dimension);
        let (fields, name, count) = match &self.columns {
            Columns::Headed { name, count, .. } => (self.table.fields(line, *count), *name, *count),
            Columns::Bare => {
                let fields = self.table.fields(line, width.saturating_add(1));
                let is_named = fields.found == width.saturating_add(1);
                (fields, is_named.then_some(0), width.saturating_add(usize::from(is_named)))
            }
        };
        let id = name.and_then(|column| fields.text(column)).filter(|id| !id.is_empty());
        match self.coordinates(&fields, count, count - width) {
            Ok(coordinates) => Ok(ShapeRecord::flat(id, self.dimension, coordinates)),
            Err(fault) => Err(fault.at_line(at).of_record(id)),
        }
    }

    /// The numbers, which in a table without a heading begin with column `first`.
    fn coordinates(&self, fields: &Fields<'_>, count: usize, first: usize) -> Result<Vec<f64>, Fault> {
        if !fields.fill(count) {
            return Err(self.table.misfit(fields, count));
        }
        let number = |column| self.table.number_or_missing(fields, column);
        match &self.columns {
            Columns::Headed { coordinates, .. } => coordinates.iter().map(|&column| number(column)).collect(),
            Columns::Bare => (first..count).map(number).collect(),
        }
    }
}

/// The column that names the records: the first one where its name does not say that it is something else, or the only one that can.
fn name_of(heading: &[String], others: &[usize]) -> Option<usize> {
    let names = |i: &usize| matches!(role(&heading[*i]), Role::Record | Role::Either);
    let first = others.first().copied().filter(|i| *i == 0 && role(&heading[*i]) != Role::Other);
    let named: Vec<usize> = others.iter().copied().filter(names).collect();
    match (first, &named[..]) {
        // A column without a name counts the rows where another names them.
        (Some(first), [only]) if role(&heading[first]) == Role::Row => Some(*only),
        (Some(first), _) => Some(first),
        (None, [only]) => Some(*only),
        _ => None,
    }
}

/// The order in which the landmarks of a heading are wanted: that of a public centre, by number, or as they stand.
fn order(names: &[String], reading: &ShapeReading) -> Result<Vec<usize>, Fault> {
    let numbers = numbered(names);
    let mut order: Vec<usize> = (0..names.len()).collect();
    if let LandmarkOrder::Named(wanted) = &reading.order
        && numbers.is_some() == numbered(wanted).is_some()
    {
        let (keys, wanted) = match (numbers, numbered(wanted)) {
            (Some(numbers), Some(wanted)) => (from_one(numbers), from_one(wanted)),
            _ => (names.to_vec(), wanted.iter().map(|name| key(name)).collect()),
        };
        if keys.len() == wanted.len() {
            let places: HashMap<&String, usize> = wanted.iter().zip(0..).collect();
            let place = |i: &usize| places.get(&keys[*i]).copied();
            if let Some(unknown) = order.iter().find(|i| place(i).is_none()) {
                let what = format!(
                    "has a landmark {}, which the public centre does not have; correct the name",
                    quoted(&names[*unknown])
                );
                return Err(Fault::Unclear { what });
            }
            order.sort_by_key(place);
        }
    } else if names.iter().all(|name| name.bytes().all(|b| b.is_ascii_digit())) {
        order.sort_by_key(|&i| names[i].parse::<u64>().unwrap_or(0));
    }
    Ok(order)
}

/// A landmark's name as headings have it: in small letters, without signs.
fn key(name: &str) -> String {
    name.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect()
}
