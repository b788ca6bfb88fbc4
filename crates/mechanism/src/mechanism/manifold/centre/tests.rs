use super::*;
use crate::manifold::{Kendall, Lorentz, Manifold, Sphere};
use crate::mechanism::manifold::PublicBall;
use crate::mechanism::manifold::tests::drawn;
use crate::privacy::noise::NoiseSource;
use crate::privacy::{ClipRadius, ClipSource, Epsilon, Mu, PrivacyLoss};
use nalgebra::dvector;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// No pair of shapes, orthogonal ones included, moves the statistic further than the sensitivity says, and some move it as far.
#[test]
fn neighbours_move_the_procrustes_statistic_by_the_stated_sensitivity() {
    let space = Kendall::new(6).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let n = 5;
    // Few records: only a large budget gives a centre of any use.
    let mechanism =
        PrivateCentre::new(ProcrustesStatistic::new(space), n, PrivacyLoss::Gaussian(Mu::new(20.0).unwrap()))
            .unwrap();
    let statistic = ProcrustesStatistic::new(space);
    let mut largest: f64 = 0.0;
    for i in 0..300 {
        let mut records: Vec<_> = (0..n).map(|_| Some(space.random_point(&mut rng))).collect();
        let before = statistic.statistic(&records).unwrap();
        let old = records[0].clone().unwrap();
        records[0] = match i % 3 {
            0 => None,
            1 => Some(space.random_point(&mut rng)),
            // At distance π/2 the two projectors are orthogonal.
            _ => {
                let v = space.random_direction(&old, &mut rng);
                Some(space.exp(&old, &space.scale(std::f64::consts::FRAC_PI_2, &v)))
            }
        };
        let after = statistic.statistic(&records).unwrap();
        let moved = before.iter().zip(&after).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        largest = largest.max(moved);
    }
    let bound = mechanism.price().sensitivity.unwrap().get();
    assert!(largest <= bound && largest > 0.999_99 * bound, "{largest} {bound}");
}

/// E‖x‖ = d·b for the isotropic Laplace law: the test fails for noise 10 % too small.
#[test]
fn a_pure_centre_has_the_claimed_noise() {
    let sphere = Sphere::unit(2).unwrap();
    let records = vec![Some(dvector![0.0, 0.0, 1.0]); 40];
    let epsilon = Epsilon::new(1.0).unwrap();
    let mechanism =
        PrivateCentre::new(DirectionStatistic::new(sphere), 40, PrivacyLoss::Pure(epsilon)).unwrap();
    let (mut noise, statistic) = (NoiseSource::seeded(4), mechanism.prepare(&records).unwrap());
    let runs = 4000;
    let mut mean: f64 = 0.0;
    for _ in 0..runs {
        let released = drawn(&mechanism, &statistic, &mut noise);
        let x = &released.noised;
        mean += (x[0].powi(2) + x[1].powi(2) + (x[2] - 1.0).powi(2)).sqrt() / f64::from(runs);
        sphere.check(&released.centre).unwrap();
    }
    let b = 2.0 / 40.0;
    // Gamma(3, b): standard deviation of the mean √3·b/√4000 = 0.009 of 3b.
    assert!((mean / (3.0 * b) - 1.0).abs() < 0.05, "{}", mean / (3.0 * b));
}

/// The stated error is what is seen, for every kind of statistic.
#[test]
fn centres_are_as_far_off_as_expected() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let shapes = Kendall::new(20).unwrap();
    let (truth, mu) = (shapes.random_point(&mut rng), PrivacyLoss::Gaussian(Mu::new(0.3).unwrap()));
    let records: Vec<_> = (0..300)
        .map(|i| {
            let v = shapes.tangent_gaussian(&truth, 0.01, &mut rng);
            (i != 7).then(|| shapes.exp(&truth, &v))
        })
        .collect();
    let mut noise = NoiseSource::seeded(6);
    let mechanism = PrivateCentre::new(ProcrustesStatistic::new(shapes), 300, mu).unwrap();
    let statistic = mechanism.prepare(&records).unwrap();
    let mut off = |n: u32, draw: &mut dyn FnMut(&mut NoiseSource) -> f64| {
        ((0..n).map(|_| draw(&mut noise).powi(2)).sum::<f64>() / f64::from(n)).sqrt()
    };
    let seen = off(40, &mut |noise| shapes.dist(&truth, &drawn(&mechanism, &statistic, noise).centre));
    assert!((seen / mechanism.expected_error() - 1.0).abs() < 0.15, "{seen} {}", mechanism.expected_error());

    let hyperbolic = Lorentz::new(3).unwrap();
    let origin = dvector![1.0, 0.0, 0.0, 0.0];
    let radius = ClipRadius::new(2.0, ClipSource::Public).unwrap();
    let ball = PublicBall::new(hyperbolic, origin.clone(), radius).unwrap();
    // Records at the ball's centre, one outside and one missing: the logarithm's differential is the identity there.
    let mut records = vec![Some(origin.clone()); 400];
    records[0] = Some(hyperbolic.exp(&origin, &dvector![0.0, 3.0, 0.0, 0.0]));
    records[1] = None;
    let mechanism = PrivateCentre::new(BallStatistic::new(ball), 400, mu).unwrap();
    let statistic = mechanism.prepare(&records).unwrap();
    let seen = off(400, &mut |noise| hyperbolic.dist(&origin, &drawn(&mechanism, &statistic, noise).centre));
    // √(3) × 4/(400 × 0.3) = 0.058; 400 draws of χ₃: 2 % standard deviation.
    assert!((seen / 0.0577 - 1.0).abs() < 0.12, "{seen}");
}

#[test]
fn hopeless_budgets_are_refused_for_public_reasons() {
    let shapes = Kendall::new(50).unwrap();
    let small = PrivacyLoss::Gaussian(Mu::new(0.05).unwrap());
    let refused = PrivateCentre::new(ProcrustesStatistic::new(shapes), 30, small);
    assert!(matches!(refused, Err(MechanismError::CentreTooRough { .. })));
    // Pure ε in 2500 dimensions.
    let pure = PrivacyLoss::Pure(Epsilon::new(1.0).unwrap());
    assert!(PrivateCentre::new(ProcrustesStatistic::new(shapes), 400, pure).is_err());
    assert!(PrivateCentre::new(ProcrustesStatistic::new(shapes), 0, small).is_err());
    assert!(shapes.check(&any_shape(&shapes)).is_ok());
}
