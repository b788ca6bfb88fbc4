//! Content that may be packed.

use crate::io::Fault;
use flate2::read::{DeflateDecoder, MultiGzDecoder};
use std::io::Read;

/// The content of a gzip file, at most `most` bytes of it.
///
/// # Errors
/// What is no gzip file, or breaks off.
pub(super) fn unpack(bytes: &[u8], most: usize) -> Result<Vec<u8>, Fault> {
    all(MultiGzDecoder::new(bytes), most)
}

/// The same for what is packed by deflate alone.
///
/// # Errors
/// What is not, or breaks off.
pub(super) fn inflate(bytes: &[u8], most: usize) -> Result<Vec<u8>, Fault> {
    all(DeflateDecoder::new(bytes), most)
}

fn all(packed: impl Read, most: usize) -> Result<Vec<u8>, Fault> {
    let mut out = Vec::new();
    match packed.take(most as u64).read_to_end(&mut out) {
        Ok(_) => Ok(out),
        Err(_) => Err(Fault::Malformed(
            "is packed (gzip) and cannot be unpacked; it is cut off or damaged, export it again",
        )),
    }
}

/// Whether these bytes begin as a gzip file does.
pub(super) fn is_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}
