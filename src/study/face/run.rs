//! The whole job, start to finish.

use super::cache::RecordCache;
use super::mean::{self, ClipChoice, FaceMechanism, MeanError, ReleasedMean};
use super::output::{self, OutputError, Results};
use super::record::{Record, RecordSettings, ScanRow, landmark_file, process_scan};
use super::scan_table;
use super::settings::FaceStudySettings;
use super::template::{LoadedTemplate, TemplateLoadError, load_template};
use crate::function::FaceCurves;
use crate::io::{ReadError, WriteError, list_scans, write_bytes};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{BudgetError, Ledger, LedgerError};
use crate::study::{FolderError, StudyFolder};
use rayon::prelude::*;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What is going on, for a progress bar on the data holder's screen.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Progress {
    /// So many scans were found.
    Found {
        /// Number of scans.
        scans: usize,
    },
    /// One more scan is done.
    Scan {
        /// How many are done.
        done: usize,
        /// Whether this one gave curves.
        ok: bool,
        /// Whether its record was reused from an interrupted run.
        reused: bool,
    },
    /// All scans are done; the mean is being released.
    Releasing,
}

/// How a study ended.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The study's folder.
    pub folder: StudyFolder,
    /// Number of scans n.
    pub scans: usize,
    /// How many could not be processed and counted as the template; for the data holder only.
    pub failed: usize,
    /// The released curves and their price; `None` for [`FaceMechanism::None`].
    pub released: Option<ReleasedMean>,
    /// Mean square distance per point between the released and the non-private mean; for the data holder only.
    pub mean_square_error: Option<f64>,
    /// Total seconds by stage over all scans.
    pub stage_seconds: [f64; 7],
}

/// Why a study stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StudyError {
    /// The study's folder.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The scans.
    #[error(transparent)]
    Scans(#[from] ReadError),
    /// The template.
    #[error(transparent)]
    Template(#[from] TemplateLoadError),
    /// No scan could be processed.
    #[error("none of the {0} scans could be processed; the reasons are in internal/scans.csv")]
    NoneProcessed(usize),
    /// The mechanism, ledger or noise.
    #[error(transparent)]
    Mean(#[from] MeanError),
    /// The ledger.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A budget.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// Too few curves or samples.
    #[error("{0}")]
    Shape(&'static str),
    /// A record could not be kept.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The results could not be written.
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// Runs a face study.
///
/// # Errors
/// [`StudyError`]. One bad scan never stops it; errors after the ledger was charged leave the charge standing.
pub fn run(
    settings: &FaceStudySettings,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Outcome, StudyError> {
    if settings.curves < 2 || settings.samples < 8 {
        return Err(StudyError::Shape("a face needs at least 2 curves of 8 samples"));
    }
    if settings.mechanism != FaceMechanism::None && settings.budget.is_none() {
        return Err(BudgetError::NoBudget.into());
    }
    let scans = list_scans(&settings.inputs)?;
    let loaded = load_template(&settings.template)?;
    let folder = StudyFolder::prepare(&settings.out, settings.replace)?;
    // Opened (and locked) before hours of work, not after.
    let mut ledger = settings.ledger.open::<StudyError>(&folder)?;
    progress(Progress::Found { scans: scans.len() });
    let record_settings = RecordSettings {
        registration: settings.registration,
        crop_radius: settings.crop_radius.unwrap_or(1.05 * loaded.template.reach()),
        curves: settings.curves,
        samples: settings.samples,
    };
    let records = process_all(&scans, &loaded, &record_settings, settings.resume, &folder, progress)?;
    let failed = records.iter().filter(|r| r.curves.is_none()).count();
    let (rows, curves): (Vec<_>, Vec<_>) = records.into_iter().map(|r| (r.row, r.curves)).unzip();
    write_bytes(&folder.internal().join("scans.csv"), scan_table::csv(&rows).as_bytes())?;
    if failed == rows.len() {
        return Err(StudyError::NoneProcessed(failed));
    }
    progress(Progress::Releasing);
    let own =
        loaded.template.own_curves(settings.curves, settings.samples).map_err(TemplateLoadError::from)?;
    let nonprivate = mean::nonprivate_mean(&own, &curves).map_err(MeanError::from)?;
    let released = release_mean(settings, &own, &curves, &mut ledger)?;
    let mean_square_error = released.as_ref().map(|r| r.curves.mean_square_distance(&nonprivate));
    output::write_results(&Results {
        folder: &folder,
        settings,
        loaded: &loaded,
        own: &own,
        scans: &scans,
        record_settings: &record_settings,
        rows: &rows,
        nonprivate: &nonprivate,
        released: released.as_ref(),
        spent: ledger.spent(),
    })?;
    let stage_seconds = total_seconds(&rows);
    Ok(Outcome { folder, scans: rows.len(), failed, released, mean_square_error, stage_seconds })
}

fn total_seconds(rows: &[ScanRow]) -> [f64; 7] {
    let mut total = [0.0; 7];
    for row in rows {
        total.iter_mut().zip(row.seconds).for_each(|(a, b)| *a += b);
    }
    total
}

fn release_mean(
    settings: &FaceStudySettings,
    own: &FaceCurves,
    records: &[Option<FaceCurves>],
    ledger: &mut Ledger,
) -> Result<Option<ReleasedMean>, StudyError> {
    let Some(mu) = settings.budget.filter(|_| settings.mechanism != FaceMechanism::None) else {
        return Ok(None);
    };
    let mut noise = match settings.seed {
        Some(seed) => NoiseSource::seeded(seed),
        None => NoiseSource::from_os().map_err(MeanError::from)?,
    };
    let radius = match settings.clip_radius {
        ClipChoice::Default => None,
        ClipChoice::Public(radius) => Some(radius),
        ClipChoice::Private => {
            let kind = settings.mechanism;
            return Ok(Some(mean::release_with_private_radius(kind, own, records, mu, ledger, &mut noise)?));
        }
    };
    match mean::mechanism(settings.mechanism, own, records, radius, mu)? {
        Some(mechanism) => Ok(Some(mean::release(mechanism.as_ref(), own, records, ledger, &mut noise)?)),
        None => Ok(None),
    }
}

/// All scans, in parallel, each kept as soon as it is done.
fn process_all(
    scans: &[PathBuf],
    loaded: &LoadedTemplate,
    settings: &RecordSettings,
    resume: bool,
    folder: &StudyFolder,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Vec<Record>, StudyError> {
    let template = &loaded.template;
    let fingerprint = format!("{} {} {settings:?}", env!("CARGO_PKG_VERSION"), loaded.input.sha256);
    let cache = RecordCache::new(folder.records(), &fingerprint);
    let own = template.own_curves(settings.curves, settings.samples).map_err(TemplateLoadError::from)?;
    let done = AtomicUsize::new(0);
    let write_failure: Mutex<Option<WriteError>> = Mutex::new(None);
    let records = scans
        .par_iter()
        .map(|scan| {
            let landmarks = landmark_file(scan);
            let key = cache.key(scan, landmarks.as_deref()).ok();
            let kept = key.as_ref().filter(|_| resume).and_then(|key| cache.load(key));
            let reused = kept.is_some();
            let record = kept.unwrap_or_else(|| {
                let mut record = process_scan(scan, landmarks.as_deref(), template, settings);
                if let Some(curves) = &record.curves {
                    record.row.deviation = Some(curves.mean_square_distance(&own).sqrt());
                }
                record
            });
            if let (Some(key), false) = (&key, reused)
                && let Err(error) = cache.store(key, &record)
                && let Ok(mut slot) = write_failure.lock()
            {
                slot.get_or_insert(error);
            }
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            progress(Progress::Scan { done, ok: record.curves.is_some(), reused });
            record
        })
        .collect();
    match write_failure.into_inner() {
        Ok(Some(error)) => Err(error.into()),
        _ => Ok(records),
    }
}
