//! PLY (Turk 1994), ASCII and binary.
//!
//! Headers are parsed and files are written by the `ply-rs` crate. Bodies are read by our own code: `ply-rs` holds
//! every property of every record in a map keyed by name, trusts the counts a header claims, and quotes lines of
//! the file in its errors.

mod body;
mod header;
mod values;
mod write;

pub(super) use write::{bytes, commented, write_ply_with_all};
pub use write::{
    write_ply, write_ply_with_colours, write_ply_with_comment, write_ply_with_fields, write_ply_with_scalar,
};

use super::error::Parsed;
use super::scan::Scan;

/// Parses a whole PLY file.
pub(super) fn parse(bytes: &[u8]) -> Parsed<Scan> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    body::parse(bytes, &header::parse(bytes)?)
}

#[cfg(test)]
mod tests;
