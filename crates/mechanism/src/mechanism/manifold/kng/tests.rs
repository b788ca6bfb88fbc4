//! The law on cells, and what draws take.

use super::cells::point;
use super::sampler::Tally;
use super::*;
use crate::manifold::{Kendall, Lorentz, Manifold, Sphere};
use crate::privacy::{ClipRadius, ClipSource, Ledger, pay, release};
use nalgebra::{DVector, dvector};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

fn ball<M: PolarVolume>(manifold: M, centre: M::Point, radius: f64) -> PublicBall<M> {
    PublicBall::new(manifold, centre, ClipRadius::new(radius, ClipSource::Public).unwrap()).unwrap()
}

fn spiral(n: usize) -> Vec<Option<DVector<f64>>> {
    let at = |i: usize| {
        let (a, s) = (0.7 * i as f64, 0.35 * ((i as f64 + 0.5) / n as f64).sqrt());
        Some(dvector![s.sin() * a.cos() + 0.1, s.sin() * a.sin(), s.cos()].normalize())
    };
    (0..n).map(at).collect()
}

/// On a grid as coarse as a seventh of the ball the law is summed over its cells: volume of the cell times e^{−score/σ}. Chi-square at 1e-6,
/// proposals about the mean and about the centre.
#[test]
#[ignore = "slow: a quarter of a minute; kng_draws_follow_the_density has a finer grid"]
fn the_law_on_coarse_cells_is_that_of_the_theorem() {
    let (sphere, exponent) = (Sphere::unit(2).unwrap(), -3);
    let ball = ball(sphere, dvector![0.0, 0.0, 1.0], 0.5);
    let fine = KNormGradient::new(ball.clone(), 20, Epsilon::new(2.0).unwrap()).unwrap();
    let kng = KNormGradient { exponent, ..fine };
    let located = ball.locate(&spiral(20), 20).unwrap();
    let cell = |x: f64, y: f64| [x, y, (1.0 - x * x - y * y).sqrt()].map(|x| (x * 8.0 + 0.5).floor() as i64);
    // Volumes of cells in the chart (x, y), with the area element 1/z.
    let (fine, mut volumes) = (1000, BTreeMap::new());
    for i in 0..fine {
        for j in 0..fine {
            let at = |k: i32| 1.4 * ((f64::from(k) + 0.5) / f64::from(fine) - 0.5);
            let (x, y) = (at(i), at(j));
            *volumes.entry(cell(x, y)).or_insert(0.0) += 1.0 / (1.0 - x * x - y * y).sqrt();
        }
    }
    for centred in [false, true] {
        let sampler = kng.sampler(located.clone(), Some(centred)).unwrap();
        let How::Cells { centre, within, .. } = &sampler.how else { panic!("no cells") };
        let inside = |v: &[i64; 3]| {
            let steps = v.map(Into::into).to_vec();
            let x = point(&sphere, &super::super::lazy::GridPoint { steps, exponent }, centre);
            x.filter(|x| sphere.dist(centre, x) <= *within)
        };
        let members: BTreeMap<_, _> =
            volumes.iter().filter_map(|(v, volume)| Some((*v, (inside(v)?, volume)))).collect();
        let weights: BTreeMap<_, f64> = members
            .iter()
            .map(|(v, (x, volume))| (*v, *volume * (-sampler.score(x).unwrap() / sampler.sigma).exp()))
            .collect();
        let total: f64 = weights.values().sum();
        let (mut noise, n) = (NoiseSource::seeded(5), 4000);
        let (mut counts, mut tally) = (BTreeMap::new(), Tally::default());
        for _ in 0..n {
            let paid = pay(kng.price(), &mut Ledger::in_memory(None)).unwrap();
            let (x, took) = sampler.draw_counted(&mut noise, paid).unwrap();
            tally.overshot += took.overshot;
            // The cell's point is nearest to its own cell's direction: found again among the members.
            let nearest =
                members.iter().min_by(|a, b| sphere.dist(&a.1.0, &x).total_cmp(&sphere.dist(&b.1.0, &x)));
            *counts.entry(*nearest.unwrap().0).or_insert(0.0) += 1.0;
        }
        assert_eq!(tally.overshot, 0);
        let (mut chi, mut bins, mut rest) = (0.0, 0.0, (0.0, 0.0));
        for (v, weight) in &weights {
            let (expected, found) = (weight / total * f64::from(n), counts.get(v).copied().unwrap_or(0.0));
            if expected < 5.0 {
                rest = (rest.0 + expected, rest.1 + found);
            } else {
                chi += (found - expected) * (found - expected) / expected;
                bins += 1.0;
            }
        }
        chi += if rest.0 > 0.0 { (rest.1 - rest.0) * (rest.1 - rest.0) / rest.0 } else { 0.0 };
        // Wilson and Hilferty: the quantile at 1 − 1e-6 (4.7534 standard deviations).
        let c = 2.0 / (9.0 * bins);
        let limit = bins * f64::powi(1.0 - c + 4.7534 * f64::sqrt(c), 3);
        assert!(bins > 20.0 && chi < limit, "{centred}: chi-square {chi} above {limit} over {bins} cells");
    }
}

/// No score lies below its bound, and draws come soon: on every space, with the mean at the centre and near the rim, at wide and at narrow
/// noise.
#[test]
fn scores_never_lie_below_their_bounds() {
    fn check<M: PolarVolume>(manifold: &M, centre: &M::Point, r: f64, rng: &mut ChaCha8Rng) {
        let ball = ball(manifold.clone(), centre.clone(), r);
        for (shift, spread, epsilon) in [(0.0, 0.3, 1.0), (0.6, 0.2, 0.3), (0.9, 0.05, 3.0), (0.0, 0.9, 10.0)]
        {
            let v = manifold.scale(shift * r, &manifold.random_direction(centre, rng));
            let near = manifold.exp(centre, &v);
            let sd = spread * r / (manifold.dim() as f64).sqrt();
            let record = |_| Some(manifold.exp(&near, &manifold.tangent_gaussian(&near, sd, rng)));
            let records: Vec<_> = (0..30).map(record).collect();
            let kng = KNormGradient::new(ball.clone(), 30, Epsilon::new(epsilon).unwrap()).unwrap();
            let sampler = kng.prepare(&records).unwrap();
            let (mut noise, mut total) = (NoiseSource::seeded(9), Tally::default());
            for _ in 0..60 {
                let paid = pay(kng.price(), &mut Ledger::in_memory(None)).unwrap();
                let (_, tally) = sampler.draw_counted(&mut noise, paid).unwrap();
                total.proposed += tally.proposed;
                total.overshot += tally.overshot;
            }
            assert_eq!(total.overshot, 0, "{manifold:?} {shift} {spread} {epsilon}");
            println!(
                "{manifold:?} {shift} {spread} {epsilon}: {} proposals a draw",
                total.proposed as f64 / 60.0
            );
            assert!(total.proposed < 60 * 400, "{manifold:?} {shift} {spread} {epsilon}: {total:?}");
        }
    }
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    check(&Sphere::unit(2).unwrap(), &dvector![0.0, 0.0, 1.0], 0.7, &mut rng);
    check(&Sphere::new(5, 2.0).unwrap(), &dvector![2.0, 0.0, 0.0, 0.0, 0.0, 0.0], 0.5, &mut rng);
    let shapes = Kendall::new(5).unwrap();
    let centre = shapes.random_point(&mut rng);
    check(&shapes, &centre, 0.3, &mut rng);
    let hyperbolic = Lorentz::new(3).unwrap();
    let point = hyperbolic.random_point(&mut rng);
    check(&hyperbolic, &point, 0.5, &mut rng);
}

/// Stated over true, on a sphere, among shapes and on the hyperbolic plane: within .8 and 1.25. 600 draws know a root mean square within 4 % (one
/// standard deviation).
#[test]
#[ignore = "slow: 40 s; what the statement rests on is in kng_draws_follow_the_density"]
fn draws_lie_as_far_from_the_mean_as_is_stated() {
    fn ratio<M: PolarVolume>(manifold: M, records: &[Option<M::Point>], radius: f64, epsilon: f64) -> f64 {
        let ball = ball(manifold, records[0].clone().unwrap(), radius);
        let n = records.len() as u64;
        let kng = KNormGradient::new(ball.clone(), n, Epsilon::new(epsilon).unwrap()).unwrap();
        let mean = ball.locate(records, n).unwrap().mean;
        let (mut square, mut noise, draws) = (0.0, NoiseSource::seeded(11), 600);
        for _ in 0..draws {
            let drawn = release(&kng, records, &mut Ledger::in_memory(None), &mut noise).unwrap();
            assert_eq!(drawn.parts[0].expected_error, kng.expected);
            square += ball.manifold().dist(&mean, &drawn.value.point).powi(2) / f64::from(draws);
        }
        kng.expected.unwrap() / square.sqrt()
    }
    let kendall = Kendall::new(6).unwrap();
    let shape = |i: usize| {
        let bend = 0.15 * (i as f64 * 2.4).sin();
        let corner = |k: usize| {
            let a = std::f64::consts::TAU * k as f64 / 6.0;
            nalgebra::Complex::new(a.cos() * (1.0 + bend * (2.0 * a).cos()), a.sin())
        };
        kendall.preshape(&(0..6).map(|k| [corner(k).re, corner(k).im]).collect::<Vec<_>>()).ok()
    };
    let shapes: Vec<_> = (0..60).map(shape).collect();
    let hyperbolic: Vec<_> = (0..60)
        .map(|i| {
            let (a, s) = (0.7 * i as f64, 0.01 * i as f64);
            Some(dvector![(1.0 + s * s).sqrt(), s * a.cos(), s * a.sin()])
        })
        .collect();
    for found in [
        ratio(Sphere::unit(2).unwrap(), &spiral(60), 0.6, 2.0),
        ratio(Sphere::unit(2).unwrap(), &spiral(60), 0.6, 0.3),
        ratio(kendall, &shapes, 0.3, 4.0),
        ratio(Lorentz::new(2).unwrap(), &hyperbolic, 0.8, 2.0),
    ] {
        assert!((0.8..1.25).contains(&found), "{found}");
    }
}
