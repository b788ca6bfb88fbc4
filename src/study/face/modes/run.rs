//! A study of modes, start to finish.

use super::super::accuracy::Accuracy;
use super::super::error::StudyError;
use super::super::gather::{FaceProgress, FaceStudy};
use super::super::settings::FaceInputs;
use super::found::FoundModes;
use super::publication::ModesPublication;
use super::{MODES, WORTHWHILE, check_asked, mechanism};
use crate::estimate::Modes;
use crate::function::FaceCurves;
use crate::mechanism::Mechanism;
use crate::privacy::{Certificate, Mu};
use crate::study::job::{self, Job};
use crate::study::{Place, StudyFolder};
use std::path::PathBuf;

/// Everything a study of modes needs to know: all of it public.
#[derive(Debug, Clone)]
pub struct FaceModesSettings {
    /// The people and their scans.
    pub records: FaceInputs,
    /// The budget of mean and second moment together.
    pub budget: Mu,
    /// At most so many modes are released.
    pub most: usize,
}

impl FaceModesSettings {
    /// The default study of these scans in this place.
    pub fn new(inputs: impl Into<Vec<PathBuf>>, place: Place, budget: Mu) -> Self {
        Self { records: FaceInputs::new(inputs, place), budget, most: MODES }
    }

    fn public(&self) -> impl std::fmt::Debug {
        ("modes", self.budget, self.most)
    }
}

/// How a study of modes ended.
#[derive(Debug, Clone)]
pub struct FaceModesOutcome {
    /// The study's folder.
    pub folder: StudyFolder,
    /// Number of scans.
    pub scans: usize,
    /// Number of people n.
    pub people: usize,
    /// How many could not be processed and counted as the template; for the data holder only.
    pub failed: usize,
    /// What was released.
    pub released: ReleasedModes,
}

/// Released modes.
#[derive(Debug, Clone)]
pub struct ReleasedModes {
    /// The private mean curves.
    pub curves: FaceCurves,
    /// The modes.
    pub modes: Modes,
    /// How good the mean is, from the release alone.
    pub accuracy: Accuracy,
    /// What it guarantees.
    pub certificate: Certificate,
}

/// Runs a study of modes.
///
/// # Errors
/// [`StudyError`], as for the mean ([`super::super::run`]).
pub fn run(
    settings: &FaceModesSettings,
    progress: &(dyn Fn(FaceProgress) + Sync),
) -> Result<FaceModesOutcome, StudyError> {
    check_asked(settings.most)?;
    let study = FaceStudy::open(&settings.records)?;
    if (study.n() as f64) * settings.budget.get() < WORTHWHILE {
        progress(FaceProgress::HardlyWorth { from: WORTHWHILE });
    }
    let publication = ModesPublication {
        template: study.loaded.clone(),
        own: study.own.clone(),
        mechanism: mechanism(&study.own, study.n(), settings.budget)?,
        registration: study.settings.registration,
        counting: study.settings.counting.clone(),
        most: settings.most,
    };
    job::run(&settings.records.place, |job| run_job(settings, &study, job, publication, progress))
}

fn run_job(
    settings: &FaceModesSettings,
    study: &FaceStudy<'_>,
    job: &mut Job<'_>,
    publication: ModesPublication,
    progress: &(dyn Fn(FaceProgress) + Sync),
) -> Result<FaceModesOutcome, StudyError> {
    let maker = study.maker()?;
    let price = publication.mechanism.price().clone();
    let priced = job.price(&price, publication)?;
    let gathered = study.gather(job, &maker, progress)?;
    let publication = priced.publication();
    let (published, certificate) = study.release(
        job,
        &priced,
        &publication.mechanism,
        &gathered.faces,
        &gathered,
        &settings.public(),
    )?;
    let FoundModes { curves, modes, accuracy, .. } = publication.found(&published)?;
    study.write_internal(job, &maker, &gathered, Some(&curves), certificate.clip_radius)?;
    job.finish()?;
    Ok(FaceModesOutcome {
        folder: job.folder().clone(),
        scans: gathered.scans,
        people: study.people.count(),
        failed: gathered.failed,
        released: ReleasedModes { curves, modes, accuracy, certificate },
    })
}
