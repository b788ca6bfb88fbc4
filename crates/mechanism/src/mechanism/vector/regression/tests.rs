//! The lemma at extremal pairs, every record's length, and moments that are those of the records.

use super::*;
use crate::privacy::{Ledger, release};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn regression(n: u64, mu: f64, columns: usize, k: usize) -> VectorRegression {
    let public = ClipRadius::new(2.0, ClipSource::Public).unwrap();
    VectorRegression::new(vec![1.0; k], public, columns, 1.5, n, Mu::new(mu).unwrap()).unwrap()
}

fn about(centre: &[f64], radius: f64) -> Recentred {
    let radius = ClipRadius::new(radius, ClipSource::Public).unwrap();
    Recentred {
        centre: centre.to_vec(),
        rest: Default::default(),
        error: 0.0,
        radius,
        unseen: Default::default(),
    }
}

/// z of a record about a released centre.
fn joined(regression: &VectorRegression, record: &RegressionRecord, about: &Recentred) -> Vec<f64> {
    regression.placed(0, (record.vector.as_deref(), &record.covariates), about).unwrap().1
}

fn record(covariates: &[f64], vector: Option<&[f64]>) -> RegressionRecord {
    RegressionRecord { covariates: covariates.to_vec(), vector: vector.map(<[f64]>::to_vec), filled: 0.0 }
}

/// Either part is clipped on its own, so that no record is longer than one, whatever centre and radius are.
#[test]
fn every_record_has_length_one_at_most() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let regression = regression(10, 1.0, 3, 4);
    for _ in 0..500 {
        let mut draw = |n: usize, scale: f64| -> Vec<f64> {
            (0..n).map(|_| scale * rng.random_range(-1.0..1.0)).collect()
        };
        for scale in [1e-3, 1.0, 1e150, f64::MAX] {
            let about = about(&draw(4, 0.3), 0.2);
            let given = record(&draw(3, scale), Some(&draw(4, scale)));
            let z = joined(&regression, &given, &about);
            let square: f64 = z.iter().map(|x| x * x).sum();
            assert!(square <= 1.0 + 1e-12, "{square}");
            let part: f64 = z[..3].iter().map(|x| x * x).sum();
            assert!(part <= 0.5 + 1e-12);
        }
    }
    // Far out in one part is not short in the other.
    let z =
        joined(&regression, &record(&[0.15, 0.0, 0.0], Some(&[1e9, 0.0, 0.0, 0.0])), &about(&[0.0; 4], 0.2));
    approx::assert_relative_eq!(z[0], 0.1 * 0.5f64.sqrt(), max_relative = 1e-12);
    approx::assert_relative_eq!(z[3], 0.5f64.sqrt(), max_relative = 1e-12);
    let strange = record(&[f64::NAN, 1.0, 1.0], Some(&[f64::INFINITY, 0.0, 0.0, 0.0]));
    let z = joined(&regression, &strange, &about(&[0.1, 0.0, 0.0, 0.0], 0.2));
    // What cannot be used contributes zero, about any centre.
    assert!(z.iter().all(|x| *x == 0.0), "{z:?}");
}

/// ‖zzᵀ − z′z′ᵀ‖² ≤ 2, reached by opposite vectors with the same covariates, the other way round, and by right angles in both.
#[test]
fn the_bound_is_reached_at_the_extremal_pairs() {
    let regression = regression(1, 1.0, 2, 2);
    let about = about(&[0.0; 2], 0.2);
    let square = |a: &RegressionRecord, b: &RegressionRecord| -> f64 {
        let (u, v) = (joined(&regression, a, &about), joined(&regression, b, &about));
        let pairs = (0..4).flat_map(|i| (0..4).map(move |j| (i, j)));
        pairs.map(|(i, j)| (u[i] * u[j] - v[i] * v[j]).powi(2)).sum()
    };
    let given = |x: [f64; 2], u: [f64; 2]| record(&x.map(|x| 9.0 * x), Some(&u.map(|u| 9.0 * u)));
    let one = given([1.0, 0.0], [1.0, 0.0]);
    for other in [
        given([1.0, 0.0], [-1.0, 0.0]),
        given([-1.0, 0.0], [1.0, 0.0]),
        given([0.0, 1.0], [0.0, -1.0]),
        given([0.6, 0.8], [-0.6, 0.8]),
    ] {
        approx::assert_relative_eq!(square(&one, &other), 2.0, max_relative = 1e-12);
    }
    assert!(square(&one, &given([-1.0, 0.0], [-1.0, 0.0])) < 1e-20);
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for _ in 0..5000 {
        let mut draw = || [rng.random_range(-1.0..1.0), rng.random_range(-1.0..1.0)];
        let (a, b) = (record(&draw(), Some(&draw())), record(&draw(), Some(&draw())));
        assert!(square(&a, &b) <= 2.0 + 1e-12);
    }
}

#[test]
fn losses_add_up_to_the_whole_budget_and_the_noise_is_the_one_alone() {
    for (n, mu) in [(20, 0.3), (120, 1.0), (5000, 1.0)] {
        let regression = regression(n, mu, 3, 5);
        let total = regression.price().parts.mu().unwrap().unwrap().get();
        assert!(total <= mu && total > mu * (1.0 - 1e-9), "{n} {mu}: {total}");
    }
    let regression = regression(1000, 1.0, 3, 5);
    let records = vec![record(&[0.5, 0.1, -1.0], Some(&[0.1; 5])); 1000];
    let value = release(&regression, &records[..], &mut Ledger::in_memory(None), &mut NoiseSource::seeded(1))
        .unwrap()
        .value;
    let moments = value.moments().unwrap();
    let (tau, mu) = (value.recentred.radius.get(), regression.recentring().second().get());
    approx::assert_relative_eq!(moments.xu_sigma, 2.0 * 1.5 * tau / (1000.0 * mu), max_relative = 1e-8);
    let own = 2.0 * 2.0f64.sqrt();
    approx::assert_relative_eq!(moments.xx_sigma, own * 2.25 / (1000.0 * mu), max_relative = 1e-8);
    approx::assert_relative_eq!(moments.uu_sigma, own * tau * tau / (1000.0 * mu), max_relative = 1e-8);
    assert!(mu > 0.93 && mu < 0.95);
}

/// With hardly any noise the moments are those of the covariates and of the clipped deviations.
#[test]
fn moments_are_those_of_the_records() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut records: Vec<RegressionRecord> = (0..300)
        .map(|_| {
            let x = rng.random_range(-1.0..1.0);
            record(&[0.5, x], Some(&[0.3 + 0.1 * x, rng.random_range(-0.1..0.1)]))
        })
        .collect();
    records[7].vector = None;
    let regression = regression(300, 1e5, 2, 2);
    let value = release(&regression, &records[..], &mut Ledger::in_memory(None), &mut NoiseSource::seeded(1))
        .unwrap()
        .value;
    let moments = value.moments().unwrap();
    let (tau, about) = (value.recentred.radius.get(), &value.recentred);
    let clipped = |r: &RegressionRecord| -> Vec<f64> {
        shortened(about.about(r.vector.as_deref()), tau).iter().map(|x| x * tau).collect()
    };
    let mean =
        |f: &dyn Fn(&RegressionRecord) -> f64| records.iter().map(f).sum::<f64>() / records.len() as f64;
    let close = |found: f64, expected: f64| approx::assert_abs_diff_eq!(found, expected, epsilon = 1e-4);
    close(moments.xx[(0, 0)], 0.25);
    close(moments.xx[(0, 1)], mean(&|r| 0.5 * r.covariates[1]));
    close(moments.xx[(1, 1)], mean(&|r| r.covariates[1].powi(2)));
    close(moments.xu[(1, 0)], mean(&|r| r.covariates[1] * clipped(r)[0]));
    close(moments.uu[(0, 1)], mean(&|r| clipped(r)[0] * clipped(r)[1]));
    let mut broken = value.clone();
    broken.columns = 4;
    assert_eq!(broken.moments(), None);
}

#[test]
fn wrong_shapes_are_refused() {
    let regression = regression(2, 1.0, 2, 2);
    let good = record(&[0.5, 0.0], Some(&[0.0; 2]));
    assert!(regression.prepare(&[good.clone(), good.clone()]).is_ok());
    assert!(regression.prepare(std::slice::from_ref(&good)).is_err());
    assert!(regression.prepare(&[good.clone(), record(&[0.5], Some(&[0.0; 2]))]).is_err());
    assert!(regression.prepare(&[good, record(&[0.5, 0.0], Some(&[0.0; 3]))]).is_err());
    let public = ClipRadius::new(2.0, ClipSource::Public).unwrap();
    for (columns, reach) in [(0, 1.0), (1, 0.0), (1, f64::NAN)] {
        assert!(
            VectorRegression::new(vec![1.0; 2], public, columns, reach, 10, Mu::new(1.0).unwrap()).is_err()
        );
    }
}

/// A value that was stored, or handed on between passes, may be anything.
#[test]
fn moments_that_no_draw_has_are_none() {
    let second = |entry: f64, sigma: f64| NoisedSecond {
        chosen: vec![0, 1, 2],
        entries: vec![entry; 6],
        sigma,
        radius: 1.0,
    };
    let released = |moments: NoisedSecond| NoisedRegression {
        recentred: about(&[0.0], 0.2),
        moments,
        columns: 2,
        reach: 1.5,
        scores: None,
    };
    assert!(released(second(0.1, 0.1)).moments().is_some());
    for (entry, sigma) in [(1e308, 0.1), (f64::NAN, 0.1), (0.1, f64::INFINITY)] {
        assert!(released(second(entry, sigma)).moments().is_none(), "{entry} {sigma}");
    }
    assert!(NoisedRegression { columns: 3, ..released(second(0.1, 0.1)) }.moments().is_none());
}
