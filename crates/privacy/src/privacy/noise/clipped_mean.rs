//! The mean of clipped records, summed in integers: a sensitivity without fine print.

use super::integer_clip::IntegerClip;
use super::vectors::{ISOTROPIC, NORMAL, describe};
use super::{IncompleteMean, NoiseDescription, NoiseError, NoiseSource, VectorNoise};
use crate::privacy::release::{Drawn, Mechanism, NoisedPart, Price, Title};
use crate::privacy::rounding::div_up;
use crate::privacy::{BudgetError, Charge, ClipRadius, Epsilon, L2Sensitivity, Mu, PrivacyLoss, Sensitivity};

mod worst_case;

pub use worst_case::{CLIPPED_MEAN_ENTRY, PURE_CLIPPED_MEAN_ENTRY};

/// What certificates and ledgers call it.
pub(crate) const CLIPPED_MEAN: Title = Title {
    name: "clipped mean",
    sentence: "Every record is shortened to the public radius, the records are averaged, and normal noise that covers what any one of \
               them can do to the average is added to every coordinate.",
};

/// What certificates and ledgers call it with pure ε.
pub(crate) const PURE_CLIPPED_MEAN: Title = Title {
    name: "clipped mean, isotropic Laplace",
    sentence: "Every record is shortened to the public radius, the records are averaged, and to the average a random vector is added \
               whose likelihood falls with its length, so that it covers what any one of them can do.",
};

/// (1/n) Σ clip_τ(xᵢ) + noise, Gaussian for μ-GDP or isotropic Laplace for pure ε, under replacement of one record, with no
/// floating-point assumption.
///
#[doc = include_str!("clipped_mean/proof.md")]
///
/// # Failed records
/// A record that is `None`, or that has a coordinate that is not finite, is a failed scan: it contributes zero (the
/// public template, when records are deviations from it) and still counts.
///
/// ```
/// use visard_privacy::privacy::{ClipRadius, ClipSource, ClippedMean, Ledger, Mu, noise::NoiseSource, release};
/// let mean = ClippedMean::new(2, 3, ClipRadius::new(1.0, ClipSource::Public)?, Mu::new(1.0)?)?;
/// // The second is clipped to (1, 0), the third is a failed scan.
/// let records = [Some(vec![0.5, 0.5]), Some(vec![300.0, 0.0]), None];
/// let released = release(&mean, &records[..], &mut Ledger::in_memory(None), &mut NoiseSource::from_os()?)?;
/// assert!((released.parts[0].noise.scale - 2.0 / 3.0).abs() < 1e-8);
/// assert!(released.statement().certify()?.private);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct ClippedMean {
    clip: IntegerClip,
    radius: ClipRadius,
    noise: VectorNoise,
    price: Price,
}

/// A noised mean.
#[derive(Debug, Clone, PartialEq)]
pub struct NoisedMean {
    /// Its coordinates.
    pub values: Vec<f64>,
    /// Its noise.
    pub noise: NoiseDescription,
}

/// Clipped records added up in integers: secret until noise is added.
#[derive(Debug, Clone)]
pub struct ClippedSum {
    clip: IntegerClip,
    declared: u64,
    given: u64,
    sums: Vec<i128>,
}

impl ClippedMean {
    /// The mean of `n` records of `dim` coordinates, to be clipped to `radius` and released at `mu`. All of these
    /// are public; none may be learnt from the records.
    ///
    /// # Errors
    /// [`NoiseError::Incomplete`] for n = 0 or dim = 0, [`NoiseError::OutOfScale`] for extreme radii.
    pub fn new(dim: usize, n: u64, radius: ClipRadius, mu: Mu) -> Result<Self, NoiseError> {
        Self::with(dim, n, radius, VectorNoise::Gaussian(mu))
    }

    /// As [`Self::new`], at pure ε: noise of density ∝ exp(−‖x‖/b), b = 2τ/(nε).
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn pure(dim: usize, n: u64, radius: ClipRadius, epsilon: Epsilon) -> Result<Self, NoiseError> {
        Self::with(dim, n, radius, VectorNoise::Laplace(epsilon))
    }

    /// As [`Self::new`], with either noise.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with(dim: usize, n: u64, radius: ClipRadius, noise: VectorNoise) -> Result<Self, NoiseError> {
        let (title, loss) = match noise {
            VectorNoise::Gaussian(mu) => (CLIPPED_MEAN, mu.get()),
            VectorNoise::Laplace(epsilon) => (PURE_CLIPPED_MEAN, epsilon.get()),
        };
        if n == 0 || dim == 0 {
            return Err(IncompleteMean::Empty.into());
        }
        if n > 1 << 40 {
            return Err(IncompleteMean::TooMany.into());
        }
        let clip = IntegerClip::for_loss(dim, radius.get(), loss)?;
        let sensitivity = L2Sensitivity::new(div_up(clip.sensitivity(), n as f64));
        let sensitivity = sensitivity.map_err(|_| NoiseError::OutOfScale)?;
        let what = "mean of the clipped records";
        let price = Price::new(title, n, noise.loss(), what)
            .map_err(|_| IncompleteMean::Empty)?
            .with_noise(Sensitivity::L2(sensitivity), div_up(clip.scale(), n as f64))
            .with_clip(radius);
        Ok(Self { clip, radius, noise, price })
    }

    /// An empty sum, for records that are added one by one or on several threads. Several make one by [`ClippedSum::merge`].
    pub fn sum(&self) -> ClippedSum {
        ClippedSum::new(&self.clip, self.price.n)
    }

    /// A sum that was written down ([`ClippedSum::written`]), of this mean's settings.
    ///
    /// # Errors
    /// [`IncompleteMean::Mismatch`] for what no sum of so many records can be, [`IncompleteMean::Count`] beyond n.
    pub fn read_sum(&self, given: u64, sums: Vec<i128>) -> Result<ClippedSum, IncompleteMean> {
        let declared = self.price.n;
        if given > declared {
            return Err(IncompleteMean::Count { declared, given });
        }
        let most = u128::from(given) * u128::from(self.clip.bound());
        if sums.len() != self.clip.dimension() || sums.iter().any(|k| k.unsigned_abs() > most) {
            return Err(IncompleteMean::Mismatch);
        }
        Ok(ClippedSum { clip: self.clip.clone(), declared, given, sums })
    }

    /// Its price under another name and loss (that of the mechanism it is a part of), with what the records are, in words.
    ///
    /// # Errors
    /// None for a mean that exists.
    pub fn price_as(&self, title: Title, loss: PrivacyLoss, statistic: &str) -> Result<Price, BudgetError> {
        let price = Price::new(title, self.price.n, loss, statistic)?;
        let price = Price { sensitivity: self.price.sensitivity, scale: self.price.scale, ..price };
        Ok(price.with_clip(self.radius))
    }

    /// How far one record can move the mean in the L2 norm, 2Bg/n, rounded up: 2τ/n and a little for the lattice.
    pub fn sensitivity(&self) -> f64 {
        self.price.sensitivity.map_or(f64::INFINITY, Sensitivity::get)
    }

    /// The scale of the noise: the standard deviation σ ≥ 2τ/(nμ) of a coordinate, or b ≥ 2τ/(nε); by a factor of at most 1 + 2⁻³⁰.
    pub fn scale(&self) -> f64 {
        div_up(self.clip.scale(), self.price.n as f64)
    }

    /// The clip radius τ.
    pub fn radius(&self) -> ClipRadius {
        self.radius
    }

    /// Number of coordinates.
    pub fn dimension(&self) -> usize {
        self.clip.dimension()
    }

    /// Draws the noise and releases the mean.
    ///
    /// # Errors
    /// [`NoiseError`], an incomplete sum or one of other settings among them; nothing has been drawn then.
    pub fn noised(
        &self,
        sum: &ClippedSum,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<NoisedMean, NoiseError> {
        sum.check_complete()?;
        if !sum.fits(&self.sum()) {
            return Err(IncompleteMean::Mismatch.into());
        }
        let n = self.price.n as f64;
        let (steps, law, sampler) = match self.noise {
            VectorNoise::Gaussian(mu) => {
                (noise.gaussian_steps(&sum.sums, self.clip.lattice(), mu, &paid)?, "gaussian", NORMAL)
            }
            VectorNoise::Laplace(epsilon) => {
                let steps = noise.isotropic_laplace_steps(&sum.sums, self.clip.lattice(), epsilon, &paid)?;
                (steps, "isotropic-laplace", ISOTROPIC)
            }
        };
        let values = steps.into_iter().map(|k| self.clip.to_f64(k) / n).collect();
        let mut noise = describe(law, self.clip.lattice(), self.clip.dimension(), sampler);
        noise.scale = self.scale();
        noise.step = noise.step.map(|step| step / n);
        Ok(NoisedMean { values, noise })
    }
}

impl Mechanism for ClippedMean {
    type Records = [Option<Vec<f64>>];
    type Prepared<'a> = ClippedSum;
    type Value = Vec<f64>;
    type Error = NoiseError;

    fn price(&self) -> &Price {
        &self.price
    }

    fn prepare(&self, records: &[Option<Vec<f64>>]) -> Result<ClippedSum, NoiseError> {
        let mut sum = self.sum();
        for record in records {
            sum.add(record.as_deref())?;
        }
        sum.check_complete()?;
        Ok(sum)
    }

    fn draw(
        &self,
        sum: &ClippedSum,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<Vec<f64>>, NoiseError> {
        let NoisedMean { values, noise } = self.noised(sum, noise, paid)?;
        let sensitivity = self.price.sensitivity.ok_or(NoiseError::OutOfScale)?;
        let part = NoisedPart {
            what: self.price.mechanism.clone(),
            loss: self.price.loss,
            sensitivity,
            clip: Some(self.radius),
            noise,
            expected_error: None,
        };
        Ok(Drawn { value: values, parts: vec![part] })
    }
}

impl ClippedSum {
    /// An empty one for so many records.
    pub(super) fn new(clip: &IntegerClip, declared: u64) -> Self {
        Self { clip: clip.clone(), declared, given: 0, sums: vec![0; clip.dimension()] }
    }

    /// In steps.
    pub(super) fn steps(&self) -> &[i128] {
        &self.sums
    }

    pub(super) fn clip(&self) -> &IntegerClip {
        &self.clip
    }

    /// How many records are in it, and their sum in steps: secret, for records that are added up in parts.
    pub fn written(&self) -> (u64, Vec<i128>) {
        (self.given, self.sums.clone())
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
        if let Some(clipped) = record.and_then(|record| self.clip.clip(record)) {
            for (sum, k) in self.sums.iter_mut().zip(clipped) {
                *sum += i128::from(k);
            }
        }
        Ok(())
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
        for (sum, more) in self.sums.iter_mut().zip(&other.sums) {
            *sum += more;
        }
        Ok(())
    }

    fn fits(&self, other: &Self) -> bool {
        self.clip == other.clip && self.declared == other.declared
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

    /// The mean without noise: for the data holder's eyes, never for a release.
    pub fn nonprivate_mean(&self) -> Vec<f64> {
        self.sums.iter().map(|k| self.clip.to_f64(*k) / self.declared as f64).collect()
    }
}

#[cfg(test)]
impl ClippedSum {
    pub(super) fn integer_sums(&self) -> &[i128] {
        &self.sums
    }
    pub(super) fn integer_bound(&self) -> u64 {
        self.clip.bound()
    }
    pub(super) fn multiplier(&self) -> u64 {
        self.clip.lattice().multiplier()
    }
    pub(super) fn step(&self) -> f64 {
        self.clip.step()
    }
}
