//! `visard shape modes`: how shapes differ, with their mean.

use super::common::{failure, note_failed};
use super::specimens::{SpecimenArgs, answer, places, remark};
use crate::cli::output::{Failure, Printer};
use crate::cli::{Global, heading};
use clap::Args;
use serde_json::json;
use std::fmt::Write as _;
use visard::study::face::modes::{MODES, MOST_MODES};
use visard::study::shape::{MODES_WORTHWHILE, ShapeModesOutcome, ShapeModesSettings, run_modes};

/// Arguments of `shape modes`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  visard shape modes skulls.tps --landmarks 21 --dimensions 3 --mu 1 --out study\n  visard shape modes outlines.tps --outline --center atlas.tps --mu 1 --modes 8 --out study"
)]
pub struct ShapeModesArgs {
    #[command(flatten)]
    specimens: SpecimenArgs,
    /// Maximum number of modes; only modes above the noise are released
    #[arg(long, help_heading = heading::RELEASE, value_name = "K", default_value_t = MODES as u16, value_parser = clap::value_parser!(u16).range(1..=MOST_MODES as i64))]
    modes: u16,
}

/// Runs `shape modes`.
pub fn run(args: &ShapeModesArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let budget = args.specimens.mu()?;
    let settings =
        ShapeModesSettings { inputs: args.specimens.inputs(global)?, budget, most: usize::from(args.modes) };
    let outcome = run_modes(&settings).map_err(failure)?;
    if outcome.people as f64 * budget.get() < MODES_WORTHWHILE {
        eprintln!(
            "note: below n times mu = {MODES_WORTHWHILE} the modes of the public spectrum are about as good as private ones"
        );
    }
    note_failed(outcome.failed, true, &outcome.folder.internal());
    remark(&outcome.remarks);
    let ShapeModesOutcome { folder, people, modes, accuracy, certificate, .. } = &outcome;
    let more = json!({
        "accuracy": accuracy,
        "modes": modes.modes.len(),
        "visible": modes.visible,
        "certain": modes.certain,
        "leans_on_prior": modes.leans_on_prior,
        "shares": modes.modes.iter().map(|mode| mode.share).collect::<Vec<_>>(),
        "variances": modes.modes.iter().map(|mode| mode.variance).collect::<Vec<_>>(),
    });
    printer.result(answer(folder, *people, certificate, more), text(&outcome));
    Ok(())
}

fn text(outcome: &ShapeModesOutcome) -> String {
    let ShapeModesOutcome { folder, people, modes, sentence, certificate, .. } = outcome;
    let mut text = format!(
        "{} of {people} shapes, {}\n  {sentence}\n  modes: {} of {} that stand out of the noise",
        if certificate.private { "private modes" } else { "modes (NOT PRIVATE)" },
        certificate.loss,
        modes.modes.len(),
        modes.visible
    );
    for (k, mode) in modes.modes.iter().enumerate() {
        let _ = write!(
            text,
            "\n    {}: standard deviation {:.4} ({:.4} to {:.4}), {:.0} % of the variance looked at",
            k + 1,
            mode.variance.sqrt(),
            mode.lower.sqrt(),
            mode.upper.sqrt(),
            100.0 * mode.share
        );
    }
    if modes.leans_on_prior {
        text.push_str(
            "\n  few records at this budget: the modes follow the public spectrum where the data give no information",
        );
    }
    let _ = write!(text, "\n{}", places(folder, certificate));
    text
}
