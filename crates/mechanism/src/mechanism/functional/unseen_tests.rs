//! What unusable records, and records parts of which were filled in, take off means, modes, fields and differences is in their statements.

use super::{
    AboutPublic, FilledIn, FunctionGroups, FunctionRecords, FunctionRegression, FunctionalModes,
    SampledRecords, Want,
};
use crate::estimate::Prior;
use crate::estimate::design::Design;
use crate::estimate::prior::spectrum;
use crate::function::{Basis, Domain};
use crate::mechanism::vector::GroupLabels;
use crate::mechanism::{Mechanism, UnseenShares};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Ledger, Mu, release};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use std::sync::Arc;

/// What people are about, and what is filled in.
const TEMPLATE: f64 = 0.1;
const N: usize = 1500;
const DRAWS: u64 = 6;

fn basis() -> Basis {
    Basis::new(Domain::Disk { curves: 4, samples: 12 }, 3)
}

fn template() -> Vec<f64> {
    vec![TEMPLATE; basis().len()]
}

/// People as the public spectrum has them, root mean square .02 about the template, every second moved by `shift`.
fn people(shift: f64) -> Vec<Vec<f64>> {
    let (basis, mut rng) = (basis(), ChaCha8Rng::seed_from_u64(8));
    let prior = Prior::new(&basis, |place| spectrum(place).powf(0.0));
    let scale = 0.02 / prior.spectrum.iter().sum::<f64>().sqrt();
    let mut one = |i: usize| {
        let x: Vec<f64> = prior
            .spectrum
            .iter()
            .map(|l| scale * l.sqrt() * Distribution::<f64>::sample(&StandardNormal, &mut rng))
            .collect();
        basis.synthesize(&x).iter().map(|x| x + TEMPLATE + (i % 2) as f64 * shift).collect()
    };
    (0..N).map(&mut one).collect()
}

/// All of them, the two ways in which some are not seen (of four people two cannot be used, or two thirds of two, each elsewhere, were filled in), and the shares to
/// be told.
fn ways(people: &[Vec<f64>]) -> Vec<(FilledIn, UnseenShares)> {
    let whole = |samples: Vec<Option<Vec<f64>>>| FilledIn { samples, filled: vec![0.0; N] };
    let all: Vec<Option<Vec<f64>>> = people.iter().cloned().map(Some).collect();
    // Of either group as many.
    let missed = |i: usize| i % 4 > 1;
    let some = all.iter().enumerate().map(|(i, one)| one.clone().filter(|_| !missed(i))).collect();
    let mut part = whole(all.clone());
    for i in (0..N).filter(|i| missed(*i)) {
        part.filled[i] = 2.0 / 3.0;
        let third = basis().len() / 3;
        for k in (0..3).filter(|k| *k != i / 4 % 3) {
            part.samples[i].iter_mut().for_each(|x| x[k * third..(k + 1) * third].fill(TEMPLATE));
        }
    }
    let filled = 0.5 * (2.0_f64 / 3.0).sqrt();
    vec![
        (whole(all), UnseenShares::default()),
        (whole(some), UnseenShares { unusable: 0.5, ..UnseenShares::default() }),
        (part, UnseenShares { filled, ..UnseenShares::default() }),
    ]
}

/// Told, less two standard deviations of its noise.
fn is_told(told: UnseenShares, expected: UnseenShares) {
    for (told, expected) in [(told.unusable, expected.unusable), (told.filled, expected.filled)] {
        assert!((expected - 0.03..=expected).contains(&told), "{told} for {expected}");
    }
}

fn square(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum()
}

fn mean(people: &[Vec<f64>]) -> Vec<f64> {
    (0..basis().len()).map(|j| people.iter().map(|x| x[j]).sum::<f64>() / people.len() as f64).collect()
}

fn mu() -> Mu {
    Mu::new(3.0).unwrap()
}

/// Draws of a mechanism.
fn draws<M: Mechanism>(mechanism: &M, records: &M::Records) -> Vec<M::Value>
where
    M::Error: std::fmt::Debug,
{
    let draw = |seed| {
        let mut noise = NoiseSource::seeded(seed);
        release(mechanism, records, &mut Ledger::in_memory(None), &mut noise).unwrap().value
    };
    (0..DRAWS).map(draw).collect()
}

#[test]
fn modes_state_it() {
    let people = people(0.02);
    let own = mean(&people);
    let modes = FunctionalModes::new(basis(), template(), 1.0, mu(), N as u64).unwrap();
    for (records, expected) in ways(&people) {
        let (mut stated, mut off, mut held, mut all) = (0.0, 0.0, 0, 0);
        for released in draws(&modes, &records as &dyn FunctionRecords) {
            is_told(released.recentred.unseen, expected);
            let found = modes.mean(&released).unwrap();
            stated += found.errors.iter().sum::<f64>();
            off += square(&found.samples, &own);
            let leading = modes.coordinates();
            let looked = |x: &Vec<f64>| -> Vec<f64> {
                let u = leading.coordinates(x);
                u.iter().zip(&released.recentred.centre).map(|(u, c)| u - c).collect()
            };
            // Those that were used, as they were filled in.
            let used: Vec<Vec<f64>> = records.samples.iter().flatten().map(looked).collect();
            for mode in modes.modes(&released, 3).unwrap().modes {
                let along = |y: &Vec<f64>| -> f64 {
                    let unweighted = y.iter().zip(&mode.coordinates).zip(leading.roots());
                    let along: f64 = unweighted.map(|((y, g), root)| y * g / (root * root)).sum();
                    along.powi(2) / mode.variance
                };
                let truth = used.iter().map(along).sum::<f64>() / used.len() as f64;
                held += usize::from(mode.lower <= truth && truth <= mode.upper);
                all += 1;
            }
        }
        let ratio = (stated / off).sqrt();
        assert!((0.7..1.5).contains(&ratio), "{expected:?}: the mean, stated/true {ratio}");
        assert_eq!(held, all, "{expected:?}");
    }
}

#[test]
fn differences_state_it() {
    let shift = 0.02;
    let people = people(shift);
    let labels = GroupLabels::new((0..N).map(|i| i % 2).collect()).unwrap();
    let groups = FunctionGroups::new(Want::Map, &basis(), &template(), labels, 1.0, mu()).unwrap();
    let points = basis().points() as f64;
    for (records, expected) in ways(&people) {
        let (mut stated, mut off, mut held) = (0.0, 0.0, 0);
        for released in draws(&groups, &records as &dyn FunctionRecords) {
            is_told(groups.unseen(&released).unwrap().0, expected);
            let map = groups.difference(&released, 0, 1).unwrap();
            let truth = vec![shift; basis().len()];
            stated += map.error;
            off += square(&map.shrunk, &truth) / points;
            held += u64::from(map.band.holds(&truth));
        }
        let ratio = (stated / off).sqrt();
        assert!((0.6..1.6).contains(&ratio), "{expected:?}: stated/true {ratio}");
        assert!(held + 1 >= DRAWS, "{expected:?}: {held} of {DRAWS} bands hold");
    }
}

/// Three of five people of the smaller group cannot be used: its mean lies nearer to the centre than that of the others.
#[test]
fn differences_state_whose_records_were_used() {
    let shift = 0.02;
    let people = people(shift);
    // The moved ones are the smaller group.
    let chosen: Vec<usize> = (0..N).filter(|i| i % 2 == 0 || i % 10 == 1).collect();
    let labels = GroupLabels::new(chosen.iter().map(|i| i % 2).collect()).unwrap();
    let mut missed = 0;
    let samples = chosen.iter().map(|&i| {
        missed += i % 2;
        Some(people[i].clone()).filter(|_| i % 2 == 0 || missed % 5 > 2)
    });
    let records = FilledIn { samples: samples.collect(), filled: Vec::new() };
    let groups = FunctionGroups::new(Want::Map, &basis(), &template(), labels, 1.0, mu()).unwrap();
    let (mut stated, mut off, mut held) = (0.0, 0.0, 0);
    for released in draws(&groups, &records as &dyn FunctionRecords) {
        let (all, each) = groups.unseen(&released).unwrap();
        assert!((0.05..0.1).contains(&all.unusable), "{all:?}");
        assert!(each[0] < 0.01 && (0.5..0.6).contains(&each[1]), "{each:?}");
        let map = groups.difference(&released, 0, 1).unwrap();
        let truth = vec![shift; basis().len()];
        stated += map.error;
        off += square(&map.shrunk, &truth) / basis().points() as f64;
        held += u64::from(map.band.holds(&truth));
    }
    let ratio = (stated / off).sqrt();
    assert!((0.6..1.6).contains(&ratio), "stated/true {ratio}");
    assert!(held + 1 >= DRAWS, "{held} of {DRAWS} bands hold");
}

#[test]
fn fields_state_it() {
    // Every second person is at the other end of the covariate, which is half of what they differ by.
    let shift = 0.02;
    let people = people(shift);
    let design = Design::parse(&["age=-1:1".to_owned()], &[], &[]).unwrap();
    let regression =
        FunctionRegression::new(basis(), template(), 1.0, design.clone(), N as u64, mu()).unwrap();
    let mechanism = AboutPublic(Arc::new(regression.clone()));
    let rows: Vec<Vec<f64>> =
        (0..N).map(|i| design.row(&[Some(if i % 2 == 0 { -1.0 } else { 1.0 })])).collect();
    let own = mean(&people);
    for (records, expected) in ways(&people) {
        let records = SampledRecords { samples: Arc::new(records), rows: rows.clone() };
        let (mut stated, mut off, mut held, mut of_mean) = (0.0, 0.0, 0, [0.0; 2]);
        for released in draws(&mechanism, &records) {
            is_told(released.recentred.unseen, expected);
            let fields = regression.fields(&released).unwrap();
            let truth = vec![0.5 * shift; basis().len()];
            stated += fields.columns[0].errors.iter().sum::<f64>();
            off += square(&fields.columns[0].samples, &truth);
            held += u64::from(regression.bands(&released, None).unwrap()[0].holds(&truth));
            of_mean[0] += fields.mean_errors.iter().sum::<f64>();
            of_mean[1] += square(&fields.mean, &own);
        }
        let [field, mean] = [stated / off, of_mean[0] / of_mean[1]].map(f64::sqrt);
        assert!((0.6..2.2).contains(&field), "{expected:?}: stated/true {field}");
        assert!((0.6..1.8).contains(&mean), "{expected:?}: the mean, stated/true {mean}");
        assert!(held + 1 >= DRAWS, "{expected:?}: {held} of {DRAWS} bands hold");
    }
}
