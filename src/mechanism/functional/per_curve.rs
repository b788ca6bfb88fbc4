//! Block by block: each closed curve's each coordinate is smoothed and noised on its own, as in the paper.

use super::{MeanMechanism, MechanismError, Price, ROUNDING, clip_factor, loss, mean_sensitivity};
use crate::function::FaceCurves;
use crate::function::circle::{Fourier, PowerExponential};
use crate::function::shrink;
use crate::privacy::{ClipRadius, ClipSource, L2Sensitivity, Mu};

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

/// The per-curve functional mechanism (Soto et al. 2024, §4–5, corrected and sharpened).
///
/// # Statistic
/// For curve j and coordinate k (block b) the mean of n curves clipped to ‖f‖ ≤ τ_b in L²(S¹) with normalized measure,
/// smoothed by S = C(C + φ)⁻¹. In the kernel's eigenbasis (Fourier) S is s_i = λ_i/(λ_i + φ).
///
/// # Proof of μ-GDP
/// Replacing a record moves the clipped mean of block b by at most 2τ_b/n. With noise covariance (Δ_b/μ_b)² C the coordinates
/// s_i·mean_i/(√λ_i·Δ_b/μ_b) have white noise of variance one and move by at most
/// (2τ_b/n)·max √λ_i/(λ_i + φ)·μ_b/Δ_b ≤ μ_b, for Δ_b the exact bound and a fortiori for the paper's, since
/// √λ/(λ + φ) ≤ 1/(2√φ). With matched noise the coordinates are mean_i·nμ_b/(2τ_b). All blocks together are one vector that
/// moves by at most √Σμ_b² = μ under N(0, I): the Gaussian mechanism, no composition theorem needed.
#[derive(Debug, Clone)]
pub struct PerCurveMean {
    price: Price,
    settings: PerCurveSettings,
    template: FaceCurves,
    fourier: Fourier,
    eigenvalues: Vec<f64>,
    blocks: Vec<Block>,
}

#[derive(Debug, Clone, Copy)]
struct Block {
    curve: usize,
    coordinate: usize,
    radius: ClipRadius,
    /// Standard deviation of the white noise on the block's clipped mean (matched), or Δ_b/μ_b (kernel noise).
    scale: f64,
}

impl PerCurveMean {
    /// `radii`: τ for curve j and coordinate k in place 3j + k.
    ///
    /// # Errors
    /// [`MechanismError`] when shapes do not fit, φ is not positive, or n = 0.
    pub fn new(
        template: FaceCurves,
        radii: &[ClipRadius],
        settings: PerCurveSettings,
        mu: Mu,
        n: u64,
    ) -> Result<Self, MechanismError> {
        if radii.len() != 3 * template.curves() {
            return Err(MechanismError::Shape("one clip radius is needed for each curve and coordinate"));
        }
        if !settings.penalty.iter().all(|p| *p > 0.0 && p.is_finite()) {
            return Err(MechanismError::Shape("smoothing parameters must be positive"));
        }
        let eigenvalues = settings.kernel.eigenvalues(template.samples());
        let shares = settings.budget.0;
        let total = (template.curves() as f64 * shares.iter().map(|s| s * s).sum::<f64>()).sqrt();
        let mut blocks = Vec::with_capacity(radii.len());
        for (b, &radius) in radii.iter().enumerate() {
            let (curve, coordinate) = (b / 3, b % 3);
            let block_mu = mu.get() * shares[coordinate] / total;
            let phi = settings.penalty[coordinate];
            let base = mean_sensitivity(radius, n)?.get();
            let gain = match settings.noise {
                BlockNoise::PaperBound => 1.0 / phi.sqrt(),
                BlockNoise::ExactBound => {
                    eigenvalues.iter().map(|l| l.sqrt() / (l + phi)).fold(0.0, f64::max) * ROUNDING
                }
                BlockNoise::Matched => 1.0,
            };
            blocks.push(Block { curve, coordinate, radius, scale: base * gain / block_mu });
        }
        let clip = radii.iter().copied().max_by(|a, b| a.get().total_cmp(&b.get()));
        let clip = clip.ok_or(MechanismError::Shape("there are no curves"))?;
        let from_data = radii.iter().any(|r| r.source() == ClipSource::Data);
        let source = if from_data { ClipSource::Data } else { clip.source() };
        let price = Price {
            mechanism: match settings.noise {
                BlockNoise::PaperBound => "functional mechanism per curve, as published",
                BlockNoise::ExactBound => "functional mechanism per curve, exact sensitivity",
                BlockNoise::Matched => "functional mechanism per curve, matched noise",
            },
            loss: loss(mu, source),
            mu,
            n,
            sensitivity: L2Sensitivity::new(mu.get() * ROUNDING)?,
            clip: ClipRadius::new(clip.get(), source)?,
            description:
                "L2 norm of each curve's each coordinate, normalized measure; coordinates scaled so that \
                          the noise has variance one"
                    .to_owned(),
            parts: ["x", "y", "z"]
                .iter()
                .zip(shares)
                .map(|(axis, s)| {
                    (format!("each of {} curves, {axis}", template.curves()), mu.get() * s / total)
                })
                .collect(),
        };
        let fourier = Fourier::new(template.samples());
        Ok(Self { price, settings, template, fourier, eigenvalues, blocks })
    }

    /// The radii measured on the data, as the paper does: the largest norm of every block. Not private.
    ///
    /// # Errors
    /// [`MechanismError`] when there is nothing to measure.
    pub fn radii_from_data(
        template: &FaceCurves,
        records: &[Option<FaceCurves>],
        centred: bool,
    ) -> Result<Vec<ClipRadius>, MechanismError> {
        (0..3 * template.curves())
            .map(|b| {
                let (j, k) = (b / 3, b % 3);
                let own = template.coordinate(j, k);
                let largest = records
                    .iter()
                    .map(|r| {
                        let curve = r.as_ref().map_or_else(|| own.clone(), |r| r.coordinate(j, k));
                        norm(&difference(&curve, &own, centred))
                    })
                    .fold(0.0, f64::max);
                Ok(ClipRadius::new(largest.max(f64::MIN_POSITIVE), ClipSource::Data)?)
            })
            .collect()
    }

    fn block_values(&self, record: Option<&[f64]>, block: &Block) -> Vec<f64> {
        let m = self.template.samples();
        let own = self.template.coordinate(block.curve, block.coordinate);
        let curve = match record {
            Some(data) => (0..m).map(|l| data[3 * (block.curve * m + l) + block.coordinate]).collect(),
            None => own.clone(),
        };
        difference(&curve, &own, self.settings.centred)
    }

    /// What a Fourier coefficient of the clipped mean is multiplied by to become an isotropic coordinate.
    fn to_isotropic(&self, block: &Block, i: usize) -> f64 {
        let lambda = self.eigenvalues[i];
        let kernel_noise = lambda.sqrt() / (lambda + self.settings.penalty[block.coordinate]);
        let gain = if self.settings.noise == BlockNoise::Matched { 1.0 } else { kernel_noise };
        gain / block.scale
    }
}

fn difference(curve: &[f64], own: &[f64], centred: bool) -> Vec<f64> {
    if centred { curve.iter().zip(own).map(|(a, b)| a - b).collect() } else { curve.to_vec() }
}

fn norm(f: &[f64]) -> f64 {
    (f.iter().map(|x| x * x).sum::<f64>() / f.len() as f64).sqrt()
}

impl MeanMechanism for PerCurveMean {
    fn price(&self) -> &Price {
        &self.price
    }

    fn statistic(&self, records: &mut dyn Iterator<Item = Option<&[f64]>>) -> Vec<f64> {
        let m = self.template.samples();
        let mut sums = vec![0.0; self.blocks.len() * m];
        for record in records {
            for (b, block) in self.blocks.iter().enumerate() {
                let values = self.block_values(record, block);
                let factor = clip_factor(norm(&values), block.radius.get());
                sums[b * m..][..m].iter_mut().zip(&values).for_each(|(s, v)| *s += factor * v);
            }
        }
        let n = self.price.n as f64;
        let mut out = Vec::with_capacity(sums.len());
        for (block, sum) in self.blocks.iter().zip(sums.chunks_exact(m)) {
            let mean: Vec<f64> = sum.iter().map(|s| s / n).collect();
            let c = self.fourier.analyse(&mean);
            out.extend(c.iter().enumerate().map(|(i, c)| c * self.to_isotropic(block, i)));
        }
        out
    }

    fn finish(&self, noised: &[f64], sigma: f64) -> Vec<f64> {
        let (jn, m) = (self.template.curves(), self.template.samples());
        let mut out = vec![0.0; 3 * jn * m];
        for (block, coordinates) in self.blocks.iter().zip(noised.chunks_exact(m)) {
            let c: Vec<f64> = if self.settings.noise == BlockNoise::Matched {
                let shrunk = shrink::shrink(coordinates, sigma, None, |i| (0, Fourier::frequency(i) as f64));
                shrunk.iter().map(|u| u * block.scale).collect()
            } else {
                // s_i·mean_i + (Δ/μ) √λ_i z_i.
                coordinates.iter().zip(&self.eigenvalues).map(|(u, l)| u * block.scale * l.sqrt()).collect()
            };
            let own = self.template.coordinate(block.curve, block.coordinate);
            for (l, value) in self.fourier.synthesize(&c).into_iter().enumerate() {
                let back = if self.settings.centred { own[l] } else { 0.0 };
                out[3 * (block.curve * m + l) + block.coordinate] = value + back;
            }
        }
        out
    }
}
