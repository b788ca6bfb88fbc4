//! Stage one: a shard of a manifest's scans made into records, and nothing else. No ledger, no report; to be killed and begun again at will,
//! by many processes in one folder.

use super::error::StudyError;
use super::gather::FaceProgress;
use super::record::cache::RecordCache;
use super::record::{Record, RecordMaker, landmark_file};
use super::settings::FaceInputs;
use super::template::load_template;
use crate::io::numbers_sha256;
use crate::io::{Content, Manifest, WriteError, open_as};
use crate::study::JobError;
use crate::study::records::{Line, LineStatus, Making, RecordsError, Shard, write_index};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// What is to be prepared: all of it public.
#[derive(Debug, Clone)]
pub struct PrepareSettings {
    /// The manifest and how records are made. Counting and place are not looked at, but for whether to stop.
    pub records: FaceInputs,
    /// Which rows of the manifest.
    pub shard: Shard,
    /// Where the records go.
    pub out: PathBuf,
}

/// What became of a shard: for the data holder only.
#[derive(Debug, Clone, PartialEq)]
pub struct PreparedShard {
    /// The index that was written.
    pub index: PathBuf,
    /// How many scans the manifest lists.
    pub n: usize,
    /// How many are the shard's.
    pub rows: usize,
    /// How many of these have a record of a face.
    pub made: usize,
    /// How many could not be processed.
    pub failed: usize,
    /// How many records were there before.
    pub reused: usize,
    /// Wall time.
    pub seconds: f64,
}

/// Makes the records of a shard and writes its index. Records that are there are kept; each is written whole or not at all.
///
/// # Errors
/// [`StudyError`]: no manifest, files of the shard that are not there (before any work), a folder that holds records of another making or
/// another manifest's index of this name, a disk that takes no more. One bad scan never stops it.
pub fn prepare(
    settings: &PrepareSettings,
    progress: &(dyn Fn(FaceProgress) + Sync),
) -> Result<PreparedShard, StudyError> {
    let begun = Instant::now();
    let inputs = &settings.records;
    inputs.check_form()?;
    let file = inputs.manifest.as_ref();
    let file = file.ok_or(StudyError::Shape("what is to be prepared is what a manifest lists: it says n"))?;
    let manifest = Manifest::read(file)?.within(&inputs.inputs);
    let rows: Vec<usize> = settings.shard.rows(manifest.len()).collect();
    manifest.check_there(rows.iter().copied())?;
    let loaded = load_template(&inputs.template)?;
    let maker = RecordMaker::new(&loaded.template, inputs.making(&loaded.template))?;
    let making = maker.settings().making(&loaded.sum());
    make_folder(&settings.out)?;
    making.declare(&settings.out)?;
    refuse_other_index(settings, &manifest)?;
    progress(FaceProgress::Found { scans: rows.len() });
    let shard = ShardWork { settings, manifest: &manifest, maker, making, done: AtomicUsize::new(0) };
    let (lines, reused) = shard.all(&rows, progress)?;
    write_index(&settings.out, settings.shard, &lines).map_err(RecordsError::from)?;
    let made = lines.iter().filter(|line| line.status == LineStatus::Ok).count();
    Ok(PreparedShard {
        index: settings.out.join(settings.shard.index_name()),
        n: manifest.len(),
        rows: rows.len(),
        made,
        failed: rows.len() - made,
        reused,
        seconds: begun.elapsed().as_secs_f64(),
    })
}

/// A shard at work.
struct ShardWork<'a> {
    settings: &'a PrepareSettings,
    manifest: &'a Manifest,
    maker: RecordMaker<'a>,
    making: Making,
    done: AtomicUsize,
}

impl ShardWork<'_> {
    fn all(
        &self,
        rows: &[usize],
        progress: &(dyn Fn(FaceProgress) + Sync),
    ) -> Result<(Vec<Line>, usize), StudyError> {
        let cache = RecordCache::new(self.settings.out.clone(), &self.making.fingerprint);
        let stop = &self.settings.records.place.stop;
        let one = |&row: &usize| -> Result<(Line, bool), StudyError> {
            if stop.asked() {
                return Err(JobError::Stopped.into());
            }
            let (line, reused) = self.line(&cache, row)?;
            let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
            progress(FaceProgress::Scan { done, ok: line.status == LineStatus::Ok, reused });
            Ok((line, reused))
        };
        let lines: Vec<(Line, bool)> = rows.par_iter().with_max_len(1).map(one).collect::<Result<_, _>>()?;
        let reused = lines.iter().filter(|(_, reused)| *reused).count();
        Ok((lines.into_iter().map(|(line, _)| line).collect(), reused))
    }

    /// The record of a row, made unless it is there, and its line; whether it was there.
    fn line(&self, cache: &RecordCache, row: usize) -> Result<(Line, bool), WriteError> {
        let scan = &self.manifest.scans()[row];
        let landmarks = landmark_file(scan);
        let empty = Line {
            row,
            file: self.manifest.listed(row).to_owned(),
            record: None,
            status: LineStatus::Failed,
            problem: String::new(),
            scan: None,
            curves: None,
            making: self.making.id(),
        };
        let unread =
            |e: crate::io::ReadError| Line { problem: format!("read: {}", e.problem()), ..empty.clone() };
        let sum = match open_as(scan, Content::Scan) {
            Ok(opened) => opened.sha256(),
            Err(e) => return Ok((unread(e), false)),
        };
        let key = match cache.key_of(&sum, landmarks.as_deref()) {
            Ok(key) => key,
            Err(e) => return Ok((unread(e), false)),
        };
        let kept = cache.load(&key);
        let reused = kept.is_some();
        let Record { curves, row: known } = match kept {
            Some(record) => record,
            None => {
                let record = self.maker.record(scan, landmarks.as_deref());
                cache.store(&key, &record)?;
                record
            }
        };
        let line = Line {
            record: Some(key.as_str().to_owned()),
            status: if curves.is_some() { LineStatus::Ok } else { LineStatus::Failed },
            problem: known.problem,
            scan: Some(hex::encode(sum)),
            curves: curves.map(|curves| hex::encode(numbers_sha256(curves.data()))),
            ..empty
        };
        Ok((line, reused))
    }
}

/// Makes the folder, which only its owner may look into: records are secret.
fn make_folder(folder: &Path) -> Result<(), RecordsError> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|source| RecordsError::Folder { path: folder.to_owned(), source })
}

/// An index of this shard's name that lists other scans is another study's: it is not written over.
fn refuse_other_index(settings: &PrepareSettings, manifest: &Manifest) -> Result<(), RecordsError> {
    let path = settings.out.join(settings.shard.index_name());
    if !path.exists() {
        return Ok(());
    }
    // One that cannot be understood is made anew.
    let Ok(lines) = crate::study::records::read_index(&path) else { return Ok(()) };
    let listed: std::collections::HashSet<&str> =
        (0..manifest.len()).map(|row| manifest.listed(row)).collect();
    match lines.into_iter().find(|line| !listed.contains(line.file.as_str())) {
        Some(line) => Err(RecordsError::NotListed { path, file: line.file }),
        None => Ok(()),
    }
}
