//! Eigenvalues of a noised second moment, without those that noise alone would give.

use crate::privacy::noise::NoisedSecond;
use nalgebra::{DMatrix, SymmetricEigen};

/// Eigenvalues this far above the edge of the noise's own spectrum count as seen.
const ABOVE: f64 = 1.01;

/// What stands out of the noise of a symmetric matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct Visible {
    /// Estimated eigenvalues of the matrix without noise, largest first.
    pub values: Vec<f64>,
    /// Their unit eigenvectors, one a column: (k, number of values).
    pub vectors: DMatrix<f64>,
}

impl Visible {
    /// Of a k × k matrix with symmetric Gaussian noise, `sigma` on the diagonal and σ/√2 above it ([`Components`]). What does not stand out
    /// is left out.
    pub fn new(matrix: DMatrix<f64>, sigma: f64) -> Self {
        let Components { values, vectors, visible, .. } = Components::new(matrix, sigma);
        Self { values: values[..visible].to_vec(), vectors: vectors.columns(0, visible).into_owned() }
    }

    /// Their sum.
    pub fn trace(&self) -> f64 {
        self.values.iter().sum()
    }
}

/// The whole symmetric matrix; `None` where entries are missing.
pub(super) fn matrix(second: &NoisedSecond) -> Option<DMatrix<f64>> {
    let k = second.size();
    let mut matrix = DMatrix::zeros(k, k);
    let mut entries = second.entries.iter();
    for i in 0..k {
        for j in i..k {
            let x = *entries.next()?;
            (matrix[(i, j)], matrix[(j, i)]) = (x, x);
        }
    }
    Some(matrix)
}

/// All eigenvalues and eigenvectors of a noised symmetric matrix, largest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Components {
    /// Estimated eigenvalues without noise; of those that do not stand out, as they are.
    pub values: Vec<f64>,
    /// Unit eigenvectors, one a column: (k, k).
    pub vectors: DMatrix<f64>,
    /// How many stand out.
    pub visible: usize,
    noised: Vec<f64>,
    /// t: the noise's own spectrum ends at 2t.
    half_edge: f64,
}

/// One of [`Components`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Component {
    /// The eigenvalue, estimated; 0 where it does not stand out.
    pub value: f64,
    /// At least this: all intervals hold together in 95 % of the draws.
    pub lower: f64,
    /// At most this.
    pub upper: f64,
    /// About the squared cosine of the angle between the noised and the clean eigenvector; 0 where it does not stand out.
    pub cosine_squared: f64,
}

impl Components {
    /// Of a k × k matrix with symmetric Gaussian noise, `sigma` on the diagonal and σ/√2 above it. Its spectrum ends at 2t,
    /// t = σ√(k/2); an eigenvalue θ of the clean matrix shows as y = θ + t²/θ beyond that edge, so that θ = (y + √(y² − 4t²))/2, and its
    /// eigenvector at the squared cosine 1 − t²/θ² (Benaych-Georges and Nadakuditi 2011).
    pub fn new(matrix: DMatrix<f64>, sigma: f64) -> Self {
        let k = matrix.nrows();
        let t = sigma * (0.5 * k as f64).sqrt();
        let eigen = SymmetricEigen::new(matrix);
        let mut order: Vec<usize> = (0..k).collect();
        order.sort_by(|&i, &j| eigen.eigenvalues[j].total_cmp(&eigen.eigenvalues[i]));
        let noised: Vec<f64> = order.iter().map(|&j| eigen.eigenvalues[j]).collect();
        let visible = noised.iter().take_while(|y| **y > 2.0 * ABOVE * t).count();
        let clean = |y: f64| 0.5 * (y + (y * y - 4.0 * t * t).max(0.0).sqrt());
        let values =
            noised.iter().enumerate().map(|(i, &y)| if i < visible { clean(y) } else { y }).collect();
        Self { values, vectors: eigen.eigenvectors.select_columns(&order), visible, noised, half_edge: t }
    }

    /// Of a noised second moment; `None` where entries are missing.
    pub fn of(second: &NoisedSecond) -> Option<Self> {
        Some(Self::new(matrix(second)?, second.sigma))
    }

    /// The first of them. Intervals are Weyl's, |λ(noised) − λ| ≤ ‖W‖ ≤ 2t(1 + .49 k^(−2/3)) with probability .95.
    pub fn first(&self, count: usize) -> impl Iterator<Item = Component> {
        let (t, k) = (self.half_edge, self.values.len() as f64);
        let reach = 2.0 * t * (1.0 + 0.49 * k.powf(-2.0 / 3.0));
        (0..count.min(self.values.len())).map(move |i| {
            let (y, seen) = (self.noised[i], i < self.visible);
            Component {
                value: if seen { self.values[i] } else { 0.0 },
                lower: (y - reach).max(0.0),
                upper: (y + reach).max(0.0),
                cosine_squared: if seen { 1.0 - (t / self.values[i]).powi(2) } else { 0.0 },
            }
        })
    }

    /// About by how much the first `rank` noised components explain less of the clean matrix than its own do. To the second order the noise
    /// turns component i towards j by σ²/2/(θᵢ − θⱼ)² in the square, which costs θᵢ − θⱼ of that; never more than all of θᵢ, which is what is
    /// said of one that does not stand out.
    pub fn expected_excess(&self, rank: usize) -> f64 {
        let (k, seen) = (self.values.len(), self.visible);
        let variance = self.half_edge.powi(2) / k.max(1) as f64;
        let edge = 2.0 * self.half_edge;
        let cost = |i: usize| {
            if i >= seen {
                return edge;
            }
            let gap = |theta: f64| variance / (self.values[i] - theta).max(f64::MIN_POSITIVE);
            let among: f64 = (rank..seen).map(|j| gap(self.values[j])).sum();
            (among + (k - seen.max(rank)) as f64 * gap(0.0)).min(self.values[i])
        };
        (0..rank.min(k)).map(cost).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Distribution, StandardNormal};

    fn noise(k: usize, sigma: f64, rng: &mut ChaCha8Rng) -> DMatrix<f64> {
        let mut w = DMatrix::zeros(k, k);
        for i in 0..k {
            for j in i..k {
                let z: f64 = StandardNormal.sample(rng);
                let x = if i == j { sigma * z } else { sigma * z / 2.0f64.sqrt() };
                (w[(i, j)], w[(j, i)]) = (x, x);
            }
        }
        w
    }

    #[test]
    fn noise_alone_shows_nothing_and_large_eigenvalues_come_out_unbiased() {
        let (k, sigma) = (80, 0.1);
        let t = sigma * (0.5 * k as f64).sqrt();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let (mut alone, mut total, mut naive, mut cosine) = (0, 0.0, 0.0, 0.0);
        let (draws, theta) = (40, 2.0 * t);
        for _ in 0..draws {
            alone += Visible::new(noise(k, sigma, &mut rng), sigma).values.len();
            let mut matrix = noise(k, sigma, &mut rng);
            matrix[(3, 3)] += theta;
            naive += matrix.clone().symmetric_eigenvalues().max() / f64::from(draws);
            let seen = Visible::new(matrix, sigma);
            total += seen.values[0] / f64::from(draws);
            cosine += seen.vectors[(3, 0)].powi(2) / f64::from(draws);
            assert!((seen.trace() - seen.values.iter().sum::<f64>()).abs() < 1e-12);
        }
        // The largest of 80 is above the asymptotic edge, and 1 % above that, once in some ten draws.
        assert!(alone <= 12, "{alone}");
        assert!((total / theta - 1.0).abs() < 0.05, "{total} {theta}");
        assert!(naive > 1.2 * theta);
        // 1 − t²/θ² = ¾.
        assert!((cosine - 0.75).abs() < 0.06, "{cosine}");
    }
}
