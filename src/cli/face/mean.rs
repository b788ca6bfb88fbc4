//! `visard face mean`: from a folder of scans to a private average face.

use super::modes::{self, Statistic};
use super::records::{RecordArgs, note_failures, run_with_progress};
use crate::cli::answer::{NothingReleased, Release};
use crate::cli::budget::BudgetArgs;
use crate::cli::output::{Failure, Printer, where_to};
use crate::cli::{Global, heading};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use visard::privacy::{Certificate, ClipRadius, ClipSource, Mu};
use visard::study::face::modes::{FaceModesSettings, MODES};
use visard::study::face::{
    Accuracy, ClipChoice, FaceMechanism, FaceOutcome, FaceStudySettings, StreamSettings, Units, Yardstick,
    run as run_study, run_stream,
};
use visard::study::layout::REPORT;

/// Arguments of `face mean`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  visard face mean scans/ --mu 1 --out study\n  visard face mean scans/ --epsilon 2 --delta 1e-6 --out study --resume\n  visard face mean scans/ --mu 1 --band --out study\n  visard face mean scans/ --with mean,modes --mu 1 --out study\n  visard face mean --manifest all.csv --mu 1 --out study --dry-run\n  visard face mean scans/2026 --stream stream.json --out registry\n  visard face mean --records records --manifest all.csv --mu 1 --out study"
)]
pub struct MeanArgs {
    #[command(flatten)]
    budget: BudgetArgs,
    /// Also release a 95 % confidence band for the population's mean: at every point at once, sampling and privacy noise together
    #[arg(long, help_heading = heading::RELEASE)]
    band: bool,
    /// Also release the mean size, so that the face is in millimetres: it costs the shape less than 1 % of its accuracy
    #[arg(long, help_heading = heading::RELEASE)]
    size: bool,
    /// Unit of the scans' coordinates
    #[arg(long, help_heading = heading::RELEASE, value_enum, default_value_t = Units::Mm, requires = "size")]
    units: Units,
    /// Public faces that replace the template as centre and prior: a file as --prepared takes, or the folder of an
    /// earlier private release. Never the study's own records.
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, help_heading = heading::RELEASE, value_name = "FILE|RELEASE")]
    prior: Option<PathBuf>,
    /// Which statistics, under one charge: "mean,modes" releases modes of variation too, each with half of the squared budget
    #[arg(long, help_heading = heading::RELEASE, value_enum, value_delimiter = ',', num_args = 1.., value_name = "LIST",
          conflicts_with_all = ["band", "size", "prior", "clip_radius", "mechanism"])]
    with: Vec<Statistic>,
    /// Clip radius: a public number chosen without looking at the scans, or "private": estimated from them and paid for
    #[arg(long, help_heading = heading::RELEASE, value_name = "F|private", allow_negative_numbers = true)]
    clip_radius: Option<String>,
    /// Which private mean
    #[arg(long, help_heading = heading::RELEASE, value_enum, default_value_t = FaceMechanism::Joint)]
    mechanism: FaceMechanism,
    /// Release one step of a stream: a cohort that grows and is released again and again, at one budget in all. PLAN is a JSON file that is fixed
    /// before the first step, for instance {"steps": 20, "mu": 1}; --out and the rest stay the same in all steps.
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, help_heading = heading::RELEASE, value_name = "PLAN",
          conflicts_with_all = ["mu", "epsilon", "delta", "band", "size", "prior", "with", "clip_radius", "mechanism"])]
    stream: Option<PathBuf>,
    /// Which step of the stream, from 1: the next by default; the last one once more, with the same records
    #[arg(long, help_heading = heading::RELEASE, value_name = "K", requires = "stream")]
    step: Option<usize>,
    #[command(flatten)]
    records: RecordArgs,
}

/// `--clip-radius`: absent, a number, or "private".
fn clip_choice(text: Option<&str>) -> Result<ClipChoice, Failure> {
    match text {
        None => Ok(ClipChoice::Default),
        Some("private") => Ok(ClipChoice::Private),
        Some(text) => {
            let number: f64 = text.parse().map_err(|_| {
                Failure::usage(format!("--clip-radius {text:?} is neither a number nor \"private\""))
            })?;
            ClipRadius::new(number, ClipSource::Public).map(ClipChoice::Public).map_err(Failure::usage)
        }
    }
}

/// The budget of a mean by this mechanism.
pub fn budget_of(
    mechanism: FaceMechanism,
    budget: &BudgetArgs,
    printer: &Printer,
) -> Result<Option<Mu>, Failure> {
    match mechanism {
        FaceMechanism::None if budget.is_empty() => Ok(None),
        FaceMechanism::None => {
            printer.note(
                "note: --mechanism none releases nothing: the budget is not used and nothing is charged",
            );
            Ok(None)
        }
        _ => budget.mu().map(Some),
    }
}

/// Runs `face mean`.
pub fn run(args: &MeanArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    if let Some(plan) = args.stream.clone() {
        let records = args.records.inputs(&args.budget, global)?;
        let settings = StreamSettings { plan, step: args.step, records };
        report(&run_with_progress(printer, |show| run_stream(&settings, show))?, printer);
        return Ok(());
    }
    if args.with.contains(&Statistic::Modes) {
        let settings = FaceModesSettings {
            budget: args.budget.mu()?,
            most: MODES,
            with_mean: args.with.contains(&Statistic::Mean),
            records: args.records.inputs(&args.budget, global)?,
        };
        return modes::run_settings(&settings, printer);
    }
    if args.band && args.mechanism != FaceMechanism::Joint {
        return Err(Failure::usage("--band goes with --mechanism joint (the default) only"));
    }
    if args.prior.is_some() && args.mechanism != FaceMechanism::Joint {
        return Err(Failure::usage("--prior goes with --mechanism joint (the default) only"));
    }
    if args.size && args.mechanism != FaceMechanism::Joint {
        return Err(Failure::usage("--size goes with --mechanism joint (the default) only"));
    }
    let settings = FaceStudySettings {
        mechanism: args.mechanism,
        budget: budget_of(args.mechanism, &args.budget, printer)?,
        clip_radius: clip_choice(args.clip_radius.as_deref())?,
        band: args.band,
        size: args.size.then_some(args.units),
        prior: args.prior.clone(),
        records: args.records.inputs(&args.budget, global)?,
    };
    let outcome = run_with_progress(printer, |show| run_study(&settings, show))?;
    report(&outcome, printer);
    Ok(())
}

/// A mean face.
#[derive(Serialize, JsonSchema)]
pub struct FaceMean {
    /// How far the release is expected to lie from the mean without noise, beside what else might be published.
    accuracy: Accuracy,
    /// Half the width of the band, on average.
    band: Option<f64>,
    /// The mean size of the faces in millimetres, where it was released.
    size_mm: Option<f64>,
}

/// What the data holder is told.
pub fn report(outcome: &FaceOutcome, printer: &Printer) {
    let release = outcome.folder.release();
    note_failures(printer, outcome.failed, outcome.scans, &outcome.folder.internal());
    let Some(released) = &outcome.released else {
        printer.own_result(
            NothingReleased::of(&outcome.folder, outcome.people as u64),
            format!("non-private mean of {} scans: {}", outcome.scans, outcome.folder.internal().display()),
        );
        return;
    };
    let Certificate { private, loss, .. } = &released.certificate;
    let findings = FaceMean {
        accuracy: released.accuracy,
        band: released.band,
        size_mm: match released.yardstick {
            Yardstick::Released(mm) => Some(mm),
            Yardstick::OfTwentyCentimetres => None,
        },
    };
    printer.result(
        Release::of(&outcome.folder, &released.certificate, findings),
        format!(
            "{} of {} {}, {}\n{}{}\n  {} {}\n  open first:   {} (every scan, the worst first, and the true error: for the data holder only)\n  its page:     {}\n  do not share: {}",
            if *private { "private average" } else { "average (NOT PRIVATE)" },
            outcome.people,
            if outcome.people < outcome.scans { "people's faces" } else { "faces" },
            loss,
            accuracy_text(&released.accuracy, released.yardstick),
            released.band.map(|band| band_text(band, released.yardstick)).unwrap_or_default(),
            where_to(*private),
            release.display(),
            outcome.folder.internal().join(REPORT).display(),
            release.join(REPORT).display(),
            outcome.folder.internal().display()
        ),
    );
}

/// The band, in millimetres.
fn band_text(half_width: f64, yardstick: Yardstick) -> String {
    format!(
        "\n  95 % band for the population's mean, on average: {:.2} mm to either side in each coordinate",
        yardstick.millimetres() * half_width
    )
}

/// The error statement, in millimetres.
fn accuracy_text(accuracy: &Accuracy, yardstick: Yardstick) -> String {
    let mm = |rms: f64| yardstick.millimetres() * rms;
    let size = match (yardstick, accuracy.rms_mm) {
        (Yardstick::Released(size), Some(all)) => {
            format!(
                "\n  size (square root of the face's area): {size:.0} mm; error of shape and size together: {all:.2} mm"
            )
        }
        _ => String::new(),
    };
    let registration = accuracy.registration.sentence(yardstick.millimetres());
    let Accuracy { rms, expected_rms, template_rms, sampling_rms, data_share, .. } = *accuracy;
    let worth = if accuracy.is_mostly_template() {
        "\n  barely worth its budget: the result is mostly the template; more people, or a larger budget, would change that"
    } else {
        ""
    };
    if let Some(expected) = expected_rms {
        return format!(
            "  error on {}: not known, {}; at most {:.1} mm (root mean square) if the public radius holds these people's mean, {:.1} mm if they are like public populations (the template alone: {} {:.1} mm; sampling error: about {:.2} mm)\n  {registration}{size}{worth}",
            yardstick.face(),
            accuracy.why_a_bound(),
            mm(rms),
            mm(expected),
            if data_share > 0.0 { "about" } else { "at most" },
            mm(template_rms),
            mm(sampling_rms),
        );
    }
    format!(
        "  error on {}, root mean square: {:.2} mm (the template alone: {:.2} mm; sampling error: about {:.2} mm)\n  {registration}\n  decided by the data: {:.0} % of the squared distance between template and mean{size}{worth}",
        yardstick.face(),
        mm(rms),
        mm(template_rms),
        mm(sampling_rms),
        100.0 * data_share,
    )
}
