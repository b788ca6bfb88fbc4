//! Coordinates of tangent vectors: those of the basis wherever the point lies, and without one where it would not fit.

use nalgebra::{Complex, DMatrix, DVector, dvector};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use visard::manifold::*;

/// The coordinates of random vectors are inner products with `basis`, and come back.
fn agree<M: Manifold>(space: &M, p: &M::Point, basis: &[M::Tangent], tolerance: f64) {
    assert_eq!(space.check(p), Ok(()));
    assert_eq!(basis.len(), space.dim(), "{space:?} at {p:?}");
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for _ in 0..3 {
        let v = space.tangent_gaussian(p, 1.0, &mut rng);
        let found = space.coordinates(p, &v);
        for (c, e) in found.iter().zip(basis) {
            let expected = space.inner(p, e, &v);
            assert!((c - expected).abs() < tolerance, "{space:?} at {p:?}: {c} for {expected}");
        }
        let mut off = space.from_coordinates(p, &found);
        space.axpy(-1.0, &v, &mut off);
        assert!(space.norm(p, &off) < tolerance, "{space:?} at {p:?}");
    }
}

/// Spaces whose basis is that of Gram–Schmidt have it at every point, those where it drops vectors early included.
#[test]
fn coordinates_are_those_of_gram_schmidt_at_special_points() -> Result<(), ManifoldError> {
    let gram_schmidt =
        |space: &Sphere, p: &DVector<f64>| agree(space, p, &orthonormal_basis(space, p), 1e-13);
    for radius in [1.0, 3.0] {
        let sphere = Sphere::new(3, radius)?;
        for p in [
            dvector![1.0, 0.0, 0.0, 0.0],
            dvector![0.0, -1.0, 0.0, 0.0],
            dvector![0.0, 0.0, 0.0, 1.0],
            dvector![0.6, 0.0, -0.8, 0.0],
            dvector![0.6, 0.8, 1e-11, -1e-12],
            dvector![1e-11, 1.0, 0.0, 1e-12],
        ] {
            gram_schmidt(&sphere, &(p.normalize() * radius));
        }
    }
    let shapes = Kendall::new(5)?;
    for landmarks in [
        [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.5, 0.5]],
        [[0.0, 0.0], [1.0, 0.0], [2.0, 3.0], [2.0, 3.0], [2.0, 3.0]],
        [[1.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]],
        [[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [1.0, 0.0], [2.0, 0.0]],
    ] {
        let p = shapes.preshape(&landmarks)?;
        agree(&shapes, &p, &orthonormal_basis(&shapes, &p), 1e-13);
        let turned = p.map(|z| z * Complex::from_polar(1.0, 0.7));
        agree(&shapes, &turned, &orthonormal_basis(&shapes, &turned), 1e-13);
    }
    let hyperbolic = Lorentz::new(3)?;
    for x in [[0.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.3, -4.0, 0.0], [1e-9, 0.0, 1e-9], [30.0, 1.0, -7.0]] {
        let p = hyperbolic.from_space(&DVector::from_row_slice(&x));
        agree(&hyperbolic, &p, &orthonormal_basis(&hyperbolic, &p), 1e-11);
    }
    let subspaces = Grassmann::new(5, 2)?;
    let last = DMatrix::from_fn(5, 2, |i, j| f64::from(i == j + 3));
    for p in [DMatrix::identity(5, 2), last] {
        agree(&subspaces, &p, &orthonormal_basis(&subspaces, &p), 1e-13);
    }
    let ball = PoincareBall::new(3)?;
    let p = dvector![0.3, 0.0, -0.9];
    agree(&ball, &p, &orthonormal_basis(&ball, &p), 1e-12);
    let flat = Euclidean::new(4);
    agree(&flat, &DVector::zeros(4), &orthonormal_basis(&flat, &DVector::zeros(4)), 1e-15);
    Ok(())
}

/// A frame gives what the space gives, with a kept basis and without.
#[test]
fn frames_agree_with_their_space() -> Result<(), ManifoldError> {
    fn check<M: Manifold>(space: &M) {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let p = space.random_point(&mut rng);
        let frame = TangentFrame::new(space.clone(), p.clone());
        assert_eq!(frame.dim(), space.dim());
        let v = space.tangent_gaussian(&p, 1.0, &mut rng);
        let (of_frame, of_space) = (frame.coordinates(&v), space.coordinates(&p, &v));
        assert!(of_frame.iter().zip(&of_space).all(|(a, b)| (a - b).abs() < 1e-11), "{space:?}");
        let mut off = frame.vector(&of_space);
        space.axpy(-1.0, &v, &mut off);
        assert!(space.norm(&p, &off) < 1e-11, "{space:?}");
    }
    // Dimensions 255 to 258 about the largest kept basis.
    for dim in 255..=258 {
        check(&Sphere::unit(dim)?);
    }
    check(&Kendall::new(40)?);
    check(&Kendall::new(140)?);
    check(&SpdAffineInvariant::new(7)?);
    check(&SpdAffineInvariant::new(23)?);
    check(&Stiefel::new(9, 4)?);
    Ok(())
}

/// Matrices of order 200: a basis of their tangent space would be 20100 matrices, 6 gigabytes. Subspaces and shapes likewise.
#[test]
fn large_spaces_have_coordinates_without_a_basis() -> Result<(), ManifoldError> {
    fn check<M: Manifold>(space: &M, tolerance: f64) {
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        let p = space.random_point(&mut rng);
        let v = space.tangent_gaussian(&p, 1.0, &mut rng);
        let frame = TangentFrame::new(space.clone(), p.clone());
        let coordinates = frame.coordinates(&v);
        assert_eq!(coordinates.len(), space.dim());
        let norm = coordinates.iter().map(|c| c * c).sum::<f64>().sqrt();
        assert!((norm / space.norm(&p, &v) - 1.0).abs() < tolerance, "{space:?}");
        // Coordinates of a Gaussian are a Gaussian's: χ² with dim degrees of freedom is within five deviations of its mean.
        let dim = space.dim() as f64;
        assert!((norm * norm / dim - 1.0).abs() < 5.0 * (2.0 / dim).sqrt(), "{space:?}: {norm}");
        let mut off = frame.vector(&coordinates);
        space.axpy(-1.0, &v, &mut off);
        assert!(space.norm(&p, &off) < tolerance * norm, "{space:?}");
    }
    check(&SpdAffineInvariant::new(200)?, 1e-11);
    check(&SpdLogEuclidean::new(200)?, 1e-11);
    check(&SpdBuresWasserstein::new(200)?, 1e-11);
    check(&Euclidean::new(20_100), 1e-14);
    check(&Sphere::unit(5000)?, 1e-12);
    check(&Kendall::new(2000)?, 1e-12);
    check(&Grassmann::new(784, 5)?, 1e-12);
    check(&Stiefel::new(784, 5)?, 1e-12);
    check(&Product::new(Sphere::unit(700)?, SpdAffineInvariant::new(40)?), 1e-11);
    Ok(())
}
