//! The mean of clipped records, summed in integers: a sensitivity without fine print.

use super::lattice::{Lattice, step_for};
use super::vectors::describe;
use super::{GaussianRelease, NoiseError, NoiseSource};
use crate::privacy::rounding::{add_up, div_up, sqrt_up};
use crate::privacy::{Charge, ClipRadius, Ledger, LedgerError, Mu, PrivacyLoss, Statement};

/// A clipped mean that cannot be released. (n and the number of records given are the data holder's own counts; a
/// failed scan is given as `None` and counts.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IncompleteMean {
    /// No records declared, or no coordinates.
    #[error("a mean needs at least one record and one coordinate")]
    Empty,
    /// Fewer or more records than declared.
    #[error(
        "n = {declared} records were declared, {given} given; failed scans must be given too (as failures)"
    )]
    Count {
        /// n.
        declared: u64,
        /// How many came.
        given: u64,
    },
    /// A record of another length.
    #[error("a record has {found} coordinates, expected {expected}")]
    Length {
        /// The mean's dimension.
        expected: usize,
        /// The record's.
        found: usize,
    },
    /// Means of different settings cannot be merged.
    #[error("two partial means differ in their settings and cannot be merged")]
    Mismatch,
    /// More records than exact sums have room for.
    #[error("more than 2^40 records")]
    TooMany,
}

/// Why nothing was released.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReleaseError {
    /// Nothing was charged.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The mean was not ready (nothing charged), or the noise could not be drawn (charges are not refunded).
    #[error(transparent)]
    Noise(#[from] NoiseError),
}

/// (1/n) Σ clip_τ(xᵢ) + Gaussian noise, μ-GDP under replacement of one record, with no floating-point assumption.
///
/// Each record is clipped to norm τ, rounded to a public lattice, and its norm is then checked *in integers* against
/// the bound B = ⌈τ/g + √d/2⌉; should rounding have left it outside, it is shrunk further. Integer sums are exact and
/// independent of order, so the sum has sensitivity exactly 2B steps, and noise of M = ⌈2B/μ⌉ steps (see
/// [`super`]) makes it exactly μ-GDP. Dividing by n is post-processing.
///
/// A record that is `None`, or that has a coordinate that is not finite, is a failed scan: it contributes zero (the
/// public template, when records are deviations from it) and still counts.
///
/// ```
/// use visard::privacy::{ClipRadius, ClipSource, ClippedMean, Ledger, Mu, noise::NoiseSource};
/// let mu = Mu::new(1.0)?;
/// let mut mean = ClippedMean::new(2, 3, ClipRadius::new(1.0, ClipSource::Public)?, mu)?;
/// mean.add(Some(&[0.5, 0.5]))?;
/// mean.add(Some(&[300.0, 0.0]))?; // clipped to (1, 0)
/// mean.add(None)?; // a failed scan
/// let mut ledger = Ledger::in_memory(None);
/// let (release, statement) = mean.publish("clipped mean", &mut ledger, &mut NoiseSource::from_os()?)?;
/// assert!((release.sigma - 2.0 / 3.0).abs() < 1e-8);
/// assert!(statement.certify()?.private);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct ClippedMean {
    lattice: Lattice,
    /// B, in steps.
    bound: u64,
    radius: ClipRadius,
    mu: Mu,
    declared: u64,
    given: u64,
    sums: Vec<i128>,
}

impl ClippedMean {
    /// An empty mean of `n` records of `dim` coordinates, to be clipped to `radius` and released at `mu`. All of these
    /// are public; none may be learnt from the records.
    ///
    /// # Errors
    /// [`NoiseError::Incomplete`] for n = 0 or dim = 0, [`NoiseError::OutOfScale`] for extreme radii.
    pub fn new(dim: usize, n: u64, radius: ClipRadius, mu: Mu) -> Result<Self, NoiseError> {
        if n == 0 || dim == 0 {
            return Err(IncompleteMean::Empty.into());
        }
        if n > 1 << 40 {
            return Err(IncompleteMean::TooMany.into());
        }
        let root = sqrt_up(dim as f64);
        let step = step_for(2.0 * radius.get(), mu.get(), root)?;
        let bound = add_up(div_up(radius.get(), step), 0.5 * root).ceil();
        if bound >= (1u64 << 59) as f64 {
            return Err(NoiseError::OutOfScale);
        }
        let bound = bound as u64;
        let lattice = Lattice::with_step(step, 2 * bound, mu)?;
        Ok(Self { lattice, bound, radius, mu, declared: n, given: 0, sums: vec![0; dim] })
    }

    /// Adds one record, or a failed one.
    ///
    /// # Errors
    /// [`IncompleteMean::Length`], [`IncompleteMean::Count`] when n have been given already.
    pub fn add(&mut self, record: Option<&[f64]>) -> Result<(), IncompleteMean> {
        let expected = self.sums.len();
        if let Some(found) = record.map(<[f64]>::len).filter(|found| *found != expected) {
            return Err(IncompleteMean::Length { expected, found });
        }
        if self.given == self.declared {
            return Err(IncompleteMean::Count { declared: self.declared, given: self.given + 1 });
        }
        self.given += 1;
        if let Some(record) = record.filter(|record| record.iter().all(|x| x.is_finite())) {
            let clipped = self.clip(record);
            for (sum, k) in self.sums.iter_mut().zip(clipped) {
                *sum += i128::from(k);
            }
        }
        Ok(())
    }

    /// Adds the records of another partial sum (summed elsewhere, as in parallel work).
    ///
    /// # Errors
    /// [`IncompleteMean::Mismatch`] unless both have the same settings, [`IncompleteMean::Count`] beyond n.
    pub fn merge(&mut self, other: &Self) -> Result<(), IncompleteMean> {
        let same = self.lattice == other.lattice
            && self.bound == other.bound
            && self.mu == other.mu
            && self.declared == other.declared
            && self.sums.len() == other.sums.len();
        if !same {
            return Err(IncompleteMean::Mismatch);
        }
        let given = self.given + other.given;
        if given > self.declared {
            return Err(IncompleteMean::Count { declared: self.declared, given });
        }
        self.given = given;
        for (sum, more) in self.sums.iter_mut().zip(&other.sums) {
            *sum += more;
        }
        Ok(())
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

    /// Draws the noise and releases the mean. `sigma` of the release is that of the mean, σ ≥ 2τ/(nμ) by a factor of
    /// at most 1 + 2⁻³⁰.
    ///
    /// # Errors
    /// [`NoiseError`]; nothing has been drawn then.
    pub fn release(self, noise: &mut NoiseSource, paid: Charge) -> Result<GaussianRelease, NoiseError> {
        self.check_complete()?;
        let n = self.declared as f64;
        let steps = noise.gaussian_steps(&self.sums, &self.lattice, self.mu, &paid)?;
        let values = steps.into_iter().map(|k| self.lattice.to_f64(k) / n).collect();
        let mut noise =
            describe("gaussian", &self.lattice, self.sums.len(), "exact normal (Karney 2016), rounded");
        noise.scale = div_up(noise.scale, n);
        noise.step = noise.step.map(|step| step / n);
        Ok(GaussianRelease { values, sigma: noise.scale, noise })
    }

    /// Checks that all records are in, charges `ledger`, draws the noise and states what a certificate needs, in that
    /// order: nothing is charged for a mean that cannot be released, and nothing is drawn unpaid.
    ///
    /// # Errors
    /// [`ReleaseError`].
    pub fn publish(
        self,
        mechanism: &str,
        ledger: &mut Ledger,
        noise: &mut NoiseSource,
    ) -> Result<(GaussianRelease, Statement), ReleaseError> {
        self.check_complete().map_err(NoiseError::from)?;
        let (loss, n) = (PrivacyLoss::Gaussian(self.mu), self.declared);
        let (radius, sensitivity) = (self.radius, self.sensitivity());
        let paid = ledger.charge(mechanism, loss)?;
        let mut statement = Statement::new(mechanism, n, loss);
        statement.recorded = paid.is_durable();
        statement.seeded = noise.is_seeded();
        statement.sensitivity = Some(sensitivity);
        statement.clip_radius = Some(radius);
        let release = self.release(noise, paid)?;
        statement.noise = Some(release.noise.clone());
        Ok((release, statement))
    }

    /// How far one record can move the mean in the L2 norm, 2Bg/n, rounded up: 2τ/n and a little for the lattice.
    pub fn sensitivity(&self) -> f64 {
        div_up(2.0 * self.bound as f64 * self.lattice.step(), self.declared as f64).next_up()
    }

    /// The clip radius τ.
    pub fn radius(&self) -> ClipRadius {
        self.radius
    }

    /// The mean without noise: for the data holder's eyes, never for a release.
    pub fn nonprivate_mean(&self) -> Vec<f64> {
        self.sums.iter().map(|k| self.lattice.to_f64(*k) / self.declared as f64).collect()
    }

    /// The record clipped to τ and rounded, its norm at most B in exact integer arithmetic.
    fn clip(&self, record: &[f64]) -> Vec<i64> {
        let largest = record.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        if largest == 0.0 {
            return vec![0; record.len()];
        }
        // In units of the largest coordinate no square overflows or underflows.
        let ratio = record.iter().map(|x| (x / largest).powi(2)).sum::<f64>().sqrt();
        let (unit, mut scale) = if largest * ratio > self.radius.get() {
            (largest, self.radius.get() / ratio)
        } else {
            (1.0, 1.0)
        };
        let mut shrink = 1e-13;
        let limit = u128::from(self.bound).pow(2);
        loop {
            let steps: Vec<i64> = record
                .iter()
                .map(|x| (x / unit * scale / self.lattice.step()).round_ties_even() as i64)
                .collect();
            // |k| ≤ 2⁶³ and casts saturate, so each square fits; a sum that does not is certainly too large.
            let square = steps
                .iter()
                .try_fold(0u128, |sum, k| sum.checked_add(u128::from(k.unsigned_abs()).pow(2)))
                .unwrap_or(u128::MAX);
            if square <= limit {
                return steps;
            }
            // Only float error in the norm leads here, and one or two rounds mend it.
            scale *= 1.0 - shrink;
            shrink = (2.0 * shrink).min(0.5);
        }
    }
}

#[cfg(test)]
impl ClippedMean {
    pub(super) fn integer_sums(&self) -> &[i128] {
        &self.sums
    }
    pub(super) fn integer_bound(&self) -> u64 {
        self.bound
    }
    pub(super) fn multiplier(&self) -> u64 {
        self.lattice.multiplier()
    }
    pub(super) fn step(&self) -> f64 {
        self.lattice.step()
    }
}
