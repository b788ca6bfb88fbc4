//! An attack on low bits: events that tell where a floating-point draw began, on two datasets at distance Δ and a tiny ε.
//!
//! It must find the floating-point path out, or it would be worth nothing, and find nothing on grids.

use super::super::{LocatedRecords, PublicBall, RiemannianGaussian, RiemannianLaplace, ball::BoundedRecords};
use crate::manifold::{Isotropic, Kendall, Lorentz, PolarVolume, Sphere};
use crate::privacy::audit::interval::{lower_limit, upper_limit};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{ClipRadius, ClipSource, Epsilon, Ledger, Mechanism, Mu, Sensitivity, pay};
use nalgebra::DVector;

const DRAWS: u64 = 2000;
const EPSILON: f64 = 0.01;
/// Of one confidence limit: with a few hundred limits, false alarms below 1e-3 over the choice of the seed.
const ERROR: f64 = 1e-6;

/// What is looked at: each a yes or no about one released point, by someone who knows where the mean of the first dataset is.
fn events<M: Isotropic>(
    manifold: &M,
    mean: &M::Point,
    released: &M::Point,
    step: f64,
) -> Vec<(String, bool)> {
    let numbers = manifold.to_model(released);
    let mut seen = Vec::new();
    // Bit for bit a point that the exponential at that mean gives for a double length, in the direction seen.
    let again = manifold.log(mean, released).is_ok_and(|v| {
        let length = manifold.norm(mean, &v);
        let unit = manifold.scale(1.0 / length, &v);
        let near = [1.0, 1.0 + 2e-16, 1.0 - 1e-16, 1.0 + 4e-16, 1.0 - 3e-16];
        near.iter()
            .any(|c| manifold.to_model(&manifold.exp(mean, &manifold.scale(length * c, &unit))) == numbers)
    });
    seen.push(("an exponential at the mean".into(), again));
    let squares: f64 = numbers.iter().map(|x| x * x).sum();
    seen.push(("squares add up to 1".into(), squares == 1.0));
    seen.push(("squares add up to more than 1".into(), squares > 1.0));
    // As integers of the grid: low bits, remainders, common divisors.
    let steps: Vec<i128> = numbers.iter().map(|x| (x / step).round() as i128).collect();
    for (k, steps) in steps.iter().enumerate().take(6) {
        for bit in 0..4 {
            seen.push((format!("bit {bit} of coordinate {k}"), steps >> bit & 1 == 1));
        }
        seen.push((format!("coordinate {k} is divisible by 3"), steps % 3 == 0));
        seen.push((format!("coordinate {k} is divisible by 16"), steps % 16 == 0));
    }
    let divisor = steps.iter().fold(0, |a, b| gcd(a, b.abs()));
    seen.push(("a common divisor".into(), divisor > 1));
    // Low bits of the doubles themselves.
    for (k, x) in numbers.iter().enumerate().take(6) {
        for bit in 0..3 {
            seen.push((format!("bit {bit} of double {k}"), x.to_bits() >> bit & 1 == 1));
        }
    }
    seen
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The largest ε that the events prove, and which one does.
fn proved<M: Isotropic>(
    manifold: &M,
    means: &[M::Point; 2],
    step: f64,
    draw: &dyn Fn(&LocatedRecords<M::Point>, &mut NoiseSource) -> M::Point,
) -> (f64, String) {
    let mut noise = NoiseSource::seeded(17);
    let mut hits: [Vec<(String, u64)>; 2] = [Vec::new(), Vec::new()];
    for (mean, hits) in means.iter().zip(&mut hits) {
        let bounded = BoundedRecords { points: vec![mean.clone()], projected: 0, failed: 0 };
        let located = LocatedRecords { bounded, mean: mean.clone() };
        for _ in 0..DRAWS {
            let released = draw(&located, &mut noise);
            for (k, (name, hit)) in events(manifold, &means[0], &released, step).into_iter().enumerate() {
                if hits.len() <= k {
                    hits.push((name, 0));
                }
                hits[k].1 += u64::from(hit);
            }
        }
    }
    let [first, second] = hits;
    let mut most = (0.0, String::new());
    for ((name, a), (_, b)) in first.into_iter().zip(second) {
        let ratio = |a: u64, b: u64| (lower_limit(a, DRAWS, ERROR) / upper_limit(b, DRAWS, ERROR)).ln();
        let found = [ratio(a, b), ratio(b, a), ratio(DRAWS - a, DRAWS - b), ratio(DRAWS - b, DRAWS - a)];
        let found = found.into_iter().fold(0.0, f64::max);
        if found > most.0 {
            most = (found, format!("{name}: {a} and {b} of {DRAWS}"));
        }
    }
    most
}

/// Two means at the distance that the mechanism reckons with, along the first coordinate.
fn means<M: Isotropic>(manifold: &M, at: &M::Point, distance: f64) -> [M::Point; 2] {
    let mut direction = vec![0.0; manifold.dim()];
    direction[0] = distance;
    let v = manifold.from_coordinates(at, &direction);
    [at.clone(), manifold.exp(at, &v)]
}

fn sensitivity(price: &crate::privacy::Price) -> f64 {
    match price.sensitivity {
        Some(Sensitivity::Distance(distance)) => distance.get(),
        _ => f64::NAN,
    }
}

fn attacked<M: Isotropic + PolarVolume>(manifold: &M, at: M::Point, finds: bool) {
    let radius = ClipRadius::new(0.01, ClipSource::Public).unwrap();
    let ball = PublicBall::new(manifold.clone(), at.clone(), radius).unwrap();
    let laplace = RiemannianLaplace::new(ball.clone(), 50, Epsilon::new(EPSILON).unwrap()).unwrap();
    let step = 2f64.powi(libm::ilogb(laplace.price().scale.unwrap()) - 32);
    let pair = means(manifold, &at, sensitivity(laplace.price()));
    let draws =
        |mechanism: &RiemannianLaplace<M>, located: &LocatedRecords<M::Point>, noise: &mut NoiseSource| {
            let paid = pay(mechanism.price(), &mut Ledger::in_memory(None)).unwrap();
            mechanism.draw(located, noise, paid).unwrap().value.point
        };
    let (new, how) = proved(manifold, &pair, step, &|located, noise| draws(&laplace, located, noise));
    assert!(new <= EPSILON, "on the grid: {new}, {how}");
    let floating = laplace.idealized().unwrap();
    let (old, how) = proved(manifold, &pair, step, &|located, noise| draws(&floating, located, noise));
    println!("{manifold:?}: Laplace, floating point: {old:.2} ({how}); on the grid: {new:.3}");
    assert!(!finds || old > 1.0, "the attack finds nothing in floating point: {old}, {how}");
    let gaussian = RiemannianGaussian::new(ball, 50, Mu::new(EPSILON).unwrap()).unwrap();
    let pair = means(manifold, &at, sensitivity(gaussian.price()));
    let (found, how) = proved(manifold, &pair, step, &|located, noise| {
        let paid = pay(gaussian.price(), &mut Ledger::in_memory(None)).unwrap();
        gaussian.draw(located, noise, paid).unwrap().value.point
    });
    // μ = 0.01 allows no event of probability above 1e-3 more than this.
    assert!(found <= 5.0 * EPSILON, "Gaussian on the grid: {found}, {how}");
}

#[test]
fn floating_point_is_found_out_on_the_circle_and_grids_are_not() {
    attacked(&Sphere::unit(1).unwrap(), DVector::from_vec(vec![1.0, 0.0]), true);
}

#[test]
fn low_bits_of_spheres_tell_nothing() {
    attacked(&Sphere::unit(2).unwrap(), DVector::from_vec(vec![1.0, 0.0, 0.0]), true);
}

#[test]
fn low_bits_of_hyperbolic_spaces_tell_nothing() {
    let plane = Lorentz::new(2).unwrap();
    attacked(&plane, plane.origin(), true);
}

#[test]
fn low_bits_of_shapes_tell_nothing() {
    let shapes = Kendall::new(4).unwrap();
    let centre = shapes.preshape(&[[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]).unwrap();
    attacked(&shapes, centre, false);
}
