//! `visard face compare`: groups of faces, where their means differ and whether they do.

use super::records::{RecordArgs, note_failures, run_with_progress};
use crate::cli::answer::{Release, places};
use crate::cli::budget::BudgetArgs;
use crate::cli::output::{Failure, Printer};
use crate::cli::tangent::{GroupFindings, compared_lines};
use crate::cli::{Global, heading};
use clap::Args;
use std::path::PathBuf;
use visard::study::face::FACE_MM;
use visard::study::face::compare::{CompareSettings, Want, run as run_study};
use visard::study::tangent::{FoundGroups, GroupDifference, TangentOutcome};

/// Arguments of `face compare`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  visard face compare scans/ --groups groups.csv --mu 1 --out study\n  visard face compare scans/ --groups groups.csv --mu 1 --want test --out study\n  visard face compare --records records --manifest all.csv --mu 1 --out study\n\ngroups.csv has the heading record,group and a line for every scan. Which record is in which group is taken to be public."
)]
pub struct CompareArgs {
    #[command(flatten)]
    budget: BudgetArgs,
    /// Group of each record: a table with the heading record,group (a scan by its file name or path, a prepared record by its
    /// number from 0); labels of letters, digits, - and _. By default the manifest's column group
    #[arg(long, help_heading = heading::RECORDS, value_name = "FILE.csv", required_unless_present = "manifest")]
    groups: Option<PathBuf>,
    /// What the budget is for
    #[arg(long, help_heading = heading::RELEASE, value_enum, default_value_t = Want::Both)]
    want: Want,
    #[command(flatten)]
    records: RecordArgs,
}

/// Runs `face compare`.
pub fn run(args: &CompareArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let settings = CompareSettings {
        records: args.records.inputs(&args.budget, global)?,
        groups: args.records.table(args.groups.as_ref(), "groups")?,
        want: args.want,
        budget: args.budget.mu()?,
    };
    let outcome = run_with_progress(printer, |show| run_study(&settings, show))?;
    report(&outcome, printer);
    Ok(())
}

/// What the data holder is told.
pub fn report(outcome: &TangentOutcome<FoundGroups>, printer: &Printer) {
    let TangentOutcome { folder, certificate, found, .. } = outcome;
    note_failures(printer, outcome.failed, outcome.records_read, &folder.internal());
    if found.small {
        printer.note("note: at this budget, this many people show only very large differences (see face plan --compare)");
    }
    let lines = compared_lines(found, certificate);
    let text = format!("{lines}{}{}", difference_lines(found), places(folder, certificate));
    let findings = GroupFindings::of(found);
    printer.result(Release::of(folder, certificate, findings), text);
}

/// Where groups differ, a line for each difference.
pub fn difference_lines(found: &FoundGroups) -> String {
    let line = |GroupDifference { first, second, size, error, mean_half_width, share_outside, .. }: &_| {
        format!(
            "  {second} minus {first}, on a face of 20 cm: {:.2} mm (root mean square; error about {:.2} mm); 95 % band {:.2} mm to either \
             side; it excludes 0 along the normal on {:.0} % of the face\n",
            FACE_MM * size,
            FACE_MM * error,
            FACE_MM * mean_half_width,
            100.0 * share_outside,
        )
    };
    found.map.iter().map(line).collect()
}
