use super::measured::Measured;
use super::{FaceMean, FaceRelease, FaceSetting, FunctionalError, Plan, Tally};
use crate::function::{FaceCurves, FunctionError};
use crate::privacy::noise::{NoiseError, NoiseSource};
use crate::privacy::{Adjacency, Charge, ClipRadius, ClipSource, ClippedMean, L2Sensitivity, PrivacyLoss};

/// The bound on each coordinate of each point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PointwiseRange {
    /// At most this far from the template, by coordinate: public, enforced by clipping. Sensitivity 2R/n.
    Public([f64; 3]),
    /// The range among the records, max − min, over n: not private.
    Measured,
    /// As Soto et al. (2024, section 5.1, A.6): the range among the records **without the 1/n** that a mean's
    /// sensitivity has, hence n times too much noise; not private either.
    AsPublished,
}

impl PointwiseRange {
    /// Default ranges for unit-area faces: across 0.05, up 0.075, depth 0.07. The largest deviation anywhere on a face of
    /// the ICT model from another random face of it has these 97 % quantiles.
    pub fn default_public() -> Self {
        Self::Public([0.05, 0.075, 0.07])
    }
}

/// The pointwise baseline: every coordinate of every point is noised apart, with budget μ/√(3p) for p points.
#[derive(Debug, Clone)]
pub struct PointwiseMean {
    setting: FaceSetting,
    range: PointwiseRange,
    plan: Plan,
}

impl PointwiseMean {
    /// Plans the mean.
    ///
    /// # Errors
    /// [`FunctionalError`] when a public range is not positive and finite.
    pub fn new(setting: FaceSetting, range: PointwiseRange) -> Result<Self, FunctionalError> {
        let coordinates = setting.template.data().len() as f64;
        let (mechanism, clip, caveats) = match range {
            PointwiseRange::Public(bounds) => {
                for value in bounds {
                    check_range(value)?;
                }
                let largest = bounds.iter().fold(0.0, |a: f64, &b| a.max(b));
                ("pointwise mean", Some(ClipRadius::new(largest, ClipSource::Public)?), vec![])
            }
            PointwiseRange::Measured => ("pointwise mean (measured ranges)", None, vec![]),
            PointwiseRange::AsPublished => (
                "pointwise mean (Soto et al. 2024)",
                None,
                vec!["the paper's sensitivity lacks the 1/n of a mean: n times the noise it needs"],
            ),
        };
        let measured = clip.is_none();
        let (n, mu) = (setting.records as f64, setting.mu.get());
        let noise_per_point = match range {
            PointwiseRange::Public(b) => {
                Some(b.iter().map(|r| (2.0 * r / (n * mu)).powi(2) * coordinates).sum::<f64>())
            }
            _ => None,
        };
        let plan = Plan {
            mechanism,
            adjacency: Adjacency::ReplaceOne,
            records: setting.records,
            loss: if measured { PrivacyLoss::NonPrivate } else { PrivacyLoss::Gaussian(setting.mu) },
            clip_radius: clip,
            norm: "each coordinate of each point",
            sensitivity: (!measured).then_some(2.0 / n),
            noise_per_point,
            caveats,
            data_driven: if measured { vec!["the range of every coordinate"] } else { vec![] },
        };
        Ok(Self { setting, range, plan })
    }

    /// What a deviation is divided by so that the whole vector has norm at most 1: R √(3p).
    fn scales(&self, bounds: [f64; 3]) -> Vec<f64> {
        let dim = self.setting.template.data().len();
        (0..dim).map(|i| bounds[i % 3] * (dim as f64).sqrt()).collect()
    }

    fn coordinates(&self, face: &FaceCurves, bounds: [f64; 3]) -> Vec<f64> {
        let deviation = face.data().iter().zip(self.setting.template.data()).map(|(x, c)| x - c);
        deviation
            .zip(self.scales(bounds))
            .enumerate()
            .map(|(i, (d, s))| d.clamp(-bounds[i % 3], bounds[i % 3]) / s)
            .collect()
    }
}

impl FaceMean for PointwiseMean {
    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn start(&self) -> Result<Tally, FunctionalError> {
        let (dim, n, mu) = (self.setting.template.data().len(), self.setting.records, self.setting.mu);
        Ok(match self.range {
            PointwiseRange::Public(_) => {
                let unit = ClipRadius::new(1.0, ClipSource::Public)?;
                Tally::of_clipped(&self.plan, ClippedMean::new(dim, n, unit, mu)?)
            }
            _ => Tally::of_measured(&self.plan, Measured::new(dim, 1, n)?),
        })
    }

    fn add(&self, tally: &mut Tally, face: Option<&FaceCurves>) -> Result<(), FunctionalError> {
        let face = face.unwrap_or(&self.setting.template);
        self.setting.check(face)?;
        match self.range {
            PointwiseRange::Public(bounds) => {
                let coordinates = self.coordinates(face, bounds);
                Ok(tally.clipped(&self.plan)?.add(Some(&coordinates))?)
            }
            _ => tally.measured(&self.plan)?.add(face.data()),
        }
    }

    fn release(
        &self,
        tally: Tally,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<FaceRelease, FunctionalError> {
        paid.check(self.plan.loss).map_err(NoiseError::from)?;
        let (n, dim) = (self.setting.records as f64, self.setting.template.data().len());
        let (noised, scales, sensitivity, centre) = match self.range {
            PointwiseRange::Public(bounds) => {
                let noised = tally.into_clipped(&self.plan)?.release(noise, paid)?;
                (noised, self.scales(bounds), 2.0 / n, self.setting.template.data().to_vec())
            }
            _ => {
                let sum = tally.into_measured(&self.plan)?;
                sum.check_complete()?;
                let divisor = if self.range == PointwiseRange::AsPublished { 1.0 } else { n };
                // A coordinate on which all records agree gets no noise, as published.
                let scales: Vec<f64> =
                    sum.ranges().iter().map(|r| (r / divisor).max(f64::MIN_POSITIVE.sqrt())).collect();
                let statistic: Vec<f64> = sum.mean().iter().zip(&scales).map(|(x, s)| x / s).collect();
                let sensitivity = (dim as f64).sqrt();
                let bound = L2Sensitivity::new(sensitivity)?;
                let noised = noise.gaussian_vector(&statistic, bound, self.setting.mu, paid)?;
                (noised, scales, sensitivity, vec![0.0; dim])
            }
        };
        let data: Vec<f64> =
            noised.values.iter().zip(&scales).zip(&centre).map(|((x, s), c)| c + x * s).collect();
        let (rings, samples) = (self.setting.template.curves(), self.setting.template.samples());
        let curves = FaceCurves::new(rings, samples, data).map_err(FunctionalError::Function)?;
        Ok(FaceRelease {
            unshrunk: curves.clone(),
            curves,
            estimated_error: self.plan.noise_per_point,
            sensitivity,
            noise: noised.noise,
        })
    }
}

fn check_range(value: f64) -> Result<(), FunctionError> {
    if value.is_finite() && value > 0.0 {
        Ok(())
    } else {
        let (name, range) = ("range of a coordinate", "a positive finite number");
        Err(FunctionError::BadParameter { name, range, value })
    }
}
