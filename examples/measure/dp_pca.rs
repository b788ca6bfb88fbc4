//! A peer of private modes: k-DP-PCA (Düngler and Sanyal, "An iterative algorithm for differentially private k-PCA with adaptive noise", 2025),
//! which finds one direction after the other by DP-PCA (Liu, Kong, Jain and Oh 2022), each from people of its own. Floating point: for
//! figures, not for releases.

use nalgebra::{DMatrix, DVector};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// How often the people of one direction are split: a step of Oja's rule for each batch.
pub const STEPS: [usize; 4] = [1, 2, 4, 8];
/// The share of a batch whose gradients are not clipped. The paper reads the reach of gradients off privately; here it is given, unpaid.
const KEPT: f64 = 0.9;

/// `count` directions of people (rows, about a centre that is known) at μ, one step for each of `steps` batches, each person in one batch.
/// After a step the direction is what the noised gradient points to: a long step, which is best where a batch says more than what was known.
pub fn k_dp_pca(
    rows: &DMatrix<f64>,
    count: usize,
    steps: usize,
    mu: f64,
    rng: &mut ChaCha8Rng,
) -> Vec<DVector<f64>> {
    let (n, k) = rows.shape();
    let batch = (n / (count * steps)).max(1);
    let mut found: Vec<DVector<f64>> = Vec::new();
    for mode in 0..count.min(k) {
        let start = DVector::from_fn(k, |j, _| f64::from(u8::from(j == mode)));
        let mut direction = without(start, &found).normalize();
        for step in 0..steps {
            let first = ((mode * steps + step) * batch).min(n - batch);
            let mut gradients: Vec<DVector<f64>> = (first..first + batch)
                .map(|i| {
                    let person = without(rows.row(i).transpose(), &found);
                    let along = person.dot(&direction);
                    person * along
                })
                .collect();
            let mut norms: Vec<f64> = gradients.iter().map(DVector::norm).collect();
            norms.sort_by(f64::total_cmp);
            let reach = norms[((KEPT * batch as f64) as usize).min(batch - 1)];
            for gradient in &mut gradients {
                let norm = gradient.norm();
                if norm > reach {
                    *gradient *= reach / norm;
                }
            }
            let sigma = 2.0 * reach / (batch as f64 * mu);
            let mut mean = gradients.iter().fold(DVector::zeros(k), |sum, x| sum + x) / batch as f64;
            mean.iter_mut().for_each(|x| *x += sigma * Distribution::<f64>::sample(&StandardNormal, rng));
            direction = without(mean, &found).normalize();
        }
        found.push(direction);
    }
    found
}

/// Without its parts along `others`.
fn without(mut vector: DVector<f64>, others: &[DVector<f64>]) -> DVector<f64> {
    for other in others {
        let along = other.dot(&vector);
        vector.axpy(-along, other, 1.0);
    }
    vector
}
