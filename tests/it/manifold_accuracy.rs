//! Distances and means against high precision (mpmath, 40 to 90 digits: eigendecompositions, acosh and the fixed-point iteration of
//! the Karcher mean, on the same binary inputs), and the limits near and far.

use nalgebra::{Complex, DMatrix, DVector, dmatrix, dvector};
use std::f64::consts::{FRAC_PI_2, PI};
use visard::manifold::*;
use visard::stats::*;

fn close(value: f64, expected: f64, relative: f64) {
    assert!((value / expected - 1.0).abs() <= relative, "{value:e} for {expected:e}");
}

/// The upper triangle by rows.
fn symmetric(x: [f64; 6]) -> DMatrix<f64> {
    let [a, b, c, d, e, f] = x;
    dmatrix![a, b, c; b, d, e; c, e, f]
}

fn four() -> Vec<DMatrix<f64>> {
    vec![
        symmetric([0.465097, 0.441347, -0.236585, 1.446197, 0.712595, 1.200034]),
        symmetric([0.770477, 0.488167, 0.14094, 0.960818, -0.058848, 0.576256]),
        symmetric([1.300738, 0.397037, -0.24296, 0.709786, 0.676819, 1.164022]),
        symmetric([0.546586, -0.324529, -0.473681, 0.813886, -0.0688, 0.785546]),
    ]
}

#[test]
fn distances_of_positive_definite_matrices() -> Result<(), ManifoldError> {
    let p = four();
    close(SpdAffineInvariant::new(3)?.dist(&p[0], &p[1]), 2.795_046_546_781_851, 1e-14);
    close(SpdLogEuclidean::new(3)?.dist(&p[0], &p[1]), 2.737_494_474_598_769, 1e-14);
    close(SpdBuresWasserstein::new(3)?.dist(&p[0], &p[1]), 0.840_593_712_734_973_2, 1e-14);
    // Fourteen decades apart.
    let far = SpdAffineInvariant::new(2)?.dist(&dmatrix![1.0, 0.5; 0.5, 2.0], &dmatrix![1e8, 3.0; 3.0, 1e-6]);
    close(far, 23.611_553_816_539_787, 1e-13);
    Ok(())
}

#[test]
fn karcher_mean_of_four_matrices() -> Result<(), ManifoldError> {
    let options = FrechetOptions { gradient_tolerance: 1e-14, ..FrechetOptions::default() };
    let mean = frechet_mean(&SpdAffineInvariant::new(3)?, &four(), None, None, options)?;
    assert!(mean.certificate.converged());
    let expected = symmetric([
        0.506_959_363_829_909_6,
        0.123_546_394_183_802_5,
        -0.256_815_674_093_033_7,
        0.551_421_748_379_755_2,
        0.191_321_978_427_113_33,
        0.707_522_313_799_588_6,
    ]);
    let error = (mean.point - expected).amax();
    assert!(error < 3e-15, "{error:e}");
    Ok(())
}

#[test]
fn hyperbolic_distances_near_the_boundary_and_of_near_points() -> Result<(), ManifoldError> {
    let ball = PoincareBall::new(2)?;
    let p = dvector![0.3, -0.9];
    close(ball.dist(&p, &dvector![-0.31, 0.949]), 10.735_662_573_224_512, 1e-13);
    let near = &p + dvector![2f64.powi(-40), -(2f64.powi(-41))];
    close(ball.dist(&p, &near), 2.033_691_978_354_039e-11, 1e-14);
    let sheet = Lorentz::new(2)?;
    let dist = |a: [f64; 2], b: [f64; 2]| {
        sheet.dist(&sheet.from_space(&dvector![a[0], a[1]]), &sheet.from_space(&dvector![b[0], b[1]]))
    };
    // cosh d = −⟨p, q⟩ would have lost every digit of the first two.
    close(dist([3e6, 1.0], [3e6, 1.5]), 0.494_932_923_094_484_8, 1e-14);
    close(dist([1048576.0, 0.0], [1048576.0 + 2f64.powi(-10), 0.0]), 9.313_225_741_813_741e-10, 1e-14);
    close(dist([1e3, -4.0], [-5e2, 1e3]), 14.992_344_783_379_234, 1e-14);
    // Both models are the same space.
    let q = dvector![-0.2, 0.4];
    close(sheet.dist(&ball.to_lorentz(&p), &ball.to_lorentz(&q)), ball.dist(&p, &q), 1e-14);
    assert!((sheet.to_poincare(&ball.to_lorentz(&p)) - &p).norm() < 1e-15);
    Ok(())
}

#[test]
fn spheres_at_both_ends() -> Result<(), ManifoldError> {
    let sphere = Sphere::new(2, 3.0)?;
    let at = |t: f64| dvector![3.0 * t.cos(), 3.0 * t.sin(), 0.0];
    for t in [1e-12, 1e-9, 1e-5, 1.0, FRAC_PI_2, 3.0] {
        close(sphere.dist(&at(0.0), &at(t)), 3.0 * t, 1e-15);
    }
    // Near the antipode the distance is right to the last digit and the logarithm still inverts exp.
    for gap in [1e-3, 1e-6, 1e-9, 1e-12] {
        let q = at(PI - gap);
        assert!((sphere.dist(&at(0.0), &q) - 3.0 * (PI - gap)).abs() < 3e-15);
        let v = sphere.log(&at(0.0), &q)?;
        assert!((sphere.exp(&at(0.0), &v) - q).norm() < 1e-14);
    }
    let opposite = dvector![-3.0, 0.0, 0.0];
    assert_eq!(sphere.dist(&at(0.0), &opposite), 3.0 * PI);
    assert_eq!(sphere.log(&at(0.0), &opposite), Err(ManifoldError::CutLocus("sphere")));
    assert!(sphere.transport(&at(0.0), &opposite, &dvector![0.0, 1.0, 0.0]).is_err());
    Ok(())
}

#[test]
fn shapes_do_not_feel_place_size_or_rotation() -> Result<(), ManifoldError> {
    let space = Kendall::new(5)?;
    let shape = [[0.0, 0.0], [4.0, 0.5], [5.0, 3.0], [2.0, 6.0], [-1.0, 2.0]];
    let other = [[0.0, 0.0], [4.0, 0.0], [5.0, 4.0], [2.0, 5.0], [-2.0, 2.0]];
    let turned = |points: &[[f64; 2]; 5], angle: f64, size: f64| {
        points.map(|[x, y]| {
            let z = Complex::new(x, y) * Complex::from_polar(size, angle) + Complex::new(1e3, -7.0);
            [z.re, z.im]
        })
    };
    let (p, q) = (space.preshape(&shape)?, space.preshape(&other)?);
    let moved = space.preshape(&turned(&shape, 2.0, 1e-3))?;
    assert!(space.dist(&p, &moved) < 1e-9);
    assert!((space.dist(&moved, &q) - space.dist(&p, &q)).abs() < 1e-9);
    // Aligned shapes need no rotation, and transport lands at the representative it was asked for.
    let aligned = space.align(&p, &q)?;
    assert!(p.dotc(&aligned).im.abs() < 1e-16 && p.dotc(&aligned).re > 0.0);
    let v = space.log(&p, &q)?;
    let (at_q, at_aligned) = (space.transport(&p, &q, &v)?, space.transport(&p, &aligned, &v)?);
    let phase = aligned.dotc(&q);
    assert!((at_aligned * phase - at_q).norm() < 1e-15);
    assert!((space.exp(&p, &v) - aligned).norm() < 1e-15);
    // An equilateral triangle and its mirror image are as far apart as triangles can be.
    let triangles = Kendall::new(3)?;
    let corner = |k: f64| [(2.0 * PI * k / 3.0).cos(), (2.0 * PI * k / 3.0).sin()];
    let left = triangles.preshape(&[corner(0.0), corner(1.0), corner(2.0)])?;
    let right = triangles.preshape(&[corner(0.0), corner(2.0), corner(1.0)])?;
    close(triangles.dist(&left, &right), FRAC_PI_2, 1e-15);
    assert_eq!(triangles.log(&left, &right), Err(ManifoldError::CutLocus("planar shape space")));
    // Triangles form the sphere of radius ½: a degenerate one is half-way between the two.
    let flat = triangles.preshape(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])?;
    close(triangles.dist(&left, &flat), FRAC_PI_2 / 2.0, 1e-15);
    Ok(())
}

#[test]
fn principal_angles_small_and_large() -> Result<(), ManifoldError> {
    let space = Grassmann::new(6, 3)?;
    let start = DMatrix::identity(6, 3);
    for angles in
        [[1e-9_f64, 1e-5, 0.3], [1e-12, 1e-12, 1e-12], [1.5, 1.56, 1e-7], [0.4510268, 0.451026, 0.452]]
    {
        let mut end = DMatrix::zeros(6, 3);
        for (j, t) in angles.iter().enumerate() {
            end[(j, j)] = t.cos();
            end[(j + 3, j)] = t.sin();
        }
        // Another basis of the same subspace.
        let turn = nalgebra::Rotation3::from_euler_angles(0.4, 1.0, -2.0).into_inner();
        let end = end * DMatrix::from_column_slice(3, 3, turn.as_slice());
        let expected = angles.iter().map(|t| t * t).sum::<f64>().sqrt();
        assert!((space.dist(&start, &end) - expected).abs() < 1e-15 + 1e-15 * expected, "{angles:?}");
        assert!(space.dist(&space.exp(&start, &space.log(&start, &end)?), &end) < 1e-14, "{angles:?}");
    }
    Ok(())
}

#[test]
fn stiefel_logarithm_refuses_what_it_cannot_certify() -> Result<(), ManifoldError> {
    let space = Stiefel::new(4, 2)?;
    let x = DMatrix::identity(4, 2);
    // A rotation of both columns in their own plane by t has length t√2.
    let turned = |t: f64| {
        let mut q = DMatrix::zeros(4, 2);
        q.view_mut((0, 0), (2, 2)).copy_from(&dmatrix![t.cos(), -t.sin(); t.sin(), t.cos()]);
        q
    };
    for t in [1e-9, 0.5, 2.0, 2.2] {
        assert!((space.dist(&x, &turned(t)) - t * 2f64.sqrt()).abs() < 1e-13, "{t}");
    }
    assert!(space.log(&x, &turned(3.0)).is_err());
    assert!(space.dist(&x, &turned(3.0)).is_nan());
    Ok(())
}

#[test]
fn metrics_of_positive_definite_matrices_are_invariant() -> Result<(), ManifoldError> {
    let p = four();
    let (ai, le, bw) = (SpdAffineInvariant::new(3)?, SpdLogEuclidean::new(3)?, SpdBuresWasserstein::new(3)?);
    let a = dmatrix![1.0, 0.3, 0.0; -2.0, 0.7, 0.1; 0.4, 0.0, 3.0];
    let moved = |a: &DMatrix<f64>, p: &DMatrix<f64>| {
        let q = a * p * a.transpose();
        (&q + q.transpose()) * 0.5
    };
    close(ai.dist(&moved(&a, &p[0]), &moved(&a, &p[1])), ai.dist(&p[0], &p[1]), 1e-13);
    let rotation = nalgebra::Rotation3::from_euler_angles(0.4, 1.0, -2.0).into_inner();
    let rotation = DMatrix::from_column_slice(3, 3, rotation.as_slice());
    let (q0, q1) = (moved(&rotation, &p[0]), moved(&rotation, &p[1]));
    close(le.dist(&q0, &q1), le.dist(&p[0], &p[1]), 1e-13);
    close(bw.dist(&q0, &q1), bw.dist(&p[0], &p[1]), 1e-13);
    close(le.dist(&(&p[0] * 5.0), &(&p[1] * 5.0)), le.dist(&p[0], &p[1]), 1e-13);
    // Coordinates of the log-Euclidean metric are Euclidean and round-trip.
    let (x, y) = (le.chart(&p[0]), le.chart(&p[1]));
    close((&x - &y).norm(), le.dist(&p[0], &p[1]), 1e-14);
    assert!((le.from_chart(&x) - &p[0]).amax() < 1e-14);
    Ok(())
}

#[test]
fn bad_points_are_named() -> Result<(), ManifoldError> {
    let spd = SpdAffineInvariant::new(2)?;
    let off = |result: Result<(), ManifoldError>| matches!(result, Err(ManifoldError::OffManifold { .. }));
    assert!(off(spd.check(&dmatrix![1.0, 2.0; 2.0, 1.0])));
    assert!(off(spd.check(&dmatrix![1.0, 0.1; 0.2, 1.0])));
    assert!(off(spd.check(&DMatrix::zeros(2, 2))));
    assert!(matches!(spd.check(&dmatrix![f64::NAN, 0.0; 0.0, 1.0]), Err(ManifoldError::NotFinite(_))));
    assert!(matches!(spd.check(&DMatrix::identity(3, 3)), Err(ManifoldError::WrongSize { .. })));
    assert!(spd.log(&DMatrix::identity(2, 2), &dmatrix![1.0, 2.0; 2.0, 1.0]).is_err());
    let mixed = [DMatrix::identity(2, 2), dmatrix![1.0, 2.0; 2.0, 1.0]];
    assert!(spd.mean_log(&mixed[0], &mixed, None).is_err());
    assert!(off(Sphere::unit(2)?.check(&dvector![1.0, 1.0, 0.0])));
    assert!(off(PoincareBall::new(2)?.check(&dvector![1.0, 0.0])));
    assert!(off(Lorentz::new(2)?.check(&dvector![1.0, 1.0, 0.0])));
    assert!(off(Lorentz::new(2)?.check(&dvector![-1.0, 0.0, 0.0])));
    assert!(off(Stiefel::new(3, 2)?.check(&DMatrix::from_element(3, 2, 0.5))));
    let kendall = Kendall::new(3)?;
    let one = Complex::new(1.0, 0.0);
    assert!(off(kendall.check(&DVector::from_element(3, one))));
    assert!(off(kendall.check(&DVector::from_vec(vec![one, -one, one * 0.0]))));
    for bad in [[[1.0, 2.0]; 3], [[1e300, 2.0]; 3]] {
        assert!(off(kendall.preshape(&bad).map(|_| ())));
    }
    assert!(kendall.preshape(&[[f64::INFINITY, 0.0], [0.0, 0.0], [1.0, 0.0]]).is_err());
    assert!(kendall.preshape(&[[0.0, 0.0], [1.0, 0.0]]).is_err());
    // Collinear shapes are shapes; huge and tiny coordinates do not overflow.
    for size in [1e-300, 1.0, 1e300] {
        kendall.check(&kendall.preshape(&[[0.0, 0.0], [size, size], [0.5 * size, 0.5 * size]])?)?;
    }
    for none in
        [Kendall::new(2).err(), Sphere::new(2, 0.0).err(), Sphere::unit(0).err(), Stiefel::new(2, 2).err()]
    {
        let message = none.map(|e| e.to_string()).unwrap_or_default();
        assert!(message.starts_with("no ") && !message.contains('\n'), "{message}");
    }
    assert!(SpdLogEuclidean::new(0).is_err() && Lorentz::new(0).is_err() && PoincareBall::new(0).is_err());
    Ok(())
}

/// Balls have the volume that the density of their spheres integrates to.
#[test]
fn volumes_of_whole_spaces() -> Result<(), ManifoldError> {
    fn integral<M: Isotropic>(m: &M) -> f64 {
        let n = 200_000;
        let h = m.diameter() / n as f64;
        (0..n).map(|i| m.ln_sphere_density((i as f64 + 0.5) * h).exp() * h).sum()
    }
    // vol S² = 4πR², divided by that of the unit circle of directions; vol S³ = 2π²; vol ℂPᵐ = πᵐ/m! by 2πᵐ/(m−1)!.
    close(integral(&Sphere::new(2, 3.0)?), 18.0, 1e-9);
    close(integral(&Sphere::unit(3)?), FRAC_PI_2, 1e-9);
    close(integral(&Kendall::new(6)?), 1.0 / 8.0, 1e-9);
    close(Lorentz::new(3)?.ln_sphere_density(2.0), 2.0 * 2f64.sinh().ln(), 1e-15);
    close(PoincareBall::new(3)?.ln_sphere_density(800.0), 2.0 * (800.0 - 2f64.ln()), 1e-15);
    assert_eq!(Euclidean::new(4).ln_sphere_density(0.0), f64::NEG_INFINITY);
    assert_eq!(Euclidean::new(1).ln_sphere_density(0.0), 0.0);
    Ok(())
}
