//! Whose faces: arguments that every statistic of faces has in common.

use super::files::{scans_help, template_source};
use crate::cli::Global;
use crate::cli::budget::{BudgetArgs, CountingArgs, PlaceArgs};
use crate::cli::output::Failure;
use crate::cli::progress::Bar;
use clap::Args;
use std::path::{Path, PathBuf};
use visard::study::Place;
use visard::study::face::{CURVES, FaceInputs, FaceProgress, Registration, SAMPLES, StudyError};
use visard::study::layout::SCAN_TABLE;

/// Scans, template, place: what makes the records.
#[derive(Debug, Args)]
pub struct RecordArgs {
    #[arg(value_name = "SCAN_OR_DIR", required_unless_present = "prepared", help = scans_help())]
    scans: Vec<PathBuf>,
    /// Records registered elsewhere in place of scans: an NPY array (n, J, m, 3) of unit-area faces in the template's frame
    #[arg(long, value_name = "FILE.npy", conflicts_with = "scans")]
    prepared: Option<PathBuf>,
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    counting: CountingArgs,
    /// Public template face: a mesh file, or "builtin"
    #[arg(long, value_name = "FILE|builtin", default_value = "builtin")]
    template: String,
    /// Number of face radial curves
    #[arg(long, value_name = "J", default_value_t = CURVES)]
    curves: usize,
    /// Samples on each curve
    #[arg(long, value_name = "M", default_value_t = SAMPLES)]
    samples: usize,
    /// How scans are registered to the template
    #[arg(long, value_enum, default_value_t = Registration::Elastic)]
    registration: Registration,
    /// Keep this much around the nose tip of a bust, in units of the template (default: the template's own reach)
    #[arg(long, value_name = "F")]
    crop_radius: Option<f64>,
}

impl RecordArgs {
    /// As the study takes them.
    pub fn inputs(&self, budget: &BudgetArgs, global: &Global) -> Result<FaceInputs, Failure> {
        if self.crop_radius.is_some_and(|x| !(x > 0.0 && x.is_finite())) {
            return Err(Failure::usage("--crop-radius must be a positive number"));
        }
        if self.curves < 2 || self.samples < 8 || self.curves * self.samples > 1_000_000 {
            return Err(Failure::usage(
                "a face needs at least 2 curves of 8 samples (and at most a million samples)",
            ));
        }
        Ok(FaceInputs {
            inputs: self.scans.clone(),
            prepared: self.prepared.clone(),
            template: template_source(&self.template),
            curves: self.curves,
            samples: self.samples,
            registration: self.registration,
            crop_radius: self.crop_radius,
            counting: self.counting.counting(),
            place: Place { asked: budget.loss().ok(), ..self.place.place(global)? },
        })
    }
}

/// Runs a study of faces with a progress bar, turning its errors into advice.
pub fn run_with_progress<T>(
    study: impl FnOnce(&(dyn Fn(FaceProgress) + Sync)) -> Result<T, StudyError>,
) -> Result<T, Failure> {
    let bar = Bar::new();
    let result = study(&|event| bar.show(&event));
    bar.finish();
    result.map_err(|error| match &error {
        StudyError::Job(job) => Failure::of_job(&error, Some(job)),
        StudyError::NoneProcessed(_)
        | StudyError::People(_)
        | StudyError::Groups(_)
        | StudyError::Covariates(_) => {
            Failure::failed(&error).with_hint("nothing was charged and nothing released")
        }
        _ => Failure::failed(&error),
    })
}

/// Says how many scans could not be processed: to the data holder only.
pub fn note_failures(failed: usize, scans: usize, internal: &Path) {
    if failed == 0 {
        return;
    }
    eprintln!(
        "note (do not publish): {failed} of {scans} scans could not be processed and count as the template (reasons: {})",
        internal.join(SCAN_TABLE).display()
    );
    if 2 * failed > scans {
        eprintln!(
            "      that is most of them: what was released is mostly of the template, not of these people; repair the scans, or give meshes in \
             place of bare points, before you spend more"
        );
    }
}
