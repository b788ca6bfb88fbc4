//! What tells one record's numbers from another's.

use sha2::{Digest, Sha256};

/// SHA-256 of numbers, bit by bit, in little-endian order: what copies of a record have in common.
pub fn numbers_sha256(numbers: &[f64]) -> [u8; 32] {
    let mut bytes = Vec::with_capacity(8 * numbers.len());
    numbers.iter().for_each(|x| bytes.extend_from_slice(&x.to_le_bytes()));
    Sha256::digest(bytes).into()
}
