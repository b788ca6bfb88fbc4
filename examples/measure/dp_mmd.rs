//! The peer of the test of two groups: dpMMD (Kim and Schrab, "Differentially private permutation tests: applications to kernel methods",
//! 2023), the maximum mean discrepancy with Laplace noise in a private permutation test. Floating point: for figures, not for releases.

use nalgebra::DMatrix;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Exp1};
use visard::privacy::{Delta, Epsilon, Mu};

/// Permutations; the paper's authors take 500.
const PERMUTATIONS: usize = 300;
/// Bandwidths, in medians of the distances between people of the population: read off it unpaid.
pub const BANDWIDTHS: [f64; 3] = [0.5, 1.0, 2.0];

/// At what ε two records are compared.
#[derive(Debug, Clone, Copy)]
pub enum Budget {
    /// The largest ε for which every ε-DP release is μ-GDP.
    Pure(Mu),
    /// The ε of (ε, 10⁻⁵) that μ-GDP implies: less is promised than by μ-GDP.
    Approximate(Mu),
}

impl Budget {
    fn epsilon(self) -> Result<f64, Box<dyn std::error::Error>> {
        match self {
            // Bisection: μ of ε is known in this direction only.
            Self::Pure(mu) => {
                let (mut low, mut high) = (0.0, 100.0);
                for _ in 0..60 {
                    let middle = 0.5 * (low + high);
                    let within = Mu::of_pure(Epsilon::new(middle)?)?.get() <= mu.get();
                    if within { low = middle } else { high = middle }
                }
                Ok(low)
            }
            Self::Approximate(mu) => Ok(mu.epsilon_at(Delta::new(1e-5)?)?.get()),
        }
    }
}

/// Tests of two groups of equal size at the level .05, of records drawn elsewhere.
pub struct DpMmd {
    budgets: Vec<f64>,
    median: f64,
}

impl DpMmd {
    /// At these budgets; `median` is that of the distances between people.
    ///
    /// # Errors
    /// Budgets that are none.
    pub fn new(budgets: &[Budget], median: f64) -> Result<Self, Box<dyn std::error::Error>> {
        let budgets = budgets.iter().map(|budget| budget.epsilon()).collect::<Result<_, _>>()?;
        Ok(Self { budgets, median })
    }

    /// Whether a difference is found: for every budget, by every bandwidth. `groups` has 0 or 1 for each row of `records`.
    pub fn rejected(&self, records: &[Vec<f64>], groups: &[usize], seed: u64) -> Vec<[bool; 3]> {
        let n = records.len();
        let rows = DMatrix::from_fn(records[0].len(), n, |j, i| records[i][j]);
        let inner = rows.tr_mul(&rows);
        let squares = DMatrix::from_fn(n, n, |i, j| inner[(i, i)] + inner[(j, j)] - 2.0 * inner[(i, j)]);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut order: Vec<usize> = (0..n).collect();
        let half = n as f64 / 2.0;
        let mut signs = DMatrix::zeros(n, PERMUTATIONS + 1);
        for mut column in signs.column_iter_mut() {
            // The first one as it is.
            column.iter_mut().zip(&order).for_each(|(s, &i)| *s = (1.0 - 2.0 * groups[i] as f64) / half);
            order.shuffle(&mut rng);
        }
        let mut found = vec![[false; 3]; self.budgets.len()];
        for (k, bandwidth) in BANDWIDTHS.iter().enumerate() {
            let scale = (bandwidth * self.median).powi(2);
            let kernel = squares.map(|square| (-square / scale).exp());
            let image = &kernel * &signs;
            let statistic: Vec<f64> = (image.column_iter().zip(signs.column_iter()))
                .map(|(a, b)| a.dot(&b).max(0.0).sqrt())
                .collect();
            for (epsilon, found) in self.budgets.iter().zip(&mut found) {
                // Global sensitivity √2/min(n₁, n₂) of a kernel below 1; twice that over ε for the whole of a permutation test.
                let noise = 2.0 * 2.0f64.sqrt() / half / epsilon;
                let noised: Vec<f64> = statistic.iter().map(|x| x + noise * laplace(&mut rng)).collect();
                let above = noised.iter().filter(|x| **x >= noised[0]).count();
                found[k] = above as f64 / noised.len() as f64 <= 0.05;
            }
        }
        found
    }
}

fn laplace(rng: &mut ChaCha8Rng) -> f64 {
    let [a, b]: [f64; 2] = std::array::from_fn(|_| Exp1.sample(rng));
    a - b
}
