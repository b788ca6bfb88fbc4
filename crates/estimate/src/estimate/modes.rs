//! Modes of variation from a noised mean and second moment.

use super::edge::matrix;
use super::{Unclipped, Visible};
use crate::privacy::noise::NoisedMoments;
use nalgebra::{DMatrix, DVector, SymmetricEigen};

/// Below this nμ, what the data do not say is filled in by the public spectrum.
pub const PRIOR_BELOW: f64 = 75.0;
/// The trace of clipped records' covariance is kept between these shares of τ².
const TRACE: (f64, f64) = (0.1, 1.0);
/// Eigenvalues this far above the edge of the noise's own spectrum count as seen, as in [`Visible`].
const ABOVE: f64 = 1.01;
/// Largest eigenvalue in absolute value of k × k symmetric noise: beyond 2t(1 + this · k^(−2/3)) with probability .05, both ends of the
/// spectrum together (half the 97.5 % quantile 1.454 of the Tracy–Widom law of real symmetric matrices).
const WEYL: f64 = 0.727;

/// What the ends of intervals hold, in words.
pub const INTERVALS: &str = "lower, upper: simultaneous 95 % intervals for the mean square of the records that were used, with what was filled in, about the \
     released centre along the released directions. The lower end holds however they are distributed, since a clip only shortens; the upper end is for scores that are normal, and may \
     be too low where they have long tails. They cover the noise added for privacy, not these records as a sample of others";

/// What is public of k weighted coordinates u_j = √a_j x_j.
#[derive(Debug, Clone, Copy)]
pub struct Weighted<'a> {
    /// √a_j.
    pub roots: &'a [f64],
    /// λ_j: the expected variances of x_j up to one constant, in falling order.
    pub spectrum: &'a [f64],
}

/// One direction in which records differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Mode {
    /// The weighted coordinates u of one standard deviation of it. In coefficients x modes are orthogonal.
    pub coordinates: Vec<f64>,
    /// The estimated variance along it, in x: of records before they were clipped.
    pub variance: f64,
    /// The lower end of its interval: see [`Modes`].
    pub lower: f64,
    /// The upper end.
    pub upper: f64,
    /// The standard deviation of the privacy noise along it, in units of its variance, the clip undone as there. For moments that are a part of
    /// others, that of the matrix's own entries, which is the most of it; intervals have the rest as well.
    pub noise: f64,
    /// Its share of the estimated variance of all k coefficients.
    pub share: f64,
}

/// Modes of variation, estimated from noised moments of clipped deviations from a private centre: free.
///
/// # Estimate
/// The noised mean is taken off the second moment; of what is left, the eigenvalues that stand out of the noise are kept, in the
/// coordinates in which it is white; the clip is undone under a normal model ([`Unclipped`]); then coefficients are unweighted, and the
/// eigenvectors of the result are the modes. Below nμ = [`PRIOR_BELOW`] it is the difference to the public spectrum that is shrunk, and what
/// the data do not say is the spectrum's.
///
/// # Intervals
/// With W the noise of the matrix and g the direction of a mode in weighted coordinates, gᵀ(noised − exact)g = gᵀWg ≤ ‖W‖ ‖g‖², for all g
/// at once, also those that were chosen by looking at the noised matrix (as in Weyl's inequality); ‖W‖ is below its 95 % quantile, known
/// without data. So with probability .95 all intervals hold together: each the mean square of *these* records' deviations from the private centre,
/// along the released direction. A clip shortens deviations, so the lower end, of clipped ones, holds for deviations however they are distributed; the
/// upper end is multiplied by the factor by which the estimate undoes the clip, and rests on the normal model. They say nothing of people as a
/// sample of others. An end is moved where the estimate would lie outside.
#[derive(Debug, Clone, PartialEq)]
pub struct Modes {
    /// The largest first; never more than are [`Self::visible`].
    pub modes: Vec<Mode>,
    /// How many stand out of the noise.
    pub visible: usize,
    /// How many stand out of it at 95 %: the noised eigenvalue is beyond what noise alone would reach.
    pub certain: usize,
    /// The estimated variance of all k coefficients together, in x.
    pub total: f64,
    /// The standard deviation of the privacy noise in that, before the clip was undone.
    pub total_noise: f64,
    /// The least eigenvalue that can be seen, in weighted coordinates of clipped records.
    pub edge: f64,
    /// Whether the public spectrum filled in what the data did not say.
    pub leans_on_prior: bool,
}

/// What else is known of moments that are a part of others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beside {
    /// The clipped records' mean square in directions that the moments are not of: it counts where the clip is undone.
    pub energy: f64,
    /// How much more noise the matrix has along any direction than its own entries, at most: 1 or more.
    pub widened: f64,
}

impl Modes {
    /// At most `asked` modes; `n_mu` is nμ. `None` when moments and coordinates do not fit.
    pub fn new(moments: &NoisedMoments, weighted: Weighted<'_>, n_mu: f64, asked: usize) -> Option<Self> {
        Self::of_part(moments, weighted, n_mu, asked, Beside { energy: 0.0, widened: 1.0 })
    }

    /// The same of moments that are a part of others.
    pub fn of_part(
        moments: &NoisedMoments,
        weighted: Weighted<'_>,
        n_mu: f64,
        asked: usize,
        beside: Beside,
    ) -> Option<Self> {
        let k = weighted.roots.len();
        let second = &moments.second;
        let fits = k > 0
            && weighted.spectrum.len() == k
            && moments.mean.len() == k
            && second.chosen.iter().copied().eq(0..k)
            && second.is_consistent()
            && second.entries.iter().chain(&moments.mean).all(|x| x.is_finite());
        if !fits {
            return None;
        }
        let about_centre = matrix(second)?;
        let covariance = &about_centre - moved(moments);
        let edge = second.sigma * (0.5 * k as f64).sqrt();
        let trace = covariance.trace();
        let seen = Visible::new(covariance.clone(), second.sigma);
        let (visible, leans_on_prior) = (seen.values.len(), n_mu < PRIOR_BELOW);
        let clipped = if leans_on_prior {
            let square = second.radius.powi(2);
            towards_prior(&covariance, weighted, trace.clamp(TRACE.0 * square, TRACE.1 * square), edge)
        } else {
            seen
        };
        let rest = (trace - clipped.trace()).max(0.0);
        let unclipped = Unclipped::new(&clipped.values, rest + beside.energy, second.radius);
        let inverse = DVector::from_iterator(k, weighted.roots.iter().map(|root| 1.0 / root));
        let unweighted = |values: &[f64]| spread(&clipped.vectors, values, &inverse);
        let (with_clip, without) = (unweighted(&clipped.values), unweighted(&unclipped.variances));
        let diagonal = covariance.diagonal();
        let trace = diagonal.iter().zip(&inverse).map(|(m, i)| m * i * i).sum::<f64>();
        let total = without.trace() + (trace - with_clip.trace()).max(0.0) * unclipped.rest;
        let reach = 2.0 * edge * (1.0 + WEYL * (k as f64).powf(-2.0 / 3.0)) * beside.widened;
        let interval = Interval {
            about_centre: &about_centre,
            with_clip: &with_clip,
            inverse: &inverse,
            reach,
            sigma: second.sigma,
        };
        let modes = eigenpairs(without)
            .into_iter()
            .take(asked.min(visible))
            .map(|(variance, direction)| {
                let direction = signed(direction);
                let Along { lower, upper, noise } = interval.of(variance, &direction);
                let coordinates = direction
                    .iter()
                    .zip(weighted.roots)
                    .map(|(x, root)| x * root * variance.sqrt())
                    .collect();
                let share = if total > 0.0 { (variance / total).min(1.0) } else { 0.0 };
                Mode { coordinates, variance, lower, upper, noise, share }
            })
            .collect();
        let noised = about_centre.clone().symmetric_eigenvalues();
        Some(Self {
            modes,
            visible,
            certain: noised.iter().filter(|y| **y > reach).count().min(visible),
            total,
            total_noise: beside.widened
                * second.sigma
                * inverse.iter().map(|i| i.powi(4)).sum::<f64>().sqrt(),
            edge,
            leans_on_prior,
        })
    }
}

impl Modes {
    /// With upper ends `times` as high.
    pub fn raised(mut self, times: f64) -> Self {
        self.modes.iter_mut().for_each(|mode| mode.upper *= times);
        self
    }
}

/// What the mean's own deviation from the centre adds to the second moment: m̂m̂ᵀ without the noise that is in it.
fn moved(moments: &NoisedMoments) -> DMatrix<f64> {
    let mean = DVector::from_column_slice(&moments.mean);
    let square = mean.norm_squared();
    let noise = mean.len() as f64 * moments.mean_sigma.powi(2);
    let share = if square > noise { 1.0 - noise / square } else { 0.0 };
    &mean * mean.transpose() * share
}

/// The public spectrum with this trace, and what stands out of the noise as a difference to it, on either side.
fn towards_prior(covariance: &DMatrix<f64>, weighted: Weighted<'_>, trace: f64, edge: f64) -> Visible {
    let expected = weighted.roots.iter().zip(weighted.spectrum).map(|(root, lambda)| root * root * lambda);
    let expected = DVector::from_iterator(weighted.roots.len(), expected);
    let mut target = DMatrix::from_diagonal(&(&expected * (trace / expected.sum())));
    let eigen = SymmetricEigen::new(covariance - &target);
    for (y, v) in eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter()) {
        if y.abs() > 2.0 * ABOVE * edge {
            let kept = y.signum() * (y * y - 4.0 * edge * edge).sqrt();
            target += v * v.transpose() * kept;
        }
    }
    let pairs = eigenpairs(target);
    let vectors: Vec<DVector<f64>> = pairs.iter().map(|(_, v)| v.clone()).collect();
    let k = weighted.roots.len();
    let vectors = if vectors.is_empty() { DMatrix::zeros(k, 0) } else { DMatrix::from_columns(&vectors) };
    Visible { values: pairs.into_iter().map(|(value, _)| value).collect(), vectors }
}

/// A^(−½) (Σ θ v vᵀ) A^(−½).
fn spread(vectors: &DMatrix<f64>, values: &[f64], inverse: &DVector<f64>) -> DMatrix<f64> {
    let mut scaled = vectors.clone();
    for (mut column, value) in scaled.column_iter_mut().zip(values) {
        column.component_mul_assign(inverse);
        column *= value.max(0.0).sqrt();
    }
    &scaled * scaled.transpose()
}

/// Positive eigenvalues and their unit eigenvectors, the largest first.
fn eigenpairs(matrix: DMatrix<f64>) -> Vec<(f64, DVector<f64>)> {
    let eigen = SymmetricEigen::new(matrix);
    let mut pairs: Vec<(f64, DVector<f64>)> = eigen
        .eigenvalues
        .iter()
        .copied()
        .zip(eigen.eigenvectors.column_iter().map(|v| v.into_owned()))
        .collect();
    pairs.retain(|(value, _)| *value > 0.0);
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
    pairs
}

/// The sign of a mode by a public rule: of its coefficients, in the order of the public spectrum, the first that is at least half as large as
/// the largest is positive. (The largest itself would change place, and the mode its sign, where two are about as large.)
fn signed(direction: DVector<f64>) -> DVector<f64> {
    let half = 0.5 * direction.amax();
    let first = direction.iter().copied().find(|x| x.abs() >= half);
    if first.is_some_and(|x| x < 0.0) { -direction } else { direction }
}

/// What intervals are made of.
struct Interval<'a> {
    about_centre: &'a DMatrix<f64>,
    /// The covariance that is estimated before the clip is undone, unweighted.
    with_clip: &'a DMatrix<f64>,
    inverse: &'a DVector<f64>,
    /// The 95 % quantile of ‖W‖.
    reach: f64,
    /// Of W along a unit direction.
    sigma: f64,
}

/// What is said along a direction: see [`Mode`].
struct Along {
    lower: f64,
    upper: f64,
    noise: f64,
}

impl Interval<'_> {
    /// About the estimated variance along a unit direction.
    fn of(&self, variance: f64, direction: &DVector<f64>) -> Along {
        let g = direction.component_mul(self.inverse);
        let noised = g.dot(&(self.about_centre * &g));
        let squared = g.norm_squared();
        let reach = self.reach * squared;
        let with_clip = direction.dot(&(self.with_clip * direction));
        let undone = if with_clip > 0.0 { variance / with_clip } else { 1.0 };
        let (lower, upper) = ((noised - reach).max(0.0), (noised + reach) * undone);
        Along { lower: lower.min(variance), upper: upper.max(variance), noise: self.sigma * squared * undone }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::noise::NoisedSecond;
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

    fn moments(matrix: &DMatrix<f64>, mean: Vec<f64>, sigma: f64) -> NoisedMoments {
        let k = matrix.nrows();
        let entries = (0..k).flat_map(|i| (i..k).map(move |j| (i, j))).map(|ij| matrix[ij]).collect();
        // So wide a clip that there is nothing to undo.
        let second = NoisedSecond { chosen: (0..k).collect(), entries, sigma, radius: 1e3 };
        NoisedMoments { mean, mean_sigma: sigma, second }
    }

    fn places(k: usize) -> (Vec<f64>, Vec<f64>) {
        let spectrum: Vec<f64> = (0..k).map(|j| (1.0 + j as f64).powf(-1.5)).collect();
        (spectrum.iter().map(|l| l.powf(-0.125)).collect(), spectrum)
    }

    /// A covariance in x with three large directions; moments of u about a centre that is off by `mean`.
    fn population(k: usize, roots: &[f64], mean: &[f64]) -> DMatrix<f64> {
        let mut x = DMatrix::from_diagonal_element(k, k, 0.001);
        for (j, v) in [4.0, 2.0, 1.0].into_iter().enumerate() {
            let mut d = DVector::zeros(k);
            (d[j], d[j + 3]) = (0.8, 0.6);
            x += &d * d.transpose() * v;
        }
        let u = DMatrix::from_fn(k, k, |i, j| x[(i, j)] * roots[i] * roots[j]);
        let mean = DVector::from_column_slice(mean);
        u + &mean * mean.transpose()
    }

    #[test]
    fn without_noise_modes_and_variances_are_those_of_the_covariance() {
        let k = 12;
        let (roots, spectrum) = places(k);
        let mean: Vec<f64> = (0..k).map(|j| if j == 1 { 0.7 } else { 0.0 }).collect();
        let moments = moments(&population(k, &roots, &mean), mean.clone(), 1e-9);
        let found = Modes::new(&moments, Weighted { roots: &roots, spectrum: &spectrum }, 1e3, 3).unwrap();
        assert!(found.modes.len() == 3 && found.visible == k && found.certain == k && !found.leans_on_prior);
        approx::assert_relative_eq!(found.total, 7.012, max_relative = 0.08);
        for (j, (mode, v)) in found.modes.iter().zip([4.001, 2.001, 1.001]).enumerate() {
            // A wide clip is undone to within the draws of the law.
            approx::assert_relative_eq!(mode.variance, v, max_relative = 0.06);
            let x: Vec<f64> =
                mode.coordinates.iter().zip(&roots).map(|(u, r)| u / r / mode.variance.sqrt()).collect();
            approx::assert_abs_diff_eq!(x[j], 0.8, epsilon = 0.02);
            approx::assert_abs_diff_eq!(x[j + 3], 0.6, epsilon = 0.02);
            assert!(mode.lower <= mode.variance && mode.variance <= mode.upper);
            approx::assert_relative_eq!(mode.share, mode.variance / found.total, max_relative = 1e-12);
        }
    }

    /// The intervals hold, all together, what they are for: along the directions that came out, the exact second moment.
    #[test]
    fn intervals_hold_the_exact_second_moment_along_released_modes() {
        let k = 40;
        let (roots, spectrum) = places(k);
        let exact = population(k, &roots, &vec![0.0; k]);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let (mut held, runs, sigma) = (0, 200, 0.06);
        for _ in 0..runs {
            let noised = moments(&(&exact + noise(k, sigma, &mut rng)), vec![0.0; k], sigma);
            let found = Modes::new(&noised, Weighted { roots: &roots, spectrum: &spectrum }, 1e3, 5).unwrap();
            assert!((2..=5).contains(&found.modes.len()));
            held += usize::from(found.modes.iter().all(|mode| {
                let u = DVector::from_column_slice(&mode.coordinates) / mode.variance.sqrt();
                let g = DVector::from_iterator(k, u.iter().zip(&roots).map(|(u, r)| u / (r * r)));
                let truth = g.dot(&(&exact * &g));
                (mode.lower..=mode.upper).contains(&truth)
            }));
        }
        assert!(held as f64 >= 0.95 * f64::from(runs), "{held}");
    }

    /// Scores on two points, which a normal model would make too large by far: the lower end holds what is true of records before the clip.
    #[test]
    fn the_lower_end_holds_whatever_the_scores_are() {
        let k = 12;
        let (roots, spectrum) = places(k);
        let mut exact = DMatrix::from_diagonal_element(k, k, 1e-4);
        exact[(0, 0)] = 1.0;
        // Every record is 1 long or a little more; the clip shortens all to .9.
        let radius: f64 = 0.9;
        let clipped = &exact * radius.powi(2);
        let noised = moments(&clipped, vec![0.0; k], 1e-9);
        let second = NoisedSecond { radius, ..noised.second.clone() };
        let found = Modes::new(
            &NoisedMoments { second, ..noised },
            Weighted { roots: &roots, spectrum: &spectrum },
            1e3,
            1,
        )
        .unwrap();
        let (mode, truth) = (&found.modes[0], 1.0 / roots[0].powi(2));
        assert!(mode.variance > 1.2 * truth, "the normal model undoes too much: {} {truth}", mode.variance);
        assert!(mode.lower <= truth && truth <= mode.upper);
        approx::assert_relative_eq!(mode.lower, radius.powi(2) * truth, max_relative = 1e-3);
    }

    /// ‖W‖ is beyond the bound about once in twenty, for small matrices too.
    #[test]
    fn the_bound_on_the_noise_is_its_quantile() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        for k in [8, 40] {
            let reach = 2.0 * (0.5 * k as f64).sqrt() * (1.0 + WEYL * (k as f64).powf(-2.0 / 3.0));
            let beyond =
                (0..600).filter(|_| noise(k, 1.0, &mut rng).symmetric_eigenvalues().amax() > reach).count();
            assert!(beyond <= 48, "{k}: {beyond} of 600");
        }
    }

    #[test]
    fn noise_alone_has_no_modes_and_few_records_lean_on_the_prior() {
        let k = 20;
        let (roots, spectrum) = places(k);
        let weighted = Weighted { roots: &roots, spectrum: &spectrum };
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut seen = 0;
        for _ in 0..40 {
            let noised = moments(&noise(k, 1.0, &mut rng), vec![0.0; k], 1.0);
            for n_mu in [30.0, 1e3] {
                let found = Modes::new(&noised, weighted, n_mu, 5).unwrap();
                assert!(found.modes.len() <= found.visible && found.leans_on_prior == (n_mu < PRIOR_BELOW));
                seen += found.modes.len();
            }
        }
        assert!(seen <= 16, "{seen}");
    }

    #[test]
    fn signs_follow_the_rule_and_what_does_not_fit_is_nothing() {
        let up = signed(DVector::from_vec(vec![0.1, -0.6, 0.9]));
        assert_eq!(up.as_slice(), [-0.1, 0.6, -0.9]);
        assert_eq!(signed(-up.clone()), up);
        let (roots, spectrum) = places(4);
        let weighted = Weighted { roots: &roots, spectrum: &spectrum };
        let good = moments(&DMatrix::identity(4, 4), vec![0.0; 4], 0.1);
        assert!(Modes::new(&good, weighted, 1e3, 2).is_some());
        let mut broken = good.clone();
        broken.second.entries[2] = f64::NAN;
        assert_eq!(Modes::new(&broken, weighted, 1e3, 2), None);
        let short = NoisedMoments { mean: vec![0.0; 3], ..good.clone() };
        assert_eq!(Modes::new(&short, weighted, 1e3, 2), None);
        let other = Weighted { roots: &roots[..3], spectrum: &spectrum[..3] };
        assert_eq!(Modes::new(&good, other, 1e3, 2), None);
    }
}
