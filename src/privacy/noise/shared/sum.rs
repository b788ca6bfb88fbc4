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
}

impl SharedSum {
    pub(super) fn vectors(clip: &IntegerClip, n: u64) -> Self {
        Self(Of::Vectors(ClippedSum::new(clip, n)))
    }

    pub(super) fn moments(clip: &IntegerClip, shift: u32, n: u64) -> Self {
        let all: Vec<usize> = (0..clip.dimension()).collect();
        Self(Of::Moments(MomentSum::new(clip, &all, shift, n)))
    }

    /// Adds one record, or a failed one.
    ///
    /// # Errors
    /// [`IncompleteMean::Length`], [`IncompleteMean::Count`] when n have been given already.
    pub fn add(&mut self, record: Option<&[f64]>) -> Result<(), IncompleteMean> {
        match &mut self.0 {
            Of::Vectors(sum) => sum.add(record),
            Of::Moments(sum) => sum.add(record),
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
        }
    }

    /// Whether it was made by this clip, with products rounded to so many digits less (`None`: without products).
    pub(super) fn fits(&self, clip: &IntegerClip, shift: Option<u32>) -> bool {
        match &self.0 {
            Of::Vectors(sum) => shift.is_none() && sum.clip() == clip,
            Of::Moments(sum) => shift == Some(sum.shift()) && sum.clip() == clip,
        }
    }

    /// In steps: the vectors' sum, then that of the products.
    pub(super) fn steps(&self) -> Vec<i128> {
        match &self.0 {
            Of::Vectors(sum) => sum.steps().to_vec(),
            Of::Moments(sum) => [sum.first(), sum.second()].concat(),
        }
    }
}
