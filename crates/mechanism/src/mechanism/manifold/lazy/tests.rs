//! Digits, heights and laws of exact draws. False-alarm rates are those over the choice of the seed.

use super::*;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;

const SPACES: [TwoPointSpace; 9] = [
    TwoPointSpace::Euclidean { dim: 3 },
    TwoPointSpace::Sphere { dim: 1 },
    TwoPointSpace::Sphere { dim: 2 },
    TwoPointSpace::Sphere { dim: 6 },
    TwoPointSpace::Hyperbolic { dim: 1 },
    TwoPointSpace::Hyperbolic { dim: 2 },
    TwoPointSpace::Hyperbolic { dim: 5 },
    TwoPointSpace::ComplexProjective { dim: 1 },
    TwoPointSpace::ComplexProjective { dim: 8 },
];

/// How many doubles give a point.
fn numbers(space: TwoPointSpace) -> usize {
    match space {
        TwoPointSpace::Euclidean { dim } | TwoPointSpace::Hyperbolic { dim } => dim,
        TwoPointSpace::Sphere { dim } => dim + 1,
        TwoPointSpace::ComplexProjective { dim } => 2 * dim + 2,
    }
}

fn somewhere(space: TwoPointSpace) -> Origin {
    let x = (0..numbers(space)).map(|i| 0.3 + 0.4 * (1.7 * i as f64).sin());
    Origin::new(space, x.collect()).unwrap()
}

fn laws(space: TwoPointSpace) -> Vec<(GridLaw, Loss, f64)> {
    let d = space.real_dim() as f64;
    let mut laws = Vec::new();
    for scale in [0.01, 0.15] {
        for (loss, expected) in
            [(Loss::proportional(scale), scale * d), (Loss::Square { scale }, scale * d.sqrt())]
        {
            laws.push((GridLaw::new((space, 1.0), loss, expected, scale).unwrap(), loss, scale));
        }
    }
    laws
}

fn rough(loss: &Loss, t: f64) -> f64 {
    match *loss {
        Loss::Line { scale, .. } => t / scale,
        Loss::Square { scale } => 0.5 * (t / scale).powi(2),
    }
}

/// The same digits give the same integers, however coarsely one begins, and coarse beginnings do need refinement.
#[test]
fn refinement_changes_nothing() {
    for space in SPACES {
        let (origin, (law, ..)) = (somewhere(space), laws(space).remove(0));
        let mut rng = ChaCha20Rng::seed_from_u64(1);
        for _ in 0..20 {
            let mut polar = Polar::draw(&law.radius, &origin, &mut rng);
            // All digits that any precision below will ask for belong to the numbers from here on.
            polar.radius.enclose(4096, &mut rng);
            enclose_all(&mut polar.deviates, 4096, &mut rng);
            let from = |first: u32| {
                let mut nobody = ChaCha20Rng::seed_from_u64(u64::from(first));
                polar.clone().rounded(&origin, law.exponent, first, &mut nobody)
            };
            assert_eq!(from(8), from(64), "{space:?}");
            assert_eq!(from(64), from(512), "{space:?}");
            let mut nobody = ChaCha20Rng::seed_from_u64(0);
            let z = enclose_all(&mut polar.deviates, 8, &mut nobody);
            let coarse = polar.radius.enclose(8, &mut nobody).and_then(|t| origin.moved(&t, &z, 8));
            assert!(coarse.is_none_or(|x| x.iter().any(|x| x.nearest(law.exponent).is_none())));
        }
    }
}

/// Every height is above the density on its cell, and every floor below it, at a thousand points; one proposal in ten is refused at most.
#[test]
fn heights_and_floors_hold() {
    for space in SPACES {
        for (law, loss, _) in laws(space) {
            law.radius.check_heights(1000, |t| space.ln_area(t) - rough(&loss, t));
            let mut rng = ChaCha20Rng::seed_from_u64(2);
            let proposed: u32 = (0..2000).map(|_| law.radius.draw(&mut rng).1).sum();
            assert!(proposed < 2200, "{space:?} {loss:?}: {proposed}");
        }
    }
}

/// Distance between the released point and the origin, in doubles, and the cosine of the direction with a fixed one.
fn polar_coordinates(space: TwoPointSpace, at: &[f64], x: &[f64]) -> (f64, f64) {
    let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    match space {
        TwoPointSpace::Euclidean { .. } => {
            let v: Vec<f64> = x.iter().zip(at).map(|(x, y)| x - y).collect();
            (norm(&v), v[0])
        }
        TwoPointSpace::Hyperbolic { .. } => {
            let time = |x: &[f64]| 1.0_f64.hypot(norm(x));
            let v: Vec<f64> = x.iter().zip(at).map(|(x, y)| x - y).collect();
            let chord = dot(&v, &v) - (time(x) - time(at)).powi(2);
            // The boost back to the origin, first coordinate.
            let first = x[0] - at[0] * (time(x) - dot(at, x) / (1.0 + time(at)));
            (2.0 * (0.5 * chord.max(0.0).sqrt()).asinh(), first)
        }
        TwoPointSpace::Sphere { .. } => {
            let cos = dot(x, at) / norm(at);
            let v: Vec<f64> = x.iter().zip(at).map(|(x, y)| x - cos * y / norm(at)).collect();
            (norm(&v).atan2(cos), v[0])
        }
        TwoPointSpace::ComplexProjective { .. } => {
            let at: Vec<f64> = at.iter().map(|y| y / norm(at)).collect();
            let x: Vec<f64> = [&x[..1], &[0.0], &x[1..]].concat();
            let turned = |x: &[f64]| x.chunks_exact(2).flat_map(|z| [-z[1], z[0]]).collect::<Vec<_>>();
            // at*x, and what x has across.
            let (re, im) = (dot(&at, &x), dot(&turned(&at), &x));
            let i_at = turned(&at);
            let v: Vec<f64> = (0..x.len()).map(|k| x[k] - re * at[k] - im * i_at[k]).collect();
            let size = re.hypot(im);
            // Turned to the representative that is nearest to the origin's.
            let first = (v[0] * re + v[1] * im) / size;
            (norm(&v).atan2(size), first)
        }
    }
}

/// Kolmogorov–Smirnov of radii and chi-square on eight rings times two half-spaces, each at 1e-6, a test of each kind in each of 36 laws:
/// false alarm 7e-5.
#[test]
fn draws_follow_their_laws() {
    for space in SPACES {
        for (law, loss, scale) in laws(space) {
            let origin = somewhere(space);
            let at: Vec<f64> = (0..numbers(space)).map(|i| 0.3 + 0.4 * (1.7 * i as f64).sin()).collect();
            let mut rng = ChaCha20Rng::seed_from_u64(3);
            let n = 1500;
            let draws: Vec<(f64, f64)> = (0..n)
                .map(|_| polar_coordinates(space, &at, &law.about(&origin, &mut rng).to_doubles()))
                .collect();
            // The law's distribution function by a hundred thousand midpoints.
            let end = space.diameter().min(30.0 * scale * space.real_dim() as f64);
            let steps = 100_000;
            let ln = |t: f64| space.ln_area(t) - rough(&loss, t);
            let top = (1..1000).map(|i| ln(end * f64::from(i) / 1000.0)).fold(f64::MIN, f64::max);
            let mut cdf = vec![0.0];
            for i in 0..steps {
                let t = end * (f64::from(i) + 0.5) / f64::from(steps);
                cdf.push(cdf[i as usize] + (ln(t) - top).exp());
            }
            let total = cdf[steps as usize];
            let at = |t: f64| cdf[((t / end * f64::from(steps)) as usize).min(steps as usize)] / total;
            let mut places: Vec<f64> = draws.iter().map(|(t, _)| at(*t)).collect();
            places.sort_by(f64::total_cmp);
            let distance = places.iter().enumerate().map(|(i, f)| (f - (i as f64 + 0.5) / n as f64).abs());
            let distance = distance.fold(0.0, f64::max) * f64::from(n).sqrt();
            assert!(distance < 2.72, "{space:?} {loss:?}: {distance}");
            let mut counts = [0.0; 16];
            for (t, first) in &draws {
                let ring = ((at(*t) * 8.0) as usize).min(7);
                counts[2 * ring + usize::from(*first > 0.0)] += 1.0;
            }
            let expected = f64::from(n) / 16.0;
            let chi: f64 = counts.iter().map(|c| (c - expected).powi(2) / expected).sum();
            // 15 degrees of freedom: 57.1 at 1e-6.
            assert!(chi < 57.1, "{space:?} {loss:?}: {chi}");
        }
    }
}

/// On a grid as coarse as the noise the law of the release is a sum over cells: draws follow it, and no loss is above the claim.
#[test]
fn coarse_grids_have_the_law_of_the_rounded_draw() {
    let (space, scale, exponent) = (TwoPointSpace::Sphere { dim: 1 }, 0.3, -2);
    let law =
        GridLaw { exponent, ..GridLaw::new((space, 1.0), Loss::proportional(scale), scale, scale).unwrap() };
    let cell = |angle: f64| [angle.cos(), angle.sin()].map(|x| (x * 4.0 + 0.5).floor() as i64);
    let summed = |mean: f64| {
        let (steps, mut law) = (400_000, std::collections::BTreeMap::new());
        for i in 0..steps {
            let t = std::f64::consts::PI * (2.0 * (f64::from(i) + 0.5) / f64::from(steps) - 1.0);
            *law.entry(cell(mean + t)).or_insert(0.0) += (-t.abs() / scale).exp();
        }
        let total: f64 = law.values().sum();
        law.values_mut().for_each(|p| *p /= total);
        law
    };
    let (at, shift) = (0.7_f64, 0.2);
    let (first, second) = (summed(at), summed(at + shift));
    let loss = first.iter().map(|(cell, p)| (p / second[cell]).ln().abs()).fold(0.0, f64::max);
    assert!(loss <= shift / scale * (1.0 + 1e-3) && loss > 0.9 * shift / scale, "{loss}");
    // Doubles beside those of the angle: the mean is what they point at.
    let origin = Origin::new(space, vec![at.cos(), at.sin()]).unwrap();
    let (mut rng, n, mut counts) = (ChaCha20Rng::seed_from_u64(4), 20_000, std::collections::BTreeMap::new());
    for _ in 0..n {
        let v: Vec<i64> =
            law.about(&origin, &mut rng).steps.iter().map(|x| i64::try_from(x).unwrap()).collect();
        *counts.entry([v[0], v[1]]).or_insert(0.0) += 1.0;
    }
    let chi: f64 = first
        .iter()
        .map(|(cell, p)| {
            let expected = p * f64::from(n);
            (counts.get(cell).unwrap_or(&0.0) - expected).powi(2) / expected
        })
        .sum();
    let freedom = first.len() as f64 - 1.0;
    // Wilson and Hilferty: the quantile at 1 − 1e-6 (4.7534 standard deviations).
    let c = 2.0 / (9.0 * freedom);
    let limit = freedom * (1.0 - c + 4.7534 * c.sqrt()).powi(3);
    assert!(chi < limit && counts.keys().all(|cell| first.contains_key(cell)), "{chi} {limit}");
}

/// The tail of an unbounded law is drawn from its exponential: cells end early here, so that half of the draws lie beyond them.
#[test]
fn tails_follow_their_law() {
    let space = TwoPointSpace::Euclidean { dim: 3 };
    let law = RadialHistogram::with_depth(space, &Range::Whole(Loss::proportional(1.0)), 3.0, 0.3).unwrap();
    assert!(law.tail_share() > 0.2, "{}", law.tail_share());
    let (mut rng, n) = (ChaCha20Rng::seed_from_u64(5), 5000);
    let mut radii: Vec<f64> = (0..n)
        .map(|_| {
            let t = law.draw(&mut rng).0.enclose(128, &mut rng).unwrap();
            i64::try_from(t.ceiling(40)).unwrap() as f64 / 2f64.powi(40)
        })
        .collect();
    radii.sort_by(f64::total_cmp);
    // Gamma(3): 1 − e^{−t}(1 + t + t²/2).
    let cdf = |t: f64| 1.0 - (-t).exp() * (1.0 + t + 0.5 * t * t);
    let distance = radii.iter().enumerate().map(|(i, t)| (cdf(*t) - (i as f64 + 0.5) / f64::from(n)).abs());
    // False alarm 1e-6.
    assert!(distance.fold(0.0, f64::max) * f64::from(n).sqrt() < 2.72);
}

#[test]
fn extreme_scales_have_laws_or_are_refused() {
    let flat = TwoPointSpace::Euclidean { dim: 2 };
    let mut rng = ChaCha20Rng::seed_from_u64(6);
    for scale in [1e-100, 1e-15, 1e15, 1e100] {
        let law = GridLaw::new((flat, 1.0), Loss::proportional(scale), 2.0 * scale, scale).unwrap();
        let origin = Origin::new(flat, vec![scale, -scale]).unwrap();
        let x = law.about(&origin, &mut rng).to_doubles();
        assert!(x.iter().all(|x| x.abs() < 100.0 * scale), "{scale}: {x:?}");
    }
    let sphere = TwoPointSpace::Sphere { dim: 2 };
    for scale in [1e-12, 1e6] {
        let law = GridLaw::new((sphere, 1.0), Loss::proportional(scale), 2.0 * scale, scale).unwrap();
        let x = law.about(&somewhere(sphere), &mut rng).to_doubles();
        let square: f64 = x.iter().map(|x| x * x).sum();
        assert!((square - 1.0).abs() < 1e-8, "{scale}: {x:?}");
    }
    // e^{−t/σ} sinh t does not fall for σ = 1, and falls too far out a little below it.
    let plane = TwoPointSpace::Hyperbolic { dim: 2 };
    for scale in [1.0, 0.9999, 3.0, f64::NAN] {
        assert!(
            GridLaw::new((plane, 1.0), Loss::proportional(scale), 2.0 * scale, scale).is_err(),
            "{scale}"
        );
    }
    for broken in [vec![0.0, 0.0, 0.0], vec![f64::NAN, 0.0, 1.0], vec![1.0, 0.0]] {
        assert!(Origin::new(sphere, broken).is_none());
    }
}

#[test]
fn grid_points_are_the_doubles_beside_them() {
    let steps: Vec<BigInt> = [3i64, -(1 << 60), 0].map(BigInt::from).to_vec();
    let point = GridPoint { steps, exponent: -2 };
    assert_eq!(point.to_doubles(), [0.75, -(2f64.powi(58)), 0.0]);
    let huge = GridPoint { steps: vec![BigInt::from(1) << 3000u32], exponent: 0 };
    assert_eq!(huge.to_doubles(), [1e150]);
}
