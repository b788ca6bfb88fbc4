//! SHA-256 as text.

use sha2::{Digest, Sha256};

/// What [`sha256_hex`] gives, as a regular expression.
#[cfg(feature = "cli")]
pub(crate) const SHA256: &str = "^[0-9a-f]{64}$";

/// The SHA-256 of the bytes, 64 lower-case hexadecimal digits.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// Whether this can be what [`sha256_hex`] gives.
pub(crate) fn is_sha256_hex(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}
