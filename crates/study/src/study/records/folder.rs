//! A folder of prepared records, read row by row of the manifest.

use super::index::{self, Line, LineStatus};
use super::{Making, RecordsError};
use crate::function::FaceCurves;
use crate::io::Manifest;
use crate::io::numbers_sha256;
use crate::study::face::record::ScanRow;
use crate::study::face::record::cache::{RecordCache, RecordKey};
use std::collections::HashMap;
use std::path::Path;

/// What there is of a row of the manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// A face.
    Made,
    /// Its scan could not be processed: it contributes zero.
    Failed,
    /// No record, or a damaged one: it contributes zero, unless the study refuses.
    Lost,
}

/// The record of one row of the manifest: secret.
#[derive(Debug, Clone)]
pub struct FaceRecord {
    /// The row, from 0.
    pub row: usize,
    /// What there is of it.
    pub status: Status,
    /// The unit-area face in the template's frame, (J, m, 3), where its status is [`Status::Made`].
    pub curves: Option<FaceCurves>,
}

/// Prepared records, one for each row of a manifest. Holds what the indexes say, not the records.
#[derive(Debug)]
pub struct RecordFolder {
    making: Making,
    cache: RecordCache,
    listed: Vec<String>,
    lines: Vec<Option<Known>>,
}

/// What an index says of a row, in a third of the memory of its line. A name or a sum that is none is left out: the record is lost then.
#[derive(Debug, Clone)]
struct Known {
    record: Option<[u8; 16]>,
    status: LineStatus,
    problem: Option<Box<str>>,
    scan: Option<[u8; 32]>,
    curves: Option<[u8; 32]>,
}

impl Known {
    fn of(line: &Line) -> Self {
        let name = line.record.as_deref().and_then(RecordKey::named);
        Self {
            record: name.and_then(|name| digits(name.as_str())),
            status: line.status,
            problem: (!line.problem.is_empty()).then(|| line.problem.as_str().into()),
            scan: line.scan.as_deref().and_then(digits),
            curves: line.curves.as_deref().and_then(digits),
        }
    }

    /// The name of the record.
    fn name(&self) -> Option<String> {
        self.record.map(hex::encode)
    }
}

impl RecordFolder {
    /// Reads what the folder says of itself and all its indexes, and goes through the manifest with them. Opens no scan and no record.
    ///
    /// # Errors
    /// [`RecordsError`]: no records here, records of several makings, of scans that the manifest does not list, two of one scan.
    pub fn open(folder: &Path, manifest: &Manifest) -> Result<Self, RecordsError> {
        let making = Making::read(folder)?;
        let listed: Vec<String> = (0..manifest.len()).map(|row| manifest.listed(row).to_owned()).collect();
        let row_of: HashMap<&str, usize> =
            listed.iter().enumerate().map(|(row, file)| (file.as_str(), row)).collect();
        let (mut lines, mut from): (Vec<Option<Known>>, Vec<u32>) =
            (vec![None; listed.len()], vec![0; listed.len()]);
        let (id, paths) = (making.id(), index::list(folder)?);
        for (which, path) in (0u32..).zip(&paths) {
            for line in index::read(path)? {
                if line.making != id {
                    let differs = format!("making ({}; records.json is about {id})", line.making);
                    let remedy = "records of several versions, templates or settings are in one folder: prepare them all again in another";
                    return Err(RecordsError::OtherMaking { path: path.clone(), differs, remedy });
                }
                let Some(&row) = row_of.get(line.file.as_str()) else {
                    return Err(RecordsError::NotListed { path: path.clone(), file: line.file });
                };
                let known = Known::of(&line);
                match &lines[row] {
                    None => (lines[row], from[row]) = (Some(known), which),
                    Some(there) if there.record != known.record || there.curves != known.curves => {
                        let first = paths[from[row] as usize].clone();
                        return Err(RecordsError::Disagree { first, second: path.clone(), file: line.file });
                    }
                    Some(_) => {}
                }
            }
        }
        let cache = RecordCache::new(folder.to_owned(), &making.fingerprint);
        Ok(Self { making, cache, lines, listed })
    }

    /// How the records were made.
    pub fn making(&self) -> &Making {
        &self.making
    }

    /// How many rows the manifest has.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether it has none: never.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// A scan as the manifest lists it.
    pub fn listed(&self, row: usize) -> &str {
        self.listed.get(row).map_or("", String::as_str)
    }

    /// What the indexes say of a row. A record that is gone or damaged is found out by [`Self::record`] only.
    pub fn status(&self, row: usize) -> Status {
        match self.line(row) {
            Some(Known { status: LineStatus::Ok, .. }) => Status::Made,
            Some(_) => Status::Failed,
            None => Status::Lost,
        }
    }

    /// SHA-256 of the scan's bytes, where it could be read.
    pub fn scan_sum(&self, row: usize) -> Option<[u8; 32]> {
        self.line(row)?.scan
    }

    /// The name of the record; that of the scan where there is none. For the digest of a run.
    pub fn name(&self, row: usize) -> String {
        self.line(row).and_then(Known::name).unwrap_or_else(|| self.listed(row).to_owned())
    }

    /// Reads a row's record and checks it against its index: one that is gone or damaged is lost.
    pub fn record(&self, row: usize) -> FaceRecord {
        let lost = FaceRecord { row, status: Status::Lost, curves: None };
        match self.status(row) {
            Status::Made => {}
            status => return FaceRecord { status, ..lost },
        }
        let expected = self.line(row).and_then(|line| line.curves);
        match self.face(row) {
            Some(curves) if Some(numbers_sha256(curves.data())) == expected => {
                FaceRecord { row, status: Status::Made, curves: Some(curves) }
            }
            _ => lost,
        }
    }

    /// The face of a row, if it is there and has the right form; its sum is not asked for again.
    pub fn face(&self, row: usize) -> Option<FaceCurves> {
        let curves = self.cache.load_curves(&self.key(row)?)?;
        let fits = (curves.curves(), curves.samples()) == (self.making.curves, self.making.samples);
        fits.then_some(curves)
    }

    /// All rows in their order, each read when its turn comes.
    pub fn faces(&self) -> impl Iterator<Item = FaceRecord> + '_ {
        (0..self.len()).map(|row| self.record(row))
    }

    /// What is known of a row's scan, for the data holder.
    pub fn scan_row(&self, row: usize) -> ScanRow {
        let name = Path::new(self.listed(row)).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let told = |problem: String| ScanRow { problem, ..ScanRow::named(name.clone()) };
        let Some(line) = self.line(row) else { return told("has no record: prepare its shard".into()) };
        match self.key(row).and_then(|key| self.cache.load_row(&key)) {
            Some(found) => ScanRow { scan: name, ..found },
            None if line.status == LineStatus::Ok => {
                told("its record is gone: prepare its shard again".into())
            }
            None => told(line.problem.as_deref().unwrap_or_default().to_owned()),
        }
    }

    fn line(&self, row: usize) -> Option<&Known> {
        self.lines.get(row)?.as_ref()
    }

    fn key(&self, row: usize) -> Option<RecordKey> {
        RecordKey::named(&self.line(row)?.name()?)
    }
}

/// Twice N hexadecimal digits.
fn digits<const N: usize>(text: &str) -> Option<[u8; N]> {
    hex::decode(text).ok()?.try_into().ok()
}
