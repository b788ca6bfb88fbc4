//! What `assess` says of anybody held against a norm.

use super::Global;
use super::answer::shown;
use super::files::refuse_existing;
use super::output::{Failure, Printer};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};
use visard::norm::assess::NO_DIAGNOSIS;
use visard::norm::law::Compared;
use visard::norm::patient::ASSESSMENT;
use visard::study::StudyFolder;
use visard::study::layout::REPORT;

/// The internal folder of results, where nothing that would be written is there yet.
pub fn kept_apart(out: &Path, files: &[&str], global: &Global) -> Result<PathBuf, Failure> {
    let internal = StudyFolder::at(out).internal();
    for file in [REPORT, ASSESSMENT].iter().chain(files) {
        refuse_existing(&internal.join(file), global)?;
    }
    Ok(internal)
}

/// Somebody held against a norm.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Assessed{Found}")]
pub struct Assessed<Found> {
    #[serde(flatten)]
    found: Found,
    /// Whether the norm is a release that verifies.
    verified: bool,
    /// The folder of the results, which are of one person.
    out: String,
}

/// Says what was found, whether the norm verifies, and where it lies.
pub fn said(
    found: impl Serialize,
    compared: &Compared,
    notes: &[String],
    (verified, internal): (bool, &Path),
    printer: &Printer,
) {
    let percentile = compared.percentile.map_or_else(|| "cannot be told".to_owned(), |p| format!("{p:.1}"));
    let notes: String = notes.iter().skip(1).map(|note| format!("\n  {note}")).collect();
    printer.own_result(
        Assessed { found, verified, out: shown(internal) },
        format!(
            "percentile along the released modes: {percentile} of 100. {NO_DIAGNOSIS}{notes}\n  for you alone: {}",
            internal.join(REPORT).display()
        ),
    );
}
