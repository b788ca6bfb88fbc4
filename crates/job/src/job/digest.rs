//! What a job is about, as a hash: records and settings.

use crate::privacy::Price;
use sha2::{Digest as _, Sha256};

/// SHA-256 of everything that makes a run this run: records (or their files), public inputs, settings, the price, the program's
/// version. An interrupted run goes on with these only. It never leaves `internal/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digest(String);

impl Digest {
    /// Of settings (their debug form will do), the price, and what the records are: hashes of files or the numbers themselves.
    pub fn of(settings: &str, price: &Price, records: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Self {
        let price = serde_json::to_string(price).unwrap_or_default();
        let settings = [env!("CARGO_PKG_VERSION"), settings, &price].map(|field| field.as_bytes().to_vec());
        Self::of_fields(
            settings.into_iter().chain(records.into_iter().map(|record| record.as_ref().to_vec())),
        )
    }

    /// Of these fields alone: for what goes on over years, with other versions of the program.
    pub fn of_fields(fields: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Self {
        let mut hash = Sha256::new();
        for field in fields {
            hash.update((field.as_ref().len() as u64).to_le_bytes());
            hash.update(field.as_ref());
        }
        Self(hex::encode(hash.finalize()))
    }

    /// In hexadecimal.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
