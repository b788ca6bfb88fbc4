//! What a study has kept in its folder: read as every input is, ordinary files only and no more than is ever written.

use super::error::{JobError, io};
use crate::fault::point;
use crate::io::{Fault, Limit, Opened, open};
use std::path::Path;

/// The file, if it is there.
///
/// # Errors
/// [`JobError::Read`]: a pipe, a device or a folder in its place, or the system refuses.
pub fn kept(path: &Path, limit: Limit) -> Result<Option<Opened>, JobError> {
    point("open").map_err(|source| io(path)(source))?;
    match open(path, limit) {
        Ok(file) => Ok(Some(file)),
        Err(error) if matches!(error.fault(), Fault::Missing) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
