//! Why a file could not be read: which file, where in it, what is wrong, what to do.
//!
//! A [`Fault`] is made of text known at compile time and of numbers, so that nothing a file contains can reach a
//! message or a log: scans are personal data.

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
        Located::from(fault.into()).in_file(path)
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
    #[error("is not an ordinary file; copy its content to one")]
    NotAFile,
    /// The system refused.
    #[error("cannot be read: {0}; check that you may read it")]
    System(std::io::Error),
    /// More bytes than are ever read.
    #[error("has {bytes} bytes, more than the {limit} that are read; reduce the number of points first")]
    TooLarge {
        /// Bytes in the file.
        bytes: u64,
        /// The largest number that is read.
        limit: u64,
    },
    /// No content at all.
    #[error("is empty; export it again")]
    Empty,
    /// No reader goes with the ending of the name.
    #[error("has a name with an unknown ending; known are {known}")]
    UnknownExtension {
        /// The endings known.
        known: &'static str,
    },
    /// A folder in which nothing is a scan by its name.
    #[error("holds no scans; known endings are {known}")]
    NoScans {
        /// The endings known.
        known: &'static str,
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
        ReadError { path: path.to_owned(), place: self.place, fault: self.fault }
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
    path.display().to_string().chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
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
}
