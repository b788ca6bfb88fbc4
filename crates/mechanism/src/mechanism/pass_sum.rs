//! What a pass over the records asks of them, where they are gone through in parts.

use super::MechanismError;
use serde::{Deserialize, Serialize};

/// What a pass needs of records: secret. Sums of disjoint records are merged in any order but for lengths, which are only counted and added up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum PassSum {
    /// For each set of records that is added up by itself (one, or one a group): how many records, and sums in whole steps of the mechanism's
    /// lattice.
    Steps(Vec<(u64, Vec<i128>)>),
    /// How far they lie from the centre, in one norm and in another where there is a choice.
    Lengths(Vec<f64>, Vec<f64>),
}

pub(super) const OTHER_PASS: MechanismError = MechanismError::Shape("these are passes of something else");
pub(super) const OTHER_SUM: MechanismError = MechanismError::Shape("these are not the sums of this pass");

impl PassSum {
    /// Adds that of other records.
    ///
    /// # Errors
    /// [`MechanismError`]: it is of another pass, or no sum can be so large.
    pub fn merge(&mut self, more: Self) -> Result<(), MechanismError> {
        match (self, more) {
            (Self::Steps(sums), Self::Steps(more)) if sums.len() == more.len() => {
                sums.iter_mut().zip(more).try_for_each(|(sum, more)| add(sum, &more))
            }
            (Self::Lengths(first, rough), Self::Lengths(more, others)) => {
                first.extend(more);
                rough.extend(others);
                Ok(())
            }
            _ => Err(MechanismError::Shape("these are sums of different passes")),
        }
    }

    /// The sums of every set.
    pub(super) fn steps(&self) -> Result<&[(u64, Vec<i128>)], MechanismError> {
        if let Self::Steps(steps) = self { Ok(steps) } else { Err(OTHER_SUM) }
    }

    /// The sum of the only set.
    pub(super) fn one(&self) -> Result<(u64, Vec<i128>), MechanismError> {
        if let [one] = self.steps()? { Ok(one.clone()) } else { Err(OTHER_SUM) }
    }

    /// Whether they are so many lengths.
    pub(super) fn check_lengths(&self, expected: [u64; 2]) -> Result<(), MechanismError> {
        let Self::Lengths(first, other) = self else { return Err(OTHER_SUM) };
        if [first, other].map(|lengths| lengths.len() as u64) == expected {
            return Ok(());
        }
        Err(MechanismError::Shape("the sums are not of all n records"))
    }
}

fn add((given, sums): &mut (u64, Vec<i128>), (n, more): &(u64, Vec<i128>)) -> Result<(), MechanismError> {
    if sums.len() != more.len() {
        return Err(MechanismError::Shape("these are sums of different passes"));
    }
    *given = given.checked_add(*n).ok_or(MechanismError::Shape("too many records"))?;
    let all: Option<Vec<i128>> = sums.iter().zip(more).map(|(a, b)| a.checked_add(*b)).collect();
    *sums = all.ok_or(MechanismError::Shape("a sum is larger than sums of records can be"))?;
    Ok(())
}
