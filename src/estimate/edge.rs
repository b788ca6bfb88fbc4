//! Eigenvalues of a noised second moment, without those that noise alone would give.

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
    /// Of a k × k matrix with symmetric Gaussian noise, `sigma` on the diagonal and σ/√2 above it. Its spectrum ends at 2t,
    /// t = σ√(k/2); an eigenvalue θ of the clean matrix shows as y = θ + t²/θ beyond that edge, so that θ = (y + √(y² − 4t²))/2.
    /// What does not stand out is left out.
    pub fn new(matrix: DMatrix<f64>, sigma: f64) -> Self {
        let k = matrix.nrows();
        let t = sigma * (0.5 * k as f64).sqrt();
        let eigen = SymmetricEigen::new(matrix);
        let mut seen: Vec<usize> = (0..k).filter(|&j| eigen.eigenvalues[j] > 2.0 * ABOVE * t).collect();
        seen.sort_by(|&i, &j| eigen.eigenvalues[j].total_cmp(&eigen.eigenvalues[i]));
        let clean = |y: f64| 0.5 * (y + (y * y - 4.0 * t * t).max(0.0).sqrt());
        Self {
            values: seen.iter().map(|&j| clean(eigen.eigenvalues[j])).collect(),
            vectors: eigen.eigenvectors.select_columns(&seen),
        }
    }

    /// Their sum.
    pub fn trace(&self) -> f64 {
        self.values.iter().sum()
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
