use super::blocks::Blocks;
use super::{FaceMean, FaceRelease, FaceSetting, FunctionalError, Plan, Tally, best_split};
use crate::function::{
    Circle, FaceCurves, FunctionError, KernelSmoother, NoisyCoefficients, PowerExponential, Shrinkage,
};
use crate::privacy::noise::{NoiseError, NoiseSource};
use crate::privacy::{Adjacency, Charge, ClipRadius, ClipSource, ClippedMean, PrivacyLoss};

/// The kernel and the smoothing penalties of the paper's mechanism.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KernelSettings {
    /// The power-exponential kernel.
    pub kernel: PowerExponential,
    /// φ of the three coordinates.
    pub penalties: [f64; 3],
}

impl KernelSettings {
    /// The paper's: α = 1, φ_x = φ_y = 0.01, φ_z = 0.005. It does not state ρ; here ρ = 1 radian (the size of its noise
    /// does not depend on it).
    ///
    /// # Errors
    /// Never with the constants as they are.
    pub fn paper() -> Result<Self, FunctionError> {
        Ok(Self { kernel: PowerExponential::new(1.0, 1.0)?, penalties: [0.01, 0.01, 0.005] })
    }

    /// The smoothers of the three coordinates.
    pub(super) fn smoothers(&self, circle: &Circle) -> Result<[KernelSmoother; 3], FunctionError> {
        let [x, y, z] = self.penalties.map(|phi| KernelSmoother::new(self.kernel, phi, circle));
        Ok([x?, y?, z?])
    }
}

/// The noise of a mean that clips every curve apart, and the smoothing that goes with it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CurveNoise {
    /// White noise of the least size, then shrinkage of each curve: the default.
    Matched(Shrinkage),
    /// White noise of the least size, then the paper's smoother.
    MatchedKernel(KernelSettings),
    /// The paper's smoother, then its noise N(0, C), scaled to the exact sensitivity (2τ/n) max √λ/(λ+φ).
    Kernel(KernelSettings),
}

/// Every curve of every coordinate clipped apart: exact sensitivity, best split of the budget.
///
/// Block b = (curve, coordinate) has ‖f_b − f_0b‖ ≤ τ_b, sensitivity Δ_b = 2τ_b/n (times the smoother's gain for noise
/// N(0, C)) and noise power v_b per unit: m for white noise, Σ s_i² after a smoother, Σ λ_i = 1 for N(0, C). The
/// budget is split by μ_b² ∝ Δ_b √v_b ([`best_split`]).
#[derive(Debug, Clone)]
pub struct CurvesMean {
    setting: FaceSetting,
    centred: bool,
    noise: CurveNoise,
    circle: Circle,
    blocks: Blocks,
    /// What each Fourier coefficient is multiplied by before and after the noise, by coordinate.
    before: [Vec<f64>; 3],
    after: [Vec<f64>; 3],
    plan: Plan,
}

impl CurvesMean {
    /// Default radii of the deviations from the template of unit-area faces, by disk radius and coordinate: x (across
    /// the face) 0.012 + 0.018 r, y (up) 0.040, z (depth) 0.032.
    ///
    /// Chosen on public populations only: 1.1 × the largest, over curves, of the 97 % quantiles for faces of the ICT
    /// model about another random face of it. All 30 SIMPOP faces are within them about their template.
    pub fn default_radii(disk_radii: &[f64]) -> Vec<[f64; 3]> {
        disk_radii.iter().map(|r| [0.012 + 0.018 * r, 0.040, 0.032]).collect()
    }

    /// Plans the mean of deviations from the template, clipped to these public radii (one triple for each curve).
    ///
    /// # Errors
    /// [`FunctionalError`] when the settings do not fit together.
    pub fn new(setting: FaceSetting, radii: &[[f64; 3]], noise: CurveNoise) -> Result<Self, FunctionalError> {
        Self::plan_with(setting, radii, noise, true)
    }

    /// The same without centring, as the paper does: the curves themselves are clipped, to their template's norm plus
    /// the radius. For comparison.
    ///
    /// # Errors
    /// As [`CurvesMean::new`].
    pub fn uncentred(
        setting: FaceSetting,
        radii: &[[f64; 3]],
        noise: CurveNoise,
    ) -> Result<Self, FunctionalError> {
        let norms: Vec<f64> = FaceSetting::blocks(&setting.template).iter().map(|b| rms(b)).collect();
        let whole: Vec<[f64; 3]> = radii
            .iter()
            .zip(norms.chunks_exact(3))
            .map(|(r, n)| [r[0] + n[0], r[1] + n[1], r[2] + n[2]])
            .collect();
        Self::plan_with(setting, &whole, noise, false)
    }

    fn plan_with(
        setting: FaceSetting,
        radii: &[[f64; 3]],
        noise: CurveNoise,
        centred: bool,
    ) -> Result<Self, FunctionalError> {
        let (curves, m) = (setting.template.curves(), setting.template.samples());
        if radii.len() != curves {
            let what = "radii of the curves' blocks";
            return Err(FunctionError::WrongLength { what, expected: curves, got: radii.len() }.into());
        }
        let circle = Circle::new(m)?;
        let (before, after, gains, powers) = filters(noise, &circle)?;
        // The blocks' norm includes the gain of what is applied before the noise.
        let effective: Vec<f64> = radii.iter().flat_map(|r| (0..3).map(|k| r[k] * gains[k])).collect();
        let weights: Vec<f64> = effective.iter().enumerate().map(|(b, r)| r * powers[b % 3].sqrt()).collect();
        let blocks = Blocks::new(m, effective, best_split(&weights)?)?;
        let (records, mu) = (setting.records, setting.mu);
        let noise_per_point =
            blocks.noise(records, mu).iter().enumerate().map(|(b, s)| s * s * powers[b % 3]).sum::<f64>();
        let largest = radii.iter().flatten().fold(0.0, |a: f64, &b| a.max(b));
        let plan = Plan {
            mechanism: "functional mean (curve by curve)",
            adjacency: Adjacency::ReplaceOne,
            records,
            loss: PrivacyLoss::Gaussian(mu),
            clip_radius: Some(ClipRadius::new(largest, ClipSource::Public)?),
            norm: "root mean square of each curve's coordinate",
            sensitivity: Some(2.0 / records as f64),
            noise_per_point: Some(noise_per_point / curves as f64),
            caveats: vec![],
            data_driven: vec![],
        };
        Ok(Self { setting, centred, noise, circle, blocks, before, after, plan })
    }

    /// The clipped and scaled coordinates of a face.
    fn coordinates(&self, face: &FaceCurves) -> Result<Option<Vec<f64>>, FunctionalError> {
        self.setting.check(face)?;
        let centre = FaceSetting::blocks(&self.setting.template);
        let mut blocks = Vec::with_capacity(centre.len());
        for ((b, mut block), centre) in FaceSetting::blocks(face).into_iter().enumerate().zip(centre) {
            if self.centred {
                block.iter_mut().zip(centre).for_each(|(x, c)| *x -= c);
            }
            if block.iter().any(|x| !x.is_finite()) {
                return Ok(None);
            }
            let mut coefficients = self.circle.analyse(&block)?;
            clip(&mut coefficients, self.blocks.radii()[b] / self.gain(b % 3));
            coefficients.iter_mut().zip(&self.before[b % 3]).for_each(|(c, f)| *c *= f);
            blocks.push(coefficients);
        }
        Ok(self.blocks.embed(&blocks))
    }

    fn gain(&self, coordinate: usize) -> f64 {
        self.before[coordinate].iter().fold(0.0, |a: f64, &b| a.max(b))
    }

    /// What a failed scan contributes: the template, which is zero only when deviations are averaged.
    fn fallback(&self) -> Result<Option<Vec<f64>>, FunctionalError> {
        if self.centred { Ok(None) } else { self.coordinates(&self.setting.template) }
    }
}

/// Factors before and after the noise, gain before it, and noise power after it, for the three coordinates.
type Filters = ([Vec<f64>; 3], [Vec<f64>; 3], [f64; 3], [f64; 3]);

fn filters(noise: CurveNoise, circle: &Circle) -> Result<Filters, FunctionalError> {
    let ones = || vec![1.0; circle.samples()];
    let identity = || [ones(), ones(), ones()];
    let sums = |after: &[Vec<f64>; 3]| -> [f64; 3] {
        [0, 1, 2].map(|k| after[k].iter().map(|f| f * f).sum::<f64>())
    };
    Ok(match noise {
        CurveNoise::Matched(_) => (identity(), identity(), [1.0; 3], sums(&identity())),
        CurveNoise::MatchedKernel(settings) => {
            let after = settings.smoothers(circle)?.map(|s| s.multipliers());
            let powers = sums(&after);
            (identity(), after, [1.0; 3], powers)
        }
        CurveNoise::Kernel(settings) => {
            // In units of the noise N(0, C): h_i/√λ_i, whose norm is the kernel's own.
            let smoothers = settings.smoothers(circle)?;
            let before = [0, 1, 2].map(|k| {
                let s = &smoothers[k];
                s.eigenvalues().iter().map(|l: &f64| l.sqrt() / (l + s.penalty())).collect::<Vec<_>>()
            });
            let after = [0, 1, 2].map(|k| smoothers[k].eigenvalues().iter().map(|l| l.sqrt()).collect());
            let powers = sums(&after);
            (before, after, [0, 1, 2].map(|k: usize| smoothers[k].gain()), powers)
        }
    })
}

fn clip(block: &mut [f64], radius: f64) {
    let norm = block.iter().map(|x| x * x).sum::<f64>().sqrt();
    if norm > radius {
        block.iter_mut().for_each(|x| *x *= radius / norm);
    }
}

pub(super) fn rms(values: &[f64]) -> f64 {
    (values.iter().map(|x| x * x).sum::<f64>() / values.len().max(1) as f64).sqrt()
}

impl FaceMean for CurvesMean {
    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn start(&self) -> Result<Tally, FunctionalError> {
        let FaceSetting { records, mu, .. } = self.setting;
        let sum = ClippedMean::new(self.blocks.dim(), records, Blocks::unit_radius()?, mu)?;
        Ok(Tally::of_clipped(&self.plan, sum))
    }

    fn add(&self, tally: &mut Tally, face: Option<&FaceCurves>) -> Result<(), FunctionalError> {
        let coordinates = match face {
            Some(face) => self.coordinates(face)?,
            None => None,
        };
        let contribution = if coordinates.is_some() { coordinates } else { self.fallback()? };
        Ok(tally.clipped(&self.plan)?.add(contribution.as_deref())?)
    }

    fn release(
        &self,
        tally: Tally,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<FaceRelease, FunctionalError> {
        paid.check(self.plan.loss).map_err(NoiseError::from)?;
        let noised = tally.into_clipped(&self.plan)?.release(noise, paid)?;
        let sigmas = self.blocks.noise(self.setting.records, self.setting.mu);
        let roughness: Vec<f64> =
            (0..self.circle.samples()).map(|i| (self.circle.frequency(i) as f64).powi(2)).collect();
        let mut centre = FaceSetting::blocks(&self.setting.template);
        if !self.centred {
            centre.iter_mut().flatten().for_each(|x| *x = 0.0);
        }
        let (mut denoised, mut raw) = (centre.clone(), centre);
        let mut risk = 0.0;
        for (b, mut coefficients) in self.blocks.restore(&noised.values).into_iter().enumerate() {
            coefficients.iter_mut().zip(&self.after[b % 3]).for_each(|(c, f)| *c *= f);
            add_to(&mut raw[b], &self.circle.synthesize(&coefficients)?);
            if let CurveNoise::Matched(shrinkage) = self.noise {
                let variances = vec![sigmas[b] * sigmas[b]; coefficients.len()];
                let size = self.blocks.radii()[b] / 3.0;
                let shrunk =
                    shrinkage.apply(&NoisyCoefficients::new(&coefficients, &variances, &roughness, size)?);
                risk += shrunk.risk;
                coefficients = shrunk.values;
            }
            add_to(&mut denoised[b], &self.circle.synthesize(&coefficients)?);
        }
        let curves = self.setting.template.curves() as f64;
        Ok(FaceRelease {
            curves: self.setting.curves(&denoised)?,
            unshrunk: self.setting.curves(&raw)?,
            estimated_error: matches!(self.noise, CurveNoise::Matched(_)).then_some(risk / curves),
            sensitivity: 2.0 / self.setting.records as f64,
            noise: noised.noise,
        })
    }
}

fn add_to(target: &mut [f64], more: &[f64]) {
    target.iter_mut().zip(more).for_each(|(x, d)| *x += d);
}
