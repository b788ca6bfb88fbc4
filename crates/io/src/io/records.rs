//! Records of numbers, each taken from its file when it is asked for: an `.npy` array, or a Parquet file with a list of numbers for each. What a
//! file is its first bytes tell.

mod bytes;
#[cfg(feature = "parquet")]
mod parquet;

use super::error::{Fault, ReadError};
use super::npy::{Form, Rows};
#[cfg(feature = "parquet")]
use super::open::check_memory;
use super::open::{Limit, Opened, Unread};
use bytes::Bytes;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What a Parquet file begins with.
const PARQUET: &[u8] = b"PAR1";

/// A file of records, opened; its form has been read, no record has.
#[derive(Debug)]
pub struct Records<'a> {
    path: PathBuf,
    file: Kind<'a>,
}

#[derive(Debug)]
enum Kind<'a> {
    /// An array on the disk.
    Rows(Rows),
    /// An array in memory.
    Array(Form, &'a [u8]),
    #[cfg(feature = "parquet")]
    Parquet(parquet::Lists<'a>),
}

impl Records<'static> {
    /// Opens a file of any size; records are read from the disk.
    ///
    /// # Errors
    /// [`ReadError`]: no such file, a form that is not read, an array in Fortran order, whose records do not lie together.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        let refused = |fault: Fault| ReadError::new(path, fault);
        let any = Limit { bytes: u64::MAX, remedy: "" };
        let (mut file, length) = Unread::find(path, any).map_err(refused)?.into_file();
        let mut first = Vec::new();
        file.by_ref().take(PARQUET.len() as u64).read_to_end(&mut first).map_err(|e| refused(e.into()))?;
        if first == PARQUET {
            return lists(path, Bytes::Disk(Mutex::new(file), length));
        }
        file.rewind().map_err(|e| refused(e.into()))?;
        Ok(Self { path: path.to_owned(), file: Kind::Rows(Rows::of(path, file, length)?) })
    }
}

impl<'a> Records<'a> {
    /// Of a file that was read.
    ///
    /// # Errors
    /// [`ReadError`]: a form that is not read, or an array that would take too much memory.
    pub fn of(file: &'a Opened) -> Result<Self, ReadError> {
        if file.bytes().starts_with(PARQUET) {
            let records = lists(file.path(), Bytes::Memory(file.bytes()))?;
            #[cfg(feature = "parquet")]
            if let Kind::Parquet(lists) = &records.file {
                let made = lists.values().saturating_mul(size_of::<f64>());
                check_memory(file.bytes().len(), made, "save it in parts")
                    .map_err(|fault| file.error(fault))?;
            }
            return Ok(records);
        }
        let form = Form::parse(file.bytes()).map_err(|located| file.error(located))?;
        form.check_memory(file.bytes()).map_err(|fault| file.error(fault))?;
        Ok(Self { path: file.path().to_owned(), file: Kind::Array(form, file.bytes()) })
    }

    /// Lengths of the axes of an array, records along the first. Of a Parquet file only how many records there are: each says itself how long it
    /// is, and one of another length is that record's fault.
    pub fn shape(&self) -> Vec<usize> {
        match &self.file {
            Kind::Rows(rows) => rows.shape().to_vec(),
            Kind::Array(form, _) => form.shape.clone(),
            #[cfg(feature = "parquet")]
            Kind::Parquet(lists) => vec![lists.count()],
        }
    }

    /// How many records of this shape there are, at least one; `None` where the file is one of others.
    pub fn count_of(&self, each: &[usize]) -> Option<usize> {
        let shape = self.shape();
        let (&count, axes) = shape.split_first()?;
        #[cfg(feature = "parquet")]
        let axes = if matches!(self.file, Kind::Parquet(_)) { each } else { axes };
        (count > 0 && axes == each).then_some(count)
    }

    /// The values of a record, counted from 0, last axis fastest.
    ///
    /// # Errors
    /// [`ReadError`]: there is no such record, the file was changed since, or the system refuses.
    pub fn record(&self, record: usize) -> Result<Vec<f64>, ReadError> {
        let refused = |fault: Fault| ReadError::new(&self.path, fault);
        match &self.file {
            Kind::Rows(rows) => rows.record(record).map_err(refused),
            Kind::Array(form, bytes) if record < form.records() => Ok(form.record(bytes, record)),
            Kind::Array(..) => Err(refused(std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into())),
            #[cfg(feature = "parquet")]
            Kind::Parquet(lists) => lists.record(record).map_err(refused),
        }
    }
}

/// A Parquet file's records.
#[cfg(feature = "parquet")]
fn lists<'a>(path: &Path, bytes: Bytes<'a>) -> Result<Records<'a>, ReadError> {
    let lists = parquet::Lists::of(bytes).map_err(|fault| ReadError::new(path, fault))?;
    Ok(Records { path: path.to_owned(), file: Kind::Parquet(lists) })
}

#[cfg(not(feature = "parquet"))]
fn lists<'a>(path: &Path, _: Bytes<'a>) -> Result<Records<'a>, ReadError> {
    let what = "is a Parquet file, which this program was built without; save the records with numpy.save";
    Err(ReadError::new(path, Fault::Malformed(what)))
}

#[cfg(test)]
mod tests;
