//! The joint mean with a clip radius estimated privately before it.

use super::{FunctionRecords, FunctionalMean, NoisedFunction, Norm};
use crate::function::Basis;
use crate::mechanism::MechanismError;
use crate::mechanism::quantile::{PrivateQuantile, RadiusGrid};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{
    Charge, ClipRadius, Composition, Drawn, Mechanism, Mu, NoisedPart, Price, PrivacyLoss, Title,
};

const TITLE: Title = Title {
    name: "private clip radius and joint mean",
    sentence: "A clip radius is read off noised counts of the records' distances from a public template; then the joint mechanism \
               averages the records clipped to it. Both are paid for from one budget.",
};

/// Radii to choose from, for deviations of unit-area faces: root-mean-square, in units of √area.
const GRID: RadiusGrid = RadiusGrid { low: 0.015, high: 0.2, ratio: 1.15 };

/// A private quantile of the records' deviations from the centre, and the joint mean clipped to it.
///
/// # Proof of μ-GDP
/// The quantile is μ_q-GDP and the joint mean is μ_m-GDP for *every* radius it is handed; the two compose adaptively to
/// √(μ_q² + μ_m²) ≤ μ (Dong, Roth and Su 2019, Theorem 4).
#[derive(Debug, Clone)]
pub struct PrivateRadiusMean {
    price: Price,
    quantile: PrivateQuantile,
    mu: Mu,
    basis: Basis,
    centre: Vec<f64>,
}

/// Records made ready: secret.
pub struct PreparedRadius<'a> {
    norms: Vec<Option<f64>>,
    records: &'a (dyn FunctionRecords + 'static),
}

impl PrivateRadiusMean {
    /// As [`FunctionalMean::in_norm`] without a radius.
    ///
    /// # Errors
    /// [`MechanismError`], too few records for a private radius among them.
    pub fn new(basis: Basis, centre: Vec<f64>, mu: Mu, n: u64) -> Result<Self, MechanismError> {
        let (for_radius, for_mean) = mu.split(PrivateQuantile::BUDGET_SHARE)?;
        let quantile = PrivateQuantile::on(&GRID, n, for_radius)?;
        let what = "clip radius from noised counts, then the mean deviation clipped to it";
        let mut price = Price::new(TITLE, n, PrivacyLoss::Gaussian(mu), what)?;
        price.parts = Composition::new();
        price.parts.add(quantile.price().mechanism.clone(), PrivacyLoss::Gaussian(for_radius));
        price.parts.add(super::joint::ENTRY.title.name, PrivacyLoss::Gaussian(for_mean));
        Ok(Self { price, quantile, mu: for_mean, basis, centre })
    }

    /// The mean of the second pass.
    pub(super) fn second(&self, radius: ClipRadius) -> Result<FunctionalMean, MechanismError> {
        let (n, centre) = (self.price.n, self.centre.clone());
        FunctionalMean::in_norm(Norm::White, self.basis.clone(), centre, radius, self.mu, n)
    }

    /// Root-mean-square distance from the centre.
    fn norm(&self, samples: &[f64]) -> f64 {
        let sum: f64 = samples.iter().zip(&self.centre).map(|(x, c)| (x - c).powi(2)).sum();
        (sum / self.basis.points() as f64).sqrt()
    }
}

impl Mechanism for PrivateRadiusMean {
    type Records = dyn FunctionRecords;
    type Prepared<'a> = PreparedRadius<'a>;
    type Value = NoisedFunction;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        &self.price
    }

    fn prepare<'a>(&'a self, records: &'a Self::Records) -> Result<PreparedRadius<'a>, MechanismError> {
        let norm = |i| records.samples(i).map(|samples| self.norm(&samples));
        let norms = (0..records.count()).map(norm).collect();
        // Whatever the records are, the second pass can be prepared with any radius of the grid: their shape is what can fail.
        self.second(self.quantile.widest())?.prepare(records)?;
        Ok(PreparedRadius { norms, records })
    }

    fn draw(
        &self,
        prepared: &PreparedRadius<'_>,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<NoisedFunction>, MechanismError> {
        let quantile = self.quantile.price();
        let mut paid = paid.split(&[quantile.loss, PrivacyLoss::Gaussian(self.mu)])?.into_iter();
        let (Some(for_radius), Some(for_mean)) = (paid.next(), paid.next()) else {
            return Err(MechanismError::Shape("a payment has two parts"));
        };
        let first = self.quantile.draw(&self.quantile.prepare(&prepared.norms)?, noise, for_radius)?;
        let mean = self.second(first.value.radius)?;
        // Records that could be prepared once can be prepared again: only lengths can be wrong.
        let sum = mean.prepare(prepared.records)?;
        let second = mean.draw(&sum, noise, for_mean)?;
        let parts: Vec<NoisedPart> = first.parts.into_iter().chain(second.parts).collect();
        Ok(Drawn { value: second.value, parts })
    }
}
