//! Records as samples of functions, and what is released of them.

use super::Norm;
use crate::function::FaceCurves;
use crate::mechanism::{MechanismError, UnseenShares};
use crate::privacy::noise::{MomentSum, NoisedSecond, SharedSum};
use crate::privacy::{ClippedMean, ClippedSum, IncompleteMean, LENGTHENED};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::borrow::Cow;
use visard_base::parallel;

/// n functions by their samples, one at a time: they may be read from a disk when they are asked for.
pub trait FunctionRecords: Sync {
    /// n, failed ones included.
    fn count(&self) -> usize;

    /// The samples `(points, channels)` of record `i` < n, in C order; `None` for one that could not be made. It contributes
    /// zero in every round, so that failures change neither n nor the sensitivity, and tell nothing.
    fn samples(&self, i: usize) -> Option<Cow<'_, [f64]>>;

    /// The logarithm of its size in units of a public one, where records have sizes; a missing or infinite one contributes zero too.
    fn log_size(&self, _: usize) -> Option<f64> {
        None
    }

    /// Which share of it, 0 to 1, was not seen and is what a public template has there.
    fn filled(&self, _: usize) -> f64 {
        0.0
    }
}

/// What is added up of a record.
pub(super) struct Given<'a> {
    /// Which record, from 0.
    pub index: usize,
    pub samples: Option<&'a [f64]>,
    pub log_size: Option<f64>,
    pub filled: f64,
}

impl FunctionRecords for Vec<Option<Vec<f64>>> {
    fn count(&self) -> usize {
        self.len()
    }
    fn samples(&self, i: usize) -> Option<Cow<'_, [f64]>> {
        self.get(i)?.as_deref().map(Cow::Borrowed)
    }
}

impl FunctionRecords for Vec<Option<FaceCurves>> {
    fn count(&self) -> usize {
        self.len()
    }
    fn samples(&self, i: usize) -> Option<Cow<'_, [f64]>> {
        self.get(i)?.as_ref().map(|curves| Cow::Borrowed(curves.data()))
    }
}

/// Samples of people, and which share of each was not seen and is what a public template has there, 0 to 1.
#[derive(Debug, Clone, Default)]
pub struct FilledIn {
    /// `None` for a person without a usable record.
    pub samples: Vec<Option<Vec<f64>>>,
    /// One a person; missing ones are 0.
    pub filled: Vec<f64>,
}

impl FunctionRecords for FilledIn {
    fn count(&self) -> usize {
        self.samples.len()
    }
    fn samples(&self, i: usize) -> Option<Cow<'_, [f64]>> {
        self.samples.samples(i)
    }
    fn filled(&self, i: usize) -> f64 {
        self.filled.get(i).copied().unwrap_or(0.0)
    }
}

/// Some of the records.
#[doc(hidden)]
pub struct ChosenRecords<'a> {
    /// All of them.
    pub records: &'a dyn FunctionRecords,
    /// The places of those that are meant.
    pub chosen: Vec<usize>,
}

impl FunctionRecords for ChosenRecords<'_> {
    fn count(&self) -> usize {
        self.chosen.len()
    }
    fn samples(&self, i: usize) -> Option<Cow<'_, [f64]>> {
        self.records.samples(*self.chosen.get(i)?)
    }
    fn filled(&self, i: usize) -> f64 {
        self.chosen.get(i).map_or(0.0, |&i| self.records.filled(i))
    }
}

/// What noised coordinates tell of a mean: post-processing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Estimate {
    /// Its samples, `(points, channels)`.
    pub samples: Vec<f64>,
    /// The expected squared error of each against the mean without noise, bias included.
    pub errors: Vec<f64>,
}

/// A released mean of functions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoisedFunction {
    /// Its samples, after post-processing.
    pub samples: Vec<f64>,
    /// The noised coordinates that the samples were made from, of records as long as the clip left them: as private as these.
    pub coordinates: Vec<f64>,
    /// The standard deviation of the noise in each coordinate.
    pub sigma: f64,
    /// The expected squared error of each sample, bias included, estimated from the noised coordinates.
    #[serde(default)]
    pub errors: Vec<f64>,
    /// The samples of the private centre that the coordinates are deviations from, where it is not public.
    #[serde(default)]
    pub centre: Vec<f64>,
    /// The noised second moment of some of the coordinates about that centre, where one came with them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moments: Option<NoisedSecond>,
    /// The mean logarithm of the records' sizes, where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<NoisedSize>,
    /// Which shares of the records it was made without, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unseen: Option<UnseenShares>,
    /// The norm that the coordinates are weighted in, where noised counts chose it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub norm: Option<Norm>,
    /// How many times as long as what a public radius left of them records were found to be; the samples are made of coordinates so much longer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lengthened: Option<f64>,
    /// What was released in this step of a stream, in steps of its lattice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exact: Vec<i128>,
}

/// A released mean logarithm of sizes, in units of a public one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NoisedSize {
    /// After shrinkage.
    pub log: f64,
    /// Its expected squared error against the mean without noise, bias included.
    pub error: f64,
}

impl NoisedFunction {
    /// What was drawn, and what is made of it.
    pub(super) fn new(estimate: Estimate, coordinates: Vec<f64>, sigma: f64) -> Self {
        let Estimate { samples, errors } = estimate;
        Self {
            samples,
            coordinates,
            sigma,
            errors,
            centre: Vec::new(),
            moments: None,
            size: None,
            unseen: None,
            norm: None,
            lengthened: None,
            exact: Vec::new(),
        }
    }

    /// What certificates say beside it: which records it was made without, and by what it was multiplied.
    pub fn details(&self) -> Vec<(String, Value)> {
        let lengthened = self.lengthened.map(|times| (LENGTHENED.to_owned(), json!(times)));
        [UnseenShares::detail_of(self.unseen)].into_iter().chain(lengthened).collect()
    }

    /// The estimated mean square error per point, channels summed; bias included.
    pub fn mean_square_error(&self, points: usize) -> f64 {
        self.errors.iter().sum::<f64>() / points.max(1) as f64
    }
}

/// Adds up what `vector` makes of every record (`None` counts as zero), on all threads; the sum does not depend on their order.
pub(super) fn sum_of(
    mean: &ClippedMean,
    records: &dyn FunctionRecords,
    length: usize,
    vector: impl Fn(Option<&[f64]>) -> Option<Vec<f64>> + Sync,
) -> Result<ClippedSum, MechanismError> {
    add_up(|| mean.sum(), records, length, |given| vector(given.samples))
}

/// A sum of records, made in parts.
pub(super) trait PartialSum: Send {
    /// Adds one record, or a failed one.
    fn add(&mut self, record: Option<&[f64]>) -> Result<(), IncompleteMean>;
    /// Adds the records of another sum.
    fn merge(&mut self, other: &Self) -> Result<(), IncompleteMean>;
    /// Whether all n records are in.
    fn check_complete(&self) -> Result<(), IncompleteMean>;
}

macro_rules! partial_sum {
    ($sum:ty) => {
        impl PartialSum for $sum {
            fn add(&mut self, record: Option<&[f64]>) -> Result<(), IncompleteMean> {
                <$sum>::add(self, record)
            }
            fn merge(&mut self, other: &Self) -> Result<(), IncompleteMean> {
                <$sum>::merge(self, other)
            }
            fn check_complete(&self) -> Result<(), IncompleteMean> {
                <$sum>::check_complete(self)
            }
        }
    };
}

partial_sum!(ClippedSum);
partial_sum!(MomentSum);
partial_sum!(SharedSum);

/// As [`sum_of`], into sums that begin as `empty`, of all that is given of a record.
pub(super) fn add_up<S: PartialSum>(
    empty: impl Fn() -> S + Sync,
    records: &dyn FunctionRecords,
    length: usize,
    vector: impl Fn(&Given<'_>) -> Option<Vec<f64>> + Sync,
) -> Result<S, MechanismError> {
    let sum = add_some(empty, records, length, vector)?;
    sum.check_complete().map_err(crate::privacy::noise::NoiseError::from)?;
    Ok(sum)
}

/// The same for records that may be some of the n.
pub(super) fn add_some<S: PartialSum>(
    empty: impl Fn() -> S + Sync,
    records: &dyn FunctionRecords,
    length: usize,
    vector: impl Fn(&Given<'_>) -> Option<Vec<f64>> + Sync,
) -> Result<S, MechanismError> {
    let add = |sum: &mut S, i: usize| -> Result<(), IncompleteMean> {
        let samples = records.samples(i);
        if let Some(found) = samples.as_ref().map(|s| s.len()).filter(|found| *found != length) {
            return Err(IncompleteMean::Length { expected: length, found });
        }
        let (log_size, filled) = (records.log_size(i), records.filled(i));
        sum.add(vector(&Given { index: i, samples: samples.as_deref(), log_size, filled }).as_deref())
    };
    // Long blocks: a sum takes as much memory as a few records.
    let shares = parallel::shares(records.count(), 64);
    let part = |k: usize| -> Result<S, IncompleteMean> {
        let mut sum = empty();
        shares[k].clone().try_for_each(|i| add(&mut sum, i))?;
        Ok(sum)
    };
    let mut sum = empty();
    for part in parallel::try_map(shares.len(), part).map_err(crate::privacy::noise::NoiseError::from)? {
        sum.merge(&part).map_err(crate::privacy::noise::NoiseError::from)?;
    }
    Ok(sum)
}
