//! The trait every manifold implements.

use super::complement::{DEPENDENT, NOISE};
use super::error::ManifoldError;
use super::linear::Linear;
use super::weights::{BLOCK, blocks, first_point, total_weight};
use rand::Rng;
use std::fmt::Debug;
use visard_base::parallel;

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

/// A complete Riemannian manifold (M, g), held as a value: a few numbers, so whatever needs one keeps its own.
///
/// Methods other than [`check`](Manifold::check) trust their points: checked once, used many times. Points that were
/// never checked give meaningless numbers (NaN included), not undefined behaviour; sizes that differ may panic.
/// The base point of a tangent vector is the `p` passed beside it. On quotients (Kendall's shapes, Grassmann) a tangent
/// vector is the horizontal lift at the given representative.
pub trait Manifold: Clone + Debug + Send + Sync {
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

    /// The same into `v`, a tangent vector of any value: spaces of short vectors save an allocation for each point of a mean by it.
    ///
    /// # Errors
    /// As [`log`](Manifold::log).
    fn log_into(&self, p: &Self::Point, q: &Self::Point, v: &mut Self::Tangent) -> Result<(), ManifoldError> {
        *v = self.log(p, q)?;
        Ok(())
    }

    /// [`log_into`](Manifold::log_into), and d²(p, q): what a mean asks of every point. Spaces that know the distance on the way need not
    /// measure the vector.
    ///
    /// # Errors
    /// As [`log`](Manifold::log).
    fn log_and_square(
        &self,
        p: &Self::Point,
        q: &Self::Point,
        v: &mut Self::Tangent,
    ) -> Result<f64, ManifoldError> {
        self.log_into(p, q, v)?;
        Ok(self.inner(p, v, v))
    }

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
    /// By Gram–Schmidt ([`orthonormal_basis`]) unless the space knows one.
    fn basis(&self, p: &Self::Point) -> Vec<Self::Tangent> {
        orthonormal_basis(self, p)
    }

    /// The coordinates of v ∈ T_pM in [`basis`](Self::basis): their Euclidean norm is ‖v‖_p. From the basis itself, O(dim² M)
    /// numbers, unless the space has a better way. For many vectors at one point see [`TangentFrame`](super::TangentFrame).
    fn coordinates(&self, p: &Self::Point, v: &Self::Tangent) -> Vec<f64> {
        self.basis(p).iter().map(|e| self.inner(p, e, v)).collect()
    }

    /// Whether [`coordinates`](Self::coordinates) and [`from_coordinates`](Self::from_coordinates) are better than by a basis.
    fn has_quick_coordinates(&self) -> bool {
        false
    }

    /// The vector of T_pM with these [`coordinates`](Self::coordinates); missing ones count as 0, further ones are ignored.
    #[expect(clippy::wrong_self_convention, reason = "self is the space, as in exp(p, v)")]
    fn from_coordinates(&self, p: &Self::Point, coordinates: &[f64]) -> Self::Tangent {
        combination(self, p, &self.basis(p), coordinates)
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

    /// What rounding may change in a logarithm of length 1 or less at `p`.
    fn rounding(&self, _p: &Self::Point) -> f64 {
        16.0 * f64::EPSILON
    }

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
            let (mut sum, mut square, mut v) = (self.zero(p), 0.0, self.zero(p));
            for i in range {
                let weight = weights.map_or(1.0, |w| w[i]);
                square += weight * self.log_and_square(p, &points[i], &mut v)?;
                sum.add_scaled(weight, &v);
            }
            Ok((sum, square))
        };
        // Blocks of fixed size, summed in order: the same result with any number of threads.
        let parts: Vec<_> = if points.len() <= BLOCK {
            vec![part(0..points.len())]
        } else {
            parallel::map_vec(blocks(points.len()), part)
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

/// An orthonormal basis of T_pM: ambient unit vectors projected onto the tangent space and orthogonalized in the metric
/// at p by Gram–Schmidt (twice each, for accuracy), as in Utpala et al. 2023, §3.1. Costs O(dim² · ambient dimension)
/// or more. May hold fewer than dim M vectors if p is so ill-conditioned that the metric degenerates in rounding.
pub fn orthonormal_basis<M: Manifold>(m: &M, p: &M::Point) -> Vec<M::Tangent> {
    let zero = m.zero(p);
    let mut basis: Vec<M::Tangent> = Vec::with_capacity(m.dim());
    for i in 0..zero.real_len() {
        if basis.len() == m.dim() {
            break;
        }
        let mut ambient = zero.clone();
        ambient.set_real(i, 1.0);
        let mut v = m.project_tangent(p, &ambient);
        let (whole, before) = (m.norm(p, &ambient), m.norm(p, &v));
        // The projection of a unit vector orthogonal to the tangent space is rounding error, with a direction all the same.
        if before <= NOISE * whole {
            continue;
        }
        for _ in 0..2 {
            for b in &basis {
                let c = m.inner(p, b, &v);
                v.add_scaled(-c, b);
            }
            v = m.project_tangent(p, &v);
        }
        let after = m.norm(p, &v);
        if after > DEPENDENT * before && after > 0.0 {
            v.scale_by(1.0 / after);
            basis.push(v);
        }
    }
    basis
}

/// Σ_j c_j b_j.
pub(super) fn combination<M: Manifold>(
    m: &M,
    p: &M::Point,
    basis: &[M::Tangent],
    coordinates: &[f64],
) -> M::Tangent {
    let mut v = m.zero(p);
    for (c, b) in coordinates.iter().zip(basis) {
        v.add_scaled(*c, b);
    }
    v
}

/// The basis of a space that has coordinates without one.
pub(super) fn basis_of_coordinates<M: Manifold>(m: &M, p: &M::Point) -> Vec<M::Tangent> {
    let mut unit = vec![0.0; m.dim()];
    let vectors = (0..m.dim()).map(|j| {
        unit[j] = 1.0;
        let b = m.from_coordinates(p, &unit);
        unit[j] = 0.0;
        b
    });
    vectors.collect()
}
