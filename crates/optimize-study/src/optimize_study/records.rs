//! Which records of an array take part, and whose they are.

use super::error::OptimizeStudyError;
use crate::io::npy::Array;
use crate::job::unusable::Problem;
use crate::job::{Counting, People, PeopleError, Unusable};
use crate::optimize::{OptimizeError, OracleError};
use std::borrow::Cow;

/// Records that take part.
pub(super) struct Records<'a> {
    /// Those, one after the other.
    pub(super) array: Cow<'a, Array>,
    /// Their places in the file.
    places: Vec<usize>,
    /// The others.
    pub(super) problems: Vec<Problem>,
}

impl<'a> Records<'a> {
    /// All of them, or those that fit where the others contribute zero.
    ///
    /// # Errors
    /// [`OptimizeStudyError::NoneUsable`].
    pub(super) fn of(
        array: &'a Array,
        unusable: Unusable,
        fits: impl Fn(&[f64]) -> bool,
    ) -> Result<Self, OptimizeStudyError> {
        let (n, size) = (array.shape.first().copied().unwrap_or(0), size(array));
        if unusable == Unusable::Refuse || size == 0 {
            let places = (0..n.min(array.data.len())).collect();
            return Ok(Self { array: Cow::Borrowed(array), places, problems: Vec::new() });
        }
        let rows = array.data.chunks_exact(size).enumerate().filter(|(_, row)| fits(row));
        let (places, rows): (Vec<usize>, Vec<&[f64]>) = rows.unzip();
        if rows.is_empty() && n > 0 {
            return Err(OptimizeStudyError::NoneUsable(n));
        }
        let problem = |record| Problem { record, what: NO_GRADIENT.into() };
        let problems = (0..n).filter(|i| places.binary_search(i).is_err()).map(problem).collect();
        let mut shape = array.shape.clone();
        shape.iter_mut().take(1).for_each(|n| *n = rows.len());
        Ok(Self { array: Cow::Owned(Array { shape, data: rows.concat() }), places, problems })
    }

    /// Refuses two people's records that are alike to the last bit, or up to rounding.
    pub(super) fn refuse_copies(&self, counting: &Counting, people: &People) -> Result<(), PeopleError> {
        let rows = self.array.data.chunks_exact(size(&self.array).max(1));
        let mut records = vec![None; self.places.last().map_or(0, |last| last + 1)];
        self.places.iter().zip(rows).for_each(|(&place, row)| records[place] = Some(row));
        counting.refuse_alike(people, &records, |i| format!("record {} (counting from 1)", i + 1))
    }

    /// Those that cannot be used: these persons' too, who have no gradient at the start.
    pub(super) fn all_problems(&self, persons: &[usize], people: &People) -> Vec<Problem> {
        let members = people.members();
        let own = persons.iter().filter_map(|&person| members.get(person)).flatten();
        let more = own.filter(|record| self.places.binary_search(record).is_ok());
        let problem = |&record| Problem { record, what: "it has no gradient at the start point".into() };
        let mut all: Vec<Problem> = self.problems.iter().cloned().chain(more.map(problem)).collect();
        all.sort_by_key(|problem| problem.record);
        all
    }

    /// An error about a person as one about their first record.
    pub(super) fn named(&self, error: OptimizeError, people: &People) -> OptimizeError {
        let members = people.members();
        let first = |person: usize| {
            let own = members.get(person)?;
            own.iter().copied().find(|record| self.places.binary_search(record).is_ok())
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

/// What is wrong with a record that does not fit.
const NO_GRADIENT: &str = "off the manifold, not a number, or without a direction: it has no gradient";

/// Numbers of a record.
fn size(array: &Array) -> usize {
    array.shape.get(1..).unwrap_or_default().iter().product()
}
