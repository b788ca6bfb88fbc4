//! `visard shape compare`: groups of shapes, where their means differ and whether they do.

use super::common::{failure, note_failed};
use super::specimens::{SpecimenArgs, answer, places};
use crate::cli::Global;
use crate::cli::output::{Failure, Printer};
use crate::cli::tangent::{CompareArgs, compared_answer, compared_lines};
use clap::Args;
use std::fmt::Write as _;
use visard::study::shape::{ShapeCompareOutcome, ShapeCompareSettings, ShapeDifference, run_compare};

/// Arguments of `shape compare`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  visard shape compare skulls.tps --landmarks 21 --dimensions 3 --groups groups.csv --mu 1 --out study\n  visard shape compare skulls.tps --landmarks 21 --dimensions 3 --groups groups.csv --want test --mu 1 --out study\n\ngroups.csv has the heading record,group and a line for every shape. Which record is in which group is taken to be public."
)]
pub struct ShapeCompareArgs {
    #[command(flatten)]
    specimens: SpecimenArgs,
    #[command(flatten)]
    compared: CompareArgs,
}

/// Runs `shape compare`.
pub fn run(args: &ShapeCompareArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let settings = ShapeCompareSettings {
        budget: args.specimens.mu()?,
        inputs: args.specimens.inputs(global)?,
        groups: args.compared.groups().to_owned(),
        want: args.compared.want(),
    };
    let outcome = run_compare(&settings).map_err(failure)?;
    note_failed(printer, outcome.failed, true, &outcome.folder.internal());
    printer.remarks(&outcome.remarks);
    if outcome.small {
        printer.note("note: at this budget, this many shapes show only very large differences");
    }
    let ShapeCompareOutcome { folder, people, groups, test, map, certificate, .. } = &outcome;
    let more = compared_answer(groups, test.as_ref(), map, outcome.small);
    printer.result(answer(folder, *people, certificate, more), text(&outcome));
    Ok(())
}

fn text(outcome: &ShapeCompareOutcome) -> String {
    let ShapeCompareOutcome { folder, groups, test, map, certificate, .. } = outcome;
    let mut text = compared_lines(groups, test.as_ref(), certificate);
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
