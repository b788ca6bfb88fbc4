//! The same laws on every manifold.

mod manifold_support;

use manifold_support::Space;
use visard::manifold::*;

fn check<M: Manifold>(name: &str, manifold: M, reach: f64, tolerance: f64) {
    Space { name, manifold, reach, tolerance, parallel: true }.check();
}

#[test]
fn euclidean() {
    for dim in [1, 2, 7] {
        check("Euclidean", Euclidean::new(dim), 5.0, 1e-14);
    }
}

#[test]
fn spheres() -> Result<(), ManifoldError> {
    for dim in [1, 2, 3, 10] {
        for radius in [1.0, 0.25, 7.0] {
            let sphere = Sphere::new(dim, radius)?;
            check("sphere", sphere, std::f64::consts::PI * radius, 1e-13 * radius.max(1.0));
        }
    }
    Ok(())
}

#[test]
fn planar_shapes() -> Result<(), ManifoldError> {
    for landmarks in [3, 4, 13] {
        check("Kendall", Kendall::new(landmarks)?, std::f64::consts::FRAC_PI_2, 1e-13);
    }
    Ok(())
}

#[test]
fn poincare_ball() -> Result<(), ManifoldError> {
    for dim in [1, 2, 6] {
        check("Poincaré", PoincareBall::new(dim)?, 4.0, 1e-12);
    }
    Ok(())
}

#[test]
fn lorentz_hyperboloid() -> Result<(), ManifoldError> {
    for dim in [1, 2, 6] {
        check("Lorentz", Lorentz::new(dim)?, 4.0, 1e-11);
    }
    Ok(())
}

#[test]
fn affine_invariant() -> Result<(), ManifoldError> {
    for order in [1, 2, 3, 6] {
        check("affine-invariant", SpdAffineInvariant::new(order)?, 4.0, 1e-12);
    }
    Ok(())
}

#[test]
fn log_euclidean() -> Result<(), ManifoldError> {
    for order in [1, 2, 3, 6] {
        check("log-Euclidean", SpdLogEuclidean::new(order)?, 4.0, 1e-12);
    }
    Ok(())
}
