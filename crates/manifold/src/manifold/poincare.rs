//! Hyperbolic space as the Poincaré ball.

use super::error::ManifoldError;
use super::euclidean::check_vector;
use super::linear::axpy;
use super::lorentz::Lorentz;
use super::normal::fill_standard_normal;
use super::space::{CurvatureBounds, Manifold};
use super::two_point::TwoPointSpace;
use super::volume::Isotropic;
use crate::numeric::elementary::{asinh, dot, norm};
use nalgebra::DVector;
use rand::Rng;

pub(super) const NAME: &str = "Poincaré ball";

/// Hyperbolic space of curvature −1: the open unit ball of ℝᵈ with the metric 4⟨u, v⟩/(1 − ‖p‖²)².
///
/// The model's resolution ends near distance 36 from the origin, where 1 − ‖p‖ is a unit in the last place; `exp` stays
/// inside. For far points use [`super::Lorentz`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoincareBall {
    dim: usize,
}

impl PoincareBall {
    /// The ball of dimension `dim` ≥ 1.
    ///
    /// # Errors
    /// Dimension 0.
    pub fn new(dim: usize) -> Result<Self, ManifoldError> {
        if dim == 0 {
            let (parameter, remedy) = ("dimension 0", "take 1 or more");
            return Err(ManifoldError::Parameter { manifold: NAME, parameter, remedy });
        }
        Ok(Self { dim })
    }

    /// The same point of the hyperboloid: (1 + ‖p‖², 2p)/(1 − ‖p‖²).
    pub fn to_lorentz(&self, p: &DVector<f64>) -> DVector<f64> {
        let gap = gap(p);
        let mut x = DVector::zeros(self.dim + 1);
        x[0] = (1.0 + p.norm_squared()) / gap;
        for i in 0..self.dim {
            x[i + 1] = 2.0 * p[i] / gap;
        }
        x
    }
}

/// 1 − ‖p‖², to the last digits near the boundary.
fn gap(p: &DVector<f64>) -> f64 {
    let r = norm(p.as_slice());
    (1.0 - r) * (1.0 + r)
}

/// The distance of points whose chord has this square, by their gaps.
fn distance(square: f64, p: f64, q: f64) -> f64 {
    2.0 * asinh((square / (p * q)).sqrt())
}

/// The largest norm that is inside to rounding.
pub(super) const LARGEST: f64 = 1.0 - f64::EPSILON;

/// q, brought inside where rounding put it on the boundary.
fn inside(mut q: DVector<f64>) -> DVector<f64> {
    let size = norm(q.as_slice());
    if size > LARGEST {
        q *= LARGEST / size;
    }
    q
}

impl Manifold for PoincareBall {
    type Point = DVector<f64>;
    type Tangent = DVector<f64>;

    fn dim(&self) -> usize {
        self.dim
    }

    fn check(&self, p: &DVector<f64>) -> Result<(), ManifoldError> {
        check_vector(NAME, p, self.dim)?;
        if gap(p) > 0.0 {
            return Ok(());
        }
        Err(ManifoldError::OffManifold {
            manifold: NAME,
            constraint: "does not lie inside the unit ball",
            remedy: "scale the vectors to a length below 1",
        })
    }

    fn exp(&self, p: &DVector<f64>, v: &DVector<f64>) -> DVector<f64> {
        let length = norm(v.as_slice());
        if length == 0.0 {
            return p.clone();
        }
        let gap = gap(p);
        // p ⊕ w (Möbius addition) with w = tanh(‖v‖_p/2) v/‖v‖.
        let t = (length / gap).tanh();
        let along = dot(p.as_slice(), v.as_slice()) * t / length;
        let (w2, p2) = (t * t, dot(p.as_slice(), p.as_slice()));
        let denominator = 1.0 + 2.0 * along + p2 * w2;
        let mut q = p * ((1.0 + 2.0 * along + w2) / denominator);
        axpy(gap * t / (length * denominator), v.as_slice(), q.as_mut_slice());
        inside(q)
    }

    fn log(&self, p: &DVector<f64>, q: &DVector<f64>) -> Result<DVector<f64>, ManifoldError> {
        let mut w = DVector::zeros(p.len());
        self.log_into(p, q, &mut w)?;
        Ok(w)
    }

    fn log_into(
        &self,
        p: &DVector<f64>,
        q: &DVector<f64>,
        w: &mut DVector<f64>,
    ) -> Result<(), ManifoldError> {
        self.log_and_square(p, q, w).map(drop)
    }

    fn log_and_square(
        &self,
        p: &DVector<f64>,
        q: &DVector<f64>,
        w: &mut DVector<f64>,
    ) -> Result<f64, ManifoldError> {
        // −p ⊕ q is a positive multiple of (1 − ‖p‖²)(q − p) − ‖q − p‖² p: no cancellation for near points.
        let (gap, other) = (gap(p), gap(q));
        let both = || p.as_slice().iter().zip(q.as_slice());
        let square: f64 = both().map(|(p, q)| (q - p) * (q - p)).sum();
        w.as_mut_slice().iter_mut().zip(both()).for_each(|(w, (p, q))| *w = gap * (q - p) - square * p);
        let d = distance(square, gap, other);
        let length = norm(w.as_slice());
        if length > 0.0 {
            let factor = d * gap / (2.0 * length);
            w.as_mut_slice().iter_mut().for_each(|w| *w *= factor);
        }
        Ok(d * d)
    }

    fn dist(&self, p: &DVector<f64>, q: &DVector<f64>) -> f64 {
        let square: f64 = p.as_slice().iter().zip(q.as_slice()).map(|(a, b)| (b - a) * (b - a)).sum();
        distance(square, gap(p), gap(q))
    }

    fn inner(&self, p: &DVector<f64>, u: &DVector<f64>, v: &DVector<f64>) -> f64 {
        let factor = 2.0 / gap(p);
        factor * factor * dot(u.as_slice(), v.as_slice())
    }

    fn transport(
        &self,
        p: &DVector<f64>,
        q: &DVector<f64>,
        v: &DVector<f64>,
    ) -> Result<DVector<f64>, ManifoldError> {
        // (1 − ‖q‖²)/(1 − ‖p‖²) times the gyration gyr[q, −p], a rotation in the plane of p and q by twice the argument
        // of 1 − q p̄ (p real, q complex in that plane).
        let (gap_p, gap_q) = (gap(p), gap(q));
        let mut w = v * (gap_q / gap_p);
        let r = norm(p.as_slice());
        if r == 0.0 {
            return Ok(w);
        }
        let e1 = p / r;
        let difference = q - p;
        let along = dot(e1.as_slice(), difference.as_slice());
        let mut e2 = difference;
        axpy(-along, e1.as_slice(), e2.as_mut_slice());
        // Orthogonal to the last digit, or the rotation would not be one.
        let rest = dot(e1.as_slice(), e2.as_slice());
        axpy(-rest, e1.as_slice(), e2.as_mut_slice());
        let across = norm(e2.as_slice());
        if across == 0.0 {
            return Ok(w);
        }
        e2 /= across;
        let (re, im) = (gap_p - r * along, -r * across);
        let square = re * re + im * im;
        let (cos, sin) = ((re * re - im * im) / square, 2.0 * re * im / square);
        let (a, b) = (dot(e1.as_slice(), w.as_slice()), dot(e2.as_slice(), w.as_slice()));
        axpy(cos * a - sin * b - a, e1.as_slice(), w.as_mut_slice());
        axpy(sin * a + cos * b - b, e2.as_slice(), w.as_mut_slice());
        Ok(w)
    }

    fn project_tangent(&self, _p: &DVector<f64>, ambient: &DVector<f64>) -> DVector<f64> {
        ambient.clone()
    }

    fn curvature(&self) -> CurvatureBounds {
        CurvatureBounds::constant(if self.dim == 1 { 0.0 } else { -1.0 })
    }

    fn injectivity_radius(&self) -> f64 {
        f64::INFINITY
    }

    fn random_point<R: Rng + ?Sized>(&self, rng: &mut R) -> DVector<f64> {
        let origin = DVector::zeros(self.dim);
        let v = self.tangent_gaussian(&origin, 1.0, rng);
        self.exp(&origin, &v)
    }

    /// (1 − ‖p‖²)/2 times a Gaussian.
    fn tangent_gaussian<R: Rng + ?Sized>(&self, p: &DVector<f64>, sigma: f64, rng: &mut R) -> DVector<f64> {
        let mut v = DVector::zeros(self.dim);
        fill_standard_normal(rng, v.as_mut_slice());
        v *= 0.5 * sigma * gap(p);
        v
    }

    /// The mean on the hyperboloid, scaled to it.
    fn rough_mean(
        &self,
        points: &[DVector<f64>],
        weights: Option<&[f64]>,
    ) -> Result<DVector<f64>, ManifoldError> {
        let lorentz = Lorentz::new(self.dim)?;
        let lifted: Vec<_> = points.iter().map(|p| self.to_lorentz(p)).collect();
        Ok(lorentz.to_poincare(&lorentz.rough_mean(&lifted, weights)?))
    }

    fn zero(&self, _p: &DVector<f64>) -> DVector<f64> {
        DVector::zeros(self.dim)
    }

    /// The metric is a multiple of the Euclidean one.
    fn has_quick_coordinates(&self) -> bool {
        true
    }

    fn coordinates(&self, p: &DVector<f64>, v: &DVector<f64>) -> Vec<f64> {
        let factor = 2.0 / gap(p);
        v.iter().map(|v| factor * v).collect()
    }

    fn from_coordinates(&self, p: &DVector<f64>, coordinates: &[f64]) -> DVector<f64> {
        let factor = 0.5 * gap(p);
        let numbers = coordinates.iter().map(|c| factor * c).chain(std::iter::repeat(0.0));
        DVector::from_iterator(self.dim, numbers.take(self.dim))
    }
}

impl Isotropic for PoincareBall {
    fn model(&self) -> (TwoPointSpace, f64) {
        (TwoPointSpace::Hyperbolic { dim: self.dim }, 1.0)
    }
    fn to_model(&self, p: &DVector<f64>) -> Vec<f64> {
        self.to_lorentz(p).as_slice()[1..].to_vec()
    }
    fn from_model(&self, numbers: &[f64], _near: &DVector<f64>) -> Option<DVector<f64>> {
        let x = (numbers.len() == self.dim).then(|| DVector::from_column_slice(numbers))?;
        Some(inside(&x / (1.0 + 1.0_f64.hypot(norm(x.as_slice())))))
    }
}
