//! Shapes come back, whatever their pose; and what follows from public numbers alone.

use super::worst_case::{mean, modes, setting};
use super::*;
use crate::mechanism::manifold::CentreStatistic;
use crate::privacy::{Ledger, Released, release};
use nalgebra::Rotation3;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// A thick, asymmetric shape.
fn truth(k: usize, d: usize) -> DMatrix<f64> {
    let shape = DMatrix::from_fn(k, d, |i, j| {
        let t = std::f64::consts::TAU * i as f64 / k as f64;
        [2.0 * t.cos() + 0.3 * (2.0 * t).sin(), 1.3 * t.sin() + 0.2 * (3.0 * t).cos(), (2.0 * t).cos()][j]
    });
    LandmarkShapes::new(k, d).unwrap().preshape(&shape).unwrap().0
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}

/// Shapes `spread` from the truth, in any pose.
fn people(truth: &DMatrix<f64>, n: usize, spread: f64, seed: u64) -> ShapeRecords {
    let (k, d) = truth.shape();
    let space = LandmarkShapes::new(k, d).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let one = |_| {
        let v = DMatrix::from_fn(k, d, |_, _| spread * normal(&mut rng) / ((k * d) as f64).sqrt());
        let turn = Rotation3::from_euler_angles(0.0, 0.0, rng.random_range(0.0..6.0))
            * Rotation3::from_euler_angles(if d == 3 { rng.random_range(0.0..3.0) } else { 0.0 }, 0.0, 0.0);
        let turn = DMatrix::from_fn(d, d, |i, j| turn.matrix()[(i, j)]);
        let posed = ((truth + v) * turn * rng.random_range(0.1..9.0)).add_scalar(rng.random_range(-5.0..5.0));
        Some(space.preshape(&posed).unwrap().0)
    };
    ShapeRecords::of((0..n).map(one).collect())
}

fn drawn<M: OfSamples>(
    mechanism: &ShapeMechanism<M>,
    records: &ShapeRecords,
    seed: u64,
) -> Released<ReleasedShapes<M::Value>> {
    release(mechanism, records, &mut Ledger::in_memory(None), &mut NoiseSource::seeded(seed)).unwrap()
}

fn shape_of(
    mechanism: &ShapeMechanism<crate::mechanism::functional::TwoRoundMean>,
    records: &ShapeRecords,
    seed: u64,
) -> DMatrix<f64> {
    let released = drawn(mechanism, records, seed).value;
    mechanism.about(&released.centre).unwrap().0.shape(&released.value.samples)
}

#[test]
fn means_come_back_in_the_plane_and_in_space_without_any_public_shape() {
    for (k, d, n, most) in [(12, 2, 400, 0.02), (10, 3, 400, 0.035)] {
        let (truth, mu) = (truth(k, d), Mu::new(1.0).unwrap());
        let mechanism = mean(&setting(k, d, Centre::Private, n, mu).unwrap()).unwrap();
        let records = people(&truth, n as usize, 0.07, 3);
        let space = mechanism.space();
        let square: f64 =
            (0..10).map(|seed| space.dist(&truth, &shape_of(&mechanism, &records, seed)).powi(2)).sum();
        assert!((square / 10.0).sqrt() < most, "{d}: {}", (square / 10.0).sqrt());
    }
}

/// Two outlines beside one another, which turn and bend by themselves: whoever declares them has a third less error, for the same budget.
#[test]
fn several_outlines_are_smooth_each_by_itself() {
    let (each, n, mu) = (30, 200, Mu::new(1.0).unwrap());
    let space = LandmarkShapes::new(2 * each, 2).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let mut one = |_| {
        let waves: Vec<f64> = (0..6).map(|_| 0.06 * normal(&mut rng)).collect();
        let x = DMatrix::from_fn(2 * each, 2, |i, j| {
            let (own, t) =
                (&waves[3 * (i / each)..], std::f64::consts::TAU * (i % each) as f64 / each as f64);
            let reach = 1.0 + 0.3 * (2.0 * t).cos() + own[0] * (2.0 * t).sin() + own[1] * (3.0 * t).cos();
            reach * if j == 0 { t.cos() } else { t.sin() } + [2.6 * (i / each) as f64 + own[2], own[2]][j]
        });
        Some(space.preshape(&x).unwrap().0)
    };
    let records = ShapeRecords::of((0..n).map(&mut one).collect());
    let people: Vec<DMatrix<f64>> = records.people.iter().flatten().cloned().collect();
    let truth = space.mean(&people).unwrap();
    let error = |outlines: usize| {
        let of = setting(2 * each, 2, Centre::Private, n, mu).unwrap();
        let mechanism = mean(&ShapeSetting { outlines, ..of }).unwrap();
        assert_eq!(mechanism.price().loss, PrivacyLoss::Gaussian(mu));
        let square = |seed| space.dist(&truth, &shape_of(&mechanism, &records, seed)).powi(2);
        ((0..10).map(square).sum::<f64>() / 10.0).sqrt()
    };
    let [unordered, one, two] = [0, 1, 2].map(error);
    assert!(two < 0.7 * unordered && two < 0.9 * one, "{unordered} {one} {two}");
    let seven = ShapeSetting { outlines: 7, ..setting(2 * each, 2, Centre::Private, n, mu).unwrap() };
    assert!(mean(&seven).is_err());
}

/// Three people in five lack two landmarks of twelve: the mean is about as good as with all of them.
#[test]
fn what_is_missing_is_filled_from_the_private_centre() {
    for (d, most) in [(2, 0.025), (3, 0.045)] {
        let (k, n) = (12, 400);
        let (truth, mu) = (truth(k, d), Mu::new(1.0).unwrap());
        let mechanism = mean(&setting(k, d, Centre::Private, n, mu).unwrap()).unwrap();
        let mut records = people(&truth, n as usize, 0.07, 3);
        records.incomplete = vec![Vec::new(); n as usize];
        for i in (0..n as usize).filter(|i| i % 5 < 3) {
            let mut x = records.people[i].remove(0) * 7.0;
            [i % k, (i + 5) % k].iter().for_each(|&lost| x.row_mut(lost).fill(f64::NAN));
            records.incomplete[i] = vec![x];
        }
        let square: f64 = (0..6)
            .map(|seed| mechanism.space().dist(&truth, &shape_of(&mechanism, &records, seed)).powi(2))
            .sum();
        assert!((square / 6.0).sqrt() < most, "{d}: {}", (square / 6.0).sqrt());
        // Of nobody else, or of another space.
        records.incomplete.pop();
        assert!(mechanism.prepare(&records).is_err());
        records.incomplete.push(vec![DMatrix::zeros(k + 1, d)]);
        assert!(mechanism.prepare(&records).is_err());
    }
}

/// Whole records add nothing to what is stated of incomplete ones; where most lack a landmark, what is stated holds the error; where all do, the centre
/// is known to be unknown.
#[test]
fn what_incomplete_records_may_add_is_told_by_the_noised_matrix() {
    for d in [2, 3] {
        let (k, n) = (8, 200_usize);
        let (truth, mu) = (truth(k, d), Mu::new(2.0).unwrap());
        let mechanism = mean(&setting(k, d, Centre::Private, n as u64, mu).unwrap()).unwrap();
        let mut unknown = 0;
        for whole in [n, n / 5, 0] {
            let mut records = people(&truth, n, 0.05, 3);
            records.incomplete = vec![Vec::new(); n];
            for i in whole..n {
                let mut x = records.people[i].remove(0);
                x.row_mut(0).fill(f64::NAN);
                records.incomplete[i] = vec![x];
            }
            for seed in 0..6 {
                let released = drawn(&mechanism, &records, seed);
                let ReleasedShapes { centre, centre_error, filled_error, .. } = &released.value;
                let centre = DMatrix::from_row_slice(k, d, centre);
                let off = mechanism.space().dist(&truth, &centre).powi(2);
                match whole {
                    // Noise alone is beyond its edge once in forty.
                    0 => unknown += usize::from(*centre_error == std::f64::consts::FRAC_PI_2.powi(2)),
                    _ if whole == n => assert_eq!(*filled_error, 0.0, "{d}"),
                    _ => assert!(*filled_error > 0.05 * off, "{d}: {filled_error} {off}"),
                }
            }
        }
        assert!(unknown >= 5, "{d}: {unknown} of 6");
    }
}

/// Never a mirror image, though outer products do not know one from the other.
#[test]
fn the_vote_tells_mirror_images_apart() {
    let (truth, mu) = (truth(10, 3), Mu::new(1.0).unwrap());
    let mechanism = mean(&setting(10, 3, Centre::Private, 300, mu).unwrap()).unwrap();
    let mut mirrored = truth.clone();
    mirrored.column_mut(1).neg_mut();
    for records in [people(&truth, 300, 0.07, 4), people(&mirrored, 300, 0.07, 5)] {
        let own = mechanism.space().mean(&records.people.concat()).unwrap();
        for seed in 0..12 {
            let released = drawn(&mechanism, &records, seed);
            let p = DMatrix::from_row_slice(10, 3, &released.value.centre);
            let mut other = p.clone();
            other.column_mut(1).neg_mut();
            let space = mechanism.space();
            assert!(ShapeMoment::is_flat(&p) || space.dist(&p, &own) < space.dist(&other, &own));
        }
    }
}

#[test]
fn few_shapes_have_a_release_too() {
    for (k, d, n) in [(6, 2, 76), (10, 3, 80), (50, 2, 5), (4, 3, 2)] {
        let mechanism = mean(&setting(k, d, Centre::Private, n, Mu::new(1.0).unwrap()).unwrap()).unwrap();
        let records = people(&truth(k, d), n as usize, 0.07, 5);
        let found = shape_of(&mechanism, &records, 1);
        approx::assert_relative_eq!(found.norm(), 1.0, max_relative = 1e-9);
        // Nobody at all is the same price and another shape.
        let nobody = ShapeRecords::of(vec![None; n as usize]);
        assert_eq!(shape_of(&mechanism, &nobody, 1).shape(), (k, d));
    }
}

#[test]
fn the_parts_add_up_to_the_budget_whatever_the_centre() {
    for (d, centre) in [(2, Centre::Private), (3, Centre::Private), (3, Centre::Public(truth(9, 3)))] {
        for n in [30, 400] {
            let mu = Mu::new(0.8).unwrap();
            let mechanism = modes(&setting(9, d, centre.clone(), n, mu).unwrap()).unwrap();
            let total = mechanism.price().parts.mu().unwrap().unwrap().get();
            assert!(total <= 0.8 && total > 0.8 * (1.0 - 1e-9), "{d} {n}: {total}");
            let inner = |centre: &DMatrix<f64>| {
                let about = mechanism.about(centre.transpose().as_slice()).unwrap();
                Mechanism::price(&about.1).clone()
            };
            assert_eq!(inner(&truth(9, d)), inner(&anywhere(&mechanism.space())));
        }
    }
}

/// The proof's bound on what a person can do to the mean of outer products, and that orthogonal shapes attain it.
#[test]
fn outer_products_of_two_shapes_are_no_farther_apart_than_the_root_of_two() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for (k, d, outlines) in [(5, 2, 0), (12, 2, 1), (12, 2, 2), (12, 3, 3), (6, 3, 0)] {
        let space = LandmarkShapes::new(k, d).unwrap();
        let moment = ShapeMoment::new(space, outlines, 20, Mu::new(1.0).unwrap());
        let mut random = || space.preshape(&DMatrix::from_fn(k, d, |_, _| normal(&mut rng))).unwrap().0;
        for _ in 0..200 {
            let [a, b, c] = [random(), random(), random()];
            let one = |own: Vec<DMatrix<f64>>| moment.statistic(&[Some(own)]).unwrap();
            let (x, y) = (one(vec![a.clone()]), one(vec![b, c]));
            let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
            let apart: Vec<f64> = x.iter().zip(&y).map(|(x, y)| x - y).collect();
            assert!(square(&apart) <= 2.0 && square(&x) <= 1.0 + 1e-12 && square(&y) <= 1.0 + 1e-12);
            assert_eq!(x.len(), moment.coordinates());
            // Turned and mirrored in space, turned in the plane, it is the same.
            let turn = Rotation3::from_euler_angles(0.0, 0.0, 1.0);
            let turn = DMatrix::from_fn(d, d, |i, j| turn.matrix()[(i, j)]);
            for (x, y) in x.iter().zip(one(vec![a * turn])) {
                approx::assert_abs_diff_eq!(*x, y, epsilon = 1e-12);
            }
        }
    }
    let flat = |rows: &[f64]| DMatrix::from_row_slice(3, 2, rows);
    let (half, third) = (0.5f64.sqrt(), (1.0f64 / 6.0).sqrt());
    let moment = ShapeMoment::new(LandmarkShapes::new(3, 2).unwrap(), 0, 20, Mu::new(1.0).unwrap());
    let a = moment.statistic(&[Some(vec![flat(&[half, 0.0, -half, 0.0, 0.0, 0.0])])]).unwrap();
    let b = moment.statistic(&[Some(vec![flat(&[third, 0.0, third, 0.0, -2.0 * third, 0.0])])]).unwrap();
    let apart: f64 = a.iter().zip(&b).map(|(a, b)| (a - b).powi(2)).sum();
    approx::assert_relative_eq!(apart, 2.0, max_relative = 1e-12);
}

#[test]
fn a_persons_shapes_count_as_one_and_what_is_no_shape_is_refused() {
    let (truth, mu) = (truth(8, 2), Mu::new(1.0).unwrap());
    let mechanism = mean(&setting(8, 2, Centre::Public(truth.clone()), 40, mu).unwrap()).unwrap();
    let mut records = people(&truth, 40, 0.1, 6);
    let single = drawn(&mechanism, &records, 2).value;
    // The same shape several times over is that shape.
    records.people.iter_mut().for_each(|own| *own = vec![own[0].clone(); 3]);
    for (a, b) in single.value.samples.iter().zip(&drawn(&mechanism, &records, 2).value.value.samples) {
        approx::assert_abs_diff_eq!(a, b, epsilon = 1e-6);
    }
    records.people[3][1] *= 2.0;
    assert!(mechanism.prepare(&records).is_err());
    records.people.pop();
    assert!(mechanism.prepare(&records).is_err());
}
