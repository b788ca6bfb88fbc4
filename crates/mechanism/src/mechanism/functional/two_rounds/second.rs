//! The second round: the mean about a released centre, with the second moment that comes with it for free.

use super::super::records::{Given, add_some, add_up};
use super::super::{FunctionRecords, FunctionalMean, NoisedFunction};
use crate::mechanism::MechanismError;
use crate::privacy::noise::{ClippedMoments, MomentSum, NoiseSource};
use crate::privacy::{Charge, Drawn, Mechanism, Mu, Price};

/// A mean about a released centre and the second moment of some of its coordinates.
pub(super) struct SecondRound {
    mean: FunctionalMean,
    moments: ClippedMoments,
}

impl SecondRound {
    /// With the clip of `mean`, at `mu`; of these coefficients.
    pub(super) fn new(mean: FunctionalMean, chosen: Vec<usize>, mu: Mu) -> Result<Self, MechanismError> {
        let (dim, n) = (mean.dimension(), mean.price().n);
        let moments = ClippedMoments::new(dim, chosen, n, mean.clip_radius(), mu, ClippedMoments::FREE)?;
        Ok(Self { mean, moments })
    }

    /// The same, its mean lengthened.
    pub(super) fn lengthening(mut self, times: f64) -> Self {
        self.mean = self.mean.lengthening(times);
        self
    }

    /// What it costs, and the noise of the mean.
    pub(super) fn price(&self) -> &Price {
        self.moments.price()
    }

    /// Weighted coordinates of a function's deviation from the centre.
    pub(super) fn coordinates(&self, samples: &[f64]) -> Vec<f64> {
        self.mean.coordinates(samples)
    }

    /// What is clipped and averaged.
    pub(super) fn moments(&self) -> &ClippedMoments {
        &self.moments
    }

    /// The clipped records' sums: secret. Of all n of them, or of some.
    pub(super) fn sum(&self, records: &dyn FunctionRecords, all: bool) -> Result<MomentSum, MechanismError> {
        let length = self.mean.basis().len();
        let (empty, vector) = (|| self.moments.sum(), |given: &Given<'_>| self.mean.vector(given));
        if all { add_up(empty, records, length, vector) } else { add_some(empty, records, length, vector) }
    }

    /// Both, noised together; the mean shrunk.
    pub(super) fn draw(
        &self,
        sum: &MomentSum,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<NoisedFunction>, MechanismError> {
        let Drawn { mut value, parts } = self.moments.draw(sum, noise, paid)?;
        let (size, _) = self.mean.split(&mut value.mean, value.mean_sigma);
        let estimate = self.mean.finish(&value.mean, value.mean_sigma);
        let function = NoisedFunction::new(estimate, value.mean, value.mean_sigma);
        Ok(Drawn { value: NoisedFunction { moments: Some(value.second), size, ..function }, parts })
    }
}
