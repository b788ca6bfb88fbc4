//! Moments over sites are those of all people together.

use super::super::tests::assert_paid_by;
use super::worst_case::scales;
use super::*;
use crate::function::Domain;
use crate::mechanism::functional::{RoundKind, Sharing};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Ledger, release};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

const CIRCLE: Domain = Domain::Circle { samples: 8 };

fn modes(sizes: Vec<u64>, sharing: Sharing, mu: f64) -> SitesModes {
    let basis = Basis::new(CIRCLE, 2);
    SitesModes::new(basis, vec![0.3; 16], Mu::new(mu).unwrap(), Sites { sizes, sharing }).unwrap()
}

fn drawn(modes: &SitesModes, records: &Vec<Option<Vec<f64>>>, seed: u64) -> NoisedModes {
    release(modes, records, &mut Ledger::in_memory(None), &mut NoiseSource::seeded(seed)).unwrap().value
}

/// People who differ most along one direction of the samples.
fn people(n: usize) -> Vec<Option<Vec<f64>>> {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
    (0..n)
        .map(|_| {
            let wide = 0.012 * normal();
            Some((0..16).map(|j| 0.302 + wide * f64::from(j % 2) + 0.002 * normal()).collect())
        })
        .collect()
}

/// With next to no noise, whoever adds it, mean and second moment are those of everybody's clipped deviations from the centre.
#[test]
fn moments_are_those_of_all_people_whoever_adds_the_noise() {
    let mut people = people(3000);
    people[7] = None;
    people[9] = Some(vec![1e300; 16]);
    for sharing in [Sharing::Sites { honest: 2 }, Sharing::Aggregators, Sharing::Each] {
        let modes = modes(vec![1500, 900, 600], sharing, 15.0);
        let NoisedModes { recentred, moments } = drawn(&modes, &people, 1);
        let leading = modes.functional().coordinates();
        let (k, tau, n) = (recentred.centre.len(), recentred.radius.get(), 3000.0);
        let (mut mean, mut second) = (vec![0.0; k], Vec::new());
        second.resize(k * (k + 1) / 2, 0.0);
        for person in people.iter().flatten() {
            let mut y = leading.coordinates(person);
            y.truncate(k);
            y.iter_mut().zip(&recentred.centre).for_each(|(y, c)| *y -= c);
            let largest = y.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            let length = y.iter().map(|x| (x / largest).powi(2)).sum::<f64>().sqrt();
            let factor = (tau / length / largest).min(1.0);
            y.iter_mut().for_each(|y| *y *= factor);
            mean.iter_mut().zip(&y).for_each(|(m, y)| *m += y / n);
            let products = (0..k).flat_map(|i| (i..k).map(move |j| (i, j)));
            second.iter_mut().zip(products).for_each(|(s, (i, j))| *s += y[i] * y[j] / n);
        }
        for (found, expected) in moments.mean.iter().zip(mean) {
            assert!(
                (found - expected).abs() < 5.0 * moments.mean_sigma + 1e-8,
                "{sharing:?} {found} {expected}"
            );
        }
        for (found, expected) in moments.second.entries.iter().zip(second) {
            assert!(
                (found - expected).abs() < 5.0 * moments.second.sigma + 1e-9,
                "{sharing:?} {found} {expected}"
            );
        }
        assert!(moments.mean_sigma < 1e-4 && moments.second.is_consistent());
    }
}

/// The one wide direction is found, and nearly as it is in one place.
#[test]
fn the_wide_direction_is_found_as_in_one_place() {
    let people = people(2000);
    let sites = modes(vec![500; 4], Sharing::Sites { honest: 3 }, 2.0);
    let found = sites.functional().modes(&drawn(&sites, &people, 5), 1).unwrap();
    let basis = Basis::new(CIRCLE, 2);
    let one = FunctionalModes::new(basis, vec![0.3; 16], 1.0, Mu::new(2.0).unwrap(), 2000).unwrap();
    let mut noise = NoiseSource::seeded(6);
    let central = release(&one, &people, &mut Ledger::in_memory(None), &mut noise).unwrap().value;
    let central = one.modes(&central, 1).unwrap();
    let direction = |modes: &crate::estimate::Modes, functional: &FunctionalModes| {
        functional.coordinates().displacement(&modes.modes[0].coordinates)
    };
    let (a, b) = (direction(&found, sites.functional()), direction(&central, &one));
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    assert!(dot(&a, &b).abs() / (dot(&a, &a) * dot(&b, &b)).sqrt() > 0.95);
    let ratio = found.modes[0].variance / central.modes[0].variance;
    assert!((0.7..1.4).contains(&ratio), "{ratio}");
}

/// Four thirds of the variance where three of four must be honest, in mean and matrix alike.
#[test]
fn noise_is_that_of_the_shares() {
    let at = |sharing| drawn(&modes(vec![30; 4], sharing, 1.0), &vec![None; 120], 2).moments;
    let (sites, both, each) = (at(Sharing::Sites { honest: 3 }), at(Sharing::Aggregators), at(Sharing::Each));
    // Radii are counted, and may differ: σ_M is in units of τ².
    let relative = |m: &crate::privacy::noise::NoisedMoments| m.second.sigma / m.second.radius.powi(2);
    assert!((relative(&both) / relative(&sites) - 1.5f64.sqrt()).abs() < 1e-3);
    assert!((relative(&each) / relative(&sites) - 3f64.sqrt()).abs() < 1e-3);
}

#[test]
fn diagonal_and_off_diagonal_noise_are_each_as_claimed() {
    for check in scales(11, 700).unwrap() {
        assert!(check.holds(), "{check:?}");
        assert!((check.observed - check.ten_percent_less).abs() > 5.0 * check.standard_error, "{check:?}");
    }
}

#[test]
fn all_rounds_are_paid_for_by_one_budget_and_no_more() {
    for (sizes, mu, count) in [(vec![200; 5], 1.0, 9), (vec![3, 9, 4], 1.0, 2)] {
        let modes = modes(sizes, Sharing::Sites { honest: 2 }, mu);
        let rounds = modes.rounds();
        assert_paid_by(rounds, mu, count);
        assert_eq!(rounds.next(&[]).unwrap().unwrap().kind(), RoundKind::Centre);
    }
}
