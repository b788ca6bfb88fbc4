//! Scans, landmarks, tables and results: read without trusting a byte of them, written whole or not at all.
//!
//! For whoever reads meshes, point clouds, landmarks or tables that others made: in bounded memory, with errors that name the place.
//!
//! ```
//! use visard_io::io::write_text;
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("note.txt");
//! write_text(&path, "whole, or not there\n")?;
//! assert_eq!(std::fs::read_to_string(&path)?, "whole, or not there\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! * [`io`]: one table of formats, one way to open a file, readers and writers.

pub mod io;

use visard_base::fault;
#[cfg(feature = "parquet")]
use visard_base::parallel;
use visard_geometry::mesh;
