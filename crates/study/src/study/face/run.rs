//! A mean face, start to finish.

use super::accuracy::Accuracy;
use super::error::StudyError;
use super::gather::{FaceProgress, FaceStudy, Gathered};
use super::mean::{FaceMechanism, mechanism, two_rounds};
use super::prior::FacePrior;
use super::publication::FacePublication;
use super::record::{RecordMaker, ScanStage};
use super::settings::FaceStudySettings;
use super::size::{MeasuredFaces, SizeScale};
use super::template::TemplateSource;
use super::yardstick::Yardstick;
use crate::function::FaceCurves;
use crate::job::{self, Job};
use crate::mechanism::functional::{Aim, CurveMean, NoisedFunction};
use crate::privacy::{BudgetError, Certificate, Mechanism, Released};
use crate::study::StudyFolder;

/// How a study ended.
#[derive(Debug, Clone)]
pub struct FaceOutcome {
    /// The study's folder.
    pub folder: StudyFolder,
    /// Number of scans.
    pub scans: usize,
    /// Number of people n, who may have several scans each.
    pub people: usize,
    /// How many records could not be used; for the data holder only.
    pub failed: usize,
    /// What was released; `None` for [`FaceMechanism::None`].
    pub released: Option<ReleasedFace>,
    /// Mean square distance per point between the released and the non-private mean; for the data holder only.
    pub mean_square_error: Option<f64>,
    /// Total seconds by stage over all scans.
    pub stage_seconds: [f64; ScanStage::COUNT],
}

/// A released face.
#[derive(Debug, Clone)]
pub struct ReleasedFace {
    /// The private mean curves.
    pub curves: FaceCurves,
    /// What it guarantees.
    pub certificate: Certificate,
    /// How good it is, from the release alone.
    pub accuracy: Accuracy,
    /// Half the width of the band for the population's mean, averaged over points and coordinates, where there is one.
    pub band: Option<f64>,
    /// What one unit of the curves is in millimetres.
    pub yardstick: Yardstick,
}

/// Runs a face study.
///
/// # Errors
/// [`StudyError`]. One bad scan never stops it; errors after the ledger was charged leave the charge standing, and the study to be
/// resumed.
pub fn run(
    settings: &FaceStudySettings,
    progress: &(dyn Fn(FaceProgress) + Sync),
) -> Result<FaceOutcome, StudyError> {
    if settings.mechanism != FaceMechanism::None && settings.budget.is_none() {
        return Err(BudgetError::NoBudget.into());
    }
    let study = FaceStudy::open(&settings.records)?;
    let publication = publication(settings, &study)?;
    let maker = study.maker()?;
    job::run(&settings.records.place, |job| run_job(settings, &study, job, publication, &maker, progress))
}

/// What will be published: nothing of it depends on a scan.
fn publication(
    settings: &FaceStudySettings,
    study: &FaceStudy<'_>,
) -> Result<Option<FacePublication>, StudyError> {
    let Some(mu) = settings.budget.filter(|_| settings.mechanism != FaceMechanism::None) else {
        return Ok(None);
    };
    let (n, clip) = (study.n(), settings.clip_radius);
    let size = match settings.size {
        Some(_) if settings.records.prepared.is_some() => {
            return Err(StudyError::Shape("prepared records have unit area: a mean size needs scans"));
        }
        Some(units) => {
            let builtin = study.settings.template == TemplateSource::Builtin;
            Some(SizeScale::new(units, &study.loaded, builtin))
        }
        None => None,
    };
    let prior = match &settings.prior {
        Some(path) => Some(FacePrior::load(path, &study.own)?),
        None => None,
    };
    let mechanism = match settings.mechanism {
        FaceMechanism::Joint => {
            let aim = if settings.band { Aim::Band } else { Aim::Mean };
            let mean = two_rounds(aim, &study.own, n, clip, mu, prior.as_ref())?;
            let mean = if size.is_some() { mean.with_size(SizeScale::bound())? } else { mean };
            Some(CurveMean::TwoRounds(Box::new(mean)))
        }
        _ if settings.band || size.is_some() || prior.is_some() => {
            return Err(StudyError::Shape("a band, a size and a prior go with the joint mechanism only"));
        }
        kind => mechanism(kind, &study.own, n, clip, mu)?,
    };
    Ok(mechanism.map(|mechanism| FacePublication {
        size,
        prior,
        stream: None,
        template: study.loaded.clone(),
        own: study.own.clone(),
        mechanism,
        registration: study.settings.registration,
        counting: study.counting.clone(),
        unusable: study.settings.unusable,
    }))
}

fn run_job(
    settings: &FaceStudySettings,
    study: &FaceStudy<'_>,
    job: &mut Job<'_>,
    publication: Option<FacePublication>,
    maker: &RecordMaker<'_>,
    progress: &(dyn Fn(FaceProgress) + Sync),
) -> Result<FaceOutcome, StudyError> {
    // Before hours of work, not after.
    let priced = match publication {
        Some(publication) => {
            let price = publication.mechanism.price().clone();
            Some(job.price(&price, publication)?)
        }
        None => {
            job.without_release()?;
            None
        }
    };
    let mut gathered = study.gather(job, maker, progress)?;
    let released = match &priced {
        Some(priced) => {
            let publication = priced.publication();
            if let Some(prior) = &publication.prior {
                prior.refuse_own_records(&gathered.faces)?;
            }
            let records = MeasuredFaces::new(study, &mut gathered, publication.size.as_ref())?;
            let (published, certificate) = study.release(
                job,
                priced,
                &publication.mechanism,
                &records,
                &gathered,
                &(settings.public(), publication.prior.as_ref().map(|prior| &prior.people.inputs)),
            )?;
            Some(shown(publication, &published, certificate)?)
        }
        None => None,
    };
    ended(study, job, maker, &gathered, released)
}

/// A release as its outcome has it.
///
/// # Errors
/// [`StudyError`]: a draw of another shape.
pub fn shown(
    publication: &FacePublication,
    published: &Released<NoisedFunction>,
    certificate: Certificate,
) -> Result<ReleasedFace, StudyError> {
    let (curves, accuracy) = (publication.curves(published)?, publication.accuracy(published));
    let band = certificate.details.get("band").and_then(|band| band.get("mean_half_width")?.as_f64());
    let yardstick = publication.yardstick(&published.value);
    Ok(ReleasedFace { curves, certificate, accuracy, band, yardstick })
}

/// Writes what only the data holder may see, and finishes the job.
pub(super) fn ended(
    study: &FaceStudy<'_>,
    job: &mut Job<'_>,
    maker: &RecordMaker<'_>,
    gathered: &Gathered,
    released: Option<ReleasedFace>,
) -> Result<FaceOutcome, StudyError> {
    let clip = released.as_ref().and_then(|released| released.certificate.clip_radius);
    study.write_internal(job, maker, gathered, released.as_ref().map(|r| &r.curves), clip)?;
    job.finish()?;
    Ok(FaceOutcome {
        folder: job.folder().clone(),
        scans: gathered.scans,
        people: study.people.count(),
        failed: gathered.failed,
        mean_square_error: released.as_ref().map(|r| r.curves.mean_square_distance(&gathered.nonprivate)),
        released,
        stage_seconds: gathered.stage_seconds(),
    })
}
