//! The trait every manifold implements.

use super::linear::Linear;
use rand::Rng;
use rayon::prelude::*;
use std::fmt::Debug;

/// What is wrong with a point, a pair of points or a parameter. Carries no values of the points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ManifoldError {
    /// No unique shortest geodesic joins the two points.
    #[error(
        "two points of the {0} lie on each other's cut locus: no unique geodesic joins them; keep data in a smaller ball"
    )]
    CutLocus(&'static str),
    /// A coordinate is NaN or infinite.
    #[error("a point of the {0} has a coordinate that is not a finite number; remove or repair the record")]
    NotFinite(&'static str),
    /// A vector or matrix has the wrong shape.
    #[error(
        "a point of the {manifold} has {found} numbers where {expected} are expected; check the dimension"
    )]
    WrongSize {
        /// The space.
        manifold: &'static str,
        /// Numbers a point has in this space.
        expected: usize,
        /// Numbers the point has.
        found: usize,
    },
    /// The point breaks the constraint that defines the space.
    #[error("a point of the {manifold} {constraint}; {remedy}")]
    OffManifold {
        /// The space.
        manifold: &'static str,
        /// The constraint, as the end of a sentence.
        constraint: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// A dimension or radius no such space has.
    #[error("no {manifold} has {parameter}; {remedy}")]
    Parameter {
        /// The space.
        manifold: &'static str,
        /// What was asked for.
        parameter: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// An iterative logarithm did not reach rounding accuracy.
    #[error("no geodesic was found between two points of the {0}; they are too far apart")]
    NoGeodesic(&'static str),
    /// Nothing to average, or weights that do not fit.
    #[error("cannot average: {0}")]
    Average(&'static str),
}

/// Bounds on the sectional curvature over the whole space, in 1/length².
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvatureBounds {
    /// Infimum of the sectional curvature; −∞ where there is none.
    pub lower: f64,
    /// Supremum of the sectional curvature, κ in the sensitivity bounds; +∞ where there is none.
    pub upper: f64,
}

impl CurvatureBounds {
    /// The same curvature everywhere.
    pub fn constant(value: f64) -> Self {
        Self { lower: value, upper: value }
    }
}

/// The mean of log_p(x_i), the negative gradient of F(p) = ½ Σ w_i d²(p, x_i) / Σ w_i, with the mean of d².
#[derive(Debug, Clone)]
pub struct MeanLog<T> {
    /// Σ w_i log_p(x_i) / Σ w_i.
    pub log: T,
    /// Σ w_i d²(p, x_i) / Σ w_i.
    pub mean_square: f64,
}

/// A complete Riemannian manifold (M, g), held as a value.
///
/// Methods other than [`check`](Manifold::check) trust their points: checked once, used many times. Points that were
/// never checked give meaningless numbers (NaN included), not undefined behaviour; sizes that differ may panic.
/// The base point of a tangent vector is the `p` passed beside it. On quotients (Kendall's shapes, Grassmann) a tangent
/// vector is the horizontal lift at the given representative.
pub trait Manifold: Sync {
    /// A point p ∈ M.
    type Point: Clone + Send + Sync + Debug;
    /// A tangent vector at the point passed beside it.
    type Tangent: Linear;

    /// dim M: of the manifold, not of its embedding.
    fn dim(&self) -> usize;

    /// Whether p is finite and on the manifold (constraints to about 1e-8, relative).
    ///
    /// # Errors
    /// [`ManifoldError`] naming the broken constraint and the remedy.
    fn check(&self, p: &Self::Point) -> Result<(), ManifoldError>;

    /// exp_p(v).
    fn exp(&self, p: &Self::Point, v: &Self::Tangent) -> Self::Point;

    /// log_p(q), the initial velocity of the shortest geodesic from p to q in unit time.
    ///
    /// # Errors
    /// [`ManifoldError::CutLocus`] where it is not unique (to rounding); never an arbitrary branch.
    fn log(&self, p: &Self::Point, q: &Self::Point) -> Result<Self::Tangent, ManifoldError>;

    /// d(p, q), accurate for nearly equal points and at the cut locus.
    fn dist(&self, p: &Self::Point, q: &Self::Point) -> f64;

    /// The metric g_p(u, v).
    fn inner(&self, p: &Self::Point, u: &Self::Tangent, v: &Self::Tangent) -> f64;

    /// ‖v‖_p; NaN where the inner product is NaN, so that a broken vector never passes for a short one.
    fn norm(&self, p: &Self::Point, v: &Self::Tangent) -> f64 {
        let square = self.inner(p, v, v);
        // Rounding may bring a tiny square below zero; f64::max would turn NaN into 0.
        if square < 0.0 { 0.0 } else { square.sqrt() }
    }

    /// An orthonormal basis of T_pM: dim M vectors, fewer if p is so ill-conditioned that the metric degenerates in rounding.
    /// By Gram–Schmidt ([`orthonormal_basis`](super::orthonormal_basis)) unless the space knows one.
    fn basis(&self, p: &Self::Point) -> Vec<Self::Tangent>
    where
        Self: Sized,
    {
        super::orthonormal_basis(self, p)
    }

    /// A linear isometry T_pM → T_qM: parallel transport along the geodesic from p to q unless the type says otherwise.
    ///
    /// # Errors
    /// [`ManifoldError::CutLocus`] where the geodesic is not unique.
    fn transport(
        &self,
        p: &Self::Point,
        q: &Self::Point,
        v: &Self::Tangent,
    ) -> Result<Self::Tangent, ManifoldError>;

    /// The orthogonal projection of an ambient vector onto T_pM (for quotients, the horizontal space).
    fn project_tangent(&self, p: &Self::Point, ambient: &Self::Tangent) -> Self::Tangent;

    /// Bounds on the sectional curvature.
    fn curvature(&self) -> CurvatureBounds;

    /// inj M; infinite on Hadamard manifolds.
    fn injectivity_radius(&self) -> f64;

    /// How far rounding in exp, log and distance can exceed machine precision, relatively, within `radius` of a point: distances
    /// to far points rest on differences of numbers as unlike as e^{radius√−κ} and its inverse.
    fn rounding_growth(&self, radius: f64) -> f64 {
        (2.0 * radius * (-self.curvature().lower).max(0.0).sqrt()).exp()
    }

    /// A random point: uniform on compact spaces, else the image of a standard tangent Gaussian at the origin.
    fn random_point<R: Rng + ?Sized>(&self, rng: &mut R) -> Self::Point;

    /// An isotropic Gaussian N(0, σ² g_p⁻¹) in T_pM: coordinates in every orthonormal basis are independent N(0, σ²).
    /// Exact (in law of idealized reals) and without constructing a basis.
    fn tangent_gaussian<R: Rng + ?Sized>(&self, p: &Self::Point, sigma: f64, rng: &mut R) -> Self::Tangent;

    /// The zero vector of T_pM.
    fn zero(&self, p: &Self::Point) -> Self::Tangent;

    /// c·v.
    fn scale(&self, c: f64, v: &Self::Tangent) -> Self::Tangent {
        let mut w = v.clone();
        w.scale_by(c);
        w
    }

    /// y ← y + a·x, in one tangent space.
    fn axpy(&self, a: f64, x: &Self::Tangent, y: &mut Self::Tangent) {
        y.add_scaled(a, x);
    }

    /// A unit tangent vector at p, uniform on the unit sphere of T_pM.
    fn random_direction<R: Rng + ?Sized>(&self, p: &Self::Point, rng: &mut R) -> Self::Tangent {
        loop {
            let mut v = self.tangent_gaussian(p, 1.0, rng);
            let norm = self.norm(p, &v);
            // Norm 0 has probability 0; in dimension 0 there is no direction. At a broken point (NaN) neither is there, and
            // another try would not find one.
            if norm > 0.0 || norm.is_nan() || self.dim() == 0 {
                v.scale_by(if norm == 0.0 { 0.0 } else { 1.0 / norm });
                return v;
            }
        }
    }

    /// A point near the Fréchet mean in closed form (the ambient mean brought onto the manifold, or the like), where
    /// iterations start. Falls back to one of the points. `weights` as in [`mean_log`](Manifold::mean_log).
    ///
    /// # Errors
    /// No points, or weights that do not fit.
    fn rough_mean(
        &self,
        points: &[Self::Point],
        weights: Option<&[f64]>,
    ) -> Result<Self::Point, ManifoldError> {
        first_point(points, weights)
    }

    /// The weighted mean of log_p(x_i) and of d²(p, x_i); on all threads of the current pool when there are many points.
    /// `weights`: nonnegative, one each, not all zero; equal if `None`.
    ///
    /// # Errors
    /// No points, weights that do not fit, or a point on the cut locus of p.
    fn mean_log(
        &self,
        p: &Self::Point,
        points: &[Self::Point],
        weights: Option<&[f64]>,
    ) -> Result<MeanLog<Self::Tangent>, ManifoldError> {
        let total = total_weight(points.len(), weights)?;
        let part = |range: std::ops::Range<usize>| -> Result<(Self::Tangent, f64), ManifoldError> {
            let (mut sum, mut square) = (self.zero(p), 0.0);
            for i in range {
                let weight = weights.map_or(1.0, |w| w[i]);
                let v = self.log(p, &points[i])?;
                square += weight * self.inner(p, &v, &v);
                sum.add_scaled(weight, &v);
            }
            Ok((sum, square))
        };
        // Blocks of fixed size, summed in order: the same result with any number of threads.
        let parts: Vec<_> = if points.len() <= BLOCK {
            vec![part(0..points.len())]
        } else {
            blocks(points.len()).into_par_iter().map(part).collect()
        };
        let (mut log, mut mean_square) = (self.zero(p), 0.0);
        for part in parts {
            let (sum, square) = part?;
            log.add_scaled(1.0 / total, &sum);
            mean_square += square / total;
        }
        Ok(MeanLog { log, mean_square })
    }
}

/// The first point of positive weight.
pub(super) fn first_point<P: Clone>(points: &[P], weights: Option<&[f64]>) -> Result<P, ManifoldError> {
    total_weight(points.len(), weights)?;
    let first = weights.and_then(|w| w.iter().position(|w| *w > 0.0)).unwrap_or(0);
    points.get(first).cloned().ok_or(ManifoldError::Average("there are no points"))
}

/// Σ w_i x_i / Σ w_i of ambient vectors.
pub(super) fn ambient_mean<'a, T: Linear + 'a>(
    zero: T,
    points: impl ExactSizeIterator<Item = &'a T>,
    weights: Option<&[f64]>,
) -> Result<T, ManifoldError> {
    let total = total_weight(points.len(), weights)?;
    let mut mean = zero;
    for (i, x) in points.enumerate() {
        mean.add_scaled(weights.map_or(1.0, |w| w[i]) / total, x);
    }
    Ok(mean)
}

/// Points a thread takes at a time in [`Manifold::mean_log`].
pub(crate) const BLOCK: usize = 64;

/// 0..n cut into blocks of at most [`BLOCK`].
pub(crate) fn blocks(n: usize) -> Vec<std::ops::Range<usize>> {
    (0..n).step_by(BLOCK).map(|start| start..(start + BLOCK).min(n)).collect()
}

/// The sum of the weights, checked.
pub(crate) fn total_weight(n: usize, weights: Option<&[f64]>) -> Result<f64, ManifoldError> {
    if n == 0 {
        return Err(ManifoldError::Average("there are no points"));
    }
    let Some(weights) = weights else { return Ok(n as f64) };
    if weights.len() != n {
        return Err(ManifoldError::Average("the number of weights is not the number of points"));
    }
    if weights.iter().any(|w| !(*w >= 0.0 && w.is_finite())) {
        return Err(ManifoldError::Average("a weight is negative or not finite"));
    }
    let total: f64 = weights.iter().sum();
    if total > 0.0 && total.is_finite() {
        Ok(total)
    } else {
        Err(ManifoldError::Average("the weights add up to zero or overflow"))
    }
}
