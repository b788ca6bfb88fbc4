//! Where the bytes of a file of records are.

use crate::io::error::Fault;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Mutex;

/// The bytes of a file, in memory or on the disk.
#[derive(Debug)]
#[cfg_attr(not(feature = "parquet"), allow(dead_code))]
pub(super) enum Bytes<'a> {
    Memory(&'a [u8]),
    Disk(Mutex<File>, u64),
}

#[cfg_attr(not(feature = "parquet"), allow(dead_code))]
impl Bytes<'_> {
    pub fn len(&self) -> u64 {
        match self {
            Self::Memory(bytes) => bytes.len() as u64,
            Self::Disk(_, length) => *length,
        }
    }

    /// So many bytes from there on, all of them in the file.
    pub fn at(&self, start: u64, length: u64) -> Result<Vec<u8>, Fault> {
        if start.checked_add(length).is_none_or(|end| end > self.len()) {
            return Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into());
        }
        match self {
            Self::Memory(bytes) => Ok(bytes[start as usize..(start + length) as usize].to_vec()),
            Self::Disk(file, _) => {
                let mut file = file.lock().map_err(|_| std::io::Error::other("another reader failed"))?;
                file.seek(SeekFrom::Start(start))?;
                let mut bytes = vec![0; length as usize];
                file.read_exact(&mut bytes)?;
                Ok(bytes)
            }
        }
    }
}
