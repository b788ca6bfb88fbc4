//! Why a file could not be read: which file, where in it, what is wrong, what to do.
//!
//! A [`Fault`] is made of text known at compile time and of numbers, so that nothing a file contains can reach a
//! message or a log: scans are personal data. The one exception is the name of a record in a [`RecordError`].

use std::fmt;
use std::path::{Path, PathBuf};

/// One line about one file: its path, the place in it, what is wrong and what to do.
#[derive(Debug, thiserror::Error)]
#[error("{}{place}: {fault}", one_line(path))]
pub struct ReadError {
    path: PathBuf,
    place: Place,
    fault: Fault,
}

impl ReadError {
    /// A fault of the file as a whole.
    pub fn new(path: &Path, fault: impl Into<Fault>) -> Self {
        Self::at(path, Place::Whole, fault.into())
    }

    /// A fault at a place of the file.
    pub(super) fn at(path: &Path, place: Place, fault: Fault) -> Self {
        Self { path: path.to_owned(), place, fault }
    }

    /// The file or folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where in the file.
    pub fn place(&self) -> Place {
        self.place
    }

    /// What is wrong.
    pub fn fault(&self) -> &Fault {
        &self.fault
    }

    /// The message without the file's name.
    pub fn problem(&self) -> String {
        match self.place {
            Place::Whole => self.fault.to_string(),
            place => format!("{}: {}", place.to_string().trim_start_matches([',', ' ']), self.fault),
        }
    }
}

/// Where in a file a fault is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// The file as a whole.
    Whole,
    /// A line of a text, counted from 1.
    Line(usize),
    /// A byte of a binary file, counted from 0.
    Byte(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Whole => Ok(()),
            Place::Line(n) => write!(f, ", line {n}"),
            Place::Byte(n) => write!(f, ", byte {n}"),
        }
    }
}

/// What is wrong with a file, and what to do. Vertices, faces and landmarks are counted from 0.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// Nothing is there.
    #[error("there is no such file or folder; check the path")]
    Missing,
    /// A folder where a file should be.
    #[error("is a folder, not a file; give the files in it, or rename it")]
    Folder,
    /// A pipe, device or the like.
    #[error("is {what}, not an ordinary file; copy its content to a file and give that")]
    NotAFile {
        /// What it is.
        what: &'static str,
    },
    /// The system refused.
    #[error("cannot be read: {0}; check that you may read it")]
    System(std::io::Error),
    /// More bytes than are ever read.
    #[error("has {bytes} bytes, more than the {limit} that are read of such a file; {remedy}")]
    TooLarge {
        /// Bytes in the file.
        bytes: u64,
        /// The largest number that is read.
        limit: u64,
        /// What to do.
        remedy: &'static str,
    },
    /// Content that would take more memory than a file of its size may.
    #[error(
        "would take {needed} bytes of memory, more than the {allowed} that a file of its size may take; {remedy}"
    )]
    Memory {
        /// Bytes needed.
        needed: usize,
        /// The largest number that is allowed.
        allowed: usize,
        /// What to do.
        remedy: &'static str,
    },
    /// No content at all.
    #[error("is empty; export it again")]
    Empty,
    /// No reader goes with the ending of the name.
    #[error("has a name with an unknown ending; known for {what} are {known}")]
    UnknownExtension {
        /// What was looked for.
        what: &'static str,
        /// The endings known.
        known: String,
    },
    /// A format that does not hold what is wanted.
    #[error("is of the format {format}, which holds no {what}; known for {what} are {known}")]
    WrongFormat {
        /// The format.
        format: &'static str,
        /// What was looked for.
        what: &'static str,
        /// The endings known.
        known: String,
    },
    /// A folder in which nothing is a scan by its name.
    #[error(
        "holds no scans; known endings are {known}; of a folder of folders, check --recursive --save makes a --manifest"
    )]
    NoScans {
        /// The endings known.
        known: String,
    },
    /// Content of a damaged or unsupported form.
    #[error("{0}")]
    Malformed(&'static str),
    /// The data end early.
    #[error(
        "the {what} end early ({found} of {promised} are there); the file is cut off, copy or export it again"
    )]
    Truncated {
        /// What is counted.
        what: &'static str,
        /// How many there should be.
        promised: usize,
        /// How many are there and complete.
        found: usize,
    },
    /// A count that cannot be true; found before anything is allocated for it.
    #[error(
        "promises {promised} {what}, more than the file has bytes for; it is cut off or damaged, copy or export it again"
    )]
    Overpromise {
        /// What is counted.
        what: &'static str,
        /// The count claimed.
        promised: usize,
    },
    /// More data than announced.
    #[error("there are {surplus} more {what} than the file itself announces; it is damaged, export it again")]
    Surplus {
        /// What is counted.
        what: &'static str,
        /// How many too many.
        surplus: usize,
    },
    /// Something else in place of a number.
    #[error("{what} is not a number; correct it or export the file again")]
    NotANumber {
        /// The thing that should be a number.
        what: &'static str,
    },
    /// A field of a table that should be a number. Columns are counted from 1.
    #[error("column {column} is not a finite number; correct it, or if it holds names head it name or id")]
    Column {
        /// The column.
        column: usize,
    },
    /// A row of another width.
    #[error("has {found} fields between {separator} where {expected} are expected; correct the row")]
    Fields {
        /// Fields in the row.
        found: usize,
        /// What stands between them.
        separator: &'static str,
        /// How many there should be, in words.
        expected: String,
    },
    /// A file whose heading (or array) tells another size of records than is known from elsewhere.
    #[error("holds records of {found} {what} where {expected} are expected; correct the file or the option")]
    Size {
        /// Numbers or landmarks.
        what: &'static str,
        /// As the file says.
        found: usize,
        /// As known from elsewhere.
        expected: usize,
    },
    /// Nothing public tells how large a record is.
    #[error(
        "has no heading that gives the number of {what} in a record, and the records may not determine it; {remedy}"
    )]
    NoSize {
        /// Numbers or landmarks.
        what: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// Fewer numbers than needed.
    #[error("{what} is missing; correct the line or export the file again")]
    MissingValue {
        /// The thing that is not there.
        what: &'static str,
    },
    /// NaN or an infinity.
    #[error(
        "{what} {index} (counting from 0) has a coordinate that is NaN or infinite; remove it or scan again"
    )]
    NotFinite {
        /// Vertex or landmark.
        what: &'static str,
        /// Its number.
        index: usize,
    },
    /// A face of vertices that do not exist.
    #[error(
        "face {face} (counting from 0) names a vertex that does not exist (there are {n_vertices}); the file is damaged, export it again"
    )]
    IndexOutOfRange {
        /// Number of the face.
        face: usize,
        /// How many vertices there are.
        n_vertices: usize,
    },
    /// Not the array that is needed.
    #[error("holds an array of shape {shape:?}, {needed}")]
    Shape {
        /// The shape found.
        shape: Vec<usize>,
        /// What is needed.
        needed: &'static str,
    },
    /// An image with values that are none of brightness.
    #[error("has values outside 0 to {white}; give the value of white as --white")]
    AboveWhite {
        /// The largest value there should be.
        white: f64,
    },
    /// A line of a list of files, in words.
    #[error("{what}")]
    Listed {
        /// Which file, what is wrong with it, and what to do.
        what: String,
    },
    /// A table that could mean two things, or contradicts itself, in words with what to choose. It names columns, landmarks and records.
    #[error("{what}")]
    Unclear {
        /// What is unclear, and what to give.
        what: String,
    },
    /// A file for the data holder only, where a public one is wanted.
    #[error(
        "was written by visard for the data holder only ({why}): it depends on the records, so it cannot be a public input; give a file that \
         was made without the records, or one of a release"
    )]
    Secret {
        /// How that is known.
        why: &'static str,
    },
    /// One file given twice.
    #[error("is given twice (also as {}); every person's scan must be given once", one_line(.other))]
    GivenTwice {
        /// The other name of the same file.
        other: PathBuf,
    },
    /// Two files that differ in their ending only.
    #[error(
        "has the name of {} but for the ending; if both are one person's keep one, if not rename one", one_line(.other)
    )]
    SameStem {
        /// The other file.
        other: PathBuf,
    },
}

/// What is wrong with one record of a table of many; the others can be read all the same.
///
/// For the data holder: unlike a [`ReadError`] it gives the record's name, where it has one.
#[derive(Debug)]
pub struct RecordError {
    /// Where in the file.
    pub place: Place,
    /// The record's name, where the file gives one.
    pub name: Option<String>,
    /// What is wrong.
    pub fault: Fault,
}

/// The longest name that messages show, in characters.
const LONGEST_NAME: usize = 60;

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", Self::label(self.place, self.name.as_deref()), self.fault)
    }
}

impl RecordError {
    /// What a message about a record begins with: `line 5, "s3": `, as far as place and name are known.
    pub fn label(place: Place, name: Option<&str>) -> String {
        let name = name.map(printable_name);
        let place = Some(place.to_string().trim_start_matches([',', ' ']).to_owned());
        let known: Vec<String> =
            [place, name].into_iter().flatten().filter(|part| !part.is_empty()).collect();
        if known.is_empty() { String::new() } else { known.join(", ") + ": " }
    }
}

impl std::error::Error for RecordError {}

/// A fault and its place, before the name of the file is known.
#[derive(Debug)]
pub(super) struct Located {
    pub place: Place,
    pub fault: Fault,
}

/// What a parser gives that does not know the name of its file.
pub(super) type Parsed<T> = Result<T, Located>;

impl Located {
    pub fn in_file(self, path: &Path) -> ReadError {
        ReadError::at(path, self.place, self.fault)
    }

    /// The fault of one record.
    pub fn of_record(self, name: Option<String>) -> RecordError {
        RecordError { place: self.place, name, fault: self.fault }
    }
}

impl From<Fault> for Located {
    fn from(fault: Fault) -> Self {
        Self { place: Place::Whole, fault }
    }
}

impl Fault {
    pub(super) fn at_line(self, line: usize) -> Located {
        Located { place: Place::Line(line), fault: self }
    }

    pub(super) fn at_byte(self, byte: usize) -> Located {
        Located { place: Place::Byte(byte), fault: self }
    }
}

impl From<std::io::Error> for Fault {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::NotFound => Fault::Missing,
            std::io::ErrorKind::IsADirectory => Fault::Folder,
            _ => Fault::System(error),
        }
    }
}

/// A path without line breaks and other control characters, so that a message stays one line.
pub(super) fn one_line(path: &Path) -> String {
    printable(&path.display().to_string())
}

/// A name for a message, in quotation marks, not too long.
pub(super) fn printable_name(name: &str) -> String {
    format!("\"{}\"", printable(&name.chars().take(LONGEST_NAME).collect::<String>()))
}

fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_even_when_the_name_is_not() {
        let error = Fault::NotANumber { what: "x" }.at_line(3).in_file(Path::new("a\nb.xyz"));
        assert_eq!(
            error.to_string(),
            "a\u{fffd}b.xyz, line 3: x is not a number; correct it or export the file again"
        );
        assert_eq!(error.problem(), "line 3: x is not a number; correct it or export the file again");
        assert_eq!(ReadError::new("a".as_ref(), Fault::Empty).problem(), "is empty; export it again");
    }

    #[test]
    fn a_record_is_told_by_place_and_name_in_one_short_line() {
        let error = |place, name: Option<&str>| {
            RecordError { place, name: name.map(str::to_owned), fault: Fault::Column { column: 2 } }
                .to_string()
        };
        let fault = "column 2 is not a finite number; correct it, or if it holds names head it name or id";
        assert_eq!(error(Place::Whole, None), fault);
        assert_eq!(error(Place::Line(3), None), format!("line 3: {fault}"));
        assert_eq!(error(Place::Whole, Some("s\n3")), format!("\"s\u{fffd}3\": {fault}"));
        let long = error(Place::Line(3), Some(&"\u{e9}".repeat(1000)));
        assert_eq!(long, format!("line 3, \"{}\": {fault}", "\u{e9}".repeat(60)));
    }
}
