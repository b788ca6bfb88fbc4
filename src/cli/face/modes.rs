//! `visard face modes`: how people's faces differ, with their mean.

use super::records::{RecordArgs, note_failures, run_with_progress};
use crate::cli::answer::{Release, places};
use crate::cli::budget::BudgetArgs;
use crate::cli::output::{Failure, Printer};
use crate::cli::tangent::ModesFindings;
use crate::cli::{Global, heading, tangent};
use clap::{Args, ValueEnum};
use std::fmt::Write as _;
use visard::mechanism::together::half;
use visard::study::face::FACE_MM;
use visard::study::face::modes::{FaceModesSettings, run as run_study};
use visard::study::tangent::{FoundModes, TangentOutcome};

/// Arguments of `face modes`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  visard face modes scans/ --mu 1 --out study\n  visard face modes --prepared faces.npy --mu 1 --modes 8 --out study\n  visard face modes scans/ --with mean,modes --mu 1 --out study"
)]
pub struct ModesArgs {
    #[command(flatten)]
    budget: BudgetArgs,
    #[command(flatten)]
    modes: tangent::ModesArgs,
    /// Which statistics, under one charge: with "mean", it has a mechanism of its own and half of the squared budget, and the modes the other
    /// half; otherwise the mean is the less accurate one released with the modes
    #[arg(long, help_heading = heading::RELEASE, value_enum, value_delimiter = ',', num_args = 1.., value_name = "LIST")]
    with: Vec<Statistic>,
    #[command(flatten)]
    records: RecordArgs,
}

/// What a study can release together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Statistic {
    /// The mean, in two rounds of its own
    Mean,
    /// Modes of variation
    Modes,
}

/// Runs `face modes`.
pub fn run(args: &ModesArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let settings = FaceModesSettings {
        budget: args.budget.mu()?,
        most: args.modes.most(),
        with_mean: args.with.contains(&Statistic::Mean),
        records: args.records.inputs(&args.budget, global)?,
    };
    run_settings(&settings, printer)
}

/// Runs a study of modes.
pub fn run_settings(settings: &FaceModesSettings, printer: &Printer) -> Result<(), Failure> {
    if settings.with_mean {
        let own = half(settings.budget).map_err(Failure::usage)?;
        printer.note(format!(
            "note: one charge of mu = {}, in equal parts of its square: the mean at mu = {:.3}, the modes at mu = {:.3}",
            settings.budget,
            own.get(),
            own.get()
        ));
    }
    let outcome = run_with_progress(printer, |show| run_study(settings, show))?;
    report(&outcome, printer);
    Ok(())
}

/// What the data holder is told.
pub fn report(outcome: &TangentOutcome<FoundModes>, printer: &Printer) {
    let TangentOutcome { folder, certificate, found, .. } = outcome;
    note_failures(printer, outcome.failed, outcome.records_read, &folder.internal());
    let findings = ModesFindings::of(&found.modes, found.accuracy);
    printer.result(Release::of(folder, certificate, findings), text(outcome));
}

fn text(outcome: &TangentOutcome<FoundModes>) -> String {
    let TangentOutcome { certificate, found: FoundModes { modes, accuracy, .. }, .. } = outcome;
    // On a face of 20 cm, which is about 1 high when its area is 1.
    let mm = |x: f64| FACE_MM * x;
    let mut text = format!(
        "{} of {} {}, {}\n  error of the mean on a face of 20 cm, root mean square: {:.2} mm (the template alone: {:.2} mm)\n  {}",
        if certificate.private { "private modes" } else { "modes (NOT PRIVATE)" },
        outcome.people,
        if outcome.people < outcome.records_read { "people's faces" } else { "faces" },
        certificate.loss,
        mm(accuracy.rms),
        mm(accuracy.template_rms),
        accuracy.registration.map_or_else(String::new, |part| part.sentence(FACE_MM)),
    );
    if modes.modes.is_empty() {
        text.push_str("\n  no mode stands out of the noise: none is released; more people, or a larger budget, would change that");
    } else {
        let _ =
            write!(text, "\n  modes: {} of {} that stand out of the noise", modes.modes.len(), modes.visible);
    }
    for (k, mode) in modes.modes.iter().enumerate() {
        let _ = write!(
            text,
            "\n    {}: {:.2} mm a standard deviation ({:.2} to {:.2}), {:.0} % of the variance looked at",
            k + 1,
            mm(mode.variance.sqrt()),
            mm(mode.lower.sqrt()),
            mm(mode.upper.sqrt()),
            100.0 * mode.share
        );
    }
    if modes.leans_on_prior {
        text.push_str(
            "\n  few records at this budget: the modes follow the public spectrum where the data give no information",
        );
    }
    let _ = write!(text, "\n{}", places(&outcome.folder, certificate));
    text
}
