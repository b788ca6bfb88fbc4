//! Groups compared, of whatever has a tangent space.

use super::{KindArgs, Of, note};
use crate::cli::output::{Failure, Printer};
use crate::cli::points::{answer, failure, places};
use crate::cli::{Global, heading};
use clap::Args;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;
use visard::privacy::Certificate;
use visard::study::face::compare::Want;
use visard::study::tangent::{GroupDifference, TangentOutcome, TestStatement, run_compare};

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
    let more = compared_answer(&found.groups, found.test.as_ref(), &found.map, found.small);
    let compared = compared_lines(&found.groups, found.test.as_ref(), certificate);
    let differences: String = found.map.iter().map(|map| difference_line(map, distance, of)).collect();
    let text = format!("{compared}{differences}{}", places(folder, certificate));
    printer.result(answer(folder, *people, certificate, more), text);
    Ok(())
}

/// What `--json` has of a comparison.
fn compared_answer(
    groups: &[(String, u64)],
    test: Option<&TestStatement>,
    map: &[GroupDifference],
    small: bool,
) -> Value {
    let first = map.first();
    json!({
        "groups": groups.iter().map(|(label, n)| json!({"label": label, "n": n})).collect::<Vec<_>>(),
        "test": test,
        "map": map,
        "small": small,
        "band": first.map(|map| map.mean_half_width),
        "accuracy": {"rms": first.map(|map| map.error), "rms_mm": null},
    })
}

/// Groups and test in words, a line each.
fn compared_lines(
    groups: &[(String, u64)],
    test: Option<&TestStatement>,
    certificate: &Certificate,
) -> String {
    let groups: Vec<String> = groups.iter().map(|(label, n)| format!("{label} ({n})")).collect();
    let mut text = format!(
        "{} of {}, {}\n",
        if certificate.private { "private comparison" } else { "comparison (NOT PRIVATE)" },
        groups.join(", "),
        certificate.loss
    );
    if let Some(test) = test {
        let found = if test.found() { "the groups differ" } else { "no difference found" };
        let pairs = if test.per_pair.len() > 1 { ", adjusted for several pairs" } else { "" };
        let _ =
            writeln!(text, "  test of no difference: p = {:.4}{pairs}: {found} (level 5 %)", test.p_value);
    }
    text
}

fn difference_line(map: &GroupDifference, distance: &str, places: &str) -> String {
    let GroupDifference { first, second, size, error, mean_half_width, share_outside, .. } = map;
    format!(
        "  {second} minus {first}: {size:.4} ({distance}; error about {error:.4}); 95 % band {mean_half_width:.4} to either side; it excludes 0 \
         at {:.0} % of the {places}\n",
        100.0 * share_outside
    )
}
