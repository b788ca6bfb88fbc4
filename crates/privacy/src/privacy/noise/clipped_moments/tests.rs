//! The lemmas by search, sensitivities in integers, noise of the size that the proof asks for.

use super::worst_case::scales;
use super::*;
use crate::privacy::{ClipSource, Ledger, release};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn moments(dim: usize, chosen: &[usize], n: u64, mu: f64, ratio: f64) -> Result<ClippedMoments, NoiseError> {
    let radius = ClipRadius::new(0.3, ClipSource::Public).unwrap();
    ClippedMoments::new(dim, chosen.to_vec(), n, radius, Mu::new(mu).unwrap(), ratio)
}

/// s‖u − u′‖² + ‖uuᵀ − u′u′ᵀ‖² from the entries, τ = β = 1; of the first k coordinates in the second term.
fn distance(u: &[f64], v: &[f64], s: f64, k: usize) -> f64 {
    let first: f64 = u.iter().zip(v).map(|(a, b)| (a - b).powi(2)).sum();
    let pairs = (0..k).flat_map(|i| (0..k).map(move |j| (i, j)));
    s * first + pairs.map(|(i, j)| (u[i] * u[j] - v[i] * v[j]).powi(2)).sum::<f64>()
}

/// Lemma B at the pairs that matter, and by search over all of the ball; at s = 0 it is that of the second moment alone.
#[test]
fn the_bound_on_both_moments_is_reached_and_never_exceeded() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let pair = |r: f64, t: f64, c: f64| ([r, 0.0], [t * c, t * (1.0 - c * c).max(0.0).sqrt()]);
    for s in [0.0, 0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 6.0] {
        let bound: f64 = if s <= 2.0 { 2.0 * (1.0 + 0.5f64 * s).powi(2) } else { 4.0 * s };
        let at = |r, t, c| {
            let (u, v) = pair(r, t, c);
            distance(&u, &v, s, 2)
        };
        let worst = at(1.0, 1.0, f64::max(-0.5 * s, -1.0));
        approx::assert_relative_eq!(worst, bound, max_relative = 1e-12);
        for c in [-1.0, 0.0, 1.0] {
            assert!(at(1.0, 1.0, c) <= bound * (1.0 + 1e-12), "{s}: {c}");
        }
        let mut largest = 0.0f64;
        let grid = 60;
        for (i, j) in (0..=grid).flat_map(|i| (0..=grid).map(move |j| (i, j))) {
            for c in -grid..=grid {
                let [r, t, c] = [i, j, c].map(|x| f64::from(x) / f64::from(grid));
                largest = largest.max(at(r, t, c));
            }
        }
        assert!(largest <= bound * (1.0 + 1e-12) && largest > 0.999 * bound, "{s}: {largest} {bound}");
        // In more dimensions, and with the second moment of some of them.
        for _ in 0..20_000 {
            let mut point = || {
                let x: Vec<f64> = (0..5).map(|_| rng.random_range(-1.0..1.0)).collect();
                let norm = x.iter().map(|x| x * x).sum::<f64>().sqrt();
                let length = if rng.random_bool(0.5) { 1.0 } else { rng.random_range(0.0..1.0) };
                x.iter().map(|x| x / norm * length).collect::<Vec<f64>>()
            };
            let (u, v) = (point(), point());
            assert!(distance(&u, &v, s, 5) <= bound * (1.0 + 1e-12));
            assert!(distance(&u, &v, s, 3) <= bound * (1.0 + 1e-12));
        }
    }
}

/// What one record does to the integer sums, in units of the noise: at most μ, and hardly less for the worst pair.
#[test]
fn one_record_moves_both_sums_by_at_most_mu() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for (ratio, mu, dim) in [(2.0, 0.7, 4), (0.5, 3.0, 9), (1.0, 0.05, 300), (0.1, 1.0, 2)] {
        let chosen: Vec<usize> = (0..dim.min(40)).rev().collect();
        let moments = moments(dim, &chosen, 1, mu, ratio).unwrap();
        let loss = |u: &[f64], v: &[f64]| {
            let sums = [u, v].map(|u| moments.prepare(&[Some(u.to_vec())]).unwrap());
            let square = |d: i128, lattice: &Lattice| (d as f64 / lattice.multiplier() as f64).powi(2);
            let first = sums[0].first().iter().zip(sums[1].first());
            let mut total: f64 = first.map(|(a, b)| square(a - b, &moments.scales.mean)).sum();
            let mut entries = sums[0].second().iter().zip(sums[1].second()).map(|(a, b)| a - b);
            for i in 0..chosen.len() {
                for j in i..chosen.len() {
                    let lattice = if i == j {
                        &moments.scales.products.diagonal
                    } else {
                        &moments.scales.products.above
                    };
                    total += square(entries.next().unwrap(), lattice);
                }
            }
            total.sqrt()
        };
        let on = |c: f64| {
            let mut v = vec![0.0; dim];
            (v[0], v[1]) = (1e3 * c, 1e3 * (1.0 - c * c).sqrt());
            v
        };
        let worst = loss(&on(1.0), &on(-0.5 * ratio));
        assert!(worst <= mu && worst > mu * (1.0 - 4e-9), "{ratio} {mu}: {worst}");
        for _ in 0..50 {
            let mut point = || (0..dim).map(|_| rng.random_range(-1.0..1.0)).collect::<Vec<f64>>();
            assert!(loss(&point(), &point()) <= mu);
        }
    }
}

#[test]
fn noise_has_the_size_of_the_proof_in_all_its_parts() {
    for (seed, ratio) in [(1, 2.0), (2, 0.5)] {
        for check in scales(seed, ratio, 6000).unwrap() {
            assert!(check.would_notice() && check.holds(), "{ratio}: {check:?}");
        }
    }
    // Free at s = 2; a quarter more for each at s = ½ than each alone.
    let (tau, n, mu) = (0.3, 50.0, 0.5);
    let of = |ratio| moments(5520, &[3, 1, 2], 50, mu, ratio).unwrap();
    approx::assert_relative_eq!(of(2.0).mean_sigma(), 2.0 * tau / (n * mu), max_relative = 1e-8);
    approx::assert_relative_eq!(of(0.5).mean_sigma(), 1.25 * 2.0 * tau / (n * mu), max_relative = 1e-8);
    let alone = 2.0f64.sqrt() * tau * tau / (n * mu);
    approx::assert_relative_eq!(of(2.0).second_sigma(), 2.0 * alone, max_relative = 1e-8);
    approx::assert_relative_eq!(of(0.5).second_sigma(), 1.25 * alone, max_relative = 1e-8);
}

/// With hardly any noise the moments are those of the clipped records.
#[test]
fn moments_are_those_of_the_clipped_records() {
    let records = [Some(vec![0.1, -0.2, 0.1]), Some(vec![3.0, 0.0, -4.0]), None, Some(vec![f64::NAN; 3])];
    let moments = moments(3, &[2, 0], 4, 1e7, 2.0).unwrap();
    let mut noise = NoiseSource::seeded(3);
    let value = release(&moments, &records[..], &mut Ledger::in_memory(None), &mut noise).unwrap().value;
    let clipped = [[0.1, -0.2, 0.1], [0.18, 0.0, -0.24]];
    for (i, found) in value.mean.iter().enumerate() {
        let expected = clipped.iter().map(|u| u[i]).sum::<f64>() / 4.0;
        approx::assert_abs_diff_eq!(*found, expected, epsilon = 1e-6);
    }
    let product = |i: usize, j: usize| clipped.iter().map(|u| u[i] * u[j]).sum::<f64>() / 4.0;
    for (found, (i, j)) in value.second.entries.iter().zip([(2, 2), (2, 0), (0, 0)]) {
        approx::assert_abs_diff_eq!(*found, product(i, j), epsilon = 1e-6);
    }
    assert_eq!(value.second.diagonal(), [value.second.entries[0], value.second.entries[2]]);
    assert!(value.second.is_consistent());
}

#[test]
fn sums_in_parts_are_the_sum_and_others_are_refused() {
    let moments = moments(2, &[0, 1], 2, 1.0, 2.0).unwrap();
    let records = [Some(vec![0.01, 0.02]), Some(vec![-0.1, 0.2])];
    let whole = moments.prepare(&records).unwrap();
    let mut parts = moments.sum();
    for record in &records {
        let mut part = moments.sum();
        part.add(record.as_deref()).unwrap();
        assert!(part.check_complete().is_err());
        parts.merge(&part).unwrap();
    }
    assert_eq!((parts.first(), parts.second()), (whole.first(), whole.second()));
    assert!(parts.add(None).is_err() && parts.merge(&moments.sum()).is_ok());
    let other = self::moments(2, &[1, 0], 2, 1.0, 2.0).unwrap();
    assert!(parts.merge(&other.sum()).is_err());
    assert!(moments.prepare(&[Some(vec![1.0]), None]).is_err());
    for (dim, chosen, n, ratio) in
        [(2, vec![2], 1, 2.0), (2, vec![0, 0], 1, 2.0), (2, vec![], 1, 2.0), (2, vec![0], 0, 2.0)]
    {
        assert!(self::moments(dim, &chosen, n, 1.0, ratio).is_err());
    }
    for ratio in [0.0, -1.0, 2.5, f64::NAN] {
        assert!(self::moments(2, &[0], 1, 1.0, ratio).is_err());
    }
}

/// Groups are drawn against one charge of what one of them costs; a charge of less, or an incomplete group, is refused.
#[test]
fn disjoint_groups_share_a_charge() {
    let groups: Vec<(ClippedMoments, MomentSum)> = [(2, vec![None, Some(vec![0.1, 0.2])]), (1, vec![None])]
        .into_iter()
        .map(|(n, records)| {
            let moments = moments(2, &[0, 1], n, 1.0, 2.0).unwrap();
            let sum = moments.prepare(&records).unwrap();
            (moments, sum)
        })
        .collect();
    let pay = |mu| {
        let mut parts = crate::privacy::Composition::new();
        parts.add("groups", PrivacyLoss::Gaussian(Mu::new(mu).unwrap()));
        Ledger::in_memory(None).charge_part(parts.parts()[0].clone()).unwrap()
    };
    let mut noise = NoiseSource::seeded(1);
    let drawn = ClippedMoments::noised_in_groups(&groups, &mut noise, pay(1.0)).unwrap();
    let sigma = |i: usize| drawn[i].mean_sigma;
    approx::assert_relative_eq!(sigma(1), 2.0 * sigma(0), max_relative = 1e-12);
    assert!(ClippedMoments::noised_in_groups(&groups, &mut noise, pay(0.99)).is_err());
    let empty = [(groups[0].0.clone(), groups[0].0.sum())];
    assert!(ClippedMoments::noised_in_groups(&empty, &mut noise, pay(1.0)).is_err());
}
