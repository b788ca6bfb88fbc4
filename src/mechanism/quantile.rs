//! A clip radius estimated privately: a high quantile of the records' norms from noisy counts on a public grid.

use crate::mechanism::functional::MechanismError;
use crate::privacy::noise::{NoiseError, NoiseSource};
use crate::privacy::{BudgetError, Charge, ClipRadius, ClipSource, L2Sensitivity, Mu};
use std::f64::consts::SQRT_2;

/// Why no radius was drawn. Nothing here depends on a record.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QuantileError {
    /// The grid.
    #[error("a grid of radii needs 0 < low < high and a ratio of at least 1.01")]
    Grid,
    /// The share.
    #[error("the share of records inside the radius must lie between 0 and 1")]
    Share,
    /// Too few records for the budget: a public condition on n and μ.
    #[error(
        "{n} records at mu = {mu} are too few for a private clip radius: its rank would be off by about \
         {doubt:.0} records; give a public radius"
    )]
    TooFew {
        /// n.
        n: u64,
        /// The quantile's own μ.
        mu: f64,
        /// Standard deviation of the rank.
        doubt: f64,
    },
    /// A budget.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// No noise was drawn.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// The radius does not fit the mechanism.
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
}

/// A quantile of norms under Gaussian differential privacy.
///
/// # Statistic and proof
/// The histogram of the n norms over the cells of a public geometric grid (the first cell reaches down to zero, the last up
/// to infinity; a failed scan has norm zero). Replacing one record moves at most two counts by one each, so Δ₂ = √2, and noise
/// of standard deviation √2/μ in every count is μ-GDP (Dong, Roth and Su 2019, Theorem 1). The released radius is found from
/// the noised counts alone: walking down from the top of the grid, the last edge above which they hold no more than the
/// wanted share of records.
#[derive(Debug, Clone)]
pub struct PrivateQuantile {
    edges: Vec<f64>,
    share: f64,
    n: u64,
    mu: Mu,
}

impl PrivateQuantile {
    /// The radius that holds about `share` of n norms, among `low`, `low`·`ratio`, … up to the first at or above `high`,
    /// at privacy loss μ = `mu`.
    ///
    /// # Errors
    /// [`QuantileError`]; [`QuantileError::TooFew`] when the rank's standard deviation would exceed 5 % of n.
    pub fn new(low: f64, high: f64, ratio: f64, share: f64, n: u64, mu: Mu) -> Result<Self, QuantileError> {
        let proper = low > 0.0 && high > low && high.is_finite() && ratio >= 1.01 && ratio.is_finite();
        let steps = ((high / low).ln() / ratio.ln() - 1e-9).ceil().max(1.0);
        if !proper || steps > 999.0 {
            return Err(QuantileError::Grid);
        }
        if !(share > 0.0 && share < 1.0) {
            return Err(QuantileError::Share);
        }
        let doubt = SQRT_2 / mu.get() * (steps / 2.0).sqrt();
        if n == 0 || doubt > 0.05 * n as f64 {
            return Err(QuantileError::TooFew { n, mu: mu.get(), doubt });
        }
        let edges = (0..=steps as i32).map(|i| low * ratio.powi(i)).collect();
        Ok(Self { edges, share, n, mu })
    }

    /// The candidates, ascending.
    pub fn edges(&self) -> &[f64] {
        &self.edges
    }

    /// How many norms fall into each cell; NaN counts as zero, like a failed record.
    fn counts(&self, norms: impl Iterator<Item = Option<f64>>) -> Vec<f64> {
        let mut counts = vec![0.0; self.edges.len() + 1];
        for norm in norms {
            let norm = norm.filter(|x| !x.is_nan()).unwrap_or(0.0);
            counts[self.edges.partition_point(|e| *e < norm)] += 1.0;
        }
        counts
    }

    /// Draws the noise and picks the radius, always one of the grid's. `norms`: one per record, `None` for a failed one.
    ///
    /// # Errors
    /// [`QuantileError::Noise`] when `paid` does not cover the loss; nothing has been drawn then.
    pub fn release(
        &self,
        norms: impl Iterator<Item = Option<f64>>,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<ClipRadius, QuantileError> {
        self.radius(&self.noised_counts(norms, noise, paid)?)
    }

    /// The counts with their noise.
    pub(super) fn noised_counts(
        &self,
        norms: impl Iterator<Item = Option<f64>>,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Vec<f64>, QuantileError> {
        let sensitivity = L2Sensitivity::new(SQRT_2.next_up())?;
        Ok(noise.gaussian_vector(&self.counts(norms), sensitivity, self.mu, paid)?.values)
    }

    /// The radius that noised counts tell: post-processing.
    pub(super) fn radius(&self, noised: &[f64]) -> Result<ClipRadius, QuantileError> {
        let allowed = (1.0 - self.share) * self.n as f64;
        let mut above = 0.0;
        let mut chosen = self.edges.len() - 1;
        for i in (0..self.edges.len()).rev() {
            above += noised[i + 1];
            if above > allowed {
                break;
            }
            chosen = i;
        }
        Ok(ClipRadius::new(self.edges[chosen], ClipSource::Private)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::{Ledger, PrivacyLoss};

    fn paid(mu: Mu) -> Charge {
        Ledger::in_memory(None).charge("quantile", PrivacyLoss::Gaussian(mu)).unwrap()
    }

    #[test]
    fn the_grid_is_geometric_and_nonsense_is_refused() {
        let mu = Mu::new(100.0).unwrap();
        let q = PrivateQuantile::new(1.0, 8.0, 2.0, 0.5, 100, mu).unwrap();
        assert_eq!(q.edges(), [1.0, 2.0, 4.0, 8.0]);
        for (low, high, ratio) in [
            (0.0, 1.0, 2.0),
            (1.0, 1.0, 2.0),
            (1.0, 2.0, 1.0),
            (1.0, f64::INFINITY, 2.0),
            (f64::NAN, 1.0, 2.0),
            (1e-9, 1e9, 1.01),
        ] {
            assert!(PrivateQuantile::new(low, high, ratio, 0.5, 100, mu).is_err());
        }
        assert!(PrivateQuantile::new(1.0, 2.0, 1.1, 1.0, 100, mu).is_err());
        assert!(PrivateQuantile::new(1.0, 2.0, 1.1, 0.9, 0, mu).is_err());
        let poor = PrivateQuantile::new(1.0, 2.0, 1.1, 0.9, 20, Mu::new(0.1).unwrap()).unwrap_err();
        assert!(poor.to_string().contains("public radius"), "{poor}");
    }

    #[test]
    fn the_quantile_is_found_within_a_cell_or_two() {
        let mu = Mu::new(0.6).unwrap();
        for seed in 0..40 {
            let q = PrivateQuantile::new(0.01, 1.0, 1.1, 0.9, 1000, mu).unwrap();
            let norms = (0..1000).map(|i| Some(0.1 + 0.2 * f64::from(i) / 1000.0));
            let radius = q.release(norms, &mut NoiseSource::seeded(seed), paid(mu)).unwrap();
            assert_eq!(radius.source(), ClipSource::Private);
            // The 90 % quantile is 0.28; the rank is off by about 10 to 20 records of 1000.
            assert!(radius.get() > 0.25 && radius.get() < 0.36, "{}", radius.get());
        }
    }

    #[test]
    fn neighbours_move_the_counts_by_the_stated_sensitivity() {
        let q = PrivateQuantile::new(1.0, 8.0, 2.0, 0.5, 100, Mu::new(9.0).unwrap()).unwrap();
        let base = [Some(1.5), Some(3.0), None];
        let a = q.counts(base.into_iter());
        for other in [0.0, 1.0, 7.0, 1e9, f64::INFINITY, f64::NAN, -1.0].map(Some).into_iter().chain([None]) {
            let b = q.counts([other, base[1], base[2]].into_iter());
            let square: f64 = a.iter().zip(&b).map(|(x, y)| (x - y).powi(2)).sum();
            assert!(square == 0.0 || square == 2.0, "{other:?}");
        }
    }

    /// Noise of standard deviation √2/μ in every count: the mean square over 4000 counts has standard deviation √(2/4000) =
    /// 0.022 of itself, five of which are allowed (false alarms: 6e-7); noise 10 % too small is 0.19 too little.
    #[test]
    fn counts_have_the_claimed_noise() {
        let mu = Mu::new(7.0).unwrap();
        let q = PrivateQuantile::new(1.0, 8.0, 2.0, 0.5, 100, mu).unwrap();
        let norms = || (0..100).map(|i| Some(f64::from(i) / 10.0));
        let (exact, mut source) = (q.counts(norms()), NoiseSource::seeded(12));
        let mut square = 0.0;
        for _ in 0..800 {
            let noised = q.noised_counts(norms(), &mut source, paid(mu)).unwrap();
            square += noised.iter().zip(&exact).map(|(x, c)| (x - c).powi(2)).sum::<f64>();
        }
        let ratio = square / (800.0 * 5.0) / (2.0 / 49.0);
        assert!((ratio - 1.0).abs() < 0.11, "{ratio}");
    }

    #[test]
    fn extremes_give_radii_of_the_grid() {
        let mu = Mu::new(100.0).unwrap();
        for (norm, expected) in [(None, 1.0), (Some(1e9), 8.0)] {
            let q = PrivateQuantile::new(1.0, 8.0, 2.0, 0.5, 100, mu).unwrap();
            let radius = q.release((0..100).map(|_| norm), &mut NoiseSource::seeded(1), paid(mu)).unwrap();
            assert_eq!(radius.get(), expected);
        }
    }
}
