//! A build that reads no masks.

use super::making::{MaskMaking, Outlines, Surfaces};
use crate::io::{Fault, Opened, ReadError};

fn refused<T>(file: &Opened) -> Result<T, ReadError> {
    let what = "holds masks, which this build does not read; the command that is installed does";
    Err(ReadError::new(file.path(), Fault::Malformed(what)))
}

/// Refuses masks.
///
/// # Errors
/// Always.
pub fn outlines(
    file: &Opened,
    _: &MaskMaking,
    _: Option<&[[f64; 2]]>,
    _: usize,
) -> Result<Outlines, ReadError> {
    refused(file)
}

/// Refuses masks.
///
/// # Errors
/// Always.
pub fn extract(file: &Opened, _: &MaskMaking, _: bool) -> Result<Surfaces, ReadError> {
    refused(file)
}
