//! An array that is read record by record from the disk: it may be larger than the memory.

use super::form::{Form, LONGEST_HEADER};
use crate::io::error::{Fault, ReadError};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Mutex;

/// What stands before the header itself, at most.
const PREFIX: usize = 12;

/// An array file whose header has been read.
#[derive(Debug)]
pub(in crate::io) struct Rows {
    file: Mutex<File>,
    form: Form,
    start: u64,
    width: usize,
}

impl Rows {
    /// Reads the header of a file of this length, which is at its beginning.
    ///
    /// # Errors
    /// [`ReadError`]: as for [`read`](super::read), and for an array of several axes in Fortran order, whose records do not lie together.
    pub fn of(path: &Path, mut file: File, length: u64) -> Result<Self, ReadError> {
        let refused = |fault: Fault| ReadError::new(path, fault);
        let mut head = Vec::new();
        let most = (PREFIX + LONGEST_HEADER) as u64;
        file.by_ref().take(most).read_to_end(&mut head).map_err(|e| refused(e.into()))?;
        if head.is_empty() {
            return Err(refused(Fault::Empty));
        }
        let form = Form::parse_head(&head, length).map_err(|located| located.in_file(path))?;
        let Some((start, width)) = form.rows() else {
            return Err(refused(Fault::Malformed(
                "has its records in Fortran order; save it with numpy.ascontiguousarray",
            )));
        };
        Ok(Self { file: Mutex::new(file), form, start, width })
    }

    /// Lengths of the axes.
    pub fn shape(&self) -> &[usize] {
        &self.form.shape
    }

    /// The values of a record, counted from 0, last axis fastest.
    ///
    /// # Errors
    /// [`Fault`]: there is no such record, the file was made shorter, or the system refuses.
    pub fn record(&self, record: usize) -> Result<Vec<f64>, Fault> {
        if record >= self.form.records() {
            return Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into());
        }
        let mut bytes = vec![0; self.width];
        let mut file = self.file.lock().map_err(|_| std::io::Error::other("another reader failed"))?;
        file.seek(SeekFrom::Start(self.start + record as u64 * self.width as u64))?;
        file.read_exact(&mut bytes)?;
        drop(file);
        Ok(self.form.row(&bytes))
    }
}
