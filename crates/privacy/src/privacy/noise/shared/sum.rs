//! What one party adds up: vectors, or vectors and the products of their coordinates.

use super::super::products::upper_half;
use super::super::{ClippedSum, IncompleteMean, MomentSum};
use super::IntegerClip;

/// One party's sum, in steps: secret until noise is added or it is shared out.
#[derive(Debug, Clone)]
pub struct SharedSum(Of);

#[derive(Debug, Clone)]
enum Of {
    Vectors(ClippedSum),
    Moments(MomentSum),
    /// Of groups, one after the other.
    Groups(Vec<SharedSum>),
}

impl SharedSum {
    pub(super) fn vectors(clip: &IntegerClip, n: u64) -> Self {
        Self(Of::Vectors(ClippedSum::new(clip, n)))
    }

    pub(super) fn moments(clip: &IntegerClip, first: usize, shift: u32, n: u64) -> Self {
        let all: Vec<usize> = (0..first).collect();
        Self(Of::Moments(MomentSum::new(clip, &all, shift, n)))
    }

    /// Sums of disjoint groups of records as one.
    pub fn of_groups(sums: Vec<Self>) -> Self {
        Self(Of::Groups(sums))
    }

    /// Adds one record, or a failed one.
    ///
    /// # Errors
    /// [`IncompleteMean::Length`], [`IncompleteMean::Count`] when n have been given already, [`IncompleteMean::Mismatch`] for a sum of groups.
    pub fn add(&mut self, record: Option<&[f64]>) -> Result<(), IncompleteMean> {
        match &mut self.0 {
            Of::Vectors(sum) => sum.add(record),
            Of::Moments(sum) => sum.add(record),
            Of::Groups(_) => Err(IncompleteMean::Mismatch),
        }
    }

    /// Adds the records of another sum.
    ///
    /// # Errors
    /// [`IncompleteMean::Mismatch`] unless both have the same settings, [`IncompleteMean::Count`] beyond n.
    pub fn merge(&mut self, other: &Self) -> Result<(), IncompleteMean> {
        match (&mut self.0, &other.0) {
            (Of::Vectors(sum), Of::Vectors(other)) => sum.merge(other),
            (Of::Moments(sum), Of::Moments(other)) => sum.merge(other),
            _ => Err(IncompleteMean::Mismatch),
        }
    }

    /// Whether all n records are in.
    ///
    /// # Errors
    /// [`IncompleteMean::Count`].
    pub fn check_complete(&self) -> Result<(), IncompleteMean> {
        match &self.0 {
            Of::Vectors(sum) => sum.check_complete(),
            Of::Moments(sum) => sum.check_complete(),
            Of::Groups(sums) => sums.iter().try_for_each(Self::check_complete),
        }
    }

    /// Whether it was made by this clip for so many groups; `products`: of how many first coordinates, rounded to so many digits less.
    pub(super) fn fits(&self, groups: usize, clip: &IntegerClip, products: Option<(usize, u32)>) -> bool {
        match &self.0 {
            Of::Groups(sums) => sums.len() == groups && sums.iter().all(|sum| sum.fits(1, clip, products)),
            Of::Vectors(sum) => groups == 1 && products.is_none() && sum.clip() == clip,
            Of::Moments(sum) => {
                let settings = (sum.second().len(), sum.shift());
                let same = products.is_some_and(|(first, shift)| settings == (upper_half(first), shift));
                groups == 1 && same && sum.clip() == clip
            }
        }
    }

    /// In steps: the vectors' sum, then that of the products; one group after the other.
    pub(super) fn steps(&self) -> Vec<i128> {
        match &self.0 {
            Of::Vectors(sum) => sum.steps().to_vec(),
            Of::Moments(sum) => [sum.first(), sum.second()].concat(),
            Of::Groups(sums) => sums.iter().flat_map(Self::steps).collect(),
        }
    }
}
