//! Modes of variation, of whatever has a tangent space.

use super::{KindArgs, Of, counted, note};
use crate::cli::answer::{Release, places};
use crate::cli::output::{Failure, Printer};
use crate::cli::points::failure;
use crate::cli::{Global, heading};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write as _;
use visard::estimate::Modes;
use visard::study::face::modes::{MODES, MOST_MODES};
use visard::study::points::PointAccuracy;
use visard::study::tangent::{FoundModes, MODES_WORTHWHILE, TangentOutcome, run_modes};

/// Options of modes of variation
#[derive(Debug, Args)]
pub struct ModesArgs {
    /// Maximum number of modes; only modes above the noise are released
    #[arg(long, help_heading = heading::RELEASE, value_name = "K", default_value_t = MODES as u16, value_parser = clap::value_parser!(u16).range(1..=MOST_MODES as i64))]
    modes: u16,
}

impl ModesArgs {
    /// The maximum number of modes.
    pub fn most(&self) -> usize {
        usize::from(self.modes)
    }
}

pub(super) fn about(records: &str) -> String {
    format!("From {records} to a private mean and modes of variation")
}

pub(super) fn example(command: &str, records: &str) -> String {
    format!("Example:\n  visard {command} modes {records} --modes 5 --mu 1 --out study")
}

/// Runs `modes` of a kind of record.
pub fn modes<K: KindArgs>(
    args: &Of<K, ModesArgs>,
    global: &Global,
    printer: &Printer,
) -> Result<(), Failure> {
    let budget = args.records.budget().mu()?;
    let outcome = run_modes(&args.records.inputs(global)?, budget, args.statistic.most()).map_err(failure)?;
    if outcome.people as f64 * budget.get() < MODES_WORTHWHILE {
        printer.note(format!(
            "note: below n times mu = {MODES_WORTHWHILE} the public spectrum's own modes are about as good as private ones"
        ));
    }
    note(&outcome, printer);
    let TangentOutcome { folder, certificate, found, .. } = &outcome;
    let findings = ModesFindings::of(&found.modes, found.accuracy);
    printer.result(Release::of(folder, certificate, findings), text(&outcome));
    Ok(())
}

/// Modes of variation.
#[derive(Serialize, JsonSchema)]
pub struct ModesFindings {
    /// How exact the mean beside them is.
    accuracy: PointAccuracy,
    /// How many were released.
    modes: usize,
    /// How many stand out of the noise.
    visible: usize,
    /// How many do so beyond doubt.
    certain: usize,
    /// Whether they rest on the public prior more than on the records.
    leans_on_prior: bool,
    /// The share of the variance looked at, for each mode.
    shares: Vec<f64>,
    /// The variance along each mode.
    variances: Vec<f64>,
}

impl ModesFindings {
    /// Of these modes.
    pub(in crate::cli) fn of(modes: &Modes, accuracy: PointAccuracy) -> Self {
        Self {
            accuracy,
            modes: modes.modes.len(),
            visible: modes.visible,
            certain: modes.certain,
            leans_on_prior: modes.leans_on_prior,
            shares: modes.modes.iter().map(|mode| mode.share).collect(),
            variances: modes.modes.iter().map(|mode| mode.variance).collect(),
        }
    }
}

/// Modes in words, a line each.
fn modes_lines(modes: &Modes) -> String {
    let mut text = format!("  modes: {} of {} that stand out of the noise", modes.modes.len(), modes.visible);
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
    text
}

fn text(outcome: &TangentOutcome<FoundModes>) -> String {
    let TangentOutcome { folder, found, certificate, .. } = outcome;
    format!(
        "{} of {}, {}\n  {}\n{}\n{}",
        if certificate.private { "private modes" } else { "modes (NOT PRIVATE)" },
        counted(outcome),
        certificate.loss,
        found.sentence,
        modes_lines(&found.modes),
        places(folder, certificate)
    )
}
