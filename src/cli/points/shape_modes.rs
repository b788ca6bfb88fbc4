//! `visard shape modes`: how shapes differ, with their mean.

use super::common::{failure, note_failed};
use super::specimens::{SpecimenArgs, answer, places};
use crate::cli::Global;
use crate::cli::output::{Failure, Printer};
use crate::cli::tangent::{ModesArgs, modes_answer, modes_lines};
use clap::Args;
use visard::study::shape::{MODES_WORTHWHILE, ShapeModesOutcome, ShapeModesSettings, run_modes};

/// Arguments of `shape modes`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  visard shape modes skulls.tps --landmarks 21 --dimensions 3 --mu 1 --out study\n  visard shape modes outlines.tps --outline --center atlas.tps --mu 1 --modes 8 --out study"
)]
pub struct ShapeModesArgs {
    #[command(flatten)]
    specimens: SpecimenArgs,
    #[command(flatten)]
    modes: ModesArgs,
}

/// Runs `shape modes`.
pub fn run(args: &ShapeModesArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let budget = args.specimens.mu()?;
    let settings =
        ShapeModesSettings { inputs: args.specimens.inputs(global)?, budget, most: args.modes.most() };
    let outcome = run_modes(&settings).map_err(failure)?;
    if outcome.people as f64 * budget.get() < MODES_WORTHWHILE {
        printer.note(format!(
            "note: below n times mu = {MODES_WORTHWHILE} the modes of the public spectrum are about as good as private ones"
        ));
    }
    note_failed(printer, outcome.failed, true, &outcome.folder.internal());
    printer.remarks(&outcome.remarks);
    let ShapeModesOutcome { folder, people, modes, accuracy, certificate, .. } = &outcome;
    let more = modes_answer(modes, accuracy);
    printer.result(answer(folder, *people, certificate, more), text(&outcome));
    Ok(())
}

fn text(outcome: &ShapeModesOutcome) -> String {
    let ShapeModesOutcome { folder, people, modes, sentence, certificate, .. } = outcome;
    format!(
        "{} of {people} shapes, {}\n  {sentence}\n{}\n{}",
        if certificate.private { "private modes" } else { "modes (NOT PRIVATE)" },
        certificate.loss,
        modes_lines(modes),
        places(folder, certificate)
    )
}
