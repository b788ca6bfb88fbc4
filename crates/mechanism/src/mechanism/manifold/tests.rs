//! Laws of the samplers against their densities, sensitivities against brute force, worst cases against the claims.

use super::*;
use crate::manifold::{
    Euclidean, Isotropic, Kendall, Lorentz, Manifold, PoincareBall, PolarVolume, SpdAffineInvariant,
    SpdLogEuclidean, Sphere,
};
use crate::mechanism::MechanismError;
use crate::privacy::noise::NoiseSource;
use crate::privacy::{ClipRadius, ClipSource, Epsilon, Ledger, Mechanism, Mu, draw, pay};
use nalgebra::{DMatrix, DVector, dvector};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn radius(r: f64) -> ClipRadius {
    ClipRadius::new(r, ClipSource::Public).unwrap()
}

/// One draw from prepared records, paid for.
pub(super) fn drawn<K: Mechanism>(
    mechanism: &K,
    prepared: &K::Prepared<'_>,
    noise: &mut NoiseSource,
) -> K::Value {
    let paid = pay(mechanism.price(), &mut Ledger::in_memory(None)).unwrap();
    draw(mechanism, prepared, noise, paid).unwrap().value
}

/// Records whose mean is the ball's centre.
fn at_centre<M: Manifold>(ball: &PublicBall<M>, n: usize) -> LocatedRecords<M::Point> {
    ball.locate(&vec![Some(ball.centre().clone()); n], n as u64).unwrap()
}

fn scale(mechanism: &impl Mechanism) -> f64 {
    mechanism.price().scale.unwrap()
}

/// A crude Fréchet mean, good to rounding in small balls.
fn mean<M: Manifold>(m: &M, points: &[M::Point]) -> M::Point {
    let mut x = points[0].clone();
    for _ in 0..200 {
        let step = m.mean_log(&x, points, None).unwrap().log;
        x = m.exp(&x, &step);
    }
    x
}

fn random_in_ball<M: Manifold>(ball: &PublicBall<M>, rng: &mut ChaCha8Rng) -> M::Point {
    let m = ball.manifold();
    let spread = 2.0 * ball.radius().get() / (m.dim() as f64).sqrt();
    let v = m.tangent_gaussian(ball.centre(), spread, rng);
    ball.bound(&[Some(m.exp(ball.centre(), &v))]).points.remove(0)
}

/// Largest distance between the empirical and the exact distribution function of the radius, by numerical integration.
fn ks(mut draws: Vec<f64>, ln_density: impl Fn(f64) -> f64, end: f64) -> f64 {
    draws.sort_by(f64::total_cmp);
    let grid = 20_000;
    let at = |i: usize| end * (i as f64 + 0.5) / grid as f64;
    let peak = (0..grid).map(|i| ln_density(at(i))).fold(f64::NEG_INFINITY, f64::max);
    let mut cdf = vec![0.0];
    for i in 0..grid {
        cdf.push(cdf[i] + (ln_density(at(i)) - peak).exp());
    }
    let total = cdf[grid];
    let n = draws.len() as f64;
    draws
        .iter()
        .enumerate()
        .map(|(i, t)| {
            let place = (t / end * grid as f64).min(grid as f64 - 1e-9);
            let exact = (cdf[place as usize]
                + (place.fract()) * (cdf[place as usize + 1] - cdf[place as usize]))
                / total;
            (exact - (i as f64 + 0.5) / n).abs()
        })
        .fold(0.0, f64::max)
}

/// Kolmogorov–Smirnov threshold at false-alarm rate 1e-4.
const KS: f64 = 2.23;

fn check_radial<M: Isotropic>(m: &M, centre: M::Point, r: f64, end: f64) {
    let ball = PublicBall::new(m.clone(), centre.clone(), radius(r)).unwrap();
    let n = 4000;
    let laplace = RiemannianLaplace::new(ball.clone(), 5, Epsilon::new(3.0).unwrap()).unwrap();
    let gaussian = RiemannianGaussian::new(ball.clone(), 5, Mu::new(1.5).unwrap()).unwrap();
    let (mut noise, records) = (NoiseSource::seeded(3), at_centre(&ball, 5));
    let draws: Vec<f64> =
        (0..n).map(|_| m.dist(&centre, &drawn(&laplace, &records, &mut noise).point)).collect();
    let sigma = scale(&laplace);
    assert!(ks(draws, |t| m.ln_sphere_density(t) - t / sigma, end) < KS / (n as f64).sqrt());
    let draws: Vec<f64> =
        (0..n).map(|_| m.dist(&centre, &drawn(&gaussian, &records, &mut noise).point)).collect();
    let sigma = scale(&gaussian);
    let distance = ks(draws.clone(), |t| m.ln_sphere_density(t) - 0.5 * (t / sigma).powi(2), end);
    assert!(distance < KS / (n as f64).sqrt(), "{distance}");
    // The test would notice noise 10 % too small.
    let smaller: Vec<f64> = draws.iter().map(|t| 0.9 * t).collect();
    assert!(
        ks(smaller, |t| m.ln_sphere_density(t) - 0.5 * (t / sigma).powi(2), end) > KS / (n as f64).sqrt()
    );
}

#[test]
fn laplace_and_gaussian_radii_follow_their_laws() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let sphere = Sphere::unit(2).unwrap();
    check_radial(&sphere, dvector![0.0, 0.0, 1.0], 0.5, std::f64::consts::PI);
    let shapes = Kendall::new(8).unwrap();
    let centre = shapes.random_point(&mut rng);
    check_radial(&shapes, centre, 0.3, std::f64::consts::FRAC_PI_2);
    let hyperbolic = Lorentz::new(3).unwrap();
    let origin = hyperbolic.random_point(&mut rng);
    check_radial(&hyperbolic, origin, 0.3, 12.0);
    let flat = Euclidean::new(4);
    check_radial(&flat, DVector::zeros(4), 1.0, 40.0);
}

/// KNG draws on S² against a grid evaluation of the density over the ball: χ² of cells at false-alarm rate 1e-4.
#[test]
fn kng_draws_follow_the_density() {
    let sphere = Sphere::unit(2).unwrap();
    let centre = dvector![0.0, 0.0, 1.0];
    let ball = PublicBall::new(sphere, centre.clone(), radius(0.6)).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let points: Vec<_> = (0..6)
        .map(|_| {
            // Lopsided, so that mean and centre differ and the ball cuts the law.
            let v = sphere.tangent_gaussian(&centre, 0.2, &mut rng) + dvector![0.35, 0.0, 0.0];
            ball.bound(&[Some(sphere.exp(&centre, &v))]).points.remove(0)
        })
        .collect();
    let kng = KNormGradient::new(ball.clone(), 6, Epsilon::new(4.0).unwrap()).unwrap();
    let records: Vec<_> = points.iter().cloned().map(Some).collect();
    let sigma = scale(&kng);
    // Cells in polar coordinates about the centre.
    let (rings, sectors) = (6, 8);
    let mut expected = vec![0.0; rings * sectors];
    let fine = 40;
    for i in 0..rings * fine {
        let t = 0.6 * (i as f64 + 0.5) / (rings * fine) as f64;
        for j in 0..sectors * fine {
            let phi = std::f64::consts::TAU * (j as f64 + 0.5) / (sectors * fine) as f64;
            let p = dvector![t.sin() * phi.cos(), t.sin() * phi.sin(), t.cos()];
            let gradient = sphere.mean_log(&p, &points, None).unwrap().log.norm();
            expected[i / fine * sectors + j / fine] += t.sin() * (-gradient / sigma).exp();
        }
    }
    let total: f64 = expected.iter().sum();
    let n = 10_000;
    for centred in [false, true] {
        let mut counts = vec![0.0; rings * sectors];
        let mut noise = NoiseSource::seeded(4);
        let sampler = kng.sampler(ball.locate(&records, 6).unwrap(), Some(centred)).unwrap();
        for _ in 0..n {
            let p = drawn(&kng, &sampler, &mut noise).point;
            assert!(ball.contains(&p));
            let t = sphere.dist(&centre, &p);
            let phi = p[1].atan2(p[0]).rem_euclid(std::f64::consts::TAU);
            let ring = ((t / 0.6 * rings as f64) as usize).min(rings - 1);
            let sector = ((phi / std::f64::consts::TAU * sectors as f64) as usize).min(sectors - 1);
            counts[ring * sectors + sector] += 1.0;
        }
        let chi: f64 = counts
            .iter()
            .zip(&expected)
            .map(|(c, e)| {
                let e = e / total * f64::from(n);
                (c - e).powi(2) / e
            })
            .sum();
        // 47 degrees of freedom: 95.0 has probability 4e-5 of being passed.
        assert!(chi < 95.0, "{chi}");
    }
}

/// In 60 dimensions, with the mean away from the centre, proposals about the mean would miss the ball for ever: the sampler
/// turns to the centre, and both ways give the same mean distance where both are feasible.
#[test]
fn kng_draws_in_high_dimension() {
    let shapes = Kendall::new(32).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(21);
    let centre = shapes.random_point(&mut rng);
    let ball = PublicBall::new(shapes, centre.clone(), radius(0.12)).unwrap();
    let shift = shapes.scale(0.06, &shapes.random_direction(&centre, &mut rng));
    let near = shapes.exp(&centre, &shift);
    let records: Vec<_> =
        (0..40).map(|_| Some(shapes.exp(&near, &shapes.tangent_gaussian(&near, 0.003, &mut rng)))).collect();
    let kng = KNormGradient::new(ball.clone(), 40, Epsilon::new(1.0).unwrap()).unwrap();
    let sampler = kng.prepare(&records).unwrap();
    let mut noise = NoiseSource::seeded(22);
    for _ in 0..30 {
        let paid = pay(kng.price(), &mut Ledger::in_memory(None)).unwrap();
        let (p, proposed) = sampler.draw(&mut noise, paid).unwrap();
        // In so many dimensions pure ε fills the ball: draws lie near its rim.
        assert!(ball.contains(&p) && shapes.dist(&centre, &p) > 0.09 && proposed < 1_000_000);
    }
}

/// On SPD(3) the mean distance of Laplace draws is that of the density t⁵ e^{−t/σ} ∏ sinh(|λ_i − λ_j|t/2)/(|λ_i − λ_j|t/2) in polar
/// coordinates, λ the eigenvalues of the direction, integrated over the radius and averaged over 4000 directions.
#[test]
fn laplace_on_spd_has_the_mean_distance_of_its_density() {
    let spd = SpdAffineInvariant::new(3).unwrap();
    let centre = DMatrix::identity(3, 3);
    let ball = PublicBall::new(spd, centre.clone(), radius(0.8)).unwrap();
    let laplace = RiemannianLaplace::new(ball.clone(), 8, Epsilon::new(1.0).unwrap()).unwrap();
    let sigma = scale(&laplace);
    let (mut noise, records) = (NoiseSource::seeded(6), at_centre(&ball, 8));
    let n = 8000;
    let draws: Vec<f64> =
        (0..n).map(|_| spd.dist(&centre, &drawn(&laplace, &records, &mut noise).point)).collect();
    let found = draws.iter().sum::<f64>() / f64::from(n);
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let (mut sum, mut total) = (0.0, 0.0);
    for _ in 0..4000 {
        let lambda = spd.random_direction(&centre, &mut rng).symmetric_eigenvalues();
        let gaps = [(0, 1), (0, 2), (1, 2)].map(|(i, j)| (lambda[i] - lambda[j]).abs());
        for k in 0..500 {
            let t = 0.02 * (f64::from(k) + 0.5);
            let rise: f64 = gaps.iter().map(|gap| (0.5 * gap * t).sinh() / (0.5 * gap * t)).product();
            let weight = t.powi(5) * (-t / sigma).exp() * rise;
            sum += t * weight;
            total += weight;
        }
    }
    let expected = sum / total;
    let sd =
        (draws.iter().map(|t| (t - found).powi(2)).sum::<f64>() / f64::from(n)).sqrt() / f64::from(n).sqrt();
    // Averaging over directions is good to .1 %; five standard deviations of the draws: false alarms 6e-7.
    assert!((found - expected).abs() < 5.0 * sd + 0.004 * expected, "{found} {expected} ± {sd}");
}

/// Random pairs of records never move gradient or mean further than the bounds say. Nor do those that come nearest: of a hundred records half at
/// either end of a diameter, the last at either end across; for the gradient two ends of the rim seen from a third. Bounds a tenth lower would
/// be passed.
#[test]
fn sensitivities_hold_and_are_attained() {
    let sphere = Sphere::unit(2).unwrap();
    let centre = dvector![0.0, 0.0, 1.0];
    let ball = PublicBall::new(sphere, centre.clone(), radius(0.6)).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let (mut gradient, mut moved): (f64, f64) = (0.0, 0.0);
    let n = 4;
    for _ in 0..400 {
        let mut data: Vec<_> = (0..n).map(|_| random_in_ball(&ball, &mut rng)).collect();
        let x = random_in_ball(&ball, &mut rng);
        let before = (sphere.mean_log(&x, &data, None).unwrap().log, mean(&sphere, &data));
        data[0] = random_in_ball(&ball, &mut rng);
        let after = (sphere.mean_log(&x, &data, None).unwrap().log, mean(&sphere, &data));
        gradient = gradient.max((before.0 - after.0).norm());
        moved = moved.max(sphere.dist(&before.1, &after.1));
    }
    let bounds =
        (ball.gradient_sensitivity(4, 0.0).unwrap().get(), ball.mean_sensitivity(4, 0.0).unwrap().get());
    assert!(gradient <= bounds.0 && gradient > 0.6 * bounds.0, "{gradient} {}", bounds.0);
    assert!(moved <= bounds.1 && moved > 0.3 * bounds.1, "{moved} {}", bounds.1);

    fn attained<M: Manifold>(manifold: &M, centre: &M::Point, r: f64) {
        let ball = PublicBall::new(manifold.clone(), centre.clone(), radius(r)).unwrap();
        let at = |along: f64, aside: f64| {
            let mut v = vec![0.0; manifold.dim()];
            (v[0], v[1]) = (along, aside);
            manifold.exp(centre, &manifold.from_coordinates(centre, &v))
        };
        let [first, second] = [r, -r].map(|last| {
            let mut data: Vec<_> = (0..99).map(|i| at(if i % 2 == 0 { r } else { -r }, 0.0)).collect();
            data.push(at(0.0, last));
            mean(manifold, &data)
        });
        let (moved, bound) = (manifold.dist(&first, &second), ball.mean_sensitivity(100, 0.0).unwrap().get());
        assert!(moved <= bound && moved > 0.99 * bound, "{manifold:?} {r}: {moved} {bound}");
        let single = ball.mean_sensitivity(1, 0.0).unwrap().get();
        assert!(single >= 2.0 * r && single < 2.0 * r * (1.0 + 1e-8), "{single}");
        let change = |i: i32| {
            let (sine, cosine) = (0.001 * f64::from(i)).sin_cos();
            let [a, mut b] =
                [r * sine, -r * sine].map(|y| manifold.log(&at(r, 0.0), &at(r * cosine, y)).unwrap());
            manifold.axpy(-1.0, &a, &mut b);
            manifold.norm(&at(r, 0.0), &b)
        };
        let widest = (1..3141).map(change).fold(0.0, f64::max);
        let bound = ball.gradient_sensitivity(1, 0.0).unwrap().get();
        assert!(widest <= bound && widest > 0.99999 * bound, "{manifold:?} {r}: {widest} {bound}");
    }
    // Shapes: v and iv span a plane of the largest curvature, 4.
    let shapes = Kendall::new(4).unwrap();
    let any = any_shape(&shapes);
    for r in [0.1, 0.5, 0.7, 0.785] {
        attained(&sphere, &centre, r);
        attained(&shapes, &any, 0.5 * r);
    }
}

#[test]
fn the_ball_brings_every_record_inside_and_radii_beyond_the_theorem_are_refused() {
    let shapes = Kendall::new(5).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let centre = shapes.random_point(&mut rng);
    assert!(PublicBall::new(shapes, centre.clone(), radius(std::f64::consts::PI / 8.0)).is_err());
    let ball = PublicBall::new(shapes, centre.clone(), radius(0.2)).unwrap();
    let records: Vec<_> = (0..50).map(|i| (i % 7 != 0).then(|| shapes.random_point(&mut rng))).collect();
    let bounded = ball.bound(&records);
    assert_eq!((bounded.points.len(), bounded.failed), (50, 8));
    assert!(bounded.points.iter().all(|p| shapes.dist(&centre, p) < 0.2 + 1e-12));
}

/// The scales that the proofs ask for, in closed form: noise 10 % too small would be seen at once.
#[test]
fn scales_are_those_of_the_proofs() {
    let sphere = Sphere::new(4, 1.0).unwrap();
    let ball = PublicBall::new(sphere, dvector![1.0, 0.0, 0.0, 0.0, 0.0], radius(0.4)).unwrap();
    let (n, epsilon, mu) = (50, Epsilon::new(0.7).unwrap(), Mu::new(1.3).unwrap());
    // The mean moves by 2 tan(r)/n, known to within the gradient's error over cos r; the gradient by what a grid finds of Lemma 3.
    let (flat, r) = (2.0 * 0.4 / 50.0, 0.4_f64);
    let mean = 2.0 * r.tan() / 50.0 + 2.0 * MEAN_GRADIENT / r.cos();
    let laplace = RiemannianLaplace::new(ball.clone(), n, epsilon).unwrap();
    approx::assert_relative_eq!(scale(&laplace), mean / 0.7, max_relative = 1e-8);
    let kng = KNormGradient::new(ball.clone(), n, epsilon).unwrap();
    let wide = |i: i32| {
        let beta = r * f64::from(i) / 100_000.0;
        4.0 * beta * (1.0 - (beta.tan() / r.tan()).powi(2)).sqrt()
    };
    let gradient = (1..100_000).map(wide).fold(0.0, f64::max) / 50.0 + 2.0 * MEAN_GRADIENT;
    approx::assert_relative_eq!(scale(&kng), 2.0 * gradient / 0.7, max_relative = 1e-8);
    let tangent = TangentMean::gaussian(ball.clone(), n, mu).unwrap();
    approx::assert_relative_eq!(scale(&tangent), flat / 1.3, max_relative = 1e-8);
    let gaussian = RiemannianGaussian::new(ball, n, mu).unwrap();
    let (space, unit) = sphere.two_point().unwrap();
    let implied = riemannian_gaussian_mu(space, mean / unit, scale(&gaussian) / unit).unwrap();
    assert!(implied.get() <= 1.3 * (1.0 + 1e-9) && implied.get() > 1.3 * (1.0 - 1e-6), "{implied:?}");
}

#[test]
fn kng_is_refused_where_logarithms_jump() {
    let circle = Sphere::new(1, 1.0).unwrap();
    let ball = PublicBall::new(circle, dvector![1.0, 0.0], radius(0.3)).unwrap();
    let epsilon = Epsilon::new(1.0).unwrap();
    assert!(matches!(KNormGradient::new(ball, 10, epsilon), Err(MechanismError::ClosedFlat)));
}

/// Noise too wide for the volume growth of hyperbolic space is refused before anything is charged.
#[test]
fn noise_without_a_law_is_refused() {
    let hyperbolic = Lorentz::new(4).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let origin = hyperbolic.random_point(&mut rng);
    let ball = PublicBall::new(hyperbolic, origin, radius(1.0)).unwrap();
    let epsilon = Epsilon::new(0.1).unwrap();
    assert!(matches!(
        RiemannianLaplace::new(ball.clone(), 5, epsilon),
        Err(MechanismError::NoiseTooWide { .. })
    ));
    assert!(matches!(KNormGradient::new(ball, 5, epsilon), Err(MechanismError::NoiseTooWide { .. })));
}

/// What the model of a space reads is the point itself: narrow draws lie about it, at distances of the law's size in the space's own unit.
#[test]
fn spaces_agree_with_their_models() {
    fn check<M: Isotropic>(m: &M, rng: &mut ChaCha8Rng) {
        let centre = m.random_point(rng);
        let ball = PublicBall::new(m.clone(), centre, radius(1e-6)).unwrap();
        let laplace = RiemannianLaplace::new(ball.clone(), 1, Epsilon::new(1.0).unwrap()).unwrap();
        let (mut noise, records) = (NoiseSource::seeded(31), at_centre(&ball, 1));
        let n = 400;
        let draws: Vec<f64> =
            (0..n).map(|_| m.dist(ball.centre(), &drawn(&laplace, &records, &mut noise).point)).collect();
        // Nearly Gamma(dim, σ); eight standard errors.
        let (dim, sigma) = (m.dim() as f64, scale(&laplace));
        let mean = draws.iter().sum::<f64>() / f64::from(n) / sigma;
        assert!((mean - dim).abs() < 8.0 * (dim / f64::from(n)).sqrt(), "{m:?}: {mean} for {dim}");
    }
    let mut rng = ChaCha8Rng::seed_from_u64(30);
    check(&Sphere::new(3, 2.5).unwrap(), &mut rng);
    check(&Sphere::new(1, 0.5).unwrap(), &mut rng);
    check(&Kendall::new(3).unwrap(), &mut rng);
    check(&Kendall::new(7).unwrap(), &mut rng);
    check(&Lorentz::new(2).unwrap(), &mut rng);
    check(&PoincareBall::new(3).unwrap(), &mut rng);
    check(&Euclidean::new(4), &mut rng);
    check(&SpdLogEuclidean::new(2).unwrap(), &mut rng);
}
