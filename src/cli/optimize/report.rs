//! What is said of a finished optimization.

use crate::cli::output::{Printer, where_to};
use crate::cli::points::note_failed;
use serde_json::{Value, json};
use visard::privacy::Certificate;
use visard::study::StudyFolder;
use visard::study::layout::SOLUTION;
use visard::study::optimize::{MomentOutcome, OptimizeStudyOutcome};

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
    let more = json!({"converged": null, "visible": visible, "expected_excess": outcome.expected_excess, "warnings": []});
    let lines = format!(
        "  components that stand out of the noise: {visible}; expected to explain {:.6} less than without noise",
        outcome.expected_excess
    );
    report_release(&outcome.folder, &outcome.certificate, outcome.continued, more, &lines, printer);
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
    let more = json!({"converged": outcome.stop.indicates_convergence(), "warnings": outcome.warnings});
    report_release(&outcome.folder, &outcome.certificate, outcome.continued, more, "", printer);
}

/// What is said of any release of a solution; `more` for the machine, `lines` for people.
fn report_release(
    folder: &StudyFolder,
    certificate: &Certificate,
    continued: bool,
    more: Value,
    lines: &str,
    printer: &Printer,
) {
    let release = folder.release();
    let mut said = json!({
        "out": folder.root(),
        "release": release,
        "solution": release.join(SOLUTION),
        "n": certificate.n,
        "mechanism": certificate.mechanism,
        "loss": certificate.loss,
        "private": certificate.private,
        "continued": continued,
    });
    if let (Value::Object(said), Value::Object(more)) = (&mut said, more) {
        said.extend(more);
    }
    let lines = if lines.is_empty() { String::new() } else { format!("{lines}\n") };
    printer.result(
        said,
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
