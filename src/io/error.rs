//! Why a file could not be read: which file, where in it, what is wrong, what to do. Never what it contains.

use std::path::{Path, PathBuf};

/// One clear line about one file.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct ReadError {
    path: PathBuf,
    problem: Problem,
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The system refused.
    #[error("cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// The content is wrong; the text says where and what to do.
    #[error("{0}")]
    Content(String),
}

impl ReadError {
    /// An error about a file.
    pub fn new(path: &Path, problem: impl Into<Problem>) -> Self {
        Self { path: path.to_owned(), problem: problem.into() }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is wrong, without the file's name.
    pub fn problem(&self) -> String {
        self.problem.to_string()
    }
}

impl From<String> for Problem {
    fn from(text: String) -> Self {
        Problem::Content(text)
    }
}

impl From<&str> for Problem {
    fn from(text: &str) -> Self {
        Problem::Content(text.to_owned())
    }
}

/// The result of a parser that does not know its file's name.
pub(super) type Parsed<T> = Result<T, Problem>;

/// Shorthand for a content problem.
pub(super) fn wrong<T>(text: impl Into<String>) -> Parsed<T> {
    Err(Problem::Content(text.into()))
}

/// A number in a text file: finite, or a message naming the line.
pub(super) fn number(word: &str, line: usize) -> Parsed<f64> {
    match word.parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(x),
        Ok(_) => {
            wrong(format!("line {line}: a coordinate is NaN or infinite; remove that point or scan again"))
        }
        Err(_) => wrong(format!("line {line}: expected a number; is this a text file of coordinates?")),
    }
}
