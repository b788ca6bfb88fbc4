//! Groups of functions compared.

use super::*;
use crate::estimate::Prior;
use crate::estimate::prior::spectrum;
use crate::function::Domain;
use crate::privacy::{Cost, Ledger, Part, release};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

const SIZE: usize = 4 * 12 * 3;

fn basis() -> Basis {
    Basis::new(Domain::Disk { curves: 4, samples: 12 }, 3)
}

/// A person with coefficients as the public spectrum has them, .02 from the mean, moved by `shift` in all channels.
fn person(basis: &Basis, prior: &Prior, shift: f64, rng: &mut ChaCha8Rng) -> Option<Vec<f64>> {
    let scale = 0.02 / prior.spectrum.iter().sum::<f64>().sqrt();
    let normal = |rng: &mut ChaCha8Rng| -> f64 { StandardNormal.sample(rng) };
    let x: Vec<f64> = prior.spectrum.iter().map(|lambda| scale * lambda.sqrt() * normal(rng)).collect();
    Some(basis.synthesize(&x).iter().map(|x| x + 0.1 + shift).collect())
}

fn compared(
    want: Want,
    shift: f64,
    n: usize,
    groups: usize,
    seed: u64,
) -> (FunctionGroups, NoisedComparison) {
    let (basis, mut rng) = (basis(), ChaCha8Rng::seed_from_u64(seed));
    let prior = Prior::new(&basis, |place| spectrum(place).powf(0.0));
    let labels: Vec<usize> = (0..n).map(|i| i % groups).collect();
    let people: Vec<Option<Vec<f64>>> =
        labels.iter().map(|g| person(&basis, &prior, if *g == 1 { shift } else { 0.0 }, &mut rng)).collect();
    let labels = GroupLabels::new(labels).unwrap();
    let mechanism =
        FunctionGroups::new(want, &basis, &[0.1; SIZE], labels, 1.0, Mu::new(1.0).unwrap()).unwrap();
    let mut noise = NoiseSource::seeded(rng.next_u64());
    let released = release(&mechanism, &people, &mut Ledger::in_memory(None), &mut noise).unwrap();
    (mechanism, released.value)
}

#[test]
fn both_cost_as_much_as_one() {
    for want in [Want::Both, Want::Map, Want::Test] {
        let (mechanism, value) = compared(want, 0.0, 40, 2, 1);
        let total = mechanism.price().parts.mu().unwrap().unwrap().get();
        assert!(total <= 1.0 && total > 1.0 - 1e-9, "{want:?} {total}");
        assert_eq!((value.map.is_some(), value.test.is_some()), (want != Want::Test, want != Want::Map));
        assert_eq!(mechanism.means(&value).is_some(), want != Want::Test);
        assert_eq!(mechanism.tests(&value).is_some(), want != Want::Map);
    }
}

/// Coordinates that are worked out in every pass are those that are held: the draw is the same, bit by bit.
#[test]
fn held_and_asked_for_are_drawn_alike() {
    let (basis, mut rng) = (basis(), ChaCha8Rng::seed_from_u64(8));
    let prior = Prior::new(&basis, |place| spectrum(place).powf(0.0));
    let mut people: Vec<_> = (0..600).map(|_| person(&basis, &prior, 0.0, &mut rng)).collect();
    people[300] = None;
    let labels = GroupLabels::new((0..600).map(|i| i % 2).collect()).unwrap();
    let mechanism =
        FunctionGroups::new(Want::Map, &basis, &[0.1; SIZE], labels, 1.0, Mu::new(1.0).unwrap()).unwrap();
    let (coordinates, groups) = mechanism.map_parts().unwrap();
    let draw = |most: usize| {
        let vectors = coordinates.vectors(&people, most).unwrap();
        assert_eq!(vectors.is_held(), most > 0);
        let prepared = groups.prepare_all(vectors).unwrap();
        let part =
            Part { mechanism: "a map".into(), times: 1, cost: Cost::Parts(groups.price().parts.clone()) };
        let paid = Ledger::in_memory(None).announce(part).and_then(|announced| announced.pay()).unwrap();
        groups.draw(&prepared, &mut NoiseSource::seeded(3), paid).unwrap().value
    };
    assert!(groups.counts_radius());
    assert_eq!(draw(0), draw(usize::MAX));
}

/// A large difference of one group of three is found, mapped where it is, and attributed to the right pairs.
#[test]
fn a_planted_difference_is_found_and_mapped() {
    let shift = 0.014;
    let (mechanism, value) = compared(Want::Both, shift, 900, 3, 3);
    let tests = mechanism.tests(&value).unwrap();
    let of = |a, b| tests.pairs.iter().find(|pair| (pair.0, pair.1) == (a, b)).unwrap().3;
    assert!(of(0, 1) < 0.01 && of(1, 2) < 0.01 && of(0, 2) > 0.02, "{tests:?}");
    assert!(tests.p_value < 0.01);
    let map = mechanism.difference(&value, 0, 1).unwrap();
    let mean = map.shrunk.iter().sum::<f64>() / SIZE as f64;
    assert!((mean / shift - 1.0).abs() < 0.25, "{mean}");
    // The stated error is of the right size.
    let error = map.shrunk.iter().map(|x| (x - shift).powi(2)).sum::<f64>() / (SIZE / 3) as f64;
    assert!((0.3..3.0).contains(&(error / map.error)), "{error} {}", map.error);
    assert!(map.band.holds(&[shift; SIZE]));
    let third = 3.0f64.sqrt().recip();
    let along = mechanism.along(&map, &[[third; 3]; SIZE / 3]).unwrap();
    assert!(along.holds(&[3.0f64.sqrt() * shift; SIZE / 3]) && along.excess().iter().any(|e| *e > 0.0));
    let none = mechanism.difference(&value, 0, 2).unwrap();
    let excluded = mechanism.along(&none, &[[third; 3]; SIZE / 3]).unwrap().excess();
    assert!(excluded.iter().all(|e| *e < 0.0));
    let means = mechanism.means(&value).unwrap();
    let apart = means[1].iter().zip(&means[0]).map(|(b, a)| b - a).sum::<f64>() / SIZE as f64;
    assert!((apart / shift - 1.0).abs() < 0.35, "{apart}");
    assert!(mechanism.difference(&value, 0, 3).is_none());
}
