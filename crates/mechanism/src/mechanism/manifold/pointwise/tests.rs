//! The sensitivity against brute force.

use super::*;
use crate::manifold::Manifold;
use crate::privacy::{ClipRadius, ClipSource, Ledger, draw, pay};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

const RADIUS: f64 = 0.3;

#[test]
fn mean_coordinates_move_by_no_more_than_is_claimed() {
    let shapes = Kendall::new(3).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(34);
    let centre = shapes.random_point(&mut rng);
    let clip = ClipRadius::new(RADIUS, ClipSource::Public).unwrap();
    let ball = PublicBall::new(shapes, centre.clone(), clip).unwrap();
    for (alignment, share) in [(Alignment::Aligned, 0.6), (Alignment::Unaligned, 0.35)] {
        let epsilon = Epsilon::new(1.0).unwrap();
        let mechanism = PointwiseShape::new(ball.clone(), 2, epsilon, alignment).unwrap();
        let mut most = 0.0_f64;
        for _ in 0..300 {
            let v = shapes.scale(0.5, &shapes.random_direction(&centre, &mut rng));
            let (a, b) = (shapes.exp(&centre, &v), shapes.exp(&centre, &-v));
            let turned = b.map(|z| z * Complex::from_polar(1.0, 2.0));
            let statistic =
                |last: &Preshape| mechanism.prepare(&[Some(a.clone()), Some(last.clone())]).unwrap();
            let first = statistic(&a);
            for other in [b, turned, -a.clone()] {
                let moved = first.iter().zip(statistic(&other)).map(|(x, y)| (x - y).abs()).sum();
                most = most.max(moved);
            }
        }
        let claimed = mechanism.price().sensitivity.unwrap().get();
        assert!(most <= claimed && most > share * claimed, "{alignment:?}: {most} {claimed}");
    }
}

/// Unaligned coordinates have the sensitivity 2k·2/n, aligned ones 2k·r/n.
#[test]
fn scales_are_those_of_the_proof() {
    let shapes = Kendall::new(4).unwrap();
    let centre = shapes.random_point(&mut ChaCha8Rng::seed_from_u64(32));
    let clip = ClipRadius::new(RADIUS, ClipSource::Public).unwrap();
    let ball = PublicBall::new(shapes, centre, clip).unwrap();
    for (alignment, width) in [(Alignment::Aligned, RADIUS), (Alignment::Unaligned, 2.0)] {
        let mechanism = PointwiseShape::new(ball.clone(), 20, Epsilon::new(0.8).unwrap(), alignment).unwrap();
        approx::assert_relative_eq!(
            mechanism.price().scale.unwrap(),
            8.0 * width / 20.0 / 0.8,
            max_relative = 1e-8
        );
    }
}

/// What is stated of the noise is how far it carries shapes: each from its own noised values, over 300 draws.
#[test]
fn the_stated_error_is_that_of_the_noise() {
    let shapes = Kendall::new(6).unwrap();
    let centre = shapes.random_point(&mut ChaCha8Rng::seed_from_u64(36));
    let clip = ClipRadius::new(RADIUS, ClipSource::Public).unwrap();
    let ball = PublicBall::new(shapes, centre.clone(), clip).unwrap();
    for (alignment, n) in [(Alignment::Aligned, 60), (Alignment::Unaligned, 600)] {
        let mechanism = PointwiseShape::new(ball.clone(), n, Epsilon::new(2.0).unwrap(), alignment).unwrap();
        let statistic = mechanism.prepare(&vec![Some(centre.clone()); n as usize]).unwrap();
        let mut noise = NoiseSource::seeded(37);
        let (mut found, mut stated) = (0.0, 0.0);
        for _ in 0..300 {
            let paid = pay(mechanism.price(), &mut Ledger::in_memory(None)).unwrap();
            let released = draw(&mechanism, &statistic, &mut noise, paid).unwrap();
            found += shapes.dist(&centre, &released.value.point).powi(2);
            stated += released.noise().unwrap().expected_error.unwrap().powi(2);
        }
        let ratio = (stated / found).sqrt();
        assert!((0.85..1.15).contains(&ratio), "{alignment:?}: {ratio}");
    }
}
