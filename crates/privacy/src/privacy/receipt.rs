//! Where a charge is on record.

use serde::{Deserialize, Serialize};

/// The place of a charge in a ledger file, by which it is known again: a certificate carries it as `ledger`, and a study
/// keeps it until its release is out. [`super::Ledger::holds`] says whether a ledger still has that line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Receipt {
    /// The ledger's id, as its first line states it.
    #[cfg_attr(feature = "cli", schemars(regex(pattern = "^[0-9a-f]{32}$")))]
    pub id: String,
    /// The number of the charge's line, its key `n`: the first line of the file is 0.
    pub line: u64,
    /// The `check` of that line, which covers it and, through the checks before, all lines up to it. Lines after it
    /// change nothing.
    #[cfg_attr(feature = "cli", schemars(regex(pattern = super::digest::SHA256)))]
    pub head: String,
}
