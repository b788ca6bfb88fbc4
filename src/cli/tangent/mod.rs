//! `modes`, `regress` and `compare` of functions, matrices, directions and hyperbolic points: statistics of whatever has a tangent space at a public centre.

mod compare;
mod modes;
mod regress;

pub use compare::{CompareArgs, compare};
pub(in crate::cli) use compare::{compared_answer, compared_lines};
pub use modes::{ModesArgs, modes};
pub(in crate::cli) use modes::{modes_answer, modes_lines};
pub use regress::{RegressArgs, regress};
pub(in crate::cli) use regress::{field_text, fields_answer};

use super::Global;
use super::budget::BudgetArgs;
use super::output::{self, Failure, Printer};
use super::points::note_failed;
use clap::Args;
use visard::study::tangent::{TangentInputs, TangentOutcome};

/// Options of a kind of record.
pub trait KindArgs: Args {
    /// The records, and what is known of them in advance.
    ///
    /// # Errors
    /// What is missing for a release.
    fn inputs(&self, global: &Global) -> Result<TangentInputs, Failure>;

    /// The budget.
    fn budget(&self) -> &BudgetArgs;
}

/// A statistic of a kind of record
#[derive(Debug, Args)]
pub struct Of<K: Args, S: Args> {
    #[command(flatten)]
    records: K,
    #[command(flatten)]
    statistic: S,
}

/// Tells the data holder what became of the records.
fn note<F>(outcome: &TangentOutcome<F>, printer: &Printer) {
    let TangentOutcome { beyond, outside, people, .. } = *outcome;
    note_failed(printer, outcome.failed, true, &outcome.folder.internal());
    let words = format!(
        "{} beyond the public radius and clipped to it, of {people}",
        output::counted(beyond, "record")
    );
    printer.secret("beyond", beyond, (beyond > 0).then_some(words));
    let words = format!("{} outside the bounds and set to the bound", output::counted(outside, "value"));
    printer.secret("outside", outside, (outside > 0).then_some(words));
    printer.remarks(&outcome.remarks);
}

/// Of how many records, as in "60 matrices".
fn counted<F>(outcome: &TangentOutcome<F>) -> String {
    if outcome.of_persons {
        format!("{} of {} persons", outcome.records, outcome.people)
    } else {
        format!("{} {}", outcome.people, outcome.records)
    }
}
