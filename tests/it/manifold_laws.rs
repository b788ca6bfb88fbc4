//! The same laws on every manifold; and broken spaces do not pass.

use nalgebra::DVector;
use rand::Rng;
use visard::manifold::laws::{BrokenLaw, Promise, check};
use visard::manifold::*;

fn holds<M: Manifold>(space: M, promise: Promise) {
    if let Err(broken) = check(&space, &mut |rng| space.random_point(rng), &promise) {
        panic!("{space:?}: {broken}");
    }
}

#[test]
fn euclidean() {
    for dim in [1, 2, 7] {
        holds(Euclidean::new(dim), Promise::new(5.0, 1e-14));
    }
}

#[test]
fn spheres() -> Result<(), ManifoldError> {
    for dim in [1, 2, 3, 10] {
        for radius in [1.0, 0.25, 7.0_f64] {
            let promise = Promise::new(std::f64::consts::PI * radius, 1e-13 * radius.max(1.0));
            holds(Sphere::new(dim, radius)?, promise);
        }
    }
    Ok(())
}

#[test]
fn planar_shapes() -> Result<(), ManifoldError> {
    for landmarks in [3, 4, 13] {
        // Near the cut locus transport in two steps magnifies rounding.
        holds(Kendall::new(landmarks)?, Promise::new(std::f64::consts::FRAC_PI_2, 3e-13));
    }
    Ok(())
}

#[test]
fn hyperbolic_spaces() -> Result<(), ManifoldError> {
    for dim in [1, 2, 6] {
        holds(PoincareBall::new(dim)?, Promise::new(4.0, 1e-12));
        holds(Lorentz::new(dim)?, Promise::new(4.0, 1e-11));
    }
    Ok(())
}

#[test]
fn positive_definite_matrices() -> Result<(), ManifoldError> {
    for order in [1, 2, 3, 6] {
        holds(SpdAffineInvariant::new(order)?, Promise::new(4.0, 1e-12));
        holds(SpdLogEuclidean::new(order)?, Promise::new(4.0, 1e-12));
    }
    for order in [1, 2, 3, 5] {
        // Random points have eigenvalues above 0.05 or so; geodesics of length 0.2 stay inside.
        holds(SpdBuresWasserstein::new(order)?, Promise { parallel: false, ..Promise::new(0.2, 1e-12) });
    }
    Ok(())
}

#[test]
fn frames_and_subspaces() -> Result<(), ManifoldError> {
    for (rows, columns) in [(2, 1), (4, 1), (4, 2), (9, 3), (5, 4)] {
        holds(Grassmann::new(rows, columns)?, Promise::new(std::f64::consts::FRAC_PI_2, 1e-12));
    }
    for (rows, columns) in [(2, 1), (3, 1), (4, 2), (5, 3)] {
        let promise = Promise { parallel: false, global: false, ..Promise::new(2.5, 1e-11) };
        holds(Stiefel::new(rows, columns)?, promise);
    }
    Ok(())
}

#[test]
fn products() -> Result<(), ManifoldError> {
    let pair = Product::new(Sphere::unit(2)?, SpdAffineInvariant::new(2)?);
    holds(pair, Promise::new(3.0, 1e-12));
    let nested = Product::new(Euclidean::new(1), Product::new(Kendall::new(4)?, PoincareBall::new(2)?));
    holds(nested, Promise::new(1.5, 1e-12));
    Ok(())
}

/// A sphere with one thing wrong.
#[derive(Debug, Clone)]
struct Faulty {
    sphere: Sphere,
    fault: &'static str,
}

impl Faulty {
    fn is(&self, fault: &str) -> bool {
        self.fault == fault
    }
}

type Vector = DVector<f64>;

impl Manifold for Faulty {
    type Point = Vector;
    type Tangent = Vector;

    fn dim(&self) -> usize {
        self.sphere.dim() + usize::from(self.is("a dimension too many"))
    }
    fn check(&self, p: &Vector) -> Result<(), ManifoldError> {
        self.sphere.check(p)
    }
    fn exp(&self, p: &Vector, v: &Vector) -> Vector {
        match self.fault {
            "exp leaves the sphere" => self.sphere.exp(p, v) * 1.001,
            "exp is too fast" => self.sphere.exp(p, &(v * (1.0 + 1e-9))),
            _ => self.sphere.exp(p, v),
        }
    }
    fn log(&self, p: &Vector, q: &Vector) -> Result<Vector, ManifoldError> {
        match self.fault {
            "log refuses" => Err(ManifoldError::CutLocus("faulty sphere")),
            "log is not tangent" => Ok(self.sphere.log(p, q)? + p * 1e-9),
            _ => self.sphere.log(p, q),
        }
    }
    fn dist(&self, p: &Vector, q: &Vector) -> f64 {
        match self.fault {
            // Half of the digits of small distances are gone.
            "dist by arccos" if p != q => p.dot(q).clamp(-1.0, 1.0).acos(),
            "dist is not symmetric" => self.sphere.dist(p, q) + 1e-9 * (p[0] - q[0]),
            "dist is NaN" => f64::NAN,
            _ => self.sphere.dist(p, q),
        }
    }
    fn inner(&self, p: &Vector, u: &Vector, v: &Vector) -> f64 {
        self.sphere.inner(p, u, v)
    }
    fn basis(&self, p: &Vector) -> Vec<Vector> {
        let mut basis = self.sphere.basis(p);
        if self.is("the basis is skew") {
            basis[1] = (&basis[0] * 1e-9 + &basis[1]).normalize();
        }
        basis
    }
    fn coordinates(&self, p: &Vector, v: &Vector) -> Vec<f64> {
        let mut coordinates = self.sphere.coordinates(p, v);
        if self.is("coordinates in another order") {
            coordinates.reverse();
        }
        coordinates
    }
    fn from_coordinates(&self, p: &Vector, coordinates: &[f64]) -> Vector {
        let v = self.sphere.from_coordinates(p, coordinates);
        if self.is("coordinates do not come back") { v * (1.0 + 1e-9) } else { v }
    }
    fn transport(&self, p: &Vector, q: &Vector, v: &Vector) -> Result<Vector, ManifoldError> {
        let carried = self.sphere.transport(p, q, v)?;
        match self.fault {
            "transport by projection" => Ok(self.sphere.project_tangent(q, v)),
            // Isometries, the identity at p = q; the second one even undoes itself and goes in steps.
            "transport turns with distance" => Ok(turned(q, &carried, self.sphere.dist(p, q))),
            "transport turns with height" => Ok(turned(q, &carried, q[2] - p[2])),
            _ => Ok(carried),
        }
    }
    fn project_tangent(&self, p: &Vector, ambient: &Vector) -> Vector {
        self.sphere.project_tangent(p, ambient)
    }
    fn curvature(&self) -> CurvatureBounds {
        match self.fault {
            "curvature above its bound" => CurvatureBounds::constant(0.9),
            "curvature below its bound" => CurvatureBounds::constant(1.1),
            _ => self.sphere.curvature(),
        }
    }
    fn injectivity_radius(&self) -> f64 {
        self.sphere.injectivity_radius()
    }
    fn random_point<R: Rng + ?Sized>(&self, rng: &mut R) -> Vector {
        self.sphere.random_point(rng)
    }
    fn tangent_gaussian<R: Rng + ?Sized>(&self, p: &Vector, sigma: f64, rng: &mut R) -> Vector {
        let v = self.sphere.tangent_gaussian(p, sigma, rng);
        if self.is("Gaussians are not tangent") { v + p * 1e-9 } else { v }
    }
    fn zero(&self, p: &Vector) -> Vector {
        self.sphere.zero(p)
    }
    fn mean_log(
        &self,
        p: &Vector,
        points: &[Vector],
        weights: Option<&[f64]>,
    ) -> Result<MeanLog<Vector>, ManifoldError> {
        match self.fault {
            "weights are ignored" => self.sphere.mean_log(p, points, None),
            "mean squares are not squared" => {
                let mean = self.sphere.mean_log(p, points, weights)?;
                Ok(MeanLog { mean_square: mean.mean_square.sqrt(), ..mean })
            }
            _ => self.sphere.mean_log(p, points, weights),
        }
    }
    fn rough_mean(&self, points: &[Vector], weights: Option<&[f64]>) -> Result<Vector, ManifoldError> {
        match self.fault {
            "the rough mean is inside" => Ok(self.sphere.rough_mean(points, weights)? * 0.5),
            "the mean of nothing is a pole" if points.is_empty() => Ok(Vector::from_vec(vec![0.0, 0.0, 1.0])),
            _ => self.sphere.rough_mean(points, weights),
        }
    }
}

/// v turned about q by an angle.
fn turned(q: &Vector, v: &Vector, angle: f64) -> Vector {
    let across = [q[1] * v[2] - q[2] * v[1], q[2] * v[0] - q[0] * v[2], q[0] * v[1] - q[1] * v[0]];
    v * angle.cos() + Vector::from_row_slice(&across) * angle.sin()
}

/// Each fault breaks the law that is about it; the faultless sphere breaks none.
#[test]
fn broken_spaces_are_found_out() -> Result<(), ManifoldError> {
    let sphere = Sphere::unit(2)?;
    let verdict = |fault: &'static str| {
        let space = Faulty { sphere, fault };
        check(&space, &mut |rng| space.random_point(rng), &Promise::new(3.0, 1e-13))
    };
    assert_eq!(verdict("none"), Ok(()));
    for (fault, law) in [
        ("a dimension too many", "as many vectors as dimensions"),
        ("exp leaves the sphere", "exp ends on the manifold"),
        ("exp is too fast", "log exp v = v"),
        ("log refuses", "log answers"),
        ("log is not tangent", "log exp v = v"),
        ("dist by arccos", "dist of points"),
        ("dist is not symmetric", "dist is"),
        ("dist is NaN", "exp log q = q"),
        ("the basis is skew", "the basis is orthonormal"),
        ("coordinates in another order", "coordinates are those of the basis"),
        ("coordinates do not come back", "coordinates give the vector back"),
        ("transport by projection", "transport keeps"),
        ("transport turns with distance", "transport and back"),
        ("transport turns with height", "the velocity is parallel"),
        ("curvature above its bound", "at most its upper bound"),
        ("curvature below its bound", "at least its lower bound"),
        ("Gaussians are not tangent", "Gaussian is tangent"),
        ("weights are ignored", "the mean log is"),
        ("mean squares are not squared", "the mean square is"),
        ("the rough mean is inside", "a rough mean is on the manifold"),
        ("the mean of nothing is a pole", "the mean of no points is refused"),
    ] {
        let broken = verdict(fault).expect_err(fault).to_string();
        assert!(broken.contains(law) && broken.contains("seed 2"), "{fault}: {broken}");
    }
    Ok(())
}

/// A failure can be had again from its seed.
#[test]
fn seeds_replay_failures() -> Result<(), ManifoldError> {
    let space = Faulty { sphere: Sphere::unit(2)?, fault: "curvature below its bound" };
    let from = |seed| {
        check(&space, &mut |rng| space.random_point(rng), &Promise { seed, ..Promise::new(3.0, 1e-13) })
    };
    let Err(BrokenLaw::Off { seed, error, .. }) = from(1000) else { panic!("the law is broken") };
    assert!(
        matches!(from(seed), Err(BrokenLaw::Off { seed: again, error: same, .. }) if again == seed && same == error)
    );
    Ok(())
}
