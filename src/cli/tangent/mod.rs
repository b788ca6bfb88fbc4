//! `modes`, `regress` and `compare` of functions, matrices, directions, hyperbolic points and landmarks: statistics of whatever has a tangent space.

mod compare;
mod covariates;
mod modes;
mod regress;
mod statistics;

pub(in crate::cli) use compare::{GroupFindings, compared_lines, groups_text, test_line};
pub use covariates::{DesignArgs, RegressOn, Regressed, ResidualArgs};
pub use modes::ModesArgs;
pub(in crate::cli) use modes::ModesFindings;
pub use regress::RegressArgs;
pub(in crate::cli) use regress::{FieldFindings, explained_text, field_text, residual_text};
pub use statistics::Statistics;
pub(in crate::cli) use statistics::answers;

use super::Global;
use super::budget::BudgetArgs;
use super::output::{self, Failure, Printer};
use super::points::note_failed;
use clap::Args;
use std::fmt::Debug;
use visard::study::tangent::{TangentInputs, TangentOutcome};

/// Options of a kind of record.
pub trait KindArgs: Args + Debug {
    /// The command of this kind, as in "spd".
    const COMMAND: &'static str;
    /// Several records, as in "matrices".
    const RECORDS: &'static str;
    /// A file and what is public of it, for examples.
    const EXAMPLE: &'static str;
    /// What a regression is on.
    type Covariates: RegressOn;

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
pub(in crate::cli) fn note<F>(outcome: &TangentOutcome<F>, printer: &Printer) {
    let TangentOutcome { beyond, outside, people, .. } = *outcome;
    note_failed(printer, outcome.failed, true, &outcome.folder.internal());
    if let Some(beyond) = beyond {
        let words = format!(
            "{} beyond the public radius and clipped to it, of {people}",
            output::counted(beyond, "record")
        );
        printer.secret("beyond", beyond, (beyond > 0).then_some(words));
    }
    let words = format!("{} outside the bounds and set to the bound", output::counted(outside, "value"));
    printer.secret("outside", outside, (outside > 0).then_some(words));
    printer.remarks(&outcome.remarks);
}

/// Of how many records, as in "60 matrices".
pub(in crate::cli) fn counted<F>(outcome: &TangentOutcome<F>) -> String {
    if outcome.of_persons {
        format!("{} of {} persons", outcome.records, outcome.people)
    } else {
        format!("{} {}", outcome.people, outcome.records)
    }
}
