//! The whole job, start to finish.

use super::accuracy::Accuracy;
use super::error::StudyError;
use super::internal::Internal;
use super::internal_report::write_internal;
use super::mean::{FaceMechanism, mean_of, mechanism, nonprivate_mean, two_rounds};
use super::prepared::PreparedFile;
use super::publication::FacePublication;
use super::record::cache::{RecordCache, RecordKey};
use super::record::{
    Record, RecordMaker, RecordSettings, ScanRow, ScanStage, default_crop_radius, landmark_file, table,
};
use super::settings::FaceStudySettings;
use super::template::{LoadedTemplate, TemplateLoadError, load_template};
use crate::function::FaceCurves;
use crate::io::{Content, WriteError, list_scans, open_as, write_bytes};
use crate::mechanism::functional::{Aim, NoisedFunction};
use crate::privacy::{BudgetError, Certificate, Mechanism};
use crate::study::job::{self, Digest, Job, Priced, Published};
use crate::study::layout::SCAN_TABLE;
use crate::study::people::sum_of;
use crate::study::{Identical, People, PeopleError, StudyFolder};
use rayon::prelude::*;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// What is going on, for a progress bar on the data holder's screen.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum FaceProgress {
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
pub struct FaceOutcome {
    /// The study's folder.
    pub folder: StudyFolder,
    /// Number of scans.
    pub scans: usize,
    /// Number of people n, who may have several scans each.
    pub people: usize,
    /// How many could not be processed and counted as the template; for the data holder only.
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
    if settings.curves < 2 || settings.samples < 8 {
        return Err(StudyError::Shape("a face needs at least 2 curves of 8 samples"));
    }
    if settings.mechanism != FaceMechanism::None && settings.budget.is_none() {
        return Err(BudgetError::NoBudget.into());
    }
    let prepared = match &settings.prepared {
        Some(file) => Some(PreparedFile::open(file, settings.curves, settings.samples)?),
        None => None,
    };
    let scans = if prepared.is_some() { Vec::new() } else { list_scans(&settings.inputs)? };
    let loaded = Arc::new(load_template(&settings.template)?);
    let own =
        loaded.template.own_curves(settings.curves, settings.samples).map_err(TemplateLoadError::from)?;
    let people = match &prepared {
        Some(file) => settings.counting.people(file.count(), |i| vec![i.to_string()])?,
        None => settings.counting.people(scans.len(), |i| names(&scans[i]))?,
    };
    let study = FaceStudy { settings, scans, prepared, people, loaded, own };
    let publication = study.publication()?;
    // A template that does not suit the registration is refused before anything is made.
    let maker = RecordMaker::new(&study.loaded.template, study.record_settings())?;
    job::run(&settings.place, |job| study.run(job, publication, &maker, progress))
}

/// A study whose public inputs have been read.
struct FaceStudy<'a> {
    settings: &'a FaceStudySettings,
    scans: Vec<PathBuf>,
    prepared: Option<PreparedFile>,
    people: People,
    loaded: Arc<LoadedTemplate>,
    own: FaceCurves,
}

/// All scans, processed.
struct Processed {
    rows: Vec<ScanRow>,
    curves: Vec<Option<FaceCurves>>,
    keys: Vec<Option<RecordKey>>,
}

impl FaceStudy<'_> {
    /// What will be published: nothing of it depends on a scan.
    fn publication(&self) -> Result<Option<FacePublication>, StudyError> {
        let settings = self.settings;
        let Some(mu) = settings.budget.filter(|_| settings.mechanism != FaceMechanism::None) else {
            return Ok(None);
        };
        let n = self.people.count() as u64;
        let mechanism = match (settings.band, settings.mechanism) {
            (true, FaceMechanism::Joint) => {
                Some(two_rounds(Aim::Band, &self.own, n, settings.clip_radius, mu)?)
            }
            (true, _) => return Err(StudyError::Shape("a band comes with the joint mechanism only")),
            (false, kind) => mechanism(kind, &self.own, n, settings.clip_radius, mu)?,
        };
        Ok(mechanism.map(|mechanism| FacePublication {
            template: self.loaded.clone(),
            own: self.own.clone(),
            mechanism,
            registration: settings.registration,
            counting: settings.counting.clone(),
        }))
    }

    fn run(
        &self,
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
        let folder = job.folder().clone();
        let mut processed = match &self.prepared {
            Some(file) => {
                let curves = file.records(&self.own)?;
                self.refuse_identical(
                    &curves.iter().map(|c| c.as_ref().map(|c| sum_of(c.data()))).collect::<Vec<_>>(),
                )?;
                Processed { rows: Vec::new(), curves, keys: Vec::new() }
            }
            None => {
                progress(FaceProgress::Found { scans: self.scans.len() });
                let sum = |scan: &PathBuf| Some(open_as(scan, Content::Scan).ok()?.sha256());
                self.refuse_identical(&self.scans.par_iter().map(sum).collect::<Vec<_>>())?;
                let processed = self.process_all(maker, job, progress)?;
                let table = table::csv(&processed.rows);
                write_bytes(&folder.internal().join(SCAN_TABLE), table.as_bytes())?;
                processed
            }
        };
        let scans = processed.curves.len();
        let failed = processed.curves.iter().filter(|curves| curves.is_none()).count();
        if failed == scans {
            return Err(StudyError::NoneProcessed(failed));
        }
        progress(FaceProgress::Releasing);
        let faces =
            self.people.one_each(std::mem::take(&mut processed.curves), |_, own| mean_of(&own).map(Some))?;
        let nonprivate = nonprivate_mean(&self.own, &faces)?;
        let released = match &priced {
            Some(priced) => Some(self.release(job, priced, &processed, &faces)?),
            None => None,
        };
        let internal = Internal {
            folder: &folder,
            loaded: &self.loaded,
            own: &self.own,
            scans: &self.scans,
            maker,
            rows: &processed.rows,
            nonprivate: &nonprivate,
            released: released.as_ref().map(|released| &released.curves),
            clip: released.as_ref().and_then(|released| released.certificate.clip_radius),
        };
        write_internal(&internal)?;
        job.finish()?;
        Ok(FaceOutcome {
            folder,
            scans,
            people: self.people.count(),
            failed,
            mean_square_error: released.as_ref().map(|r| r.curves.mean_square_distance(&nonprivate)),
            released,
            stage_seconds: total_seconds(&processed.rows),
        })
    }

    fn release(
        &self,
        job: &mut Job<'_>,
        priced: &Priced<FacePublication>,
        processed: &Processed,
        faces: &Vec<Option<FaceCurves>>,
    ) -> Result<ReleasedFace, StudyError> {
        let mechanism = &priced.publication().mechanism;
        let prepared = mechanism.prepare(faces)?;
        let mut noise = job.noise(0)?;
        let settings = format!("{:?} {:?}", self.settings.public(), self.loaded.input.sha256);
        let mut records = match &self.prepared {
            Some(file) => vec![file.sha256().to_vec()],
            None => processed.fingerprints(&self.scans),
        };
        records.extend(self.people.table().map(Vec::from));
        let digest = Digest::of(&settings, mechanism.price(), records);
        let published: Published<NoisedFunction> =
            job.release::<_, _, StudyError>(priced, mechanism, &prepared, &digest, &mut noise)?;
        let certificate = job.publish(priced, &published)?;
        let publication = priced.publication();
        let (curves, accuracy) = (publication.curves(&published)?, publication.accuracy(&published));
        let band = certificate.details.get("band").and_then(|band| band.get("mean_half_width")?.as_f64());
        Ok(ReleasedFace { curves, certificate, accuracy, band })
    }

    /// Two people's scans that are the same file, byte for byte, are nearly always one person's. One that cannot be read is like no other.
    fn refuse_identical(&self, sums: &[Option<[u8; 32]>]) -> Result<(), PeopleError> {
        if self.settings.counting.identical == Identical::Allow {
            return Ok(());
        }
        match self.people.identical(sums.iter().copied()) {
            None => Ok(()),
            Some((first, second)) => {
                let name = |i: usize| {
                    self.scans.get(i).map_or_else(|| format!("record {i}"), |scan| scan.display().to_string())
                };
                Err(PeopleError::Identical { first: name(first), second: name(second) })
            }
        }
    }

    fn record_settings(&self) -> RecordSettings {
        let settings = self.settings;
        RecordSettings {
            registration: settings.registration,
            crop_radius: settings.crop_radius.unwrap_or_else(|| default_crop_radius(&self.loaded.template)),
            curves: settings.curves,
            samples: settings.samples,
        }
    }

    /// All scans, in parallel, each kept as soon as it is done.
    fn process_all(
        &self,
        maker: &RecordMaker<'_>,
        job: &Job<'_>,
        progress: &(dyn Fn(FaceProgress) + Sync),
    ) -> Result<Processed, StudyError> {
        let settings = maker.settings();
        let fingerprint = format!("{} {} {settings:?}", env!("CARGO_PKG_VERSION"), self.loaded.input.sha256);
        let cache = RecordCache::new(job.folder().records(), &fingerprint);
        let resume = job.place().resume;
        let done = AtomicUsize::new(0);
        let write_failure: Mutex<Option<WriteError>> = Mutex::new(None);
        let records: Vec<(Record, Option<RecordKey>)> = self
            .scans
            .par_iter()
            .map(|scan| {
                let landmarks = landmark_file(scan);
                let key = cache.key(scan, landmarks.as_deref()).ok();
                let kept = key.as_ref().filter(|_| resume).and_then(|key| cache.load(key));
                let reused = kept.is_some();
                let record = kept.unwrap_or_else(|| maker.record(scan, landmarks.as_deref()));
                if let (Some(key), false) = (&key, reused)
                    && let Err(error) = cache.store(key, &record)
                    && let Ok(mut slot) = write_failure.lock()
                {
                    slot.get_or_insert(error);
                }
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                progress(FaceProgress::Scan { done, ok: record.curves.is_some(), reused });
                (record, key)
            })
            .collect();
        if let Ok(Some(error)) = write_failure.into_inner() {
            return Err(error.into());
        }
        let mut processed = Processed { rows: Vec::new(), curves: Vec::new(), keys: Vec::new() };
        for (record, key) in records {
            processed.rows.push(record.row);
            processed.curves.push(record.curves);
            processed.keys.push(key);
        }
        Ok(processed)
    }
}

impl Processed {
    /// What the records are: a hash of each scan's bytes and settings, or the name of one that cannot be read.
    fn fingerprints(&self, scans: &[PathBuf]) -> Vec<Vec<u8>> {
        let of = |(key, scan): (&Option<RecordKey>, &PathBuf)| match key {
            Some(key) => key.as_str().as_bytes().to_vec(),
            None => scan.as_os_str().as_encoded_bytes().to_vec(),
        };
        self.keys.iter().zip(scans).map(of).collect()
    }
}

/// What a scan is called in tables about the records: its path as given, and the name of its file.
fn names(scan: &Path) -> Vec<String> {
    let path: PathBuf = scan.components().filter(|part| *part != Component::CurDir).collect();
    let name = scan.file_name().unwrap_or_default().to_string_lossy().into_owned();
    vec![scan.display().to_string(), path.display().to_string(), name]
}

fn total_seconds(rows: &[ScanRow]) -> [f64; ScanStage::COUNT] {
    let mut total = [0.0; ScanStage::COUNT];
    for row in rows {
        total.iter_mut().zip(row.seconds).for_each(|(a, b)| *a += b);
    }
    total
}
