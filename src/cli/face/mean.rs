//! `visard face mean`: from a folder of scans to a private average face.

use super::files::{scans_help, template_source};
use crate::cli::Global;
use crate::cli::budget::{BudgetArgs, CountingArgs, PlaceArgs};
use crate::cli::output::{Failure, Printer, where_to};
use crate::cli::progress::Bar;
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use visard::privacy::{Certificate, ClipRadius, ClipSource, PrivacyLoss};
use visard::study::face::{
    Accuracy, CURVES, ClipChoice, FaceMechanism, FaceOutcome, FaceStudySettings, Registration, SAMPLES,
    StudyError, run as run_study,
};
use visard::study::layout::{REPORT, SCAN_TABLE};
use visard::study::{Counting, Place};

/// Arguments of `face mean`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  visard face mean scans/ --mu 1 --out study\n  visard face mean scans/ --epsilon 2 --delta 1e-6 --out study --resume\n  visard face mean scans/ --mu 1 --band --out study"
)]
pub struct MeanArgs {
    #[arg(value_name = "SCAN_OR_DIR", required_unless_present = "prepared", help = scans_help())]
    scans: Vec<PathBuf>,
    /// Records registered elsewhere in place of scans: an NPY array (n, J, m, 3) of unit-area faces in the template's frame
    #[arg(long, value_name = "FILE.npy", conflicts_with = "scans")]
    prepared: Option<PathBuf>,
    /// Also release a 95 % confidence band for the population's mean: at every point at once, sampling and privacy noise together
    #[arg(long)]
    band: bool,
    #[command(flatten)]
    budget: BudgetArgs,
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    counting: CountingArgs,
    #[command(flatten)]
    shape: ShapeArgs,
}

/// What shapes the records and the release.
#[derive(Debug, Clone, Args)]
pub struct ShapeArgs {
    /// Public template face: a mesh file, or "builtin"
    #[arg(long, value_name = "FILE|builtin", default_value = "builtin")]
    pub template: String,
    /// Number of face radial curves
    #[arg(long, value_name = "J", default_value_t = CURVES)]
    pub curves: usize,
    /// Samples on each curve
    #[arg(long, value_name = "M", default_value_t = SAMPLES)]
    pub samples: usize,
    /// How scans are registered to the template
    #[arg(long, value_enum, default_value_t = Registration::Elastic)]
    pub registration: Registration,
    /// Clip radius: a public number chosen without looking at the scans, or "private": estimated from them and paid for
    #[arg(long, value_name = "F|private", allow_negative_numbers = true)]
    pub clip_radius: Option<String>,
    /// Which private mean
    #[arg(long, value_enum, default_value_t = FaceMechanism::Joint)]
    pub mechanism: FaceMechanism,
    /// Keep this much around the nose tip of a bust, in units of the template (default: the template's own reach)
    #[arg(long, value_name = "F")]
    pub crop_radius: Option<f64>,
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
    place: Place,
    budget: &BudgetArgs,
    shape: &ShapeArgs,
) -> Result<FaceStudySettings, Failure> {
    let mechanism = shape.mechanism;
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
        prepared: None,
        place,
        template: template_source(&shape.template),
        curves: shape.curves,
        samples: shape.samples,
        registration: shape.registration,
        crop_radius: positive(shape.crop_radius, "--crop-radius")?,
        mechanism,
        budget,
        clip_radius: clip,
        counting: Counting::default(),
        band: false,
    })
}

/// Runs `face mean`.
pub fn run(args: &MeanArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let place = Place { asked: args.budget.loss().ok(), ..args.place.place(global)? };
    if args.band && args.shape.mechanism != FaceMechanism::Joint {
        return Err(Failure::usage("--band goes with --mechanism joint (the default) only"));
    }
    let settings = FaceStudySettings {
        prepared: args.prepared.clone(),
        counting: args.counting.counting(),
        band: args.band,
        ..study_settings(args.scans.clone(), place, &args.budget, &args.shape)?
    };
    let outcome = run_with_progress(&settings)?;
    report(&outcome, printer);
    Ok(())
}

/// Runs a study with a progress bar, turning its errors into advice.
pub fn run_with_progress(settings: &FaceStudySettings) -> Result<FaceOutcome, Failure> {
    let bar = Bar::new();
    let result = run_study(settings, &|event| bar.show(&event));
    bar.finish();
    result.map_err(|error| match &error {
        StudyError::Job(job) => Failure::of_job(&error, Some(job)),
        StudyError::NoneProcessed(_) | StudyError::People(_) => {
            Failure::failed(&error).with_hint("nothing was charged and nothing released")
        }
        _ => Failure::failed(&error),
    })
}

/// What the data holder is told.
pub fn report(outcome: &FaceOutcome, printer: &Printer) {
    let root = outcome.folder.root();
    let release = outcome.folder.release();
    if outcome.failed > 0 {
        eprintln!(
            "note (do not publish): {} of {} scans could not be processed and count as the template (reasons: {})",
            outcome.failed,
            outcome.scans,
            outcome.folder.internal().join(SCAN_TABLE).display()
        );
    }
    let Some(released) = &outcome.released else {
        printer.result(
            json!({"out": root, "internal": outcome.folder.internal(), "n": outcome.people, "released": false}),
            format!("non-private mean of {} scans: {}", outcome.scans, outcome.folder.internal().display()),
        );
        return;
    };
    let Certificate { private, mechanism, loss, .. } = &released.certificate;
    printer.result(
        json!({
            "out": root,
            "release": release,
            "report": release.join(REPORT),
            "n": outcome.people,
            "mechanism": mechanism,
            "mu": if let PrivacyLoss::Gaussian(mu) = loss { Some(mu) } else { None },
            "loss": loss,
            "private": private,
            "accuracy": released.accuracy,
            "band": released.band,
        }),
        format!(
            "{} of {} {}, {}\n{}{}\n  {} {}\n  look first:  {}\n  keep secret: {}",
            if *private { "private average" } else { "average (NOT PRIVATE)" },
            outcome.people,
            if outcome.people < outcome.scans { "people's faces" } else { "faces" },
            loss,
            accuracy_text(&released.accuracy),
            released.band.map(band_text).unwrap_or_default(),
            where_to(*private),
            release.display(),
            release.join(REPORT).display(),
            outcome.folder.internal().display()
        ),
    );
}

/// The band, on a face of 20 cm.
fn band_text(half_width: f64) -> String {
    format!(
        "\n  95 % band for the population's mean, on average: {:.2} mm to either side in each coordinate",
        200.0 * half_width
    )
}

/// The error statement, on a face of 20 cm: about 1 high when its area is 1.
fn accuracy_text(accuracy: &Accuracy) -> String {
    let mm = |rms: f64| 200.0 * rms;
    let Accuracy { rms, template_rms, sampling_rms, data_share, .. } = *accuracy;
    let worth = if accuracy.is_mostly_template() {
        "\n  hardly worth its budget: this is mostly the template; more people, or a larger budget, would change that"
    } else {
        ""
    };
    format!(
        "  error on a face of 20 cm, root mean square: {:.2} mm (the template published unread: {:.2} mm; these people as a sample: about \
         {:.2} mm)\n  decided by the data: {:.0} % of the squared distance between template and mean{worth}",
        mm(rms),
        mm(template_rms),
        mm(sampling_rms),
        100.0 * data_share,
    )
}
