//! The best attack on membership, tried on made-up people: against the exact mean and against one with the release's privacy.
//!
//! The attacker knows all other records, the mechanism, and two candidates for the last record. Made-up people are vectors with normal
//! coordinates of falling variance, shortened to a ball, as the mechanism does with faces. No record of anyone is used.

use crate::privacy::Mu;
use rand::SeedableRng as _;
use rand_chacha::ChaCha20Rng;
use rand_distr::{Distribution as _, StandardNormal};

/// Coordinates of a made-up person.
const COORDINATES: usize = 40;
/// Trials for each of the two candidates.
const TRIALS: usize = 4000;
/// So many people at most: among more, the attacker's task is the same.
const PEOPLE: u64 = 1000;
/// The ball.
const RADIUS: f64 = 1.0;

/// How often the attacker was right.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Outcome {
    /// Made-up people in the mean.
    pub people: u64,
    /// Share of right guesses from the exact mean.
    pub exact: f64,
    /// Share of right guesses from the private mean.
    pub private: f64,
    /// The most that the guarantee allows.
    pub bound: f64,
}

/// Tries it for a mean of `n` at μ, at most [`PEOPLE`].
pub(super) fn demonstrate(n: u64, mu: Mu) -> Outcome {
    let n = n.clamp(1, PEOPLE);
    let mut rng = ChaCha20Rng::seed_from_u64(20_261_122);
    let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
    let mut person = |scale: f64| -> Vec<f64> {
        let raw: Vec<f64> = (0..COORDINATES).map(|k| scale * normal() / (1.0 + k as f64)).collect();
        let length = raw.iter().map(|x| x * x).sum::<f64>().sqrt();
        raw.iter().map(|x| x * (RADIUS / length.max(RADIUS))).collect()
    };
    // The two candidates at opposite ends of the ball: the worst case, for which the guarantee is made.
    let candidate = person(1e6);
    let other: Vec<f64> = candidate.iter().map(|x| -x).collect();
    let others = (1..n)
        .map(|_| person(0.5))
        .fold(vec![0.0; COORDINATES], |sum, p| sum.iter().zip(p).map(|(a, b)| a + b).collect());
    let sigma = 2.0 * RADIUS / (n as f64 * mu.get());
    let guess = |published: &[f64]| -> bool {
        // The likelihood ratio of normal noise decides by which candidate's mean is nearer.
        let far = |c: &[f64]| -> f64 {
            (0..COORDINATES).map(|k| (published[k] - (others[k] + c[k]) / n as f64).powi(2)).sum()
        };
        far(&candidate) < far(&other)
    };
    let mut rng = ChaCha20Rng::seed_from_u64(20_261_123);
    let (mut exact, mut private) = (0, 0);
    for trial in 0..2 * TRIALS {
        let is_first = trial % 2 == 0;
        let last = if is_first { &candidate } else { &other };
        let mean: Vec<f64> = others.iter().zip(last).map(|(a, b)| (a + b) / n as f64).collect();
        exact += usize::from(guess(&mean) == is_first);
        let noised: Vec<f64> = mean
            .iter()
            .map(|m| {
                let z: f64 = StandardNormal.sample(&mut rng);
                m + sigma * z
            })
            .collect();
        private += usize::from(guess(&noised) == is_first);
    }
    let share = |right: usize| right as f64 / (2 * TRIALS) as f64;
    Outcome { people: n, exact: share(exact), private: share(private), bound: mu.guess_probability() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exact_mean_gives_everyone_away_and_the_private_one_keeps_its_bound() {
        for mu in [0.2, 1.0, 3.0] {
            let found = demonstrate(200, Mu::new(mu).unwrap());
            assert_eq!(found.exact, 1.0);
            assert_eq!(found.people, 200);
            // Right guesses of 8000: a standard deviation of at most 0.0056.
            assert!((found.private - found.bound).abs() < 0.025, "{mu}: {found:?}");
        }
        // One person, and more than anyone adds up.
        for (n, people) in [(0, 1), (1, 1), (u64::MAX, PEOPLE)] {
            let found = demonstrate(n, Mu::new(1.0).unwrap());
            assert!(found.people == people && found.exact == 1.0, "{found:?}");
            assert!((found.private - found.bound).abs() < 0.025, "{found:?}");
        }
    }
}
