//! The affine-invariant metric.

use super::cholesky::cholesky;
use super::eight::Matrices;
use super::log_euclidean::SpdLogEuclidean;
use super::matrix::{
    NAME, check_order, check_spd, random_spd, spectral, symmetric_coordinates, symmetric_gaussian,
    symmetric_of_coordinates, symmetric_part,
};
use super::mean_log::mean_log;
use super::product::{congruence, scaled_congruence, triangular_congruence};
use super::whiten::{factor, log_spectrum, whiten};
use crate::manifold::error::ManifoldError;
use crate::manifold::space::{CurvatureBounds, Manifold, MeanLog};
use crate::manifold::two_point::TwoPointSpace;
use crate::manifold::volume::PolarVolume;
use nalgebra::{DMatrix, Dyn, SymmetricEigen};
use rand::Rng;

/// Positive definite k × k matrices with the affine-invariant metric ⟨U, V⟩_P = tr(P⁻¹U P⁻¹V) (Pennec et al. 2006):
/// a Hadamard manifold, d(P, Q) = ‖log(P^(−½) Q P^(−½))‖, invariant under P ↦ APAᵀ and P ↦ P⁻¹.
/// Tangent vectors are symmetric matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpdAffineInvariant {
    order: usize,
}

impl SpdAffineInvariant {
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
}

impl Manifold for SpdAffineInvariant {
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
        let l = factor(p);
        let inner = spectral(&whiten(&l, v).symmetric_eigen(), f64::exp);
        triangular_congruence(&l, &inner)
    }

    fn log(&self, p: &DMatrix<f64>, q: &DMatrix<f64>) -> Result<DMatrix<f64>, ManifoldError> {
        let l = factor(p);
        let (vectors, logs) = log_spectrum(&l, p, q);
        if logs.iter().any(|x| !x.is_finite()) {
            return Err(ManifoldError::NotFinite(NAME));
        }
        let log = scaled_congruence(&vectors, logs.as_slice());
        Ok(triangular_congruence(&l, &log))
    }

    fn dist(&self, p: &DMatrix<f64>, q: &DMatrix<f64>) -> f64 {
        log_spectrum(&factor(p), p, q).1.norm()
    }

    fn inner(&self, p: &DMatrix<f64>, u: &DMatrix<f64>, v: &DMatrix<f64>) -> f64 {
        let l = factor(p);
        let a = whiten(&l, u);
        if std::ptr::eq(u, v) { a.norm_squared() } else { a.dot(&whiten(&l, v)) }
    }

    fn transport(
        &self,
        p: &DMatrix<f64>,
        q: &DMatrix<f64>,
        v: &DMatrix<f64>,
    ) -> Result<DMatrix<f64>, ManifoldError> {
        // E V Eᵀ with E = (QP⁻¹)^½ = L (L⁻¹QL⁻ᵀ)^½ L⁻¹.
        let l = factor(p);
        let (eigenvectors, logs) = log_spectrum(&l, p, q);
        if logs.iter().any(|x| !x.is_finite()) {
            return Err(ManifoldError::NotFinite(NAME));
        }
        let root =
            spectral(&SymmetricEigen::<f64, Dyn> { eigenvectors, eigenvalues: logs }, |x| (0.5 * x).exp());
        Ok(congruence(&(&l * root), &whiten(&l, v)))
    }

    /// The symmetric part.
    fn project_tangent(&self, _p: &DMatrix<f64>, ambient: &DMatrix<f64>) -> DMatrix<f64> {
        symmetric_part(ambient)
    }

    /// −½ to 0: ‖[X, Y]‖² ≤ 2‖X‖²‖Y‖² (Böttcher and Wenzel 2008) in K(X, Y) = −¼‖[X, Y]‖².
    fn curvature(&self) -> CurvatureBounds {
        CurvatureBounds { lower: if self.order == 1 { 0.0 } else { -0.5 }, upper: 0.0 }
    }

    fn injectivity_radius(&self) -> f64 {
        f64::INFINITY
    }

    /// A matrix Q near P is known to ε‖Q‖, and so P^(−½) Q P^(−½) to ε times P's condition, k of them in a row.
    fn rounding(&self, p: &DMatrix<f64>) -> f64 {
        let eigenvalues = p.symmetric_eigenvalues();
        let condition = (eigenvalues.max() / eigenvalues.min()).abs().min(f64::EPSILON.recip());
        f64::EPSILON * (self.order as f64 * condition).max(16.0)
    }

    fn random_point<R: Rng + ?Sized>(&self, rng: &mut R) -> DMatrix<f64> {
        random_spd(self.order, rng)
    }

    /// L A Lᵀ with P = LLᵀ and A a symmetric Gaussian: V ↦ LVLᵀ is an isometry of T_I onto T_P.
    fn tangent_gaussian<R: Rng + ?Sized>(&self, p: &DMatrix<f64>, sigma: f64, rng: &mut R) -> DMatrix<f64> {
        triangular_congruence(&factor(p), &symmetric_gaussian(self.order, sigma, rng))
    }

    fn mean_log(
        &self,
        p: &DMatrix<f64>,
        points: &[DMatrix<f64>],
        weights: Option<&[f64]>,
    ) -> Result<MeanLog<DMatrix<f64>>, ManifoldError> {
        mean_log(p, Matrices::Each(points), weights)
    }

    /// The log-Euclidean mean.
    fn rough_mean(
        &self,
        points: &[DMatrix<f64>],
        weights: Option<&[f64]>,
    ) -> Result<DMatrix<f64>, ManifoldError> {
        SpdLogEuclidean::new(self.order)?.mean(points, weights)
    }

    fn zero(&self, _p: &DMatrix<f64>) -> DMatrix<f64> {
        DMatrix::zeros(self.order, self.order)
    }

    /// L E Lᵀ with P = LLᵀ and E the symmetric unit matrices: V ↦ LVLᵀ is an isometry of T_I onto T_P. (Gram–Schmidt needs
    /// k⁴ inner products, seconds from order 20 on.)
    fn basis(&self, p: &DMatrix<f64>) -> Vec<DMatrix<f64>> {
        let l = factor(p);
        let column = |i: usize| l.column(i).into_owned();
        let pairs = (0..self.order).flat_map(|j| (0..=j).map(move |i| (i, j)));
        pairs
            .map(|(i, j)| {
                let (a, b) = (column(i), column(j));
                if i == j {
                    return &a * a.transpose();
                }
                (&a * b.transpose() + &b * a.transpose()) * std::f64::consts::FRAC_1_SQRT_2
            })
            .collect()
    }

    /// Of the symmetric matrix L⁻¹VL⁻ᵀ.
    fn has_quick_coordinates(&self) -> bool {
        true
    }

    fn coordinates(&self, p: &DMatrix<f64>, v: &DMatrix<f64>) -> Vec<f64> {
        symmetric_coordinates(&whiten(&factor(p), v))
    }

    fn from_coordinates(&self, p: &DMatrix<f64>, coordinates: &[f64]) -> DMatrix<f64> {
        triangular_congruence(&factor(p), &symmetric_of_coordinates(self.order, coordinates))
    }
}

/// About the identity, in the eigenvalues λ of a symmetric matrix V, the volume element is that of flat space times
/// ∏_{i<j} sinh(x)/x, x = |λ_i − λ_j|/2. From sinh(x)/x ≤ min(e^{x²/6}, eˣ), Σ(λ_i − λ_j)² ≤ k‖V‖² and
/// Σ|λ_i − λ_j| ≤ √(k(k² − 1)/3)·‖V‖ the product is at most exp min(k t²/24, c t), c = ½√(k(k² − 1)/3).
impl PolarVolume for SpdAffineInvariant {
    fn ln_area_concave(&self, t: f64) -> f64 {
        TwoPointSpace::Euclidean { dim: self.dim() }.ln_area(t)
    }
    fn ln_area_rise(&self, t: f64) -> f64 {
        let k = self.order as f64;
        (k * t * t / 24.0).min(0.5 * (k * (k * k - 1.0) / 3.0).sqrt() * t)
    }
    fn ln_area_rise_slope(&self) -> f64 {
        // 2c: the parabola's slope where it meets the line.
        let k = self.order as f64;
        (k * (k * k - 1.0) / 3.0).sqrt()
    }
    fn ln_area_factor(&self, p: &DMatrix<f64>, v: &DMatrix<f64>) -> f64 {
        let Some(l) = cholesky(p) else { return f64::NEG_INFINITY };
        let eigenvalues = whiten(&l, v).symmetric_eigenvalues();
        let mut ln = 0.0;
        for (i, a) in eigenvalues.iter().enumerate() {
            for b in eigenvalues.iter().take(i) {
                let x = 0.5 * (a - b).abs();
                ln += if x < 1e-4 { x * x / 6.0 } else { x + (-(-2.0 * x).exp_m1()).ln() - (2.0 * x).ln() };
            }
        }
        (ln - self.ln_area_rise(self.norm(p, v))).min(0.0)
    }
    fn largest_distance(&self) -> f64 {
        f64::INFINITY
    }
    /// Not two-point homogeneous.
    fn two_point(&self) -> Option<(TwoPointSpace, f64)> {
        None
    }
}
