//! Rows of numbers, one for each record: directions, points of hyperbolic space.

use super::columns::{Fields, RecordSize, Table, holds_names, name_column};
use super::error::{Fault, Parsed, Place, ReadError, RecordError};
use super::heading::{Role, coordinate, listed, role};
use super::npy;
use super::open::Opened;

/// A table of rows of one width. Its rows are read from the file's bytes when they are asked for: nothing is kept twice.
#[derive(Debug, Clone)]
pub struct Rows {
    file: Opened,
    form: Form,
    width: usize,
}

#[derive(Debug, Clone)]
enum Form {
    Array(npy::Form),
    Text(Table, Columns),
}

/// Which columns the numbers are in.
#[derive(Debug, Clone)]
enum Columns {
    /// As the heading says.
    Headed {
        numbers: Numbers,
        name: Option<usize>,
        /// How many columns there are in all.
        count: usize,
    },
    /// This many numbers and nothing else, but perhaps a name before them.
    Bare(usize),
}

#[derive(Debug, Clone)]
enum Numbers {
    /// Coordinates.
    In(Vec<usize>),
    /// Degrees.
    Geographic { latitude: Angle, longitude: Angle },
}

/// A column of angles.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Angle {
    column: usize,
    /// Degrees in its unit.
    degrees: f64,
}

const WHAT: &str = "numbers";

impl Rows {
    /// The file they are in.
    pub fn file(&self) -> &Opened {
        &self.file
    }

    /// Numbers in a row: a public fact about the file, see [`RecordSize`].
    pub fn width(&self) -> usize {
        self.width
    }

    /// The same, refused where the heading says that some columns are coordinates and that others are none.
    ///
    /// # Errors
    /// [`ReadError`] that names the columns.
    pub fn of_coordinates(self) -> Result<Self, ReadError> {
        let Form::Text(
            Table { heading: Some(heading), .. },
            Columns::Headed { numbers: Numbers::In(columns), .. },
        ) = &self.form
        else {
            return Ok(self);
        };
        let others = not_coordinates(heading, columns);
        if others.is_empty() {
            return Ok(self);
        }
        let what = format!(
            "has columns that are not coordinates by their names beside others that are: {}; remove them, or name the coordinates alike (x1, x2, x3)",
            listed(&others, "and")
        );
        Err(self.file.error(Fault::Unclear { what }))
    }

    /// What was passed over, for the data holder.
    pub fn notes(&self) -> Vec<String> {
        let Form::Text(Table { heading: Some(heading), .. }, Columns::Headed { numbers, name, .. }) =
            &self.form
        else {
            return Vec::new();
        };
        let used = match numbers {
            Numbers::In(columns) => columns.clone(),
            Numbers::Geographic { latitude, longitude } => vec![latitude.column, longitude.column],
        };
        let passed = |i: &usize| !used.contains(i) && Some(*i) != *name && !heading[*i].is_empty();
        let passed: Vec<&str> = (0..heading.len()).filter(passed).map(|i| heading[i].as_str()).collect();
        match passed.is_empty() {
            true => Vec::new(),
            false => vec![format!("passed over: {}", listed(&passed, "and"))],
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        match &self.form {
            Form::Array(form) => form.records(),
            Form::Text(table, _) => table.records(self.file.bytes()).count(),
        }
    }

    /// The rows, in the order of the file; what is wrong with one is an error in its place.
    pub fn iter(&self) -> Box<dyn Iterator<Item = Result<Vec<f64>, RecordError>> + '_> {
        let bytes = self.file.bytes();
        match &self.form {
            Form::Array(form) => Box::new((0..form.records()).map(|i| finite(form.record(bytes, i)))),
            Form::Text(table, columns) => {
                Box::new(table.records(bytes).map(|(at, line)| columns.row(table, line, at)))
            }
        }
    }
}

fn finite(row: Vec<f64>) -> Result<Vec<f64>, RecordError> {
    match row.iter().position(|x| !x.is_finite()) {
        None => Ok(row),
        Some(column) => {
            Err(RecordError { place: Place::Whole, name: None, fault: Fault::Column { column: column + 1 } })
        }
    }
}

/// An array of shape (n, d).
pub(super) fn array(file: Opened, size: RecordSize) -> Result<Rows, ReadError> {
    let form = |bytes: &[u8]| -> Parsed<(npy::Form, usize)> {
        let form = npy::Form::parse(bytes)?;
        let [_, width] = form.shape[..] else {
            return Err(form.unfit("points are (n, d), a row for each"));
        };
        size.check(width, WHAT)?;
        Ok((form, width))
    };
    let (form, width) = form(file.bytes()).map_err(|located| file.error(located))?;
    not_empty(Rows { file, form: Form::Array(form), width })
}

/// A table with a heading or none. Columns named lat… and lon… (or lng…), in degrees, become unit vectors of ℝ³; otherwise all
/// columns are taken that are not headed as names.
pub(super) fn table(file: Opened, size: RecordSize) -> Result<Rows, ReadError> {
    let form = |bytes: &[u8]| -> Parsed<(Table, Columns)> {
        let table = Table::begin(bytes, file.path(), size)?;
        let columns = Columns::find(&table, bytes, size)?;
        Ok((table, columns))
    };
    let (table, columns) = form(file.bytes()).map_err(|located| file.error(located))?;
    let width = columns.width();
    not_empty(Rows { file, form: Form::Text(table, columns), width })
}

fn not_empty(rows: Rows) -> Result<Rows, ReadError> {
    if rows.iter().next().is_none() {
        return Err(rows.file.error(Fault::Malformed("holds no points; export it again")));
    }
    Ok(rows)
}

impl Columns {
    fn find(table: &Table, bytes: &[u8], size: RecordSize) -> Parsed<Self> {
        if let Some(heading) = &table.heading {
            let columns = Self::headed(heading)?;
            size.check(columns.width(), WHAT)?;
            return Ok(columns);
        }
        match size {
            RecordSize::Known(width) => Ok(Self::Bare(width)),
            RecordSize::Heading => {
                let remedy = "name the columns in a heading, or, of points, give their number as --dim N";
                Err(Fault::NoSize { what: WHAT, remedy }.into())
            }
            RecordSize::Content => {
                let Some((_, line)) = table.records(bytes).next() else { return Ok(Self::Bare(0)) };
                let fields = table.fields(line, 1);
                let is_named = table.number(&fields, 0).is_err();
                Ok(Self::Bare(fields.found.saturating_sub(usize::from(is_named))))
            }
        }
    }

    fn headed(heading: &[String]) -> Result<Self, Fault> {
        let geographic =
            angle(heading, &["lat", "latitude"])?.zip(angle(heading, &["lon", "long", "lng", "longitude"])?);
        if angle(heading, &["theta"])?.is_some() && angle(heading, &["phi"])?.is_some() {
            return Err(Fault::Malformed(
                "has angles theta and phi, of which one field measures from the pole what another measures along the equator; give lat and lon \
                 (degrees; radians as lat_rad and lon_rad), or vectors x, y, z",
            ));
        }
        let numbers = match geographic {
            Some((latitude, longitude)) => Numbers::Geographic { latitude, longitude },
            None => Numbers::In((0..heading.len()).filter(|&i| !holds_names(&heading[i])).collect()),
        };
        Ok(Self::Headed { numbers, name: name_column(heading), count: heading.len() })
    }

    fn width(&self) -> usize {
        match self {
            Self::Headed { numbers: Numbers::Geographic { .. }, .. } => 3,
            Self::Headed { numbers: Numbers::In(columns), .. } => columns.len(),
            Self::Bare(width) => *width,
        }
    }

    fn row(&self, table: &Table, line: &[u8], at: usize) -> Result<Vec<f64>, RecordError> {
        let most = match self {
            Self::Headed { count, .. } => *count,
            Self::Bare(width) => width.saturating_add(1),
        };
        let fields = table.fields(line, most);
        self.values(table, &fields).map_err(|fault| fault.at_line(at).of_record(self.name(table, &fields)))
    }

    /// The name of a record, where it has one.
    fn name(&self, table: &Table, fields: &Fields<'_>) -> Option<String> {
        let column = match self {
            Self::Headed { name, .. } => *name,
            Self::Bare(_) => table.number(fields, 0).is_err().then_some(0),
        };
        column.and_then(|column| fields.text(column))
    }

    fn values(&self, table: &Table, fields: &Fields<'_>) -> Result<Vec<f64>, Fault> {
        let number = |column: usize| table.number(fields, column);
        match self {
            Self::Headed { count, .. } if fields.found > *count => Err(table.misfit(fields, count)),
            Self::Headed { numbers: Numbers::Geographic { latitude, longitude }, .. } => {
                let degrees = |angle: &Angle| number(angle.column).map(|x| angle.degrees * x);
                direction(degrees(latitude)?, degrees(longitude)?)
            }
            Self::Headed { numbers: Numbers::In(columns), .. } => {
                columns.iter().copied().map(number).collect()
            }
            Self::Bare(width) => {
                // A number more than expected is no name.
                let first = usize::from(fields.found == width.saturating_add(1) && number(0).is_err());
                if fields.found != width + first {
                    return Err(table.misfit(fields, width));
                }
                (first..fields.found).map(number).collect()
            }
        }
    }
}

/// The column of angles that is called so, alone or with its unit: `lat`, `lat_deg`, `latitude (rad)`.
fn angle(heading: &[String], names: &[&str]) -> Result<Option<Angle>, Fault> {
    let of = |(column, name): (usize, &String)| {
        let mut words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let first = words.next()?;
        let joined = ["deg", "rad"].into_iter().find_map(|unit| Some((first.strip_suffix(unit)?, unit)));
        let (word, unit) = joined.filter(|(word, _)| names.contains(word)).unwrap_or((first, ""));
        let in_radians = words.chain([unit]).any(|word| matches!(word, "rad" | "radian" | "radians"));
        let degrees = if in_radians { 1_f64.to_degrees() } else { 1.0 };
        names.contains(&word).then_some(Angle { column, degrees })
    };
    let found: Vec<Angle> = heading.iter().enumerate().filter_map(of).collect();
    match found[..] {
        [] => Ok(None),
        [only] => Ok(Some(only)),
        _ => {
            let all: Vec<&str> = found.iter().map(|angle| heading[angle.column].as_str()).collect();
            let what =
                format!("has the columns {}, which are one angle; remove all but one", listed(&all, "and"));
            Err(Fault::Unclear { what })
        }
    }
}

/// Of these columns those that are no coordinates by their names, while others are: x, y, z (with t or w), or numbers of one name.
fn not_coordinates<'a>(heading: &'a [String], columns: &[usize]) -> Vec<&'a str> {
    let stem = |name: &str| name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').to_owned();
    let is_axis = |i: &usize| coordinate(&heading[*i]).is_some();
    let family = |i: &usize| {
        let own = stem(&heading[*i]);
        own != heading[*i] && columns.iter().filter(|j| stem(&heading[**j]) == own).count() > 1
    };
    let is_time = |i: &usize| matches!(heading[*i].as_str(), "t" | "w" | "t0" | "x0");
    let axes = columns.iter().filter(|i| is_axis(i)).count() > 1;
    let has_family = columns.iter().any(&family);
    let is_odd = |i: &&usize| match (axes, has_family) {
        (true, _) => !is_axis(i) && !is_time(i),
        (false, true) => !family(i) && !is_time(i),
        (false, false) => columns.len() > 1 && role(&heading[**i]) == Role::Other,
    };
    columns.iter().filter(is_odd).map(|i| heading[*i].as_str()).collect()
}

/// The unit vector of a latitude and a longitude in degrees.
fn direction(latitude: f64, longitude: f64) -> Result<Vec<f64>, Fault> {
    if !(-90.0..=90.0).contains(&latitude) || !(-360.0..=360.0).contains(&longitude) {
        return Err(Fault::Malformed("latitude must be within ±90 degrees, longitude within ±360"));
    }
    let (latitude, longitude) = (latitude.to_radians(), longitude.to_radians());
    Ok(vec![latitude.cos() * longitude.cos(), latitude.cos() * longitude.sin(), latitude.sin()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str, name: &str, size: RecordSize) -> Result<Rows, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        let file = crate::io::open(&path, crate::io::Limit::TABLE).unwrap();
        table(file, size).map_err(|e| e.problem())
    }

    fn read(text: &str, size: RecordSize) -> (usize, Vec<Result<Vec<f64>, String>>) {
        let rows = rows(text, "a.csv", size).unwrap();
        assert_eq!(rows.count(), rows.iter().count());
        (rows.width(), rows.iter().map(|row| row.map_err(|e| e.to_string())).collect())
    }

    #[test]
    fn geography_becomes_directions() {
        let (width, rows) = read("name,lat_deg,lng_deg\nPole,90,0\nNull,0,0\nNo,91,0\n", RecordSize::Heading);
        assert!(width == 3 && (rows[0].as_ref().unwrap()[2] - 1.0).abs() < 1e-15);
        assert!((rows[1].as_ref().unwrap()[0] - 1.0).abs() < 1e-15);
        assert!(rows[2].as_ref().unwrap_err().starts_with("line 4, \"No\": latitude must be within "));
    }

    #[test]
    fn radians_are_told_by_the_heading() {
        let of = |heading: &str| {
            read(&format!("name,{heading}\na,1.5707963267948966,1\n"), RecordSize::Heading).1.remove(0)
        };
        for heading in ["lat_rad,lon_rad", "latitude (radians),longitude (radians)", "latrad,lonrad"] {
            assert!((of(heading).unwrap()[2] - 1.0).abs() < 1e-12, "{heading}");
        }
        assert!(of("lat_deg,lon_deg").unwrap()[2] < 0.03);
        assert!(rows_of("lat_deg,lat_rad,lon\n1,1,1\n", RecordSize::Heading).contains("one angle"));
        assert!(rows_of("theta,phi\n1,1\n", RecordSize::Heading).contains("give lat and lon"));
    }

    #[test]
    fn columns_that_are_no_coordinates_are_named() {
        let of = |heading: &str| {
            let rows = rows(&format!("{heading}\n1,2,3\n"), "a.csv", RecordSize::Content).unwrap();
            rows.of_coordinates().map_err(|e| e.problem())
        };
        for heading in ["x,y,z", "t,x,y", "v1,v2,v3", "a,b,c", "name,x,y", "a8,a10,a12"] {
            assert!(of(heading).is_ok(), "{heading}");
        }
        for heading in ["age,x,y", "x1,x2,mass", "age,v1,v2", "age,u,v"] {
            assert!(of(heading).unwrap_err().contains("are not coordinates by their names"), "{heading}");
        }
        let geographic = rows("name,sex,lat,lon\na,F,1,2\n", "a.csv", RecordSize::Heading).unwrap();
        assert_eq!(geographic.notes(), ["passed over: \"sex\""]);
    }

    #[test]
    fn the_heading_tells_the_columns_whatever_the_first_row_holds() {
        for first in ["1,2,NA", "NA,NA,NA", "1,2", "1,2,3,4", "word,2,3", "1;2;3", "1 2 3"] {
            let (width, rows) = read(&format!("x,y,z\n{first}\n4,5,6\n"), RecordSize::Heading);
            assert!(width == 3 && rows.len() == 2, "{first}");
            assert!(rows[0].as_ref().unwrap_err().starts_with("line 2: "), "{first}: {rows:?}");
            assert_eq!(rows[1].as_ref().unwrap(), &[4.0, 5.0, 6.0]);
        }
        let (width, rows) = read("id;x;t\n\na;1,5;2\nb;1;x\nc;1\nd;3;4;\n", RecordSize::Heading);
        assert_eq!((width, rows[0].as_ref().unwrap().as_slice()), (2, [1.5, 2.0].as_slice()));
        assert!(rows[1].as_ref().unwrap_err().starts_with("line 4, \"b\": column 3 is not a finite number"));
        assert!(rows[2].is_err() && rows[3].is_ok());
    }

    #[test]
    fn without_a_heading_a_public_number_tells_the_width() {
        let known = RecordSize::Known(2);
        let (width, rows) = read("a,1,2\n3,4\nb,1,x\nc,1\n1,2,3\n5,6,\n1 2\nNA,NA\n", known);
        assert_eq!(width, 2);
        let good: Vec<bool> = rows.iter().map(Result::is_ok).collect();
        assert_eq!(good, [true, true, false, false, false, true, false, false]);
        assert!(rows[2].as_ref().unwrap_err().starts_with("line 3, \"b\": column 3 "));
        assert_eq!(
            rows[4].as_ref().unwrap_err(),
            "line 5: has 3 fields between commas where 2 are expected; correct the row"
        );
        let refused = rows_of("1,2\n3,4\n", RecordSize::Heading);
        assert!(refused.contains("--dim N"), "{refused}");
        assert!(rows_of("x,y,z\n1,2,3\n", known).contains("records of 3 numbers where 2 are expected"));
        assert!(rows_of("x,y\n", known).contains("holds no points"));
        assert_eq!(read("1;2;3\n4;5;6\n", RecordSize::Content).0, 3);
        assert_eq!(read("pole 0 1\n", RecordSize::Content).0, 2);
    }

    fn rows_of(text: &str, size: RecordSize) -> String {
        rows(text, "a.csv", size).unwrap_err()
    }

    #[test]
    fn one_row_of_another_separator_is_that_rows_fault() {
        let text = "0 0 1\n0,0,1\n0 1 0\n";
        let rows: Vec<_> =
            rows(text, "a.txt", RecordSize::Known(3)).unwrap().iter().map(|r| r.is_ok()).collect();
        assert_eq!(rows, [true, false, true]);
    }
}
