//! What is said of a finished optimization.

use crate::cli::answer::{Release, shown};
use crate::cli::output::{Printer, where_to};
use crate::cli::points::note_failed;
use schemars::JsonSchema;
use serde::Serialize;
use visard::privacy::Certificate;
use visard::study::StudyFolder;
use visard::study::layout::SOLUTION;
use visard::study::optimize::{MomentOutcome, OptimizeStudyOutcome};

/// A solution.
#[derive(Serialize, JsonSchema)]
pub struct Solution {
    /// Its file.
    solution: String,
    /// Whether an interrupted run was gone on with; nothing was charged again.
    continued: bool,
    /// Whether the steps came to rest, as far as noised values tell; null where there are none.
    converged: Option<bool>,
    /// How many components stand out of the noise.
    #[serde(skip_serializing_if = "Option::is_none")]
    visible: Option<u64>,
    /// How much less they are expected to explain than components without noise.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected_excess: Option<f64>,
    /// What is doubtful.
    warnings: Vec<String>,
}

impl Solution {
    fn in_folder(folder: &StudyFolder) -> Self {
        Self {
            solution: shown(&folder.release().join(SOLUTION)),
            continued: false,
            converged: None,
            visible: None,
            expected_excess: None,
            warnings: Vec::new(),
        }
    }
}

pub(super) fn report_moment(outcome: &MomentOutcome, printer: &Printer) {
    if outcome.continued {
        printer.note("note: continued an interrupted run; nothing was charged again");
    }
    note_failed(printer, outcome.failed, true, &outcome.folder.internal());
    let visible = &outcome.certificate.details["visible"];
    printer.secret(
        "excess",
        outcome.excess,
        Some(format!("explains {:.6} less of the records than their own components do", outcome.excess)),
    );
    let findings = Solution {
        continued: outcome.continued,
        converged: None,
        visible: visible.as_u64(),
        expected_excess: Some(outcome.expected_excess),
        ..Solution::in_folder(&outcome.folder)
    };
    let lines = format!(
        "  components that stand out of the noise: {visible}; expected to explain {:.6} less than without noise",
        outcome.expected_excess
    );
    report_release(&outcome.folder, &outcome.certificate, findings, &lines, printer);
}

pub(super) fn report(outcome: &OptimizeStudyOutcome, printer: &Printer) {
    outcome.warnings.iter().for_each(|warning| printer.note(format!("warning: {warning}")));
    if outcome.continued {
        printer.note("note: continued an interrupted run; nothing was charged again");
    }
    note_failed(printer, outcome.failed, true, &outcome.folder.internal());
    printer.secret(
        "risk",
        outcome.risk,
        Some(format!("risk of the result on the records {:.6}", outcome.risk)),
    );
    let findings = Solution {
        continued: outcome.continued,
        converged: Some(outcome.stop.indicates_convergence()),
        warnings: outcome.warnings.clone(),
        ..Solution::in_folder(&outcome.folder)
    };
    report_release(&outcome.folder, &outcome.certificate, findings, "", printer);
}

/// What is said of any release of a solution; `lines` for people.
fn report_release(
    folder: &StudyFolder,
    certificate: &Certificate,
    findings: Solution,
    lines: &str,
    printer: &Printer,
) {
    let release = folder.release();
    let lines = if lines.is_empty() { String::new() } else { format!("{lines}\n") };
    printer.result(
        Release::of(folder, certificate, findings),
        format!(
            "{} of {} records by {}, {}\n{lines}  {} {}\n  do not share: {}",
            if certificate.private { "private solution" } else { "solution (NOT PRIVATE)" },
            certificate.n,
            certificate.mechanism,
            certificate.loss,
            where_to(certificate.private),
            release.display(),
            folder.internal().display(),
        ),
    );
}
