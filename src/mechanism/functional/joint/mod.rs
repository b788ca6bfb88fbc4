//! The joint mechanism: all curves and coordinates of a record as one vector, centred, clipped once.

mod worst_case;

pub use worst_case::ENTRY;

use super::records::sum_of;
use super::{FunctionRecords, NoisedFunction, clip_factor, noised_part};
use crate::function::{Basis, Domain, shrink};
use crate::mechanism::MechanismError;
use crate::privacy::noise::NoiseSource;
use crate::privacy::{
    Charge, ClipRadius, ClippedMean, ClippedSum, Drawn, Mechanism, Mu, Price, PrivacyLoss, Title,
};

const TITLE: Title = Title {
    name: "joint functional Gaussian mechanism",
    sentence: "Every record's deviation from a public template is taken as one vector and shortened to the clip radius where it is \
               longer; the vectors are averaged, normal noise is added to every coefficient of the average, and what is mostly noise is \
               shrunk towards the template.",
};

/// The squared norm that a mean's deviation is expected to have, as a share of the squared clip radius: radii must hold single
/// records, whose differences average out. A weak expectation, for shrinkage only.
const EXPECTED_SHARE: f64 = 0.01;

/// What is done to the noised coefficients; all of it is free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Smoothing {
    /// Nothing.
    None,
    /// Empirical-Bayes and James–Stein shrinkage by frequency, tuned on the noised coefficients themselves.
    #[default]
    Shrink,
}

/// The mean of functions under one Gaussian mechanism.
///
#[doc = include_str!("proof.md")]
#[derive(Debug, Clone)]
pub struct FunctionalMean {
    price: Price,
    mean: ClippedMean,
    basis: Basis,
    centre: Vec<f64>,
    smoothing: Smoothing,
}

impl FunctionalMean {
    /// A mean of n functions on `domain` with values in ℝ^channels, around the public `centre` (its samples,
    /// `(points, channels)` in C order).
    ///
    /// # Errors
    /// [`MechanismError`] when centre and domain do not fit, or n = 0.
    pub fn new(
        domain: Domain,
        channels: usize,
        centre: Vec<f64>,
        clip: ClipRadius,
        mu: Mu,
        n: u64,
    ) -> Result<Self, MechanismError> {
        let basis = Basis::new(domain, channels);
        if centre.len() != basis.len() || centre.is_empty() {
            return Err(MechanismError::Shape("the public centre does not have the shape of the records"));
        }
        let mean = ClippedMean::new(basis.len(), n, clip, mu)?;
        let price = mean.price_as(
            TITLE,
            PrivacyLoss::Gaussian(mu),
            "mean deviation from the public centre, root mean square over all samples; coefficients in an orthonormal basis (Fourier \
             along the curves, radial functions across)",
        )?;
        Ok(Self { price, mean, basis, centre, smoothing: Smoothing::Shrink })
    }

    /// Declares functions on the disk nearly symmetric under t ↦ ½ − t with a change of sign in `channel`: shrinkage then
    /// expects little of antisymmetric parts. It is free, and records need not be symmetric.
    pub fn with_mirror(mut self, channel: usize) -> Self {
        self.basis = self.basis.with_mirror(channel);
        self
    }

    /// What is done after the noise.
    pub fn with_smoothing(mut self, smoothing: Smoothing) -> Self {
        self.smoothing = smoothing;
        self
    }

    /// The coefficients of one function's deviation from the centre, before it is clipped.
    pub fn coordinates(&self, samples: &[f64]) -> Vec<f64> {
        let deviation: Vec<f64> = samples.iter().zip(&self.centre).map(|(x, c)| x - c).collect();
        self.basis.analyse(&deviation)
    }

    /// Post-processing: samples from noised coefficients whose noise had standard deviation `sigma`.
    pub fn finish(&self, noised: &[f64], sigma: f64) -> Vec<f64> {
        let radius = self.mean.radius().get();
        let coefficients = match self.smoothing {
            Smoothing::None => noised.to_vec(),
            Smoothing::Shrink => {
                // The clipped mean lies in the public ball, so pulling the estimate into it can only help.
                let energy = EXPECTED_SHARE * radius.powi(2);
                let mut shrunk = shrink::shrink(noised, sigma, Some(energy), |i| self.basis.place(i));
                let norm = shrunk.iter().map(|c| c * c).sum::<f64>().sqrt();
                let factor = clip_factor(norm, radius);
                shrunk.iter_mut().for_each(|c| *c *= factor);
                shrunk
            }
        };
        let mut values = self.basis.synthesize(&coefficients);
        values.iter_mut().zip(&self.centre).for_each(|(v, c)| *v += c);
        values
    }
}

impl Mechanism for FunctionalMean {
    type Records = dyn FunctionRecords;
    type Prepared<'a> = ClippedSum;
    type Value = NoisedFunction;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        &self.price
    }

    fn prepare(&self, records: &Self::Records) -> Result<ClippedSum, MechanismError> {
        let length = self.centre.len();
        sum_of(&self.mean, records, length, |samples| samples.map(|samples| self.coordinates(samples)))
    }

    fn draw(
        &self,
        sum: &ClippedSum,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<NoisedFunction>, MechanismError> {
        let drawn = self.mean.noised(sum, noise, paid)?;
        let samples = self.finish(&drawn.values, drawn.noise.scale);
        let value = NoisedFunction { samples, coordinates: drawn.values, sigma: drawn.noise.scale };
        let part = noised_part(&self.price, &self.mean, self.mean.radius(), drawn.noise)?;
        Ok(Drawn { value, parts: vec![part] })
    }
}
