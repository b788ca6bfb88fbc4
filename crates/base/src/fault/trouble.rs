//! What crash tests let happen to the k-th operation.

use super::{After, Fault, Outcome, crashed, with};
use std::path::Path;

/// What can happen to an operation.
#[derive(Debug, Clone, Copy)]
pub enum Trouble {
    /// It fails, and the process goes on.
    Fault(Fault),
    /// The process ends there, or the power fails.
    Power(After),
}

/// The errors are those of a failing disk (5), of missing rights (13), and of a full disk (28), once and for good; `seed` decides what is left
/// where only some of it is.
pub fn troubles(seed: u64) -> [Trouble; 10] {
    [
        Trouble::Fault(Fault::Error(5)),
        Trouble::Fault(Fault::Error(13)),
        Trouble::Fault(Fault::Error(28)),
        Trouble::Fault(Fault::Full),
        Trouble::Fault(Fault::Short),
        Trouble::Power(After::All),
        Trouble::Power(After::Nothing),
        Trouble::Power(After::Names),
        Trouble::Power(After::Contents),
        Trouble::Power(After::Some(seed)),
    ]
}

impl Trouble {
    /// Lets it happen to the `k`-th operation of `work`, whose files are below `root`.
    pub fn strike<T>(self, root: &Path, k: u32, work: impl FnOnce() -> T) -> Outcome<T> {
        match self {
            Self::Fault(fault) => with(fault, k, work),
            Self::Power(after) => crashed(root, after, k, work),
        }
    }
}
