//! Hyperbolic space as the upper sheet of a hyperboloid.

use super::complement::Complement;
use super::error::ManifoldError;
use super::euclidean::check_vector;
use super::linear::axpy;
use super::normal::fill_standard_normal;
use super::space::{CurvatureBounds, Manifold};
use super::two_point::TwoPointSpace;
use super::volume::Isotropic;
use super::weights::ambient_mean;
use crate::numeric::elementary::{asinh, dot, norm, sinhc};
use nalgebra::{DMatrix, DVector};
use rand::Rng;

pub(super) const NAME: &str = "Lorentz hyperboloid";

/// Hyperbolic space of curvature −1: {p ∈ ℝᵈ⁺¹ : ⟨p, p⟩_L = −1, p₀ > 0}, ⟨p, q⟩_L = −p₀q₀ + Σ p_i q_i, with the metric
/// ⟨·,·⟩_L on T_pM = {v : ⟨p, v⟩_L = 0}. The time coordinate comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lorentz {
    dim: usize,
}

impl Lorentz {
    /// The hyperboloid of dimension `dim` ≥ 1, in ℝᵈ⁺¹.
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

    /// The point with the given d space coordinates: the time coordinate is √(1 + ‖x‖²).
    pub fn from_space(&self, space: &DVector<f64>) -> DVector<f64> {
        let mut p = DVector::zeros(self.dim + 1);
        p.as_mut_slice()[1..].copy_from_slice(space.as_slice());
        set_time(&mut p);
        p
    }

    /// The same point of the Poincaré ball: x/(1 + p₀).
    pub fn to_poincare(&self, p: &DVector<f64>) -> DVector<f64> {
        p.rows(1, self.dim) / (1.0 + p[0])
    }

    /// A mean of points, scaled to the hyperboloid.
    pub(super) fn scaled(&self, mut mean: DVector<f64>) -> DVector<f64> {
        // The mean of timelike vectors of the upper sheet is one: −⟨m, m⟩_L ≥ 1.
        let size = (-lorentz(&mean, &mean)).max(1.0).sqrt();
        mean /= size;
        set_time(&mut mean);
        mean
    }

    /// (1, 0, …, 0).
    pub fn origin(&self) -> DVector<f64> {
        let mut p = DVector::zeros(self.dim + 1);
        p[0] = 1.0;
        p
    }
}

/// The space coordinates.
fn space(x: &DVector<f64>) -> &[f64] {
    &x.as_slice()[1..]
}

/// x/|x| for the space part x of p; `None` at the origin.
fn direction(p: &DVector<f64>) -> Option<Vec<f64>> {
    let length = norm(space(p));
    (length > 0.0).then(|| space(p).iter().map(|x| x / length).collect())
}

fn set_time(p: &mut DVector<f64>) {
    p[0] = 1.0_f64.hypot(norm(space(p)));
}

/// ⟨x, y⟩_L.
fn lorentz(x: &DVector<f64>, y: &DVector<f64>) -> f64 {
    dot(space(x), space(y)) - x[0] * y[0]
}

/// ⟨q − p, q − p⟩_L = 2(cosh d − 1), without cancellation for near points far from the origin.
fn chord_square(p: &DVector<f64>, q: &DVector<f64>) -> f64 {
    let direct = -lorentz(p, q);
    if direct > 0.25 * p[0] * q[0] && direct > 2.0 {
        return 2.0 * (direct - 1.0);
    }
    // δ = q − p and s = p + q: ⟨δ,δ⟩_L = |δ⊥|² + δ∥²(4 + ⟨δ,δ⟩_L)/s₀², parts along and across the space part of s.
    let (mut delta_s, mut sum_square, mut delta_square) = (0.0, 0.0, 0.0);
    for (a, b) in space(p).iter().zip(space(q)) {
        let (delta, sum) = (b - a, b + a);
        delta_s += delta * sum;
        sum_square += sum * sum;
        delta_square += delta * delta;
    }
    let time = p[0] + q[0];
    if sum_square == 0.0 {
        return delta_square;
    }
    let slope = delta_s / sum_square;
    let across: f64 =
        space(p).iter().zip(space(q)).map(|(a, b)| (b - a) - slope * (b + a)).map(|x| x * x).sum();
    let along = delta_s / (sum_square.sqrt() * time);
    (across + 4.0 * along * along) / ((1.0 - along) * (1.0 + along))
}

impl Manifold for Lorentz {
    type Point = DVector<f64>;
    type Tangent = DVector<f64>;

    fn dim(&self) -> usize {
        self.dim
    }

    fn check(&self, p: &DVector<f64>) -> Result<(), ManifoldError> {
        check_vector(NAME, p, self.dim + 1)?;
        if p[0] > 0.0 && (p[0] - 1.0_f64.hypot(norm(space(p)))).abs() <= 1e-8 * p[0] {
            return Ok(());
        }
        Err(ManifoldError::OffManifold {
            manifold: NAME,
            constraint: "does not lie on the upper sheet",
            remedy: "set the first coordinate to √(1 + sum of squares of the others)",
        })
    }

    fn exp(&self, p: &DVector<f64>, v: &DVector<f64>) -> DVector<f64> {
        let t = self.norm(p, v);
        let mut q = p * t.cosh();
        axpy(sinhc(t), v.as_slice(), q.as_mut_slice());
        set_time(&mut q);
        q
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
        // q − cosh(d) p = (q − p) − (cosh(d) − 1) p, of length sinh d = 2 sinh(d/2) cosh(d/2).
        let square = chord_square(p, q);
        let half = 0.5 * square.sqrt();
        let d = 2.0 * asinh(half);
        let factor = if half > 0.0 { d / (2.0 * half * (1.0 + half * half).sqrt()) } else { 1.0 };
        let both = p.as_slice().iter().zip(q.as_slice());
        w.as_mut_slice()
            .iter_mut()
            .zip(both)
            .for_each(|(w, (p, q))| *w = ((q - p) - 0.5 * square * p) * factor);
        // Tangent to the last digit.
        w[0] = dot(space(p), space(w)) / p[0];
        Ok(d * d)
    }

    fn dist(&self, p: &DVector<f64>, q: &DVector<f64>) -> f64 {
        2.0 * asinh(0.5 * chord_square(p, q).sqrt())
    }

    fn inner(&self, p: &DVector<f64>, u: &DVector<f64>, v: &DVector<f64>) -> f64 {
        // ⟨u, v⟩_L by parts along and across the space part of p: −u₀v₀ + … would cancel far from the origin.
        let x = space(p);
        let square = dot(x, x);
        if square == 0.0 {
            return dot(space(u), space(v));
        }
        let (a, b) = (dot(x, space(u)) / square, dot(x, space(v)) / square);
        let across: f64 =
            space(u).iter().zip(space(v)).zip(x).map(|((u, v), x)| (u - a * x) * (v - b * x)).sum();
        across + a * b * square / (p[0] * p[0])
    }

    fn transport(
        &self,
        p: &DVector<f64>,
        q: &DVector<f64>,
        v: &DVector<f64>,
    ) -> Result<DVector<f64>, ManifoldError> {
        let sum = p + q;
        // ⟨s, s⟩_L = −4 − ⟨q − p, q − p⟩_L.
        let square = -4.0 - chord_square(p, q);
        let mut w = v.clone();
        axpy(-2.0 * lorentz(&sum, v) / square, sum.as_slice(), w.as_mut_slice());
        w[0] = dot(space(q), space(&w)) / q[0];
        Ok(w)
    }

    fn project_tangent(&self, p: &DVector<f64>, ambient: &DVector<f64>) -> DVector<f64> {
        let mut v = ambient.clone();
        axpy(lorentz(p, ambient), p.as_slice(), v.as_mut_slice());
        v[0] = dot(space(p), space(&v)) / p[0];
        v
    }

    fn curvature(&self) -> CurvatureBounds {
        CurvatureBounds::constant(if self.dim == 1 { 0.0 } else { -1.0 })
    }

    fn injectivity_radius(&self) -> f64 {
        f64::INFINITY
    }

    fn random_point<R: Rng + ?Sized>(&self, rng: &mut R) -> DVector<f64> {
        let origin = self.origin();
        let v = self.tangent_gaussian(&origin, 1.0, rng);
        self.exp(&origin, &v)
    }

    /// A Gaussian at the origin, transported to p: with a in the space coordinates, u = (0, a) + (x·a)/(1 + p₀) (1 + p₀, x).
    fn tangent_gaussian<R: Rng + ?Sized>(&self, p: &DVector<f64>, sigma: f64, rng: &mut R) -> DVector<f64> {
        let mut v = DVector::zeros(self.dim + 1);
        let a = &mut v.as_mut_slice()[1..];
        fill_standard_normal(rng, a);
        let along = dot(space(p), a);
        let c = along / (1.0 + p[0]);
        for (a, x) in a.iter_mut().zip(space(p)) {
            *a = sigma * (*a + c * x);
        }
        v[0] = sigma * along;
        v
    }

    /// The ambient mean, scaled to the hyperboloid.
    fn rough_mean(
        &self,
        points: &[DVector<f64>],
        weights: Option<&[f64]>,
    ) -> Result<DVector<f64>, ManifoldError> {
        Ok(self.scaled(ambient_mean(DVector::zeros(self.dim + 1), points.iter(), weights)?))
    }

    fn zero(&self, _p: &DVector<f64>) -> DVector<f64> {
        DVector::zeros(self.dim + 1)
    }

    /// Away from the origin Gram–Schmidt takes the vector towards the origin first, −(|x|, p₀x/|x|), and then the directions across
    /// the space part x of p, as on a sphere.
    fn has_quick_coordinates(&self) -> bool {
        true
    }

    fn coordinates(&self, p: &DVector<f64>, v: &DVector<f64>) -> Vec<f64> {
        let Some(radial) = direction(p) else { return space(v).to_vec() };
        let along = -dot(&radial, space(v)) / p[0];
        let across = Complement::new(&DMatrix::from_column_slice(self.dim, 1, &radial));
        std::iter::once(along).chain(across.coordinates(space(v))).collect()
    }

    fn from_coordinates(&self, p: &DVector<f64>, coordinates: &[f64]) -> DVector<f64> {
        let mut v = DVector::zeros(self.dim + 1);
        let numbers = &mut v.as_mut_slice()[1..];
        let Some(radial) = direction(p) else {
            numbers.iter_mut().zip(coordinates).for_each(|(v, c)| *v = *c);
            return v;
        };
        let along = coordinates.first().copied().unwrap_or(0.0);
        let across = Complement::new(&DMatrix::from_column_slice(self.dim, 1, &radial));
        numbers.copy_from_slice(&across.vector(coordinates.get(1..).unwrap_or(&[])));
        axpy(-along * p[0], &radial, numbers);
        v[0] = -along * norm(space(p));
        v
    }
}

impl Isotropic for Lorentz {
    fn model(&self) -> (TwoPointSpace, f64) {
        (TwoPointSpace::Hyperbolic { dim: self.dim }, 1.0)
    }
    fn to_model(&self, p: &DVector<f64>) -> Vec<f64> {
        space(p).to_vec()
    }
    fn from_model(&self, numbers: &[f64], _near: &DVector<f64>) -> Option<DVector<f64>> {
        (numbers.len() == self.dim).then(|| self.from_space(&DVector::from_column_slice(numbers)))
    }
}
