//! The second moment of clipped records, under the Gaussian mechanism.

use super::clipped_moments::{MomentSum, NoisedSecond};
use super::integer_clip::IntegerClip;
use super::products::{Products, upper_half};
use super::vectors::{NORMAL, describe};
use super::{IncompleteMean, NoiseDescription, NoiseError, NoiseSource};
use crate::privacy::release::{Drawn, Mechanism, NoisedPart, Price, Title};
use crate::privacy::rounding::{div_up, mul_up};
use crate::privacy::{Charge, ClipRadius, L2Sensitivity, Mu, PrivacyLoss, Sensitivity};

#[cfg(test)]
mod tests;
mod worst_case;

pub use worst_case::CLIPPED_SECOND_ENTRY;

/// What certificates and ledgers call it.
pub(crate) const CLIPPED_SECOND: Title = Title {
    name: "clipped second moment",
    sentence: "Every record is shortened to the public radius; the products of all pairs of its coordinates are averaged over the \
               records, and normal noise that covers what any one of them can do to all products together is added.",
};

/// (1/n) Σ zᵢzᵢᵀ of records clipped to ρ, noised: μ-GDP under replacement of one record, with no floating-point assumption.
///
#[doc = include_str!("clipped_second/proof.md")]
///
/// # Failed records
/// As for [`super::ClippedMean`]: `None`, or a coordinate that is not finite, counts as the vector zero.
///
/// ```
/// use visard_privacy::privacy::{ClipRadius, ClipSource, Ledger, Mu, release};
/// use visard_privacy::privacy::noise::{ClippedSecond, NoiseSource};
/// let second = ClippedSecond::new(2, 2, ClipRadius::new(1.0, ClipSource::Public)?, Mu::new(1.0)?)?;
/// let records = [Some(vec![0.5, 0.5]), None];
/// let released = release(&second, &records[..], &mut Ledger::in_memory(None), &mut NoiseSource::from_os()?)?;
/// // The upper half of a 2 × 2 matrix, with noise √2ρ²/(nμ).
/// assert_eq!(released.value.entries.len(), 3);
/// assert!((released.value.sigma - 0.5f64.sqrt()).abs() < 1e-8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct ClippedSecond {
    clip: IntegerClip,
    radius: ClipRadius,
    mu: Mu,
    products: Products,
    price: Price,
}

impl ClippedSecond {
    /// Of `n` records of `dim` coordinates, clipped to `radius`, at `mu`: all of these are public.
    ///
    /// # Errors
    /// [`NoiseError::Incomplete`] for n = 0, no coordinates or more than 2⁴⁰ records; [`NoiseError::OutOfScale`] for extreme radii.
    pub fn new(dim: usize, n: u64, radius: ClipRadius, mu: Mu) -> Result<Self, NoiseError> {
        if n == 0 || dim == 0 {
            return Err(IncompleteMean::Empty.into());
        }
        if n > 1 << 40 {
            return Err(IncompleteMean::TooMany.into());
        }
        let clip = IntegerClip::for_loss(dim, radius.get(), mu.get())?;
        let products = Products::new(&clip, dim, mu, 0.0)?;
        let sigma = div_up(products.diagonal.scale(), n as f64);
        let sensitivity = L2Sensitivity::new(mul_up(sigma, mu.get())).map_err(|_| NoiseError::OutOfScale)?;
        let price = Price::new(
            CLIPPED_SECOND,
            n,
            PrivacyLoss::Gaussian(mu),
            "second moment of the clipped records, in the Frobenius norm",
        )
        .map_err(|_| IncompleteMean::Empty)?
        .with_noise(Sensitivity::L2(sensitivity), sigma)
        .with_clip(radius);
        Ok(Self { clip, radius, mu, products, price })
    }

    /// An empty sum.
    pub fn sum(&self) -> MomentSum {
        let all: Vec<usize> = (0..self.dimension()).collect();
        MomentSum::new(&self.clip, &all, self.products.shift, self.price.n)
    }

    /// The clip radius ρ.
    pub fn radius(&self) -> ClipRadius {
        self.radius
    }

    /// Number of coordinates d.
    pub fn dimension(&self) -> usize {
        self.clip.dimension()
    }

    /// The noise of the matrix's diagonal; above it is that over √2.
    pub fn sigma(&self) -> f64 {
        div_up(self.products.diagonal.scale(), self.price.n as f64)
    }

    /// Draws the noise and releases the matrix.
    ///
    /// # Errors
    /// [`NoiseError`], an incomplete sum or one of other settings among them; nothing has been drawn then.
    pub fn noised(
        &self,
        sum: &MomentSum,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<NoisedSecond, NoiseError> {
        sum.check_complete()?;
        if !sum.fits(&self.sum()) {
            return Err(IncompleteMean::Mismatch.into());
        }
        let (n, d) = (self.price.n as f64, self.dimension());
        let entries = self.products.noised(sum.second(), d, n, self.mu, noise, &paid)?;
        Ok(NoisedSecond { chosen: (0..d).collect(), entries, sigma: self.sigma(), radius: self.radius.get() })
    }

    /// How it is noised.
    pub fn noise_description(&self) -> NoiseDescription {
        let n = self.price.n as f64;
        let dimension = upper_half(self.dimension());
        let mut noise = describe("gaussian", &self.products.diagonal, dimension, NORMAL);
        noise.scale = self.sigma();
        noise.step = noise.step.map(|step| step / n);
        noise
    }

    /// How one draw of it was noised.
    ///
    /// # Errors
    /// None for a mechanism that exists.
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
}

impl Mechanism for ClippedSecond {
    type Records = [Option<Vec<f64>>];
    type Prepared<'a> = MomentSum;
    type Value = NoisedSecond;
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
    ) -> Result<Drawn<NoisedSecond>, NoiseError> {
        Ok(Drawn { value: self.noised(sum, noise, paid)?, parts: vec![self.part()?] })
    }
}
