//! Records that cannot be used: one rule for every kind of record and every study.
//!
//! Such a record contributes zero in every round, about a public start and then about whatever centre was noised, and keeps its label, its
//! covariates and its person. n stays what it was; which records these are, and why, is for the data holder only.

use crate::io::{WriteError, write_text};
use crate::job::layout::UNUSABLE;
use std::fmt::Write as _;
use std::path::Path;

/// What is done with a record that cannot be used: a scan that cannot be processed, a face in another frame, a shape whose landmarks are
/// missing or all in one place, a matrix that is not positive definite, a vector off the sphere, a row of another width, anything that is not
/// a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Unusable {
    /// It contributes zero, and only noised values tell that there was one
    #[default]
    Zero,
    /// The study stops and names it before anything is charged; a release then reveals that there was none, and says so
    // Whoever hears that a study stopped, or that it did not, learns something that the guarantee does not cover.
    Refuse,
}

impl Unusable {
    /// For the certificate; `zero` is what zero means for these records.
    pub fn describe(self, zero: &str) -> String {
        match self {
            Self::Zero => format!("contribute zero: {zero}; their number is published with noise at most"),
            Self::Refuse => {
                "stop a study before anything is charged: that this release exists tells that there was none"
                    .into()
            }
        }
    }
}

/// What zero means for functions, faces, and shapes in two rounds.
pub const ZERO_DEVIATION: &str =
    "as the public centre in a first round, as the centre that was released in what follows";

/// A record that cannot be used: secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Its place in the file, from 0.
    pub record: usize,
    /// What is wrong with it.
    pub what: String,
}

/// The table of them, for the data holder; there is one where all records can be used, too.
pub fn write_problems(internal: &Path, problems: &[Problem]) -> Result<(), WriteError> {
    let mut text = "record (counting from 1),problem\n".to_owned();
    for Problem { record, what } in problems {
        let what = what.replace('"', "\"\"").replace(['\n', '\r'], " ");
        let _ = writeln!(text, "{},\"{what}\"", record + 1);
    }
    write_text(&internal.join(UNUSABLE), &text)
}
