//! Reading and writing: scans, landmarks, tables, images, results. Nothing read here is trusted.
//!
//! **Every input file is opened by [`open`]** (or [`open_as`], which knows how large a file of a kind may be): ordinary files
//! only, never waiting, a stated size first, parsed and hashed from the same bytes. Which endings are read for what stands in
//! one table, see [`Content`].
//!
//! **Memory.** Reading takes at most 8 times the file's size and 64 MB, whatever the file claims; content that would take more is refused.
//! Tables of many records ([`Rows`], [`Shapes`](shapes::Shapes), [`Matrices`], [`Images`]) are taken from the file's bytes record by record.
//!
//! **No record decides how others are read.** The width of rows, the number of landmarks, the separator come from headings, array
//! shapes, endings or numbers known elsewhere ([`RecordSize`]); what is wrong with one record is an error of that record.
//!
//! Vertex order is data: readers never merge, drop or reorder vertices (STL, which has no shared vertices, is the
//! one exception, see [`Scan`]). Counts a file claims are checked against its size before anything is allocated.
//! Errors name the file and the line, byte or vertex, never what stands there (but for the name of a record that cannot be
//! read). Files are written whole or not at all.

mod appearance;
mod atomic;
mod axes;
mod checksum;
mod columns;
mod error;
mod export;
mod field;
mod formats;
mod heading;
mod images;
pub mod internal;
mod labels;
pub mod landmarks;
mod manifest;
mod matrices;
mod named;
pub mod npy;
mod obj;
mod open;
mod ply;
mod points;
mod read;
mod records;
mod rows;
mod scan;
mod scans;
mod separator;
pub mod shapes;
mod stl;
mod survey;
mod table;
mod text;

pub use appearance::has_appearance;
pub use atomic::{WriteError, write_atomically, write_bytes, write_text};
#[doc(hidden)]
pub use atomic::{sweep, sync_folder, write_secret};
pub use checksum::numbers_sha256;
pub use columns::RecordSize;
pub use error::{Fault, Place, ReadError, RecordError};
pub use export::{SurfaceFile, SurfaceFormat, Way};
pub use field::NamedField;
pub use formats::Content;
pub use images::{ImageSize, Images};
pub use labels::{Label, read_groups, read_people};
pub use manifest::Manifest;
pub use matrices::Matrices;
pub use named::{NamedLine, NamedTable};
pub use npy::write_npy;
pub use open::{Limit, Opened, open, refuse_special};
pub use ply::{
    write_ply, write_ply_with_colours, write_ply_with_comment, write_ply_with_fields, write_ply_with_scalar,
};
pub use read::{
    matrices_of, open_as, open_masks, read_images, read_landmarks, read_matrices, read_rows, read_scan,
    read_shapes, rows_of, scan_of, shapes_of,
};
pub use records::Records;
pub use rows::Rows;
pub use scan::Scan;
pub use scans::{beside_masks, holds_masks, list_scans};
pub use survey::{Survey, survey};
pub use text::{ending, specimen_name};
