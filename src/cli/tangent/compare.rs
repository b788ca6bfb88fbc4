//! Groups compared, of whatever has a tangent space.

use super::{KindArgs, Of, note};
use crate::cli::answer::{Release, places};
use crate::cli::output::{Failure, Printer};
use crate::cli::points::failure;
use crate::cli::{Global, heading};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use visard::privacy::Certificate;
use visard::study::face::compare::Want;
use visard::study::tangent::{FoundGroups, GroupDifference, TangentOutcome, TestStatement, run_compare};

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
    let TangentOutcome { folder, certificate, found, records, distance, places: of, .. } = &outcome;
    if found.small {
        printer.note(format!("note: at this budget, this many {records} show only very large differences"));
    }
    let differences: String = found.map.iter().map(|map| difference_line(map, distance, of)).collect();
    let text = format!("{}{differences}{}", compared_lines(found, certificate), places(folder, certificate));
    let findings = GroupFindings::of(found);
    printer.result(Release::of(folder, certificate, findings), text);
    Ok(())
}

/// A comparison of groups.
#[derive(Serialize, JsonSchema)]
pub struct GroupFindings {
    /// The groups, sorted by label.
    groups: Vec<GroupCount>,
    /// The test, where one was wanted.
    test: Option<TestStatement>,
    /// Where each group differs from the first, if that was wanted.
    map: Vec<GroupDifference>,
    /// Whether so few records show very large differences only.
    small: bool,
    /// Half the width of the band of the first difference, on average.
    band: Option<f64>,
    /// Of the first difference; in place of the template stands what publishing no difference at all would give.
    accuracy: Option<DifferenceAccuracy>,
}

/// How many records a group has.
#[derive(Serialize, JsonSchema)]
pub struct GroupCount {
    label: String,
    n: u64,
}

/// How exact a difference of two means is: root mean squares.
#[derive(Serialize, JsonSchema)]
pub struct DifferenceAccuracy {
    /// Its error.
    rms: f64,
    /// That of no difference at all.
    template_rms: f64,
    /// Part of `rms` already.
    sampling_rms: Option<f64>,
    /// The share of the squared size that the data decided.
    data_share: f64,
    /// None is stated.
    rms_mm: Option<f64>,
}

impl GroupFindings {
    /// Of what was found.
    pub(in crate::cli) fn of(found: &FoundGroups) -> Self {
        let first = found.map.first();
        let accuracy = |GroupDifference { size, error, .. }: &_| {
            let none = size * size + error * error;
            let share = if none > 0.0 { (1.0 - error * error / none).clamp(0.0, 1.0) } else { 0.0 };
            DifferenceAccuracy {
                rms: *error,
                template_rms: none.sqrt(),
                sampling_rms: None,
                data_share: share,
                rms_mm: None,
            }
        };
        Self {
            groups: found
                .groups
                .iter()
                .map(|(label, n)| GroupCount { label: label.clone(), n: *n })
                .collect(),
            test: found.test.clone(),
            map: found.map.clone(),
            small: found.small,
            band: first.map(|map| map.mean_half_width),
            accuracy: first.map(accuracy),
        }
    }
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
