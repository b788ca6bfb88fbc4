//! An attack on low bits: events that tell where a floating-point draw began, on two datasets at distance Δ and a tiny ε.
//!
//! It must find the floating-point path out, or it would be worth nothing, and find nothing on grids.

use super::RESOLUTION;
use crate::manifold::{Isotropic, Kendall, Linear, Lorentz, PolarVolume, Sphere};
use crate::mechanism::MechanismError;
use crate::mechanism::manifold::{
    BoundedRecords, KNormGradient, LocatedRecords, NoisedPoint, PublicBall, RiemannianGaussian,
    RiemannianLaplace,
};
use crate::privacy::audit::interval::{lower_limit, upper_limit};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{ClipRadius, ClipSource, Epsilon, Ledger, Mechanism, Mu, Price, Sensitivity, pay};
use nalgebra::DVector;

const DRAWS: u64 = 5000;
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
    let reached = manifold.log(mean, released).is_ok_and(|v| is_exponential(manifold, mean, &v, &numbers));
    seen.push(("bit for bit an exponential at the mean".into(), reached));
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

/// Whether these are bit for bit the numbers of exp(w) for a vector w of doubles near v: a few last places longer or shorter, and, where it has
/// two coordinates at most, each of them a place off.
fn is_exponential<M: Isotropic>(manifold: &M, mean: &M::Point, v: &M::Tangent, numbers: &[f64]) -> bool {
    let varied: Vec<usize> = (0..v.real_len()).filter(|i| v.real(*i) != 0.0).collect();
    let offsets: &[i32] = if varied.len() <= 2 { &[0, -1, 1] } else { &[0] };
    let moved = |x: f64, by: i32| match by {
        0 => x,
        1 => x.next_up(),
        _ => x.next_down(),
    };
    (-8..=8).any(|k| {
        let longer = manifold.scale(1.0 + f64::from(k) * f64::EPSILON / if k < 0 { 2.0 } else { 1.0 }, v);
        offsets.iter().any(|a| {
            offsets.iter().any(|b| {
                let mut w = longer.clone();
                for (i, by) in varied.iter().zip([a, b]).filter(|_| varied.len() <= 2) {
                    w.set_real(*i, moved(w.real(*i), *by));
                }
                manifold.to_model(&manifold.exp(mean, &w)) == numbers
            })
        })
    })
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The largest ε that the events prove, and which one does. `draw`: one point about the first or the second mean.
fn proved<M: Isotropic>(
    manifold: &M,
    mean: &M::Point,
    step: f64,
    draw: &mut dyn FnMut(usize) -> M::Point,
) -> (f64, String) {
    let mut hits: [Vec<(String, u64)>; 2] = [Vec::new(), Vec::new()];
    for (which, hits) in hits.iter_mut().enumerate() {
        for _ in 0..DRAWS {
            let released = draw(which);
            for (k, (name, hit)) in events(manifold, mean, &released, step).into_iter().enumerate() {
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

/// One record each: two means at the distance that the mechanism reckons with, along the first coordinate.
fn located<M: Isotropic>(manifold: &M, at: &M::Point, price: &Price) -> [LocatedRecords<M::Point>; 2] {
    let distance = match price.sensitivity {
        Some(Sensitivity::Distance(distance)) => distance.get(),
        // Of gradients: no farther than that on curved spaces.
        Some(Sensitivity::Gradient(gradient)) => gradient.get(),
        _ => f64::NAN,
    };
    let mut direction = vec![0.0; manifold.dim()];
    direction[0] = distance;
    let other = manifold.exp(at, &manifold.from_coordinates(at, &direction));
    [at.clone(), other].map(|mean| {
        let bounded = BoundedRecords { points: vec![mean.clone()], projected: 0, failed: 0 };
        LocatedRecords { bounded, mean }
    })
}

fn step(price: &Price) -> f64 {
    2f64.powi(libm::ilogb(price.scale.unwrap()) - RESOLUTION)
}

/// What the attack proves of a mechanism that draws from these.
fn attack<M, K>(manifold: &M, at: &M::Point, mechanism: &K, prepared: &[K::Prepared<'_>; 2]) -> (f64, String)
where
    M: Isotropic,
    K: Mechanism<Value = NoisedPoint<M::Point>, Error = MechanismError>,
{
    let mut noise = NoiseSource::seeded(17);
    proved(manifold, at, step(mechanism.price()), &mut |which| {
        let paid = pay(mechanism.price(), &mut Ledger::in_memory(None)).unwrap();
        mechanism.draw(&prepared[which], &mut noise, paid).unwrap().value.point
    })
}

fn attacked<M: Isotropic + PolarVolume>(manifold: &M, at: M::Point) {
    let radius = ClipRadius::new(0.1, ClipSource::Public).unwrap();
    let ball = PublicBall::new(manifold.clone(), at.clone(), radius).unwrap();
    let epsilon = Epsilon::new(EPSILON).unwrap();
    let laplace = RiemannianLaplace::new(ball.clone(), 50, epsilon).unwrap();
    let pair = located(manifold, &at, laplace.price());
    let (new, how) = attack(manifold, &at, &laplace, &pair);
    assert!(new <= EPSILON, "Laplace on the grid: {new}, {how}");
    let (old, how) = attack(manifold, &at, &laplace.idealized().unwrap(), &pair);
    println!("{manifold:?}: Laplace in floating point: {old:.2} ({how}); on the grid: {new:.3}");
    assert!(old > 1.0, "the attack finds nothing in floating point: {old}, {how}");
    let gaussian = RiemannianGaussian::new(ball.clone(), 50, Mu::new(EPSILON).unwrap()).unwrap();
    let (found, how) = attack(manifold, &at, &gaussian, &located(manifold, &at, gaussian.price()));
    // μ = 0.01 allows no event of probability above 1e-3 more than this.
    assert!(found <= 5.0 * EPSILON, "Gaussian on the grid: {found}, {how}");
    // It is not known on the circle.
    if let Ok(kng) = KNormGradient::new(ball, 50, epsilon) {
        let pair = located(manifold, &at, kng.price());
        let samplers = pair.map(|located| kng.sampler(located, None).unwrap());
        let (found, how) = attack(manifold, &at, &kng, &samplers);
        assert!(found <= EPSILON, "KNG on the grid: {found}, {how}");
    }
}

#[test]
fn floating_point_is_found_out_on_the_circle_and_grids_are_not() {
    attacked(&Sphere::unit(1).unwrap(), DVector::from_vec(vec![1.0, 0.0]));
}

#[test]
fn low_bits_of_spheres_tell_nothing() {
    attacked(&Sphere::unit(2).unwrap(), DVector::from_vec(vec![1.0, 0.0, 0.0]));
}

#[test]
fn low_bits_of_hyperbolic_spaces_tell_nothing() {
    let plane = Lorentz::new(2).unwrap();
    attacked(&plane, plane.origin());
}

#[test]
fn low_bits_of_shapes_tell_nothing() {
    let shapes = Kendall::new(4).unwrap();
    let centre = shapes.preshape(&[[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]).unwrap();
    attacked(&shapes, centre);
}
