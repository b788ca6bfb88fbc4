//! Groups compared, of whatever has a tangent space.

use super::{KindArgs, Of, note};
use crate::cli::output::{Failure, Printer};
use crate::cli::points::{answer, failure, places};
use crate::cli::{Global, heading};
use clap::Args;
use serde_json::{Value, json};
use std::path::PathBuf;
use visard::privacy::Certificate;
use visard::study::face::compare::Want;
use visard::study::tangent::{FoundGroups, GroupDifference, TangentOutcome, run_compare};

/// Groups, and what is wanted of them
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Group of each record: a table with the heading record,group (a shape by its ID, a row of an array by its number from 0);
    /// labels of letters, digits, - and _
    #[arg(long, help_heading = heading::RECORDS, value_name = "FILE.csv")]
    groups: PathBuf,
    /// What the budget is for
    #[arg(long, help_heading = heading::RELEASE, value_enum, default_value_t = Want::Both)]
    want: Want,
}

pub(super) fn about(records: &str) -> String {
    format!("Groups of {records}: private means, where they differ and whether they do")
}

pub(super) fn example(command: &str, records: &str) -> String {
    format!(
        "Examples:\n  visard {command} compare {records} --groups groups.csv --mu 1 --out study\n  visard {command} compare {records} --groups \
         groups.csv --want test --mu 1 --out study\n\ngroups.csv has the heading record,group and a line for every record. Which record is in \
         which group is taken to be public."
    )
}

/// Runs `compare` of a kind of record.
pub fn compare<K: KindArgs>(
    args: &Of<K, CompareArgs>,
    global: &Global,
    printer: &Printer,
) -> Result<(), Failure> {
    let (inputs, budget) = (args.records.inputs(global)?, args.records.budget().mu()?);
    let CompareArgs { groups, want } = &args.statistic;
    let outcome = run_compare(&inputs, budget, groups, *want).map_err(failure)?;
    note(&outcome, printer);
    let TangentOutcome { folder, people, certificate, found, records, distance, places: of, .. } = &outcome;
    if found.small {
        printer.note(format!("note: at this budget, this many {records} show only very large differences"));
    }
    let differences: String = found.map.iter().map(|map| difference_line(map, distance, of)).collect();
    let text = format!("{}{differences}{}", compared_lines(found, certificate), places(folder, certificate));
    printer.result(answer(folder, *people, certificate, compared_answer(found)), text);
    Ok(())
}

/// What `--json` has of a comparison.
pub(in crate::cli) fn compared_answer(found: &FoundGroups) -> Value {
    let first = found.map.first();
    // Of the difference; in place of the template stands what publishing no difference at all would give.
    let accuracy = first.map(|GroupDifference { size, error, .. }| {
        let none = size * size + error * error;
        let share = if none > 0.0 { (1.0 - error * error / none).clamp(0.0, 1.0) } else { 0.0 };
        json!({"rms": error, "template_rms": none.sqrt(), "sampling_rms": null, "data_share": share, "rms_mm": null})
    });
    json!({
        "groups": found.groups.iter().map(|(label, n)| json!({"label": label, "n": n})).collect::<Vec<_>>(),
        "test": found.test,
        "map": found.map,
        "small": found.small,
        "band": first.map(|map| map.mean_half_width),
        "accuracy": accuracy,
    })
}

/// Groups and test in words, a line each.
pub(in crate::cli) fn compared_lines(found: &FoundGroups, certificate: &Certificate) -> String {
    let what = if certificate.private { "private comparison" } else { "comparison (NOT PRIVATE)" };
    format!("{what} of {}, {}\n{}", groups_text(found), certificate.loss, test_line(found))
}

/// The groups with their sizes.
pub(in crate::cli) fn groups_text(found: &FoundGroups) -> String {
    found.groups.iter().map(|(label, n)| format!("{label} ({n})")).collect::<Vec<_>>().join(", ")
}

/// The outcome of the test, where there is one.
pub(in crate::cli) fn test_line(found: &FoundGroups) -> String {
    let Some(test) = &found.test else { return String::new() };
    let outcome = if test.found() { "the groups differ" } else { "no difference found" };
    let pairs = if test.per_pair.len() > 1 { ", adjusted for several pairs" } else { "" };
    format!("  test of no difference: {}{pairs}: {outcome} (level 5 %)\n", test.p_in_words())
}

fn difference_line(map: &GroupDifference, distance: &str, places: &str) -> String {
    let GroupDifference { first, second, size, error, mean_half_width, share_outside, .. } = map;
    format!(
        "  {second} minus {first}: {size:.4} ({distance}; error about {error:.4}); 95 % band {mean_half_width:.4} to either side; it excludes 0 \
         at {:.0} % of the {places}\n",
        100.0 * share_outside
    )
}
