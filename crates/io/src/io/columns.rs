//! Tables of many records in text, a line for each.
//!
//! What a table is like is public: how its fields are separated, which columns there are, how large a record is. So it comes
//! from the heading, from the ending of the file's name, or from a number known elsewhere, never from a record; then every
//! line is read for itself, and what is wrong with one says nothing about the others.

use super::error::{Fault, Parsed};
use super::separator::Separator;
use super::text::{Lines, is_missing, is_remark, number, plain, unquoted};
use std::path::Path;

/// Where it is known from how large a record is: the numbers in a row, the landmarks of a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordSize {
    /// From elsewhere: a public centre, an option.
    Known(usize),
    /// From the heading of the file or the shape of its array, which are public. A table without a heading is refused.
    Heading,
    /// From its first record, where nothing else tells: for files that are public as a whole, and where nothing is released.
    Content,
}

impl RecordSize {
    /// Refuses a file that says otherwise.
    pub(super) fn check(self, found: usize, what: &'static str) -> Result<(), Fault> {
        match self {
            Self::Known(expected) if expected != found => Err(Fault::Size { what, found, expected }),
            _ => Ok(()),
        }
    }
}

/// Words that head a column of names of the records, the likeliest first.
const NAMES: [&str; 18] = [
    "id",
    "specimen",
    "shape",
    "name",
    "subject",
    "sample",
    "individual",
    "ind",
    "record",
    "person",
    "participant",
    "patient",
    "file",
    "filename",
    "photo",
    "picture",
    "image",
    "scan",
];
/// Words that head a column of something else that is no coordinate. Spreadsheets head the numbers of rows with nothing.
const REMARKS: [&str; 11] =
    ["", "unnamed: 0", "index", "row", "label", "group", "sex", "species", "city", "country", "place"];

/// The most columns of a table.
const MOST_COLUMNS: usize = 100_000;

/// A table whose beginning has been read.
#[derive(Debug, Clone)]
pub(super) struct Table {
    separator: Separator,
    /// The names of the columns in small letters, where there is a heading.
    pub heading: Option<Vec<String>>,
    /// Where the records begin: the byte, and how many lines come before.
    start: usize,
    lines_before: usize,
}

impl Table {
    /// Reads up to the first record: a heading is a first line that holds words and no number; one that says that values are
    /// missing is a record.
    pub fn begin(bytes: &[u8], path: &Path, size: RecordSize) -> Parsed<Self> {
        let mut lines = Lines::new(plain(bytes)?);
        let place = |lines: &Lines<'_>| (bytes.len() - lines.rest().len(), lines.number());
        let (mut start, mut lines_before) = place(&lines);
        let mut declared = None;
        while let Some((number, line)) = lines.next() {
            declared = declared.or_else(|| Separator::declared(line));
            let is_quoted = || {
                line.trim_ascii().starts_with(b"\"")
                    && Separator::of_heading(line, path).fields(line).count() > 1
            };
            if is_remark(line) && !is_quoted() || Separator::declared(line).is_some() {
                (start, lines_before) = place(&lines);
                continue;
            }
            let separator = declared.unwrap_or_else(|| Separator::of_heading(line, path));
            if is_heading(separator, line) || counts_columns(separator, line) {
                if separator.fields(line).count() > MOST_COLUMNS {
                    return Err(
                        Fault::Malformed("has more than 100000 columns; save it as .npy").at_line(number)
                    );
                }
                let heading = separator.fields(line).map(|field| unquoted(field).to_lowercase()).collect();
                let (start, lines_before) = place(&lines);
                return Ok(Self { separator, heading: Some(heading), start, lines_before });
            }
            let separator = match (declared, size) {
                (Some(declared), _) => declared,
                (None, RecordSize::Content) => Separator::of(line),
                _ => Separator::of_ending(path),
            };
            return Ok(Self { separator, heading: None, start, lines_before });
        }
        Ok(Self { separator: Separator::Blank, heading: None, start: bytes.len(), lines_before })
    }

    /// The records' lines, with their numbers. Under a heading a line is a record whatever its name begins with, unless it begins as remarks
    /// do, without a quotation mark, and has not as many fields as the heading.
    pub fn records<'a>(&self, bytes: &'a [u8]) -> impl Iterator<Item = (usize, &'a [u8])> + Clone + use<'a> {
        let (separator, width) = (self.separator, self.width());
        self.lines(bytes).filter(move |(_, line)| !is_passed_over(line, separator, width))
    }

    /// How many lines with several fields are taken for remarks, though they may be meant as records.
    pub fn remarks(&self, bytes: &[u8]) -> usize {
        let is_doubtful = |line: &[u8]| {
            is_passed_over(line, self.separator, self.width()) && self.separator.fields(line).count() > 1
        };
        self.lines(bytes).filter(|(_, line)| is_doubtful(line)).count()
    }

    fn lines<'a>(&self, bytes: &'a [u8]) -> Lines<'a> {
        Lines::after(bytes.get(self.start..).unwrap_or_default(), self.lines_before)
    }

    /// How many columns the heading has; 0 without one.
    fn width(&self) -> usize {
        self.heading.as_ref().map_or(0, Vec::len)
    }

    /// Whether commas in numbers are decimal marks.
    pub fn has_decimal_commas(&self) -> bool {
        self.separator != Separator::Comma
    }

    /// The fields of a line, of which no more than `most` are kept. Empty ones at its end are left out: some programs end lines with a separator.
    pub fn fields<'a>(&self, line: &'a [u8], most: usize) -> Fields<'a> {
        let most = most.min(MOST_COLUMNS);
        let mut kept = Vec::with_capacity(most);
        let (mut found, mut with_empty) = (0, 0);
        for (k, field) in self.separator.fields(line).enumerate() {
            with_empty = k + 1;
            if !field.is_empty() {
                found = k + 1;
            }
            if k < most {
                kept.push(field);
            }
        }
        kept.truncate(found);
        Fields { kept, found, with_empty }
    }

    /// The number in a field, counted from 0.
    pub fn number(&self, fields: &Fields<'_>, column: usize) -> Result<f64, Fault> {
        let value = fields.kept.get(column).and_then(|field| self.separator.number(field));
        value.filter(|x| x.is_finite()).ok_or(Fault::Column { column: column + 1 })
    }

    /// The number in a field, counted from 0, or NaN where it says that there is none, or is empty between separators.
    pub fn number_or_missing(&self, fields: &Fields<'_>, column: usize) -> Result<f64, Fault> {
        match fields.kept.get(column) {
            Some(field) if field.is_empty() || is_missing(field) => Ok(f64::NAN),
            None if column < fields.with_empty => Ok(f64::NAN),
            _ => self.number(fields, column),
        }
    }

    /// The fault of a row of another number of fields.
    pub fn misfit(&self, fields: &Fields<'_>, expected: impl ToString) -> Fault {
        Fault::Fields {
            found: fields.found,
            separator: self.separator.name(),
            expected: expected.to_string(),
        }
    }
}

/// The fields of a line.
pub(super) struct Fields<'a> {
    /// The first ones.
    pub kept: Vec<&'a [u8]>,
    /// How many there are in all, without empty ones at the end.
    pub found: usize,
    /// How many there are with those.
    with_empty: usize,
}

impl Fields<'_> {
    /// Whether they are so many: no more of them hold anything, and with empty ones at the end there are enough.
    pub fn fill(&self, columns: usize) -> bool {
        self.found <= columns && columns <= self.with_empty
    }

    /// A field as text.
    pub fn text(&self, column: usize) -> Option<String> {
        self.kept.get(column).map(|field| unquoted(field))
    }
}

fn is_heading(separator: Separator, line: &[u8]) -> bool {
    let is_word = |field: &[u8]| field.is_empty() || number(field).is_none() && !is_missing(field);
    separator.fields(line).any(|field| !field.is_empty()) && separator.fields(line).all(is_word)
}

/// Numbers that count their columns may be measured where there are fewer.
const FEWEST_COUNTED: usize = 8;

/// Whether a line holds but the numbers of its columns from 0 or 1, perhaps after a name: a heading as pandas writes it.
fn counts_columns(separator: Separator, line: &[u8]) -> bool {
    let fields: Vec<&[u8]> = separator.fields(line).take(MOST_COLUMNS).collect();
    let counts = |from: usize, fields: &[&[u8]]| {
        fields.len() >= FEWEST_COUNTED
            && fields.iter().enumerate().all(|(i, field)| *field == (from + i).to_string().as_bytes())
    };
    let after_name = fields.get(1..).filter(|_| number(fields[0]).is_none()).unwrap_or_default();
    [0, 1].into_iter().any(|from| counts(from, &fields) || counts(from, after_name))
}

/// Whether a line after the heading is none of a record.
fn is_passed_over(line: &[u8], separator: Separator, width: usize) -> bool {
    let text = line.trim_ascii();
    let is_record = || match width {
        0 | 1 => text.starts_with(b"\"") && separator.fields(line).count() > 1,
        width => text.starts_with(b"\"") || separator.fields(line).count() == width,
    };
    text.is_empty() || is_remark(line) && !is_record()
}

/// Whether a column of this heading (in small letters) holds words, and not numbers.
pub(super) fn holds_names(heading: &str) -> bool {
    let last = heading.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    NAMES.contains(&heading) || REMARKS.contains(&heading) || matches!(last, "id" | "name" | "label")
}

/// The column that names the records, if one does.
pub(super) fn name_column(heading: &[String]) -> Option<usize> {
    NAMES.iter().find_map(|name| heading.iter().position(|column| column == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin(text: &str, name: &str, size: RecordSize) -> Table {
        Table::begin(text.as_bytes(), name.as_ref(), size).unwrap()
    }

    #[test]
    fn a_heading_has_words_and_no_number() {
        for (text, heading, first) in [
            ("# remark\n\nname,x,y\na,1,2\n", Some(vec!["name", "x", "y"]), 4),
            ("\u{feff}\"\",X,Y\r\n1,2,3\r\n", Some(vec!["", "x", "y"]), 2),
            ("x\n1\n", Some(vec!["x"]), 2),
            ("1,2\n3,4\n", None, 1),
            ("a,1,2\n", None, 1),
            ("NA,NA\n1,2\n", None, 1),
            ("NA,b\n1,2\n", None, 1),
            (",,\n1,2,3\n", None, 1),
            ("nan,nan\n", None, 1),
        ] {
            let table = begin(text, "a.csv", RecordSize::Known(2));
            let names = table.heading.as_ref().map(|h| h.iter().map(String::as_str).collect());
            assert_eq!((names, table.records(text.as_bytes()).next().unwrap().0), (heading, first), "{text}");
        }
        assert_eq!(begin("# nothing\n", "a.csv", RecordSize::Heading).records(b"# nothing\n").count(), 0);
    }

    #[test]
    fn a_record_tells_the_separator_of_a_public_file_only() {
        let separator = |size| begin("1;2\n", "a.csv", size).separator;
        assert_eq!(separator(RecordSize::Content), Separator::Semicolon);
        assert_eq!(separator(RecordSize::Known(2)), Separator::Comma);
        assert_eq!(begin("1,2\n", "a.txt", RecordSize::Known(2)).separator, Separator::Blank);
    }

    #[test]
    fn names_are_told_from_numbers_by_the_heading() {
        for name in ["", "id", "name", "first name", "subject_id", "city", "row", "photo", "file"] {
            assert!(holds_names(name), "{name}");
        }
        for name in ["x", "y_mm", "lat_deg", "v1", "t", "w", "sample_x", "shape 1", "grid"] {
            assert!(!holds_names(name), "{name}");
        }
        let heading = ["group", "name", "x"].map(str::to_owned);
        assert_eq!(name_column(&heading), Some(1));
    }
}
