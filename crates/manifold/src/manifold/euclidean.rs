//! ℝᵈ.

use super::error::ManifoldError;
use super::normal::fill_standard_normal;
use super::space::{CurvatureBounds, Manifold, basis_of_coordinates};
use super::two_point::TwoPointSpace;
use super::volume::Isotropic;
use super::weights::ambient_mean;
use crate::numeric::elementary::{all_finite, dot};
use nalgebra::DVector;
use rand::Rng;

const NAME: &str = "Euclidean space";

/// ℝᵈ with the standard inner product; points and tangent vectors have d numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Euclidean {
    dim: usize,
}

impl Euclidean {
    /// ℝᵈ.
    pub fn new(dim: usize) -> Self {
        Self { dim }
    }
}

impl Manifold for Euclidean {
    type Point = DVector<f64>;
    type Tangent = DVector<f64>;

    fn dim(&self) -> usize {
        self.dim
    }

    fn check(&self, p: &DVector<f64>) -> Result<(), ManifoldError> {
        check_vector(NAME, p, self.dim)
    }

    fn exp(&self, p: &DVector<f64>, v: &DVector<f64>) -> DVector<f64> {
        p + v
    }

    fn log(&self, p: &DVector<f64>, q: &DVector<f64>) -> Result<DVector<f64>, ManifoldError> {
        Ok(q - p)
    }

    fn dist(&self, p: &DVector<f64>, q: &DVector<f64>) -> f64 {
        (q - p).norm()
    }

    fn inner(&self, _p: &DVector<f64>, u: &DVector<f64>, v: &DVector<f64>) -> f64 {
        dot(u.as_slice(), v.as_slice())
    }

    fn transport(
        &self,
        _p: &DVector<f64>,
        _q: &DVector<f64>,
        v: &DVector<f64>,
    ) -> Result<DVector<f64>, ManifoldError> {
        Ok(v.clone())
    }

    fn project_tangent(&self, _p: &DVector<f64>, ambient: &DVector<f64>) -> DVector<f64> {
        ambient.clone()
    }

    fn curvature(&self) -> CurvatureBounds {
        CurvatureBounds::constant(0.0)
    }

    fn injectivity_radius(&self) -> f64 {
        f64::INFINITY
    }

    fn random_point<R: Rng + ?Sized>(&self, rng: &mut R) -> DVector<f64> {
        self.tangent_gaussian(&DVector::zeros(0), 1.0, rng)
    }

    fn tangent_gaussian<R: Rng + ?Sized>(&self, _p: &DVector<f64>, sigma: f64, rng: &mut R) -> DVector<f64> {
        let mut v = DVector::zeros(self.dim);
        fill_standard_normal(rng, v.as_mut_slice());
        v *= sigma;
        v
    }

    /// The weighted mean: it is the Fréchet mean.
    fn rough_mean(
        &self,
        points: &[DVector<f64>],
        weights: Option<&[f64]>,
    ) -> Result<DVector<f64>, ManifoldError> {
        ambient_mean(DVector::zeros(self.dim), points.iter(), weights)
    }

    fn zero(&self, _p: &DVector<f64>) -> DVector<f64> {
        DVector::zeros(self.dim)
    }

    fn basis(&self, p: &DVector<f64>) -> Vec<DVector<f64>> {
        basis_of_coordinates(self, p)
    }

    fn has_quick_coordinates(&self) -> bool {
        true
    }

    fn coordinates(&self, _p: &DVector<f64>, v: &DVector<f64>) -> Vec<f64> {
        v.as_slice().to_vec()
    }

    fn from_coordinates(&self, _p: &DVector<f64>, coordinates: &[f64]) -> DVector<f64> {
        let numbers = coordinates.iter().copied().chain(std::iter::repeat(0.0));
        DVector::from_iterator(self.dim, numbers.take(self.dim))
    }
}

impl Isotropic for Euclidean {
    fn model(&self) -> (TwoPointSpace, f64) {
        (TwoPointSpace::Euclidean { dim: self.dim }, 1.0)
    }
    fn to_model(&self, p: &DVector<f64>) -> Vec<f64> {
        p.as_slice().to_vec()
    }
    fn from_model(&self, numbers: &[f64], _near: &DVector<f64>) -> Option<DVector<f64>> {
        (numbers.len() == self.dim).then(|| DVector::from_column_slice(numbers))
    }
}

/// Length and finiteness.
pub(super) fn check_vector(
    manifold: &'static str,
    p: &DVector<f64>,
    expected: usize,
) -> Result<(), ManifoldError> {
    if p.len() != expected {
        return Err(ManifoldError::WrongSize { manifold, expected, found: p.len() });
    }
    if all_finite(p.as_slice()) { Ok(()) } else { Err(ManifoldError::NotFinite(manifold)) }
}
