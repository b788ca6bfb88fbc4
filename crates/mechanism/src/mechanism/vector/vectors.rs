//! Vectors that are held, or worked out anew in every pass.

use super::VectorRecords;
use rayon::prelude::*;
use std::borrow::Cow;

/// So many vectors are worked out at once.
const BLOCK: usize = 256;

/// A person's vector, worked out when it is asked for; always the same for the same number.
type One<'a> = Box<dyn Fn(usize) -> Option<Vec<f64>> + Send + Sync + 'a>;

/// Vectors of records, `None` for failed ones, gone through several times in their order: secret.
pub enum Vectors<'a> {
    /// In memory.
    Held(Cow<'a, VectorRecords>),
    /// So many, each worked out when its turn comes: memory does not grow with their number, work does with the number of passes.
    Asked(usize, One<'a>),
}

impl<'a> From<&'a VectorRecords> for Vectors<'a> {
    fn from(records: &'a VectorRecords) -> Self {
        Self::Held(Cow::Borrowed(records))
    }
}

impl From<Vec<Option<Vec<f64>>>> for Vectors<'_> {
    fn from(records: Vec<Option<Vec<f64>>>) -> Self {
        Self::Held(Cow::Owned(records))
    }
}

impl Vectors<'_> {
    /// How many there are, failed ones included.
    pub fn count(&self) -> usize {
        match self {
            Self::Held(records) => records.len(),
            Self::Asked(count, _) => *count,
        }
    }

    /// Goes through all in order, until one is refused.
    ///
    /// # Errors
    /// The first of `each`.
    pub fn each<E>(&self, mut each: impl FnMut(usize, Option<&[f64]>) -> Result<(), E>) -> Result<(), E> {
        match self {
            Self::Held(records) => {
                records.iter().enumerate().try_for_each(|(i, record)| each(i, record.as_deref()))
            }
            Self::Asked(n, one) => {
                for start in (0..*n).step_by(BLOCK) {
                    let block: Vec<_> = (start..(*n).min(start + BLOCK)).into_par_iter().map(one).collect();
                    block
                        .iter()
                        .enumerate()
                        .try_for_each(|(k, record)| each(start + k, record.as_deref()))?;
                }
                Ok(())
            }
        }
    }
}
