//! The laws of Riemannian geometry, written once and run on every manifold.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use visard::manifold::{Linear, Manifold, orthonormal_basis};

/// A manifold under test.
pub struct Space<'a, M: Manifold> {
    /// Named in failures.
    pub name: &'a str,
    pub manifold: M,
    /// Tangent vectors up to this length are tried; below the injectivity radius.
    pub reach: f64,
    /// Rounding allowed in relations between numbers of size 1.
    pub tolerance: f64,
    /// Whether `transport` is parallel along the geodesic, not merely isometric.
    pub parallel: bool,
    /// Whether `dist` answers for any two points.
    pub global: bool,
}

impl<M: Manifold> Space<'_, M> {
    /// Every law, on random points and tangent vectors of a fixed seed.
    pub fn check(&self) {
        let mut rng = ChaCha8Rng::seed_from_u64(20);
        for round in 0..8 {
            let p = self.manifold.random_point(&mut rng);
            self.point_and_basis(&p, &mut rng);
            for fraction in [1e-3, 0.1, 0.5, 0.9, 0.999] {
                let v = self.vector(&p, fraction * self.reach, &mut rng);
                self.exp_and_log(&p, &v, round);
                self.transports(&p, &v, &mut rng);
            }
            self.near_points(&p, &mut rng);
            if self.global {
                self.triangle(&mut rng);
            }
            self.gauss_lemma(&p, &mut rng);
            self.curvature(&p, &mut rng);
            self.mean_of_logs(&p, round, &mut rng);
        }
    }

    fn vector<R: Rng>(&self, p: &M::Point, length: f64, rng: &mut R) -> M::Tangent {
        let direction = self.manifold.random_direction(p, rng);
        self.manifold.scale(length, &direction)
    }

    /// ‖u − v‖_p.
    fn gap(&self, p: &M::Point, u: &M::Tangent, v: &M::Tangent) -> f64 {
        let mut difference = u.clone();
        self.manifold.axpy(-1.0, v, &mut difference);
        self.manifold.norm(p, &difference)
    }

    fn small(&self, law: &str, error: f64, allowed: f64) {
        assert!(error <= allowed, "{}: {law}: error {error:e} > {allowed:e}", self.name);
    }

    fn point_and_basis<R: Rng>(&self, p: &M::Point, rng: &mut R) {
        let m = &self.manifold;
        assert_eq!(m.check(p), Ok(()), "{}: a random point is on the manifold", self.name);
        let basis = orthonormal_basis(m, p);
        assert_eq!(basis.len(), m.dim(), "{}: the tangent space has the manifold's dimension", self.name);
        for (i, u) in basis.iter().enumerate() {
            for (j, v) in basis.iter().enumerate() {
                let error = (m.inner(p, u, v) - f64::from(i == j)).abs();
                self.small("orthonormal basis", error, self.tolerance);
            }
        }
        // A Gaussian is tangent, and projection is the identity on tangent vectors and onto the basis' span.
        let v = m.tangent_gaussian(p, 1.0, rng);
        self.small(
            "tangent Gaussian is tangent",
            self.gap(p, &v, &m.project_tangent(p, &v)),
            self.tolerance * 10.0,
        );
        let mut rest = v.clone();
        for b in &basis {
            m.axpy(-m.inner(p, b, &v), b, &mut rest);
        }
        self.small("basis spans", m.norm(p, &rest), 100.0 * self.tolerance);
        assert_eq!(m.norm(p, &m.zero(p)), 0.0);
        assert_eq!(m.zero(p).real_len(), v.real_len());
    }

    fn exp_and_log(&self, p: &M::Point, v: &M::Tangent, round: usize) {
        let m = &self.manifold;
        let q = m.exp(p, v);
        assert_eq!(m.check(&q), Ok(()), "{}: exp ends on the manifold", self.name);
        let length = m.norm(p, v);
        let scale = 1.0_f64.max(length);
        let back = m.log(p, &q).unwrap_or_else(|e| panic!("{}: {e}", self.name));
        self.small(
            &format!("log exp v = v at ‖v‖ = {length} in round {round}"),
            self.gap(p, &back, v),
            10.0 * self.tolerance * scale,
        );
        self.small(
            "log is tangent",
            self.gap(p, &back, &m.project_tangent(p, &back)),
            self.tolerance * scale,
        );
        self.small("exp log q = q", m.dist(&m.exp(p, &back), &q), 10.0 * self.tolerance * scale);
        self.small("dist = ‖v‖", (m.dist(p, &q) - length).abs(), self.tolerance * scale);
        self.small("dist = ‖log‖", (m.dist(p, &q) - m.norm(p, &back)).abs(), self.tolerance * scale);
        self.small("dist symmetric", (m.dist(p, &q) - m.dist(&q, p)).abs(), self.tolerance * scale);
        self.small("dist to itself", m.dist(p, p), self.tolerance);
        // Geodesics have constant speed.
        let half = m.exp(p, &m.scale(0.5, v));
        self.small("midpoint", (m.dist(&half, &q) - 0.5 * length).abs(), 10.0 * self.tolerance * scale);
    }

    fn transports<R: Rng>(&self, p: &M::Point, v: &M::Tangent, rng: &mut R) {
        let m = &self.manifold;
        let q = m.exp(p, v);
        let carry = |p: &M::Point, q: &M::Point, v: &M::Tangent| {
            m.transport(p, q, v).unwrap_or_else(|e| panic!("{}: {e}", self.name))
        };
        let (a, b) = (m.random_direction(p, rng), m.random_direction(p, rng));
        let (ta, tb) = (carry(p, &q, &a), carry(p, &q, &b));
        let tolerance = 10.0 * self.tolerance;
        self.small("transport isometric", (m.inner(p, &a, &b) - m.inner(&q, &ta, &tb)).abs(), tolerance);
        self.small("transport keeps length", (m.norm(&q, &ta) - 1.0).abs(), tolerance);
        self.small("transport ends tangent", self.gap(&q, &ta, &m.project_tangent(&q, &ta)), tolerance);
        self.small("transport to itself", self.gap(p, &carry(p, p, &a), &a), tolerance);
        let mut sum = a.clone();
        m.axpy(-0.7, &b, &mut sum);
        let mut carried = ta.clone();
        m.axpy(-0.7, &tb, &mut carried);
        self.small("transport linear", self.gap(&q, &carry(p, &q, &sum), &carried), tolerance);
        if !self.parallel {
            return;
        }
        self.small("transport and back", self.gap(p, &carry(&q, p, &ta), &a), tolerance);
        let half = m.exp(p, &m.scale(0.5, v));
        let in_steps = carry(&half, &q, &carry(p, &half, &a));
        self.small("transport in two steps", self.gap(&q, &in_steps, &ta), tolerance);
        if let Ok(back) = m.log(&q, p) {
            let velocity = carry(p, &q, v);
            self.small(
                "velocity is parallel",
                self.gap(&q, &velocity, &m.scale(-1.0, &back)),
                tolerance * m.norm(p, v).max(1.0),
            );
        }
    }

    fn near_points<R: Rng>(&self, p: &M::Point, rng: &mut R) {
        let m = &self.manifold;
        for length in [1e-3, 1e-6, 1e-9, 1e-12] {
            let v = self.vector(p, length, rng);
            let q = m.exp(p, &v);
            // The points themselves are rounded: the error is absolute, never the square root of rounding.
            let law = format!("dist of near points at {length:e}");
            self.small(&law, (m.dist(p, &q) - length).abs(), self.tolerance * 0.1);
            let log = m.log(p, &q).unwrap_or_else(|e| panic!("{}: {e}", self.name));
            self.small("log of near points", self.gap(p, &log, &v), self.tolerance * 0.1);
        }
    }

    fn triangle<R: Rng>(&self, rng: &mut R) {
        let m = &self.manifold;
        let (a, b, c) = (m.random_point(rng), m.random_point(rng), m.random_point(rng));
        let excess = m.dist(&a, &c) - m.dist(&a, &b) - m.dist(&b, &c);
        self.small("triangle inequality", excess, self.tolerance);
        assert!(m.dist(&a, &b) > 0.0, "{}: different points are apart", self.name);
    }

    /// ⟨d exp_v(v), d exp_v(w)⟩ = ⟨v, w⟩, the differential by central differences.
    fn gauss_lemma<R: Rng>(&self, p: &M::Point, rng: &mut R) {
        let m = &self.manifold;
        let v = self.vector(p, 0.4 * self.reach.min(2.0), rng);
        let w = m.random_direction(p, rng);
        let q = m.exp(p, &v);
        let radial =
            m.log(&q, p).map(|back| m.scale(-1.0, &back)).unwrap_or_else(|e| panic!("{}: {e}", self.name));
        let along = |h: f64| {
            let mut moved = v.clone();
            m.axpy(h, &w, &mut moved);
            let log = m.log(&q, &m.exp(p, &moved)).unwrap_or_else(|e| panic!("{}: {e}", self.name));
            m.inner(&q, &radial, &log)
        };
        let h = 1e-3;
        // Fourth order.
        let derivative = (8.0 * (along(h) - along(-h)) - (along(2.0 * h) - along(-2.0 * h))) / (12.0 * h);
        self.small("Gauss lemma", (derivative - m.inner(p, &v, &w)).abs(), 1e-8);
    }

    /// The sectional curvature read off small triangles lies within the bounds.
    fn curvature<R: Rng>(&self, p: &M::Point, rng: &mut R) {
        let m = &self.manifold;
        if m.dim() < 2 {
            return;
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
        let s = 0.02 * self.reach.min(1.0);
        let k = (4.0 * estimate(s) - estimate(2.0 * s)) / 3.0;
        let bounds = m.curvature();
        let slack = 1e-3 + self.tolerance * 1e2 / s.powi(3);
        assert!(
            k >= bounds.lower - slack && k <= bounds.upper + slack,
            "{}: curvature {k} outside {bounds:?} (slack {slack:e})",
            self.name
        );
    }

    fn mean_of_logs<R: Rng>(&self, p: &M::Point, round: usize, rng: &mut R) {
        let m = &self.manifold;
        // More than one block of the parallel sum.
        let points: Vec<_> = (0..if round == 0 { 130 } else { 3 })
            .map(|_| {
                let length = rng.random::<f64>() * 0.9 * self.reach;
                let v = self.vector(p, length, rng);
                m.exp(p, &v)
            })
            .collect();
        let weights: Vec<f64> = (0..points.len()).map(|i| i as f64).collect();
        for weights in [None, Some(&weights[..])] {
            let mean = m.mean_log(p, &points, weights).unwrap_or_else(|e| panic!("{}: {e}", self.name));
            let total: f64 = weights.map_or(points.len() as f64, |w| w.iter().sum());
            let (mut log, mut square) = (m.zero(p), 0.0);
            for (i, q) in points.iter().enumerate() {
                let weight = weights.map_or(1.0, |w| w[i]) / total;
                let v = m.log(p, q).unwrap_or_else(|e| panic!("{}: {e}", self.name));
                m.axpy(weight, &v, &mut log);
                square += weight * m.dist(p, q).powi(2);
            }
            self.small("mean log", self.gap(p, &mean.log, &log), 100.0 * self.tolerance);
            self.small(
                "mean square",
                (mean.mean_square - square).abs(),
                100.0 * self.tolerance * square.max(1.0),
            );
        }
    }
}
