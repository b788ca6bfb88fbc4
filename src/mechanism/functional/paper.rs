use super::blocks::Blocks;
use super::curves::rms;
use super::measured::Measured;
use super::{FaceMean, FaceRelease, FaceSetting, FunctionalError, KernelSettings, Plan, Tally};
use crate::function::{Circle, FaceCurves, KernelSmoother};
use crate::privacy::noise::{GaussianRelease, NoiseError, NoiseSource};
use crate::privacy::{Adjacency, Charge, ClipRadius, ClipSource, ClippedMean, L2Sensitivity, PrivacyLoss};

/// Budgets of the three coordinates of a curve, before scaling to the total: Soto et al. (2024, section 5.1).
const BUDGETS: [f64; 3] = [0.2, 0.2, 0.55];

/// The paper's mechanism, to the letter: for every curve and coordinate h + (Δ/μ_b) Z, h = (1/n) Σ S f_i,
/// Z ~ N(0, C), Δ = 2τ_b/(n√φ), μ_b ∝ (0.2, 0.2, 0.55), where τ_b is the largest norm among the faces.
///
/// Measured like that, τ_b is data: the release is **not private**, and its plan and certificate say so. With a public
/// radius the curves are clipped to their template's norm plus it, and the release is private, with more than four
/// times the noise variance it needs (its bound on Δ is at least twice the exact (2τ/n) max √λ/(λ+φ)).
#[derive(Debug, Clone)]
pub struct PaperMean {
    setting: FaceSetting,
    circle: Circle,
    smoothers: [KernelSmoother; 3],
    /// τ_b; `None` when measured.
    radii: Option<Vec<f64>>,
    shares: Vec<f64>,
    plan: Plan,
}

impl PaperMean {
    /// As published: τ measured on the records, so not private.
    ///
    /// # Errors
    /// [`FunctionalError`] when the settings do not fit together.
    pub fn as_published(setting: FaceSetting, kernel: KernelSettings) -> Result<Self, FunctionalError> {
        Self::plan_with(setting, kernel, None)
    }

    /// With a public bound on the norm of each curve's deviation from the template.
    ///
    /// # Errors
    /// [`FunctionalError`] when the settings do not fit together or the radius was measured on the records.
    pub fn with_radius(
        setting: FaceSetting,
        kernel: KernelSettings,
        radius: ClipRadius,
    ) -> Result<Self, FunctionalError> {
        if radius.source() == ClipSource::Data {
            return Err(FunctionalError::DataRadius("the paper's mechanism with a given radius"));
        }
        Self::plan_with(setting, kernel, Some(radius))
    }

    fn plan_with(
        setting: FaceSetting,
        kernel: KernelSettings,
        radius: Option<ClipRadius>,
    ) -> Result<Self, FunctionalError> {
        let circle = Circle::new(setting.template.samples())?;
        let smoothers = kernel.smoothers(&circle)?;
        let templates = FaceSetting::blocks(&setting.template);
        let total = (BUDGETS.iter().map(|b| b * b).sum::<f64>() * setting.template.curves() as f64).sqrt();
        let shares: Vec<f64> = (0..templates.len()).map(|b| BUDGETS[b % 3] / total).collect();
        let radii: Option<Vec<f64>> =
            radius.map(|radius| templates.iter().map(|b| rms(b) + radius.get()).collect());
        let private = radii.is_some();
        let plan = Plan {
            mechanism: "functional mean (Soto et al. 2024)",
            adjacency: Adjacency::ReplaceOne,
            records: setting.records,
            loss: if private { PrivacyLoss::Gaussian(setting.mu) } else { PrivacyLoss::NonPrivate },
            clip_radius: radius,
            norm: "root mean square of each curve's coordinate",
            sensitivity: private.then_some(2.0 / setting.records as f64),
            noise_per_point: None,
            caveats: vec![
                "the paper's sensitivity 2*tau/(n*sqrt(phi)) is at least twice what is needed: more than four times \
                 the noise variance",
            ],
            data_driven: if private { vec![] } else { vec!["the largest norm of every curve (tau)"] },
        };
        let mut mean = Self { setting, circle, smoothers, radii, shares, plan };
        mean.plan.noise_per_point = mean.radii.as_deref().map(|radii| mean.noise_per_point(radii));
        Ok(mean)
    }

    /// Σ_b (2τ_b/(n√φ_b μ_b))² Σλ over the number of curves.
    fn noise_per_point(&self, radii: &[f64]) -> f64 {
        let unit = 2.0 / (self.setting.records as f64 * self.setting.mu.get());
        let noise = |b: usize| {
            let smoother = &self.smoothers[b % 3];
            let power: f64 = smoother.eigenvalues().iter().sum();
            (unit * radii[b] / self.shares[b]).powi(2) / smoother.penalty() * power
        };
        (0..radii.len()).map(noise).sum::<f64>() / self.setting.template.curves() as f64
    }

    /// Blocks in units of the noise: h/√λ has norm at most τ/(2√φ); the paper takes τ/√φ.
    fn blocks(&self, radii: &[f64]) -> Result<Blocks, FunctionalError> {
        let scaled = |(b, r): (usize, &f64)| r / self.smoothers[b % 3].penalty().sqrt();
        let radii = radii.iter().enumerate().map(scaled).collect();
        Blocks::new(self.circle.samples(), radii, self.shares.clone())
    }

    /// S f/√λ for every block of samples, clipped to its radius first where radii are given.
    fn whiten(&self, blocks: &[Vec<f64>], radii: Option<&[f64]>) -> Result<Vec<Vec<f64>>, FunctionalError> {
        let whiten = |(b, block): (usize, &Vec<f64>)| {
            let norm = rms(block);
            let clip = radii.map_or(1.0, |r| if norm > r[b] { r[b] / norm } else { 1.0 });
            let smoother = &self.smoothers[b % 3];
            let coefficients = self.circle.analyse(block)?;
            let factor = |l: &f64| clip * l.sqrt() / (l + smoother.penalty());
            Ok(coefficients.iter().zip(smoother.eigenvalues()).map(|(c, l)| c * factor(l)).collect())
        };
        blocks.iter().enumerate().map(whiten).collect()
    }

    /// Undoes the whitening of a noised vector.
    fn face(&self, noised: &GaussianRelease, blocks: &Blocks) -> Result<FaceCurves, FunctionalError> {
        let mut curves = Vec::with_capacity(self.shares.len());
        for (b, mut whitened) in blocks.restore(&noised.values).into_iter().enumerate() {
            let eigenvalues = self.smoothers[b % 3].eigenvalues();
            whitened.iter_mut().zip(eigenvalues).for_each(|(x, l)| *x *= l.sqrt());
            curves.push(self.circle.synthesize(&whitened)?);
        }
        self.setting.curves(&curves)
    }

    fn of(&self, face: Option<&FaceCurves>) -> Result<Vec<Vec<f64>>, FunctionalError> {
        let face = face.unwrap_or(&self.setting.template);
        self.setting.check(face)?;
        Ok(FaceSetting::blocks(face))
    }
}

impl FaceMean for PaperMean {
    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn start(&self) -> Result<Tally, FunctionalError> {
        let (dim, n) = (self.shares.len() * self.circle.samples(), self.setting.records);
        Ok(match self.radii {
            Some(_) => {
                let sum = ClippedMean::new(dim, n, Blocks::unit_radius()?, self.setting.mu)?;
                Tally::of_clipped(&self.plan, sum)
            }
            None => Tally::of_measured(&self.plan, Measured::new(dim, self.shares.len(), n)?),
        })
    }

    fn add(&self, tally: &mut Tally, face: Option<&FaceCurves>) -> Result<(), FunctionalError> {
        let blocks = self.of(face)?;
        match &self.radii {
            Some(radii) => {
                let whitened = self.whiten(&blocks, Some(radii))?;
                let coordinates = self.blocks(radii)?.embed(&whitened);
                Ok(tally.clipped(&self.plan)?.add(coordinates.as_deref())?)
            }
            None => tally.measured(&self.plan)?.add(&blocks.concat()),
        }
    }

    fn release(
        &self,
        tally: Tally,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<FaceRelease, FunctionalError> {
        paid.check(self.plan.loss).map_err(NoiseError::from)?;
        let sensitivity = 2.0 / self.setting.records as f64;
        let (noised, blocks) = match &self.radii {
            Some(radii) => (tally.into_clipped(&self.plan)?.release(noise, paid)?, self.blocks(radii)?),
            None => {
                let sum = tally.into_measured(&self.plan)?;
                sum.check_complete()?;
                let mean: Vec<Vec<f64>> =
                    sum.mean().chunks_exact(self.circle.samples()).map(<[f64]>::to_vec).collect();
                // Where all faces are zero the paper's mechanism adds nothing; a radius must be positive.
                let measured: Vec<f64> = sum.block_norms().iter().map(|r| r.max(1e-150)).collect();
                let blocks = self.blocks(&measured)?;
                let statistic = blocks.scale(&self.whiten(&mean, None)?);
                let bound = L2Sensitivity::new(sensitivity)?;
                (noise.gaussian_vector(&statistic, bound, self.setting.mu, paid)?, blocks)
            }
        };
        let curves = self.face(&noised, &blocks)?;
        Ok(FaceRelease {
            unshrunk: curves.clone(),
            curves,
            estimated_error: None,
            sensitivity,
            noise: noised.noise,
        })
    }
}
