//! Which records of an array take part, and whose they are.

use super::error::OptimizeStudyError;
use crate::io::npy::Array;
use crate::optimize::{OptimizeError, OracleError};
use crate::study::people::sum_of;
use crate::study::points::Unusable;
use crate::study::{Identical, People, PeopleError};
use std::borrow::Cow;

/// Records that take part.
pub(super) struct Records<'a> {
    /// Those, one after the other.
    pub(super) array: Cow<'a, Array>,
    /// Their places in the file.
    places: Vec<usize>,
}

impl<'a> Records<'a> {
    /// All of them, or those that fit where unusable ones count as zero.
    pub(super) fn of(array: &'a Array, unusable: Unusable, fits: impl Fn(&[f64]) -> bool) -> Self {
        let (n, size) = (array.shape.first().copied().unwrap_or(0), size(array));
        if unusable == Unusable::Stop || size == 0 {
            return Self { array: Cow::Borrowed(array), places: (0..n.min(array.data.len())).collect() };
        }
        let rows = array.data.chunks_exact(size).enumerate().filter(|(_, row)| fits(row));
        let (places, rows): (Vec<usize>, Vec<&[f64]>) = rows.unzip();
        let mut shape = array.shape.clone();
        shape.iter_mut().take(1).for_each(|n| *n = rows.len());
        Self { array: Cow::Owned(Array { shape, data: rows.concat() }), places }
    }

    /// Refuses two people's records that are alike to the last bit.
    pub(super) fn refuse_identical(
        &self,
        identical: Identical,
        people: &People,
    ) -> Result<(), OptimizeStudyError> {
        if identical == Identical::Allow {
            return Ok(());
        }
        let rows = self.array.data.chunks_exact(size(&self.array).max(1));
        let mut sums = vec![None; self.places.last().map_or(0, |last| last + 1)];
        self.places.iter().zip(rows).for_each(|(&place, row)| sums[place] = Some(sum_of(row)));
        let name = |i: usize| format!("record {} (counting from 1)", i + 1);
        match people.identical(sums) {
            None => Ok(()),
            Some((first, second)) => {
                Err(PeopleError::Identical { first: name(first), second: name(second) }.into())
            }
        }
    }

    /// An error about a person as one about their first record.
    pub(super) fn named(&self, error: OptimizeError, people: &People) -> OptimizeError {
        let first = |person: usize| {
            let own = people.members().into_iter().nth(person)?;
            own.into_iter().find(|record| self.places.binary_search(record).is_ok())
        };
        match error {
            OptimizeError::Oracle(OracleError::NotFinite { record, count }) => {
                OptimizeError::Oracle(OracleError::NotFinite {
                    record: first(record).unwrap_or(record),
                    count,
                })
            }
            other => other,
        }
    }

    /// The records of each person by their places in [`Self::array`].
    pub(super) fn members(&self, people: &People) -> Vec<Vec<usize>> {
        let place = |i: &usize| self.places.binary_search(i).ok();
        people.members().iter().map(|own| own.iter().filter_map(place).collect()).collect()
    }
}

/// Numbers of a record.
fn size(array: &Array) -> usize {
    array.shape.get(1..).unwrap_or_default().iter().product()
}
