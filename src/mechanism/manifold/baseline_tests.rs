//! The baselines: noise of the claimed scale, sensitivities against brute force.

use super::*;
use crate::manifold::{Kendall, Manifold, SpdAffineInvariant, SpdLogEuclidean, Sphere};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Charge, ClipSource, Epsilon, L2Sensitivity, Ledger, Mu};
use crate::stats::{FrechetOptions, frechet_mean};
use nalgebra::{Complex, DMatrix, DVector, dvector};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

const DRAWS: usize = 4000;
const RADIUS: f64 = 0.3;
const RECORDS: u64 = 20;

fn radius(r: f64) -> ClipRadius {
    ClipRadius::new(r, ClipSource::Public).unwrap()
}

fn noises() -> [VectorNoise; 2] {
    [VectorNoise::Laplace(Epsilon::new(0.8).unwrap()), VectorNoise::Gaussian(Mu::new(1.7).unwrap())]
}

/// Draws are compared with the scale Δ/ε or Δ/μ that the proof asks for, `delta` in closed form. Each test value is a mean of
/// independent terms, five of its standard deviations from the expected one at most: 6e-7 is the false-alarm rate of each. Noise
/// 10 % too small would be nine standard deviations off or more.
fn check_scale(
    noise: VectorNoise,
    delta: f64,
    statistic: &[f64],
    draw: impl Fn(&mut NoiseSource, Charge) -> Vec<f64>,
) {
    let (mut source, d) = (NoiseSource::seeded(31), statistic.len() as f64);
    let paid = || Ledger::in_memory(None).charge("test", noise.loss()).unwrap();
    let squares: Vec<f64> = (0..DRAWS)
        .map(|_| draw(&mut source, paid()).iter().zip(statistic).map(|(x, s)| (x - s).powi(2)).sum())
        .collect();
    let mean = |f: fn(f64) -> f64| squares.iter().map(|q| f(*q)).sum::<f64>() / DRAWS as f64;
    match noise {
        VectorNoise::Gaussian(mu) => {
            // ‖noise‖²/σ² is χ² with d degrees of freedom.
            let ratio = mean(|q| q) / (d * (delta / mu.get()).powi(2));
            let allowed = 5.0 * (2.0 / (d * DRAWS as f64)).sqrt();
            assert!((ratio - 1.0).abs() < allowed && allowed < 0.09, "{ratio} ± {allowed}");
        }
        VectorNoise::Laplace(epsilon) => {
            // ‖noise‖/σ is Gamma(d): mean and variance d.
            let ratio = mean(f64::sqrt) / (d * delta / epsilon.get());
            let allowed = 5.0 / (d * DRAWS as f64).sqrt();
            assert!((ratio - 1.0).abs() < allowed && allowed < 0.05, "{ratio} ± {allowed}");
        }
    }
}

#[test]
fn extrinsic_noise_on_spheres_has_the_claimed_scale() {
    for size in [1.0, 3.0] {
        let sphere = Sphere::new(2, size).unwrap();
        let centre = dvector![0.0, 0.0, size];
        let ball = PublicBall::new(&sphere, centre, radius(RADIUS * size)).unwrap();
        for noise in noises() {
            let mechanism = ExtrinsicSphere::new(&ball, RECORDS, noise).unwrap();
            let delta = 2.0 * size * RADIUS.sin() / RECORDS as f64;
            approx::assert_relative_eq!(mechanism.price().sensitivity, delta, max_relative = 1e-8);
            let statistic = [0.1, -0.2, 0.9];
            check_scale(noise, delta, &statistic, |source, paid| {
                mechanism.noised(&statistic, source, paid).unwrap()
            });
            sphere.check(&mechanism.point(&[0.3, -0.1, 0.2])).unwrap();
            assert_eq!(mechanism.point(&[0.0; 3]), *ball.centre());
        }
    }
}

#[test]
fn extrinsic_noise_on_matrices_has_the_claimed_scale() {
    let moved = L2Sensitivity::of_clipped_mean(radius(RADIUS), RECORDS).unwrap();
    for centre in [DMatrix::identity(2, 2), nalgebra::dmatrix![5.0, 1.0; 1.0, 0.4]] {
        for noise in noises() {
            let mechanism = ExtrinsicSpd::new(&centre, radius(RADIUS), RECORDS, moved, noise).unwrap();
            let largest = centre.symmetric_eigenvalues().max();
            let delta = largest * RADIUS.exp() * 2.0 * RADIUS / RECORDS as f64;
            approx::assert_relative_eq!(mechanism.price().sensitivity, delta, max_relative = 1e-8);
            let mean = nalgebra::dmatrix![1.2, 0.3; 0.3, 0.8];
            let statistic = mechanism.statistic(&mean);
            check_scale(noise, delta, &statistic, |source, paid| {
                mechanism.noised(&statistic, source, paid).unwrap()
            });
            approx::assert_relative_eq!(mechanism.point(&statistic), mean, max_relative = 1e-15);
        }
    }
    let broken = DMatrix::from_element(2, 2, f64::NAN);
    assert!(ExtrinsicSpd::new(&broken, radius(1.0), 5, moved, noises()[0]).is_err());
}

/// As [`check_scale`]: |noise|/b is exponential in every coordinate.
#[test]
fn pointwise_noise_has_the_claimed_scale() {
    let shapes = Kendall::new(4).unwrap();
    let centre = shapes.random_point(&mut ChaCha8Rng::seed_from_u64(32));
    let ball = PublicBall::new(&shapes, centre, radius(RADIUS)).unwrap();
    let epsilon = Epsilon::new(0.8).unwrap();
    for (alignment, width) in [(Alignment::Aligned, RADIUS), (Alignment::Unaligned, 2.0)] {
        let mechanism = PointwiseShape::new(&ball, RECORDS, epsilon, alignment).unwrap();
        let scale = 8.0 * width / RECORDS as f64 / 0.8;
        approx::assert_relative_eq!(mechanism.price().scale, scale, max_relative = 1e-8);
        let statistic: Vec<f64> = (0..8).map(|i| 0.1 * f64::from(i)).collect();
        let mut source = NoiseSource::seeded(33);
        // The exact discrete sampler is slow.
        let draws = 500;
        let mut sum = 0.0;
        for _ in 0..draws {
            let paid = Ledger::in_memory(None).charge("test", mechanism.price().loss).unwrap();
            let noised = mechanism.noised(&statistic, &mut source, paid).unwrap();
            sum += noised.iter().zip(&statistic).map(|(x, s)| (x - s).abs()).sum::<f64>();
        }
        let count = 8.0 * f64::from(draws);
        let ratio = sum / count / scale;
        assert!((ratio - 1.0).abs() < 5.0 / count.sqrt(), "{alignment:?}: {ratio}");
    }
}

/// Neighbours at the ends of the ball: the space mean of directions moves by the bound itself, coordinates by no more than theirs.
#[test]
fn vector_means_move_by_no_more_than_is_claimed() {
    let sphere = Sphere::unit(2).unwrap();
    let ball = PublicBall::new(&sphere, dvector![0.0, 0.0, 1.0], radius(RADIUS)).unwrap();
    let mechanism = ExtrinsicSphere::new(&ball, 3, noises()[0]).unwrap();
    let at = |t: f64| dvector![t.sin(), 0.0, t.cos()];
    let near = mechanism.statistic(&[at(RADIUS), at(RADIUS), at(RADIUS)]);
    let far = mechanism.statistic(&[at(RADIUS), at(RADIUS), at(-RADIUS)]);
    let moved = near.iter().zip(&far).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    let claimed = mechanism.price().sensitivity;
    assert!(moved <= claimed && moved > claimed * (1.0 - 1e-8), "{moved} {claimed}");

    let shapes = Kendall::new(3).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(34);
    let centre = shapes.random_point(&mut rng);
    let ball = PublicBall::new(&shapes, centre.clone(), radius(RADIUS)).unwrap();
    for (alignment, share) in [(Alignment::Aligned, 0.6), (Alignment::Unaligned, 0.35)] {
        let epsilon = Epsilon::new(1.0).unwrap();
        let mechanism = PointwiseShape::new(&ball, 2, epsilon, alignment).unwrap();
        let mut most = 0.0_f64;
        for _ in 0..300 {
            let v = shapes.scale(0.5, &shapes.random_direction(&centre, &mut rng));
            let (a, b) = (shapes.exp(&centre, &v), shapes.exp(&centre, &-v));
            let turned = b.map(|z| z * Complex::from_polar(1.0, 2.0));
            let statistic = |last: &DVector<Complex<f64>>| {
                let raw = [Some(a.clone()), Some(last.clone())];
                mechanism.statistic(&ball.bound(&raw).points, &raw).unwrap()
            };
            let first = statistic(&a);
            for other in [b, turned, -a.clone()] {
                let moved = first.iter().zip(statistic(&other)).map(|(x, y)| (x - y).abs()).sum();
                most = most.max(moved);
            }
        }
        let claimed = mechanism.price().sensitivity;
        assert!(most <= claimed && most > share * claimed, "{alignment:?}: {most} {claimed}");
    }
}

/// Random and adversarial neighbours about two centres, both metrics: the mean's Frobenius move never exceeds λ_max(C) e^r 2r/n, and
/// comes near it for records that commute. (The bound 2(e^r − 1)/n is exceeded.)
#[test]
fn matrix_means_move_by_no_more_than_is_claimed() {
    let (r, n) = (0.25, 40_u64);
    let mut rng = ChaCha8Rng::seed_from_u64(35);
    let mut most = [0.0_f64; 2];
    for centre in [DMatrix::identity(2, 2), nalgebra::dmatrix![3.0, 0.5; 0.5, 0.7]] {
        let moved = L2Sensitivity::of_clipped_mean(radius(r), n).unwrap();
        let claimed =
            ExtrinsicSpd::new(&centre, radius(r), n, moved, noises()[0]).unwrap().price().sensitivity;
        let (affine, log) = (SpdAffineInvariant::new(2).unwrap(), SpdLogEuclidean::new(2).unwrap());
        let eigen = centre.clone().symmetric_eigen();
        let top = eigen.eigenvectors.column(eigen.eigenvalues.imax()).into_owned();
        for round in 0..30 {
            // The largest eigenvalue stretched by all but one, and by that one or not; then at random.
            let direction = |rng: &mut ChaCha8Rng| {
                let v = affine.random_direction(&centre, rng);
                if round == 0 { &top * top.transpose() * eigen.eigenvalues.max() } else { v }
            };
            let v = direction(&mut rng);
            let rim = |space: &dyn Fn(f64) -> DMatrix<f64>| (space(r), space(-r));
            for (k, (near, far)) in [
                rim(&|t| affine.exp(&centre, &(&v * t))),
                rim(&|t| {
                    let norm = log.norm(&centre, &v);
                    log.exp(&centre, &(&v * (t / norm)))
                }),
            ]
            .into_iter()
            .enumerate()
            {
                let mut points = vec![near.clone(); n as usize];
                let mean = |points: &[DMatrix<f64>]| match k {
                    0 => frechet_mean(&affine, points, None, None, FrechetOptions::default()).unwrap().point,
                    _ => log.mean(points, None).unwrap(),
                };
                let before = mean(&points);
                points[0] = far;
                let moved = (before - mean(&points)).norm();
                assert!(moved <= claimed, "{k} {round}: {moved} {claimed}");
                most[k] = most[k].max(moved / claimed);
            }
        }
    }
    assert!(most.iter().all(|m| *m > 0.98), "{most:?}");
    let false_bound = (r.exp() - 1.0) / (r * r.exp());
    assert!(most[1] > false_bound, "{most:?} {false_bound}");
}
