//! The mean of clipped records and the second moment of some of their coordinates, under one Gaussian mechanism.

use super::integer_clip::IntegerClip;
use super::lattice::Lattice;
use super::products::{Products, bound_of, upper_half};
use super::vectors::{NORMAL, describe};
use super::{IncompleteMean, NoiseDescription, NoiseError, NoiseSource};
use crate::privacy::release::{Drawn, Mechanism, NoisedPart, Price, Title};
use crate::privacy::rounding::{div_up, mul_up};
use crate::privacy::{Charge, ClipRadius, L2Sensitivity, Mu, PrivacyLoss, Sensitivity};
use serde::{Deserialize, Serialize};

mod sum;
#[cfg(test)]
mod tests;
mod worst_case;

pub use sum::MomentSum;
pub use worst_case::CLIPPED_MOMENTS_ENTRY;

/// What certificates and ledgers call it.
pub(crate) const CLIPPED_MOMENTS: Title = Title {
    name: "clipped mean and second moment",
    sentence: "Every record is shortened to the public radius; the records are averaged, and so are the products of some of their \
               coordinates; normal noise that covers what any one record can do to both together is added.",
};

/// (1/n) Σ uᵢ and (1/n) Σ P uᵢuᵢᵀ P of records clipped to τ, P the projection on k chosen coordinates, with one Gaussian noise for
/// both: μ-GDP under replacement of one record, with no floating-point assumption.
///
#[doc = include_str!("clipped_moments/proof.md")]
///
/// # Failed records
/// As for [`super::ClippedMean`]: `None`, or a coordinate that is not finite, counts as the vector zero.
///
/// ```
/// use visard_privacy::privacy::{ClipRadius, ClipSource, Ledger, Mu, release};
/// use visard_privacy::privacy::noise::{ClippedMoments, NoiseSource};
/// let radius = ClipRadius::new(1.0, ClipSource::Public)?;
/// let moments = ClippedMoments::new(3, vec![0, 2], 2, radius, Mu::new(1.0)?, ClippedMoments::FREE)?;
/// let records = [Some(vec![0.5, 0.5, 0.0]), None];
/// let released = release(&moments, &records[..], &mut Ledger::in_memory(None), &mut NoiseSource::from_os()?)?;
/// // Three coordinates of the mean, with the noise 2τ/(nμ) that they would have alone; and the 2 × 2 matrix's upper half.
/// assert_eq!((released.value.mean.len(), released.value.second.entries.len()), (3, 3));
/// assert!((released.value.mean_sigma - 1.0).abs() < 1e-8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct ClippedMoments {
    clip: IntegerClip,
    radius: ClipRadius,
    chosen: Vec<usize>,
    mu: Mu,
    scales: Scales,
    price: Price,
}

/// What the noise is drawn on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scales {
    pub(super) mean: Lattice,
    pub(super) products: Products,
}

/// A noised second moment of some coordinates: symmetric, its noise white in the Frobenius norm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoisedSecond {
    /// Which coordinates, k of them: public.
    pub chosen: Vec<usize>,
    /// The upper half row by row, k(k + 1)/2 numbers.
    pub entries: Vec<f64>,
    /// The standard deviation of the noise on the diagonal; above it is that over √2.
    pub sigma: f64,
    /// The radius the records were clipped to: without noise the trace is at most its square.
    pub radius: f64,
}

impl NoisedSecond {
    /// k.
    pub fn size(&self) -> usize {
        self.chosen.len()
    }

    /// The diagonal.
    pub fn diagonal(&self) -> Vec<f64> {
        let k = self.size();
        let start = |i: usize| i * k - i * i.saturating_sub(1) / 2;
        (0..k).map(|i| self.entries.get(start(i)).copied().unwrap_or(f64::NAN)).collect()
    }

    /// Whether it has as many entries as its size says.
    pub fn is_consistent(&self) -> bool {
        self.entries.len() == upper_half(self.size())
    }
}

/// A noised mean with a noised second moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoisedMoments {
    /// The mean's coordinates.
    pub mean: Vec<f64>,
    /// The standard deviation of the noise in each.
    pub mean_sigma: f64,
    /// The second moment.
    pub second: NoisedSecond,
}

impl ClippedMoments {
    /// The ratio s at which the second moment is free.
    pub const FREE: f64 = 2.0;

    /// Of `n` records of `dim` coordinates, the second moment of the `chosen` ones, clipped to `radius`, at `mu`; `ratio` is s in (0, 2]:
    /// more of it is more noise on the matrix and less on the mean. All of these are public.
    ///
    /// # Errors
    /// [`NoiseError::Incomplete`] for n = 0, no coordinates, none chosen, or more than 2⁴⁰ records; [`NoiseError::OutOfScale`] for coordinates
    /// that do not exist or are chosen twice, a ratio out of range, extreme radii.
    pub fn new(
        dim: usize,
        chosen: Vec<usize>,
        n: u64,
        radius: ClipRadius,
        mu: Mu,
        ratio: f64,
    ) -> Result<Self, NoiseError> {
        if n == 0 || dim == 0 || chosen.is_empty() {
            return Err(IncompleteMean::Empty.into());
        }
        if n > 1 << 40 {
            return Err(IncompleteMean::TooMany.into());
        }
        let distinct = chosen.iter().collect::<std::collections::HashSet<_>>().len() == chosen.len();
        if !distinct || chosen.iter().any(|i| *i >= dim) || !(ratio > 0.0 && ratio <= Self::FREE) {
            return Err(NoiseError::OutOfScale);
        }
        let clip = IntegerClip::for_loss(dim, radius.get(), mu.get())?;
        let scales = Scales::new(&clip, chosen.len(), mu, ratio)?;
        // In coordinates in which all noise is the mean's: Δ = μ σ_m.
        let sensitivity = L2Sensitivity::new(mul_up(div_up(scales.mean.scale(), n as f64), mu.get()));
        let sensitivity = sensitivity.map_err(|_| NoiseError::OutOfScale)?;
        let what = "mean of the clipped records and second moment of chosen coordinates";
        let price = Price::new(CLIPPED_MOMENTS, n, PrivacyLoss::Gaussian(mu), what)
            .map_err(|_| IncompleteMean::Empty)?
            .with_noise(Sensitivity::L2(sensitivity), div_up(scales.mean.scale(), n as f64))
            .with_clip(radius);
        Ok(Self { clip, radius, chosen, mu, scales, price })
    }

    /// An empty sum.
    pub fn sum(&self) -> MomentSum {
        MomentSum::new(&self.clip, &self.chosen, self.scales.products.shift, self.price.n)
    }

    /// A sum that was written down ([`MomentSum::written`]), of these settings.
    ///
    /// # Errors
    /// As for [`ClippedMean::read_sum`](super::ClippedMean::read_sum).
    pub fn read_sum(&self, given: u64, sums: Vec<i128>) -> Result<MomentSum, IncompleteMean> {
        self.sum().read(given, sums)
    }

    /// The clip radius τ.
    pub fn radius(&self) -> ClipRadius {
        self.radius
    }

    /// Number of coordinates of the mean.
    pub fn dimension(&self) -> usize {
        self.clip.dimension()
    }

    /// The noise of the mean's coordinates.
    pub fn mean_sigma(&self) -> f64 {
        div_up(self.scales.mean.scale(), self.price.n as f64)
    }

    /// The noise of the matrix's diagonal.
    pub fn second_sigma(&self) -> f64 {
        div_up(self.scales.products.diagonal.scale(), self.price.n as f64)
    }

    /// Draws the noise and releases both.
    ///
    /// # Errors
    /// [`NoiseError`], an incomplete sum or one of other settings among them; nothing has been drawn then.
    pub fn noised(
        &self,
        sum: &MomentSum,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<NoisedMoments, NoiseError> {
        self.check(sum)?;
        self.drawn(sum, noise, &paid)
    }

    /// Draws the noise of sums over *disjoint* sets of records against one charge: a record is in one of them, so that all of them
    /// together lose what the costliest alone does (parallel composition, for sets that are public and of public sizes). That they are
    /// disjoint, no type can see: it is the caller's to see to it.
    ///
    /// # Errors
    /// As [`Self::noised`], for any of them; nothing has been drawn then.
    pub fn noised_in_groups(
        groups: &[(Self, MomentSum)],
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Vec<NoisedMoments>, NoiseError> {
        for (moments, sum) in groups {
            moments.check(sum)?;
            paid.check(moments.price.loss)?;
        }
        groups.iter().map(|(moments, sum)| moments.drawn(sum, noise, &paid)).collect()
    }

    /// Whether it is a complete sum of these settings.
    fn check(&self, sum: &MomentSum) -> Result<(), NoiseError> {
        sum.check_complete()?;
        if sum.fits(&self.sum()) { Ok(()) } else { Err(IncompleteMean::Mismatch.into()) }
    }

    fn drawn(
        &self,
        sum: &MomentSum,
        noise: &mut NoiseSource,
        paid: &Charge,
    ) -> Result<NoisedMoments, NoiseError> {
        let (n, k) = (self.price.n as f64, self.chosen.len());
        let Scales { mean, products } = &self.scales;
        let steps = noise.gaussian_steps(sum.first(), mean, self.mu, paid)?;
        let values = steps.into_iter().map(|k| mean.to_f64(k) / n).collect();
        let entries = products.noised(sum.second(), k, n, self.mu, noise, paid)?;
        let second = NoisedSecond {
            chosen: self.chosen.clone(),
            entries,
            sigma: self.second_sigma(),
            radius: self.radius.get(),
        };
        Ok(NoisedMoments { mean: values, mean_sigma: self.mean_sigma(), second })
    }

    /// What was noised, for the description of a release.
    ///
    /// # Errors
    /// [`NoiseError::OutOfScale`]: never for settings that were accepted.
    pub fn part(&self) -> Result<NoisedPart, NoiseError> {
        Ok(NoisedPart {
            what: self.price.mechanism.clone(),
            loss: self.price.loss,
            sensitivity: self.price.sensitivity.ok_or(NoiseError::OutOfScale)?,
            clip: Some(self.radius),
            noise: self.noise_description(),
            expected_error: None,
        })
    }

    /// How it is noised, in coordinates in which all noise is the mean's.
    pub fn noise_description(&self) -> NoiseDescription {
        let n = self.price.n as f64;
        let dimension = self.dimension() + upper_half(self.chosen.len());
        let mut noise = describe("gaussian", &self.scales.mean, dimension, NORMAL);
        noise.scale = self.mean_sigma();
        noise.step = noise.step.map(|step| step / n);
        noise
    }
}

impl Scales {
    /// Noise for both, as the proof has it; every line rounds towards more noise.
    fn new(clip: &IntegerClip, k: usize, mu: Mu, ratio: f64) -> Result<Self, NoiseError> {
        Self::of(clip, Products::new(clip, k, mu, ratio)?, ratio)
    }

    /// The same on a coarse lattice, for shares of noise ([`Products::coarse`]).
    pub(super) fn coarse(clip: &IntegerClip, k: usize, loss: f64, ratio: f64) -> Result<Self, NoiseError> {
        Self::of(clip, Products::coarse(clip, k, loss, ratio)?, ratio)
    }

    fn of(clip: &IntegerClip, products: Products, ratio: f64) -> Result<Self, NoiseError> {
        // The divisors are to be rounded down: a little more than the quotient.
        let root = (bound_of(clip) * ratio.sqrt()) * (1.0 - 1e-15);
        let mean = div_up(libm::ldexp(products.multiplier(), products.shift as i32), root);
        let mean = Lattice::with_multiplier(clip.step(), mean)?;
        Ok(Self { mean, products })
    }
}

impl Mechanism for ClippedMoments {
    type Records = [Option<Vec<f64>>];
    type Prepared<'a> = MomentSum;
    type Value = NoisedMoments;
    type Error = NoiseError;

    fn price(&self) -> &Price {
        &self.price
    }

    fn prepare(&self, records: &[Option<Vec<f64>>]) -> Result<MomentSum, NoiseError> {
        let mut sum = self.sum();
        for record in records {
            sum.add(record.as_deref())?;
        }
        sum.check_complete()?;
        Ok(sum)
    }

    fn draw(
        &self,
        sum: &MomentSum,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<NoisedMoments>, NoiseError> {
        let value = self.noised(sum, noise, paid)?;
        Ok(Drawn { value, parts: vec![self.part()?] })
    }
}
