//! Differences between the means of groups, and tests of no difference: from noised means and second moments about one centre.

use super::edge::matrix;
use super::wiener;
use super::{ErrorLaw, Prior, RecordCovariance};
use crate::function::shrink::{Expectation, Shrunk};
use crate::privacy::noise::{NoisedMoments, NoisedSecond};
use nalgebra::{DMatrix, SymmetricEigen};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use rand_distr::{Distribution, StandardNormal};

/// Draws from the law of the statistic under no difference.
pub const DRAWS: usize = 4000;
/// They are drawn from a public generator with this seed: the p-value is a function of what is released.
pub const SEED: u64 = 0x6e0f;
/// The difference a test is set for and a shrunk map expects, root mean square on faces of unit area: a quarter of what single faces
/// differ from their mean by. Public; another truth costs power only.
pub const EFFECT: f64 = 0.005;
/// Standard deviation of the logarithm of the energy that a shrunk map expects: without the pull, single large draws of the noise
/// would be taken for differences in small studies.
const DOUBT: f64 = 1.0;
/// From this nμ on, tests take the trace of the second moment as it is; below, two standard deviations of its noise too large.
const MUCH: f64 = 1000.0;
/// How many.
const SAFETY: f64 = 2.0;
/// The trace is not believed below this share of the squared radius.
const LEAST_TRACE: f64 = 0.1;

/// The second moments of all groups as one, each weighted by its size: with the least noise, and what the covariance of records is
/// taken from in all groups alike.
///
/// `None` when they do not fit together.
pub fn pooled(groups: &[NoisedMoments], sizes: &[u64]) -> Option<NoisedSecond> {
    let first = &groups.first()?.second;
    let n: f64 = sizes.iter().map(|n| *n as f64).sum();
    let fits = |group: &NoisedMoments| group.second.chosen == first.chosen && group.second.is_consistent();
    if groups.len() != sizes.len() || !groups.iter().all(fits) || n <= 0.0 {
        return None;
    }
    let (mut entries, mut variance) = (vec![0.0; first.entries.len()], 0.0);
    for (group, size) in groups.iter().zip(sizes) {
        let share = *size as f64 / n;
        entries.iter_mut().zip(&group.second.entries).for_each(|(sum, x)| *sum += share * x);
        variance += (share * group.second.sigma).powi(2);
    }
    Some(NoisedSecond { entries, sigma: variance.sqrt(), ..first.clone() })
}

/// The difference of two groups' noised means in weighted coordinates, unshrunk.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Second minus first.
    pub values: Vec<f64>,
    /// 1/n_A + 1/n_B: what the covariance of single records is multiplied by.
    pub sampling: f64,
    /// The variance of the noise in each coordinate.
    pub noise: f64,
}

impl Difference {
    /// Of two of the groups, by their places; `None` when there are no such groups.
    pub fn between(groups: &[NoisedMoments], sizes: &[u64], first: usize, second: usize) -> Option<Self> {
        let (a, b) = (groups.get(first)?, groups.get(second)?);
        let (n, m) = (*sizes.get(first)? as f64, *sizes.get(second)? as f64);
        (a.mean.len() == b.mean.len() && n > 0.0 && m > 0.0).then(|| Self {
            values: a.mean.iter().zip(&b.mean).map(|(a, b)| b - a).collect(),
            sampling: 1.0 / n + 1.0 / m,
            noise: a.mean_sigma.powi(2) + b.mean_sigma.powi(2),
        })
    }

    /// The law of its error, records varying in all groups as the pooled second moment has it, on the safe side.
    pub fn law(&self, pooled: &NoisedSecond, known: &Prior) -> Option<ErrorLaw> {
        let records = RecordCovariance::on_the_safe_side(pooled, known)?;
        Some(ErrorLaw::new(&records, self.sampling, self.noise))
    }

    /// Shrunk towards no difference, for showing; `effect` is the size that is expected, root mean square over the function.
    pub fn shrunk(&self, law: &ErrorLaw, known: &Prior, effect: f64) -> Shrunk {
        let prior: Vec<f64> = (0..known.len()).map(|j| known.weighted(j)).collect();
        let energy = effects(known, effect).iter().sum::<f64>().max(f64::MIN_POSITIVE);
        wiener(&self.values, &law.variances(), &prior, Expectation { energy, doubt: DOUBT })
    }

    /// A test of no difference, set for random differences of the size `effect`. `n_mu` is n times μ of the whole release.
    ///
    /// The statistic is Σ w_j D_j², w_j = s_j/(v_j(v_j + s_j)): the score of a random effect of variances s against errors of variances
    /// v. Its law under no difference is that of N(0, C · sampling + noise · I), C the second moment with its eigenvalues moved to the nearest
    /// ones that are nowhere negative and have the trace that the noise leaves likely. p = (1 + draws at least as large)/(1 + draws).
    ///
    /// `None` when second moment and prior do not fit.
    pub fn test(&self, pooled: &NoisedSecond, known: &Prior, effect: f64, n_mu: f64) -> Option<GroupTest> {
        let score = Score::new(self, pooled, known, effect, n_mu)?;
        let statistic = self.values.iter().zip(&score.weights).map(|(d, w)| w * d * d).sum();
        let beyond = score.draws(None).filter(|drawn| *drawn >= statistic).count();
        Some(GroupTest { statistic, p_value: (1 + beyond) as f64 / (1 + DRAWS) as f64 })
    }

    /// How likely the test of [`Self::test`] is to find random differences of these sizes at the level `level`, records varying as the
    /// released second moment has it. What the groups' means are does not enter.
    ///
    /// `None` when second moment and prior do not fit.
    pub fn power(
        &self,
        pooled: &NoisedSecond,
        known: &Prior,
        effect: f64,
        n_mu: f64,
        (level, sizes): (f64, &[f64]),
    ) -> Option<Vec<f64>> {
        let score = Score::new(self, pooled, known, effect, n_mu)?;
        let mut null: Vec<f64> = score.draws(None).collect();
        null.sort_by(f64::total_cmp);
        let bound = null[((1.0 - level) * DRAWS as f64) as usize];
        let found = |size: &f64| {
            let hits = score.draws(Some(&effects(known, *size))).filter(|drawn| *drawn > bound).count();
            hits as f64 / DRAWS as f64
        };
        Some(sizes.iter().map(found).collect())
    }
}

/// The statistic's weights, and the covariance of a difference of the means where there is none.
struct Score {
    weights: Vec<f64>,
    covariance: DMatrix<f64>,
}

impl Score {
    fn new(
        difference: &Difference,
        pooled: &NoisedSecond,
        known: &Prior,
        effect: f64,
        n_mu: f64,
    ) -> Option<Self> {
        let k = pooled.size();
        if k != difference.values.len() || k != known.len() {
            return None;
        }
        let covariance = trace_preserving(pooled, n_mu)? * difference.sampling
            + DMatrix::identity(k, k) * difference.noise;
        let weight = |(j, s): (usize, &f64)| s / (covariance[(j, j)] * (covariance[(j, j)] + s));
        let weights = effects(known, effect).iter().enumerate().map(weight).collect();
        Some(Self { weights, covariance })
    }

    /// Draws of the statistic where the difference is random with these variances, or nothing.
    fn draws(&self, difference: Option<&[f64]>) -> impl Iterator<Item = f64> {
        let (k, w) = (self.weights.len(), &self.weights);
        let mut scaled = DMatrix::from_fn(k, k, |i, j| (w[i] * w[j]).sqrt() * self.covariance[(i, j)]);
        for (j, s) in difference.into_iter().flatten().enumerate() {
            scaled[(j, j)] += w[j] * s;
        }
        let parts = scaled.symmetric_eigenvalues();
        let mut rng = ChaCha20Rng::seed_from_u64(SEED);
        (0..DRAWS).map(move |_| mixture(parts.as_slice(), &mut rng))
    }
}

/// A test's outcome: from noised values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroupTest {
    /// The statistic.
    pub statistic: f64,
    /// How likely one at least as large is where there is no difference.
    pub p_value: f64,
}

/// Σ ω z², z independent standard normal.
fn mixture<R: Rng>(parts: &[f64], rng: &mut R) -> f64 {
    let square = |omega: &f64| {
        let z: f64 = StandardNormal.sample(rng);
        omega.max(0.0) * z * z
    };
    parts.iter().map(square).sum()
}

/// s_j = δ² a_jλ_j/Σλ: variances in weighted coordinates of a random difference of root-mean-square size δ.
fn effects(known: &Prior, effect: f64) -> Vec<f64> {
    let total: f64 = known.spectrum.iter().sum();
    (0..known.len()).map(|j| effect * effect * known.weighted(j) / total).collect()
}

/// The nearest positive semidefinite matrix of a trace that is likely: large enough where the noise leaves it in doubt.
fn trace_preserving(second: &NoisedSecond, n_mu: f64) -> Option<DMatrix<f64>> {
    let matrix = matrix(second)?;
    let doubt = if n_mu < MUCH { SAFETY * second.sigma * (second.size() as f64).sqrt() } else { 0.0 };
    let square = second.radius.powi(2);
    let trace = (matrix.trace() + doubt).clamp(LEAST_TRACE * square, square);
    let SymmetricEigen { eigenvectors, eigenvalues } = SymmetricEigen::new(matrix);
    let values = onto_simplex(eigenvalues.as_slice(), trace);
    let scaled = DMatrix::from_fn(values.len(), values.len(), |i, j| eigenvectors[(i, j)] * values[j]);
    Some(scaled * eigenvectors.transpose())
}

/// The nearest values that are nowhere negative and add up to `total` > 0.
fn onto_simplex(values: &[f64], total: f64) -> Vec<f64> {
    let mut falling = values.to_vec();
    falling.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut shift) = (0.0, 0.0);
    for (i, value) in falling.iter().enumerate() {
        sum += value;
        let candidate = (sum - total) / (i + 1) as f64;
        if value - candidate > 0.0 {
            shift = candidate;
        }
    }
    values.iter().map(|value| (value - shift).max(0.0)).collect()
}

/// p-values of several tests, adjusted by Holm's method: each is a p-value for its own hypothesis whichever others hold, and the
/// smallest for all of them together.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&i, &j| p_values[i].total_cmp(&p_values[j]));
    let (mut adjusted, mut largest) = (vec![1.0; p_values.len()], 0.0f64);
    for (rank, &i) in order.iter().enumerate() {
        largest = largest.max((p_values.len() - rank) as f64 * p_values[i]).min(1.0);
        adjusted[i] = largest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal<R: Rng>(rng: &mut R) -> f64 {
        StandardNormal.sample(rng)
    }

    #[test]
    fn projections_keep_the_trace_and_change_nothing_that_is_right() {
        assert_eq!(onto_simplex(&[2.0, 1.0, 0.5], 3.5), [2.0, 1.0, 0.5]);
        assert_eq!(onto_simplex(&[2.0, -1.0, 1.0], 2.0), [1.5, 0.0, 0.5]);
        assert_eq!(onto_simplex(&[-3.0, -1.0], 1.0), [0.0, 1.0]);
        let found = onto_simplex(&[0.3, -0.8, 0.1, 0.9], 5.0);
        approx::assert_relative_eq!(found.iter().sum::<f64>(), 5.0, max_relative = 1e-12);
    }

    #[test]
    fn holms_p_values_rise_with_the_number_of_tests() {
        assert_eq!(holm(&[0.03]), [0.03]);
        let found = holm(&[0.04, 0.01, 0.03]);
        for (found, expected) in found.iter().zip([0.06, 0.03, 0.06]) {
            approx::assert_relative_eq!(*found, expected, max_relative = 1e-12);
        }
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
    }

    /// Two groups of normal records with noise added by hand: the test holds its level, and has power.
    #[test]
    fn tests_hold_their_level_and_find_differences() {
        let (k, n, tau) = (6, 60u64, 2.0);
        let known = Prior { spectrum: vec![1.0, 0.7, 0.5, 0.3, 0.2, 0.1], roots: vec![1.0; 6] };
        let mut rng = ChaCha20Rng::seed_from_u64(2);
        let sigma = (2.0 * tau / (n as f64 * 2.0), 2.0 * 2.0f64.sqrt() * tau * tau / (n as f64 * 2.0));
        let mut group = |shift: f64| {
            let (mut mean, mut second) = (vec![0.0; k], DMatrix::<f64>::zeros(k, k));
            for _ in 0..n {
                let u: Vec<f64> =
                    known.spectrum.iter().map(|l| (0.3 * l).sqrt() * normal(&mut rng)).collect();
                for i in 0..k {
                    let x = u[i] + if i == 1 { shift } else { 0.0 };
                    mean[i] += x / n as f64;
                    (0..k).for_each(|j| second[(i, j)] += u[i] * u[j] / n as f64);
                }
            }
            mean.iter_mut().for_each(|m| *m += sigma.0 * normal(&mut rng));
            let mut entries = Vec::new();
            for i in 0..k {
                for j in i..k {
                    let scale = if i == j { sigma.1 } else { sigma.1 / 2.0f64.sqrt() };
                    entries.push(second[(i, j)] + scale * normal(&mut rng));
                }
            }
            let second = NoisedSecond { chosen: (0..k).collect(), entries, sigma: sigma.1, radius: tau };
            NoisedMoments { mean, mean_sigma: sigma.0, second }
        };
        let sizes = [n, n];
        let mut rejected = |shift: f64, runs: usize| {
            let one = |_| {
                let groups = [group(0.0), group(shift)];
                let pooled = pooled(&groups, &sizes).unwrap();
                assert!((pooled.sigma / (sigma.1 / 2.0f64.sqrt()) - 1.0).abs() < 1e-9);
                let difference = Difference::between(&groups, &sizes, 0, 1).unwrap();
                difference.test(&pooled, &known, 0.5, 200.0).unwrap().p_value <= 0.05
            };
            (0..runs).map(one).filter(|hit| *hit).count() as f64 / runs as f64
        };
        let (level, power) = (rejected(0.0, 600), rejected(0.5, 60));
        assert!((0.005..0.075).contains(&level), "{level}");
        assert!(power > 0.9, "{power}");
        // Random differences are found more often the larger they are, none as often as the level says.
        let groups = [group(0.0), group(0.0)];
        let (pooled, difference) =
            (pooled(&groups, &sizes).unwrap(), Difference::between(&groups, &sizes, 0, 1).unwrap());
        let power = difference.power(&pooled, &known, 0.5, 200.0, (0.05, &[0.0, 0.3, 2.0])).unwrap();
        assert!((power[0] - 0.05).abs() < 1e-3 && power[1] > 0.1 && power[2] > 0.9, "{power:?}");
    }

    #[test]
    fn what_does_not_fit_has_no_difference() {
        let second = NoisedSecond { chosen: vec![0], entries: vec![1.0], sigma: 0.1, radius: 1.0 };
        let group = NoisedMoments { mean: vec![0.5], mean_sigma: 0.1, second };
        let groups = [group.clone(), NoisedMoments { mean: vec![0.2], ..group }];
        assert_eq!(Difference::between(&groups, &[3, 3], 0, 2), None);
        assert!(pooled(&groups, &[3]).is_none());
        let found = Difference::between(&groups, &[2, 4], 0, 1).unwrap();
        approx::assert_relative_eq!(found.values[0], -0.3, max_relative = 1e-12);
        approx::assert_relative_eq!(found.sampling, 0.75, max_relative = 1e-12);
        let known = Prior { spectrum: vec![1.0, 1.0], roots: vec![1.0, 1.0] };
        assert_eq!(found.test(&pooled(&groups, &[2, 4]).unwrap(), &known, 1.0, 10.0), None);
    }
}
