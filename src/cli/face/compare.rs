//! `visard face compare`: groups of faces, where their means differ and whether they do.

use super::records::{RecordArgs, note_failures, run_with_progress};
use crate::cli::budget::BudgetArgs;
use crate::cli::output::{Failure, Printer, where_to};
use crate::cli::{Global, heading};
use clap::Args;
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;
use visard::privacy::PrivacyLoss;
use visard::study::face::FACE_MM;
use visard::study::face::compare::{CompareSettings, Want, run as run_study};
use visard::study::layout::REPORT;
use visard::study::tangent::{FoundGroups, GroupDifference, TangentOutcome, TestStatement};

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
fn report(outcome: &TangentOutcome<FoundGroups>, printer: &Printer) {
    let TangentOutcome { folder, certificate, found: comparison, .. } = outcome;
    note_failures(printer, outcome.failed, outcome.records_read, &folder.internal());
    if comparison.small {
        printer.note("note: at this budget, this many people show only very large differences (see face plan --compare)");
    }
    let release = folder.release();
    let half_widths: Vec<f64> = comparison.map.iter().map(|map| map.mean_half_width).collect();
    // Of the difference; in place of the template stands what publishing no difference at all would give.
    let accuracy = comparison.map.first().map(|GroupDifference { size, error, .. }| {
        let none = size * size + error * error;
        let share = if none > 0.0 { (1.0 - error * error / none).clamp(0.0, 1.0) } else { 0.0 };
        json!({"rms": error, "template_rms": none.sqrt(), "sampling_rms": null, "data_share": share, "rms_mm": null})
    });
    printer.result(
        json!({
            "out": folder.root(),
            "release": release,
            "report": release.join(REPORT),
            "n": outcome.people,
            "groups": comparison.groups.iter().map(|(label, n)| json!({"label": label, "n": n})).collect::<Vec<_>>(),
            "mechanism": certificate.mechanism,
            "mu": if let PrivacyLoss::Gaussian(mu) = &certificate.loss { Some(mu) } else { None },
            "loss": certificate.loss,
            "private": certificate.private,
            "test": comparison.test,
            "map": comparison.map,
            "band": half_widths.first(),
            "accuracy": accuracy,
        }),
        format!(
            "{} of {}, {}\n{}  {} {}\n  open first:   {}\n  do not share: {}",
            if certificate.private { "private comparison" } else { "comparison (NOT PRIVATE)" },
            groups_text(comparison),
            certificate.loss,
            comparison_text(comparison),
            where_to(certificate.private),
            release.display(),
            release.join(REPORT).display(),
            folder.internal().display()
        ),
    );
}

/// The groups with their sizes.
pub fn groups_text(comparison: &FoundGroups) -> String {
    comparison.groups.iter().map(|(label, n)| format!("{label} ({n})")).collect::<Vec<_>>().join(", ")
}

/// The same as fields.
pub fn comparison_json(comparison: &FoundGroups) -> serde_json::Value {
    let groups: Vec<_> = comparison.groups.iter().map(|(label, n)| json!({"label": label, "n": n})).collect();
    json!({"groups": groups, "test": comparison.test, "map": comparison.map})
}

/// What was found, a line for each finding.
pub fn comparison_text(comparison: &FoundGroups) -> String {
    let mut text = comparison.test.as_ref().map(test_text).unwrap_or_default();
    for GroupDifference { first, second, size, error, mean_half_width, share_outside, .. } in &comparison.map
    {
        let _ = writeln!(
            text,
            "  {second} minus {first}, on a face of 20 cm: {:.2} mm (root mean square; error about {:.2} mm); 95 % band {:.2} mm to either \
             side; it excludes 0 along the normal on {:.0} % of the face",
            FACE_MM * size,
            FACE_MM * error,
            FACE_MM * mean_half_width,
            100.0 * share_outside,
        );
    }
    text
}

fn test_text(test: &TestStatement) -> String {
    let outcome = if test.found() { "the groups differ" } else { "no difference found" };
    let pairs = if test.per_pair.len() > 1 { ", adjusted for several pairs" } else { "" };
    format!("  test of no difference: p = {:.4}{pairs}: {outcome} (level 5 %)\n", test.p_value)
}
