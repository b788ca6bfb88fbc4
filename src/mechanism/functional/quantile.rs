use super::{FunctionalError, Plan};
use crate::function::FunctionError;
use crate::privacy::noise::NoiseSource;
use crate::privacy::{
    Adjacency, Charge, ClipRadius, ClipSource, IncompleteMean, L2Sensitivity, Mu, PrivacyLoss,
};
use std::f64::consts::SQRT_2;

/// A public geometric grid of candidate radii: `low`, `low`·`ratio`, … up to the first at or above `high`.
#[derive(Debug, Clone, PartialEq)]
pub struct QuantileGrid {
    edges: Vec<f64>,
}

impl QuantileGrid {
    /// The grid; 0 < `low` < `high`, `ratio` at least 1.01, at most 1000 candidates.
    ///
    /// # Errors
    /// [`FunctionError::BadParameter`], [`FunctionError::BadDomain`].
    pub fn new(low: f64, high: f64, ratio: f64) -> Result<Self, FunctionError> {
        let proper = low > 0.0 && high > low && high.is_finite() && ratio >= 1.01 && ratio.is_finite();
        if !proper {
            return Err(FunctionError::BadDomain(format!(
                "a grid of radii needs 0 < low < high and a ratio of at least 1.01, got {low}, {high}, {ratio}"
            )));
        }
        let steps = ((high / low).ln() / ratio.ln() - 1e-9).ceil().max(1.0);
        if steps > 999.0 {
            return Err(FunctionError::BadDomain(format!("{steps} candidate radii; at most 999 steps")));
        }
        Ok(Self { edges: (0..=steps as i32).map(|i| low * ratio.powi(i)).collect() })
    }

    /// For norms of unit-area faces: 0.01 to 0.5 by 12 %.
    ///
    /// # Errors
    /// Never with the constants as they are.
    pub fn faces() -> Result<Self, FunctionError> {
        Self::new(0.01, 0.5, 1.12)
    }

    /// The candidates, ascending.
    pub fn edges(&self) -> &[f64] {
        &self.edges
    }
}

/// A clip radius estimated privately: a quantile of the records' norms from noisy counts on a public grid.
///
/// Statistic: the histogram of the norms over the cells of the grid, the last open above, the first reaching down to
/// zero. Replacing a record moves two counts by one each, so Δ₂ = √2 and noise √2/μ_q in each count is μ_q-GDP. The
/// released radius is the first edge up to which the noised counts hold the wanted share of the records: its rank is
/// off by about √2 √K/μ_q records for K cells. It composes with the mean: √(μ_q² + μ_mean²).
#[derive(Debug, Clone)]
pub struct PrivateQuantile {
    grid: QuantileGrid,
    share: f64,
    mu: Mu,
    plan: Plan,
    counts: Vec<u64>,
}

impl PrivateQuantile {
    /// Plans the `share` quantile (between 0 and 1, for example 0.95) of `records` norms at μ_q = `mu`.
    ///
    /// # Errors
    /// [`FunctionalError`] for a share outside (0, 1) or no records.
    pub fn new(grid: QuantileGrid, share: f64, records: u64, mu: Mu) -> Result<Self, FunctionalError> {
        if !(share > 0.0 && share < 1.0) {
            let (name, range) = ("share of the quantile", "between 0 and 1, both excluded");
            return Err(FunctionError::BadParameter { name, range, value: share }.into());
        }
        if records == 0 {
            return Err(IncompleteMean::Empty.into());
        }
        let plan = Plan {
            mechanism: "private quantile",
            adjacency: Adjacency::ReplaceOne,
            records,
            loss: PrivacyLoss::Gaussian(mu),
            clip_radius: None,
            norm: "counts of records in the cells of a public grid",
            sensitivity: Some(SQRT_2),
            noise_per_point: None,
            caveats: vec![],
            data_driven: vec![],
        };
        let counts = vec![0; grid.edges.len() + 1];
        Ok(Self { grid, share, mu, plan, counts })
    }

    /// What it will cost.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Counts one record's norm; `None`, or one that is not a number, is a failed scan, whose norm is zero.
    ///
    /// # Errors
    /// [`FunctionalError::Records`] beyond n records.
    pub fn add(&mut self, norm: Option<f64>) -> Result<(), FunctionalError> {
        let given = self.counts.iter().sum::<u64>() + 1;
        if given > self.plan.records {
            return Err(IncompleteMean::Count { declared: self.plan.records, given }.into());
        }
        let norm = norm.filter(|x| !x.is_nan()).unwrap_or(0.0);
        self.counts[self.grid.edges.partition_point(|e| *e < norm)] += 1;
        Ok(())
    }

    /// Whether all n records are in: to be asked before the ledger is charged.
    ///
    /// # Errors
    /// [`FunctionalError::Records`].
    pub fn check_complete(&self) -> Result<(), FunctionalError> {
        let (declared, given) = (self.plan.records, self.counts.iter().sum());
        if declared == given { Ok(()) } else { Err(IncompleteMean::Count { declared, given }.into()) }
    }

    /// Draws the noise and picks the radius, always one of the grid's.
    ///
    /// # Errors
    /// [`FunctionalError`]; nothing has been drawn then.
    pub fn release(self, noise: &mut NoiseSource, paid: Charge) -> Result<ClipRadius, FunctionalError> {
        self.check_complete()?;
        // Counts below 2⁵³ are exact in f64.
        let counts: Vec<f64> = self.counts.iter().map(|&c| c as f64).collect();
        let noised = noise.gaussian_vector(&counts, L2Sensitivity::new(SQRT_2.next_up())?, self.mu, paid)?;
        let wanted = self.share * self.plan.records as f64;
        let mut below = 0.0;
        let position = noised.values.iter().position(|c| {
            below += c;
            below >= wanted
        });
        let last = self.grid.edges.len() - 1;
        let radius = self.grid.edges[position.unwrap_or(last).min(last)];
        Ok(ClipRadius::new(radius, ClipSource::Private)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::Ledger;

    fn charge(mu: Mu) -> Charge {
        Ledger::in_memory(None).charge("quantile", PrivacyLoss::Gaussian(mu)).unwrap()
    }

    #[test]
    fn the_grid_is_geometric_and_reaches_its_end() {
        let grid = QuantileGrid::new(1.0, 8.0, 2.0).unwrap();
        assert_eq!(grid.edges(), [1.0, 2.0, 4.0, 8.0]);
        for (low, high, ratio) in
            [(0.0, 1.0, 2.0), (1.0, 1.0, 2.0), (1.0, 2.0, 1.0), (1.0, f64::INFINITY, 2.0), (1e-9, 1e9, 1.01)]
        {
            assert!(QuantileGrid::new(low, high, ratio).is_err());
        }
    }

    #[test]
    fn the_quantile_is_found_within_a_cell_or_two() {
        let mu = Mu::new(0.5).unwrap();
        for seed in 0..20 {
            let mut q =
                PrivateQuantile::new(QuantileGrid::new(0.01, 1.0, 1.1).unwrap(), 0.9, 1000, mu).unwrap();
            for i in 0..1000 {
                q.add(Some(0.1 + 0.2 * i as f64 / 1000.0)).unwrap();
            }
            let radius = q.release(&mut NoiseSource::seeded(seed), charge(mu)).unwrap();
            assert_eq!(radius.source(), ClipSource::Private);
            // The 90 % quantile is 0.28; noise moves it by up to 5 % of the ranks or so.
            assert!(radius.get() > 0.23 && radius.get() < 0.37, "{}", radius.get());
        }
    }

    #[test]
    fn neighbours_move_the_counts_by_the_stated_sensitivity() {
        let mu = Mu::new(1.0).unwrap();
        let counts = |values: &[Option<f64>]| {
            let mut q =
                PrivateQuantile::new(QuantileGrid::new(1.0, 8.0, 2.0).unwrap(), 0.5, values.len() as u64, mu)
                    .unwrap();
            values.iter().for_each(|v| q.add(*v).unwrap());
            q.counts
        };
        let base = [Some(1.5), Some(3.0), None];
        let a = counts(&base);
        for other in [
            Some(0.0),
            Some(1.0),
            Some(7.0),
            Some(1e9),
            Some(f64::INFINITY),
            Some(f64::NAN),
            Some(-1.0),
            None,
        ] {
            let b = counts(&[other, base[1], base[2]]);
            let distance: u64 = a.iter().zip(&b).map(|(x, y)| x.abs_diff(*y).pow(2)).sum();
            assert!(distance == 0 || distance == 2, "{other:?}");
        }
    }

    #[test]
    fn extremes_give_radii_of_the_grid_and_counts_are_checked() {
        let mu = Mu::new(100.0).unwrap();
        for (norm, expected) in [(None, 1.0), (Some(1e9), 8.0)] {
            let mut q = PrivateQuantile::new(QuantileGrid::new(1.0, 8.0, 2.0).unwrap(), 0.5, 4, mu).unwrap();
            assert!(q.check_complete().is_err());
            (0..4).for_each(|_| q.add(norm).unwrap());
            assert!(q.add(None).is_err());
            assert_eq!(q.release(&mut NoiseSource::seeded(1), charge(mu)).unwrap().get(), expected);
        }
        assert!(PrivateQuantile::new(QuantileGrid::faces().unwrap(), 1.0, 4, mu).is_err());
        assert!(PrivateQuantile::new(QuantileGrid::faces().unwrap(), 0.5, 0, mu).is_err());
    }
}
