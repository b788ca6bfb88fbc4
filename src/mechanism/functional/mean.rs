use super::{FunctionalError, Plan, Tally};
use crate::function::{FunctionError, FunctionSpace, NoisyCoefficients, Shrinkage};
use crate::privacy::noise::{NoiseDescription, NoiseError, NoiseSource};
use crate::privacy::{
    Adjacency, Charge, ClipRadius, ClipSource, ClippedMean, L2Sensitivity, Mu, PrivacyLoss,
};

/// Public weights a(λ) = (1 + λ/λ_c)^p of a coefficient of roughness λ in the norm that is clipped.
///
/// p = 0 is the root mean square of the function, p = 1 adds its Dirichlet energy over λ_c. The larger p, the less
/// noise fine detail gets and the sooner a rough record is clipped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpectralWeight {
    corner: f64,
    power: f64,
}

impl SpectralWeight {
    /// Corner λ_c > 0 and power p ≥ 0.
    ///
    /// # Errors
    /// [`FunctionError::BadParameter`].
    pub fn new(corner: f64, power: f64) -> Result<Self, FunctionError> {
        for (name, value, range, valid) in [
            ("corner of the spectral weight", corner, "a positive finite number", corner > 0.0),
            ("power of the spectral weight", power, "between 0 and 4", (0.0..=4.0).contains(&power)),
        ] {
            if !(valid && value.is_finite()) {
                return Err(FunctionError::BadParameter { name, range, value });
            }
        }
        Ok(Self { corner, power })
    }

    /// The same weight for all: white noise.
    pub fn flat() -> Self {
        Self { corner: 1.0, power: 0.0 }
    }

    /// a(λ).
    pub fn at(&self, roughness: f64) -> f64 {
        (1.0 + roughness / self.corner).powf(self.power)
    }
}

impl Default for SpectralWeight {
    /// λ_c = 20, p = ¾. Of p in {0, ¼, ½, ¾, 1, 5/4} on faces of two public models, ¾ to 1 leave the least noise (12 to
    /// 20 times less than p = 0); ¾ leaves three times as much room in the norm for roughness that models lack.
    fn default() -> Self {
        Self { corner: 20.0, power: 0.75 }
    }
}

/// Everything public that a private mean of functions needs.
#[derive(Debug, Clone)]
pub struct MeanSettings {
    /// Where the functions live.
    pub space: FunctionSpace,
    /// The template: values at the grid points, `channels` numbers for each point (channel fastest).
    pub centre: Vec<f64>,
    /// Numbers at each point: 3 for surfaces and space curves, 2 for outlines, 1 for heights and spectra.
    pub channels: usize,
    /// n, failed records included.
    pub records: u64,
    /// τ: deviations from the centre are clipped to it in the weighted norm.
    pub clip: ClipRadius,
    /// The budget.
    pub mu: Mu,
    /// Weights of the norm.
    pub weight: SpectralWeight,
    /// How the noised coefficients are denoised (free).
    pub shrinkage: Shrinkage,
}

/// The private mean of function-valued records: faces, terrain, outlines, spectra.
///
/// Statistic: (1/n) Σ clip_τ(W(f_i − f_0)), W the coefficients in the space's orthonormal basis times √a, all channels
/// in one vector. One replaced record moves it by at most 2τ/n, so Gaussian noise of standard deviation 2τ/(nμ) in
/// every coordinate makes it μ-GDP; all else is post-processing. Composition over blocks or channels does not arise.
///
/// ```
/// use visard::function::{Domain, FunctionSpace, Shrinkage};
/// use visard::mechanism::functional::{FunctionalMean, MeanSettings, SpectralWeight};
/// use visard::privacy::{ClipRadius, ClipSource, Ledger, Mu, noise::NoiseSource};
/// // Four daily temperature profiles of 24 hours, in units in which they deviate by about 1 from a public norm.
/// let mean = FunctionalMean::new(MeanSettings {
///     space: FunctionSpace::new(&Domain::Circle { samples: 24 })?,
///     centre: vec![0.0; 24],
///     channels: 1,
///     records: 4,
///     clip: ClipRadius::new(2.0, ClipSource::Public)?,
///     mu: Mu::new(1.0)?,
///     weight: SpectralWeight::default(),
///     shrinkage: Shrinkage::default(),
/// })?;
/// assert_eq!(mean.plan().sensitivity, Some(1.0));
/// let mut tally = mean.start()?;
/// for _ in 0..3 {
///     mean.add(&mut tally, Some(&[1.0; 24]))?;
/// }
/// mean.add(&mut tally, None)?; // a failed record counts and contributes the centre
/// tally.check_complete()?;
/// let paid = Ledger::in_memory(None).charge(mean.plan().mechanism, mean.plan().loss)?;
/// let release = mean.release(tally, &mut NoiseSource::from_os()?, paid)?;
/// assert_eq!(release.values.len(), 24);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct FunctionalMean {
    settings: MeanSettings,
    /// √a_i of each basis function.
    amplitudes: Vec<f64>,
    plan: Plan,
}

/// A released mean function.
#[derive(Debug, Clone, PartialEq)]
pub struct MeanRelease {
    /// The mean, denoised, in the layout of the centre.
    pub values: Vec<f64>,
    /// The mean with all its noise: unbiased for the mean of the clipped records.
    pub unshrunk: Vec<f64>,
    /// An estimate, from the release itself, of the mean squared error of `values` at a point (all channels together)
    /// against the mean of the clipped records: Stein's, so it can be a little below zero.
    pub estimated_error: f64,
    /// The noise, in the coordinates it was added in.
    pub noise: NoiseDescription,
}

impl FunctionalMean {
    /// Plans the mean.
    ///
    /// # Errors
    /// [`FunctionalError`] when the settings do not fit together, or the radius was measured on the records.
    pub fn new(settings: MeanSettings) -> Result<Self, FunctionalError> {
        let MeanSettings { space, centre, channels, records, clip, mu, weight, .. } = &settings;
        let expected = space.points().saturating_mul(*channels);
        if *channels == 0 || centre.len() != expected {
            let what = "centre of the mean";
            return Err(FunctionError::WrongLength { what, expected, got: centre.len() }.into());
        }
        if let Some(index) = centre.iter().position(|x| !x.is_finite()) {
            return Err(FunctionError::NotFinite { what: "centre of the mean", index }.into());
        }
        if clip.source() == ClipSource::Data {
            return Err(FunctionalError::DataRadius("a functional mean"));
        }
        let sensitivity = L2Sensitivity::of_clipped_mean(*clip, *records)?.get();
        let weights: Vec<f64> = space.roughness().iter().map(|l| weight.at(*l)).collect();
        let inverse: f64 = weights.iter().map(|a| 1.0 / a).sum();
        let plan = Plan {
            mechanism: "functional mean (joint)",
            adjacency: Adjacency::ReplaceOne,
            records: *records,
            loss: PrivacyLoss::Gaussian(*mu),
            clip_radius: Some(*clip),
            norm: "spectrally weighted L2 norm of the whole deviation from the template",
            sensitivity: Some(sensitivity),
            noise_per_point: Some((sensitivity / mu.get()).powi(2) * inverse * *channels as f64),
            caveats: vec![],
            data_driven: vec![],
        };
        Ok(Self { amplitudes: weights.iter().map(|a| a.sqrt()).collect(), settings, plan })
    }

    /// What it will cost and do.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What it was planned with.
    pub fn settings(&self) -> &MeanSettings {
        &self.settings
    }

    /// An empty tally.
    ///
    /// # Errors
    /// [`FunctionalError::Noise`] for extreme radii.
    pub fn start(&self) -> Result<Tally, FunctionalError> {
        let MeanSettings { centre, records, clip, mu, .. } = &self.settings;
        Ok(Tally::of_clipped(&self.plan, ClippedMean::new(centre.len(), *records, *clip, *mu)?))
    }

    /// Adds one record (layout of the centre); `None`, or a record with a value that is not finite, is a failed one
    /// and contributes the centre.
    ///
    /// # Errors
    /// [`FunctionalError::Records`] for a record of another length or more than n records.
    pub fn add(&self, tally: &mut Tally, record: Option<&[f64]>) -> Result<(), FunctionalError> {
        let coordinates = match record {
            Some(values) => self.coordinates(values)?,
            None => None,
        };
        Ok(tally.clipped(&self.plan)?.add(coordinates.as_deref())?)
    }

    /// The norm of a record's deviation, to which τ is compared: for private quantiles and for choosing a public τ on
    /// public data. `None` for a failed record.
    ///
    /// # Errors
    /// [`FunctionalError::Records`] for a record of another length.
    pub fn norm(&self, record: &[f64]) -> Result<Option<f64>, FunctionalError> {
        let norm = |c: Vec<f64>| c.iter().map(|x| x * x).sum::<f64>().sqrt();
        Ok(self.coordinates(record)?.map(norm))
    }

    /// √a_i c_i of the deviation, channel by channel.
    fn coordinates(&self, record: &[f64]) -> Result<Option<Vec<f64>>, FunctionalError> {
        let MeanSettings { space, centre, channels, .. } = &self.settings;
        if record.len() != centre.len() {
            let (expected, found) = (centre.len(), record.len());
            return Err(crate::privacy::IncompleteMean::Length { expected, found }.into());
        }
        let deviation: Vec<f64> = record.iter().zip(centre).map(|(f, c)| f - c).collect();
        if !deviation.iter().all(|x| x.is_finite()) {
            return Ok(None);
        }
        let mut out = Vec::with_capacity(centre.len());
        for channel in 0..*channels {
            let values: Vec<f64> = deviation.iter().skip(channel).step_by(*channels).copied().collect();
            let coefficients = space.analyse(&values)?;
            out.extend(coefficients.iter().zip(&self.amplitudes).map(|(c, a)| c * a));
        }
        Ok(Some(out))
    }

    /// Draws the noise and denoises.
    ///
    /// # Errors
    /// [`FunctionalError::Noise`] when records are missing or the charge does not cover the loss; ask
    /// [`Tally::check_complete`] before charging.
    pub fn release(
        &self,
        tally: Tally,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<MeanRelease, FunctionalError> {
        let MeanSettings { space, channels, clip, shrinkage, .. } = &self.settings;
        paid.check(self.plan.loss).map_err(NoiseError::from)?;
        let noised = tally.into_clipped(&self.plan)?.release(noise, paid)?;
        let variances: Vec<f64> = self.amplitudes.iter().map(|a| (noised.sigma / a).powi(2)).collect();
        // A typical record's norm is half of τ, and a mean's deviation from a good template a third of that; the
        // estimator takes it for a guess.
        let size = clip.get() / (6.0 * (*channels as f64).sqrt());
        let (mut values, mut unshrunk) = (self.settings.centre.clone(), self.settings.centre.clone());
        let mut estimated_error = 0.0;
        for (channel, coordinates) in noised.values.chunks_exact(space.points()).enumerate() {
            let raw: Vec<f64> = coordinates.iter().zip(&self.amplitudes).map(|(u, a)| u / a).collect();
            let noisy = NoisyCoefficients::new(&raw, &variances, space.roughness(), size)?;
            let shrunk = shrinkage.apply(&noisy);
            estimated_error += shrunk.risk;
            for (target, coefficients) in [(&mut values, &shrunk.values), (&mut unshrunk, &raw)] {
                let deviation = space.synthesize(coefficients)?;
                target.iter_mut().skip(channel).step_by(*channels).zip(deviation).for_each(|(x, d)| *x += d);
            }
        }
        Ok(MeanRelease { values, unshrunk, estimated_error, noise: noised.noise })
    }
}
