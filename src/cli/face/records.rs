//! Whose faces: arguments that every statistic of faces has in common.

use super::files::{scans_help, template_source};
use crate::cli::budget::{BudgetArgs, CountingArgs, PlaceArgs, UnusableArgs};
use crate::cli::output::{Failure, Printer};
use crate::cli::progress::Bar;
use crate::cli::{Global, heading};
use clap::Args;
use std::path::{Path, PathBuf};
use visard::study::Place;
use visard::study::face::{
    CURVES, ExpressionSource, FaceInputs, FaceProgress, Registration, SAMPLES, StudyError, TemplateSource,
};
use visard::study::layout::SCAN_TABLE;

/// How records are made of scans.
#[derive(Debug, Args)]
pub struct MakingArgs {
    /// Public template face: a mesh file, or "builtin".
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, help_heading = heading::REGISTRATION, value_name = "FILE|builtin", default_value = "builtin")]
    template: String,
    /// Number of face radial curves
    #[arg(long, help_heading = heading::REGISTRATION, value_name = "J", default_value_t = CURVES)]
    curves: usize,
    /// Samples on each curve
    #[arg(long, help_heading = heading::REGISTRATION, value_name = "M", default_value_t = SAMPLES)]
    samples: usize,
    /// Method of registration to the template
    #[arg(long, help_heading = heading::REGISTRATION, value_enum, default_value_t = Registration::Elastic)]
    registration: Registration,
    /// Keep this much around the nose tip of a bust, in units of the template (default: the extent of the template)
    #[arg(long, help_heading = heading::REGISTRATION, value_name = "F")]
    crop_radius: Option<f64>,
}

impl MakingArgs {
    /// As studies take them, of these scans in this place.
    pub fn inputs(&self, scans: &[PathBuf], place: Place) -> Result<FaceInputs, Failure> {
        if self.crop_radius.is_some_and(|x| !(x > 0.0 && x.is_finite())) {
            return Err(Failure::usage("--crop-radius must be a positive number"));
        }
        if self.curves < 2 || self.samples < 8 || self.curves * self.samples > 1_000_000 {
            return Err(Failure::usage(
                "a face needs at least 2 curves of 8 samples (and at most a million samples)",
            ));
        }
        Ok(FaceInputs {
            template: template_source(&self.template),
            curves: self.curves,
            samples: self.samples,
            registration: self.registration,
            crop_radius: self.crop_radius,
            ..FaceInputs::new(scans, place)
        })
    }
}

/// Which expressions are taken out of scans.
#[derive(Debug, Args)]
pub struct NeutralArgs {
    /// Take expressions out of every scan, so that faces are at rest: "builtin" ones (jaw, lips, smile, cheeks, brows), or a folder of meshes, each the
    /// template with one expression in full.
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, help_heading = heading::REGISTRATION, value_name = "DIR|builtin")]
    neutral: Option<String>,
}

impl NeutralArgs {
    /// Whether any are.
    pub fn is_some(&self) -> bool {
        self.neutral.is_some()
    }

    /// The template, which takes them out of what is registered to it.
    pub fn of(
        &self,
        template: TemplateSource,
        registration: Registration,
    ) -> Result<TemplateSource, Failure> {
        let expressions = match self.neutral.as_deref() {
            None => return Ok(template),
            Some("builtin") => ExpressionSource::Builtin,
            Some(folder) => ExpressionSource::Meshes(folder.into()),
        };
        if registration != Registration::Elastic {
            return Err(Failure::usage("--neutral needs --registration elastic"));
        }
        Ok(TemplateSource::Neutral(Box::new(template), expressions))
    }
}

/// Scans, template, place: what makes the records.
#[derive(Debug, Args)]
pub struct RecordArgs {
    #[arg(value_name = "SCAN_OR_DIR", required_unless_present_any = ["prepared", "manifest"], help = scans_help())]
    scans: Vec<PathBuf>,
    /// Records registered elsewhere, instead of scans: unit-area faces in the template's frame, as an NPY array (n, J, m, 3) or a Parquet
    /// file of one column with a list of J·m·3 numbers in each row
    #[arg(long, help_heading = heading::RECORDS, value_name = "FILE", conflicts_with_all = ["scans", "manifest", "records", "neutral"])]
    prepared: Option<PathBuf>,
    /// The table of the study's scans, instead of folders: a heading with the column file (relative to the table), and optional columns person,
    /// group and covariates. It determines n
    #[arg(long, help_heading = heading::RECORDS, value_name = "FILE.csv")]
    manifest: Option<PathBuf>,
    /// Records that `face prepare` made from the manifest's scans: no scan is opened
    #[arg(long, help_heading = heading::RECORDS, value_name = "DIR", requires = "manifest", conflicts_with = "scans")]
    records: Option<PathBuf>,
    /// Stop if a scan of the manifest has no record; otherwise it counts as a record that cannot be used
    #[arg(long, help_heading = heading::RECORDS, requires = "records")]
    complete: bool,
    #[command(flatten)]
    counting: CountingArgs,
    #[command(flatten)]
    unusable: UnusableArgs,
    #[command(flatten)]
    making: MakingArgs,
    #[command(flatten)]
    neutral: NeutralArgs,
    #[command(flatten)]
    place: PlaceArgs,
}

impl RecordArgs {
    /// As the study takes them.
    pub fn inputs(&self, budget: &BudgetArgs, global: &Global) -> Result<FaceInputs, Failure> {
        let place = Place { asked: budget.loss().ok(), ..self.place.place(global)? };
        let made = self.making.inputs(&self.scans, place)?;
        Ok(FaceInputs {
            template: self.neutral.of(made.template, made.registration)?,
            prepared: self.prepared.clone(),
            manifest: self.manifest.clone(),
            records: self.records.clone(),
            complete: self.complete,
            counting: self.counting.counting(),
            unusable: self.unusable.rule(),
            ..made
        })
    }

    /// A table about the records: as given, or the manifest.
    pub fn table(&self, given: Option<&PathBuf>, option: &str) -> Result<PathBuf, Failure> {
        let none =
            || Failure::usage(format!("give --{option} FILE.csv, or a --manifest that has these columns"));
        given.or(self.manifest.as_ref()).cloned().ok_or_else(none)
    }
}

/// Runs a study of faces with a progress bar, turning its errors into advice.
pub fn run_with_progress<T>(
    printer: &Printer,
    study: impl FnOnce(&(dyn Fn(FaceProgress) + Sync)) -> Result<T, StudyError>,
) -> Result<T, Failure> {
    with_progress(printer, study).map_err(failure)
}

/// Runs a study of faces, or a part of one, with its progress shown.
pub fn with_progress<T, E>(
    printer: &Printer,
    study: impl FnOnce(&(dyn Fn(FaceProgress) + Sync)) -> Result<T, E>,
) -> Result<T, E> {
    let bar = Bar::new(printer);
    let result = study(&|event| bar.show(&event));
    bar.finish();
    result
}

/// A study that stopped.
pub fn failure(error: StudyError) -> Failure {
    match &error {
        StudyError::Job(job) => Failure::of_job(&error, Some(job)),
        StudyError::NoneUsable { .. }
        | StudyError::Unusable { .. }
        | StudyError::People(_)
        | StudyError::Records(_)
        | StudyError::Groups(_)
        | StudyError::Covariates(_)
        | StudyError::Stream(_)
        | StudyError::Units { .. }
        | StudyError::MixedUnits { .. } => {
            Failure::input(&error).with_hint("nothing was charged and nothing released")
        }
        _ => Failure::input(&error),
    }
}

/// Says how many records cannot be used, and what that means: to the data holder only.
pub fn note_failures(printer: &Printer, failed: usize, scans: usize, internal: &Path) {
    printer.secret("scans", scans, None);
    let most = if 2 * failed > scans {
        "\n      that is most of them: what is released is mostly of the public template and of noise, not of these people; repair the scans, or give meshes in \
         place of bare points, before you spend more"
    } else {
        ""
    };
    let words = format!(
        "{failed} of {scans} records could not be used (reasons: {}). They contribute zero to the release and are left out of the mean without \
         noise{most}",
        internal.join(SCAN_TABLE).display()
    );
    printer.secret("failed", failed, (failed > 0).then_some(words));
}
