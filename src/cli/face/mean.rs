//! `visard face mean`: from a folder of scans to a private average face.

use super::template_source;
use crate::cli::Global;
use crate::cli::budget::{BudgetArgs, LedgerArgs};
use crate::cli::output::{Failure, Printer, where_to};
use crate::cli::progress::Bar;
use clap::{Args, ValueEnum};
use serde_json::json;
use std::path::{Path, PathBuf};
use visard::privacy::{ClipRadius, ClipSource};
use visard::study::FolderError;
use visard::study::face::{
    ClipChoice, FaceMechanism, FaceStudySettings, Outcome, Registration, StudyError, run as run_study,
};

/// Arguments of `face mean`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  visard face mean scans/ --mu 3 --out study\n  visard face mean scans/ --epsilon 2 --delta 1e-6 --out study --resume"
)]
pub struct MeanArgs {
    /// Scan files, or folders of scans: one scan per person
    #[arg(value_name = "SCAN_OR_DIR", required = true)]
    scans: Vec<PathBuf>,
    #[command(flatten)]
    budget: BudgetArgs,
    /// The study's folder
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    shape: ShapeArgs,
    /// Continue an interrupted run: finished scans are not processed again
    #[arg(long)]
    resume: bool,
}

/// What shapes the records and the release.
#[derive(Debug, Clone, Args)]
pub struct ShapeArgs {
    /// Public template face: a mesh file, or "builtin"
    #[arg(long, value_name = "FILE|builtin", default_value = "builtin")]
    pub template: String,
    /// Number of face radial curves
    #[arg(long, value_name = "J", default_value_t = 23)]
    pub curves: usize,
    /// Samples on each curve
    #[arg(long, value_name = "M", default_value_t = 80)]
    pub samples: usize,
    /// How scans are registered to the template
    #[arg(long, value_enum, default_value_t = Registration::Elastic)]
    pub registration: Registration,
    /// Clip radius: a public number chosen without looking at the scans, or "private": estimated from them and paid for
    #[arg(long, value_name = "F|private", allow_negative_numbers = true)]
    pub clip_radius: Option<String>,
    /// Which private mean
    #[arg(long, value_enum, default_value_t = MechanismName::Joint)]
    pub mechanism: MechanismName,
    /// Keep this much around the nose tip of a bust, in units of the template (default: the template's own reach)
    #[arg(long, value_name = "F")]
    pub crop_radius: Option<f64>,
    /// Where the release is recorded
    #[command(flatten)]
    pub ledger: LedgerArgs,
}

/// The mechanisms by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MechanismName {
    /// All curves at once around the template; the least noise
    Joint,
    /// Curve by curve with matched noise
    Curves,
    /// As published; not private unless --clip-radius is given
    Paper,
    /// Noise on every coordinate; not private unless --clip-radius is given
    Pointwise,
    /// The mean without noise, under internal/ only
    None,
}

impl From<MechanismName> for FaceMechanism {
    fn from(name: MechanismName) -> Self {
        match name {
            MechanismName::Joint => FaceMechanism::Joint,
            MechanismName::Curves => FaceMechanism::Curves,
            MechanismName::Paper => FaceMechanism::Paper,
            MechanismName::Pointwise => FaceMechanism::Pointwise,
            MechanismName::None => FaceMechanism::None,
        }
    }
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

/// The study's settings from the command line.
pub fn study_settings(
    inputs: Vec<PathBuf>,
    out: &Path,
    budget: &BudgetArgs,
    shape: &ShapeArgs,
    global: &Global,
) -> Result<FaceStudySettings, Failure> {
    let mechanism = FaceMechanism::from(shape.mechanism);
    let budget = match mechanism {
        FaceMechanism::None if budget.is_empty() => None,
        FaceMechanism::None => {
            eprintln!(
                "note: --mechanism none releases nothing: the budget is not used and nothing is charged"
            );
            None
        }
        _ => Some(budget.mu()?),
    };
    let clip = clip_choice(shape.clip_radius.as_deref())?;
    let positive = |x: Option<f64>, name: &str| match x {
        Some(x) if !(x > 0.0 && x.is_finite()) => {
            Err(Failure::usage(format!("{name} must be a positive number")))
        }
        x => Ok(x),
    };
    if shape.curves < 2 || shape.samples < 8 || shape.curves * shape.samples > 1_000_000 {
        return Err(Failure::usage(
            "a face needs at least 2 curves of 8 samples (and at most a million samples)",
        ));
    }
    Ok(FaceStudySettings {
        inputs,
        out: out.to_owned(),
        template: template_source(&shape.template),
        curves: shape.curves,
        samples: shape.samples,
        registration: shape.registration,
        crop_radius: positive(shape.crop_radius, "--crop-radius")?,
        mechanism,
        budget,
        clip_radius: clip,
        seed: global.seed,
        ledger: shape.ledger.choice()?,
        resume: false,
        replace: global.force,
    })
}

/// Runs `face mean`.
pub fn run(args: &MeanArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let mut settings = study_settings(args.scans.clone(), &args.out, &args.budget, &args.shape, global)?;
    settings.resume = args.resume;
    let outcome = run_with_progress(&settings)?;
    report(&outcome, printer);
    Ok(())
}

/// Runs a study with a progress bar, turning its errors into advice.
pub fn run_with_progress(settings: &FaceStudySettings) -> Result<Outcome, Failure> {
    let bar = Bar::new();
    let result = run_study(settings, &|event| bar.show(&event));
    bar.finish();
    result.map_err(|error| {
        let failure = Failure::failed(&error);
        match error {
            StudyError::Folder(FolderError::HasRelease(_)) => failure
                .with_hint("choose another --out, or --force to replace it (the ledger keeps every charge)"),
            StudyError::NoneProcessed(_) => failure.with_hint("nothing was charged and nothing released"),
            _ => failure,
        }
    })
}

/// What the data holder is told.
pub fn report(outcome: &Outcome, printer: &Printer) {
    let root = outcome.folder.root();
    let release = outcome.folder.release();
    if outcome.failed > 0 {
        eprintln!(
            "note (do not publish): {} of {} scans could not be processed and count as the template (reasons: {})",
            outcome.failed,
            outcome.scans,
            outcome.folder.internal().join("scans.csv").display()
        );
    }
    let Some(released) = &outcome.released else {
        printer.result(
            json!({"out": root, "internal": outcome.folder.internal(), "n": outcome.scans, "released": false}),
            format!("non-private mean of {} scans: {}", outcome.scans, outcome.folder.internal().display()),
        );
        return;
    };
    let private = released.price.loss.is_private() && !released.seeded;
    printer.result(
        json!({
            "out": root,
            "release": release,
            "report": release.join("report.html"),
            "n": outcome.scans,
            "mechanism": released.price.mechanism,
            "mu": released.price.mu,
            "private": private,
        }),
        format!(
            "{} of {} faces, {}\n  {} {}\n  look first:  {}\n  keep secret: {}",
            if private { "private average" } else { "average (NOT PRIVATE)" },
            outcome.scans,
            released.price.loss,
            where_to(private),
            release.display(),
            release.join("report.html").display(),
            outcome.folder.internal().display()
        ),
    );
}
