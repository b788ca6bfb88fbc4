//! The same laws on every manifold.

mod manifold_support;

use manifold_support::Space;
use visard::manifold::*;

fn check<M: Manifold>(name: &str, manifold: M, reach: f64, tolerance: f64) {
    Space { name, manifold, reach, tolerance, parallel: true, global: true }.check();
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

#[test]
fn bures_wasserstein() -> Result<(), ManifoldError> {
    for order in [1, 2, 3, 5] {
        let manifold = SpdBuresWasserstein::new(order)?;
        // Random points have eigenvalues above 0.05 or so; geodesics of length 0.2 stay inside.
        Space {
            name: "Bures–Wasserstein",
            manifold,
            reach: 0.2,
            tolerance: 1e-12,
            parallel: false,
            global: true,
        }
        .check();
    }
    Ok(())
}

#[test]
fn grassmann() -> Result<(), ManifoldError> {
    for (rows, columns) in [(2, 1), (4, 1), (4, 2), (9, 3), (5, 4)] {
        check("Grassmann", Grassmann::new(rows, columns)?, std::f64::consts::FRAC_PI_2, 1e-12);
    }
    Ok(())
}

#[test]
fn stiefel() -> Result<(), ManifoldError> {
    for (rows, columns) in [(2, 1), (3, 1), (4, 2), (5, 3)] {
        let manifold = Stiefel::new(rows, columns)?;
        Space { name: "Stiefel", manifold, reach: 2.5, tolerance: 1e-11, parallel: false, global: false }
            .check();
    }
    Ok(())
}

#[test]
fn products() -> Result<(), ManifoldError> {
    let pair = Product::new(Sphere::unit(2)?, SpdAffineInvariant::new(2)?);
    check("product", pair, 3.0, 1e-12);
    check(
        "nested product",
        Product::new(Euclidean::new(1), Product::new(Kendall::new(4)?, PoincareBall::new(2)?)),
        1.5,
        1e-12,
    );
    Ok(())
}
