//! Differences between the means of groups, and tests of no difference: from noised means and second moments about one centre.

use super::edge::matrix;
use super::wiener;
use super::{ErrorLaw, Prior, RecordCovariance};
use crate::function::shrink::{Expectation, Shrunk};
use crate::privacy::noise::{NoisedMoments, NoisedSecond};
use nalgebra::{DMatrix, SymmetricEigen};
use std::f64::consts::PI;

/// Smaller p-values are not stated: they would rest on how normal the means of records are so far out.
pub const LEAST_P: f64 = 1e-4;
/// The difference a test is set for and a shrunk map expects, root mean square on faces of unit area: a quarter of what single faces
/// differ from their mean by. Public; another truth costs power only.
pub const EFFECT: f64 = 0.005;
/// Standard deviation of the logarithm of the energy that a shrunk map expects: without the pull, single large draws of the noise
/// would be taken for differences in small studies.
const DOUBT: f64 = 1.0;
/// What the trace of records clipped to a radius that three quarters of them reach usually is, as a share of the squared radius. Public: another
/// one costs power only.
const USUAL_TRACE: f64 = 0.6;
/// So many standard deviations of its noise are added to the trace where it tells how much the statistic varies: where noise makes the trace too
/// small, the statistic is taken for larger than expected as well, and tests found differences in .057 of 6000 runs without any.
const SAFETY: f64 = 1.0;
/// The trace is not believed below this share of the squared radius.
const LEAST_TRACE: f64 = 0.1;

/// The difference of two groups' noised means in weighted coordinates, unshrunk.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Second minus first.
    pub values: Vec<f64>,
    /// The variance of the noise in each coordinate.
    pub noise: f64,
    /// What the sampling of records adds to its covariance: second moments about the centre, of both groups, each over its number of records.
    pub sampling: NoisedSecond,
    /// That about the mean of both groups: without bias where there is no difference, about as noisy.
    within: DMatrix<f64>,
    /// Of how many records' squares that is a mean, as far as groups that vary differently can be said to have such a number (Welch 1947).
    freedom: f64,
}

impl Difference {
    /// Of two of the groups, by their places; `None` when there are no such groups, or they do not fit together.
    pub fn between(groups: &[NoisedMoments], sizes: &[u64], first: usize, second: usize) -> Option<Self> {
        let both = [first, second].map(|g| Some((groups.get(g)?, *sizes.get(g)? as f64)));
        let [Some((a, n)), Some((b, m))] = both else { return None };
        let fits = a.mean.len() == b.mean.len() && a.second.chosen == b.second.chosen;
        let whole = |of: &NoisedMoments| {
            of.second.is_consistent() && of.second.chosen.iter().all(|j| *j < of.mean.len())
        };
        if !fits || !whole(a) || !whole(b) || n < 2.0 || m < 2.0 {
            return None;
        }
        let sum = |(x, y): (&f64, &f64)| x / n + y / m;
        let sampling = NoisedSecond {
            chosen: a.second.chosen.clone(),
            entries: a.second.entries.iter().zip(&b.second.entries).map(sum).collect(),
            sigma: (a.second.sigma / n).hypot(b.second.sigma / m),
            radius: (a.second.radius.powi(2) / n + b.second.radius.powi(2) / m).sqrt(),
        };
        // Not each group's own mean: that would go with the difference.
        let centre: Vec<f64> = a.mean.iter().zip(&b.mean).map(|(a, b)| (n * a + m * b) / (n + m)).collect();
        let noise = (n * a.mean_sigma).hypot(m * b.mean_sigma) / (n + m);
        let own = |group: &NoisedMoments, n: f64| {
            let mut within = matrix(&group.second)?;
            for (i, p) in group.second.chosen.iter().enumerate() {
                for (j, q) in group.second.chosen.iter().enumerate() {
                    within[(i, j)] -= centre[*p] * centre[*q];
                }
                within[(i, i)] += noise.powi(2);
            }
            Some(within / n)
        };
        let (of_a, of_b) = (own(a, n)?, own(b, m)?);
        let least = |group: &NoisedMoments, n: f64| LEAST_TRACE * group.second.radius.powi(2) / n;
        let (x, y) = (of_a.trace().max(least(a, n)), of_b.trace().max(least(b, m)));
        let freedom = (x + y).powi(2) / (x.powi(2) / (n - 1.0) + y.powi(2) / (m - 1.0));
        // The centre took its own part of the variance along.
        let within = (of_a + of_b) * ((n + m) / (n + m - 1.0));
        Some(Self {
            values: a.mean.iter().zip(&b.mean).map(|(a, b)| b - a).collect(),
            noise: a.mean_sigma.powi(2) + b.mean_sigma.powi(2),
            within,
            freedom,
            sampling,
        })
    }

    /// The law of its error, on the safe side. Each group varies as its own second moment has it.
    pub fn law(&self, known: &Prior) -> Option<ErrorLaw> {
        let sampling = RecordCovariance::on_the_safe_side(&self.sampling, known)?;
        Some(ErrorLaw::new(&sampling, 1.0, self.noise))
    }

    /// Shrunk towards no difference, for showing; `effect` is the size that is expected, root mean square over the function.
    pub fn shrunk(&self, law: &ErrorLaw, known: &Prior, effect: f64) -> Shrunk {
        let prior: Vec<f64> = (0..known.len()).map(|j| known.weighted(j)).collect();
        let energy = effects(known, effect).iter().sum::<f64>().max(f64::MIN_POSITIVE);
        wiener(&self.values, &law.variances(), &prior, Expectation { energy, doubt: DOUBT })
    }

    /// A test of no difference, set for random differences of the size `effect`.
    ///
    /// The statistic is Σ w_j D_j², w_j = s_j/(v_j(v_j + s_j)): the score of a random effect of variances s against errors of variances
    /// v, those of the public spectrum. Without a difference its average is Σ w_j (V_jj + noise), V = C₁/n₁ + C₂/n₂ of the groups' own
    /// covariances; the noised second moments give that without bias, with an error of variance σ² Σ w_j² for the noise and 2 Σ w_i w_j V_ij²/ν for
    /// ν degrees of freedom. About its average it varies as for D of the law N(0, V₊ + noise · I), V₊ being the noised V with its eigenvalues
    /// moved to the nearest ones that are nowhere negative and have its trace, a standard deviation of its noise larger. p is how likely both
    /// together are to be as large, [`LEAST_P`] at least.
    ///
    /// `None` when second moment and prior do not fit.
    pub fn test(&self, known: &Prior, effect: f64) -> Option<GroupTest> {
        let score = Score::new(self, known, effect)?;
        let statistic: f64 = self.values.iter().zip(&score.weights).map(|(d, w)| w * d * d).sum();
        let p_value = score.law(None).beyond(statistic - score.expected).max(LEAST_P);
        Some(GroupTest { statistic, p_value })
    }

    /// How likely the test of [`Self::test`] is to find random differences of these sizes at the level `level`, records varying as the
    /// released second moments have it. What the groups' means are does not enter.
    ///
    /// `None` when second moment and prior do not fit.
    pub fn power(&self, known: &Prior, effect: f64, (level, sizes): (f64, &[f64])) -> Option<Vec<f64>> {
        let score = Score::new(self, known, effect)?;
        let bound = score.law(None).quantile(level);
        Some(sizes.iter().map(|size| score.law(Some(&effects(known, *size))).beyond(bound)).collect())
    }
}

/// The statistic's weights, and its law where there is no difference.
struct Score {
    weights: Vec<f64>,
    /// What it is on average, as far as the noised second moment tells.
    expected: f64,
    /// The standard deviation of that.
    doubt: f64,
    /// The covariance of a difference of the means.
    covariance: DMatrix<f64>,
}

impl Score {
    fn new(difference: &Difference, known: &Prior, effect: f64) -> Option<Self> {
        let Difference { sampling, noise, within, freedom, .. } = difference;
        let k = sampling.size();
        if k != difference.values.len() || k != known.len() {
            return None;
        }
        let square = sampling.radius.powi(2);
        let trace = (within.trace() + SAFETY * sampling.sigma * (k as f64).sqrt())
            .clamp(LEAST_TRACE * square, square);
        let total: f64 = (0..k).map(|j| known.weighted(j)).sum();
        // Not by the noised variances: weights that are small where these are too large would make the average too small.
        let weight = |(j, s): (usize, &f64)| {
            let v = USUAL_TRACE * square * known.weighted(j) / total + noise;
            s / (v * (v + s))
        };
        let weights: Vec<f64> = effects(known, effect).iter().enumerate().map(weight).collect();
        let expected = weights.iter().enumerate().map(|(j, w)| w * (within[(j, j)] + noise)).sum();
        let varied = positive(within.clone(), trace);
        let square = |(i, j): (usize, usize)| weights[i] * weights[j] * varied[(i, j)].powi(2);
        let seen = (0..k).flat_map(|i| (0..k).map(move |j| (i, j))).map(square).sum::<f64>() * 2.0 / freedom;
        let noised = sampling.sigma.powi(2) * weights.iter().map(|w| w * w).sum::<f64>();
        let doubt = (noised + seen).sqrt();
        let covariance = varied + DMatrix::identity(k, k) * *noise;
        Some(Self { weights, expected, doubt, covariance })
    }

    /// The law of the statistic, less what it is expected to be without a difference, where the difference is random with these variances, or
    /// nothing.
    fn law(&self, difference: Option<&[f64]>) -> QuadraticForm {
        let (k, w) = (self.weights.len(), &self.weights);
        let mut scaled = DMatrix::from_fn(k, k, |i, j| (w[i] * w[j]).sqrt() * self.covariance[(i, j)]);
        let shift = -scaled.trace();
        for (j, s) in difference.into_iter().flatten().enumerate() {
            scaled[(j, j)] += w[j] * s;
        }
        let parts = scaled.symmetric_eigenvalues().iter().map(|omega| omega.max(0.0)).collect();
        QuadraticForm { parts, normal: self.doubt, shift }
    }
}

/// Σ ω z² + σ z′ + a, z and z′ independent standard normal, ω ≥ 0.
struct QuadraticForm {
    parts: Vec<f64>,
    normal: f64,
    shift: f64,
}

/// So many standard deviations from its mean such a form never is: a χ² of one degree of freedom with a probability of 1e-13.
const FAR: f64 = 40.0;
/// Terms of a characteristic function below this do not count.
const NOTHING: f64 = 1e-11;
/// Most terms: without a normal part and with one or two ω the sum converges slowly.
const TERMS: usize = 1 << 20;

impl QuadraticForm {
    fn mean(&self) -> f64 {
        self.parts.iter().sum::<f64>() + self.shift
    }

    fn spread(&self) -> f64 {
        (2.0 * self.parts.iter().map(|omega| omega * omega).sum::<f64>() + self.normal.powi(2)).sqrt()
    }

    /// How likely it is to be larger than `x`: its characteristic function inverted by a sum (Davies 1980, algorithm AS 155).
    fn beyond(&self, x: f64) -> f64 {
        let (away, spread) = (x - self.mean(), self.spread());
        if away.abs() >= FAR * spread {
            return if away > 0.0 { 0.0 } else { 1.0 };
        }
        let step = 2.0 * PI / (away.abs() + FAR * spread);
        let mut sum = 0.0;
        for j in 0..TERMS {
            let place = j as f64 + 0.5;
            let t = place * step;
            let (mut fall, mut phase) = (0.5 * (self.normal * t).powi(2), t * (self.shift - x));
            for omega in &self.parts {
                fall += 0.25 * (2.0 * omega * t).powi(2).ln_1p();
                phase += 0.5 * (2.0 * omega * t).atan();
            }
            let size = (-fall).exp();
            if size < NOTHING {
                break;
            }
            sum += size * phase.sin() / place;
        }
        (0.5 + sum / PI).clamp(0.0, 1.0)
    }

    /// What it is beyond with this probability.
    fn quantile(&self, probability: f64) -> f64 {
        let (mut low, mut high) = [-FAR, FAR].map(|far| self.mean() + far * self.spread()).into();
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            let above = self.beyond(middle) > probability;
            if above { low = middle } else { high = middle }
        }
        high
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

/// s_j = δ² a_jλ_j/Σλ: variances in weighted coordinates of a random difference of root-mean-square size δ.
fn effects(known: &Prior, effect: f64) -> Vec<f64> {
    let total: f64 = known.spectrum.iter().sum();
    (0..known.len()).map(|j| effect * effect * known.weighted(j) / total).collect()
}

/// The nearest positive semidefinite matrix of a trace.
fn positive(matrix: DMatrix<f64>, trace: f64) -> DMatrix<f64> {
    let SymmetricEigen { eigenvectors, eigenvalues } = SymmetricEigen::new(matrix);
    let values = onto_simplex(eigenvalues.as_slice(), trace);
    let scaled = DMatrix::from_fn(values.len(), values.len(), |i, j| eigenvectors[(i, j)] * values[j]);
    scaled * eigenvectors.transpose()
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
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha20Rng;
    use rand_distr::{Distribution, StandardNormal};

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

    /// Against closed forms: a normal law, an exponential one, and squares alone.
    #[test]
    fn tails_of_quadratic_forms_are_those_of_known_laws() {
        let form = |parts: &[f64], normal, shift| QuadraticForm { parts: parts.to_vec(), normal, shift };
        let normal = form(&[], 2.0, 1.0);
        approx::assert_relative_eq!(normal.beyond(1.0 + 2.0 * 1.6448536269514722), 0.05, epsilon = 1e-9);
        approx::assert_relative_eq!(normal.quantile(0.05), 1.0 + 2.0 * 1.6448536269514722, epsilon = 1e-6);
        // Σ over pairs of the same ω: P(χ²₄ > x) = e^(−x/2)(1 + x/2).
        let four = form(&[0.5; 4], 0.0, -0.3);
        for x in [0.1, 2.0, 9.0] {
            let y: f64 = (x + 0.3) / (2.0 * 0.5);
            approx::assert_relative_eq!(four.beyond(x), (-y).exp() * (1.0 + y), epsilon = 1e-7);
        }
        // P(χ²₁ > 3.841458820694124) = .05.
        approx::assert_relative_eq!(form(&[1.0], 1e-3, 0.0).beyond(3.841458820694124), 0.05, epsilon = 1e-6);
        assert_eq!((four.beyond(1e9), four.beyond(-1e9)), (0.0, 1.0));
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

    const TAU: f64 = 3.0;

    fn known() -> Prior {
        Prior { spectrum: vec![1.0, 0.7, 0.5, 0.3, 0.2, 0.1], roots: vec![1.0; 6] }
    }

    /// n normal records whose variances are `spread` times the spectrum, half a unit off the centre along the first coordinate and `shift` along
    /// the second, with the noise of nμ = 2n added by hand.
    fn group(n: u64, spread: f64, shift: f64, rng: &mut ChaCha20Rng) -> NoisedMoments {
        let (known, k) = (known(), 6);
        let (mut mean, mut second) = (vec![0.0; k], DMatrix::<f64>::zeros(k, k));
        let off = [0.5, shift, 0.0, 0.0, 0.0, 0.0];
        for _ in 0..n {
            let record: Vec<f64> = known
                .spectrum
                .iter()
                .zip(off)
                .map(|(l, off)| off + (spread * l).sqrt() * normal(rng))
                .collect();
            for i in 0..k {
                mean[i] += record[i] / n as f64;
                (0..k).for_each(|j| second[(i, j)] += record[i] * record[j] / n as f64);
            }
        }
        let mean_sigma = 2.0 * TAU / (n as f64 * 2.0);
        let sigma = 2.0f64.sqrt() * TAU * mean_sigma;
        mean.iter_mut().for_each(|m| *m += mean_sigma * normal(rng));
        let mut entries = Vec::new();
        for i in 0..k {
            for j in i..k {
                let scale = if i == j { sigma } else { sigma / 2.0f64.sqrt() };
                entries.push(second[(i, j)] + scale * normal(rng));
            }
        }
        let second = NoisedSecond { chosen: (0..k).collect(), entries, sigma, radius: TAU };
        NoisedMoments { mean, mean_sigma, second }
    }

    /// The level is no more than it is called, however many records there are and however differently the groups vary: a test of level .05 finds
    /// more than .07 of 1000 runs in one of 300 times. And it has power.
    #[test]
    fn tests_hold_their_level_and_find_differences() {
        let mut rng = ChaCha20Rng::seed_from_u64(2);
        let mut rejected = |of: [(u64, f64); 2], shift: f64, runs: usize| {
            let one = |_| {
                let groups =
                    [group(of[0].0, of[0].1, 0.0, &mut rng), group(of[1].0, of[1].1, shift, &mut rng)];
                let difference = Difference::between(&groups, &of.map(|(n, _)| n), 0, 1).unwrap();
                difference.test(&known(), 0.5).unwrap().p_value <= 0.05
            };
            (0..runs).map(one).filter(|hit| *hit).count() as f64 / runs as f64
        };
        for of in [
            [(60, 0.3), (60, 0.3)],
            [(400, 0.3), (400, 0.3)],
            [(40, 0.9), (200, 0.1)],
            [(200, 0.9), (40, 0.1)],
        ] {
            let level = rejected(of, 0.0, 1000);
            assert!((0.01..0.07).contains(&level), "{of:?} {level}");
        }
        let power = rejected([(60, 0.3), (60, 0.3)], 0.6, 60);
        assert!(power > 0.9, "{power}");
        // Random differences are found more often the larger they are, none as often as the level says.
        let groups = [group(60, 0.3, 0.0, &mut rng), group(60, 0.3, 0.0, &mut rng)];
        let difference = Difference::between(&groups, &[60, 60], 0, 1).unwrap();
        let power = difference.power(&known(), 0.5, (0.05, &[0.0, 0.3, 2.0])).unwrap();
        assert!((power[0] - 0.05).abs() < 1e-3 && power[1] > 0.1 && power[2] > 0.9, "{power:?}");
    }

    #[test]
    fn what_does_not_fit_has_no_difference() {
        let second = NoisedSecond { chosen: vec![0], entries: vec![1.0], sigma: 0.1, radius: 1.0 };
        let group = NoisedMoments { mean: vec![0.5], mean_sigma: 0.1, second };
        let groups = [group.clone(), NoisedMoments { mean: vec![0.2], ..group }];
        assert_eq!(Difference::between(&groups, &[3, 3], 0, 2), None);
        assert_eq!(Difference::between(&groups, &[3], 0, 1), None);
        let found = Difference::between(&groups, &[2, 4], 0, 1).unwrap();
        approx::assert_relative_eq!(found.values[0], -0.3, max_relative = 1e-12);
        approx::assert_relative_eq!(found.sampling.entries[0], 0.75, max_relative = 1e-12);
        approx::assert_relative_eq!(found.sampling.radius.powi(2), 0.75, max_relative = 1e-12);
        let known = Prior { spectrum: vec![1.0, 1.0], roots: vec![1.0, 1.0] };
        assert_eq!(found.test(&known, 1.0), None);
    }
}
