//! Whatever the command does: its words in, its answer out.

use crate::work::long;
use pyo3::prelude::*;
use serde_json::json;
use std::ffi::OsString;
use visard::study::Stop;

/// The command itself, of which the first word is the name: it prints, and its exit code comes back.
#[pyfunction]
pub fn main(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| visard::command::main_of(&words))
}

/// What the command answers to these words, as JSON: `answer` is what it prints with `--json`, `secret` what is for the data holder only,
/// `notes` what else there is to say.
#[pyfunction]
#[pyo3(signature = (words, progress=None))]
pub fn run(py: Python<'_>, words: Vec<OsString>, progress: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
    let stop = Stop::default();
    let asked = stop.clone();
    long(py, stop, progress, move |reporter| {
        let tell = |what, done, total| reporter.tell(what, done, total);
        let found = visard::command::answer(words, &tell, &asked)?;
        Ok(json!({"answer": found.value, "secret": found.secret, "notes": found.notes}).to_string())
    })
}
