//! Wiener shrinkage with a known shape of the signal's variances and an unknown amplitude.

use crate::function::shrink::{Expectation, Shrunk};

/// Amplitudes are looked for between e^−this and e^this times the expected one.
const REACH: f64 = 8.0;
/// In steps of this in the logarithm.
const STEP: f64 = 0.05;

/// Shrinks noised coordinates y_j = θ_j + N(0, q_j) of a signal θ_j ~ N(0, A p_j) whose shape p (`prior`, any scale) is public: factors
/// A p/(A p + q), averaged over the amplitude A by its posterior under ln Σ A p ~ N(ln `expected.energy`, `expected.doubt`²). Errors are
/// posterior variances: noise, bias and the doubt about A.
///
/// Without the expectation, where little can be seen single large draws of the noise would be taken for a signal.
pub fn wiener(noised: &[f64], noise: &[f64], prior: &[f64], expected: Expectation) -> Shrunk {
    let total: f64 = prior.iter().sum();
    if !(total > 0.0 && expected.energy > 0.0) {
        return Shrunk { values: vec![0.0; noised.len()], errors: vec![0.0; noised.len()] };
    }
    let steps = (REACH / STEP) as i32;
    let logs: Vec<f64> = (-steps..=steps).map(|i| STEP * f64::from(i)).collect();
    let amplitude = |log: f64| log.exp() * expected.energy / total;
    let evidence: Vec<f64> = logs
        .iter()
        .map(|&log| {
            let a = amplitude(log);
            let terms = noised.iter().zip(noise).zip(prior).map(|((y, q), p)| {
                let v = a * p + q;
                if v > 0.0 { v.ln() + y * y / v } else { 0.0 }
            });
            -0.5 * (terms.sum::<f64>() + (log / expected.doubt).powi(2))
        })
        .collect();
    let most = evidence.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = evidence.iter().map(|e| (e - most).exp()).collect();
    let sum: f64 = weights.iter().sum();
    let one = |((y, q), p): ((&f64, &f64), &f64)| {
        let (mut first, mut second, mut variance) = (0.0, 0.0, 0.0);
        for (log, weight) in logs.iter().zip(&weights).filter(|(_, w)| **w > 1e-12) {
            let s = amplitude(*log) * p;
            let factor = if s + q > 0.0 { s / (s + q) } else { 0.0 };
            first += weight * factor;
            second += weight * factor * factor;
            variance += weight * factor * q;
        }
        let (first, second) = (first / sum, second / sum);
        (first * y, variance / sum + (second - first * first).max(0.0) * y * y)
    };
    let (values, errors) = noised.iter().zip(noise).zip(prior).map(one).unzip();
    Shrunk { values, errors }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Distribution, StandardNormal};

    /// Signals whose amplitude is as expected or twice that: the stated error is the error, and below the signal. An expectation ten times the
    /// truth costs less than as much again as saying nothing.
    #[test]
    fn stated_errors_are_the_errors_and_shrinkage_never_hurts() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
        let k = 60;
        let prior: Vec<f64> = (0..k).map(|j| (1.0 + f64::from(j)).powf(-1.5)).collect();
        let total: f64 = prior.iter().sum();
        for (amplitude, sigma) in [(1.0, 0.02), (1.0, 0.3), (2.0, 0.1), (0.1, 0.3)] {
            let (mut error, mut stated, mut energy) = (0.0, 0.0, 0.0);
            for _ in 0..200 {
                let theta: Vec<f64> =
                    prior.iter().map(|p| (amplitude * p / total).sqrt() * normal()).collect();
                let noised: Vec<f64> = theta.iter().map(|x| x + sigma * normal()).collect();
                let noise = vec![sigma * sigma; theta.len()];
                let found = wiener(&noised, &noise, &prior, Expectation { energy: 1.0, doubt: 0.65 });
                error += found.values.iter().zip(&theta).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
                stated += found.errors.iter().sum::<f64>();
                energy += theta.iter().map(|x| x * x).sum::<f64>();
            }
            let truth = (amplitude - 0.1f64).abs() > 0.01;
            assert!(error < if truth { 1.0 } else { 2.0 } * energy, "{amplitude} {sigma}: {error} {energy}");
            if truth {
                let ratio = stated / error;
                assert!((0.8..1.25).contains(&ratio), "{amplitude} {sigma}: stated {ratio} of the error");
            }
        }
    }

    #[test]
    fn nothing_is_made_of_nothing() {
        let expected = Expectation { energy: 1.0, doubt: 1.0 };
        assert_eq!(wiener(&[1.0], &[1.0], &[0.0], expected).values, [0.0]);
        // No noise: nothing is taken away.
        let found = wiener(&[0.5, -0.2], &[0.0, 0.0], &[1.0, 0.5], expected);
        approx::assert_relative_eq!(found.values[1], -0.2, max_relative = 1e-12);
        assert!(found.errors.iter().all(|e| e.abs() < 1e-12));
    }
}
