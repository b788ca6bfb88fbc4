//! A mean face, start to finish.

use super::accuracy::Accuracy;
use super::error::StudyError;
use super::found::FoundFace;
use super::gather::{FaceProgress, FaceStudy, Gathered};
use super::kind::FaceRecords;
use super::mean::FaceMechanism;
use super::record::ScanStage;
use super::settings::FaceStudySettings;
use super::statistic::FaceMean;
use super::yardstick::Yardstick;
use crate::function::FaceCurves;
use crate::job;
use crate::privacy::{BudgetError, Certificate};
use crate::study::StudyFolder;
use crate::study::tangent::{self, TangentOutcome};

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

impl FaceOutcome {
    /// Of a release, beside the mean without noise.
    #[doc(hidden)]
    pub fn of(outcome: TangentOutcome<FoundFace>, nonprivate: &FaceCurves) -> Self {
        let TangentOutcome { found, certificate, .. } = outcome;
        let band = found.band_half_width();
        let FoundFace { curves, accuracy, yardstick, .. } = found;
        Self {
            folder: outcome.folder,
            scans: outcome.records_read,
            people: outcome.people,
            failed: outcome.failed,
            mean_square_error: Some(curves.mean_square_distance(nonprivate)),
            released: Some(ReleasedFace { curves, certificate, accuracy, band, yardstick }),
            stage_seconds: Default::default(),
        }
    }
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
    let Some(mean) = FaceMean::of(settings, &study)? else { return without_release(&study, progress) };
    let (size, prior) = (mean.size, mean.prior.clone());
    let faces = FaceRecords { study: &study, maker: study.maker()?, progress, size, prior };
    let (outcome, (scans, _)) = tangent::run(&faces, mean, &settings.records.place)?;
    let stage_seconds = scans.stage_seconds();
    Ok(FaceOutcome { stage_seconds, ..FaceOutcome::of(outcome, &scans.nonprivate) })
}

/// The mean without noise, for the data holder only.
fn without_release(
    study: &FaceStudy<'_>,
    progress: &(dyn Fn(FaceProgress) + Sync),
) -> Result<FaceOutcome, StudyError> {
    let maker = study.maker()?;
    job::run(&study.settings.place, |job| {
        // Before hours of work, not after.
        job.without_release()?;
        let gathered: Gathered = study.gather(job, &maker, progress)?;
        study.write_internal(job, &maker, &gathered, None, None)?;
        job.finish()?;
        Ok(FaceOutcome {
            folder: job.folder().clone(),
            scans: gathered.scans,
            people: study.people.count(),
            failed: gathered.failed,
            released: None,
            mean_square_error: None,
            stage_seconds: gathered.stage_seconds(),
        })
    })
}
