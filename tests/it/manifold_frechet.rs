//! Fréchet means: stationary, equivariant, and equal to closed forms where there are any.

use nalgebra::{DMatrix, DVector, dmatrix, dvector};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use visard::manifold::*;
use visard::stats::*;

/// Points at random distances up to `reach` from a random centre.
fn cloud<M: Manifold, R: Rng>(m: &M, n: usize, reach: f64, rng: &mut R) -> Vec<M::Point> {
    let center = m.random_point(rng);
    (0..n)
        .map(|_| {
            let direction = m.random_direction(&center, rng);
            m.exp(&center, &m.scale(reach * rng.random::<f64>(), &direction))
        })
        .collect()
}

fn stationary<M: Manifold>(name: &str, m: &M, reach: f64, tolerance: f64) -> Result<(), ManifoldError> {
    // More than one level of subsets; the Stiefel logarithm is slow.
    let largest = if name == "Stiefel" { 60 } else { 3000 };
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for n in [1, 2, 5, 40, largest] {
        let points = cloud(m, n, reach, &mut rng);
        let options = FrechetOptions { gradient_tolerance: tolerance, ..FrechetOptions::default() };
        let mean = frechet_mean(m, &points, None, None, options)?;
        let certificate = mean.certificate;
        assert!(certificate.converged(), "{name}, {n} points: {certificate:?}");
        m.check(&mean.point)?;
        // The certificate says what an independent evaluation finds.
        let mut sum = m.zero(&mean.point);
        for q in &points {
            m.axpy(1.0 / n as f64, &m.log(&mean.point, q)?, &mut sum);
        }
        assert!(m.norm(&mean.point, &sum) <= 3.0 * tolerance, "{name}, {n} points");
        // It is a minimum.
        let f = |p: &M::Point| points.iter().map(|q| m.dist(p, q).powi(2)).sum::<f64>() / n as f64 / 2.0;
        let here = f(&mean.point);
        assert!((mean.objective - here).abs() <= 1e-12 * here.max(1.0));
        for _ in 0..5 {
            let direction = m.random_direction(&mean.point, &mut rng);
            assert!(f(&m.exp(&mean.point, &m.scale(0.02 * reach, &direction))) > here - 1e-15, "{name}");
        }
        // A warm start at the solution has nothing to do.
        let again = frechet_mean(m, &points, None, Some(&mean.point), options)?;
        assert_eq!(again.certificate.iterations, 0);
        // Integer weights are repetitions.
        if n == 5 {
            let weights = [1.0, 2.0, 0.0, 3.0, 1.0];
            let repeated: Vec<_> =
                points.iter().zip(weights).flat_map(|(p, w)| vec![p.clone(); w as usize]).collect();
            let weighted = frechet_mean(m, &points, Some(&weights), None, options)?.point;
            let spelled = frechet_mean(m, &repeated, None, None, options)?.point;
            assert!(m.dist(&weighted, &spelled) < 10.0 * tolerance, "{name}: weights");
        }
        // Two points: the midpoint.
        if n == 2 {
            let half = m.dist(&points[0], &points[1]) / 2.0;
            assert!((m.dist(&points[0], &mean.point) - half).abs() < 10.0 * tolerance, "{name}: midpoint");
        }
    }
    Ok(())
}

#[test]
fn means_are_stationary_on_every_manifold() -> Result<(), ManifoldError> {
    stationary("Euclidean", &Euclidean::new(3), 4.0, 1e-14)?;
    stationary("sphere", &Sphere::unit(2)?, 1.5, 1e-14)?;
    stationary("large sphere", &Sphere::new(5, 3.0)?, 3.0, 1e-13)?;
    stationary("circle", &Sphere::unit(1)?, 1.0, 1e-14)?;
    stationary("Kendall", &Kendall::new(12)?, 0.7, 1e-14)?;
    stationary("Poincaré", &PoincareBall::new(3)?, 3.0, 1e-12)?;
    stationary("Lorentz", &Lorentz::new(3)?, 3.0, 1e-12)?;
    stationary("affine-invariant", &SpdAffineInvariant::new(4)?, 4.0, 1e-13)?;
    stationary("log-Euclidean", &SpdLogEuclidean::new(4)?, 4.0, 1e-13)?;
    stationary("Bures–Wasserstein", &SpdBuresWasserstein::new(3)?, 0.2, 1e-13)?;
    stationary("Grassmann", &Grassmann::new(6, 2)?, 0.5, 1e-13)?;
    stationary("Stiefel", &Stiefel::new(5, 2)?, 0.7, 1e-12)?;
    stationary("product", &Product::new(Sphere::unit(3)?, SpdAffineInvariant::new(2)?), 1.2, 1e-13)
}

#[test]
fn commuting_matrices_have_their_geometric_mean() -> Result<(), ManifoldError> {
    let m = SpdAffineInvariant::new(3)?;
    let rotation = nalgebra::Rotation3::from_euler_angles(0.3, -1.1, 0.7).into_inner();
    let rotation = DMatrix::from_column_slice(3, 3, rotation.as_slice());
    let spectra = [dvector![1e-4, 2.0, 9.0], dvector![3e-2, 0.5, 100.0], dvector![7.0, 1.0, 1e3]];
    let points: Vec<_> =
        spectra.iter().map(|d| &rotation * DMatrix::from_diagonal(d) * rotation.transpose()).collect();
    let mean = frechet_mean(&m, &points, None, None, FrechetOptions::default())?;
    let expected = DVector::from_fn(3, |i, _| spectra.iter().map(|d| d[i]).product::<f64>().cbrt());
    let expected = &rotation * DMatrix::from_diagonal(&expected) * rotation.transpose();
    assert!(m.dist(&mean.point, &expected) < 1e-10);
    Ok(())
}

#[test]
fn affine_invariant_means_move_with_congruences_and_inverses() -> Result<(), ManifoldError> {
    let m = SpdAffineInvariant::new(5)?;
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let points = cloud(&m, 30, 3.0, &mut rng);
    let mean = frechet_mean(&m, &points, None, None, FrechetOptions::default())?.point;
    let a = DMatrix::from_fn(5, 5, |_, _| rng.random::<f64>() - 0.3);
    let symmetric = |x: DMatrix<f64>| (&x + x.transpose()) * 0.5;
    let moved: Vec<_> = points.iter().map(|p| symmetric(&a * p * a.transpose())).collect();
    let moved_mean = frechet_mean(&m, &moved, None, None, FrechetOptions::default())?.point;
    assert!(m.dist(&moved_mean, &symmetric(&a * &mean * a.transpose())) < 1e-9);
    let inverses: Vec<_> = points.iter().filter_map(|p| p.clone().try_inverse()).map(symmetric).collect();
    assert_eq!(inverses.len(), points.len());
    let inverse_mean = frechet_mean(&m, &inverses, None, None, FrechetOptions::default())?.point;
    assert!(m.dist(&symmetric(inverse_mean * &mean), &DMatrix::identity(5, 5)) < 1e-9);
    Ok(())
}

#[test]
fn both_hyperbolic_models_agree() -> Result<(), ManifoldError> {
    let (ball, sheet) = (PoincareBall::new(4)?, Lorentz::new(4)?);
    let points = cloud(&ball, 50, 3.0, &mut ChaCha8Rng::seed_from_u64(5));
    let lifted: Vec<_> = points.iter().map(|p| ball.to_lorentz(p)).collect();
    let a = frechet_mean(&ball, &points, None, None, FrechetOptions::default())?.point;
    let b = frechet_mean(&sheet, &lifted, None, None, FrechetOptions::default())?.point;
    assert!(sheet.dist(&ball.to_lorentz(&a), &b) < 1e-11);
    assert!(ball.dist(&a, &sheet.to_poincare(&b)) < 1e-11);
    Ok(())
}

#[test]
fn an_unreachable_tolerance_or_cap_is_not_convergence() -> Result<(), ManifoldError> {
    let m = SpdAffineInvariant::new(4)?;
    let points = cloud(&m, 20, 3.0, &mut ChaCha8Rng::seed_from_u64(1));
    let options = FrechetOptions { gradient_tolerance: 0.0, max_iterations: 100 };
    let mean = frechet_mean(&m, &points, None, None, options)?;
    assert!(!mean.certificate.converged());
    assert_eq!(mean.certificate.stop, Stop::Stalled);
    assert!(mean.certificate.gradient_norm < 1e-13, "{:?}", mean.certificate);
    let options = FrechetOptions { gradient_tolerance: 1e-13, max_iterations: 1 };
    let mean = frechet_mean(&m, &points, None, None, options)?;
    assert_eq!(mean.certificate.stop, Stop::IterationCap);
    assert!(!mean.certificate.converged());
    Ok(())
}

/// Matrices of condition up to 1e12, in random directions: the mean is found as exactly as rounding allows, at every scale, and is the same about
/// the whitened matrices.
#[test]
fn ill_conditioned_matrices_have_a_mean_at_every_scale() -> Result<(), ManifoldError> {
    let (k, n) = (8, 30);
    let symmetric = |x: DMatrix<f64>| (&x + x.transpose()) * 0.5;
    let m = SpdAffineInvariant::new(k)?;
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let spread: Vec<DMatrix<f64>> = cloud(&m, n, 1.0, &mut rng);
    let turn = m.random_point(&mut rng).symmetric_eigen().eigenvectors;
    let expected = frechet_mean(&m, &spread, None, None, FrechetOptions::default())?.point;
    for (decades, scale) in [(6, 1.0), (8, 1.0), (10, 1.0), (12, 1.0), (10, 1e-20), (10, 1e20)] {
        let axis = |i: usize| scale * 10f64.powf(-0.5 * f64::from(decades) * i as f64 / (k - 1) as f64);
        let root = &turn * DMatrix::from_diagonal(&DVector::from_fn(k, |i, _| axis(i)));
        let points: Vec<DMatrix<f64>> =
            spread.iter().map(|x| symmetric(&root * x * root.transpose())).collect();
        for p in &points {
            m.check(p)?;
        }
        let found = frechet_mean(&m, &points, None, None, FrechetOptions::default())?;
        let certificate = found.certificate;
        assert!(certificate.settled(), "1e{decades}, {scale}: {certificate:?}");
        let off = m.dist(&symmetric(&root * &expected * root.transpose()), &found.point);
        assert!(off < 1e-15 * 10f64.powi(decades), "1e{decades}, {scale}: {off}, {certificate:?}");
    }
    Ok(())
}

#[test]
fn bad_weights_and_empty_data_are_errors() -> Result<(), ManifoldError> {
    let m = Euclidean::new(1);
    let points = [dvector![1.0], dvector![2.0]];
    let mean = |points: &[DVector<f64>], weights: Option<&[f64]>| {
        frechet_mean(&m, points, weights, None, FrechetOptions::default()).map(|m| m.point[0])
    };
    assert!(matches!(mean(&[], None), Err(ManifoldError::Average(_))));
    for bad in [&[1.0][..], &[1.0, -1.0], &[0.0, 0.0], &[f64::NAN, 1.0], &[f64::INFINITY, 1.0]] {
        assert!(matches!(mean(&points, Some(bad)), Err(ManifoldError::Average(_))), "{bad:?}");
    }
    assert_eq!(mean(&points, Some(&[3.0, 1.0]))?, 1.25);
    assert!(mean(&[dvector![f64::NAN]], None).is_err());
    // Antipodal points: the first start has one of them on its cut locus, or there is no unique mean.
    let circle = Sphere::unit(1)?;
    let opposite = [dvector![1.0, 0.0], dvector![-1.0, 0.0]];
    assert!(frechet_mean(&circle, &opposite, None, None, FrechetOptions::default()).is_err());
    Ok(())
}

#[test]
fn procrustes_mean_is_the_leading_eigenvector() -> Result<(), ManifoldError> {
    let m = Kendall::new(7)?;
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let shapes = cloud(&m, 60, 0.3, &mut rng);
    let procrustes = full_procrustes_mean(&m, &shapes, None)?;
    let cost = |p: &_| shapes.iter().map(|z| m.dist(p, z).sin().powi(2)).sum::<f64>();
    let best = cost(&procrustes);
    for _ in 0..200 {
        let direction = m.random_direction(&procrustes, &mut rng);
        assert!(cost(&m.exp(&procrustes, &m.scale(1e-3, &direction))) > best);
    }
    let frechet = frechet_mean(&m, &shapes, None, None, FrechetOptions::default())?.point;
    let apart = m.dist(&procrustes, &frechet);
    assert!(apart > 1e-12 && apart < 5e-3, "near the Fréchet mean, not equal to it: {apart}");
    Ok(())
}

#[test]
fn balls_project_along_geodesics() -> Result<(), ManifoldError> {
    let m = Sphere::unit(2)?;
    let north = dvector![0.0, 0.0, 1.0];
    let ball = GeodesicBall::new(m, north.clone(), 0.4)?;
    let outside = dvector![1.2_f64.sin(), 0.0, 1.2_f64.cos()];
    let (projected, moved) = ball.project(&outside)?;
    assert!(moved && ball.project(&projected)?.0.relative_eq(&projected, 1e-15, 1e-15));
    assert!((projected - dvector![0.4_f64.sin(), 0.0, 0.4_f64.cos()]).norm() < 1e-15);
    let inside = dvector![0.3_f64.sin(), 0.0, 0.3_f64.cos()];
    assert_eq!(ball.project(&inside)?, (inside, false));
    assert_eq!(ball.project(&-&north).map(|_| ()), Err(ManifoldError::CutLocus("sphere")));
    for radius in [0.0, -1.0, f64::NAN, 4.0] {
        assert!(GeodesicBall::new(m, north.clone(), radius).is_err());
    }
    assert!(GeodesicBall::new(m, dvector![0.0, 0.0, 2.0], 0.4).is_err());
    let spd = SpdAffineInvariant::new(2)?;
    let ball = GeodesicBall::new(spd, DMatrix::identity(2, 2), 1.0)?;
    let (projected, _) = ball.project(&dmatrix![100.0, 0.0; 0.0, 1.0])?;
    assert!((projected - dmatrix![1.0_f64.exp(), 0.0; 0.0, 1.0]).norm() < 1e-14);
    Ok(())
}

/// An iteration that was cut short is as near to the mean as its certificate says, and the bound is not idle.
#[test]
fn certificates_bound_the_distance_to_the_mean() {
    let (sphere, r) = (Sphere::unit(3).unwrap(), 0.5);
    let mut rng = ChaCha8Rng::seed_from_u64(41);
    let pole = DVector::from_vec(vec![0.0, 0.0, 0.0, 1.0]);
    for _ in 0..50 {
        let points: Vec<_> = (0..4)
            .map(|_| sphere.exp(&pole, &sphere.scale(r, &sphere.random_direction(&pole, &mut rng))))
            .collect();
        let found = |iterations| {
            let options = FrechetOptions { max_iterations: iterations, ..FrechetOptions::default() };
            frechet_mean(&sphere, &points, None, Some(&points[0]), options).unwrap()
        };
        let (rough, exact) = (found(1), found(200));
        let bound = distance_to_mean(rough.certificate.gradient_norm, sphere.curvature().upper, r);
        let distance = sphere.dist(&rough.point, &exact.point);
        assert!(distance <= bound * (1.0 + 1e-9) + 1e-12 && bound < 0.5, "{distance} {bound}");
        assert!(exact.certificate.converged());
    }
}

#[test]
fn a_mean_that_nobody_wants_any_more_is_given_up() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use visard::stats::{FrechetOptions, Stop, frechet_mean_until};
    let (space, mut rng) =
        (visard::manifold::Sphere::unit(3).unwrap(), rand_chacha::ChaCha8Rng::seed_from_u64(1));
    let pole = space.random_point(&mut rng);
    let points: Vec<_> =
        (0..50).map(|_| space.exp(&pole, &space.tangent_gaussian(&pole, 0.3, &mut rng))).collect();
    let asked = AtomicUsize::new(0);
    let second = || asked.fetch_add(1, Ordering::Relaxed) >= 1;
    let options = FrechetOptions::default();
    let found = frechet_mean_until(&space, &points, None, Some(&points[0]), options, &second).unwrap();
    assert_eq!((found.certificate.stop, found.certificate.iterations), (Stop::Asked, 1));
    assert!(!found.certificate.converged());
}
