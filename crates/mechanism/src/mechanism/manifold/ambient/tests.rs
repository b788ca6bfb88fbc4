//! Laplace noise of the claimed scale (Gaussian noise is checked with every mechanism of the registry), sensitivities against brute
//! force.

use super::*;
use crate::manifold::{Euclidean, Manifold, SpdAffineInvariant, SpdLogEuclidean, Sphere};
use crate::mechanism::manifold::PublicBall;
use crate::mechanism::manifold::tests::drawn;
use crate::privacy::{ClipSource, Epsilon, Ledger, Mechanism, Mu, draw, pay};
use nalgebra::{DMatrix, DVector, dmatrix, dvector};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

const RADIUS: f64 = 0.3;

fn radius(r: f64) -> ClipRadius {
    ClipRadius::new(r, ClipSource::Public).unwrap()
}

fn laplace() -> VectorNoise {
    VectorNoise::Laplace(Epsilon::new(0.8).unwrap())
}

/// ‖noise‖/σ is Gamma(d), of mean and variance d; five standard deviations: 6e-7 is the false-alarm rate.
fn check_laplace_scale(delta: f64, statistic: &[f64], mut draw: impl FnMut(&mut NoiseSource) -> Vec<f64>) {
    let (draws, d, mut source) = (4000, statistic.len() as f64, NoiseSource::seeded(31));
    let norm = |x: Vec<f64>| x.iter().zip(statistic).map(|(x, s)| (x - s).powi(2)).sum::<f64>().sqrt();
    let mean = (0..draws).map(|_| norm(draw(&mut source))).sum::<f64>() / f64::from(draws);
    let ratio = mean / (d * delta / 0.8);
    let allowed = 5.0 / (d * f64::from(draws)).sqrt();
    assert!((ratio - 1.0).abs() < allowed && allowed < 0.05, "{ratio} ± {allowed}");
}

fn on_sphere(size: f64, n: u64, noise: VectorNoise) -> ExtrinsicSphere {
    let sphere = Sphere::new(2, size).unwrap();
    let ball = PublicBall::new(sphere, dvector![0.0, 0.0, size], radius(RADIUS * size)).unwrap();
    ExtrinsicSphere::new(ball, n, noise).unwrap()
}

#[test]
fn laplace_noise_on_spheres_has_the_claimed_scale() {
    for size in [1.0, 3.0] {
        let mechanism = on_sphere(size, 20, laplace());
        let delta = 2.0 * size * RADIUS.sin() / 20.0;
        approx::assert_relative_eq!(mechanism.price().sensitivity.unwrap().get(), delta, max_relative = 1e-8);
        let statistic = vec![0.1, -0.2, 0.9];
        check_laplace_scale(delta, &statistic, |source| drawn(&mechanism, &statistic, source).noised);
        Sphere::new(2, size).unwrap().check(&mechanism.point(&[0.3, -0.1, 0.2])).unwrap();
        assert_eq!(mechanism.point(&[0.0; 3]), dvector![0.0, 0.0, size]);
    }
}

/// What is stated of the noise is how far it carries directions, over 400 draws of either noise.
#[test]
fn the_stated_error_on_spheres_is_that_of_the_noise() {
    for noise in [laplace(), VectorNoise::Gaussian(Mu::new(0.5).unwrap())] {
        let mechanism = on_sphere(3.0, 40, noise);
        let sphere = Sphere::new(2, 3.0).unwrap();
        let (centre, mut source) = (dvector![0.0, 0.0, 3.0], NoiseSource::seeded(38));
        let (mut found, mut stated) = (0.0, 0.0);
        for _ in 0..400 {
            let paid = pay(mechanism.price(), &mut Ledger::in_memory(None)).unwrap();
            let released = draw(&mechanism, &vec![0.0, 0.0, 3.0], &mut source, paid).unwrap();
            found += sphere.dist(&centre, &released.value.point).powi(2);
            stated += released.noise().unwrap().expected_error.unwrap().powi(2);
        }
        let ratio = (stated / found).sqrt();
        assert!((0.85..1.15).contains(&ratio), "{ratio}");
    }
}

/// The mechanism on logarithms of matrices, and the chart.
fn on_logarithms(centre: &DMatrix<f64>, r: f64, n: u64) -> (ExtrinsicSpd<Euclidean>, SpdLogEuclidean) {
    let space = SpdLogEuclidean::new(2).unwrap();
    let ball = PublicBall::new(Euclidean::new(3), space.chart(centre), radius(r)).unwrap();
    let to_matrix = Arc::new(move |x: &DVector<f64>| space.from_chart(x));
    (ExtrinsicSpd::new(ball, n, laplace(), to_matrix).unwrap(), space)
}

#[test]
fn laplace_noise_on_matrices_has_the_claimed_scale() {
    for centre in [DMatrix::identity(2, 2), dmatrix![5.0, 1.0; 1.0, 0.4]] {
        let (mechanism, space) = on_logarithms(&centre, RADIUS, 20);
        let largest = centre.symmetric_eigenvalues().max();
        let delta = largest * RADIUS.exp() * 2.0 * RADIUS / 20.0;
        approx::assert_relative_eq!(mechanism.price().sensitivity.unwrap().get(), delta, max_relative = 1e-6);
        let mean = dmatrix![1.2, 0.3; 0.3, 0.8];
        approx::assert_relative_eq!(mechanism.point(&mechanism.statistic(&mean)), mean, max_relative = 1e-15);
        let prepared = mechanism.prepare(&vec![Some(space.chart(&centre)); 20]).unwrap();
        check_laplace_scale(delta, &mechanism.statistic(&centre), |source| {
            drawn(&mechanism, &prepared, source).noised
        });
    }
}

/// What is stated of the noise is how far it carries matrices in the Frobenius norm, over 400 draws.
#[test]
fn the_stated_error_of_matrices_is_that_of_the_noise() {
    let centre = dmatrix![5.0, 1.0; 1.0, 0.4];
    let (mechanism, space) = on_logarithms(&centre, RADIUS, 20);
    let prepared = mechanism.prepare(&vec![Some(space.chart(&centre)); 20]).unwrap();
    let (mut found, mut stated, mut source) = (0.0, 0.0, NoiseSource::seeded(39));
    for _ in 0..400 {
        let paid = pay(mechanism.price(), &mut Ledger::in_memory(None)).unwrap();
        let released = draw(&mechanism, &prepared, &mut source, paid).unwrap();
        found += (&released.value.point - &centre).norm_squared();
        stated += released.noise().unwrap().expected_error.unwrap().powi(2);
    }
    let ratio = (stated / found).sqrt();
    assert!((0.85..1.15).contains(&ratio), "{ratio}");
}

#[test]
fn centres_that_are_not_positive_definite_are_refused() {
    let ball = PublicBall::new(Euclidean::new(3), DVector::zeros(3), radius(1.0)).unwrap();
    for broken in [DMatrix::from_element(2, 2, f64::NAN), -DMatrix::identity(2, 2)] {
        let to_matrix = Arc::new(move |_: &DVector<f64>| broken.clone());
        assert!(ExtrinsicSpd::new(ball.clone(), 5, laplace(), to_matrix).is_err());
    }
}

/// Neighbours at the ends of the ball: the mean of directions moves by the bound itself.
#[test]
fn means_of_directions_move_by_no_more_than_is_claimed() {
    let mechanism = on_sphere(1.0, 3, laplace());
    let at = |t: f64| Some(dvector![t.sin(), 0.0, t.cos()]);
    let near = mechanism.prepare(&[at(RADIUS), at(RADIUS), at(RADIUS)]).unwrap();
    let far = mechanism.prepare(&[at(RADIUS), at(RADIUS), at(-RADIUS)]).unwrap();
    let moved = near.iter().zip(&far).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    let claimed = mechanism.price().sensitivity.unwrap().get();
    assert!(moved <= claimed && moved > claimed * (1.0 - 1e-8), "{moved} {claimed}");
}

/// Largest move, as a share of the claim, over random and adversarial neighbours: all records but one at one end of the ball, that one
/// there too or at the other.
fn largest_move<M: Manifold>(
    mechanism: &ExtrinsicSpd<M>,
    n: usize,
    to_matrix: &dyn Fn(&M::Point) -> DMatrix<f64>,
    ends: &mut dyn FnMut(usize) -> [M::Point; 2],
) -> f64 {
    let claimed = mechanism.price().sensitivity.unwrap().get();
    let mut most = 0.0_f64;
    for round in 0..30 {
        let [near, far] = ends(round);
        let mut records = vec![Some(near); n];
        let before = to_matrix(&mechanism.prepare(&records).unwrap().located.mean);
        records[0] = Some(far);
        let moved = (before - to_matrix(&mechanism.prepare(&records).unwrap().located.mean)).norm();
        assert!(moved <= claimed, "{round}: {moved} {claimed}");
        most = most.max(moved / claimed);
    }
    most
}

/// About two centres and in both metrics, the mean's Frobenius move never exceeds λ_max(C) e^r 2r/n, and comes near it for records
/// that commute. (The bound 2(e^r − 1)/n is exceeded.)
#[test]
fn means_of_matrices_move_by_no_more_than_is_claimed() {
    let (r, n) = (0.25, 40);
    let mut rng = ChaCha8Rng::seed_from_u64(35);
    let affine = SpdAffineInvariant::new(2).unwrap();
    let mut most = [0.0_f64; 2];
    for centre in [DMatrix::identity(2, 2), dmatrix![3.0, 0.5; 0.5, 0.7]] {
        let eigen = centre.clone().symmetric_eigen();
        let top = eigen.eigenvectors.column(eigen.eigenvalues.imax()).into_owned();
        // The largest eigenvalue stretched by all but one, and by that one or not; then at random.
        let mut direction = |round| {
            let v = affine.random_direction(&centre, &mut rng);
            if round == 0 { &top * top.transpose() * eigen.eigenvalues.max() } else { v }
        };
        let ball = PublicBall::new(affine, centre.clone(), radius(r)).unwrap();
        let mechanism = ExtrinsicSpd::new(ball, n as u64, laplace(), Arc::new(DMatrix::clone)).unwrap();
        most[0] = most[0].max(largest_move(&mechanism, n, &DMatrix::clone, &mut |round| {
            let v = direction(round);
            [r, -r].map(|t| affine.exp(&centre, &(&v * t)))
        }));
        let (mechanism, log) = on_logarithms(&centre, r, n as u64);
        most[1] = most[1].max(largest_move(&mechanism, n, &|x| log.from_chart(x), &mut |round| {
            let v = direction(round);
            let norm = log.norm(&centre, &v);
            [r, -r].map(|t| log.chart(&log.exp(&centre, &(&v * (t / norm)))))
        }));
    }
    assert!(most.iter().all(|m| *m > 0.98), "{most:?}");
    let false_bound = (r.exp() - 1.0) / (r * r.exp());
    assert!(most[1] > false_bound, "{most:?} {false_bound}");
}
