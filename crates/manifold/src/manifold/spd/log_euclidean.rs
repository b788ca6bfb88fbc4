//! The log-Euclidean metric.

use super::eight::Matrices;
use super::exponential::exponential;
use super::matrix::{
    check_order, check_spd, congruence_transposed, random_spd, symmetric_coordinates, symmetric_gaussian,
    symmetric_of_coordinates, symmetric_part,
};
use super::product::{congruence, scaled_congruence};
use super::spectral_mean::SpectralMean;
use crate::manifold::error::ManifoldError;
use crate::manifold::space::{CurvatureBounds, Manifold, MeanLog, basis_of_coordinates};
use crate::manifold::two_point::TwoPointSpace;
use crate::manifold::volume::Isotropic;
use crate::numeric::elementary::Positive;
use nalgebra::{DMatrix, DVector, Dyn, SymmetricEigen};
use rand::Rng;

/// Positive definite k × k matrices with the metric pulled back from symmetric matrices by the matrix logarithm
/// (Arsigny et al. 2007): flat, d(P, Q) = ‖log P − log Q‖. Tangent vectors are symmetric matrices V at P, of norm
/// ‖D log_P(V)‖.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpdLogEuclidean {
    order: usize,
}

impl SpdLogEuclidean {
    /// Matrices of order k ≥ 1.
    ///
    /// # Errors
    /// Order 0.
    pub fn new(order: usize) -> Result<Self, ManifoldError> {
        check_order(order).map(|order| Self { order })
    }

    /// k.
    pub fn order(&self) -> usize {
        self.order
    }

    /// log P.
    pub fn logarithm(&self, p: &DMatrix<f64>) -> DMatrix<f64> {
        Spectrum::of(p).logarithm()
    }

    /// exp S of a symmetric matrix.
    pub fn exponential(&self, s: &DMatrix<f64>) -> DMatrix<f64> {
        exponential(s)
    }

    /// The Fréchet mean exp(Σ w_i log P_i / Σ w_i), in closed form; weights equal if `None`. On all threads.
    ///
    /// # Errors
    /// No matrices, weights that do not fit, or a matrix that is not positive definite.
    pub fn mean(
        &self,
        points: &[DMatrix<f64>],
        weights: Option<&[f64]>,
    ) -> Result<DMatrix<f64>, ManifoldError> {
        self.mean_of(Matrices::Each(points), weights)
    }

    pub(super) fn mean_of(
        &self,
        points: Matrices<'_>,
        weights: Option<&[f64]>,
    ) -> Result<DMatrix<f64>, ManifoldError> {
        let zero = DMatrix::zeros(self.order, self.order);
        Ok(self.exponential(&self.mean_of_logarithms(&zero, points, weights)?.0))
    }

    /// The weighted means of log P_i − S and of ‖log P_i − S‖².
    fn mean_of_logarithms(
        &self,
        s: &DMatrix<f64>,
        points: Matrices<'_>,
        weights: Option<&[f64]>,
    ) -> Result<(DMatrix<f64>, f64), ManifoldError> {
        let alone = |q: &DMatrix<f64>| {
            let difference = self.logarithm(q) - s;
            let square = difference.norm_squared();
            (difference, square)
        };
        let means = SpectralMean {
            congruence: None,
            function: f64::ln,
            shift: s,
            metric: &DMatrix::from_element(self.order, self.order, 1.0),
            spread: 0.0,
            alone: &alone,
        }
        .of(points, weights)?;
        Ok((means.quick + means.alone, means.square))
    }

    pub(super) fn mean_log_of(
        &self,
        p: &DMatrix<f64>,
        points: Matrices<'_>,
        weights: Option<&[f64]>,
    ) -> Result<MeanLog<DMatrix<f64>>, ManifoldError> {
        let spectrum = Spectrum::of(p);
        let (difference, mean_square) = self.mean_of_logarithms(&spectrum.logarithm(), points, weights)?;
        Ok(MeanLog { log: spectrum.differential_exp(&difference), mean_square })
    }

    /// The coordinates of log P as a vector of length k(k + 1)/2: columns of the upper triangle, off-diagonal entries
    /// times √2. A chart of the whole space, and an isometry onto Euclidean space.
    pub fn chart(&self, p: &DMatrix<f64>) -> DVector<f64> {
        DVector::from_vec(symmetric_coordinates(&self.logarithm(p)))
    }

    /// The inverse of [`chart`](Self::chart); `x` has k(k + 1)/2 numbers.
    pub fn from_chart(&self, x: &DVector<f64>) -> DMatrix<f64> {
        self.exponential(&symmetric_of_coordinates(self.order, x.as_slice()))
    }
}

/// P = V diag(e^λ) Vᵀ.
struct Spectrum {
    vectors: DMatrix<f64>,
    logs: DVector<f64>,
}

impl Spectrum {
    fn of(p: &DMatrix<f64>) -> Self {
        let SymmetricEigen::<f64, Dyn> { eigenvectors, eigenvalues } = p.clone().symmetric_eigen();
        Self { vectors: eigenvectors, logs: eigenvalues.map(f64::ln) }
    }

    fn logarithm(&self) -> DMatrix<f64> {
        scaled_congruence(&self.vectors, self.logs.as_slice())
    }

    /// D exp at log P of a symmetric matrix: V (K ∘ VᵀAV) Vᵀ with the logarithmic means K of the eigenvalues.
    fn differential_exp(&self, a: &DMatrix<f64>) -> DMatrix<f64> {
        let mut w = congruence_transposed(&self.vectors, a);
        self.for_means(|i, j, k| w[(i, j)] *= k);
        congruence(&self.vectors, &w)
    }

    /// D log at P: the inverse.
    fn differential_log(&self, v: &DMatrix<f64>) -> DMatrix<f64> {
        let mut w = congruence_transposed(&self.vectors, v);
        self.for_means(|i, j, k| w[(i, j)] /= k);
        congruence(&self.vectors, &w)
    }

    fn for_means(&self, mut f: impl FnMut(usize, usize, f64)) {
        let eigenvalues: Vec<Positive> = self.logs.iter().map(|ln| Positive::of_ln(*ln)).collect();
        for (j, b) in eigenvalues.iter().enumerate() {
            for (i, a) in eigenvalues[..=j].iter().enumerate() {
                let mean = a.logarithmic_mean(*b);
                f(i, j, mean);
                if i < j {
                    f(j, i, mean);
                }
            }
        }
    }
}

impl Manifold for SpdLogEuclidean {
    type Point = DMatrix<f64>;
    type Tangent = DMatrix<f64>;

    /// k(k + 1)/2.
    fn dim(&self) -> usize {
        self.order * (self.order + 1) / 2
    }

    fn check(&self, p: &DMatrix<f64>) -> Result<(), ManifoldError> {
        check_spd(p, self.order)
    }

    fn exp(&self, p: &DMatrix<f64>, v: &DMatrix<f64>) -> DMatrix<f64> {
        let spectrum = Spectrum::of(p);
        self.exponential(&(spectrum.logarithm() + spectrum.differential_log(v)))
    }

    fn log(&self, p: &DMatrix<f64>, q: &DMatrix<f64>) -> Result<DMatrix<f64>, ManifoldError> {
        let spectrum = Spectrum::of(p);
        Ok(spectrum.differential_exp(&(self.logarithm(q) - spectrum.logarithm())))
    }

    fn dist(&self, p: &DMatrix<f64>, q: &DMatrix<f64>) -> f64 {
        (self.logarithm(q) - self.logarithm(p)).norm()
    }

    fn inner(&self, p: &DMatrix<f64>, u: &DMatrix<f64>, v: &DMatrix<f64>) -> f64 {
        let spectrum = Spectrum::of(p);
        let a = spectrum.differential_log(u);
        if std::ptr::eq(u, v) { a.norm_squared() } else { a.dot(&spectrum.differential_log(v)) }
    }

    fn transport(
        &self,
        p: &DMatrix<f64>,
        q: &DMatrix<f64>,
        v: &DMatrix<f64>,
    ) -> Result<DMatrix<f64>, ManifoldError> {
        Ok(Spectrum::of(q).differential_exp(&Spectrum::of(p).differential_log(v)))
    }

    /// The symmetric part.
    fn project_tangent(&self, _p: &DMatrix<f64>, ambient: &DMatrix<f64>) -> DMatrix<f64> {
        symmetric_part(ambient)
    }

    fn curvature(&self) -> CurvatureBounds {
        CurvatureBounds::constant(0.0)
    }

    fn injectivity_radius(&self) -> f64 {
        f64::INFINITY
    }

    /// The space is flat, but its points are matrices with eigenvalues as unlike as e^{±radius/√2}.
    fn rounding_growth(&self, radius: f64) -> f64 {
        (std::f64::consts::SQRT_2 * radius).exp()
    }

    fn random_point<R: Rng + ?Sized>(&self, rng: &mut R) -> DMatrix<f64> {
        random_spd(self.order, rng)
    }

    /// V (K ∘ A) Vᵀ with A a symmetric Gaussian (whose law no rotation changes) and K the logarithmic means of the
    /// eigenvalues.
    fn tangent_gaussian<R: Rng + ?Sized>(&self, p: &DMatrix<f64>, sigma: f64, rng: &mut R) -> DMatrix<f64> {
        let spectrum = Spectrum::of(p);
        let mut a = symmetric_gaussian(self.order, sigma, rng);
        spectrum.for_means(|i, j, k| a[(i, j)] *= k);
        congruence(&spectrum.vectors, &a)
    }

    /// The Fréchet mean itself.
    fn rough_mean(
        &self,
        points: &[DMatrix<f64>],
        weights: Option<&[f64]>,
    ) -> Result<DMatrix<f64>, ManifoldError> {
        self.mean(points, weights)
    }

    fn mean_log(
        &self,
        p: &DMatrix<f64>,
        points: &[DMatrix<f64>],
        weights: Option<&[f64]>,
    ) -> Result<MeanLog<DMatrix<f64>>, ManifoldError> {
        self.mean_log_of(p, Matrices::Each(points), weights)
    }

    fn zero(&self, _p: &DMatrix<f64>) -> DMatrix<f64> {
        DMatrix::zeros(self.order, self.order)
    }

    fn basis(&self, p: &DMatrix<f64>) -> Vec<DMatrix<f64>> {
        basis_of_coordinates(self, p)
    }

    /// Of the symmetric matrix D log_P(V).
    fn has_quick_coordinates(&self) -> bool {
        true
    }

    fn coordinates(&self, p: &DMatrix<f64>, v: &DMatrix<f64>) -> Vec<f64> {
        symmetric_coordinates(&Spectrum::of(p).differential_log(v))
    }

    fn from_coordinates(&self, p: &DMatrix<f64>, coordinates: &[f64]) -> DMatrix<f64> {
        Spectrum::of(p).differential_exp(&symmetric_of_coordinates(self.order, coordinates))
    }
}

/// Flat: exp_P is an isometry of T_P onto the space.
impl Isotropic for SpdLogEuclidean {
    fn model(&self) -> (TwoPointSpace, f64) {
        (TwoPointSpace::Euclidean { dim: self.dim() }, 1.0)
    }
    fn to_model(&self, p: &DMatrix<f64>) -> Vec<f64> {
        self.chart(p).as_slice().to_vec()
    }
    fn from_model(&self, numbers: &[f64], _near: &DMatrix<f64>) -> Option<DMatrix<f64>> {
        (numbers.len() == self.dim()).then(|| self.from_chart(&DVector::from_column_slice(numbers)))
    }
}
