//! Noised second moments of covariates and vectors: what covariates explain of vectors, and what they leave.

use super::design::INTERCEPT;
use crate::privacy::noise::NoisedSecond;
use nalgebra::DMatrix;

/// What is said of explained variance has to stand out of its noise by this many standard deviations.
const SEEN: f64 = 2.0;
/// What clipping at the median of the lengths takes off a field, as a multiple of what it takes off the mean square length: .5 for directions
/// in which records vary little, more along their leading modes. Measured on faces of a public model with planted fields.
const CLIPPED_SHARE: f64 = 0.6;
/// The mean square length over the squared radius there, where it is too noisy to be read off, and within which bounds it is believed.
const CLIPPED_SQUARE: (f64, f64, f64) = (0.85, 0.6, 1.0);
/// How noisy it may be.
const CLIPPED_NOISE: f64 = 0.1;

/// Second moments of covariates x̃ ∈ ℝ^q and vectors u ∈ ℝ^k about a released centre, with the standard deviations of their noise.
#[derive(Debug, Clone, PartialEq)]
pub struct RegressionMoments {
    /// Of covariates, (q, q).
    pub xx: DMatrix<f64>,
    /// Of covariates and vectors, (q, k).
    pub xu: DMatrix<f64>,
    /// Of vectors, (k, k).
    pub uu: DMatrix<f64>,
    /// On the diagonal of `xx`; above it that over √2.
    pub xx_sigma: f64,
    /// In every entry of `xu`.
    pub xu_sigma: f64,
    /// On the diagonal of `uu`; above it that over √2.
    pub uu_sigma: f64,
    /// What vectors were clipped to.
    pub radius: f64,
}

impl RegressionMoments {
    /// How much of a field is kept by vectors that were clipped to the *median* of their lengths: from their noised mean square, which the same
    /// clip makes smaller than the squared radius.
    pub fn kept_at_median(&self) -> f64 {
        let square = self.radius * self.radius;
        let (usual, least, most) = CLIPPED_SQUARE;
        let noise = self.uu_sigma * (self.uu.nrows() as f64).sqrt() / square;
        let ratio = if noise > CLIPPED_NOISE { usual } else { self.uu.trace() / square };
        1.0 - CLIPPED_SHARE * (1.0 - ratio.clamp(least, most))
    }
}

/// The public weights of a vector's coordinates.
#[derive(Debug, Clone, Copy)]
pub struct Weights<'a> {
    /// λ_j, the expected variance of a coefficient, up to one constant.
    pub spectrum: &'a [f64],
    /// √a_j: coordinates are u_j = √a_j x_j.
    pub roots: &'a [f64],
    /// How large fields are expected to be, compared with those of faces of unit area (1).
    pub scale: f64,
}

impl Weights<'_> {
    /// a_j λ_j.
    pub(super) fn weighted(&self) -> Vec<f64> {
        self.spectrum.iter().zip(self.roots).map(|(lambda, root)| root * root * lambda).collect()
    }

    /// 1/a_j.
    pub(super) fn inverse(&self) -> Vec<f64> {
        self.roots.iter().map(|root| root.powi(-2)).collect()
    }

    /// The energy of a field in coordinates u whose mean square displacement is this.
    pub(super) fn energy(&self, square: f64) -> f64 {
        square * self.weighted().iter().sum::<f64>() / self.spectrum.iter().sum::<f64>()
    }

    /// The mean square displacement that squared coordinates amount to.
    pub fn square(&self, squares: impl IntoIterator<Item = f64>) -> f64 {
        squares.into_iter().zip(self.inverse()).map(|(u, w)| u * w).sum()
    }
}

/// How much of the records' variance a regression explains: mean square displacements about the mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Explained {
    /// The records' own; `None` where the noise hides it.
    pub total: Option<f64>,
    /// By the covariates; `None` where the noise hides it.
    pub by_covariates: Option<f64>,
}

impl Explained {
    /// R², between 0 and 1; `None` where the noise hides it.
    pub fn share(&self) -> Option<f64> {
        Some((self.by_covariates? / self.total?).clamp(0.0, 1.0))
    }

    /// What the covariates leave, or of all that there is; `None` where the noise hides it.
    pub fn residual(&self) -> Option<f64> {
        Some((self.total? - self.by_covariates.unwrap_or(0.0)).max(0.0))
    }
}

/// Without the noise's own part, in mean square displacement. With C the covariance of the covariates, b a coordinate's coefficients with
/// noise e of covariance σ²(S_xx⁻²): E bᵀCb is too large by tr(C cov e), and its noise has the variance 2 tr((C cov e)²) + 4 bᵀC cov e C b.
pub(super) fn explained(
    moments: &RegressionMoments,
    xx: &DMatrix<f64>,
    inverse_squared: &DMatrix<f64>,
    b: &DMatrix<f64>,
    weights: Weights<'_>,
) -> Explained {
    let (q, k) = b.shape();
    let sigma = moments.xu_sigma;
    let inverse = weights.inverse();
    let covariance = DMatrix::from_fn(q - 1, q - 1, |i, j| {
        xx[(i + 1, j + 1)] - xx[(i + 1, 0)] * xx[(0, j + 1)] / xx[(0, 0)]
    });
    let error = sigma * sigma * inverse_squared.view((1, 1), (q - 1, q - 1));
    let share = &covariance * &error;
    let (bias, spread) = (share.trace(), 2.0 * (&share * &share).trace());
    let (mut by, mut by_variance, mut total, mut total_variance) = (0.0, 0.0, 0.0, 0.0);
    for (c, weight) in (0..k).zip(&inverse) {
        let own = b.view((1, c), (q - 1, 1));
        let pulled = &covariance * own;
        by += weight * (own.dot(&pulled) - bias);
        let cross = (&error * &pulled).dot(&pulled);
        by_variance += weight * weight * (spread + 4.0 * cross);
        let mean = moments.xu[(0, c)] / INTERCEPT;
        total += weight * (moments.uu[(c, c)] - mean * mean + (sigma / INTERCEPT).powi(2));
        total_variance += weight * weight * moments.uu_sigma.powi(2);
    }
    let seen = |value: f64, variance: f64| (value > SEEN * variance.sqrt()).then_some(value);
    Explained { total: seen(total, total_variance), by_covariates: seen(by, by_variance) }
}

/// uu − Bᵀ S_xx B: the second moment of what the covariates leave, without what the noise of S_xu adds to the part that is taken off. The noise
/// of `uu` itself stays in it.
pub(super) fn left_over(
    moments: &RegressionMoments,
    inverse: &DMatrix<f64>,
    b: &DMatrix<f64>,
) -> NoisedSecond {
    let k = moments.uu.nrows();
    let by_noise = moments.xu_sigma.powi(2) * inverse.trace();
    let left = &moments.uu - moments.xu.tr_mul(b) + DMatrix::from_diagonal_element(k, k, by_noise);
    let rows = (0..k).flat_map(|i| (i..k).map(move |j| (i, j)));
    NoisedSecond {
        chosen: (0..k).collect(),
        entries: rows.map(|place| left[place]).collect(),
        sigma: moments.uu_sigma,
        radius: moments.radius,
    }
}
