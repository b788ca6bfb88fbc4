//! A study of modes, start to finish.

use super::super::accuracy::Accuracy;
use super::super::error::StudyError;
use super::super::gather::{FaceProgress, FaceStudy};
use super::super::settings::FaceInputs;
use super::found::FoundModes;
use super::publication::ModesPublication;
use super::with_mean::{BothPublication, both};
use super::{MODES, WORTHWHILE, check_asked, mechanism};
use crate::estimate::Modes;
use crate::function::FaceCurves;
use crate::job::{self, Job, Publication};
use crate::mechanism::functional::{FunctionRecords, FunctionalModes};
use crate::mechanism::{Mechanism, MechanismError};
use crate::privacy::{Certificate, Mu};
use crate::study::{Place, StudyFolder};
use serde::Serialize;
use serde::de::DeserializeOwned;
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
    /// Whether the mean has a mechanism, and half of the squared budget, of its own: less error than the mean that comes with the modes, which
    /// then have half the squared budget too.
    pub with_mean: bool,
}

impl FaceModesSettings {
    /// The default study of these scans in this place.
    pub fn new(inputs: impl Into<Vec<PathBuf>>, place: Place, budget: Mu) -> Self {
        Self { records: FaceInputs::new(inputs, place), budget, most: MODES, with_mean: false }
    }

    fn public(&self) -> impl std::fmt::Debug {
        ("modes", self.budget, self.most, self.with_mean)
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
    /// How many records could not be used; for the data holder only.
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
    let publication = |mechanism: FunctionalModes| ModesPublication {
        template: study.loaded.clone(),
        own: study.own.clone(),
        mechanism,
        registration: study.settings.registration,
        counting: study.counting.clone(),
        unusable: study.settings.unusable,
        most: settings.most,
    };
    let (own, n, mu) = (&study.own, study.n(), settings.budget);
    if settings.with_mean {
        let mechanism = both(own, n, mu)?;
        let publication = BothPublication { modes: publication(mechanism.second().clone()), mechanism };
        let found = BothPublication::found;
        let course = Course { settings, study: &study, progress, found: &found };
        return job::run(&settings.records.place, |job| {
            course.run(job, publication.mechanism.clone(), publication)
        });
    }
    let publication = publication(mechanism(own, n, mu)?);
    let course = Course { settings, study: &study, progress, found: &ModesPublication::found };
    job::run(&settings.records.place, |job| course.run(job, publication.mechanism.clone(), publication))
}

/// A study that has been opened.
struct Course<'a, P, V> {
    settings: &'a FaceModesSettings,
    study: &'a FaceStudy<'a>,
    progress: &'a (dyn Fn(FaceProgress) + Sync),
    /// What a draw tells.
    found: &'a dyn Fn(&P, &V, u64) -> Result<FoundModes, StudyError>,
}

impl<P, V> Course<'_, P, V>
where
    P: Publication<Value = V, Error = StudyError>,
    V: Serialize + DeserializeOwned,
{
    /// Price, scans, release, pages, in this order.
    fn run<M>(&self, job: &mut Job<'_>, mechanism: M, publication: P) -> Result<FaceModesOutcome, StudyError>
    where
        M: Mechanism<Records = dyn FunctionRecords, Value = V, Error = MechanismError>,
    {
        let Self { settings, study, progress, found } = self;
        let maker = study.maker()?;
        let priced = job.price(mechanism.price(), publication)?;
        let gathered = study.gather(job, &maker, *progress)?;
        let (published, certificate) =
            study.release(job, &priced, &mechanism, &gathered.faces, &gathered, &settings.public())?;
        let n = study.people.count();
        let FoundModes { curves, modes, accuracy, .. } =
            found(priced.publication(), &published.value, n as u64)?;
        study.write_internal(job, &maker, &gathered, Some(&curves), certificate.clip_radius)?;
        job.finish()?;
        Ok(FaceModesOutcome {
            folder: job.folder().clone(),
            scans: gathered.scans,
            people: n,
            failed: gathered.failed,
            released: ReleasedModes { curves, modes, accuracy, certificate },
        })
    }
}
