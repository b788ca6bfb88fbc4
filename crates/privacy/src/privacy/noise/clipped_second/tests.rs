//! The lemma at the pairs that reach it, sensitivities in integers, noise of the size that the proof asks for.

use super::super::lattice::Lattice;
use super::worst_case::scales;
use super::*;
use crate::privacy::{ClipSource, Ledger, release};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn second(dim: usize, n: u64, mu: f64, radius: f64) -> ClippedSecond {
    let radius = ClipRadius::new(radius, ClipSource::Public).unwrap();
    ClippedSecond::new(dim, n, radius, Mu::new(mu).unwrap()).unwrap()
}

/// What replacing one record by another does to the integer sums, in units of the noise.
fn loss(second: &ClippedSecond, u: &[f64], v: &[f64]) -> f64 {
    let sums = [u, v].map(|u| second.prepare(&[Some(u.to_vec())]).unwrap());
    let square = |d: i128, lattice: &Lattice| (d as f64 / lattice.multiplier() as f64).powi(2);
    let mut entries = sums[0].second().iter().zip(sums[1].second()).map(|(a, b)| a - b);
    let mut total = 0.0;
    for i in 0..second.dimension() {
        for j in i..second.dimension() {
            let lattice = if i == j { &second.products.diagonal } else { &second.products.above };
            total += square(entries.next().unwrap(), lattice);
        }
    }
    total.sqrt()
}

/// Orthogonal records at the rim reach the bound; opposite ones, equal in all products, and shorter ones stay below.
#[test]
fn one_record_moves_the_matrix_by_at_most_mu() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for (mu, dim, radius) in [(0.7, 4, 0.3), (3.0, 9, 1.0), (0.05, 80, 1e-3), (1.0, 2, 1e4)] {
        let second = second(dim, 1, mu, radius);
        let along = |i: usize, length: f64| {
            let mut v = vec![0.0; dim];
            v[i] = length * radius;
            v
        };
        let worst = loss(&second, &along(0, 1e3), &along(1, -1e3));
        assert!(worst <= mu && worst > mu * (1.0 - 4e-9), "{mu} {dim}: {worst}");
        let diagonal: Vec<f64> = along(0, 1.0).iter().zip(along(1, 1.0)).map(|(a, b)| a + b).collect();
        let across: Vec<f64> = along(0, 1.0).iter().zip(along(1, 1.0)).map(|(a, b)| a - b).collect();
        let worst = loss(&second, &diagonal, &across);
        assert!(worst <= mu && worst > mu * (1.0 - 4e-9), "{mu} {dim}: {worst}");
        assert!(loss(&second, &along(0, 1.0), &along(0, -1.0)) == 0.0);
        let half = loss(&second, &along(0, 1.0), &vec![0.0; dim]);
        assert!((half / mu - 0.5f64.sqrt()).abs() < 1e-6, "{half}");
        for _ in 0..50 {
            let mut point = || (0..dim).map(|_| radius * rng.random_range(-1.0..1.0)).collect::<Vec<f64>>();
            assert!(loss(&second, &point(), &point()) <= mu);
        }
    }
}

#[test]
fn noise_has_the_size_of_the_proof_on_and_above_the_diagonal() {
    for check in scales(1, 6000).unwrap() {
        assert!(check.would_notice() && check.holds(), "{check:?}");
    }
    let found = second(5, 50, 0.5, 0.3).sigma();
    approx::assert_relative_eq!(found, 2.0f64.sqrt() * 0.09 / 25.0, max_relative = 1e-8);
}

/// With hardly any noise it is that of the clipped records.
#[test]
fn moments_are_those_of_the_clipped_records() {
    let records = [Some(vec![0.1, -0.2]), Some(vec![3.0, -4.0]), None, Some(vec![f64::NAN; 2])];
    let second = second(2, 4, 1e7, 0.3);
    let mut noise = NoiseSource::seeded(3);
    let value = release(&second, &records[..], &mut Ledger::in_memory(None), &mut noise).unwrap().value;
    let clipped = [[0.1, -0.2], [0.18, -0.24]];
    let product = |i: usize, j: usize| clipped.iter().map(|u| u[i] * u[j]).sum::<f64>() / 4.0;
    for (found, (i, j)) in value.entries.iter().zip([(0, 0), (0, 1), (1, 1)]) {
        approx::assert_abs_diff_eq!(*found, product(i, j), epsilon = 1e-6);
    }
    assert!(value.is_consistent() && value.size() == 2);
}

#[test]
fn sums_of_other_settings_are_refused() {
    let one = second(2, 2, 1.0, 0.3);
    let mut sum = one.sum();
    sum.add(Some(&[0.1, 0.2])).unwrap();
    assert!(sum.check_complete().is_err() && one.prepare(&[Some(vec![1.0]), None]).is_err());
    sum.add(None).unwrap();
    assert!(sum.merge(&second(2, 2, 1.0, 0.4).sum()).is_err());
    let radius = ClipRadius::new(0.3, ClipSource::Public).unwrap();
    for (dim, n) in [(0, 1), (1, 0), (1, u64::MAX)] {
        assert!(ClippedSecond::new(dim, n, radius, Mu::new(1.0).unwrap()).is_err());
    }
}
