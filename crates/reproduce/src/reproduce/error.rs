//! Why an item failed.

use crate::io::WriteError;

/// Any reason an item has to stop.
pub(super) type AnyError = Box<dyn std::error::Error>;

/// Why an item failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReproduceError {
    /// No such item.
    #[error("there is no item called {0}; visard reproduce list shows them")]
    Unknown(String),
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Anything else, by item.
    #[error("{0}")]
    Failed(String),
}
