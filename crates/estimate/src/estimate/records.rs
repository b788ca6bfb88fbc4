//! What a noised second moment tells of single records.

use super::edge::matrix;
use super::{Prior, Visible};
use crate::privacy::noise::NoisedSecond;

/// A covariance of weighted coordinates: a few directions on the coefficients of the second moment, and a diagonal on all.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordCovariance {
    /// The coefficients that the directions are on.
    pub chosen: Vec<usize>,
    /// Directions and variances.
    pub visible: Visible,
    /// Variances of all coefficients beside those, at least 0.
    pub diagonal: Vec<f64>,
}

/// How many standard deviations of its noise are added to the trace, to be on the safe side.
const SAFETY: f64 = 2.0;
/// What is missing to the trace is taken so much larger: the public spectrum tells how it is spread over coefficients, not over places, and
/// real faces have more of it at mouth and nose. Chosen at n = 1000, μ = 3, on one public population, whose bands held the mean in .927 of 300
/// runs with 1.25, .947 with this and .957 with 1.75, and checked on another (docs/measurements.md).
const UNEVEN: f64 = 1.5;

impl RecordCovariance {
    /// From the noised second moment about a released centre (so the mean's own deviation from that is in it): what stands out of the
    /// noise, and what is missing to the trace spread out as the public spectrum has it, on the coefficients that were looked at and, by
    /// the same measure, on the others. The trace is taken two standard deviations too large, and never beyond τ², which it cannot exceed.
    ///
    /// `None` when second moment and prior do not fit.
    pub fn on_the_safe_side(second: &NoisedSecond, prior: &Prior) -> Option<Self> {
        let matrix = matrix(second).filter(|_| fits(second, prior))?;
        let trace = (matrix.trace() + SAFETY * trace_noise(second)).clamp(0.0, second.radius.powi(2));
        let visible = Visible::new(matrix, second.sigma);
        let rest = (trace - visible.trace()).max(0.0);
        let known: f64 = second.chosen.iter().map(|j| prior.weighted(*j)).sum();
        let beyond = (trace / known).min(1.0);
        let mut diagonal: Vec<f64> = (0..prior.len()).map(|j| beyond * prior.weighted(j)).collect();
        second.chosen.iter().for_each(|&j| diagonal[j] = rest / known * prior.weighted(j));
        Some(Self { chosen: second.chosen.clone(), visible, diagonal })
    }

    /// The same with what is spread out as the public spectrum has it half as large again: for what must hold at every place, as a band must.
    pub fn unevenly(mut self) -> Self {
        self.diagonal.iter_mut().for_each(|variance| *variance *= UNEVEN);
        self
    }
}

/// How far single records lie from their mean, without weights: an estimate and how noisy it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The mean square distance.
    pub square: f64,
    /// The standard deviation of the privacy noise in that.
    pub noise: f64,
}

impl Spread {
    /// From a second moment about a released centre and the noised `mean` (weighted coordinates about the same centre, noise of standard
    /// deviation `mean_sigma`). Records count as clipped. Coefficients that were not looked at have what the public spectrum lets expect.
    ///
    /// `None` where the noise hides it: the trace below two standard deviations of its noise.
    pub fn of(second: &NoisedSecond, prior: &Prior, mean: &[f64], mean_sigma: f64) -> Option<Self> {
        if !fits(second, prior) || mean.len() != prior.len() {
            return None;
        }
        let diagonal = second.diagonal();
        let trace: f64 = diagonal.iter().sum();
        if trace.is_nan() || trace < 2.0 * trace_noise(second) {
            return None;
        }
        let chosen = || second.chosen.iter().copied();
        let inverse = |j: usize| prior.roots[j].powi(-2);
        let known: f64 = chosen().map(|j| prior.weighted(j)).sum();
        let left: f64 = prior.spectrum.iter().sum::<f64>() - chosen().map(|j| prior.spectrum[j]).sum::<f64>();
        // What an entry of the diagonal counts for: itself, and its share in what lies beyond.
        let counts = |j: usize| inverse(j) + left / known;
        let about_centre: f64 = chosen().zip(&diagonal).map(|(j, m)| m * counts(j)).sum();
        let moved: f64 = chosen().map(|j| (mean[j].powi(2) - mean_sigma.powi(2)) * inverse(j)).sum();
        let square = about_centre - moved.max(0.0);
        let noise = second.sigma * chosen().map(|j| counts(j).powi(2)).sum::<f64>().sqrt();
        (square > 0.0).then_some(Self { square, noise })
    }

    /// Drawn towards what is expected beforehand, a mean square of `expected` with a doubt of `doubt` (a standard deviation), by how noisy
    /// it is. An estimate that only just stands out of its noise does so by chance too often to be taken as it is.
    pub fn towards(self, expected: f64, doubt: f64) -> f64 {
        let (noise, doubt) = (self.noise * self.noise, doubt * doubt);
        let weight = if noise > 0.0 { doubt / (doubt + noise) } else { 1.0 };
        weight * self.square + (1.0 - weight) * expected
    }
}

/// The standard deviation of the noise in the trace.
fn trace_noise(second: &NoisedSecond) -> f64 {
    second.sigma * (second.size() as f64).sqrt()
}

fn fits(second: &NoisedSecond, prior: &Prior) -> bool {
    let exist = second.chosen.iter().all(|j| *j < prior.len() && prior.len() == prior.roots.len());
    exist && second.size() > 0 && second.is_consistent()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prior() -> Prior {
        Prior { spectrum: vec![1.0, 0.5, 0.25, 0.125], roots: vec![1.0, 2.0, 1.0, 2.0] }
    }

    fn second(entries: [f64; 3], sigma: f64) -> NoisedSecond {
        NoisedSecond { chosen: vec![1, 0], entries: entries.to_vec(), sigma, radius: 3.0 }
    }

    #[test]
    fn without_noise_the_covariance_is_the_second_moment_and_the_rest_has_the_priors_shape() {
        let found = RecordCovariance::on_the_safe_side(&second([4.0, 1.0, 2.0], 0.0), &prior()).unwrap();
        assert_eq!(found.visible.values.len(), 2);
        approx::assert_relative_eq!(found.visible.trace(), 6.0, max_relative = 1e-12);
        // Σ aλ = 2 + 1 on the two, so the others have aλ, at most once.
        for (j, expected) in [0.0, 0.0, 0.25, 0.5].into_iter().enumerate() {
            approx::assert_abs_diff_eq!(found.diagonal[j], expected, epsilon = 1e-12);
        }
    }

    #[test]
    fn what_was_not_seen_is_uneven_and_what_was_seen_is_not() {
        let found = RecordCovariance::on_the_safe_side(&second([4.0, 1.0, 2.0], 0.0), &prior()).unwrap();
        let uneven = found.clone().unevenly();
        assert_eq!(uneven.diagonal[2..], [0.375, 0.75]);
        assert_eq!((uneven.visible, uneven.chosen), (found.visible, found.chosen));
    }

    #[test]
    fn traces_stay_between_nothing_and_the_radius() {
        for (entries, trace) in [([-40.0, 0.0, 1.0], 0.0), ([40.0, 0.0, 50.0], 9.0)] {
            let found = RecordCovariance::on_the_safe_side(&second(entries, 20.0), &prior()).unwrap();
            let on_chosen: f64 = found.diagonal[..2].iter().sum::<f64>() + found.visible.trace();
            assert!(found.diagonal.iter().all(|v| *v >= 0.0));
            if found.visible.values.is_empty() {
                let trace = if trace == 0.0 {
                    f64::max(-39.0 + 2.0 * 20.0 * 2.0f64.sqrt(), 0.0).min(9.0)
                } else {
                    trace
                };
                approx::assert_relative_eq!(on_chosen, trace, max_relative = 1e-9);
            }
        }
        let mut broken = second([1.0; 3], 0.1);
        broken.entries.pop();
        assert_eq!(RecordCovariance::on_the_safe_side(&broken, &prior()), None);
        let strange = NoisedSecond { chosen: vec![7, 0], ..second([1.0; 3], 0.1) };
        assert_eq!(Spread::of(&strange, &prior(), &[0.0; 4], 0.0), None);
    }

    #[test]
    fn the_spread_is_about_the_mean_and_without_weights() {
        // x-variances 1 and 2 about the centre, the mean off by 0.5 in x_0; (aλ) 3 on the chosen, trace 6: twice λ beyond.
        let found = Spread::of(&second([4.0, 1.0, 2.0], 0.01), &prior(), &[0.5, 0.0, 9.0, 9.0], 0.0).unwrap();
        approx::assert_relative_eq!(found.square, 1.0 + 2.0 - 0.25 + 2.0 * 0.375, max_relative = 1e-12);
        // Coefficient 1 has 1/a = ¼, coefficient 0 has 1; each adds 0.375/3 beyond.
        let noise = 0.01 * (0.375f64.powi(2) + 1.125f64.powi(2)).sqrt();
        approx::assert_relative_eq!(found.noise, noise, max_relative = 1e-12);
        assert_eq!(Spread::of(&second([4.0, 1.0, 2.0], 2.2), &prior(), &[0.0; 4], 0.1), None);
        let noisy = Spread { square: 9.0, noise: 2.0 };
        approx::assert_relative_eq!(noisy.towards(1.0, 1.0), 0.2 * 9.0 + 0.8, max_relative = 1e-12);
        assert_eq!(Spread { noise: 0.0, ..noisy }.towards(1.0, 1.0), 9.0);
    }
}
