//! Clipped records and the products of their coordinates, added up in integers.

use super::super::IncompleteMean;
use super::super::integer_clip::IntegerClip;
use super::super::products::upper_half;

/// Clipped records and rounded products of their chosen coordinates, added up in integers: secret until noise is added.
#[derive(Debug, Clone)]
pub struct MomentSum {
    clip: IntegerClip,
    chosen: Vec<usize>,
    shift: u32,
    declared: u64,
    given: u64,
    first: Vec<i128>,
    /// The upper half, row by row.
    second: Vec<i128>,
}

impl MomentSum {
    pub(in super::super) fn new(clip: &IntegerClip, chosen: &[usize], shift: u32, declared: u64) -> Self {
        let (first, second) = (vec![0; clip.dimension()], vec![0; upper_half(chosen.len())]);
        Self { clip: clip.clone(), chosen: chosen.to_vec(), shift, declared, given: 0, first, second }
    }

    /// How many records are in it, and the two sums in steps, one after the other: secret, for records that are added up in parts.
    pub fn written(&self) -> (u64, Vec<i128>) {
        (self.given, [&self.first[..], &self.second].concat())
    }

    /// Of these settings, as it was written down ([`Self::written`]).
    ///
    /// # Errors
    /// [`IncompleteMean::Mismatch`] for what no sum of so many records can be, [`IncompleteMean::Count`] beyond n.
    pub fn read(self, given: u64, mut sums: Vec<i128>) -> Result<Self, IncompleteMean> {
        if given > self.declared {
            return Err(IncompleteMean::Count { declared: self.declared, given });
        }
        let (first, bound) = (self.first.len(), u128::from(self.clip.bound()));
        // A product of two coordinates of a record is at most B², and is rounded up by less than one step.
        let product = (bound.saturating_mul(bound) >> self.shift) + 1;
        let within = |sums: &[i128], most: u128| {
            sums.iter().all(|k| k.unsigned_abs() <= most.saturating_mul(u128::from(given)))
        };
        if sums.len() != first + self.second.len()
            || !within(&sums[..first], bound)
            || !within(&sums[first..], product)
        {
            return Err(IncompleteMean::Mismatch);
        }
        let second = sums.split_off(first);
        Ok(Self { given, first: sums, second, ..self })
    }

    /// Adds one record, or a failed one.
    ///
    /// # Errors
    /// [`IncompleteMean::Length`], [`IncompleteMean::Count`] when n have been given already.
    pub fn add(&mut self, record: Option<&[f64]>) -> Result<(), IncompleteMean> {
        let expected = self.first.len();
        if let Some(found) = record.map(<[f64]>::len).filter(|found| *found != expected) {
            return Err(IncompleteMean::Length { expected, found });
        }
        if self.given == self.declared {
            return Err(IncompleteMean::Count { declared: self.declared, given: self.given + 1 });
        }
        self.given += 1;
        if let Some(clipped) = record.and_then(|record| self.clip.clip(record)) {
            self.add_clipped(&clipped);
        }
        Ok(())
    }

    /// Adds a person of several records: the averages of their clipped records and of these' products, failed ones left out.
    ///
    /// # Errors
    /// As for [`Self::add`].
    pub fn add_averaged(&mut self, records: &[Option<&[f64]>]) -> Result<(), IncompleteMean> {
        // One at most is as good as before, and the average of none is a failed record.
        self.add(None)?;
        let expected = self.first.len();
        if let Some(found) = records.iter().flatten().map(|record| record.len()).find(|n| *n != expected) {
            self.given -= 1;
            return Err(IncompleteMean::Length { expected, found });
        }
        let clipped: Vec<Vec<i64>> =
            records.iter().flatten().filter_map(|record| self.clip.clip(record)).collect();
        self.add_average(&clipped);
        Ok(())
    }

    fn add_clipped(&mut self, clipped: &[i64]) {
        self.add_average(std::slice::from_ref(&clipped));
    }

    fn add_average(&mut self, clipped: &[impl AsRef<[i64]>]) {
        let count = clipped.len() as i128;
        match clipped {
            [] => {}
            [one] => {
                let one = one.as_ref();
                self.first.iter_mut().zip(one).for_each(|(sum, k)| *sum += i128::from(*k));
                let chosen: Vec<i128> = self.chosen.iter().map(|i| i128::from(one[*i])).collect();
                // ⌊x/2^t + ½⌋: shifts of negative numbers round down.
                let half = (1i128 << self.shift) >> 1;
                let mut entries = self.second.iter_mut();
                for (i, a) in chosen.iter().enumerate() {
                    for (b, sum) in chosen[i..].iter().zip(&mut entries) {
                        *sum += (a * b + half) >> self.shift;
                    }
                }
            }
            several => {
                let rounded = |x: i128, unit: i128| (2 * x + unit).div_euclid(2 * unit);
                for (i, sum) in self.first.iter_mut().enumerate() {
                    *sum += rounded(several.iter().map(|k| i128::from(k.as_ref()[i])).sum(), count);
                }
                let mut entries = self.second.iter_mut();
                for (at, &i) in self.chosen.iter().enumerate() {
                    for (&j, sum) in self.chosen[at..].iter().zip(&mut entries) {
                        let product = |k: &[i64]| i128::from(k[i]) * i128::from(k[j]);
                        let products = several.iter().map(|k| product(k.as_ref())).sum();
                        *sum += rounded(products, count << self.shift);
                    }
                }
            }
        }
    }

    /// Adds the records of another sum.
    ///
    /// # Errors
    /// [`IncompleteMean::Mismatch`] unless both have the same settings, [`IncompleteMean::Count`] beyond n.
    pub fn merge(&mut self, other: &Self) -> Result<(), IncompleteMean> {
        if !self.fits(other) {
            return Err(IncompleteMean::Mismatch);
        }
        let given = self.given + other.given;
        if given > self.declared {
            return Err(IncompleteMean::Count { declared: self.declared, given });
        }
        self.given = given;
        self.first.iter_mut().zip(&other.first).for_each(|(sum, more)| *sum += more);
        self.second.iter_mut().zip(&other.second).for_each(|(sum, more)| *sum += more);
        Ok(())
    }

    pub(in super::super) fn fits(&self, other: &Self) -> bool {
        (&self.clip, &self.chosen, self.shift, self.declared)
            == (&other.clip, &other.chosen, other.shift, other.declared)
    }

    /// Whether all n records are in: to be asked before the ledger is charged.
    ///
    /// # Errors
    /// [`IncompleteMean::Count`].
    pub fn check_complete(&self) -> Result<(), IncompleteMean> {
        if self.given == self.declared {
            Ok(())
        } else {
            Err(IncompleteMean::Count { declared: self.declared, given: self.given })
        }
    }

    pub(in super::super) fn shift(&self) -> u32 {
        self.shift
    }

    pub(in super::super) fn clip(&self) -> &IntegerClip {
        &self.clip
    }

    pub(in super::super) fn first(&self) -> &[i128] {
        &self.first
    }

    pub(in super::super) fn second(&self) -> &[i128] {
        &self.second
    }
}
