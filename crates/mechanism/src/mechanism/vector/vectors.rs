//! Vectors that are held, or worked out anew in every pass.

use super::VectorRecords;
use rayon::prelude::*;
use std::borrow::Cow;

/// So many vectors are worked out at once.
const BLOCK: usize = 256;

/// A person's vector, worked out when it is asked for; always the same for the same number.
type One<'a> = Box<dyn Fn(usize) -> Option<Vec<f64>> + Send + Sync + 'a>;

/// Vectors of records, `None` for failed ones, gone through several times in their order: secret.
pub struct Vectors<'a> {
    of: Of<'a>,
    /// Which share of each was filled in, where that is known.
    filled: Cow<'a, [f64]>,
    /// The covariates of each, where a statistic has a use for them.
    covariates: Cow<'a, [Vec<f64>]>,
}

enum Of<'a> {
    /// In memory.
    Held(Cow<'a, VectorRecords>),
    /// So many.
    Asked(usize, One<'a>),
}

impl<'a> From<&'a VectorRecords> for Vectors<'a> {
    fn from(records: &'a VectorRecords) -> Self {
        Self::of(Of::Held(Cow::Borrowed(records)))
    }
}

impl From<Vec<Option<Vec<f64>>>> for Vectors<'_> {
    fn from(records: Vec<Option<Vec<f64>>>) -> Self {
        Self::of(Of::Held(Cow::Owned(records)))
    }
}

impl<'a> Vectors<'a> {
    fn of(of: Of<'a>) -> Self {
        Self { of, filled: Cow::default(), covariates: Cow::default() }
    }

    /// So many, each worked out when its turn comes: memory does not grow with their number, work does with the number of passes.
    pub fn asked(n: usize, one: impl Fn(usize) -> Option<Vec<f64>> + Send + Sync + 'a) -> Self {
        Self::of(Of::Asked(n, Box::new(one)))
    }

    /// The same, of which these shares (one a record, 0 to 1) were not seen and are what a public template has there.
    pub fn with_filled(self, filled: impl Into<Cow<'a, [f64]>>) -> Self {
        Self { filled: filled.into(), ..self }
    }

    /// The same with their covariates: a row of a design for each.
    pub fn with_covariates(self, rows: impl Into<Cow<'a, [Vec<f64>]>>) -> Self {
        Self { covariates: rows.into(), ..self }
    }

    /// The covariates of a record; none where there are none.
    pub fn covariates(&self, i: usize) -> &[f64] {
        self.covariates.get(i).map_or(&[], Vec::as_slice)
    }

    /// Which share of a record was filled in.
    pub fn filled(&self, i: usize) -> f64 {
        self.filled.get(i).copied().unwrap_or(0.0)
    }

    /// Whether they are in memory.
    pub fn is_held(&self) -> bool {
        matches!(self.of, Of::Held(_))
    }

    /// How many there are, failed ones included.
    pub fn count(&self) -> usize {
        match &self.of {
            Of::Held(records) => records.len(),
            Of::Asked(count, _) => *count,
        }
    }

    /// Goes through all in order, until one is refused.
    ///
    /// # Errors
    /// The first of `each`.
    pub fn each<E>(&self, mut each: impl FnMut(usize, Option<&[f64]>) -> Result<(), E>) -> Result<(), E> {
        match &self.of {
            Of::Held(records) => {
                records.iter().enumerate().try_for_each(|(i, record)| each(i, record.as_deref()))
            }
            Of::Asked(n, one) => {
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

/// A vector over its bound, shortened to length one if it is longer; zero if it is not finite.
pub(super) fn shortened(mut x: Vec<f64>, bound: f64) -> Vec<f64> {
    if !x.iter().all(|x| x.is_finite()) {
        x.fill(0.0);
        return x;
    }
    let largest = x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    if largest == 0.0 {
        return x;
    }
    // In units of the largest coordinate no square overflows.
    let length = largest * x.iter().map(|x| (x / largest).powi(2)).sum::<f64>().sqrt();
    let divisor = bound.max(length);
    x.iter_mut().for_each(|x| *x /= divisor);
    x
}
