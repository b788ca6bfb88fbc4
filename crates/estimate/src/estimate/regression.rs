//! Regression from noised second moments: fields of covariates, how far off they may be, and how much they explain.

use super::design::{Design, INTERCEPT};
use super::moments::{Explained, RegressionMoments, Weights, explained, left_over};
use super::{ErrorLaw, Prior, RecordCovariance, wiener};
use crate::function::shrink::{Expectation, Shrunk};
use crate::privacy::noise::NoisedSecond;
use nalgebra::{DMatrix, SymmetricEigen};

/// How far the second moments of covariates are expected to lie from those of the design (a standard deviation), at least, and as a share of the
/// root of the product of the squares of both columns. Theirs lie within 1.
const DOUBTED_MOMENTS: (f64, f64) = (0.12, 0.36);
/// How far records lie from what covariates tell of them where the noise hides it, root mean square, on faces of unit area: as far as faces of
/// public populations from their mean.
const USUAL_RESIDUAL: f64 = 0.022;
/// The least eigenvalue that second moments of covariates are taken to have: less is noise, or a design that tells nothing.
const LEAST: f64 = 0.08;
/// The root-mean-square displacement by a covariate from the middle to the end of its bounds that is expected, on faces of unit area. Public:
/// age, sex and body mass move faces by .004 to .007. A weak expectation, for shrinkage only.
pub const FIELD: f64 = 0.004;
/// The same for bends of splines, of which growth curves have less than of the straight line.
const BEND: f64 = 0.0015;
/// The standard deviation of the logarithm of the square of both. Without the pull, little that can be seen would be taken for fields two
/// to five times too large.
const DOUBT: f64 = 1.0;
/// How far what a clip takes off a field is off what is given back, as a share of the field: at the median, and farther out, where nothing is
/// given back. Found: up to .16 and .12 of fields along leading modes, next to nothing of others.
const DOUBTED_AT_MEDIAN: f64 = 0.1;
const DOUBTED_BEYOND: f64 = 0.06;

/// A field is taken to have this many times as much beyond the coordinates that are looked at as the public spectrum lets expect. Found on the eight
/// leading modes of two public models of faces: .2 to 10; with 4, a band of a field along the fifth mode of one held it in half of 16 runs, with 8 in all.
const UNSEEN: f64 = 8.0;

/// A regression u ≈ Bᵀx̃ worked out from noised moments.
#[derive(Debug, Clone, PartialEq)]
pub struct Regression {
    /// The rows of B, shrunk: one a column of the design, in coordinates u.
    pub fields: Vec<Shrunk>,
    /// The same before shrinkage.
    pub unshrunk: Vec<Vec<f64>>,
    /// The variance of the privacy noise in every coordinate of a row.
    pub noise: Vec<f64>,
    /// How far the noise in the covariates' own moments moves a row along another: variances, (q, q).
    pub turned: DMatrix<f64>,
    /// The vectors' second moment without what the covariates tell of them, in upper rows: of noised values.
    pub residual: NoisedSecond,
    /// What share of itself a field may be off by what the clip takes and what was not seen of records (a standard deviation).
    pub shortened: f64,
    /// What each row's sampling variance is, as a multiple of the residual variance over n.
    pub sampling: Vec<f64>,
    /// The inverse of the covariates' own second moments, (q, q).
    pub inverse: DMatrix<f64>,
    /// What the covariates explain, where it can be told.
    pub explained: Explained,
}

impl Regression {
    /// B̂ = S_xx⁻¹ S_xu with S_xx drawn to the design's own moments by how noisy it is; every row is shrunk with the prior's shape. What is
    /// looked for are the fields of these n records without noise: as large as the population's are expected to be, and what they lie off those
    /// because the records are a sample. The intercept's size is expected to be that of the released centre's squared error (`centre_error`, in
    /// coordinates u). Clipping kept the part `kept` of every field, in (0, 1]: they are divided by it. Errors have what the noise in S_xx adds, and the
    /// share `off` of every field that records not seen, who have no deviation, may have taken.
    ///
    /// `None` when moments, design and weights do not fit together.
    pub fn new(
        moments: &RegressionMoments,
        design: &Design,
        weights: Weights<'_>,
        (centre_error, n): (f64, u64),
        (kept, off): (f64, f64),
    ) -> Option<Self> {
        let (q, k) = moments.xu.shape();
        let shapes = moments.xx.shape() == (q, q) && moments.uu.shape() == (k, k) && design.columns() == q;
        let weighted = weights.spectrum.len() == k && weights.roots.len() == k;
        let is_share = kept > 0.0 && kept <= 1.0;
        if !(shapes && weighted && is_share) {
            return None;
        }
        let inverse = stabilized(moments, design);
        let squared = &inverse.inverse * &inverse.inverse;
        let turned = inverse.turned();
        let b = &inverse.inverse * &moments.xu;
        let variance = (moments.xu_sigma / kept).powi(2);
        let noise: Vec<f64> = (0..q).map(|j| variance * squared[(j, j)]).collect();
        let unshrunk: Vec<Vec<f64>> = (0..q).map(|j| b.row(j).iter().map(|x| x / kept).collect()).collect();
        let sampling: Vec<f64> = inverse.inverse.diagonal().iter().map(|v| v / (kept * kept)).collect();
        let explained = explained(moments, &inverse.matrix, &squared, &b, weights);
        let residual = explained.residual().unwrap_or((weights.scale * USUAL_RESIDUAL).powi(2));
        let prior = weights.weighted();
        let shrink = |j: usize, noise: &[f64]| {
            let field = weights.scale * if design.is_bend(j) { BEND } else { FIELD };
            let energy = match j {
                0 => (centre_error / (INTERCEPT * INTERCEPT)).max(f64::MIN_POSITIVE),
                _ => weights.energy(field * field + sampling[j] * residual / n as f64),
            };
            let expected = Expectation { energy, doubt: DOUBT };
            wiener(&unshrunk[j], noise, &prior, expected)
        };
        let roughly: Vec<Shrunk> = (0..q).map(|j| shrink(j, &vec![noise[j]; k])).collect();
        // Moments S + E in place of S make −S⁻¹ E B of fields B, to first order.
        let doubt = |j: usize, c: usize| -> f64 {
            let square = |field: &Shrunk| field.values[c] * field.values[c] + field.errors[c];
            roughly.iter().enumerate().map(|(l, field)| turned[(j, l)] * square(field)).sum()
        };
        let noised = |j: usize| -> Vec<f64> { (0..k).map(|c| noise[j] + doubt(j, c)).collect() };
        let mut fields: Vec<Shrunk> = (0..q).map(|j| shrink(j, &noised(j))).collect();
        let shortened = off.hypot(if kept < 1.0 { DOUBTED_AT_MEDIAN } else { DOUBTED_BEYOND });
        for field in fields.iter_mut().skip(1) {
            field.errors.iter_mut().zip(&field.values).for_each(|(e, b)| *e += (shortened * b).powi(2));
        }
        let residual = left_over(moments, &inverse.inverse, &b);
        let inverse = inverse.inverse;
        Some(Self { fields, noise, turned, shortened, sampling, inverse, explained, residual, unshrunk })
    }
}

impl Regression {
    /// The law of the error of an unshrunk row about the population's: people as a sample, who vary about the regression as the residual second
    /// moment has it, on the safe side; the noise in both moments; what the clip takes off the field, up or down; and in the coordinates that
    /// were not looked at all that the public spectrum lets expect of the field there. `known`: all coordinates, those looked at first.
    ///
    /// `None` where there is no such row, or `known` is of other coordinates.
    pub fn law(&self, row: usize, known: &Prior, n: u64) -> Option<ErrorLaw> {
        let (field, k) = (self.fields.get(row)?, self.residual.size());
        let records = RecordCovariance::on_the_safe_side(&self.residual, known)?.unevenly();
        let mut law = ErrorLaw::new(&records, self.sampling[row] / n as f64, 0.0);
        let squares = field.values.iter().zip(&field.errors).map(|(b, e)| b * b + e);
        let energy: f64 = squares.zip(&known.roots).map(|(square, root)| square / (root * root)).sum();
        let looked: f64 = known.spectrum[..k].iter().sum();
        let unseen = |j: usize| UNSEEN * energy / looked * known.weighted(j);
        law.add((0..known.len()).map(|j| if j < k { self.noise[row] } else { unseen(j) }));
        for (other, of) in self.fields.iter().enumerate() {
            law.add_along(of.values.iter().map(|b| self.turned[(row, other)].sqrt() * b).collect());
        }
        law.add_along(field.values.iter().map(|b| self.shortened * b).collect());
        Some(law)
    }
}

/// Second moments of covariates, the variances of what their entries may be off, and their inverse.
struct Stabilized {
    matrix: DMatrix<f64>,
    off: DMatrix<f64>,
    inverse: DMatrix<f64>,
}

impl Stabilized {
    /// What the doubt about its entries makes of a row: −S⁻¹ E B, along the other rows of B, as variances.
    fn turned(&self) -> DMatrix<f64> {
        self.inverse.map(|x| x * x) * &self.off
    }
}

/// Entry by entry towards the design's own moments, by how noisy it is, but for the intercept's, which is known; eigenvalues from [`LEAST`] on.
fn stabilized(moments: &RegressionMoments, design: &Design) -> Stabilized {
    let mut matrix = design.expected_moments();
    let expected = matrix.diagonal();
    let mut off = DMatrix::zeros(matrix.nrows(), matrix.ncols());
    for i in 0..matrix.nrows() {
        for j in i..matrix.ncols() {
            // All records have the intercept.
            if j == 0 {
                continue;
            }
            let (least, share) = DOUBTED_MOMENTS;
            let trusted = least.max(share * (expected[i] * expected[j]).sqrt()).powi(2);
            let noise = moments.xx_sigma.powi(2) * if i == j { 1.0 } else { 0.5 };
            let moved = (moments.xx[(i, j)] - matrix[(i, j)]) * trusted / (trusted + noise);
            matrix[(i, j)] += moved;
            matrix[(j, i)] = matrix[(i, j)];
            off[(i, j)] = trusted * noise / (trusted + noise);
            off[(j, i)] = off[(i, j)];
        }
    }
    let eigen = SymmetricEigen::new(matrix);
    let values = eigen.eigenvalues.map(|value| value.max(LEAST));
    let with = |values: nalgebra::DVector<f64>| {
        &eigen.eigenvectors * DMatrix::from_diagonal(&values) * eigen.eigenvectors.transpose()
    };
    Stabilized { inverse: with(values.map(|value| 1.0 / value)), matrix: with(values), off }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::DVector;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Distribution, StandardNormal};

    const K: usize = 12;

    fn weights() -> (Vec<f64>, Vec<f64>) {
        let spectrum: Vec<f64> = (0..K).map(|j| (1.0 + j as f64).powf(-1.5)).collect();
        let roots = spectrum.iter().map(|lambda| lambda.powf(-0.125)).collect();
        (spectrum, roots)
    }

    fn design() -> Design {
        let texts = |items: &[&str]| items.iter().map(|i| (*i).to_owned()).collect::<Vec<_>>();
        Design::parse(&texts(&["age=0:2"]), &texts(&["sex=F|M"]), &[]).unwrap()
    }

    /// Moments of people with an effect of age and sex, noise added; and the fields.
    fn moments(n: usize, sigma: f64, seed: u64) -> (RegressionMoments, Vec<Vec<f64>>, f64) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut normal = |sd: f64| -> f64 { sd * Distribution::<f64>::sample(&StandardNormal, &mut rng) };
        let (spectrum, roots) = weights();
        let scale = |square: f64| (square / spectrum.iter().sum::<f64>()).sqrt();
        let field = |rms: f64, normal: &mut dyn FnMut(f64) -> f64| -> Vec<f64> {
            spectrum.iter().zip(&roots).map(|(l, r)| r * normal(scale(rms * rms) * l.sqrt())).collect()
        };
        let fields = vec![field(0.002, &mut normal), field(0.006, &mut normal), field(0.004, &mut normal)];
        let mut ages = ChaCha8Rng::seed_from_u64(seed + 1);
        let (mut xx, mut xu, mut uu) = (DMatrix::zeros(3, 3), DMatrix::zeros(3, K), DMatrix::zeros(K, K));
        let (mut about, mut explained) = (0.0, 0.0);
        for _ in 0..n {
            let sex = if ages.random_bool(0.5) { 1.0 } else { -1.0 };
            let x = DVector::from_vec(design().row(&[Some(ages.random_range(0.0..2.0)), Some(sex)]));
            let rest = field(0.01, &mut normal);
            let by = |c: usize| x[1] * fields[1][c] + x[2] * fields[2][c];
            let u = DVector::from_fn(K, |c, _| x[0] * fields[0][c] + by(c) + rest[c]);
            explained += (0..K).map(|c| (by(c) / roots[c]).powi(2)).sum::<f64>() / n as f64;
            about += (0..K).map(|c| ((by(c) + rest[c]) / roots[c]).powi(2)).sum::<f64>() / n as f64;
            xx += &x * x.transpose() / n as f64;
            xu += &x * u.transpose() / n as f64;
            uu += &u * u.transpose() / n as f64;
        }
        let tau = 0.01;
        let (xx_sigma, xu_sigma, uu_sigma) = (3.0 * sigma, sigma * tau, sigma * tau * tau);
        for i in 0..3 {
            for j in i..3 {
                xx[(i, j)] += normal(xx_sigma * if i == j { 1.0 } else { 0.5f64.sqrt() });
                xx[(j, i)] = xx[(i, j)];
            }
        }
        xu.iter_mut().for_each(|x| *x += normal(xu_sigma));
        (0..K).for_each(|c| uu[(c, c)] += normal(uu_sigma));
        let moments = RegressionMoments { xx, xu, uu, xx_sigma, xu_sigma, uu_sigma, radius: tau };
        (moments, fields, explained / about)
    }

    fn regress(moments: &RegressionMoments) -> Regression {
        let (spectrum, roots) = weights();
        let weights = Weights { spectrum: &spectrum, roots: &roots, scale: 1.0 };
        Regression::new(moments, &design(), weights, (1e-6, 2000), (1.0, 0.0)).unwrap()
    }

    #[test]
    fn without_noise_it_is_least_squares() {
        let (moments, fields, share) = moments(20_000, 0.0, 1);
        let found = regress(&moments);
        for ((field, unshrunk), shrunk) in fields.iter().zip(&found.unshrunk).zip(&found.fields) {
            for ((truth, plain), shrunk) in field.iter().zip(unshrunk).zip(&shrunk.values) {
                assert!((plain - truth).abs() < 3e-4, "{plain} {truth}");
                approx::assert_abs_diff_eq!(shrunk, plain, epsilon = 1e-12);
            }
        }
        let r2 = found.explained.share().unwrap();
        assert!((r2 - share).abs() < 0.02, "{r2} {share}");
        let left = found.explained.residual().unwrap();
        assert!((left / 1e-4 - 1.0).abs() < 0.05, "{left}");
    }

    /// Shrunk fields are never much worse than nothing; stated errors are the errors; where all is noise, R² is not told.
    #[test]
    fn stated_errors_are_the_errors() {
        for (sigma, most) in [(0.02, 0.5), (0.2, 1.05), (3.0, 1.1)] {
            let (mut error, mut stated, mut energy, mut told) = (0.0, 0.0, 0.0, 0);
            for seed in 0..60 {
                let (moments, fields, _) = moments(2000, sigma, 10 + seed);
                let found = regress(&moments);
                for (found, field) in found.fields.iter().zip(&fields).skip(1) {
                    let off = found.values.iter().zip(field);
                    error += off.map(|(a, b)| (a - b).powi(2)).sum::<f64>();
                    stated += found.errors.iter().sum::<f64>();
                    energy += field.iter().map(|x| x * x).sum::<f64>();
                }
                told += usize::from(found.explained.share().is_some());
            }
            let relative = (error / energy).sqrt();
            assert!(relative < most, "{sigma}: {relative}");
            let ratio = (stated / error).sqrt();
            assert!((0.6..1.6).contains(&ratio), "{sigma}: stated {ratio} of the error");
            assert!(if sigma > 1.0 { told < 8 } else { sigma > 0.1 || told == 60 }, "{sigma}: {told}");
        }
    }

    /// Unshrunk rows lie off the population's by what their law says, a little less: people as a sample, and the noise in both moments.
    #[test]
    fn the_law_of_unshrunk_rows_is_that_of_their_errors() {
        let (spectrum, roots) = weights();
        let known = Prior { spectrum, roots };
        for sigma in [0.0, 0.02] {
            let (mut error, mut stated) = (0.0, 0.0);
            for seed in 0..40 {
                let (moments, fields, _) = moments(2000, sigma, 10 + seed);
                // Nothing is clipped here.
                let found = Regression { shortened: 0.0, ..regress(&moments) };
                for (row, field) in fields.iter().enumerate().skip(1) {
                    let off = found.unshrunk[row].iter().zip(field);
                    error += off.map(|(a, b)| (a - b).powi(2)).sum::<f64>();
                    stated += found.law(row, &known, 2000).unwrap().variances().iter().sum::<f64>();
                }
            }
            let ratio = stated / error;
            assert!((0.9..1.6).contains(&ratio), "{sigma}: {ratio}");
        }
        let found = regress(&moments(500, 0.02, 1).0);
        assert_eq!(found.law(3, &known, 500), None);
        let short = Prior { spectrum: vec![1.0; 3], roots: vec![1.0; 3] };
        assert_eq!(found.law(1, &short, 500), None);
    }

    #[test]
    fn shapes_that_do_not_fit_are_none() {
        let (mut moments, _, _) = moments(50, 0.1, 1);
        let (spectrum, roots) = weights();
        let short = Weights { spectrum: &spectrum[1..], roots: &roots, scale: 1.0 };
        assert_eq!(Regression::new(&moments, &design(), short, (1e-6, 2000), (1.0, 0.0)), None);
        moments.xx = DMatrix::zeros(2, 2);
        let weights = Weights { spectrum: &spectrum, roots: &roots, scale: 1.0 };
        assert_eq!(Regression::new(&moments, &design(), weights, (1e-6, 2000), (1.0, 0.0)), None);
    }

    /// What the clip took is given back to fields and their noise alike, not to what they explain.
    #[test]
    fn clipped_fields_are_given_back_what_the_clip_took() {
        let (moments, _, _) = moments(500, 0.02, 1);
        let (spectrum, roots) = weights();
        let weights = Weights { spectrum: &spectrum, roots: &roots, scale: 1.0 };
        let regress = |kept| Regression::new(&moments, &design(), weights, (1e-6, 2000), (kept, 0.0));
        let (whole, clipped) = (regress(1.0).unwrap(), regress(0.8).unwrap());
        approx::assert_relative_eq!(clipped.unshrunk[1][0], whole.unshrunk[1][0] / 0.8, max_relative = 1e-12);
        approx::assert_relative_eq!(clipped.noise[1], whole.noise[1] / 0.64, max_relative = 1e-12);
        assert_eq!(clipped.explained, whole.explained);
        assert_eq!((regress(0.0), regress(f64::NAN), regress(1.5)), (None, None, None));
        for radius in [1e-9, 0.01, 1e9] {
            let kept = RegressionMoments { radius, ..moments.clone() }.kept_at_median();
            assert!((0.7..=1.0).contains(&kept), "{kept}");
        }
    }

    /// A design that tells nothing (one covariate the other's copy) gives finite fields.
    #[test]
    fn degenerate_designs_stay_finite() {
        let (mut moments, _, _) = moments(50, 0.1, 1);
        moments.xx = DMatrix::from_element(3, 3, -4.0);
        assert!(regress(&moments).unshrunk.iter().flatten().all(|x| x.is_finite()));
    }
}
