//! What one party adds up: vectors, or vectors and the products of their coordinates.

use super::super::{ClippedSum, IncompleteMean, MomentSum};
use super::IntegerClip;

/// One party's sum, in steps: secret until noise is added or it is shared out.
#[derive(Debug, Clone)]
pub struct SharedSum(Of);

#[derive(Debug, Clone)]
enum Of {
    Vectors(ClippedSum),
    Moments(MomentSum),
    /// Products alone.
    Products(MomentSum),
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

    /// Of the products of all coordinates.
    pub(super) fn products(clip: &IntegerClip, shift: u32, n: u64) -> Self {
        let all: Vec<usize> = (0..clip.dimension()).collect();
        Self(Of::Products(MomentSum::new(clip, &all, shift, n)))
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
            Of::Moments(sum) | Of::Products(sum) => sum.add(record),
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
            (Of::Moments(sum), Of::Moments(other)) | (Of::Products(sum), Of::Products(other)) => {
                sum.merge(other)
            }
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
            Of::Moments(sum) | Of::Products(sum) => sum.check_complete(),
            Of::Groups(sums) => sums.iter().try_for_each(Self::check_complete),
        }
    }

    /// Whether it is of so many groups, each made as `one` is.
    pub(super) fn fits(&self, groups: usize, one: &Self) -> bool {
        match (&self.0, &one.0) {
            (Of::Groups(sums), _) => sums.len() == groups && sums.iter().all(|sum| sum.fits(1, one)),
            (Of::Vectors(sum), Of::Vectors(one)) => groups == 1 && sum.clip() == one.clip(),
            (Of::Moments(sum), Of::Moments(one)) | (Of::Products(sum), Of::Products(one)) => {
                let settings = |sum: &MomentSum| (sum.second().len(), sum.shift());
                groups == 1 && sum.clip() == one.clip() && settings(sum) == settings(one)
            }
            _ => false,
        }
    }

    /// In steps: the vectors' sum, then that of the products; one group after the other.
    pub(super) fn steps(&self) -> Vec<i128> {
        match &self.0 {
            Of::Vectors(sum) => sum.steps().to_vec(),
            Of::Moments(sum) => [sum.first(), sum.second()].concat(),
            Of::Products(sum) => sum.second().to_vec(),
            Of::Groups(sums) => sums.iter().flat_map(Self::steps).collect(),
        }
    }
}
