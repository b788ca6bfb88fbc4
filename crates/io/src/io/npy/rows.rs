//! An array that is read record by record from the disk: it may be larger than the memory.

use super::form::{Form, LONGEST_HEADER};
use crate::io::error::{Fault, ReadError};
use crate::io::open::{Limit, Unread};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What stands before the header itself, at most.
const PREFIX: usize = 12;

/// An array file whose header has been read.
#[derive(Debug)]
pub struct Rows {
    path: PathBuf,
    file: Mutex<File>,
    form: Form,
    start: u64,
    width: usize,
    head: Vec<u8>,
}

impl Rows {
    /// Opens a file of any size, and reads its header.
    ///
    /// # Errors
    /// [`ReadError`]: as for [`read`](super::read), and for an array of several axes in Fortran order, whose records do not lie together.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        let refused = |fault: Fault| ReadError::new(path, fault);
        let any = Limit { bytes: u64::MAX, remedy: "" };
        let (mut file, length) = Unread::find(path, any).map_err(refused)?.into_file();
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
        head.truncate(start as usize);
        Ok(Self { path: path.to_owned(), file: Mutex::new(file), form, start, width, head })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Lengths of the axes.
    pub fn shape(&self) -> &[usize] {
        &self.form.shape
    }

    /// The header's bytes.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// The bytes of a record, counted from 0.
    ///
    /// # Errors
    /// [`ReadError`]: there is no such record, the file was made shorter, or the system refuses.
    pub fn bytes(&self, record: usize) -> Result<Vec<u8>, ReadError> {
        let mut bytes = vec![0; self.width];
        let mut read = || {
            if record >= self.form.records() {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            let mut file = self.file.lock().map_err(|_| std::io::Error::other("another reader failed"))?;
            file.seek(SeekFrom::Start(self.start + record as u64 * self.width as u64))?;
            file.read_exact(&mut bytes)
        };
        read().map_err(|e: std::io::Error| ReadError::new(&self.path, e))?;
        Ok(bytes)
    }

    /// The values in a record's bytes, last axis fastest.
    pub fn values(&self, bytes: &[u8]) -> Vec<f64> {
        self.form.row(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::npy;

    #[test]
    fn records_are_those_of_the_whole_array() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.npy");
        let data: Vec<f64> = (0..24).map(|i| f64::from(i) / 7.0).collect();
        npy::write_npy(&path, &[4, 3, 2], &data).unwrap();
        let rows = Rows::open(&path).unwrap();
        assert_eq!(rows.shape(), [4, 3, 2]);
        for record in [3, 0, 2, 1] {
            let values = rows.values(&rows.bytes(record).unwrap());
            assert_eq!(values, data[6 * record..6 * record + 6]);
        }
        assert!(rows.bytes(4).is_err());
        // Made shorter, longer, turned, no array.
        let whole = std::fs::read(&path).unwrap();
        assert_eq!(whole[..rows.head().len()], *rows.head());
        for (bytes, said) in [
            (whole[..whole.len() - 8].to_vec(), "end early"),
            ([&whole[..], &[0; 8]].concat(), "8 more bytes"),
            (b"no array".to_vec(), "does not begin as an .npy file does"),
            (Vec::new(), "is empty"),
            (String::from_utf8_lossy(&whole[6..72]).replace("False", "True ").into_bytes(), "does not begin"),
        ] {
            std::fs::write(&path, bytes).unwrap();
            let problem = Rows::open(&path).unwrap_err().to_string();
            assert!(problem.contains(said), "{problem}");
        }
        let mut turned = whole.clone();
        let at = turned.windows(5).position(|w| w == b"False").unwrap();
        turned[at..at + 5].copy_from_slice(b"True ");
        std::fs::write(&path, turned).unwrap();
        assert!(Rows::open(&path).unwrap_err().to_string().contains("Fortran order"));
    }
}
