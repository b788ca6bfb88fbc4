//! `visard shape compare`: groups of shapes, where their means differ and whether they do.

use super::common::{failure, note_failed};
use super::specimens::{SpecimenArgs, answer, places, remark};
use crate::cli::output::{Failure, Printer};
use crate::cli::{Global, heading};
use clap::Args;
use serde_json::json;
use std::fmt::Write as _;
use std::path::PathBuf;
use visard::study::face::compare::Want;
use visard::study::shape::{ShapeCompareOutcome, ShapeCompareSettings, ShapeDifference, run_compare};

/// Arguments of `shape compare`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  visard shape compare skulls.tps --landmarks 21 --dimensions 3 --groups groups.csv --mu 1 --out study\n  visard shape compare skulls.tps --landmarks 21 --dimensions 3 --groups groups.csv --want test --mu 1 --out study\n\ngroups.csv has the heading record,group and a line for every shape. Which record is in which group is taken to be public."
)]
pub struct ShapeCompareArgs {
    #[command(flatten)]
    specimens: SpecimenArgs,
    /// Group of each record: a table with the heading record,group (a shape by its ID, a row of an array by its number from 0);
    /// labels of letters, digits, - and _
    #[arg(long, help_heading = heading::RECORDS, value_name = "FILE.csv")]
    groups: PathBuf,
    /// What the budget is for
    #[arg(long, help_heading = heading::RELEASE, value_enum, default_value_t = Want::Both)]
    want: Want,
}

/// Runs `shape compare`.
pub fn run(args: &ShapeCompareArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let settings = ShapeCompareSettings {
        budget: args.specimens.mu()?,
        inputs: args.specimens.inputs(global)?,
        groups: args.groups.clone(),
        want: args.want,
    };
    let outcome = run_compare(&settings).map_err(failure)?;
    note_failed(outcome.failed, true, &outcome.folder.internal());
    remark(&outcome.remarks);
    if outcome.small {
        eprintln!("note: at this budget, this many shapes show only very large differences");
    }
    let ShapeCompareOutcome { folder, people, groups, test, map, certificate, .. } = &outcome;
    let first = map.first();
    let more = json!({
        "groups": groups.iter().map(|(label, n)| json!({"label": label, "n": n})).collect::<Vec<_>>(),
        "test": test,
        "map": map,
        "band": first.map(|map| map.mean_half_width),
        "accuracy": {"rms": first.map(|map| map.error), "rms_mm": null},
    });
    printer.result(answer(folder, *people, certificate, more), text(&outcome));
    Ok(())
}

fn text(outcome: &ShapeCompareOutcome) -> String {
    let ShapeCompareOutcome { folder, groups, test, map, certificate, .. } = outcome;
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
    for ShapeDifference { first, second, size, error, mean_half_width, share_outside, .. } in map {
        let _ = writeln!(
            text,
            "  {second} minus {first}: {size:.4} (Riemannian distance; error about {error:.4}); 95 % band {mean_half_width:.4} to either side of \
             a coordinate; it excludes 0 at {:.0} % of the landmarks",
            100.0 * share_outside
        );
    }
    text.push_str(&places(folder, certificate));
    text
}
