//! The joint mechanism: all curves and coordinates of a record as one vector, centred, clipped once.

use super::{MeanMechanism, MechanismError, Price, clip_factor, loss, mean_sensitivity};
use crate::function::{Basis, Domain, shrink};
use crate::privacy::{ClipRadius, Mu};

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
/// # Statistic
/// g(D) = (1/n) Σ clip_τ(F_i − c): deviations from the public centre c, in the weighted norm
/// ‖F‖² = (1/points) Σ_p Σ_k a_k(p) |F_k(p)|² with public weights a > 0 (one by default), clipped to norm τ. Its coordinates
/// are the coefficients of √a·g in an orthonormal [`Basis`].
///
/// # Proof of μ-GDP
/// Replacing one record moves g by at most 2τ/n in this norm, because each clipped deviation has norm at most τ; the basis
/// is an isometry. White noise of standard deviation (2τ/n)/μ on the coefficients is the Gaussian mechanism (Dong, Roth and
/// Su 2019, Theorem 1). A record that could not be made contributes deviation zero, which is inside the ball. Shrinkage,
/// division by √a and adding c use the noised coefficients and public numbers only.
///
/// Compared with noising curves one by one there is no composition over 3J mechanisms, and no smoothing inside the
/// sensitivity: the noise is the smallest possible in the Loewner order (theory: Q ∝ SS*).
#[derive(Debug, Clone)]
pub struct FunctionalMean {
    price: Price,
    basis: Basis,
    centre: Vec<f64>,
    root_weights: Option<Vec<f64>>,
    points: usize,
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
        let price = Price {
            mechanism: "joint functional Gaussian mechanism",
            loss: loss(mu, clip.source()),
            mu,
            n,
            sensitivity: mean_sensitivity(clip, n)?,
            clip,
            description: "root-mean-square deviation from the public centre over all samples; \
                          coefficients in an orthonormal basis (Fourier along the curves, radial functions across)"
                .to_owned(),
            parts: Vec::new(),
        };
        Ok(Self {
            price,
            basis,
            centre,
            root_weights: None,
            points: domain.points(),
            smoothing: Smoothing::Shrink,
        })
    }

    /// Public positive weights, one per sample and channel.
    ///
    /// # Errors
    /// [`MechanismError::Shape`] when they do not fit or are not positive.
    pub fn with_weights(mut self, weights: &[f64]) -> Result<Self, MechanismError> {
        if weights.len() != self.centre.len() || !weights.iter().all(|w| *w > 0.0 && w.is_finite()) {
            return Err(MechanismError::Shape("weights must be positive, one per sample and channel"));
        }
        self.root_weights = Some(weights.iter().map(|w| w.sqrt()).collect());
        Ok(self)
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

    /// The norm of a record's deviation from the centre, for choosing radii on public data.
    pub fn deviation_norm(&self, record: &[f64]) -> f64 {
        self.norm(&self.deviation(record))
    }

    fn norm(&self, deviation: &[f64]) -> f64 {
        (deviation.iter().map(|x| x * x).sum::<f64>() / self.points as f64).sqrt()
    }

    fn deviation(&self, record: &[f64]) -> Vec<f64> {
        let plain = record.iter().zip(&self.centre).map(|(x, c)| x - c);
        match &self.root_weights {
            Some(w) => plain.zip(w).map(|(d, w)| d * w).collect(),
            None => plain.collect(),
        }
    }
}

impl MeanMechanism for FunctionalMean {
    fn price(&self) -> &Price {
        &self.price
    }

    fn statistic(&self, records: &mut dyn Iterator<Item = Option<&[f64]>>) -> Vec<f64> {
        let mut sum = vec![0.0; self.centre.len()];
        for record in records.flatten() {
            let deviation = self.deviation(record);
            let factor = clip_factor(self.norm(&deviation), self.price.clip.get());
            sum.iter_mut().zip(&deviation).for_each(|(s, d)| *s += factor * d);
        }
        let n = self.price.n as f64;
        sum.iter_mut().for_each(|s| *s /= n);
        self.basis.analyse(&sum)
    }

    fn finish(&self, noised: &[f64], sigma: f64) -> Vec<f64> {
        let coefficients = match self.smoothing {
            Smoothing::None => noised.to_vec(),
            Smoothing::Shrink => {
                // The clipped mean lies in the public ball, so pulling the estimate into it can only help.
                let energy = EXPECTED_SHARE * self.price.clip.get().powi(2);
                let mut shrunk = shrink::shrink(noised, sigma, Some(energy), |i| self.basis.place(i));
                let norm = shrunk.iter().map(|c| c * c).sum::<f64>().sqrt();
                let factor = clip_factor(norm, self.price.clip.get());
                shrunk.iter_mut().for_each(|c| *c *= factor);
                shrunk
            }
        };
        let mut values = self.basis.synthesize(&coefficients);
        if let Some(w) = &self.root_weights {
            values.iter_mut().zip(w).for_each(|(v, w)| *v /= w);
        }
        values.iter_mut().zip(&self.centre).for_each(|(v, c)| *v += c);
        values
    }
}
