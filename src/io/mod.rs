//! Reading and writing: scans, landmarks, results. Nothing read here is trusted.
//!
//! Vertex order is data: readers never merge, drop or reorder vertices (STL, which has no shared vertices, is the
//! one exception and says so). Errors name the file and the line, byte or vertex, never the content.

mod atomic;
mod error;
pub mod landmarks;
pub mod npy;
mod obj;
mod ply_read;
mod ply_write;
mod points;
mod scan;
mod stl;

pub use atomic::{WriteError, write_atomically, write_bytes};
pub use error::ReadError;
pub use ply_write::write_ply;
pub use scan::{Scan, list_scans, read_scan};

use std::path::Path;

/// Writes an array as `.npy` (`<f8`, C order), atomically.
///
/// # Errors
/// [`WriteError`].
pub fn write_npy(path: &Path, shape: &[usize], data: &[f64]) -> Result<(), WriteError> {
    write_atomically(path, |out| npy::write_to(out, shape, data))
}
