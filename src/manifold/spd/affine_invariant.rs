//! The affine-invariant metric.

use super::cholesky::cholesky;
use super::log_euclidean::SpdLogEuclidean;
use super::matrix::{
    NAME, check_order, check_spd, random_spd, spectral, symmetric_gaussian, symmetric_part, symmetrize,
};
use super::mean_log::mean_log;
use super::product::{congruence, scaled_congruence, triangular_congruence};
use crate::manifold::space::{CurvatureBounds, Manifold, ManifoldError, MeanLog};
use crate::manifold::svd::{Svd, svd};
use nalgebra::{DMatrix, DVector, Dyn, SymmetricEigen};
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

/// The lower Cholesky factor; NaN if p is not positive definite (callers checked it).
pub(super) fn factor(p: &DMatrix<f64>) -> DMatrix<f64> {
    cholesky(p).unwrap_or_else(|| DMatrix::from_element(p.nrows(), p.ncols(), f64::NAN))
}

/// L⁻¹ A L⁻ᵀ, exactly symmetric.
pub(super) fn whiten(l: &DMatrix<f64>, a: &DMatrix<f64>) -> DMatrix<f64> {
    let mut w = a.clone();
    l.solve_lower_triangular_unchecked_mut(&mut w);
    w.transpose_mut();
    l.solve_lower_triangular_unchecked_mut(&mut w);
    symmetrize(&mut w);
    w
}

/// The eigenvectors of L⁻¹QL⁻ᵀ and the logarithms of its eigenvalues.
pub(super) fn log_spectrum(
    l: &DMatrix<f64>,
    p: &DMatrix<f64>,
    q: &DMatrix<f64>,
) -> (DMatrix<f64>, DVector<f64>) {
    // Near points: the difference Q − P is exact, and log1p of the small eigenvalues loses nothing.
    let difference = whiten(l, &(q - p));
    if difference.norm() < 0.5 {
        let eigen = difference.symmetric_eigen();
        return (eigen.eigenvectors, eigen.eigenvalues.map(f64::ln_1p));
    }
    let eigen = whiten(l, q).symmetric_eigen();
    let (smallest, largest) = (eigen.eigenvalues.min(), eigen.eigenvalues.max());
    if smallest > 1e-6 * largest {
        return (eigen.eigenvectors, eigen.eigenvalues.map(f64::ln));
    }
    // Far apart: squared singular values of L⁻¹L_Q keep twice as many digits of the small eigenvalues.
    let mut root = factor(q);
    l.solve_lower_triangular_unchecked_mut(&mut root);
    match svd(&root) {
        Some(Svd { u, s, .. }) => (u, s.map(|s| 2.0 * s.ln())),
        None => (root, DVector::from_element(p.nrows(), f64::NAN)),
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
        mean_log(p, points, weights)
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
}
