//! What studies answer, on the terminal and as JSON.

use crate::cli::output::where_to;
use serde_json::{Value, json};
use visard::privacy::{Certificate, PrivacyLoss};
use visard::study::StudyFolder;
use visard::study::layout::REPORT;

/// What every such command answers, with what it adds to that.
pub(in crate::cli) fn answer(
    folder: &StudyFolder,
    people: usize,
    certificate: &Certificate,
    more: Value,
) -> Value {
    let release = folder.release();
    let mut all = json!({
        "out": folder.root(),
        "release": release,
        "report": release.join(REPORT),
        "n": people,
        "mechanism": certificate.mechanism,
        "mu": if let PrivacyLoss::Gaussian(mu) = &certificate.loss { Some(mu) } else { None },
        "loss": certificate.loss,
        "private": certificate.private,
    });
    if let (Value::Object(all), Value::Object(more)) = (&mut all, more) {
        all.extend(more);
    }
    all
}

/// Where everything is, for the end of what is printed.
pub(in crate::cli) fn places(folder: &StudyFolder, certificate: &Certificate) -> String {
    let release = folder.release();
    format!(
        "  {} {}\n  open first:   {}\n  do not share: {}",
        where_to(certificate.private),
        release.display(),
        release.join(REPORT).display(),
        folder.internal().display()
    )
}
