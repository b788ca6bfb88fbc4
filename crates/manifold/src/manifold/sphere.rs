//! Spheres of any dimension and radius.

use super::complement::Complement;
use super::error::ManifoldError;
use super::euclidean::check_vector;
use super::linear::axpy;
use super::normal::fill_standard_normal;
use super::space::{CurvatureBounds, Manifold};
use super::two_point::TwoPointSpace;
use super::volume::Isotropic;
use super::weights::{ambient_mean, first_point};
use crate::numeric::elementary::{dot, norm, sinc};
use nalgebra::{DMatrix, DVector};
use rand::Rng;

pub(super) const NAME: &str = "sphere";

/// The sphere Sᵈ of radius R with the metric induced from ℝᵈ⁺¹. Points: vectors of length R; tangent vectors: those
/// orthogonal to p. Geodesic distances are in the unit of R (radians on the unit sphere).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sphere {
    dim: usize,
    radius: f64,
}

impl Sphere {
    /// The sphere of dimension `dim` ≥ 1 and radius `radius` > 0.
    ///
    /// # Errors
    /// Dimension 0, or a radius that is not positive and finite.
    pub fn new(dim: usize, radius: f64) -> Result<Self, ManifoldError> {
        if dim == 0 {
            return Err(ManifoldError::Parameter {
                manifold: NAME,
                parameter: "dimension 0",
                remedy: "take 1 or more",
            });
        }
        if !(radius > 0.0 && radius.is_finite()) {
            return Err(ManifoldError::Parameter {
                manifold: NAME,
                parameter: "this radius",
                remedy: "take a positive finite number",
            });
        }
        Ok(Self { dim, radius })
    }

    /// The unit sphere of dimension `dim` ≥ 1.
    ///
    /// # Errors
    /// Dimension 0.
    pub fn unit(dim: usize) -> Result<Self, ManifoldError> {
        Self::new(dim, 1.0)
    }

    /// R.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The nearest point of the sphere, or `None` for a vector that has no direction.
    pub fn normalize(&self, ambient: &DVector<f64>) -> Option<DVector<f64>> {
        let largest = ambient.amax();
        if !(largest > 0.0 && largest.is_finite()) {
            return None;
        }
        let p = ambient / largest;
        Some(&p * (self.radius / p.norm()))
    }

    /// Removes the component along p.
    fn orthogonalize(&self, p: &DVector<f64>, v: &mut DVector<f64>) {
        let c = dot(p.as_slice(), v.as_slice()) / (self.radius * self.radius);
        axpy(-c, p.as_slice(), v.as_mut_slice());
    }

    /// The tangent space at p.
    fn complement(&self, p: &DVector<f64>) -> Complement<f64> {
        Complement::new(&DMatrix::from_column_slice(p.len(), 1, (p / self.radius).as_slice()))
    }

    /// Whether ‖p + q‖ is rounding error: the direction from p to q cannot be told.
    fn antipodal(&self, sum_norm: f64) -> bool {
        sum_norm <= 8.0 * f64::EPSILON * self.radius
    }
}

/// ‖q − p‖ and ‖q + p‖.
fn chords(p: &DVector<f64>, q: &DVector<f64>) -> (f64, f64) {
    let (mut chord, mut co_chord) = (0.0, 0.0);
    for (a, b) in p.as_slice().iter().zip(q.as_slice()) {
        chord += (b - a) * (b - a);
        co_chord += (b + a) * (b + a);
    }
    (chord.sqrt(), co_chord.sqrt())
}

impl Manifold for Sphere {
    type Point = DVector<f64>;
    type Tangent = DVector<f64>;

    fn dim(&self) -> usize {
        self.dim
    }

    fn check(&self, p: &DVector<f64>) -> Result<(), ManifoldError> {
        check_vector(NAME, p, self.dim + 1)?;
        if (p.norm() / self.radius - 1.0).abs() <= 1e-8 {
            return Ok(());
        }
        Err(ManifoldError::OffManifold {
            manifold: NAME,
            constraint: "does not have the sphere's radius as its length",
            remedy: "scale the vector to that length",
        })
    }

    fn exp(&self, p: &DVector<f64>, v: &DVector<f64>) -> DVector<f64> {
        let t = norm(v.as_slice()) / self.radius;
        let mut q = p * t.cos();
        axpy(sinc(t), v.as_slice(), q.as_mut_slice());
        // Keeps rounding from carrying long chains of steps off the sphere.
        let scale = self.radius / norm(q.as_slice());
        q *= scale;
        q
    }

    fn log(&self, p: &DVector<f64>, q: &DVector<f64>) -> Result<DVector<f64>, ManifoldError> {
        let mut v = DVector::zeros(p.len());
        self.log_into(p, q, &mut v)?;
        Ok(v)
    }

    fn log_into(
        &self,
        p: &DVector<f64>,
        q: &DVector<f64>,
        v: &mut DVector<f64>,
    ) -> Result<(), ManifoldError> {
        self.log_and_square(p, q, v).map(drop)
    }

    fn log_and_square(
        &self,
        p: &DVector<f64>,
        q: &DVector<f64>,
        v: &mut DVector<f64>,
    ) -> Result<f64, ManifoldError> {
        let (chord, co_chord) = chords(p, q);
        if self.antipodal(co_chord) {
            return Err(ManifoldError::CutLocus(NAME));
        }
        let theta = 2.0 * chord.atan2(co_chord);
        // q − p and q + p differ from q by a multiple of p: the shorter one loses no digits when p is removed.
        let sign = if chord < co_chord { -1.0 } else { 1.0 };
        let both = p.as_slice().iter().zip(q.as_slice());
        v.as_mut_slice().iter_mut().zip(both).for_each(|(v, (p, q))| *v = q + sign * p);
        self.orthogonalize(p, v);
        let length = norm(v.as_slice());
        if length > 0.0 {
            let factor = theta * self.radius / length;
            v.as_mut_slice().iter_mut().for_each(|v| *v *= factor);
        }
        Ok((theta * self.radius).powi(2))
    }

    fn dist(&self, p: &DVector<f64>, q: &DVector<f64>) -> f64 {
        let (chord, co_chord) = chords(p, q);
        2.0 * self.radius * chord.atan2(co_chord)
    }

    fn inner(&self, _p: &DVector<f64>, u: &DVector<f64>, v: &DVector<f64>) -> f64 {
        dot(u.as_slice(), v.as_slice())
    }

    fn transport(
        &self,
        p: &DVector<f64>,
        q: &DVector<f64>,
        v: &DVector<f64>,
    ) -> Result<DVector<f64>, ManifoldError> {
        // The reflection in the hyperplane orthogonal to p + q carries T_p onto T_q and is the parallel transport.
        let sum = p + q;
        let square = dot(sum.as_slice(), sum.as_slice());
        if self.antipodal(square.sqrt()) {
            return Err(ManifoldError::CutLocus(NAME));
        }
        let mut w = v.clone();
        axpy(-2.0 * dot(sum.as_slice(), v.as_slice()) / square, sum.as_slice(), w.as_mut_slice());
        Ok(w)
    }

    fn project_tangent(&self, p: &DVector<f64>, ambient: &DVector<f64>) -> DVector<f64> {
        let mut v = ambient.clone();
        self.orthogonalize(p, &mut v);
        v
    }

    /// 1/R²; 0 for a circle, which has no planes to be curved.
    fn curvature(&self) -> CurvatureBounds {
        CurvatureBounds::constant(if self.dim == 1 { 0.0 } else { 1.0 / (self.radius * self.radius) })
    }

    fn injectivity_radius(&self) -> f64 {
        std::f64::consts::PI * self.radius
    }

    fn random_point<R: Rng + ?Sized>(&self, rng: &mut R) -> DVector<f64> {
        let mut p = DVector::zeros(self.dim + 1);
        loop {
            fill_standard_normal(rng, p.as_mut_slice());
            if let Some(q) = self.normalize(&p) {
                return q;
            }
        }
    }

    /// An ambient Gaussian projected onto the tangent space (its law is that of the tangent Gaussian).
    fn tangent_gaussian<R: Rng + ?Sized>(&self, p: &DVector<f64>, sigma: f64, rng: &mut R) -> DVector<f64> {
        let mut v = DVector::zeros(self.dim + 1);
        fill_standard_normal(rng, v.as_mut_slice());
        let c = dot(p.as_slice(), v.as_slice()) / (self.radius * self.radius);
        for (v, p) in v.as_mut_slice().iter_mut().zip(p.as_slice()) {
            *v = sigma * (*v - c * p);
        }
        v
    }

    /// The ambient mean, scaled to the sphere.
    fn rough_mean(
        &self,
        points: &[DVector<f64>],
        weights: Option<&[f64]>,
    ) -> Result<DVector<f64>, ManifoldError> {
        let mean = ambient_mean(DVector::zeros(self.dim + 1), points.iter(), weights)?;
        // A balanced cloud has no direction.
        if mean.norm() < 1e-6 * self.radius {
            return first_point(points, weights);
        }
        self.normalize(&mean).map_or_else(|| first_point(points, weights), Ok)
    }

    fn zero(&self, _p: &DVector<f64>) -> DVector<f64> {
        DVector::zeros(self.dim + 1)
    }

    fn has_quick_coordinates(&self) -> bool {
        true
    }

    fn coordinates(&self, p: &DVector<f64>, v: &DVector<f64>) -> Vec<f64> {
        self.complement(p).coordinates(v.as_slice())
    }

    fn from_coordinates(&self, p: &DVector<f64>, coordinates: &[f64]) -> DVector<f64> {
        DVector::from_vec(self.complement(p).vector(coordinates))
    }
}

impl Isotropic for Sphere {
    fn model(&self) -> (TwoPointSpace, f64) {
        (TwoPointSpace::Sphere { dim: self.dim }, self.radius)
    }
    fn to_model(&self, p: &DVector<f64>) -> Vec<f64> {
        p.as_slice().to_vec()
    }
    fn from_model(&self, numbers: &[f64], _near: &DVector<f64>) -> Option<DVector<f64>> {
        (numbers.len() == self.dim + 1).then(|| self.normalize(&DVector::from_column_slice(numbers)))?
    }
}
