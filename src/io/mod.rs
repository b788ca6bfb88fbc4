//! Reading and writing: scans, landmarks, results. Nothing read here is trusted.
//!
//! Vertex order is data: readers never merge, drop or reorder vertices (STL, which has no shared vertices, is the
//! one exception, see [`Scan`]). Counts a file claims are checked against its size before anything is allocated.
//! Errors name the file and the line, byte or vertex, never what stands there. Files are written whole or not at
//! all.

mod atomic;
mod error;
pub mod landmarks;
pub mod npy;
mod obj;
mod ply;
mod points;
mod scan;
mod scans;
pub mod shapes;
mod source;
mod stl;
mod table;
mod text;

pub use atomic::{WriteError, write_atomically, write_bytes, write_text};
pub use error::{Fault, Place, ReadError};
pub use npy::write_npy;
pub use ply::{write_ply, write_ply_with_colours};
pub use scan::{Scan, read_scan};
pub use scans::list_scans;
pub use source::LARGEST_SCAN;
