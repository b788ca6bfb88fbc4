//! How variances along modes change with covariates: a second regression, of squared scores.
//!
//! A record's score along mode k is its deviation from the released fit there, over the mode's released standard deviation: z_k. If the variance at
//! covariates x is (1 + ℓ_k + Σ_j γ_jk x_j) times the stated one, then so is the expected square of z_k, and least squares of z_k² − 1 on x gives ℓ and
//! γ: a variance function that is linear in the columns of the design (Davidian and Carroll 1987, §2, by squared residuals).

use super::design::{Design, INTERCEPT};
use nalgebra::DMatrix;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

/// The certificate's name for it, among its details on modes.
pub const BY_COVARIATES: &str = "by_covariates";

/// What is shortened: lengths beyond this many times the root mean square that z² − 1 has where scores are normal.
const BEYOND: f64 = 1.5;
/// Draws that tell what that takes off, by how much variances are changed for it, and which draws: always the same.
const DRAWS: usize = 20_000;
const STEP: f64 = 0.2;
const SEED: u64 = 0x5c0;
/// What is expected of levels and of slopes, standard deviations: of all modes alike, and of a mode's difference from them. Levels are off by what the
/// clip of the moments was not undone by; slopes let the standard deviation at one end of the bounds be up to twice that at the other.
const LEVEL: [f64; 2] = [0.25, 0.1];
const SLOPE: [f64; 2] = [0.4, 0.15];
/// The least share that is left of a variance.
const LEAST: f64 = 0.2;

/// The length to which z² − 1 of so many modes is shortened.
pub fn bound(modes: usize) -> f64 {
    BEYOND * (2.0 * modes as f64).sqrt()
}

/// What least squares finds, before anything is expected of it: of every column of a design, the intercept's first, of every mode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VarianceFunction {
    /// By which share of the stated variance it changes when a column grows by one; the first row: by which it is off where the others are 0.
    pub changes: Vec<Vec<f64>>,
    /// Standard deviations of what changes are off, by the noise and because these records are a sample: of a row's mean, and of the difference of
    /// one of its entries from that.
    pub errors: Vec<[f64; 2]>,
}

/// The same drawn to what is expected.
#[derive(Debug, Clone, PartialEq)]
pub struct Variances {
    rows: Vec<Row>,
}

#[derive(Debug, Clone, PartialEq)]
struct Row {
    common: f64,
    /// Of every mode.
    own: Vec<Own>,
    /// The variance of what the common amount is off, and of the own amount of a mode that was not asked.
    doubt: f64,
    unasked: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Own {
    amount: f64,
    /// Which share of what the common amount is off stays in the sum of both, and the variance of what else that is off.
    left: f64,
    doubt: f64,
}

impl VarianceFunction {
    /// From the noised means of x̃ (z² − 1), (q, modes), of records whose z² − 1 was shortened to [`bound`]; the noise has this standard deviation in
    /// every entry. `inverse`: of the covariates' second moments. `None` for shapes that do not fit.
    pub fn new(moments: &DMatrix<f64>, sigma: f64, inverse: &DMatrix<f64>, n: u64) -> Option<Self> {
        let (q, modes) = moments.shape();
        if modes == 0 || q == 0 || inverse.shape() != (q, q) {
            return None;
        }
        let clip = Shortened::of(modes);
        let squared = inverse * inverse;
        let m = modes as f64;
        let row = |j: usize| {
            // The first column is a constant, not one.
            let (unit, off) = if j == 0 { (INTERCEPT, clip.at_one) } else { (1.0, 0.0) };
            let found = inverse.row(j) * moments;
            let row: Vec<f64> = found.iter().map(|x| unit * x - off).collect();
            let mean = row.iter().sum::<f64>() / m;
            let changes = row.iter().map(|x| mean / clip.common + (x - mean) / clip.own).collect();
            let noise = (unit * sigma).powi(2) * squared[(j, j)];
            let sample = |slope: f64| 2.0 * slope * slope * unit * unit * inverse[(j, j)] / n as f64;
            let common = ((noise + sample(clip.common)) / m).sqrt() / clip.common;
            let own = ((noise + sample(clip.own)) * (m - 1.0) / m).sqrt() / clip.own;
            (changes, [common, own])
        };
        let (changes, errors) = (0..q).map(row).unzip();
        Some(Self { changes, errors })
    }

    /// Of how many modes.
    pub fn modes(&self) -> usize {
        self.changes.first().map_or(0, Vec::len)
    }

    /// Drawn to what is expected, by how much is known: levels to `levels`, of each mode what is expected and the standard deviation of its own doubt (none:
    /// 0 and `LEVEL`'s), slopes to 0. With y_k what was found of mode k, common amount m ~ N(0, A²), own d_k ~ N(0, τ_k²) and independent errors e:
    /// the means of m and d given y. `None` where rows differ in length.
    pub fn drawn_to(&self, levels: &[[f64; 2]]) -> Option<Variances> {
        let modes = self.modes();
        let fits = modes > 0
            && self.changes.len() == self.errors.len()
            && self.changes.iter().all(|row| row.len() == modes && row.iter().all(|x| x.is_finite()))
            && self.errors.iter().flatten().all(|x| x.is_finite() && *x >= 0.0);
        if !fits {
            return None;
        }
        let row = |(j, (changes, errors)): (usize, (&Vec<f64>, &[f64; 2]))| {
            let [all, own] = if j == 0 { LEVEL } else { SLOPE };
            let expected = |k: usize| levels.get(k).filter(|_| j == 0).copied().unwrap_or([0.0, own]);
            let error = errors[1].powi(2).max(modes as f64 * errors[0].powi(2));
            let square = |k: usize| expected(k)[1].powi(2);
            let weights: Vec<f64> =
                (0..modes).map(|k| 1.0 / (square(k) + error).max(f64::MIN_POSITIVE)).collect();
            let found = changes.iter().enumerate().map(|(k, x)| x - expected(k)[0]);
            let known = 1.0 / (all * all + 1.0 / weights.iter().sum::<f64>()) * all * all;
            let mean =
                found.clone().zip(&weights).map(|(x, w)| x * w).sum::<f64>() / weights.iter().sum::<f64>();
            let whole = (0..modes).map(|k| expected(k)[0]).sum::<f64>() / modes as f64;
            let amounts = found.zip(&weights).enumerate().map(|(k, (x, w))| {
                let left = 1.0 - square(k) * w;
                let amount = expected(k)[0] - whole + (1.0 - left) * (x - known * mean);
                Own { amount, left, doubt: square(k) * left }
            });
            Row {
                common: whole + known * mean,
                own: amounts.collect(),
                doubt: all * all * (1.0 - known),
                unasked: own * own,
            }
        };
        Some(Variances { rows: self.changes.iter().zip(&self.errors).enumerate().map(row).collect() })
    }
}

/// What a variance is somewhere, as a share of the stated one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// The share.
    pub value: f64,
    /// Standard deviations of what it is off: together with all others, and on its own.
    pub doubt: [f64; 2],
}

impl Variances {
    /// What the variance along mode k, from 0, is at a row of a design ([`Design::row`]); of a mode that the function is not of, what all have in common.
    pub fn at(&self, row: &[f64], k: usize) -> Share {
        let columns = std::iter::once(&1.0).chain(row.iter().skip(1));
        let (mut value, mut doubt) = (1.0, [0.0; 2]);
        for (x, row) in columns.zip(&self.rows) {
            let unasked = Own { amount: 0.0, left: 1.0, doubt: row.unasked };
            let own = row.own.get(k).unwrap_or(&unasked);
            value += x * (row.common + own.amount);
            doubt[0] += x * x * own.left * own.left * row.doubt;
            doubt[1] += x * x * own.doubt;
        }
        Share { value: value.max(LEAST), doubt: doubt.map(f64::sqrt) }
    }

    /// Of how many modes.
    pub fn modes(&self) -> usize {
        self.rows.first().map_or(0, |row| row.own.len())
    }

    /// The share that all modes have in common.
    pub fn common_at(&self, row: &[f64]) -> f64 {
        self.at(row, usize::MAX).value
    }

    /// By which share all variances alike change when each column grows by one, and the standard deviation of what that is off; the first: of the level.
    pub fn common(&self) -> Vec<[f64; 2]> {
        self.rows.iter().map(|row| [row.common, row.doubt.sqrt()]).collect()
    }
}

/// What the rows of [`VarianceFunction::changes`] are called.
pub fn names(design: &Design) -> Vec<String> {
    std::iter::once("level".to_owned()).chain(design.names()).collect()
}

/// What shortening takes off, for normal scores.
struct Shortened {
    /// The mean of a shortened z² − 1.
    at_one: f64,
    /// By how much it grows with the variance of all modes, and with that of its own mode beyond what all do.
    common: f64,
    own: f64,
}

impl Shortened {
    fn of(modes: usize) -> Self {
        let bound = bound(modes);
        let mut rng = ChaCha20Rng::seed_from_u64(SEED);
        let mut sums = [0.0; 4];
        for _ in 0..DRAWS {
            let squares: Vec<f64> = (0..modes)
                .map(|_| {
                    let z: f64 = StandardNormal.sample(&mut rng);
                    z * z
                })
                .collect();
            // Of the first mode, and of all others on average.
            let shortened = |first: f64, others: f64| {
                let x =
                    squares.iter().enumerate().map(|(k, y)| if k == 0 { first } else { others } * y - 1.0);
                let x: Vec<f64> = x.collect();
                let length = x.iter().map(|x| x * x).sum::<f64>().sqrt();
                let kept = bound / bound.max(length);
                let all = x.iter().sum::<f64>() / modes as f64;
                [kept * x[0], kept * all]
            };
            sums[0] += shortened(1.0, 1.0)[1];
            let (up, down) = (1.0 + 0.5 * STEP, 1.0 - 0.5 * STEP);
            sums[1] += (shortened(up, up)[1] - shortened(down, down)[1]) / STEP;
            let [raised, lowered] = [shortened(up, 1.0), shortened(down, 1.0)];
            sums[2] += (raised[0] - lowered[0]) / STEP;
            sums[3] += (raised[1] - lowered[1]) / STEP;
        }
        let [at_one, common, first, all] = sums.map(|sum| sum / DRAWS as f64);
        // A change of one mode alone is one of all, by its share, and one of its own.
        let m = modes as f64;
        let own = if modes > 1 { (first - all) * m / (m - 1.0) } else { common };
        Self { at_one, common, own }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    fn people(
        n: usize,
        modes: usize,
        share: impl Fn(f64, usize) -> f64,
        seed: u64,
    ) -> (DMatrix<f64>, DMatrix<f64>) {
        let mut rng = ChaCha20Rng::seed_from_u64(seed);
        let (mut moments, mut xx) = (DMatrix::zeros(2, modes), DMatrix::zeros(2, 2));
        for _ in 0..n {
            let x = [INTERCEPT, rng.random_range(-1.0..1.0)];
            let square = |k: usize, rng: &mut ChaCha20Rng| -> f64 {
                let z: f64 = StandardNormal.sample(rng);
                share(x[1], k) * z * z - 1.0
            };
            let squares: Vec<f64> = (0..modes).map(|k| square(k, &mut rng)).collect();
            let length = squares.iter().map(|s| s * s).sum::<f64>().sqrt();
            let kept = bound(modes) / bound(modes).max(length);
            for i in 0..2 {
                (0..modes).for_each(|k| moments[(i, k)] += x[i] * kept * squares[k] / n as f64);
                (0..2).for_each(|j| xx[(i, j)] += x[i] * x[j] / n as f64);
            }
        }
        (moments, xx.try_inverse().unwrap())
    }

    /// Levels and slopes that were planted come back, whatever was shortened.
    #[test]
    fn planted_variances_come_back() {
        for modes in [1, 4, 10] {
            let truth = |x: f64, k: usize| 1.1 + 0.4 * x + if k == 0 { 0.2 * x } else { 0.0 };
            let (moments, inverse) = people(200_000, modes, truth, 1);
            let found = VarianceFunction::new(&moments, 0.0, &inverse, 200_000).unwrap();
            for k in 0..modes {
                let [level, slope] = [found.changes[0][k], found.changes[1][k]];
                let expected = if k == 0 { 0.6 } else { 0.4 };
                assert!((level - 0.1).abs() < 0.05, "{modes} {k}: {level}");
                assert!((slope - expected).abs() < 0.07, "{modes} {k}: {slope}");
            }
            let drawn = found.drawn_to(&[]).unwrap();
            for x in [-0.9, 0.0, 0.9] {
                let Share { value, doubt } = drawn.at(&[INTERCEPT, x], 0);
                assert!((value - truth(x, 0)).abs() < 0.1, "{modes} {x}: {value}");
                assert!(doubt.iter().all(|doubt| *doubt < 0.05), "{modes} {x}: {doubt:?}");
            }
        }
    }

    /// What changes are said to be off is what they are off, noise and sample; what is hidden is not told.
    #[test]
    fn errors_are_those_of_the_estimate() {
        let (n, modes, sigma, runs) = (1500, 5, 0.08, 300);
        let mut rng = ChaCha20Rng::seed_from_u64(7);
        let (mut squares, mut stated) = ([0.0; 4], [0.0; 4]);
        for seed in 0..runs {
            let (mut moments, inverse) = people(n, modes, |_, _| 1.0, 100 + seed);
            moments.iter_mut().for_each(|x| {
                let z: f64 = StandardNormal.sample(&mut rng);
                *x += sigma * z;
            });
            let found = VarianceFunction::new(&moments, sigma, &inverse, n as u64).unwrap();
            for j in 0..2 {
                let mean = found.changes[j].iter().sum::<f64>() / modes as f64;
                squares[2 * j] += mean * mean;
                squares[2 * j + 1] += (found.changes[j][0] - mean).powi(2);
                stated[2 * j] += found.errors[j][0].powi(2);
                stated[2 * j + 1] += found.errors[j][1].powi(2);
            }
        }
        // Of 300 runs: 8 % is one standard error of a mean square.
        for (found, stated) in squares.iter().zip(stated) {
            assert!((0.7..1.4).contains(&(stated / found)), "{}", stated / found);
        }
        let hidden = VarianceFunction { changes: vec![vec![3.0, -3.0]; 2], errors: vec![[9.0, 9.0]; 2] };
        let drawn = hidden.drawn_to(&[[0.1, 0.05]; 2]).unwrap();
        let share = drawn.at(&[INTERCEPT, 1.0], 0).value;
        assert!((share - 1.1).abs() < 0.02, "{share}");
        // No variance is nothing, and modes that were not looked at have what all have in common.
        let steep =
            VarianceFunction { changes: vec![vec![0.0; 2], vec![-2.0; 2]], errors: vec![[0.0; 2]; 2] };
        let drawn = steep.drawn_to(&[]).unwrap();
        assert_eq!(drawn.at(&[INTERCEPT, 1.0], 0).value, LEAST);
        approx::assert_relative_eq!(drawn.at(&[INTERCEPT, -0.25], 0).value, 1.5, max_relative = 1e-12);
        approx::assert_relative_eq!(drawn.common_at(&[INTERCEPT, -0.25]), 1.5, max_relative = 0.05);
        assert!(
            drawn.at(&[INTERCEPT, -0.25], 0).doubt[1] < 1e-9
                && drawn.at(&[INTERCEPT, -0.25], 7).doubt[1] > 0.03
        );
    }

    #[test]
    fn what_does_not_fit_is_none() {
        let (moments, inverse) = people(50, 2, |_, _| 1.0, 1);
        assert_eq!(VarianceFunction::new(&moments, 0.1, &DMatrix::identity(3, 3), 50), None);
        assert_eq!(VarianceFunction::new(&DMatrix::zeros(2, 0), 0.1, &inverse, 50), None);
        let found = VarianceFunction::new(&moments, 0.1, &inverse, 50).unwrap();
        assert!(found.drawn_to(&[]).is_some());
        let mut short = found.clone();
        short.changes[1].pop();
        let mut strange = found;
        strange.errors[0][1] = f64::NAN;
        assert_eq!((short.drawn_to(&[]), strange.drawn_to(&[])), (None, None));
    }
}
