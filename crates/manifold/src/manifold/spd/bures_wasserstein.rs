//! The Bures–Wasserstein metric.

use super::eight::Matrices;
use super::matrix::{
    NAME, check_order, check_spd, congruence_transposed, random_spd, symmetric_coordinates,
    symmetric_of_coordinates, symmetric_part, symmetrize,
};
use super::product::congruence;
use super::spectral_mean::SpectralMean;
use super::whiten::factor;
use crate::manifold::error::ManifoldError;
use crate::manifold::normal::fill_standard_normal;
use crate::manifold::space::{CurvatureBounds, Manifold, MeanLog, basis_of_coordinates};
use crate::manifold::svd::{Svd, svd};
use nalgebra::{DMatrix, DVector, Dyn, SymmetricEigen};
use rand::Rng;

/// Positive definite k × k matrices with the Bures–Wasserstein metric ⟨U, V⟩_P = ½ tr(L_P(U) V), P L + L P = U: the
/// optimal transport distance of centred Gaussians, d² = tr P + tr Q − 2 tr(P^½ Q P^½)^½ (Bhatia, Jain and Lim 2019).
///
/// Not complete: a geodesic leaves the set of positive definite matrices after finite length, at least √λ_min(P) from P, the
/// distance to the singular matrices, and the global injectivity radius is 0. Within √λ_min(P) `exp` and `log` are inverse. `transport` is not parallel (that has no closed form) but the isometry
/// S_Q^½ S_P^(−½), where S_P(X) = P X + X P; it does not depend on a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpdBuresWasserstein {
    order: usize,
}

impl SpdBuresWasserstein {
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

    /// Of the maps T with T P T = Q: with P = VΛVᵀ and B = VΛ^½, R = (BᵀQB)^½ is VᵀTV between two Λ^½, log_P(Q) = TP + PT − 2P has the entries
    /// (R − Λ)_ij (√(λ_j/λ_i) + √(λ_i/λ_j)) in the eigenbasis, and d² = ‖Λ^(−½)(R − Λ)‖². Near-singular matrices go the way of `log`.
    pub(super) fn mean_log_of(
        &self,
        p: &DMatrix<f64>,
        points: Matrices<'_>,
        weights: Option<&[f64]>,
    ) -> Result<MeanLog<DMatrix<f64>>, ManifoldError> {
        let Spectrum(SymmetricEigen { eigenvectors, eigenvalues }) = Spectrum::of(p);
        let k = self.order;
        let roots = eigenvalues.map(f64::sqrt);
        let alone = |q: &DMatrix<f64>| match lift(p, q) {
            Some((l, lifted)) => {
                let square = lifted.norm_squared();
                let mut v = lifted * l.transpose();
                symmetrize(&mut v);
                (2.0 * v, square)
            }
            None => (DMatrix::zeros(k, k), f64::NAN),
        };
        let means = SpectralMean {
            congruence: Some(&(&eigenvectors * DMatrix::from_diagonal(&roots))),
            function: f64::sqrt,
            shift: &DMatrix::from_diagonal(&eigenvalues),
            metric: &DMatrix::from_fn(k, k, |i, _| 1.0 / eigenvalues[i]),
            spread: SPREAD,
            alone: &alone,
        }
        .of(points, weights)?;
        let entry = |i: usize, j: usize| means.quick[(i, j)] * (roots[j] / roots[i] + roots[i] / roots[j]);
        let log = congruence(&eigenvectors, &DMatrix::from_fn(k, k, entry)) + means.alone;
        Ok(MeanLog { log, mean_square: means.square })
    }
}

/// Square roots lose half of the digits: matrices whose eigenvalues spread more, seen from the base point, go the more accurate way.
const SPREAD: f64 = 1e-6;

/// P = V diag(λ) Vᵀ.
struct Spectrum(SymmetricEigen<f64, Dyn>);

impl Spectrum {
    fn of(p: &DMatrix<f64>) -> Self {
        Self(p.clone().symmetric_eigen())
    }

    /// S_P^e(U) for a power e: entries in the eigenbasis times (λ_r + λ_s)^e.
    fn sylvester(&self, u: &DMatrix<f64>, power: impl Fn(f64) -> f64) -> DMatrix<f64> {
        congruence(&self.0.eigenvectors, &self.in_eigenbasis(u, power))
    }

    fn in_eigenbasis(&self, u: &DMatrix<f64>, power: impl Fn(f64) -> f64) -> DMatrix<f64> {
        let mut w = congruence_transposed(&self.0.eigenvectors, u);
        let lambda: &DVector<f64> = &self.0.eigenvalues;
        for j in 0..w.ncols() {
            for i in 0..w.nrows() {
                w[(i, j)] *= power(lambda[i] + lambda[j]);
            }
        }
        w
    }
}

/// L_Q R − L_P with R the rotation for which it is shortest: the horizontal lift of log_P(Q) at L_P. `None` unless both
/// matrices are positive definite.
fn lift(p: &DMatrix<f64>, q: &DMatrix<f64>) -> Option<(DMatrix<f64>, DMatrix<f64>)> {
    let (lp, lq) = (factor(p), factor(q));
    let product = lq.tr_mul(&lp);
    if !product.iter().all(|x| x.is_finite()) {
        return None;
    }
    let Svd { u, v, .. } = svd(&product)?;
    let lifted = lq * (u * v.transpose()) - &lp;
    Some((lp, lifted))
}

impl Manifold for SpdBuresWasserstein {
    type Point = DMatrix<f64>;
    type Tangent = DMatrix<f64>;

    /// k(k + 1)/2.
    fn dim(&self) -> usize {
        self.order * (self.order + 1) / 2
    }

    fn check(&self, p: &DMatrix<f64>) -> Result<(), ManifoldError> {
        check_spd(p, self.order)
    }

    /// (I + L) P (I + L) with L = L_P(V); on the manifold while ‖V‖ < √λ_min(P).
    fn exp(&self, p: &DMatrix<f64>, v: &DMatrix<f64>) -> DMatrix<f64> {
        let l = Spectrum::of(p).sylvester(v, |s| 1.0 / s);
        let factor = l + DMatrix::identity(self.order, self.order);
        congruence(&factor, p)
    }

    fn log(&self, p: &DMatrix<f64>, q: &DMatrix<f64>) -> Result<DMatrix<f64>, ManifoldError> {
        let (l, lifted) = lift(p, q).ok_or(ManifoldError::NotFinite(NAME))?;
        let mut v = lifted * l.transpose();
        symmetrize(&mut v);
        v *= 2.0;
        Ok(v)
    }

    /// NaN unless both matrices are positive definite.
    fn dist(&self, p: &DMatrix<f64>, q: &DMatrix<f64>) -> f64 {
        lift(p, q).map_or(f64::NAN, |(_, lifted)| lifted.norm())
    }

    fn inner(&self, p: &DMatrix<f64>, u: &DMatrix<f64>, v: &DMatrix<f64>) -> f64 {
        let spectrum = Spectrum::of(p);
        let half = |s: f64| (0.5 / s).sqrt();
        let a = spectrum.in_eigenbasis(u, half);
        if std::ptr::eq(u, v) { a.norm_squared() } else { a.dot(&spectrum.in_eigenbasis(v, half)) }
    }

    /// The isometry S_Q^½ S_P^(−½): not parallel.
    fn transport(
        &self,
        p: &DMatrix<f64>,
        q: &DMatrix<f64>,
        v: &DMatrix<f64>,
    ) -> Result<DMatrix<f64>, ManifoldError> {
        let flat = Spectrum::of(p).sylvester(v, |s| 1.0 / s.sqrt());
        Ok(Spectrum::of(q).sylvester(&flat, f64::sqrt))
    }

    /// The symmetric part.
    fn project_tangent(&self, _p: &DMatrix<f64>, ambient: &DMatrix<f64>) -> DMatrix<f64> {
        symmetric_part(ambient)
    }

    fn mean_log(
        &self,
        p: &DMatrix<f64>,
        points: &[DMatrix<f64>],
        weights: Option<&[f64]>,
    ) -> Result<MeanLog<DMatrix<f64>>, ManifoldError> {
        self.mean_log_of(p, Matrices::Each(points), weights)
    }

    /// 0 to ∞: it grows without bound as the two smallest eigenvalues vanish.
    fn curvature(&self) -> CurvatureBounds {
        CurvatureBounds { lower: 0.0, upper: if self.order == 1 { 0.0 } else { f64::INFINITY } }
    }

    /// 0: the space is not complete.
    fn injectivity_radius(&self) -> f64 {
        0.0
    }

    fn random_point<R: Rng + ?Sized>(&self, rng: &mut R) -> DMatrix<f64> {
        random_spd(self.order, rng)
    }

    /// G Lᵀ + L Gᵀ with P = LLᵀ and G a square Gaussian matrix: its covariance on symmetric Z is 4σ² tr(Z P Z), which is
    /// that of the tangent Gaussian, without an eigendecomposition.
    fn tangent_gaussian<R: Rng + ?Sized>(&self, p: &DMatrix<f64>, sigma: f64, rng: &mut R) -> DMatrix<f64> {
        let mut g = DMatrix::zeros(self.order, self.order);
        fill_standard_normal(rng, g.as_mut_slice());
        let mut u = factor(p) * g;
        symmetrize(&mut u);
        u *= 2.0 * sigma;
        u
    }

    fn zero(&self, _p: &DMatrix<f64>) -> DMatrix<f64> {
        DMatrix::zeros(self.order, self.order)
    }

    fn basis(&self, p: &DMatrix<f64>) -> Vec<DMatrix<f64>> {
        basis_of_coordinates(self, p)
    }

    /// Of the symmetric matrix (2 S_P)^(−½)(V), whose Frobenius norm is ‖V‖.
    fn has_quick_coordinates(&self) -> bool {
        true
    }

    fn coordinates(&self, p: &DMatrix<f64>, v: &DMatrix<f64>) -> Vec<f64> {
        symmetric_coordinates(&Spectrum::of(p).sylvester(v, |s| (0.5 / s).sqrt()))
    }

    fn from_coordinates(&self, p: &DMatrix<f64>, coordinates: &[f64]) -> DMatrix<f64> {
        Spectrum::of(p).sylvester(&symmetric_of_coordinates(self.order, coordinates), |s| (2.0 * s).sqrt())
    }
}
