//! The laws of Riemannian geometry, written once and run on every space, yours included.
//!
//! exp and log are inverse, distances are lengths of logarithms, geodesics have constant speed, transport is isometric (and
//! parallel), the Gauss lemma holds, small triangles show the stated curvature, bases are orthonormal and coordinates are those of
//! the basis: on points of your choice, with the seed of the first case that fails.
//!
//! ```
//! use rand::Rng;
//! use visard_manifold::manifold::laws::{Promise, check};
//! use visard_manifold::manifold::{CurvatureBounds, Manifold, ManifoldError, fill_standard_normal};
//!
//! /// The positive numbers with d(p, q) = |ln q/p|.
//! #[derive(Debug, Clone)]
//! struct Scales;
//!
//! impl Manifold for Scales {
//!     type Point = f64;
//!     type Tangent = f64;
//!     fn dim(&self) -> usize { 1 }
//!     fn check(&self, p: &f64) -> Result<(), ManifoldError> {
//!         if *p > 0.0 && p.is_finite() { Ok(()) } else { Err(ManifoldError::NotFinite("scales")) }
//!     }
//!     fn exp(&self, p: &f64, v: &f64) -> f64 { p * (v / p).exp() }
//!     fn log(&self, p: &f64, q: &f64) -> Result<f64, ManifoldError> { Ok(p * ((q - p) / p).ln_1p()) }
//!     fn dist(&self, p: &f64, q: &f64) -> f64 { ((q - p) / p).ln_1p().abs() }
//!     fn inner(&self, p: &f64, u: &f64, v: &f64) -> f64 { u * v / (p * p) }
//!     fn transport(&self, p: &f64, q: &f64, v: &f64) -> Result<f64, ManifoldError> { Ok(v * q / p) }
//!     fn project_tangent(&self, _p: &f64, ambient: &f64) -> f64 { *ambient }
//!     fn curvature(&self) -> CurvatureBounds { CurvatureBounds::constant(0.0) }
//!     fn injectivity_radius(&self) -> f64 { f64::INFINITY }
//!     fn random_point<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 { self.tangent_gaussian(&1.0, 1.0, rng).exp() }
//!     fn tangent_gaussian<R: Rng + ?Sized>(&self, p: &f64, sigma: f64, rng: &mut R) -> f64 {
//!         let mut z = [0.0];
//!         fill_standard_normal(rng, &mut z);
//!         sigma * p * z[0]
//!     }
//!     fn zero(&self, _p: &f64) -> f64 { 0.0 }
//! }
//!
//! check(&Scales, &mut |rng| Scales.random_point(rng), &Promise::new(3.0, 1e-13))?;
//! # Ok::<(), visard_manifold::manifold::laws::BrokenLaw>(())
//! ```

use super::error::ManifoldError;
use super::linear::Linear;
use super::space::{Manifold, orthonormal_basis};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A law that a space breaks.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BrokenLaw {
    /// Two numbers that should agree do not.
    #[error("{law}: off by {error:e} where {allowed:e} is allowed (seed {seed})")]
    Off {
        /// The law.
        law: String,
        /// The seed of the case: [`Promise::seed`] of a check that begins with it.
        seed: u64,
        /// By how much.
        error: f64,
        /// What rounding may do.
        allowed: f64,
    },
    /// An operation that should answer did not.
    #[error("{law}: {source} (seed {seed})")]
    Failed {
        /// The law.
        law: String,
        /// The seed of the case.
        seed: u64,
        /// What the space said.
        source: ManifoldError,
    },
}

/// What a space promises, as far as the trait does not say it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Promise {
    /// Tangent vectors up to this length are tried: below the injectivity radius at every point that is.
    pub reach: f64,
    /// Rounding allowed in relations between numbers of size 1; some 1e-13 for simple spaces.
    pub tolerance: f64,
    /// Whether `transport` is parallel along the geodesic, not merely isometric.
    pub parallel: bool,
    /// Whether `dist` answers for any two points.
    pub global: bool,
    /// The first of eight seeds.
    pub seed: u64,
}

impl Promise {
    /// Vectors up to length `reach`, rounding up to `tolerance`, parallel transport, distances between any points.
    pub fn new(reach: f64, tolerance: f64) -> Self {
        Self { reach, tolerance, parallel: true, global: true, seed: 20 }
    }
}

/// Cases.
const ROUNDS: u64 = 8;
/// One round in this many averages more points than one block of a parallel sum has.
const LONG: u64 = 8;
/// Points of such an average.
const MANY: usize = 130;

/// Every law, at points that `sample` draws.
///
/// # Errors
/// The first law found broken, with the seed of the case.
pub fn check<M: Manifold>(
    space: &M,
    sample: &mut dyn FnMut(&mut dyn Rng) -> M::Point,
    promise: &Promise,
) -> Result<(), BrokenLaw> {
    for round in 0..ROUNDS {
        let seed = promise.seed.wrapping_add(round);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let p = sample(&mut rng);
        let case = Case { m: space, p: &p, promise, seed };
        case.points(&mut rng)?;
        case.basis()?;
        case.coordinates(&mut rng)?;
        for fraction in [1e-3, 0.1, 0.5, 0.9, 0.999] {
            let v = case.vector(fraction * promise.reach, &mut rng);
            case.exp_and_log(&v)?;
            case.transport(&v, &mut rng)?;
        }
        case.near_points(&mut rng)?;
        if promise.global {
            let (q, r) = (sample(&mut rng), sample(&mut rng));
            case.triangle(&q, &r)?;
        }
        case.gauss_lemma(&mut rng)?;
        case.curvature(&mut rng)?;
        case.means(&mut rng)?;
    }
    Ok(())
}

/// A point with all that is promised about it.
struct Case<'a, M: Manifold> {
    m: &'a M,
    p: &'a M::Point,
    promise: &'a Promise,
    seed: u64,
}

impl<M: Manifold> Case<'_, M> {
    fn vector(&self, length: f64, rng: &mut ChaCha8Rng) -> M::Tangent {
        let direction = self.m.random_direction(self.p, rng);
        self.m.scale(length, &direction)
    }

    /// ‖u − v‖ at q.
    fn gap(&self, q: &M::Point, u: &M::Tangent, v: &M::Tangent) -> f64 {
        let mut difference = u.clone();
        self.m.axpy(-1.0, v, &mut difference);
        self.m.norm(q, &difference)
    }

    /// NaN is never small.
    fn small(&self, law: &str, error: f64, allowed: f64) -> Result<(), BrokenLaw> {
        if error <= allowed {
            return Ok(());
        }
        Err(BrokenLaw::Off { law: law.into(), seed: self.seed, error, allowed })
    }

    fn answers<T>(&self, law: &str, answer: Result<T, ManifoldError>) -> Result<T, BrokenLaw> {
        answer.map_err(|source| BrokenLaw::Failed { law: law.into(), seed: self.seed, source })
    }

    fn log(&self, q: &M::Point, r: &M::Point) -> Result<M::Tangent, BrokenLaw> {
        self.answers("log answers within reach", self.m.log(q, r))
    }

    fn points(&self, rng: &mut ChaCha8Rng) -> Result<(), BrokenLaw> {
        let (m, p) = (self.m, self.p);
        self.answers("the sampled point is on the manifold", m.check(p))?;
        self.answers("a random point is on the manifold", m.check(&m.random_point(rng)))?;
        self.small("the zero vector has no length", m.norm(p, &m.zero(p)), 0.0)?;
        let v = m.tangent_gaussian(p, 1.0, rng);
        let numbers = m.zero(p).real_len().abs_diff(v.real_len());
        self.small("tangent vectors have as many numbers as zero", numbers as f64, 0.0)?;
        let off = self.gap(p, &v, &m.project_tangent(p, &v));
        self.small("a tangent Gaussian is tangent", off, 10.0 * self.promise.tolerance)?;
        let nothing = m.mean_log(p, &[], None).is_ok() || m.rough_mean(&[], None).is_ok();
        self.small("the mean of no points is refused", f64::from(nothing), 0.0)
    }

    /// The space's own basis and that of Gram–Schmidt.
    fn basis(&self) -> Result<(), BrokenLaw> {
        let (m, p, tolerance) = (self.m, self.p, self.promise.tolerance);
        for basis in [m.basis(p), orthonormal_basis(m, p)] {
            let missing = basis.len().abs_diff(m.dim());
            self.small("a basis has as many vectors as dimensions", missing as f64, 0.0)?;
            for (i, u) in basis.iter().enumerate() {
                let off = self.gap(p, u, &m.project_tangent(p, u));
                self.small("basis vectors are tangent", off, 10.0 * tolerance)?;
                for (j, v) in basis.iter().enumerate() {
                    let error = (m.inner(p, u, v) - f64::from(i == j)).abs();
                    self.small("the basis is orthonormal", error, tolerance)?;
                }
            }
        }
        Ok(())
    }

    /// Those of the basis, and back.
    fn coordinates(&self, rng: &mut ChaCha8Rng) -> Result<(), BrokenLaw> {
        let (m, p, allowed) = (self.m, self.p, 100.0 * self.promise.tolerance);
        let basis = m.basis(p);
        let v = m.tangent_gaussian(p, 1.0, rng);
        let mut coordinates = m.coordinates(p, &v);
        let missing = coordinates.len().abs_diff(m.dim());
        self.small("there are as many coordinates as dimensions", missing as f64, 0.0)?;
        let mut rest = v.clone();
        for (c, b) in coordinates.iter().zip(&basis) {
            self.small("coordinates are those of the basis", (c - m.inner(p, b, &v)).abs(), allowed)?;
            m.axpy(-c, b, &mut rest);
        }
        self.small("the basis spans", m.norm(p, &rest), allowed)?;
        let whole = m.from_coordinates(p, &coordinates);
        self.small("coordinates give the vector back", self.gap(p, &whole, &v), allowed)?;
        for (j, b) in basis.iter().enumerate() {
            let mut unit = vec![0.0; j + 1];
            unit[j] = 1.0;
            let off = self.gap(p, &m.from_coordinates(p, &unit), b);
            self.small("unit coordinates give the basis, missing ones count as 0", off, allowed)?;
        }
        coordinates.push(1.0);
        let off = self.gap(p, &m.from_coordinates(p, &coordinates), &whole);
        self.small("further coordinates are ignored", off, 0.0)
    }

    fn exp_and_log(&self, v: &M::Tangent) -> Result<(), BrokenLaw> {
        let (m, p) = (self.m, self.p);
        let q = m.exp(p, v);
        self.answers("exp ends on the manifold", m.check(&q))?;
        let length = m.norm(p, v);
        let tolerance = self.promise.tolerance * length.max(1.0);
        let back = self.log(p, &q)?;
        let law = format!("log exp v = v at length {length}");
        self.small(&law, self.gap(p, &back, v), 10.0 * tolerance)?;
        self.small("log is tangent", self.gap(p, &back, &m.project_tangent(p, &back)), tolerance)?;
        self.small("exp log q = q", m.dist(&m.exp(p, &back), &q), 10.0 * tolerance)?;
        let distance = m.dist(p, &q);
        self.small("dist is the length of v", (distance - length).abs(), tolerance)?;
        self.small("dist is the length of log", (distance - m.norm(p, &back)).abs(), tolerance)?;
        self.small("dist is symmetric", (distance - m.dist(&q, p)).abs(), tolerance)?;
        self.small("dist to itself is 0", m.dist(p, p), self.promise.tolerance)?;
        let half = m.exp(p, &m.scale(0.5, v));
        let law = "geodesics have constant speed";
        self.small(law, (m.dist(&half, &q) - 0.5 * length).abs(), 10.0 * tolerance)
    }

    fn transport(&self, v: &M::Tangent, rng: &mut ChaCha8Rng) -> Result<(), BrokenLaw> {
        let (m, p) = (self.m, self.p);
        let q = m.exp(p, v);
        let carry = |p: &M::Point, q: &M::Point, v: &M::Tangent| {
            self.answers("transport answers within reach", m.transport(p, q, v))
        };
        let (a, b) = (m.random_direction(p, rng), m.random_direction(p, rng));
        let (ta, tb) = (carry(p, &q, &a)?, carry(p, &q, &b)?);
        let tolerance = 10.0 * self.promise.tolerance;
        let error = (m.inner(p, &a, &b) - m.inner(&q, &ta, &tb)).abs();
        self.small("transport keeps angles", error, tolerance)?;
        self.small("transport keeps lengths", (m.norm(&q, &ta) - 1.0).abs(), tolerance)?;
        self.small("transport ends tangent", self.gap(&q, &ta, &m.project_tangent(&q, &ta)), tolerance)?;
        self.small("transport to itself is nothing", self.gap(p, &carry(p, p, &a)?, &a), tolerance)?;
        let mut sum = a.clone();
        m.axpy(-0.7, &b, &mut sum);
        let mut carried = ta.clone();
        m.axpy(-0.7, &tb, &mut carried);
        self.small("transport is linear", self.gap(&q, &carry(p, &q, &sum)?, &carried), tolerance)?;
        if !self.promise.parallel {
            return Ok(());
        }
        self.small("transport and back", self.gap(p, &carry(&q, p, &ta)?, &a), tolerance)?;
        let half = m.exp(p, &m.scale(0.5, v));
        let in_steps = carry(&half, &q, &carry(p, &half, &a)?)?;
        self.small("transport in two steps", self.gap(&q, &in_steps, &ta), tolerance)?;
        let back = self.log(&q, p)?;
        let off = self.gap(&q, &carry(p, &q, v)?, &m.scale(-1.0, &back));
        self.small("the velocity is parallel", off, tolerance * m.norm(p, v).max(1.0))
    }

    /// The points themselves are rounded: the error is absolute, never the square root of rounding.
    fn near_points(&self, rng: &mut ChaCha8Rng) -> Result<(), BrokenLaw> {
        let (m, p, allowed) = (self.m, self.p, 0.1 * self.promise.tolerance);
        for length in [1e-3, 1e-6, 1e-9, 1e-12] {
            let v = self.vector(length, rng);
            let q = m.exp(p, &v);
            self.small(&format!("dist of points {length:e} apart"), (m.dist(p, &q) - length).abs(), allowed)?;
            self.small(
                &format!("log of points {length:e} apart"),
                self.gap(p, &self.log(p, &q)?, &v),
                allowed,
            )?;
        }
        Ok(())
    }

    fn triangle(&self, q: &M::Point, r: &M::Point) -> Result<(), BrokenLaw> {
        let (m, p) = (self.m, self.p);
        let excess = m.dist(p, r) - m.dist(p, q) - m.dist(q, r);
        self.small("triangle inequality", excess, self.promise.tolerance)?;
        let apart = m.dist(p, q) > 0.0;
        self.small("different points are apart", f64::from(!apart), 0.0)
    }

    /// ⟨d exp_v(v), d exp_v(w)⟩ = ⟨v, w⟩, the differential by central differences of fourth order.
    fn gauss_lemma(&self, rng: &mut ChaCha8Rng) -> Result<(), BrokenLaw> {
        const H: f64 = 1e-3;
        let (m, p) = (self.m, self.p);
        let v = self.vector(0.4 * self.promise.reach.min(2.0), rng);
        let w = m.random_direction(p, rng);
        let q = m.exp(p, &v);
        let radial = m.scale(-1.0, &self.log(&q, p)?);
        let along = |h: f64| {
            let mut moved = v.clone();
            m.axpy(h, &w, &mut moved);
            Ok(m.inner(&q, &radial, &self.log(&q, &m.exp(p, &moved))?))
        };
        let near = along(H)? - along(-H)?;
        let derivative = (8.0 * near - (along(2.0 * H)? - along(-2.0 * H)?)) / (12.0 * H);
        let allowed = 1e-8 + 1e3 * self.promise.tolerance;
        self.small("Gauss lemma", (derivative - m.inner(p, &v, &w)).abs(), allowed)
    }

    /// The sectional curvature read off small triangles lies within the bounds.
    fn curvature(&self, rng: &mut ChaCha8Rng) -> Result<(), BrokenLaw> {
        let (m, p) = (self.m, self.p);
        if m.dim() < 2 {
            return Ok(());
        }
        let u = m.random_direction(p, rng);
        let mut w = m.random_direction(p, rng);
        m.axpy(-m.inner(p, &u, &w), &u, &mut w);
        let w = m.scale(1.0 / m.norm(p, &w), &w);
        // d² = 2s² − Ks⁴/3 + O(s⁶) once odd terms are averaged out over the four quadrants.
        let estimate = |s: f64| {
            let mut sum = 0.0;
            for (a, b) in [(s, s), (-s, s), (s, -s), (-s, -s)] {
                let d = m.dist(&m.exp(p, &m.scale(a, &u)), &m.exp(p, &m.scale(b, &w)));
                sum += 3.0 * (2.0 * s * s - d * d) / (4.0 * s.powi(4));
            }
            sum
        };
        let s = 0.02 * self.promise.reach.min(1.0);
        let k = (4.0 * estimate(s) - estimate(2.0 * s)) / 3.0;
        let bounds = m.curvature();
        let slack = 1e-3 + 1e2 * self.promise.tolerance / s.powi(3);
        self.small("curvature is at least its lower bound", bounds.lower - k, slack)?;
        self.small("curvature is at most its upper bound", k - bounds.upper, slack)
    }

    fn means(&self, rng: &mut ChaCha8Rng) -> Result<(), BrokenLaw> {
        let (m, p, allowed) = (self.m, self.p, 100.0 * self.promise.tolerance);
        let n = if self.seed.is_multiple_of(LONG) { MANY } else { 3 };
        let mut point = || {
            let length = rng.random::<f64>() * 0.9 * self.promise.reach;
            m.exp(p, &self.vector(length, rng))
        };
        let points: Vec<M::Point> = (0..n).map(|_| point()).collect();
        let weights: Vec<f64> = (0..n).map(|i| i as f64).collect();
        for weights in [None, Some(&weights[..])] {
            let mean = self.answers("the mean log answers", m.mean_log(p, &points, weights))?;
            let total: f64 = weights.map_or(n as f64, |w| w.iter().sum());
            let (mut log, mut square) = (m.zero(p), 0.0);
            for (i, q) in points.iter().enumerate() {
                let weight = weights.map_or(1.0, |w| w[i]) / total;
                m.axpy(weight, &self.log(p, q)?, &mut log);
                square += weight * m.dist(p, q).powi(2);
            }
            self.small("the mean log is the mean of logs", self.gap(p, &mean.log, &log), allowed)?;
            let error = (mean.mean_square - square).abs();
            self.small("the mean square is the mean of squares", error, allowed * square.max(1.0))?;
            let rough = self.answers("a rough mean answers", m.rough_mean(&points, weights))?;
            self.answers("a rough mean is on the manifold", m.check(&rough))?;
        }
        Ok(())
    }
}
