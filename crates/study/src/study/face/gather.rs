//! The people of a study: scans found, registered and put together, one face a person. All statistics of faces begin here.

use super::average::{mean_of, number_of};
use super::error::StudyError;
use super::faces::{Faces, StoredFaces};
use super::internal::Internal;
use super::internal_report::write_internal;
use super::likeness::copies;
use super::record::cache::{RecordCache, RecordKey};
use super::record::{FILLED, Record, RecordMaker, ScanRow, ScanStage, UNUSED, landmark_file, table};
use super::settings::FaceInputs;
use super::source::{Source, below_common};
use super::template::{LoadedTemplate, TemplateLoadError, load_template};
use super::units::odd;
use crate::estimate::Design;
use crate::function::FaceCurves;
use crate::io::numbers_sha256;
use crate::io::{Content, WriteError, open_as, write_bytes};
use crate::job::covariates::Covariates;
use crate::job::layout::SCAN_TABLE;
use crate::job::{Digest, Job};
use crate::privacy::{ClipRadius, Price};
use crate::study::records::{RecordFolder, RecordsError, Status};
use crate::study::{Counting, Groups, JobError, People, PeopleError, Unusable};
use rayon::prelude::*;
use sha2::{Digest as _, Sha256};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use visard_base::parallel;

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
    /// What the data holder should know of the scans.
    Remark {
        /// A sentence.
        text: String,
    },
    /// n times μ is below what makes the release worth its budget: said before a scan is read or anything is charged.
    HardlyWorth {
        /// Where it begins to be worth it.
        from: f64,
    },
    /// All scans are done; the mean is being released.
    Releasing,
}

/// A study whose public inputs have been read.
pub struct FaceStudy<'a> {
    /// How it was set.
    pub settings: &'a FaceInputs,
    source: Source,
    /// Records that stage one made.
    stored: Option<Arc<RecordFolder>>,
    /// What counts as a person.
    pub counting: Counting,
    /// Who gave which records.
    pub people: People,
    /// The template.
    pub loaded: Arc<LoadedTemplate>,
    /// The template's own curves.
    pub own: FaceCurves,
}

/// All scans, processed: secret.
struct Processed {
    rows: Vec<ScanRow>,
    curves: Vec<Option<FaceCurves>>,
    /// What the records are, for the digest.
    fingerprints: Vec<Vec<u8>>,
}

/// The people's faces, and what became of the scans: secret.
pub struct Gathered {
    /// What became of each scan.
    pub rows: Vec<ScanRow>,
    /// One a person; `None` for a person without a usable scan.
    pub faces: Faces,
    /// The mean of those that can be used.
    pub nonprivate: FaceCurves,
    /// Number of scans.
    pub scans: usize,
    /// How many cannot be used.
    pub failed: usize,
    /// What the records are, for the digest of the run.
    fingerprints: Vec<Vec<u8>>,
}

impl<'a> FaceStudy<'a> {
    /// Reads what is public: which scans there are, who gave them, the template.
    pub fn open(settings: &'a FaceInputs) -> Result<Self, StudyError> {
        settings.check_form()?;
        let source = Source::open(settings)?;
        let loaded = Arc::new(load_template(&settings.template)?);
        let own =
            loaded.template.own_curves(settings.curves, settings.samples).map_err(TemplateLoadError::from)?;
        // A price can be asked for before stage one has begun.
        let stored = match settings.place.dry_run {
            true => None,
            false => source.stored(&settings.making(&loaded.template).making(&loaded.sum()))?,
        };
        let counting = source.counting(&settings.counting)?;
        let people = source.people(&counting)?;
        Ok(Self { settings, source, stored, counting, people, loaded, own })
    }

    /// Number of records: scans, or rows of the file of prepared ones.
    pub fn count(&self) -> usize {
        self.source.count()
    }

    /// All names that a record goes by in tables.
    pub fn names(&self, record: usize) -> Vec<String> {
        self.source.names(record)
    }

    /// Number of people.
    pub fn n(&self) -> u64 {
        self.people.count() as u64
    }

    /// Which person is in which group, by a table of records.
    pub fn groups(&self, table: &Path) -> Result<Groups, StudyError> {
        Ok(Groups::read(table, &self.people, self.count(), &|i| self.names(i))?)
    }

    /// The group of every person by its place among `planned`, by a table of records.
    pub fn planned_groups(&self, table: &Path, planned: &[String]) -> Result<Vec<usize>, StudyError> {
        Ok(Groups::read_part(table, &self.people, self.count(), &|i| self.names(i), planned)?)
    }

    /// A row of the design for every person, by a table of some of a study's records, with what the data holder should know of it.
    pub fn planned_covariates(
        &self,
        table: &Path,
        design: &Design,
    ) -> Result<(Vec<Vec<f64>>, Vec<String>), StudyError> {
        let covariates = Covariates::read_part(table, design, self.count(), &|i| self.names(i))?;
        let mut remarks = covariates.remarks(design);
        remarks.extend(covariates.outside_remark());
        Ok((covariates.rows(design, &self.people.members()), remarks))
    }

    /// How records are made; a template that does not suit the registration is refused.
    pub fn maker(&self) -> Result<RecordMaker<'_>, StudyError> {
        Ok(RecordMaker::new(&self.loaded.template, self.settings.making(&self.loaded.template))?)
    }

    /// Makes the records. Nothing may have been read of them before the job was given its price ([`Job::price`]).
    pub fn gather(
        &self,
        job: &Job<'_>,
        maker: &RecordMaker<'_>,
        progress: &(dyn Fn(FaceProgress) + Sync),
    ) -> Result<Gathered, StudyError> {
        if let Some(folder) = &self.stored {
            return self.gather_stored(job, folder, progress);
        }
        let Processed { rows, curves, mut fingerprints } = match &self.source {
            Source::Prepared(file) => {
                let (mut unusable, mut curves) = (Vec::new(), Vec::new());
                for (record, face) in file.records(&self.own)?.into_iter().enumerate() {
                    let row =
                        |problem| ScanRow { scan: self.source.shown(record), problem, ..ScanRow::default() };
                    curves.push(face.map_err(|problem| unusable.push(row(problem))).ok());
                }
                self.refuse_identical(
                    &curves.iter().map(|c| c.as_ref().map(|c| numbers_sha256(c.data()))).collect::<Vec<_>>(),
                )?;
                self.write_rows(job, &unusable)?;
                self.refuse_unusable(&unusable, curves.len())?;
                Processed { rows: Vec::new(), curves, fingerprints: vec![file.sha256().to_vec()] }
            }
            source => {
                let scans = source.scans();
                tell(job, progress, self.source.passed_over(&self.settings.inputs));
                progress(FaceProgress::Found { scans: scans.len() });
                let sum = |scan: &PathBuf| Some(open_as(scan, Content::Scan).ok()?.sha256());
                self.refuse_identical(&parallel::map_slice(scans, sum))?;
                let processed = self.process_all(scans, maker, job, progress)?;
                self.write_rows(job, &processed.rows)?;
                self.refuse_unusable(&processed.rows, scans.len())?;
                processed
            }
        };
        tell(job, progress, notes_on(&rows));
        self.refuse_copies(job, progress, |i| curves[i].as_ref().map(Cow::Borrowed))?;
        let scans = curves.len();
        let failed = curves.iter().filter(|curves| curves.is_none()).count();
        progress(FaceProgress::Releasing);
        let held = self.people.one_each(curves, |_, own| mean_of(&own).map(Some))?;
        let faces = Faces::held(held, self.filled(&rows)?);
        let nonprivate = faces.mean(&self.own)?;
        fingerprints.extend(self.people.table().map(Vec::from));
        Ok(Gathered { rows, faces, nonprivate, scans, failed, fingerprints })
    }

    /// Which share of each person's face was not seen: nothing where there are no scans.
    fn filled(&self, rows: &[ScanRow]) -> Result<Vec<Option<f64>>, StudyError> {
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        self.people.one_each(rows.iter().map(ScanRow::filled).collect(), number_of)
    }

    /// The first record that cannot be used stops the study, where that was asked for, or where none of the n can be. `rows`: those that
    /// cannot are among them.
    fn refuse_unusable(&self, rows: &[ScanRow], n: usize) -> Result<(), StudyError> {
        let mut unusable = rows.iter().filter(|row| !row.is_ok());
        let Some(ScanRow { scan, problem, .. }) = unusable.next() else { return Ok(()) };
        if self.settings.unusable == Unusable::Refuse {
            return Err(StudyError::Unusable { record: scan.clone(), problem: problem.clone() });
        }
        if unusable.count() + 1 == n {
            return Err(StudyError::NoneUsable { n, first: scan.clone(), problem: problem.clone() });
        }
        Ok(())
    }

    /// What became of the scans, for the data holder; of prepared records those that cannot be used.
    fn write_rows(&self, job: &Job<'_>, rows: &[ScanRow]) -> Result<(), StudyError> {
        Ok(write_bytes(&job.folder().internal().join(SCAN_TABLE), table::csv(rows).as_bytes())?)
    }

    /// Goes through the records that stage one made, once, and keeps none: what is damaged is found before anything is paid.
    fn gather_stored(
        &self,
        job: &Job<'_>,
        folder: &Arc<RecordFolder>,
        progress: &(dyn Fn(FaceProgress) + Sync),
    ) -> Result<Gathered, StudyError> {
        let n = folder.len();
        self.refuse_identical(&(0..n).map(|row| folder.scan_sum(row)).collect::<Vec<_>>())?;
        let stop = &job.place().stop;
        let looked = |row| if stop.asked() { Status::Lost } else { folder.record(row).status };
        let status: Vec<Status> = parallel::map(n, looked);
        if stop.asked() {
            return Err(JobError::Stopped.into());
        }
        let lost = |row: &usize| status[*row] == Status::Lost;
        if let Some(first) = (0..n).find(lost).filter(|_| self.settings.complete) {
            let (lost, first) = ((0..n).filter(lost).count(), folder.listed(first).to_owned());
            return Err(RecordsError::Incomplete { lost, n, first }.into());
        }
        let row = |row: usize| {
            let mut known = folder.scan_row(row);
            if lost(&row) && known.is_ok() {
                known.problem = "its record is gone or damaged: prepare its shard again".into();
            }
            known
        };
        let rows: Vec<ScanRow> = parallel::map(n, row);
        self.write_rows(job, &rows)?;
        self.refuse_unusable(&rows, n)?;
        let made = |row: usize| status[row] == Status::Made;
        let face = |row: usize| Some(row).filter(|row| made(*row)).and_then(|row| folder.face(row));
        self.refuse_copies(job, progress, |row| face(row).map(Cow::Owned))?;
        tell(job, progress, notes_on(&rows));
        let failed = (0..n).filter(|&row| !made(row)).count();
        progress(FaceProgress::Releasing);
        let whole = status.iter().map(|status| *status == Status::Made).collect();
        let stored = StoredFaces { whole, ..StoredFaces::of(folder.clone(), &self.people) };
        let faces = Faces::stored(stored, self.filled(&rows)?);
        let nonprivate = faces.mean(&self.own)?;
        let names = (0..n).map(|row| folder.name(row).into_bytes());
        let fingerprints = names.chain(self.people.table().map(Vec::from)).collect();
        Ok(Gathered { rows, faces, nonprivate, scans: n, failed, fingerprints })
    }

    /// What was read, and how records were made of it, as hashes.
    pub fn sums(&self, gathered: &Gathered) -> Vec<[u8; 32]> {
        let making = format!("{:?} {:?}", self.settings.public(), self.loaded.sum()).into_bytes();
        let all = std::iter::once(&making).chain(&gathered.fingerprints);
        all.map(|field| Sha256::digest(field).into()).collect()
    }

    /// What a run is about: settings and records, as a hash.
    pub fn digest(&self, settings: &impl std::fmt::Debug, price: &Price, gathered: &Gathered) -> Digest {
        let settings = format!("{:?} {:?}", (self.settings.public(), settings), self.loaded.sum());
        Digest::of(&settings, price, gathered.fingerprints.clone())
    }

    /// Writes what only the data holder may see: the mean without noise, and a page with the error of the `released` mean.
    pub fn write_internal(
        &self,
        job: &Job<'_>,
        maker: &RecordMaker<'_>,
        gathered: &Gathered,
        released: Option<&FaceCurves>,
        clip: Option<ClipRadius>,
    ) -> Result<(), StudyError> {
        write_internal(&Internal {
            job,
            loaded: &self.loaded,
            own: &self.own,
            scans: self.source.scans(),
            maker,
            rows: &gathered.rows,
            failed: gathered.failed,
            nonprivate: &gathered.nonprivate,
            released,
            clip,
        })
    }

    /// Two people's scans that are the same file, byte for byte, are nearly always one person's. One that cannot be read is like no other.
    fn refuse_identical(&self, sums: &[Option<[u8; 32]>]) -> Result<(), PeopleError> {
        self.counting.refuse_identical(&self.people, sums.iter().copied(), |i| self.source.shown(i))
    }

    /// So are two whose registered curves are nearer than any two people's.
    fn refuse_copies<'c>(
        &self,
        job: &Job<'_>,
        progress: &(dyn Fn(FaceProgress) + Sync),
        curves: impl Fn(usize) -> Option<Cow<'c, FaceCurves>> + Sync,
    ) -> Result<(), PeopleError> {
        let look =
            |apart: &(dyn Fn(usize, usize) -> bool + Sync)| copies(&self.own, self.count(), curves, apart);
        let told = self.counting.refuse_copies(&self.people, |i| self.source.shown(i), look)?;
        tell(job, progress, told);
        Ok(())
    }

    /// All scans, in parallel, each kept as soon as it is done.
    fn process_all(
        &self,
        scans: &[PathBuf],
        maker: &RecordMaker<'_>,
        job: &Job<'_>,
        progress: &(dyn Fn(FaceProgress) + Sync),
    ) -> Result<Processed, StudyError> {
        let fingerprint = maker.settings().fingerprint(&self.loaded.sum());
        let cache = RecordCache::new(job.folder().records(), &fingerprint);
        let resume = job.place().resume;
        let done = AtomicUsize::new(0);
        let write_failure: Mutex<Option<WriteError>> = Mutex::new(None);
        let records: Vec<(Record, Option<RecordKey>)> = scans
            .par_iter()
            .map(|scan| {
                if job.place().stop.asked() {
                    return (Record::unread(scan), None);
                }
                let landmarks = landmark_file(scan);
                let key = cache.key(scan, landmarks.as_deref()).ok();
                let kept = key.as_ref().filter(|_| resume).and_then(|key| cache.load(key));
                let reused = kept.is_some();
                // Kept by content: a scan of equal bytes, or the same by another name, may have been the one.
                let record = match kept {
                    Some(record) => record.of_scan(scan),
                    None => maker.record(scan, landmarks.as_deref()),
                };
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
        if job.place().stop.asked() {
            return Err(JobError::Stopped.into());
        }
        if let Ok(Some(error)) = write_failure.into_inner() {
            return Err(error.into());
        }
        let mut processed = Processed { rows: Vec::new(), curves: Vec::new(), fingerprints: Vec::new() };
        for (((record, key), scan), called) in records.into_iter().zip(scans).zip(below_common(scans)) {
            processed.rows.push(ScanRow { scan: called, ..record.row });
            processed.curves.push(record.curves);
            // A hash of the scan's bytes and settings, or the name of one that cannot be read.
            let name = || scan.as_os_str().as_encoded_bytes().to_vec();
            processed.fingerprints.push(key.map_or_else(name, |key| key.as_str().as_bytes().to_vec()));
        }
        Ok(processed)
    }
}

impl Gathered {
    /// Total seconds by stage over all scans.
    pub fn stage_seconds(&self) -> [f64; ScanStage::COUNT] {
        let mut total = [0.0; ScanStage::COUNT];
        for row in &self.rows {
            total.iter_mut().zip(row.seconds).for_each(|(a, b)| *a += b);
        }
        total
    }
}

/// Tells the data holder, on the screen and on the internal page.
pub(super) fn tell(
    job: &Job<'_>,
    progress: &(dyn Fn(FaceProgress) + Sync),
    notes: impl IntoIterator<Item = String>,
) {
    let notes: Vec<String> = notes.into_iter().collect();
    notes.iter().cloned().for_each(|text| progress(FaceProgress::Remark { text }));
    job.tell(notes);
}

/// What the data holder is told of all scans; what was done to each stands in their table.
fn notes_on(rows: &[ScanRow]) -> impl Iterator<Item = String> {
    let unused = rows.iter().filter(|row| row.repairs.contains(UNUSED)).count();
    let unused = (unused > 0).then(|| {
        format!("the landmark files of {unused} of {} scans name no nose tip, so they are not used ({SCAN_TABLE} names the scans)", rows.len())
    });
    let repaired = rows.iter().filter(|row| !row.repairs.is_empty()).count();
    let repaired = (repaired > 0).then(|| {
        format!("{repaired} of {} scans were cropped, repaired or partly left out ({SCAN_TABLE} has what was done)", rows.len())
    });
    let filled = rows.iter().filter(|row| row.repairs.contains(FILLED)).count();
    let filled = (filled > 0).then(|| {
        format!("{filled} of {} scans show little of the face; the rest was filled in, which stated errors count by a noised share, but for those of per-curve and pointwise ({SCAN_TABLE} names them)", rows.len())
    });
    other_units(rows).into_iter().chain(unused).chain(repaired).chain(filled)
}

/// Scans in other units than most.
fn other_units(rows: &[ScanRow]) -> Option<String> {
    let odd = odd(&rows.iter().map(|row| row.size).collect::<Vec<_>>()).0;
    odd.first().map(|&first| {
        format!(
            "{} of {} scans are at least five times larger or smaller than the middle one, the first of them {}: in other units? Shapes are not \
             affected; sizes would be",
            odd.len(),
            rows.len(),
            rows[first].scan
        )
    })
}
