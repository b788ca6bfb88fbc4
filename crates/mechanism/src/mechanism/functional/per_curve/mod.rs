//! Block by block: each closed curve's each coordinate is smoothed and noised on its own, as in the paper.

mod worst_case;

pub use worst_case::{CURVES_ENTRY, PAPER_ENTRY};

use super::records::sum_of;
use super::{
    CLIPPED_RECORDS, Estimate, FunctionRecords, NoisedFunction, clip_factor, isotropic_mean, noised_part,
};
use crate::function::FaceCurves;
use crate::function::circle::{Fourier, PowerExponential};
use crate::function::shrink::{self, Shrunk};
use crate::mechanism::MechanismError;
use crate::privacy::noise::NoiseSource;
use crate::privacy::{
    Charge, ClipRadius, ClipSource, ClippedMean, ClippedSum, Drawn, Mechanism, Mu, Price, PrivacyLoss, Title,
};

const MATCHED: Title = Title {
    name: "functional mechanism per curve, matched noise",
    sentence: "Every curve's each coordinate is averaged on its own, clipped to a radius, given normal noise and smoothed after it; the \
               budget is shared between them.",
};

const PUBLISHED: Title = Title {
    name: "functional mechanism per curve, as published",
    sentence: "Every curve's each coordinate is averaged on its own, clipped to a radius, smoothed, and given a smooth random curve as \
               noise, as in the paper of 2024; the budget is shared between them.",
};

const EXACT: Title = Title {
    name: "functional mechanism per curve, exact sensitivity",
    sentence: "As the published mechanism per curve, its noise scaled to the exact sensitivity of a smoothed mean.",
};

/// Which noise a block gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockNoise {
    /// Gaussian process with the kernel's covariance, scaled by the paper's sensitivity bound 2τ/(n√φ).
    PaperBound,
    /// The same process, scaled by the exact sensitivity (2τ/n)·max_j √λ_j/(λ_j + φ).
    ExactBound,
    /// White noise before the smoother (theory §1.3): the smallest covariance for which the block is μ-GDP; smoothing then is
    /// post-processing, tuned on the noised coefficients.
    Matched,
}

/// How the total μ is shared between x, y and z (all curves alike).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BlockBudget(pub [f64; 3]);

impl BlockBudget {
    /// The paper's shares: 0.2, 0.2, 0.55 (§5.1).
    pub const PAPER: BlockBudget = BlockBudget([0.2, 0.2, 0.55]);
    /// The best split for blocks of equal sensitivity and noise trace (theory §1.4).
    pub const EQUAL: BlockBudget = BlockBudget([1.0; 3]);
}

/// Settings of the block mechanism; all public.
#[derive(Debug, Clone)]
pub struct PerCurveSettings {
    /// Which noise.
    pub noise: BlockNoise,
    /// Kernel of the smoother and, except for [`BlockNoise::Matched`], of the noise.
    pub kernel: PowerExponential,
    /// Smoothing parameters φ for x, y, z.
    pub penalty: [f64; 3],
    /// Shares of the budget.
    pub budget: BlockBudget,
    /// Clip deviations from this public face rather than the curves themselves.
    pub centred: bool,
}

impl PerCurveSettings {
    /// The paper's own settings: φ = .01, .01, .005, shares .2, .2, .55, α = 1. The paper does not state ρ; 1 gives its
    /// mechanism the smallest error on a public face model (docs/measurements.md).
    pub fn paper() -> Option<Self> {
        Some(Self {
            noise: BlockNoise::PaperBound,
            kernel: PowerExponential::new(1.0, 1.0)?,
            penalty: [0.01, 0.01, 0.005],
            budget: BlockBudget::PAPER,
            centred: false,
        })
    }

    /// Matched noise, centred, equal shares.
    pub fn matched() -> Option<Self> {
        Some(Self { noise: BlockNoise::Matched, budget: BlockBudget::EQUAL, centred: true, ..Self::paper()? })
    }
}

/// The radii that blocks are clipped to.
#[derive(Debug, Clone, PartialEq)]
pub enum BlockRadii {
    /// Chosen without looking at the records: τ for curve j and coordinate k in place 3j + k.
    Public(Vec<ClipRadius>),
    /// The largest norm of every block among the records, as the paper does: not private.
    Measured,
}

/// The per-curve functional mechanism (Soto et al. 2024, §4–5, corrected and sharpened).
///
#[doc = include_str!("proof.md")]
#[derive(Debug, Clone)]
pub struct PerCurveMean {
    price: Price,
    settings: PerCurveSettings,
    radii: BlockRadii,
    template: FaceCurves,
    fourier: Fourier,
    eigenvalues: Vec<f64>,
    mu: Mu,
}

/// One curve's one coordinate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    curve: usize,
    coordinate: usize,
    radius: ClipRadius,
    /// Standard deviation of the white noise on the block's clipped mean (matched), or Δ_b/μ_b (kernel noise).
    scale: f64,
}

/// Records made ready: secret.
#[derive(Debug)]
pub struct Prepared {
    mean: ClippedMean,
    sum: ClippedSum,
    blocks: Vec<Block>,
}

impl Prepared {
    #[cfg(test)]
    pub(super) fn statistic(&self) -> Vec<f64> {
        self.sum.nonprivate_mean()
    }

    /// The largest radius, with its source.
    fn clip(&self) -> Result<ClipRadius, MechanismError> {
        let largest = self.blocks.iter().map(|b| b.radius).max_by(|a, b| a.get().total_cmp(&b.get()));
        largest.ok_or(MechanismError::Shape("there are no curves"))
    }
}

impl PerCurveMean {
    /// Whether curves are clipped as they are, as the paper does, and not their deviations from the template.
    pub fn is_as_published(&self) -> bool {
        !self.settings.centred
    }

    /// # Errors
    /// [`MechanismError`] when shapes do not fit, φ is not positive, or n = 0.
    pub fn new(
        template: FaceCurves,
        radii: BlockRadii,
        settings: PerCurveSettings,
        mu: Mu,
        n: u64,
    ) -> Result<Self, MechanismError> {
        if !settings.penalty.iter().all(|p| *p > 0.0 && p.is_finite()) {
            return Err(MechanismError::Shape("smoothing parameters must be positive"));
        }
        let title = match settings.noise {
            BlockNoise::PaperBound => PUBLISHED,
            BlockNoise::ExactBound => EXACT,
            BlockNoise::Matched => MATCHED,
        };
        let source = if radii == BlockRadii::Measured { ClipSource::Data } else { ClipSource::Public };
        let samples = template.samples();
        let mean = isotropic_mean(3 * template.curves() * samples, n, mu, source)?;
        let price = mean.price_as(
            title,
            PrivacyLoss::Gaussian(mu),
            "mean of every curve's each coordinate, L2 norm with normalized measure; coordinates scaled so that the noise has variance \
             one",
        )?;
        let price = match &radii {
            BlockRadii::Measured => Price { clip: None, ..price },
            BlockRadii::Public(radii) if radii.len() == 3 * template.curves() => {
                let largest = radii.iter().copied().max_by(|a, b| a.get().total_cmp(&b.get()));
                price.with_clip(largest.ok_or(MechanismError::Shape("there are no curves"))?)
            }
            BlockRadii::Public(_) => {
                return Err(MechanismError::Shape("one clip radius is needed for each curve and coordinate"));
            }
        };
        let eigenvalues = settings.kernel.eigenvalues(samples);
        let fourier = Fourier::new(samples);
        Ok(Self { price, settings, radii, template, fourier, eigenvalues, mu })
    }

    /// What each block of a coordinate gets of μ: (x, y, z), the same for every curve.
    pub fn block_budgets(&self) -> [f64; 3] {
        let shares = self.settings.budget.0;
        let total = (self.template.curves() as f64 * shares.iter().map(|s| s * s).sum::<f64>()).sqrt();
        shares.map(|share| self.mu.get() * share / total)
    }

    /// The samples of the mean without noise, smoothed as a release would be: for the data holder only.
    ///
    /// # Errors
    /// As [`Mechanism::prepare`].
    pub fn nonprivate(&self, records: &dyn FunctionRecords) -> Result<Vec<f64>, MechanismError> {
        let prepared = self.prepared(records)?;
        Ok(self.finish(&prepared.blocks, &prepared.sum.nonprivate_mean(), 0.0).samples)
    }

    fn blocks(&self, radii: &[ClipRadius]) -> Vec<Block> {
        radii.iter().enumerate().map(|(b, radius)| self.block(b, *radius, self.price.n)).collect()
    }

    fn prepared(&self, records: &dyn FunctionRecords) -> Result<Prepared, MechanismError> {
        let n = self.price.n;
        let radii = match &self.radii {
            BlockRadii::Public(radii) => radii.clone(),
            BlockRadii::Measured => self.measured(records)?,
        };
        let blocks = self.blocks(&radii);
        let source = radii.first().map_or(ClipSource::Public, |r| r.source());
        let length = self.template.data().len();
        let mean = isotropic_mean(length, n, self.mu, source)?;
        let sum = sum_of(&mean, records, length, |samples| Some(self.coordinates(&blocks, samples)))?;
        Ok(Prepared { mean, sum, blocks })
    }

    fn block(&self, b: usize, radius: ClipRadius, n: u64) -> Block {
        let (curve, coordinate) = (b / 3, b % 3);
        let phi = self.settings.penalty[coordinate];
        let gain = match self.settings.noise {
            BlockNoise::PaperBound => 1.0 / phi.sqrt(),
            BlockNoise::ExactBound => {
                let gains = self.eigenvalues.iter().map(|l| l.sqrt() / (l + phi));
                gains.fold(0.0, f64::max) * CLIPPED_RECORDS
            }
            BlockNoise::Matched => 1.0,
        };
        let scale = 2.0 * radius.get() / n as f64 * gain / self.block_budgets()[coordinate];
        Block { curve, coordinate, radius, scale }
    }

    /// The largest norm of every block among the records.
    fn measured(&self, records: &dyn FunctionRecords) -> Result<Vec<ClipRadius>, MechanismError> {
        let mut largest = vec![f64::MIN_POSITIVE; 3 * self.template.curves()];
        for i in 0..records.count() {
            let samples = records.samples(i);
            if samples.as_ref().is_some_and(|s| s.len() != self.template.data().len()) {
                return Err(MechanismError::Shape("a record does not have the shape of the template"));
            }
            for (b, largest) in largest.iter_mut().enumerate() {
                *largest = largest.max(norm(&self.block_values(samples.as_deref(), b / 3, b % 3)));
            }
        }
        Ok(largest.iter().map(|r| ClipRadius::new(*r, ClipSource::Data)).collect::<Result<_, _>>()?)
    }

    fn block_values(&self, samples: Option<&[f64]>, curve: usize, coordinate: usize) -> Vec<f64> {
        let m = self.template.samples();
        let own = self.template.coordinate(curve, coordinate);
        let values = match samples {
            Some(data) => (0..m).map(|l| data[3 * (curve * m + l) + coordinate]).collect(),
            None => own.clone(),
        };
        if self.settings.centred { values.iter().zip(&own).map(|(a, b)| a - b).collect() } else { values }
    }

    /// A record's isotropic coordinates: every block clipped.
    pub(super) fn coordinates(&self, blocks: &[Block], samples: Option<&[f64]>) -> Vec<f64> {
        let mut out = Vec::with_capacity(self.template.data().len());
        for block in blocks {
            let mut values = self.block_values(samples, block.curve, block.coordinate);
            let factor = clip_factor(norm(&values), block.radius.get());
            values.iter_mut().for_each(|v| *v *= factor);
            let coefficients = self.fourier.analyse(&values);
            out.extend(coefficients.iter().enumerate().map(|(i, c)| c * self.to_isotropic(block, i)));
        }
        out
    }

    /// What a Fourier coefficient of the clipped mean is multiplied by to become an isotropic coordinate.
    fn to_isotropic(&self, block: &Block, i: usize) -> f64 {
        let lambda = self.eigenvalues[i];
        let kernel_noise = lambda.sqrt() / (lambda + self.settings.penalty[block.coordinate]);
        let gain = if self.settings.noise == BlockNoise::Matched { 1.0 } else { kernel_noise };
        gain / block.scale
    }

    /// Post-processing.
    pub(super) fn finish(&self, blocks: &[Block], noised: &[f64], sigma: f64) -> Estimate {
        let m = self.template.samples();
        let mut samples = vec![0.0; self.template.data().len()];
        let mut errors = samples.clone();
        for (block, coordinates) in blocks.iter().zip(noised.chunks_exact(m)) {
            let c = match self.settings.noise {
                BlockNoise::Matched => {
                    let place = |i| (0, Fourier::frequency(i) as f64);
                    shrink::shrink(coordinates, |_| sigma * sigma, None, place).scaled(block.scale)
                }
                BlockNoise::PaperBound | BlockNoise::ExactBound => self.smoothed(block, coordinates, sigma),
            };
            let own = self.template.coordinate(block.curve, block.coordinate);
            let values =
                self.fourier.synthesize(&c.values).into_iter().zip(self.fourier.variances(&c.errors));
            for (l, (value, error)) in values.enumerate() {
                let at = 3 * (block.curve * m + l) + block.coordinate;
                samples[at] = value + if self.settings.centred { own[l] } else { 0.0 };
                errors[at] = error;
            }
        }
        Estimate { samples, errors }
    }

    /// The smoother's coefficients s_i·mean_i + (Δ/μ) √λ_i z_i, s_i = λ_i/(λ_i + φ). What smoothing takes away, (1 − s_i)·mean_i, is
    /// told from what is left of it beside the noise.
    fn smoothed(&self, block: &Block, coordinates: &[f64], sigma: f64) -> Shrunk {
        let phi = self.settings.penalty[block.coordinate];
        let one = |(u, lambda): (&f64, &f64)| {
            let (value, noise) = (u * block.scale * lambda.sqrt(), (sigma * block.scale).powi(2) * lambda);
            let lost = (phi / lambda).powi(2) * (value * value - noise).max(0.0);
            (value, noise + lost)
        };
        let (values, errors) = coordinates.iter().zip(&self.eigenvalues).map(one).unzip();
        Shrunk { values, errors }
    }
}

fn norm(f: &[f64]) -> f64 {
    (f.iter().map(|x| x * x).sum::<f64>() / f.len() as f64).sqrt()
}

impl Mechanism for PerCurveMean {
    type Records = dyn FunctionRecords;
    type Prepared<'a> = Prepared;
    type Value = NoisedFunction;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        &self.price
    }

    fn prepare(&self, records: &Self::Records) -> Result<Prepared, MechanismError> {
        self.prepared(records)
    }

    fn draw(
        &self,
        prepared: &Prepared,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<NoisedFunction>, MechanismError> {
        let drawn = prepared.mean.noised(&prepared.sum, noise, paid)?;
        let estimate = self.finish(&prepared.blocks, &drawn.values, drawn.noise.scale);
        let value = NoisedFunction::new(estimate, drawn.values, drawn.noise.scale);
        let part = noised_part(&self.price, &prepared.mean, prepared.clip()?, drawn.noise)?;
        Ok(Drawn { value, parts: vec![part] })
    }
}
